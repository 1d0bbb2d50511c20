"""Repositories that are large in one way each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

#: vmrender refuses more documents in a file.
_DOCUMENTS = 10_000

_PROJECT = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\nlayout: bundle\n"
_MACHINE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: vm-{number}
  namespace: fleet
  labels:
    tier: web
spec:
  runStrategy: Always
  instancetype:
    name: u1.small
  preference:
    name: fedora
  template:
    metadata:
      labels:
        kubevirt.io/domain: vm-{number}
    spec:
      domain:
        devices:
          disks:
          - name: root
            disk:
              bus: virtio
          interfaces:
          - name: default
            masquerade: {{}}
      networks:
      - name: default
        pod: {{}}
      volumes:
      - name: root
        containerDisk:
          image: quay.io/containerdisks/fedora:42
"""
_CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings-{number}
  namespace: fleet
data:
  colour: blue
  number: "{number}"
"""


class Load(NamedTuple):
    """``write`` makes the repository in a folder, of ``size``; ``exits`` is what the command exits with."""

    says: str
    size: int
    write: Callable[[Path, int], None]
    command: tuple[str, ...] = ("render", "--no-progress")
    exits: int = 0


def _write(root: Path, files: Mapping[str, str]) -> None:
    for path, text in {"vmrender.yaml": _PROJECT, ".git/HEAD": "", **files}.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def _one_overlay(root: Path, size: int, document: str) -> None:
    starts = range(0, size, _DOCUMENTS)
    files = {
        f"overlays/fleet/{start}.yaml": "---\n".join(
            document.format(number=number) for number in range(start, min(start + _DOCUMENTS, size))
        )
        for start in starts
    }
    listed = "".join(f"- {start}.yaml\n" for start in starts)
    _write(root, {"overlays/fleet/kustomization.yaml": f"resources:\n{listed}", **files})


def config_maps(root: Path, size: int) -> None:
    _one_overlay(root, size, _CONFIG_MAP)


def machines(root: Path, size: int) -> None:
    _one_overlay(root, size, _MACHINE)


def overlays(root: Path, size: int) -> None:
    """Of one machine each, which a base has."""
    files = {
        f"overlays/site-{number}/kustomization.yaml": f"namePrefix: site-{number}-\nresources: [../../base]\n"
        for number in range(size)
    }
    base = {"base/kustomization.yaml": "resources: [vm.yaml]\n", "base/vm.yaml": _MACHINE.format(number=0)}
    _write(root, files | base)


def one_file(root: Path, size: int) -> None:
    """A file of so many megabytes."""
    line = "# " + "x" * 1021 + "\n"
    _write(
        root,
        {
            "overlays/a/kustomization.yaml": "resources: [big.yaml]\n",
            "overlays/a/big.yaml": line * 1024 * size,
        },
    )


LOADS = {
    "resources": Load("ConfigMaps in one overlay", 100_000, config_maps),
    "machines": Load("virtual machines in one overlay", 100_000, machines),
    "overlays": Load("overlays of one virtual machine", 10_000, overlays),
    "file": Load("megabytes in one file", 50, one_file, exits=2),
}
