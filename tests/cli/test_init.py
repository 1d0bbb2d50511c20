"""``vmrender init`` on a disk, and with the real git."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from renderer.cli.app import main


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    return tmp_path


def init(*arguments: str) -> Result:
    return CliRunner(catch_exceptions=False).invoke(main, ["init", *arguments], prog_name="vmrender")


def files(folder: Path) -> list[str]:
    found = (path.relative_to(folder) for path in folder.rglob("*") if not path.is_dir())
    return sorted(path.as_posix() for path in found if path.parts[0] != ".git")


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
@pytest.mark.parametrize(
    ("remote", "file"),
    [
        ("git@github.com:acme/vms.git", ".github/workflows/vmrender.yml"),
        ("https://gitlab.example.com/acme/vms.git", ".gitlab-ci.yml"),
        ("/srv/git/vms.git", None),
        (None, None),
    ],
)
def test_remote_decides_which_pipeline_is_written(
    repository: Path, remote: str | None, file: str | None
) -> None:
    subprocess.run(["git", "init", "--quiet"], check=True)
    if remote:
        subprocess.run(["git", "remote", "add", "origin", remote], check=True)

    result = init()
    assert result.exit_code == 0
    assert ("no pipeline: " in result.stderr) == (file is None)
    pipelines = {path for path in files(repository) if path.startswith(".git")} - {".gitattributes"}
    assert pipelines == ({file} if file else set())


def test_ci_files_decide_which_pipeline_is_written_if_the_remote_does_not(repository: Path) -> None:
    (repository / ".github").mkdir()
    init()
    assert (repository / ".github/workflows/vmrender.yml").exists()


def test_without_git_there_is_no_pipeline(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repository))
    assert init().exit_code == 0
    assert files(repository) == [
        ".gitattributes",
        ".pre-commit-config.yaml",
        "overlays/dev/kustomization.yaml",
        "overlays/dev/web.yaml",
        "vmrender.yaml",
    ]


@pytest.mark.usefixtures("repository")
def test_a_pipeline_is_added_later() -> None:
    init("--ci", "none")
    result = init("--ci", "gitlab")
    assert result.exit_code == 0
    assert "\n.gitlab-ci.yml: written\n" in result.stderr
    assert "nothing to write" in init("--ci", "gitlab").stderr


def test_nothing_is_written_if_one_file_exists(repository: Path) -> None:
    (repository / "overlays/dev").mkdir(parents=True)
    (repository / "overlays/dev/web.yaml").write_text("kind: Mine\n")

    result = init("--format", "json")
    assert result.exit_code == 1
    assert [finding["code"] for finding in json.loads(result.stdout)["findings"]] == ["file-exists"]
    assert files(repository) == ["overlays/dev/web.yaml"]
    assert (repository / "overlays/dev/web.yaml").read_text() == "kind: Mine\n"


def test_project_file_with_other_settings_is_kept(repository: Path) -> None:
    init()
    settings = (repository / "vmrender.yaml").read_text().replace('"1.9"', '"1.8"')
    (repository / "vmrender.yaml").write_text(settings)

    assert init("--ci", "github").exit_code == 0

    assert (repository / "vmrender.yaml").read_text() == settings
    assert ".github/workflows/vmrender.yml" in files(repository)


def test_mistake_in_the_project_file_is_named(repository: Path) -> None:
    init()
    with (repository / "vmrender.yaml").open("a") as file:
        file.write("clusters: [{name: prod, labels: {env: prod}}]\n")

    result = init()

    assert result.exit_code == 2
    assert "error[config-invalid]: Argo CD's clusters have a server" in result.stderr
    assert result.stderr.startswith("vmrender.yaml:")


@pytest.mark.parametrize(("target", "code"), [("elsewhere", 2), ("nowhere", 1)])
def test_link_is_not_overwritten(repository: Path, target: str, code: int) -> None:
    (repository / "elsewhere").write_text("mine\n")
    (repository / "vmrender.yaml").symlink_to(target)

    assert init().exit_code == code
    assert (repository / "elsewhere").read_text() == "mine\n"
    assert files(repository) == ["elsewhere", "vmrender.yaml"]


def test_nothing_is_written_through_a_linked_folder(repository: Path) -> None:
    (repository / "outside").mkdir()
    (repository / "overlays").symlink_to("outside")

    assert init().exit_code == 2
    assert list((repository / "outside").iterdir()) == []


def test_file_in_place_of_a_folder_is_refused(repository: Path) -> None:
    (repository / "overlays").write_text("mine\n")

    result = init()
    assert result.exit_code != 0
    assert "error[write-failed]" in result.stderr
    assert files(repository) == ["overlays"]


@pytest.mark.skipif(os.geteuid() == 0 if hasattr(os, "geteuid") else True, reason="root may write everywhere")
def test_unwritable_folder_is_reported(repository: Path) -> None:
    repository.chmod(0o500)
    result = init()
    repository.chmod(0o700)
    assert "error[write-failed]" in result.stderr
    assert files(repository) == []


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
@pytest.mark.parametrize("folder", ["shop.git", "shop.git/info"])
def test_git_folder_is_refused(repository: Path, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run(["git", "init", "--quiet", "--bare", "shop.git"], check=True)
    before = files(repository)
    monkeypatch.chdir(repository / folder)

    result = init()
    assert result.exit_code == 2
    assert "a project is started in a work tree" in result.stderr
    assert files(repository) == before


def test_folder_below_the_top_is_refused(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository / ".git").mkdir()
    (repository / "vms").mkdir()
    monkeypatch.chdir(repository / "vms")

    result = init()
    assert result.exit_code == 2
    assert f"a project starts at the top of its repository: cd {repository}" in result.stderr
    assert files(repository) == []


FLUX = """\
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: fleet, namespace: flux-system}
spec: {url: "https://github.com/acme/fleet"}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: fleet, namespace: flux-system}
spec: {path: ./, sourceRef: {kind: GitRepository, name: fleet}, prune: true}
"""


def test_ignore_file_that_is_not_utf8_is_continued(repository: Path) -> None:
    (repository / ".git").mkdir()
    (repository / "flux.yaml").write_text(FLUX)
    (repository / "vm.yaml").write_text("apiVersion: kubevirt.io/v1\nkind: VirtualMachine\n")
    (repository / ".sourceignore").write_bytes(b"caf\xe9/\n")

    result = init()
    assert result.exit_code == 0, result.stderr
    assert (repository / ".sourceignore").read_bytes().startswith(b"caf\xe9/\n# Files of vmrender.\n")
