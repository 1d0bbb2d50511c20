"""Commands that messages offer to copy: a name of the repository is one quoted word of them."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from renderer.cli.app import main

NAME = "$(touch planted)"
_PROJECT = {"apiVersion": "vmrender.io/v1alpha1", "kind": "RenderConfig", "kubevirt": "1.9", "expand": "off"}
_MACHINE = {
    "apiVersion": "kubevirt.io/v1",
    "kind": "VirtualMachine",
    "metadata": {"name": "web", "namespace": "shop"},
    "spec": {"runStrategy": "Always", "template": {"spec": {"domain": {"devices": {}}}}},
}


def printed(root: Path, files: dict[str, object], *command: str, monkeypatch: pytest.MonkeyPatch) -> str:
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(json.dumps(content))
    monkeypatch.chdir(root)
    return CliRunner().invoke(main, command).output


def test_files_to_add_after_an_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"vmrender.yaml": {**_PROJECT, "output": f"{NAME}/{{name}}"}, "dump.json": _MACHINE}
    output = printed(tmp_path, files, "import", "dump.json", monkeypatch=monkeypatch)
    [line] = [line for line in output.splitlines() if "git add" in line]
    assert shlex.split(line) == ["git", "add", "vmrender.yaml", "overlays", NAME]


def test_pin_to_drop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    overlay = f"overlays/{NAME}"
    patch = {**_MACHINE, "metadata": {"name": "gone", "namespace": "shop"}}
    files = {
        "vmrender.yaml": _PROJECT,
        f"{overlay}/kustomization.yaml": {"resources": ["vm.yaml"], "components": ["pins"]},
        f"{overlay}/vm.yaml": _MACHINE,
        f"{overlay}/pins/kustomization.yaml": {
            "apiVersion": "kustomize.config.k8s.io/v1alpha1",
            "kind": "Component",
            "patches": [{"path": "virtualmachine_shop_gone.yaml"}],
        },
        f"{overlay}/pins/virtualmachine_shop_gone.yaml": patch,
    }
    output = printed(tmp_path, files, "validate", monkeypatch=monkeypatch)
    [line] = [line for line in output.splitlines() if "vmrender unpin" in line]
    assert shlex.split(line)[-3:] == ["vmrender", "unpin", overlay]


def test_entry_to_vendor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = f"overlays/{NAME}"
    urls = [f"https://git.example.org/{NAME}.yaml", f"https://git.example.org/{NAME}?ref={NAME}"]
    files: dict[str, object] = {
        "vmrender.yaml": _PROJECT,
        f"{folder}/kustomization.yaml": {"resources": urls},
    }
    output = printed(tmp_path, files, "validate", monkeypatch=monkeypatch)
    hints = [line.partition("vendor it: ")[2].rpartition(", and list")[0] for line in output.splitlines()]
    file, base = (shlex.split(hint) for hint in hints if hint)
    assert file == ["curl", "-fL", urls[0], "-o", f"{folder}/{NAME}.yaml"]
    assert base == ["kubectl", "kustomize", urls[1], ">", f"{folder}/remote.yaml"]
