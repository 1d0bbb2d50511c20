"""Say what a sync of an overlay would do to the virtual machines that a cluster has now.

kubectl get virtualmachines -A -o json | python what_a_sync_does.py path/to/repository prod
"""

from __future__ import annotations

import json
import sys

import renderer
from renderer import DiagnosticError


def main(repository: str, overlay: str) -> int:
    live = {identity(vm): vm for vm in json.load(sys.stdin)["items"]}
    rendered = renderer.render(renderer.open_project(repository), overlay)
    for error in rendered.findings.errors:
        print(f"{error.location}: {error.message}", file=sys.stderr)
    wanted = {identity(vm): vm for vm in rendered.manifests if vm["kind"] == "VirtualMachine"}
    for name in sorted(live.keys() & wanted.keys()):
        comparison = renderer.compare_objects([live[name]], [wanted[name]])
        for change in (each for each in comparison.difference.overlays for each in each.changes):
            print(*name, change.impact.effect if change.impact else "no effect")
    for name in sorted(wanted.keys() - live.keys()):
        print(*name, "created")
    return 1 if rendered.findings.errors else 0


def identity(manifest: dict) -> tuple[str, str]:
    return manifest["metadata"].get("namespace", "default"), manifest["metadata"]["name"]


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except DiagnosticError as error:
        sys.exit(f"{error}")
