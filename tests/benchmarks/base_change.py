"""``python -m tests.benchmarks.base_change [--overlays 300] [--vms 100]``: ``diff`` of a change of a base.

The base has the machines, and each overlay puts them into a namespace of its own. A patch of the base then
changes all of them.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.load.measure import measured_command
from tests.security.git_history import committed

_PROJECT = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays:\n- path: 'sites/*'\n"
_MACHINE = """\
---
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {{name: vm-{number}}}
spec:
  runStrategy: Always
  instancetype: {{name: u1.small}}
  template:
    spec:
      domain: {{devices: {{}}}}
      volumes: [{{name: root, containerDisk: {{image: 'quay.io/containerdisks/fedora:42'}}}}]
"""
_PATCH = """\
patches:
- target: {kind: VirtualMachine}
  patch: |
    - {op: add, path: /spec/template/spec/evictionStrategy, value: LiveMigrate}
"""
_LIMIT = "work=1000000000"


def write_fleet(folder: Path, overlays: int, vms: int) -> None:
    """Write the project as a repository of one commit, and change its base."""
    files = {
        "vmrender.yaml": _PROJECT,
        "base/kustomization.yaml": "resources: [vms.yaml]\n",
        "base/vms.yaml": "".join(_MACHINE.format(number=number) for number in range(vms)),
    }
    for number in range(overlays):
        text = f"resources: [../../base]\nnamespace: site-{number}\n"
        files[f"sites/site-{number}/kustomization.yaml"] = text
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    committed(folder)
    with (folder / "base/kustomization.yaml").open("a", encoding="utf-8") as kustomization:
        kustomization.write(_PATCH)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.base_change", description=__doc__)
    parser.add_argument("--overlays", type=int, default=300)
    parser.add_argument("--vms", type=int, default=100)
    arguments = parser.parse_args()
    os.environ["VMRENDER_LIMITS"] = _LIMIT
    with TemporaryDirectory() as folder:
        write_fleet(Path(folder), arguments.overlays, arguments.vms)
        for command in ("validate", "diff --exit-zero"):
            took = measured_command(Path(folder), tuple(command.split()))
            print(f"{command}: {took.seconds:.1f} s, {took.memory / (1 << 20):.0f} MiB, exit {took.code}")


if __name__ == "__main__":
    main()
