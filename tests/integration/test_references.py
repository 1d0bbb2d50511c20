"""Every reference that ``vmrender init`` writes is valid: each address, revision and file is looked up.

A bare repository replaces the one that vmrender was installed from, whatever its address.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from renderer.app import installed_from
from renderer.cli.app import main
from renderer.files.installation import Addresses
from tests.integration.user_repository import ROOT, UserRepository

pytestmark = pytest.mark.skipif(
    not (shutil.which("git") and (ROOT / ".pre-commit-hooks.yaml").exists()),
    reason="needs git and a checkout",
)

#: What the files of vmrender that others refer to are; a repository of vmrender has them.
PUBLISHED = (
    ".pre-commit-hooks.yaml",
    "action.yml",
    "docs/github.md",
    "pyproject.toml",
    "renderer/__init__.py",
)
ADDRESS = "https://git.example.com/platform/vmrender"
FORK = "https://github.com/acme/vmrender"
PINNED = re.compile(r"(actions|github)/[a-z/-]+@[0-9a-f]{40}")


class Origin:
    """A bare repository of vmrender, tagged v0.1.0, and a clone of it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        work = UserRepository.created(folder)
        for name in PUBLISHED:
            work.write(name, (ROOT / name).read_text(encoding="utf-8"))
        self.commit = work.commit("release")
        work.does("git", "tag", "v0.1.0")
        self.bare, self.clone = folder / "vmrender.git", folder / "vmrender"
        work.does("git", "clone", "--quiet", "--bare", str(work.folder), str(self.bare))
        work.does("git", "clone", "--quiet", str(self.bare), str(self.clone))

    def has(self, revision: str, path: str = "") -> bool:
        command = ["git", "--git-dir", str(self.bare), "cat-file", "-e", f"{revision}:{path}"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    def of_clone(self, remote: str | None) -> None:
        arguments = ("set-url", "origin", remote) if remote else ("remove", "origin")
        subprocess.run(["git", "-C", str(self.clone), "remote", *arguments], check=True)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("origin") / "origin"
    Origin(folder)
    return folder


@pytest.fixture
def origin(original: Path, tmp_path: Path) -> Origin:
    shutil.copytree(original, tmp_path / "origin", symlinks=True)
    found = Origin.__new__(Origin)
    found.bare, found.clone = tmp_path / "origin/vmrender.git", tmp_path / "origin/vmrender"
    head = subprocess.run(
        ["git", "--git-dir", str(found.bare), "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    )
    found.commit = head.stdout.strip()
    found.of_clone(str(found.bare))
    return found


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "vms"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("VMRENDER_SOURCE")
    monkeypatch.setattr(installed_from, "checkout", lambda: None)
    monkeypatch.setattr(installed_from, "direct_url", lambda: None)
    monkeypatch.setattr(installed_from, "published_addresses", Addresses)
    return folder


def init(*arguments: str) -> str:
    """Run ``vmrender init``; return its output."""
    result = CliRunner(catch_exceptions=False).invoke(main, ["init", *arguments], prog_name="vmrender")
    assert result.exit_code == 0, result.output
    return result.output


def pip_noted(monkeypatch: pytest.MonkeyPatch, **noted: Any) -> None:  # noqa: ANN401 - JSON
    monkeypatch.setattr(installed_from, "direct_url", lambda: noted)


def texts(project: Path) -> dict[str, str]:
    files = (path for path in project.rglob("*") if path.is_file())
    return {path.relative_to(project).as_posix(): path.read_text() for path in files}


def follow(project: Path, origin: Origin, *addresses: str) -> set[str]:
    """Look up every reference of the files in ``project``; return the revisions that they name.

    Only ``addresses`` may be named, and ``origin`` replaces each of them.
    """
    written = texts(project)
    for path in re.findall(r"\b(?:overlays/dev|rendered|\.github)\b", written["vmrender.yaml"]):
        assert path in ("overlays/dev", "rendered")
    hooks = yaml.safe_load(written[".pre-commit-config.yaml"])["repos"][0]
    revisions = {hooks["rev"]}
    assert hooks["repo"] in addresses
    manifest = subprocess.run(
        ["git", "--git-dir", str(origin.bare), "show", f"{hooks['rev']}:.pre-commit-hooks.yaml"],
        capture_output=True,
        check=True,
    )
    offered = {hook["id"] for hook in yaml.safe_load(manifest.stdout)}
    assert {hook["id"] for hook in hooks["hooks"]} <= offered

    everything = "\n".join(written.values())
    for url, revision, path in re.findall(r"(https://\S+?)/blob/([^/\s]+)/(\S+)", everything):
        assert url in addresses
        assert origin.has(revision, path)
        revisions.add(revision)
    for name, revision in re.findall(r"uses: ([\w./-]+)@(\S+)", everything):
        if not PINNED.fullmatch(f"{name}@{revision}"):
            assert f"https://github.com/{name}" in addresses
            assert origin.has(revision, "action.yml")
            revisions.add(revision)
    for revision in re.findall(r'REVISION: "([^"]+)"', everything):
        assert re.findall(r"SOURCE: (\S+)", everything) == [hooks["repo"]]
        assert origin.has(revision, "action.yml")
        revisions.add(revision)
    for url, revision in re.findall(r'vmrender @ git\+([^\s"]+)@([^\s"@]+)', everything):
        assert url in addresses
        assert origin.has(revision, "pyproject.toml")
        revisions.add(revision)
    for url in re.findall(r"(?:https?|ssh|git)://[^\s\"@]+", everything):
        assert url.startswith(addresses), url
    assert all(map(origin.has, revisions))
    return revisions


@pytest.mark.parametrize("ci", ["github", "gitlab"])
@pytest.mark.parametrize("address", [ADDRESS, FORK])
def test_explicit_source_is_used(ci: str, address: str, project: Path, origin: Origin) -> None:
    init("--ci", ci, "--source", f"{address}@v0.1.0")
    assert follow(project, origin, address) == {"v0.1.0"}


@pytest.mark.parametrize("ci", ["github", "gitlab"])
@pytest.mark.parametrize("address", [ADDRESS, FORK])
def test_source_of_an_installation_from_git_is_used(
    ci: str, address: str, project: Path, origin: Origin, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``pip install git+https://…@v0.1.0`` notes the commit, and the files keep to that."""
    version = {"vcs": "git", "commit_id": origin.commit, "requested_revision": "v0.1.0"}
    pip_noted(monkeypatch, url=address.replace("://", "://me:secret@"), vcs_info=version)

    output = init("--ci", ci)
    assert follow(project, origin, address) == {origin.commit}
    assert f"rev: {origin.commit} # frozen: v0.1.0\n" in texts(project)[".pre-commit-config.yaml"]
    assert "secret" not in output + "".join(texts(project).values())
    assert "the user name or password in the address of vmrender is left out" in output


@pytest.mark.parametrize("remote", [ADDRESS, "https://me:secret@git.example.com/platform/vmrender"])
def test_source_of_a_clone_is_its_remote(
    remote: str, project: Path, origin: Origin, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin.of_clone(remote)
    pip_noted(monkeypatch, url=origin.clone.as_uri(), dir_info={"editable": True})

    output = init("--ci", "gitlab")
    assert follow(project, origin, ADDRESS) == {origin.commit}
    assert "push" not in output
    assert "secret" not in output + "".join(texts(project).values())


def test_unpushed_commit_is_reported(project: Path, origin: Origin, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not texts(project)
    origin.of_clone(ADDRESS)
    git = ["git", "-C", str(origin.clone), "-c", "user.name=S", "-c", "user.email=s@example.com"]
    subprocess.run([*git, "commit", "--quiet", "--allow-empty", "--message", "mine"], check=True)
    (origin.clone / "action.yml").write_text("changed")
    monkeypatch.setattr(installed_from, "checkout", lambda: origin.clone)

    output = init("--ci", "none")
    assert f"push {origin.clone} before others use it: {ADDRESS} does not seem to have commit " in output
    assert f"uncommitted changes in {origin.clone} are not installed" in output


@pytest.mark.parametrize("noted", ["git", "clone", "clone without a remote", "folder with spaces"])
def test_local_source_gives_hooks_and_no_pipeline(
    noted: str, project: Path, origin: Origin, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / ".github").mkdir()
    place = origin.bare
    if noted == "git":
        version = {"vcs": "git", "commit_id": origin.commit}
        pip_noted(monkeypatch, url=origin.bare.as_uri(), vcs_info=version)
    else:
        if noted != "clone":
            origin.of_clone(None)
            place = origin.clone
        if noted == "folder with spaces":
            place = origin.clone.rename(origin.clone.with_name("a copy: 100 % # mine"))
        pip_noted(
            monkeypatch, url=place.as_uri() if place != origin.bare else origin.clone.as_uri(), dir_info={}
        )

    output = init()
    assert follow(project, origin, str(place)) == {origin.commit}
    assert "the hooks work on this machine alone, and .github/workflows/vmrender.yml is not written" in output
    assert sorted(texts(project)) == [
        ".gitattributes",
        ".pre-commit-config.yaml",
        "overlays/dev/kustomization.yaml",
        "overlays/dev/web.yaml",
        "vmrender.yaml",
    ]


@pytest.mark.parametrize(
    "noted",
    [
        None,
        {"url": "https://x.example.com/v.zip?X-Amz-Signature=secret", "archive_info": {}},
        {"url": "file:///gone", "dir_info": {}},
        {"url": "ext::sh -c id", "vcs_info": {"vcs": "git", "commit_id": "0" * 40}},
        {"url": ADDRESS, "vcs_info": {"vcs": "git", "commit_id": "--help"}},
        {"url": ADDRESS, "subdirectory": "tools", "vcs_info": {"vcs": "git", "commit_id": "0" * 40}},
        {"url": 1},
        {},
    ],
    ids=json.dumps,
)
def test_unknown_source_gives_hooks_that_run_the_installed_command(
    noted: dict[str, Any] | None, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installed_from, "direct_url", lambda: noted)

    output = init()
    assert "the hooks run the vmrender on the PATH" in output
    assert "--source URL@REVISION" in output
    assert "secret" not in output
    written = texts(project)
    assert "://" not in "".join(text for path, text in written.items() if path != "overlays/dev/web.yaml")
    hooks = yaml.safe_load(written[".pre-commit-config.yaml"])["repos"][0]
    assert hooks["repo"] == "local"
    assert {hook["language"] for hook in hooks["hooks"]} == {"system"}

    result = CliRunner().invoke(main, ["init", "--ci", "gitlab"])
    assert result.exit_code == 2
    assert "a pipeline cannot be written: " in result.stderr


def test_archive_is_pinned_by_digest(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel, digest = "https://files.example.com/vmrender-0.1.0-py3-none-any.whl", "0a" * 32
    pip_noted(monkeypatch, url=wheel, archive_info={"hashes": {"sha256": digest}})

    init("--ci", "github")
    written = texts(project)
    named = f"vmrender @ {wheel}#sha256={digest}"
    hooks = yaml.safe_load(written[".pre-commit-config.yaml"])["repos"][0]["hooks"]
    assert [hook["additional_dependencies"] for hook in hooks] == [[named], [named]]
    assert f'REQUIREMENT: "{named}"' in written[".github/workflows/vmrender.yml"]


def test_published_package_is_named_after_its_publication(
    project: Path, origin: Origin, monkeypatch: pytest.MonkeyPatch
) -> None:
    addresses = Addresses(FORK, f"{FORK}/issues", "https://index.example.com/vmrender/")
    monkeypatch.setattr(installed_from, "published_addresses", lambda: addresses)

    init("--ci", "gitlab")
    assert follow(project, origin, FORK) == {"v0.1.0"}
    assert 'pip install --quiet "vmrender==0.1.0"' in texts(project)[".gitlab-ci.yml"]
