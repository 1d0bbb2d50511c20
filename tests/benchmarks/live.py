"""``python -m tests.benchmarks.live [--vms 3000]``: the CPU time of ``render``, and of ``diff --live``.

The cluster has what an API server, webhooks and controllers make of the machines (``tests.clusters``): their
instances, disks, claims and revisions, with managed fields. One machine in a hundred has drifted.
"""

from __future__ import annotations

import argparse
from copy import deepcopy
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from renderer.app.diff_side import Side
from renderer.app.project import Project
from tests.benchmarks.comparison import VMRENDER, Work, run
from tests.benchmarks.inputs import write_overlay
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
    """Return the objects of a cluster with the only overlay of a project."""
    side = Side("work tree", project.fs)
    (overlay,) = side.overlays
    rendered = side.render(overlay)
    assert rendered
    assert rendered.content
    git = [deepcopy(dict(each.content)) for each in rendered.content.written]
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
    vms = parser.parse_args().vms
    with TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        write_overlay(project, vms)
        live = live_objects(Project.read(project))
        for output in ("json", "yaml"):
            (Path(folder) / f"dump.{output}").write_text(print_list(live, output), encoding="utf-8")
        del live
        base = run(Work([(VMRENDER, "render", "--no-cache")], 1, project)).cpu
        print(f"render of {vms} machines: {base:.1f} s")
        for output in ("json", "yaml"):
            arguments = (VMRENDER, "diff", "--live", f"../dump.{output}", "--exit-zero")
            spent = run(Work([arguments], 1, project)).cpu
            print(f"diff --live dump.{output}: {spent:.1f} s, {spent / base:.1f} times as much")


if __name__ == "__main__":
    main()
