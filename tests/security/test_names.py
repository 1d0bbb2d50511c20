"""Names of objects of engines are DNS names before they are paths, and outputs never fall into inputs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.security.test_secrets import invoked

NAMES = (
    *("../../clusters/prod", "../vms", "/etc/x", ".", "..", "", "a/b", "a/../../../x", "Upper", "a_b", "-a"),
    *(".git", "a\0b", "a\\..\\b", "C:x", "a b", "é", "a\n::error::", "${../../x}", "{{ x }}/..", "x" * 254),
    *("a..b", "a.", "~", "*"),
)
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: evil, namespace: p}\n"
SOURCE = {"repoURL": "https://git.example.org/a/b.git", "path": "vms"}
SPEC = {"project": "default", "destination": {"namespace": "v"}, "source": SOURCE}
PROJECT = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n"


def application(name: str, namespace: str = "argocd") -> object:
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, "namespace": namespace},
        "spec": SPEC,
    }


def application_set(name: str) -> object:
    """A set whose generator has the name: only the template makes it one."""
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": {"name": "s", "namespace": "argocd"},
        "spec": {
            "generators": [{"list": {"elements": [{"n": name}]}}],
            "template": {"metadata": {"name": "{{n}}"}, "spec": SPEC},
        },
    }


def flux(name: str, namespace: str = "flux-system") -> object:
    return {
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
        "kind": "Kustomization",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"path": "./vms", "sourceRef": {"kind": "GitRepository", "name": "flux-system"}},
    }


def resource_set(name: str, made: str = "fine") -> object:
    """A set that makes a Kustomization with the name ``made``."""
    return {
        "apiVersion": "fluxcd.controlplane.io/v1",
        "kind": "ResourceSet",
        "metadata": {"name": name, "namespace": "flux-system"},
        "spec": {
            "resources": [flux(made), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}}]
        },
    }


ROOT: list[object] = [
    {
        "apiVersion": "source.toolkit.fluxcd.io/v1",
        "kind": "GitRepository",
        "metadata": {"name": "flux-system", "namespace": "flux-system"},
        "spec": {"url": "https://git.example.org/a/b.git"},
    },
    {
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
        "kind": "Kustomization",
        "metadata": {"name": "flux-system", "namespace": "flux-system"},
        "spec": {"path": "./apps", "sourceRef": {"kind": "GitRepository", "name": "flux-system"}},
    },
]


ENGINES = ["application", "set", "flux", "namespace", "repointed", "resource set", "made by a set"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("engine", ENGINES)
def test_name_is_no_path(engine: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    kind = "argocd" if engine in ("application", "set", "repointed") else "flux"
    (tmp_path / "vmrender.yaml").write_text(
        f"{PROJECT}overlays: [{{{kind}: apps, repoint: {str(engine == 'repointed').lower()}}}]\n",
        encoding="utf-8",
    )
    for folder in ("apps", "vms", "clusters"):
        (tmp_path / folder).mkdir()
    (tmp_path / "vms/a.yaml").write_text(CONFIG_MAP, encoding="utf-8")
    objects = {
        "application": [application(name)],
        "repointed": [application("fine"), application(name)],
        "set": [application_set(name)],
        "flux": [*ROOT, flux(name)],
        "namespace": [*ROOT, flux("fine", name)],
        "resource set": [*ROOT, resource_set(name)],
        "made by a set": [*ROOT, resource_set("fine", name)],
    }[engine]
    (tmp_path / "apps/a.yaml").write_text("\n---\n".join(map(json.dumps, objects)) + "\n", encoding="utf-8")
    before = set(tmp_path.rglob("*"))

    codes = [invoked(command)[0] for command in ("validate", "render", "render --check")]

    # Flux fills in a namespace; a ResourceSet that makes an object without a name is left out.
    is_absent = engine in ("namespace", "made by a set") and not name
    assert (codes[0] == 0) == (codes[1] == 0), "validate and render disagree"
    if not is_absent:
        assert codes[0] in (1, 2)
    written = {path.relative_to(tmp_path).as_posix() for path in set(tmp_path.rglob("*")) - before}
    assert [path for path in written if not path.startswith(("rendered", ".vmrender"))] == []
    assert [path for path in written if "evil" in path and "fine" not in path] == [] or is_absent


@pytest.mark.parametrize(
    "name", ["../x", "a/b", "/x", "", ".", "Prod", "a b", "x" * 300, "a\\b", "a\0b", "-a"]
)
def test_name_of_a_cluster_is_a_dns_name(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "apps").mkdir()
    (tmp_path / "vms").mkdir()
    (tmp_path / "vms/a.yaml").write_text(CONFIG_MAP, encoding="utf-8")
    (tmp_path / "apps/a.yaml").write_text(json.dumps(application("a")), encoding="utf-8")
    entry = {"overlays": [{"argocd": "apps", "name": name}]}
    (tmp_path / "vmrender.yaml").write_text(PROJECT + yaml.safe_dump(entry), encoding="utf-8")

    for command in ("validate", "render"):
        code, _, shown = invoked(command)
        assert code != 0
        assert "vmrender.yaml:" in shown
    assert not (tmp_path / "rendered").exists()


@pytest.mark.parametrize(
    ("overlays", "output"),
    [
        ("[{argocd: apps}]", "apps/{name}"),
        ("[{argocd: apps}]", "vms/{name}"),
        ("[{argocd: apps}]", "vms"),
        ("[{argocd: apps/a.yaml}]", "apps"),
        ("[{path: vms}]", "vms/rendered/{name}"),
        ("[{path: vms, directory: {recurse: true}}]", "vms/rendered"),
        ("[{path: vms, directory: {}}]", "vms"),
        ("[{path: vms, generate: flux}]", "vms/out"),
        ("[{path: vms}]", "sizes/{name}"),
        ("[{path: vms}]", ".git/{name}"),
        ("[{path: vms}]", ".github/workflows"),
        ("[{path: vms}]", "../{name}"),
        ("[{path: vms}]", "vmrender.yaml"),
        ("[{path: vms}]", "."),
        ("[{path: vms}]", "{name}"),
        ("[{path: kust}]", "base/{name}"),
        ("[{path: kust}]", "kust"),
    ],
)
def test_outputs_do_not_fall_into_inputs(
    overlays: str, output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("apps", "vms", "sizes", "base", "kust"):
        (tmp_path / folder).mkdir()
    for path, text in {
        "vms/a.yaml": CONFIG_MAP,
        "sizes/kustomization.yaml": "resources: []\n",
        "base/kustomization.yaml": "resources: [a.yaml]\n",
        "base/a.yaml": CONFIG_MAP,
        "kust/kustomization.yaml": "resources: [../base]\n",
        "apps/a.yaml": json.dumps(application("a")),
        "vmrender.yaml": f"{PROJECT}catalogs: [{{path: sizes}}]\noverlays: {overlays}\noutput: '{output}'\n",
    }.items():
        (tmp_path / path).write_text(text, encoding="utf-8")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    codes = [invoked(command)[0] for command in ("validate", "render")]

    assert 0 not in codes, codes
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert {path for path in after if ".vmrender" not in path.parts} == before.keys()


@pytest.mark.parametrize("output", ["b", "base", "base/rendered"])
@pytest.mark.parametrize("command", ["validate --overlay a", "render --overlay a", "render --shard 1/2"])
def test_output_of_one_overlay_does_not_fall_into_inputs_of_others(
    output: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for path, text in {
        "a/kustomization.yaml": "configMapGenerator: [{name: a, literals: [a=b]}]\n",
        "b/kustomization.yaml": "resources: [../base]\n",
        "base/kustomization.yaml": "resources: [a.yaml]\n",
        "base/a.yaml": CONFIG_MAP,
        "vmrender.yaml": f"{PROJECT}overlays: [{{path: a, output: {output}}}, {{path: b}}]\n",
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")

    code, _, shown = invoked(command)

    assert code != 0
    assert "error[output-invalid]" in shown
    assert not [*tmp_path.glob("b*/**/.vmrender-owned")]
