"""``vmrender diff`` of variables of Flux whose values an overlay is not rendered with."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.git_work_tree import commit, write
from tests.cli.test_diff import VM, run
from tests.cli.test_diff_handovers import PLAIN, TREE

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

DATA = "apiVersion: v1\nkind: {}\nmetadata: {{name: vars{}}}\n{}: {{SIZE: u1.ONE}}\n"
LISTED = "resources: [apps.yaml, source.yaml]\n"
GENERATED = (
    LISTED + "namespace: flux-system\ngeneratorOptions: {{disableNameSuffixHash: true}}\n"
    "{}Generator: [{{name: vars, {}}}]\n"
)
ENTRY = "overlays: [{flux: clusters}]\n"


def sources(kind: str, form: str) -> dict[str, str]:
    """Return the files with the variables, with ``ONE`` for what changes."""
    generator, field = ("configMap", "data") if kind == "ConfigMap" else ("secret", "stringData")
    folder = "clusters/vars" if form == "beside" else "clusters"
    listed = LISTED if folder == "clusters" else ""
    return {
        "file": {"clusters/vars.yaml": DATA.format(kind, ", namespace: flux-system", field)},
        "namespace": {
            "clusters/vars.yaml": DATA.format(kind, "", field),
            "clusters/kustomization.yaml": LISTED.replace("]", ", vars.yaml]\nnamespace: flux-system"),
        },
        "literals": {"clusters/kustomization.yaml": GENERATED.format(generator, "literals: [SIZE=u1.ONE]")},
        "envs": {
            f"{folder}/kustomization.yaml": GENERATED.format(generator, "envs: [vars.env]"),
            f"{folder}/vars.env": "SIZE=u1.ONE\n",
        },
        "beside": {
            f"{folder}/kustomization.yaml": GENERATED.format(generator, "envs: [vars.env]").replace(
                LISTED, listed
            ),
            f"{folder}/vars.env": "SIZE=u1.ONE\n",
        },
    }[form]


@pytest.mark.parametrize("kind", ["ConfigMap", "Secret"])
@pytest.mark.parametrize("form", ["file", "namespace", "literals", "envs", "beside"])
@pytest.mark.parametrize("entry", ["", ENTRY, ENTRY.replace("clusters}", "clusters, secrets: true}")])
def test_changed_value_of_a_variable(folder: Path, kind: str, form: str, entry: str) -> None:
    if entry and form == "beside":
        pytest.skip("nothing in the entry deploys the variables")
    taken = f"{PLAIN}  postBuild: {{substituteFrom: [{{kind: {kind}, name: vars}}]}}\n"
    files = {
        "vmrender.yaml": TREE["vmrender.yaml"] + entry,
        "clusters/apps.yaml": taken,
        "overlays/prod/vm.yaml": VM.replace("u1.small", '"${SIZE}"' if entry else "u1.small"),
    }
    data = sources(kind, form)
    commit(folder, TREE | files | {path: text.replace("ONE", "small") for path, text in data.items()})
    assert run().exit == 0
    write(folder, {path: text.replace("ONE", "large") for path, text in data.items()})
    text = run().stdout
    if entry and (kind == "ConfigMap" or "secrets" in entry):
        assert text.startswith("prod/db changes with its next live migration")
    else:
        assert text.startswith("NOT COMPARED")
        assert f"not compared: {kind} vars changes, of which variables in rendered/" in text


def test_unchanged_variables_of_a_generator(folder: Path) -> None:
    taken = f"{PLAIN}  postBuild: {{substituteFrom: [{{kind: ConfigMap, name: vars}}]}}\n"
    commit(folder, TREE | {"clusters/apps.yaml": taken} | sources("ConfigMap", "envs"))
    write(folder, {"clusters/vars.env": "# the sizes\nSIZE=u1.ONE\n"})
    assert run().stdout == ""
