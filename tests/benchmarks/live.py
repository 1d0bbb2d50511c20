"""``python -m tests.benchmarks.live [--vms 3000] [--overlays 30]``: CPU of ``render`` and ``diff --live``.

The cluster has what an API server, webhooks and controllers make of the machines (``tests.clusters``): their
instances, disks, claims and revisions, with managed fields. One machine in a hundred has drifted.
"""

from __future__ import annotations

import argparse
from copy import deepcopy
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from renderer.app.comparison.side import Side
from renderer.app.project import Project
from tests.benchmarks.comparison import VMRENDER, Work, run
from tests.benchmarks.inputs import write_overlay, write_repository
from tests.clusters.admission import ApiServer
from tests.clusters.cluster import applied, print_list
from tests.clusters.controllers import Controllers, manage
from tests.clusters.field_managers import Engine
from tests.clusters.machines import Object

_RELEASE = 9
_ONE_OF = 100
_FIELD = ("spec", "template", "spec", "terminationGracePeriodSeconds")
_OWNED: Object = {"f:spec": {"f:template": {"f:spec": {f"f:{_FIELD[-1]}": {}}}}}


def live_objects(project: Project) -> list[Object]:
    """Return the objects of a cluster with all overlays of a project."""
    side = Side("work tree", project.fs)
    rendered = map(side.render, side.overlays)
    contents = (each.content for each in rendered if each and each.content)
    git = [deepcopy(dict(each.content)) for content in contents for each in content.written]
    server = ApiServer(Random(1), _RELEASE, git)
    controllers = Controllers(server)
    live: list[Object] = []
    for number, written in enumerate(git):
        made = applied(server, Engine.ARGOCD_SERVER_SIDE, written)
        live += [made, *controllers.run(made)]
        if number % _ONE_OF == 0 and made["kind"] == "VirtualMachine":
            made["spec"]["template"]["spec"][_FIELD[-1]] = 77
            manage(made, "kubectl-edit", _OWNED)
    return live


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.live", description=__doc__)
    parser.add_argument("--vms", type=int, default=3_000)
    parser.add_argument("--overlays", type=int, default=1)
    options = parser.parse_args()
    vms, overlays = options.vms, options.overlays
    with TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        if overlays > 1:
            write_repository(project, overlays, vms // overlays)
        else:
            write_overlay(project, vms)
        live = live_objects(Project.read(project))
        for output in ("json", "yaml"):
            (Path(folder) / f"dump.{output}").write_text(print_list(live, output), encoding="utf-8")
        del live
        base = run(Work([(VMRENDER, "render", "--no-cache", "-j", "1")], 1, project)).cpu
        print(f"render of {vms} machines in overlays: {overlays}, {base:.1f} s")
        for output in ("json", "yaml"):
            arguments = (VMRENDER, "diff", "--live", f"../dump.{output}", "--exit-zero", "-j", "1")
            spent = run(Work([arguments], 1, project)).cpu
            print(f"diff --live dump.{output}: {spent:.1f} s, {spent / base:.1f} times as much")


if __name__ == "__main__":
    main()
