"""An import adds: whatever people did to the sources, a later dump changes and removes nothing of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import yaml
from hypothesis import given
from hypothesis import strategies as st

from renderer.adopt.dump.files import find_files
from renderer.adopt.dump.gather import UserObject, gather
from renderer.adopt.dump.read import read_dump
from renderer.app.cluster_import.files import SourceChoices
from renderer.app.cluster_import.objects import Secrets
from renderer.app.import_cluster import ClusterImport, ImportedCluster, import_cluster
from renderer.app.project import Project
from renderer.kubevirt.facts.kinds import CONTROLLER_REVISION
from renderer.model.kube.json import JsonObject
from renderer.pipeline import Pipeline
from tests.clusters.cluster import generate, print_list
from tests.clusters.machines import Object
from tests.properties.examples import examples

_MACHINES = 5


def imported(root: Path, live: list[Object], choices: SourceChoices) -> ImportedCluster:
    request = ClusterImport(("-",), BytesIO(print_list(live).encode()), choices=choices, all_namespaces=True)
    request = request._replace(output=root / "overlays")
    return import_cluster(Project.read(root), request)


def composed(root: Path) -> Mapping[str, JsonObject]:
    """The objects of all overlays; each is in one of them."""
    project = Project.read(root)
    pipeline = Pipeline(project.fs, project.config)
    found: dict[str, JsonObject] = {}
    for overlay in project.overlays():
        outcome = pipeline.compose(overlay.path)
        assert not outcome.failed, outcome.diagnostics
        for each in outcome.value:
            assert str(each.current_id) not in found, each.current_id
            found[str(each.current_id)] = each.content
    return found


def texts(root: Path) -> Mapping[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for path in root.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }


def is_subsequence(lines: list[str], of: list[str]) -> bool:
    rest = iter(of)
    return all(line in rest for line in lines)


def edit_as_people_do(root: Path, rng: Random) -> None:
    """Move, patch, label, seal and annotate the sources; the overlays can still be built."""
    for folder in sorted(path.parent for path in root.glob("overlays/*/kustomization.yaml")):
        kustomization = folder / "kustomization.yaml"
        content = yaml.safe_load(kustomization.read_text())
        if rng.random() < 0.5:
            _move(folder, content, rng)
        if rng.random() < 0.5:
            content["patches"] = [
                {
                    "target": {"kind": "VirtualMachine"},
                    "patch": json.dumps(
                        [{"op": "add", "path": "/spec/template/spec/hostname", "value": "ours"}]
                    ),
                }
            ]
        if rng.random() < 0.5:
            content["labels"] = [{"pairs": {"team": "ours"}}]
        if rng.random() < 0.5:
            (folder / "extra").mkdir()
            component: Object = {
                "apiVersion": "kustomize.config.k8s.io/v1alpha1",
                "kind": "Component",
                "configMapGenerator": [{"name": f"ours-{folder.name.strip('_')}", "literals": ["a=b"]}],
            }
            (folder / "extra/kustomization.yaml").write_text(json.dumps(component))
            content["components"] = ["extra", *content.get("components", [])]
        text = kustomization.read_text()
        comments = [line for line in text.splitlines(keepends=True) if line.startswith("#")]
        kustomization.write_text("# ours\n" + yaml.safe_dump(content, sort_keys=False) + "".join(comments))
        if rng.random() < 0.3:
            kustomization.rename(folder / "kustomization.yml")
    for file in root.glob("overlays/*/virtualmachine_*.yaml"):
        if rng.random() < 0.4:
            file.write_text("# a comment\n" + file.read_text())


def _move(folder: Path, content: Object, rng: Random) -> None:
    """Move a file into a base of its own."""
    files = [each for each in content["resources"] if each.endswith(".yaml")]
    if not files:
        return
    moved = rng.choice(files)
    (folder / "moved").mkdir()
    (folder / moved).rename(folder / "moved" / moved)
    (folder / "moved/kustomization.yaml").write_text(json.dumps({"resources": [moved]}))
    content["resources"] = [each for each in content["resources"] if each != moved] + ["moved"]


@given(
    st.integers(0, 10**6),
    st.builds(
        SourceChoices,
        st.just(Secrets.PLAIN),
        st.booleans(),
        st.sampled_from(["", "tier"]),
        replace=st.booleans(),
    ),
)
@examples(0.3)
def test_later_import_changes_nothing_that_is_there(seed: int, choices: SourceChoices) -> None:
    rng = Random(seed)
    live = generate(seed, _MACHINES).live
    machines = {each["metadata"]["name"] for each in live if each["kind"] == "VirtualMachine"}
    later = {name for name in sorted(machines) if rng.random() < 0.4}
    first = [each for each in live if not _belongs(each, later)]
    second = [each for each in live if _belongs(each, later) or rng.random() < 0.3]
    with TemporaryDirectory() as folder:
        root = Path(folder)
        (root / ".git").mkdir()
        assert _errors(imported(root, first, choices._replace(replace=False))) == []
        edit_as_people_do(root, rng)
        files, objects = texts(root), composed(root)

        if not second:
            return
        again = imported(root, second, choices)

        assert _errors(again) == []
        after = texts(root)
        for path, text in files.items():
            name = path.rpartition("/")[2]
            if name.startswith("kustomization.") or name == "vmrender.yaml" or "/sizes/" in path:
                assert is_subsequence(text.splitlines(), after[path].splitlines()), path
            elif not choices.replace:
                assert after[path] == text, path
        present = composed(root)
        if not choices.replace:
            assert {name: present.get(name) for name in objects} == objects
        assert objects.keys() <= present.keys()
        wanted = {str(each.resource.current_id) for each in _gathered(second)}
        added = {name for name in present.keys() - objects.keys() if not name.startswith(CONTROLLER_REVISION)}
        assert added == wanted - objects.keys()
        last = imported(root, second, choices).summary
        assert last is not None
        assert last.written == ()


def _belongs(live: Object, machines: set[str]) -> bool:
    """True for a machine and what is named after it."""
    return any(live["metadata"]["name"].startswith(name) for name in machines)


def _errors(result: ImportedCluster) -> list[str]:
    return [each.message for each in result.findings if each.severity == "error"]


def _gathered(live: list[Object]) -> tuple[UserObject, ...]:
    dump = read_dump(find_files(["-"], BytesIO(print_list(live).encode())))
    return gather(dump, all_namespaces=True).objects
