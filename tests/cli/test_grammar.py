"""One grammar of the command line: overlays, machines and revisions are named the same way in every command.

A refusal says how to write what was probably meant.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from renderer.cli.app import main
from renderer.cli.completions import complete_overlays
from tests.cli.git_work_tree import commit, init

#: The commands that work on overlays. Others are about files, catalogs, schemas, or all overlays at once.
ABOUT_OVERLAYS = (
    "argocd ignore-differences",
    "build",
    "diff",
    "explain",
    "fix",
    "migrate",
    "pin",
    "render",
    "unpin",
    "validate",
)
#: Their options are of another kind: an Application's parameters, and the share of a worker.
ABOUT_ALL = ("argocd generate", "argocd parameters", "argocd discover", "plan")
HEAD = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n"
VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: db, namespace: shop}
spec:
  runStrategy: Always
  instancetype: {name: u1.nano}
  template: {spec: {domain: {devices: {}}}}
"""


def run(*arguments: str) -> Result:
    return CliRunner(catch_exceptions=False).invoke(main, arguments, prog_name="vmrender")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two overlays, whose folders have other names than a path in the working directory."""
    for name in ("prod", "dev"):
        (tmp_path / "overlays" / name).mkdir(parents=True)
        (tmp_path / "overlays" / name / "kustomization.yaml").write_text("resources: [vm.yaml]\n")
        (tmp_path / "overlays" / name / "vm.yaml").write_text(VM)
    (tmp_path / "vmrender.yaml").write_text(HEAD)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def commands() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(main)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            for child in command.list_commands(context):
                yield f"{name} {child}", command.get_command(context, child)  # type: ignore[misc]
        else:
            yield name, command


def test_every_command_about_overlays_has_the_option_with_completion() -> None:
    completing = [
        name
        for name, command in commands()
        for each in command.params
        if "--overlay" in each.opts and getattr(each, "_custom_shell_complete", None) is complete_overlays
    ]
    arguments = {
        name
        for name, command in commands()
        for each in command.params
        if isinstance(each, click.Argument) and (each.name or "").startswith("overlay")
    }

    assert tuple(completing) == ABOUT_OVERLAYS
    assert arguments <= set(completing)


@pytest.mark.parametrize(
    "words",
    [
        "argocd ignore-differences --overlay {}",
        "argocd ignore-differences {}",
        "build --overlay {}",
        "explain db --overlay {}",
        "fix --diff --overlay {}",
        "migrate --diff --overlay {}",
        "pin --dry-run --overlay {} db",
        "pin {} db --dry-run",
        "render --dry-run --overlay {}",
        "render --dry-run {}",
        "unpin --dry-run --overlay {} db",
        "unpin {} db --dry-run",
        "validate --overlay {}",
    ],
)
@pytest.mark.parametrize("name", ["prod", "overlays/prod"])
def test_overlay_is_named_so(project: Path, words: str, name: str) -> None:
    result = run(*words.format(name).split())

    assert result.exit_code == 0, result.output
    assert "overlays/dev" not in result.output
    assert project.exists()


@pytest.mark.parametrize("machine", ["db", "shop/db", "vm/db", "shop/vm/db"])
def test_machine_is_named_so(project: Path, machine: str) -> None:
    pinned, explained = (
        run("pin", "prod", machine),
        run("explain", machine, "spec.runStrategy", "--overlay", "prod"),
    )

    assert (pinned.exit_code, explained.exit_code) == (0, 0), pinned.output + explained.output
    assert (project / "overlays/prod/pins").is_dir()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("build prod", "--overlay prod"),
        ("validate prod", "--overlay prod"),
        ("fix prod", "--overlay prod"),
        ("migrate prod", "--overlay prod"),
        ("expand prod", "vmrender build --overlay prod"),
        ("diff prod", "vmrender diff --overlay prod"),
        ("build overlays/prod --overlay prod", "--overlay names what to build; leave out PATH"),
        (
            "validate vmrender.yaml --overlay prod",
            "--overlay checks overlays of this project; leave out PATH",
        ),
        ("fix vmrender.yaml --overlay prod", "name paths or overlays, not both"),
        ("migrate vmrender.yaml --overlay prod", "name paths or overlays, not both"),
        ("pin", "name the overlay: OVERLAY [VM]..., or --overlay OVERLAY [VM]..."),
        ("unpin", "name the overlay: OVERLAY [VM]..., or --overlay OVERLAY [VM]..."),
        ("pin --overlay prod", "say which virtual machines: by name, with --selector, or --all"),
        ("pin --overlay prod --overlay dev --all", "name one overlay at a time"),
        ("build --overlay prod --overlay dev", "vmrender build works on one overlay: name one overlay"),
        ("explain db --overlay prod --overlay dev", "vmrender explain works on one overlay"),
        ("customize u1.nano --name x --of-cluster west", "'--of-cluster': unknown cluster 'west'"),
        ("validate --cluster west", "'--cluster': unknown cluster 'west'"),
        ("pin prod a/b/c/db", "'a/b/c/db' is not NAME, KIND/NAME, NAMESPACE/NAME or NAMESPACE/KIND/NAME"),
        ("pin prod other/db", "did you mean shop/db"),
        ("pin prod nothing-alike", "write NAME, NAMESPACE/NAME or vm/NAME"),
        ("explain a/b/c/db", "'a/b/c/db' is not NAME, KIND/NAME, NAMESPACE/NAME or NAMESPACE/KIND/NAME"),
        ("explain db", "say which with --overlay, as in --overlay dev"),
        ("diff a b c", "vmrender diff REVISION REVISION"),
        *(
            (f"{words} prd", "there is no overlay 'prd'; did you mean prod?")
            for words in (
                "argocd ignore-differences --overlay",
                "build --overlay",
                "diff --overlay",
                "explain db --overlay",
                "fix --overlay",
                "migrate --overlay",
                "pin --overlay",
                "render --overlay",
                "render",
                "unpin --overlay",
                "validate --overlay",
            )
        ),
    ],
)
@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_refusal_names_the_right_form(project: Path, words: str, message: str) -> None:
    init(project)
    commit(project, {})

    result = run(*words.split())

    assert result.exit_code == 2, result.output
    assert message in result.stderr
