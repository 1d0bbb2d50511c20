"""A field that says what an object is may have any type, behind every door: an error, in every command."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from renderer.model.kube.json import Json, JsonObject
from tests.security.test_secrets import invoked

MACHINE: JsonObject = {
    "apiVersion": "kubevirt.io/v1",
    "kind": "VirtualMachine",
    "metadata": {"name": "db", "namespace": "prod", "labels": {"app": "db"}, "annotations": {"a": "b"}},
    "spec": {
        "runStrategy": "Manual",
        "template": {"spec": {"domain": {"devices": {}, "memory": {"guest": "1Gi"}}}},
    },
}
OTHER: JsonObject = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "a", "namespace": "prod", "labels": {"app": "db"}, "annotations": {"a": "b"}},
}
FIELDS = ("apiVersion", "kind", "metadata", "metadata.name", "metadata.namespace")
MAPS = ("metadata.labels", "metadata.annotations")
VALUES: Mapping[str, Json] = {
    "mapping": {"a": {}},
    "list": [["a"]],
    "number": 7,
    "null": None,
    "boolean": True,
    "long": "x" * 70_000,
}
ARGOCD = {
    "apiVersion": "argoproj.io/v1alpha1",
    "kind": "Application",
    "metadata": {"name": "vms", "namespace": "argocd"},
    "spec": {
        "project": "default",
        "destination": {"namespace": "prod"},
        "source": {"repoURL": "https://git.example.org/a/b.git", "path": "vms"},
    },
}
#: The exit code of a crash.
CRASH = 3
PROJECT: JsonObject = {"apiVersion": "vmrender.io/v1alpha1", "kind": "RenderConfig"}


def listed(*items: Json) -> JsonObject:
    return {"apiVersion": "v1", "kind": "List", "items": list(items)}


def doors(changed: Json) -> Mapping[str, Mapping[str, object]]:
    """Repositories in which the object is read in another way; the first of several files has it."""
    kustomization: JsonObject = {"resources": ["a.yaml"]}
    template: JsonObject = {
        "apiVersion": "template.openshift.io/v1",
        "kind": "Template",
        "metadata": {"name": "t"},
        "objects": [MACHINE, changed],
    }
    overlay = {**PROJECT, "overlays": [{"path": "vms"}]}
    return {
        "kustomization": {
            "vmrender.yaml": overlay,
            "vms/kustomization.yaml": kustomization,
            "vms/a.yaml": [MACHINE, changed],
        },
        "list": {
            "vmrender.yaml": overlay,
            "vms/kustomization.yaml": kustomization,
            "vms/a.yaml": [MACHINE, listed(changed)],
        },
        "folder": {"vmrender.yaml": overlay, "vms/a.yaml": [MACHINE, changed]},
        "folder-list": {"vmrender.yaml": overlay, "vms/a.yaml": listed(MACHINE, changed)},
        "folder-json": {"vmrender.yaml": overlay, "vms/a.yaml": MACHINE, "vms/b.json": changed},
        "no-project": {"vms/a.yaml": listed(MACHINE, changed)},
        "argocd": {
            "vmrender.yaml": {**PROJECT, "overlays": [{"argocd": "apps"}]},
            "apps/app.yaml": ARGOCD,
            "vms/a.yaml": listed(MACHINE, changed),
        },
        "openshift": {
            "vmrender.yaml": {**PROJECT, "overlays": [{"path": "vms/a.yaml", "parameters": {}}]},
            "vms/a.yaml": template,
        },
        "component": {
            "vmrender.yaml": overlay,
            "vms/kustomization.yaml": {"components": ["../c"]},
            "c/kustomization.yaml": {
                "apiVersion": "kustomize.config.k8s.io/v1alpha1",
                "kind": "Component",
                "resources": ["a.yaml"],
            },
            "c/a.yaml": [MACHINE, changed],
        },
        "patched": {
            "vmrender.yaml": overlay,
            "vms/kustomization.yaml": {
                "resources": ["a.yaml"],
                "patches": [
                    {
                        "target": {"kind": "ConfigMap"},
                        "patch": json.dumps(
                            [
                                {"op": "add", "path": f"/{name}", "value": changed.get(name)}
                                for name in ("apiVersion", "kind", "metadata")
                                if isinstance(changed, dict) and changed.get(name) != OTHER[name]
                            ]
                        ),
                    }
                ],
            },
            "vms/a.yaml": [MACHINE, OTHER],
        },
    }


DOORS = tuple(doors(OTHER))
COMMANDS = ("validate", "render")
MORE = ("diff HEAD", "validate vms", "init --dry-run", "build vms", "explain db")
#: Commands for single files, with the changed object as what they read.
OF_FILES = (
    "validate {file}",
    "expand {file}",
    "import {file} --dry-run",
    "diff --live {file}",
    "fn < {list}",
)


def changed_object(field: str, value: Json) -> JsonObject:
    *above, name = field.split(".")
    if not above:
        return {**OTHER, name: value}
    return {**OTHER, "metadata": {**OTHER["metadata"], name: value}}  # type: ignore[dict-item] # a mapping


def write(folder: Path, files: Mapping[str, object]) -> None:
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        documents = content if isinstance(content, list) else [content]
        text = json.dumps(content) if path.endswith(".json") else yaml.safe_dump_all(documents, width=10**6)
        (folder / path).write_text(text, encoding="utf-8")
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b")
    for command in ("init -q", "add -A", "commit -qm x"):
        subprocess.run([*git, *command.split()], cwd=folder, check=True)


@pytest.mark.parametrize("field", [*FIELDS, *MAPS])
@pytest.mark.parametrize("door", DOORS)
def test_every_door_refuses_other_types(
    door: str, field: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind, value in VALUES.items():
        is_structure = isinstance(value, dict | list)
        if field != "kind" and not is_structure:
            continue
        folder = tmp_path / kind
        write(folder, doors(changed_object(field, value))[door])
        monkeypatch.chdir(folder)
        wanted = (*COMMANDS, *MORE) if (field, kind) == ("kind", "mapping") else COMMANDS
        codes = {command: exit_code(command) for command in wanted}
        assert max(codes.values()) < CRASH, (kind, codes)
        # kustomize writes an empty text for an annotation that is none, of which there is a warning, and
        # drops annotations that a patch makes of another type.
        is_dropped = field == "metadata.annotations" and (isinstance(value, dict) or door == "patched")
        is_refused = is_structure and not is_dropped
        if is_refused or (field == "kind" and kind == "null"):
            assert codes["validate"] != 0, (kind, codes)
            assert codes["render"] != 0, (kind, codes)
        assert door == "no-project" or (codes["validate"] == 0) <= (codes["render"] == 0), (kind, codes)


@pytest.mark.parametrize("field", [*FIELDS, *MAPS, "items", "objects", "spec"])
def test_every_reader_of_files_refuses_other_types(
    field: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for kind, value in VALUES.items():
        for name, of in (("object", changed_object(field, value)), ("list", {**listed(), field: value})):
            written = [MACHINE, of]
            (tmp_path / "a.yaml").write_text(yaml.safe_dump_all(written), encoding="utf-8")
            given = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": written}
            (tmp_path / "list.yaml").write_text(yaml.safe_dump(given), encoding="utf-8")
            for command in OF_FILES:
                assert exit_code(command.format(file="a.yaml", list="list.yaml")) < CRASH, (name, kind)


def test_long_kind_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Schemas are looked up in files that are named after the kind."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, doors({**MACHINE, "kind": "x" * 70_000})["kustomization"])
    for command in ("validate", "render", "build vms", "expand vms/a.yaml", "validate vms/a.yaml"):
        assert exit_code(command) in (1, 2)


def exit_code(command: str) -> int:
    """Run a command as it is typed; assert that it shows no traceback."""
    arguments, _, source = command.partition(" < ")
    code, _, shown = invoked(arguments, Path(source).read_text(encoding="utf-8") if source else "")
    assert "Traceback" not in shown, shown
    return code
