"""From a generated cluster to Git: import it, compose, import again, and compare with the cluster.

``python -m tests.clusters.adopting [--count 2000] [--first SEED]`` does so for that many VirtualMachines.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from renderer.adopt.dump.files import find_files
from renderer.adopt.dump.gather import gather
from renderer.adopt.dump.read import read_dump
from renderer.app.cluster_import.files import SourceChoices
from renderer.app.cluster_import.objects import Secrets
from renderer.app.diff_live import Dump, compare_with_dump
from renderer.app.import_cluster import ClusterImport, import_cluster
from renderer.app.project import Project
from renderer.app.reporter import Silent
from renderer.kubevirt.facts.kinds import CONTROLLER_REVISION, MATCHER_KEYS
from renderer.model.kube.json import JsonObject, without
from renderer.pipeline import Pipeline
from tests.clusters.cluster import GeneratedCluster, generate, print_list
from tests.clusters.comparing import changes_of, own_fields

MACHINES = 5  # of a cluster
PLAIN = SourceChoices(Secrets.PLAIN)
#: Fields that a pin sets in addition to those of the cluster.
_PINNED = {f"spec.{key}.revisionName" for key in MATCHER_KEYS}


def problems_of_adoption(
    cluster: GeneratedCluster, root: Path, output: str = "json", choices: SourceChoices = PLAIN
) -> list[str]:
    """Return the differences between imported sources and the cluster; ``root`` is emptied first."""
    shutil.rmtree(root, ignore_errors=True)
    folder = root / "repository"
    (folder / ".git").mkdir(parents=True)
    dump = root / f"dump.{output}"
    dump.write_text(print_list(cluster.live, output), encoding="utf-8")
    request = ClusterImport((str(dump),), BytesIO(), folder / "overlays", choices=choices)
    first = import_cluster(Project.read(folder), request)
    problems = [f"import: {each.message}" for each in first.findings]
    again = import_cluster(Project.read(folder), request).summary
    problems += [f"written again: {path}" for path in again.written] if again else ["not imported again"]
    if not choices.fits:
        problems += _composed_otherwise(folder, dump)
    return problems + _different(folder, dump)


def _composed_otherwise(folder: Path, dump: Path) -> list[str]:
    """The sources compose to the user's parts of the objects, and to pins."""
    project = Project.read(folder)
    pipeline = Pipeline(project.fs, project.config)
    composed: dict[str, JsonObject] = {}
    for overlay in project.overlays():
        for each in pipeline.compose(overlay.path).value:
            composed[str(each.current_id)] = each.content
    gathered = gather(read_dump(find_files([str(dump)])))
    wanted = {str(each.resource.current_id): each.content for each in gathered.objects}
    extra = [name for name in composed.keys() - wanted.keys() if not name.startswith(CONTROLLER_REVISION)]
    different = [
        name
        for name, content in wanted.items()
        if name not in composed or _without_pins(composed[name]) != _without_pins(content)
    ]
    return [f"not in the cluster: {name}" for name in extra] + [f"composed otherwise: {n}" for n in different]


def _without_pins(content: JsonObject) -> JsonObject:
    for key in MATCHER_KEYS:
        content = without(content, "spec", key, "revisionName")
    return content


def _different(folder: Path, dump: Path) -> list[str]:
    """A sync changes only pins."""
    compared = compare_with_dump(Project.read(folder), (), Dump(str(dump), BytesIO()), (), Silent())
    problems = []
    for change in changes_of(compared):
        fields = {str(each.field) for each in own_fields(change)}
        if not fields or not fields <= _PINNED:
            problems.append(f"differs: {change.id}: {change.type}: {', '.join(sorted(fields))}")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.clusters.adopting", description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="how many VirtualMachines")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    given = parser.parse_args()
    failed = 0
    with TemporaryDirectory() as folder:
        for seed in range(given.first, given.first + -(-given.count // MACHINES)):
            cluster = generate(seed, MACHINES)
            output = "yaml" if seed % 10 == 0 else "json"
            choices = SourceChoices(
                Secrets.PLAIN, fits=seed % 2 == 0, group_by="tier" if seed % 3 == 0 else ""
            )
            for problem in problems_of_adoption(cluster, Path(folder) / "adopted", output, choices):
                failed += 1
                print(f"seed {seed} ({cluster.engine.name}, 1.{cluster.release}): {problem}")
    print(f"{failed} problems")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
