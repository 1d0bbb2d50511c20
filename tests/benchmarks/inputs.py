"""Makes the repositories that are measured: ``python -m tests.benchmarks.inputs FOLDER``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path

_VIRTUAL_MACHINE = """\
---
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: vm-{number:04}
  namespace: fleet
  labels:
    app.kubernetes.io/name: vm-{number:04}
    app.kubernetes.io/part-of: shop
    tier: {tier}
  annotations:
    description: Number {number} of the fleet, which serves the shop's {tier} tier.
spec:
  runStrategy: RerunOnFailure
{matchers}  dataVolumeTemplates:
    - metadata:
        name: vm-{number:04}-root
      spec:
        sourceRef:
          kind: DataSource
          name: centos-stream9
          namespace: golden-images
        storage:
          resources:
            requests:
              storage: {disk}Gi
  template:
    metadata:
      labels:
        kubevirt.io/domain: vm-{number:04}
    spec:
      domain:
{memory}        devices:
          disks:
            - name: root
              disk: {{}}
            - name: cloud-init
              disk: {{}}
          interfaces:
            - name: default
              masquerade: {{}}
              macAddress: "{mac}"
      networks:
        - name: default
          pod: {{}}
      volumes:
        - name: root
          dataVolume:
            name: vm-{number:04}-root
        - name: cloud-init
          cloudInitNoCloud:
            userData: |
              #cloud-config
              hostname: vm-{number:04}
              packages: [qemu-guest-agent]
"""

#: Of a machine without instance type: one that asks for no memory is warned of.
_MEMORY = """\
        memory:
          guest: 2Gi
"""

_MATCHERS = """\
  instancetype:
    name: {instancetype}
  preference:
    name: {preference}
"""

_BASE = """\
resources: [{files}]
"""
#: vmrender refuses files of more than 32 MiB.
_MOST_OF_A_FILE = 10_000

_LABELLED = """\
resources: [{resources}]
namePrefix: {name}-
labels:
  - pairs:
      environment: {name}
"""

_PATCHES = """\
patches:
  - path: eviction.yaml
    target:
      kind: VirtualMachine
  - path: backup.yaml
    target:
      kind: VirtualMachine
      labelSelector: tier=database
"""

_STRATEGIC_MERGE_PATCH = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: any
spec:
  template:
    spec:
      evictionStrategy: LiveMigrate
      nodeSelector:
        pool: production
"""

_JSON_PATCH = """\
- op: replace
  path: /spec/dataVolumeTemplates/0/spec/storage/resources/requests/storage
  value: 200Gi
- op: add
  path: /metadata/annotations/backup
  value: nightly
"""

_PROJECT = """\
apiVersion: vmrender.io/v1alpha1
kind: RenderConfig
"""

#: Settings of a project with which it renders what kustomize prints.
AS_KUSTOMIZE = """\
expand: "off"
layout: bundle
"""

TIERS = "web", "worker", "database", "cache"
_INSTANCETYPES = "u1.small", "u1.medium", "u1.large", "u1.xlarge", "u1.2xlarge", "o1.medium", "o1.large"
_PREFERENCES = "centos.stream9", "fedora", "ubuntu", "rhel.9"


def write_overlay(folder: Path, vms: int) -> None:
    """In ``prod``, an overlay with a prefix, a label and two patches over ``vms`` machines in ``base``."""
    _write(folder, {"vmrender.yaml": _PROJECT + "overlays: [path: prod]\n"})
    firsts = range(0, vms, _MOST_OF_A_FILE)
    names = [f"virtual-machines{f'-{first}' if first else ''}.yaml" for first in firsts]
    _write(folder / "base", {"kustomization.yaml": _BASE.format(files=", ".join(names))})
    for name, first in zip(names, firsts, strict=True):
        _write_virtual_machines(folder / "base" / name, min(_MOST_OF_A_FILE, vms - first), first)
    files = {
        "kustomization.yaml": _LABELLED.format(name="prod", resources="../base") + _PATCHES,
        "eviction.yaml": _STRATEGIC_MERGE_PATCH,
        "backup.yaml": _JSON_PATCH,
    }
    _write(folder / "prod", files)


def write_repository(
    folder: Path, overlays: int, vms: int, settings: str = "", *, matchers: bool = True
) -> None:
    """In ``overlays/*``, overlays with a prefix, a label and ``vms`` virtual machines of their own.

    ``settings`` are lines for its ``vmrender.yaml``; without ``matchers`` memory, no instance types and
    preferences.
    """
    _write(folder, {"vmrender.yaml": _PROJECT + settings})
    for number in range(overlays):
        name = f"site-{number:03}"
        overlay = folder / "overlays" / name
        _write(
            overlay, {"kustomization.yaml": _LABELLED.format(name=name, resources="virtual-machines.yaml")}
        )
        _write_virtual_machines(overlay / "virtual-machines.yaml", vms, first=number * vms, matchers=matchers)


def virtual_machines(count: int, first: int = 0, *, matchers: bool = True) -> str:
    """Documents for ``count`` virtual machines of some sixty lines, numbered from ``first``."""
    return "".join(_virtual_machines(count, first, matchers=matchers))


def _write_virtual_machines(file: Path, count: int, first: int = 0, *, matchers: bool = True) -> None:
    """Yield one by one: memory of this process counts as memory of the programs that it starts."""
    with file.open("w", encoding="utf-8") as opened:
        opened.writelines(_virtual_machines(count, first, matchers=matchers))


def _virtual_machines(count: int, first: int, *, matchers: bool) -> Iterator[str]:
    for number in range(first, first + count):
        yield _virtual_machine(number, _matchers(number) if matchers else "")


def _matchers(number: int) -> str:
    return _MATCHERS.format(
        instancetype=_INSTANCETYPES[number % len(_INSTANCETYPES)],
        preference=_PREFERENCES[number // 2 % len(_PREFERENCES)],
    )


def _virtual_machine(number: int, matchers: str) -> str:
    return _VIRTUAL_MACHINE.format(
        number=number,
        tier=TIERS[number % len(TIERS)],
        matchers=matchers,
        memory="" if matchers else _MEMORY,
        disk=20 + 10 * (number % 9),
        mac=f"02:00:0a:{number >> 16:02x}:{number >> 8 & 0xFF:02x}:{number & 0xFF:02x}",
    )


def _write(folder: Path, files: Mapping[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tests.benchmarks.inputs", description=__doc__)
    options.add_argument("folder", type=Path, help="where it is written")
    options.add_argument("--vms", type=int, default=1000, help="of each overlay [default: %(default)s]")
    options.add_argument("--overlays", type=int, help="that many, instead of one with patches over a base")
    chosen = options.parse_args()
    if chosen.overlays is None:
        write_overlay(chosen.folder, chosen.vms)
    else:
        write_repository(chosen.folder, chosen.overlays, chosen.vms)


if __name__ == "__main__":
    main()
