"""Names from the input cannot control a terminal or the log of a CI system, in any command."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from renderer.model.log_line import log_json, log_line, log_markup
from tests.security.test_secrets import invoked

ROOT = Path(__file__).parents[2]
#: Each is a name that somebody may give an object, a file, a folder or an argument.
NAMES = (
    "::stop-commands::x",
    "  ::error::x",
    "x ##[error]y",
    "x##vso[task.setvariable variable=A]y",
    "##teamcity[buildStatus status='SUCCESS']",
    "x\r::set-env name=A::b",
    "x\n::set-env name=A::b",
    "x\x1b]0;pwned\x07",
    "x\x9b2J",
    "x\u202egpj.exe",
    "x\u2066y\u061c\u200e",
    "x\u2028::error::y",
)
PROJECT = {
    "apiVersion": "vmrender.io/v1alpha1",
    "kind": "RenderConfig",
    "catalogs": [{"path": "sizes"}],
    "schemas": [{"path": "schemas"}],
    "overlays": [{"path": "prod"}],
}
COMMANDS = (
    "catalog list",
    "catalog list --format names",
    "catalog list --format json",
    "catalog show {name}",
    "catalog show absent",
    "catalog diff sizes prod",
    "catalog diff sizes prod --format json",
    "schema list",
    "schema export K",
    "pin prod --all",
    "pin prod --all",
    "unpin prod --all",
    "migrate --diff",
    "migrate --check",
    "migrate",
    "validate",
    "validate --format json",
    "validate --format sarif",
    "validate --format junit",
    "validate --format gitlab",
    "render --check -v",
    "render",
    "explain vm/{name}",
    "explain vm/{name} --format json",
    "argocd discover",
    "argocd parameters",
    "argocd ignore-differences",
    "plan --shards 2",
    "plan --shards 2 --format gitlab",
    # arguments
    "explain {name}",
    "catalog list --class {name}",
    "customize {name} --name {name}",
    "render {name}",
    "validate {name}",
    "pin {name} {name}",
    "schema export {name}",
    "schema list --release {name}",
    "diff {name}",
    "{name}",
    "render --{name}",
    "render --shard {name}",
    "validate --kubevirt {name}",
    "validate --format {name}",
    "render --force {name}",
    "catalog import {name}",
    "expand {name}",
    "init --ci {name}",
)


def project_of(name: str, folder: Path) -> None:
    """Write a project in which everything has this name."""
    for below in ("prod", "sizes", "schemas"):
        (folder / below).mkdir()
    size = {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterInstancetype",
        "metadata": {
            "name": name,
            "labels": {name: name},
            "annotations": {"openshift.io/display-name": name},
        },
        "spec": {"cpu": {"guest": 1, "model": name}, "memory": {"guest": "1Gi"}},
    }
    machine = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": name, "namespace": name},
        "spec": {
            "running": True,
            "instancetype": {"name": name},
            "template": {"spec": {"domain": {"devices": {}}}},
        },
    }
    schema = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": name},
        "spec": {
            "group": name,
            "names": {"kind": "K"},
            "versions": [{"name": name, "schema": {"openAPIV3Schema": {"type": "object", "title": name}}}],
        },
    }
    file = f"{name.replace('/', '')}.yaml"
    for path, content in (
        ("vmrender.yaml", PROJECT),
        ("sizes/kustomization.yaml", {"resources": ["a.yaml"]}),
        ("sizes/a.yaml", size),
        ("prod/kustomization.yaml", {"resources": [file]}),
        (f"prod/{file}", machine),
        (f"schemas/{file}", schema),
    ):
        (folder / path).write_text(json.dumps(content, indent=1), encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_names_do_not_control_the_terminal_or_ci(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project_of(name, tmp_path)
    monkeypatch.chdir(tmp_path)
    acting = []
    # Each command has a third of the names, and each name a third of the commands.
    for command in COMMANDS[NAMES.index(name) % 3 :: 3]:
        quoted = "'" + name + "'"
        code, stdout, stderr = invoked(command.replace("{name}", quoted))
        assert code in (0, 1, 2), (command, stderr)
        acting += [f"{command}: {line!r}" for line in (stdout + stderr).split("\n") if acts(line)]
    assert acting == []


def acts(line: str) -> bool:
    """Return True if a terminal, GitHub's runner or Azure's agent acts on a line."""
    return (
        not line.replace("\t", "").isprintable()
        or line.strip().startswith("::")
        or re.search(r"##\w*\[", line) is not None
    )


@pytest.mark.parametrize("name", NAMES)
def test_names_survive_in_documents(name: str) -> None:
    assert json.loads(log_json(json.dumps({name: name}))) == {name: name}
    assert not acts(log_line(name))
    assert not any(map(acts, log_markup(log_line(name)).split("\n")))
    assert log_line(log_line(name)) == log_line(name)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a\udcff.yaml", r"a\udcff.yaml"),
        ("\ud83d", r"\ud83d"),
        (r"a\udcff", r"a\udcff"),
        ("\\\udcff", r"\\udcff"),
        ("\U0001f600\udc00", "\U0001f600\\udc00"),
    ],
)
def test_json_has_no_half_of_a_surrogate_pair(name: str, shown: str) -> None:
    assert json.loads(log_json(json.dumps(name))) == shown


#: Functions that print, and how the names of others begin.
PRINTS = ("print", "click.echo", "click.secho", "sys.excepthook")
PRINT_ALL = ("sys.stdout.write", "sys.stderr.write", "sys.stdout.buffer.write", "warnings.warn", "logging.")


def test_only_one_module_prints() -> None:
    modules = {path for path in (ROOT / "renderer").rglob("*.py") if any(map(prints, calls(path)))}
    assert {path.relative_to(ROOT).as_posix() for path in modules} == {"renderer/cli/terminal.py"}


def calls(module: Path) -> list[str]:
    """Return the functions that a module calls; empty unless its text names one that prints."""
    text = module.read_text(encoding="utf-8")
    if not any(name in text for name in (*PRINTS, *PRINT_ALL)):
        return []
    return [ast.unparse(node.func) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]


def prints(function: str) -> bool:
    return function in PRINTS or function.startswith(PRINT_ALL)
