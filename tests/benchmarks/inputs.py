"""The repositories that vmrender and kustomize are measured on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

_VIRTUAL_MACHINE = """\
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
  dataVolumeTemplates:
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
        cpu:
          cores: {cores}
        memory:
          guest: {memory}Gi
        devices:
          disks:
            - name: root
              disk:
                bus: virtio
            - name: cloud-init
              disk:
                bus: virtio
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

_BASE = """\
resources: [virtual-machines.yaml]
"""

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
  - path: memory.yaml
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
  path: /spec/template/spec/domain/memory/guest
  value: 32Gi
- op: add
  path: /metadata/annotations/backup
  value: nightly
"""

_PROJECT = """\
apiVersion: vmrender.io/v1alpha1
kind: RenderConfig
expand: "off"
layout: bundle
"""

_TIERS = ("web", "worker", "database", "cache")


def write_overlay(folder: Path, vms: int) -> None:
    """In ``prod``, an overlay with a prefix, labels and two patches over the ``vms`` machines in ``base``."""
    _write(folder / "base", {"kustomization.yaml": _BASE, "virtual-machines.yaml": virtual_machines(vms)})
    files = {
        "kustomization.yaml": _LABELLED.format(name="prod", resources="../base") + _PATCHES,
        "eviction.yaml": _STRATEGIC_MERGE_PATCH,
        "memory.yaml": _JSON_PATCH,
    }
    _write(folder / "prod", files)


def write_small_overlays(folder: Path, overlays: int, vms: int) -> None:
    """In ``overlays/*``, overlays with a prefix, a label and ``vms`` virtual machines of their own."""
    _write(folder, {"vmrender.yaml": _PROJECT})
    for number in range(overlays):
        name = f"site-{number:03}"
        files = {
            "kustomization.yaml": _LABELLED.format(name=name, resources="virtual-machines.yaml"),
            "virtual-machines.yaml": virtual_machines(vms, first=number * vms),
        }
        _write(folder / "overlays" / name, files)


def virtual_machines(count: int, first: int = 0) -> str:
    """Documents for ``count`` virtual machines of some sixty lines, numbered from ``first``."""
    return "---\n".join(_virtual_machine(number) for number in range(first, first + count))


def _virtual_machine(number: int) -> str:
    return _VIRTUAL_MACHINE.format(
        number=number,
        tier=_TIERS[number % len(_TIERS)],
        disk=20 + 10 * (number % 9),
        cores=1 + number % 8,
        memory=2 ** (1 + number % 5),
        mac=f"02:00:0a:{number >> 16:02x}:{number >> 8 & 0xFF:02x}:{number & 0xFF:02x}",
    )


def _write(folder: Path, files: Mapping[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
