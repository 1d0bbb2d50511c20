"""The release: its scripts as the workflow calls them, and the workflow as it is written."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

import renderer
from tests.integration.user_repository import UserRepository, program
from tests.packaging.built import ROOT

RELEASE = ROOT / ".ci/release"
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
VERSION = renderer.__version__
Script = Callable[[str], ModuleType]
Docker = Callable[..., tuple[int, list[str]]]

pytestmark = pytest.mark.skipif(
    not ((ROOT / ".github").exists() and shutil.which("git") and shutil.which("bash")),
    reason="needs a checkout, git and bash",
)


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[Script]:
    """Import a script of the release by its name."""
    monkeypatch.syspath_prepend(str(RELEASE))

    def load(name: str) -> ModuleType:
        specification = importlib.util.spec_from_file_location(name, RELEASE / f"{name}.py")
        assert specification
        assert specification.loader
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
        return module

    yield load
    sys.modules.pop("notes", None)


def test_version_is_defined_in_one_place(script: Script) -> None:
    assert script("build").version() == VERSION
    named = re.compile(rf"(?<![\d.]){re.escape(VERSION)}(?![\d.])")
    code = [
        path
        for path in (ROOT / "renderer").rglob("*.py")
        if path.name != "product_table.py"  # others have a 0.1.0, too
        and named.search(path.read_text(encoding="utf-8"))
    ]
    assert [path.relative_to(ROOT).as_posix() for path in code] == ["renderer/__init__.py"]
    assert not named.search((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_release_notes_are_the_changelog_section(script: Script) -> None:
    notes = script("notes")
    newer = "## [Unreleased]\n\n## [1.1.0] - 2027-01-02\n\n### Added\n\n- x\n"
    changelog = f"# C\n\n{newer}\n## [1.0.0] - 2026-01-02\n- y\n"
    assert notes.sections(changelog) == [
        ("Unreleased", "", ""),
        ("1.1.0", "2027-01-02", "### Added\n\n- x"),
        ("1.0.0", "2026-01-02", "- y"),
    ]
    ours = subprocess.run(
        [sys.executable, RELEASE / "notes.py", f"v{VERSION}"], capture_output=True, text=True, check=True
    ).stdout
    assert ours.startswith("The first version." if VERSION == "0.1.0" else "### ")
    missing = subprocess.run(
        [sys.executable, RELEASE / "notes.py", "9.9.9"], capture_output=True, text=True, check=False
    )
    assert (missing.returncode, missing.stderr) == (1, "CHANGELOG.md says nothing of 9.9.9\n")


def test_changelog_has_each_heading_of_a_version_once(script: Script) -> None:
    # A merge that keeps the lines of both sides brings back a list that one of them has rewritten.
    for version, _, text in script("notes").sections((ROOT / "CHANGELOG.md").read_text(encoding="utf-8")):
        headings = [line for line in text.splitlines() if line.startswith("#")]
        assert len(headings) == len(set(headings)), version


@pytest.fixture
def checkout(tmp_path: Path) -> UserRepository:
    """A checkout that is ready for a release, with nothing missing except the tag."""
    repository = UserRepository.created(tmp_path, "git@github.com:acme/vmrender.git")
    for path in ("renderer/__init__.py", ".ci/sbom.py", ".ci/lock/vmrender.txt", "action.yml"):
        repository.write(path, (ROOT / path).read_text(encoding="utf-8"))
    for folder in ("catalog/common-instancetypes", "schemas/kubevirt"):
        for each in (ROOT / folder).iterdir():
            (repository.folder / folder / each.name).mkdir(parents=True)
    shutil.copytree(ROOT / ".ci/sbom", repository.folder / ".ci/sbom")
    addresses = dict.fromkeys(("Source", "Issues", "Changelog"), "https://github.com/acme/vmrender")
    table = "".join(
        f'{name} = "{url}"\n' for name, url in {**addresses, "Documentation": "x", "Download": "x"}.items()
    )
    repository.write("pyproject.toml", f'[project]\nname = "vmrender"\n[project.urls]\n{table}')
    repository.write("CHANGELOG.md", f"## [Unreleased]\n\n## [{VERSION}] - 2026-11-22\n\n- all\n")
    repository.commit("release")
    return repository


def missing_items(script: Script, checkout: UserRepository, tag: str | None = None) -> dict[str, str]:
    return {check.name: check.lacks for check in script("check").checks(checkout.folder, tag) if check.lacks}


def signed(repository: UserRepository, tmp_path: Path) -> None:
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    options = ("-c", "gpg.format=ssh", "-c", f"user.signingkey={key}")
    repository.does("git", *options, "tag", "--sign", f"v{VERSION}", "--message", "release")


@pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="needs ssh-keygen")
def test_complete_release_passes(script: Script, checkout: UserRepository, tmp_path: Path) -> None:
    signed(checkout, tmp_path)
    assert missing_items(script, checkout) == {}
    assert missing_items(script, checkout, f"v{VERSION}") == {}
    assert missing_items(script, checkout, "v9.9.9") == {
        f"tag v{VERSION}": f"the tag is v9.9.9, and the version {VERSION}: change one of them"
    }
    checkout.does("git", "commit", "--quiet", "--allow-empty", "--message", "later")
    assert "is another commit" in missing_items(script, checkout)[f"tag v{VERSION}"]


ACTION = "actions/setup-python@a309ff8b426b58ec0e2a45f0f869d46889d02405"
MISSING = [
    ("CHANGELOG.md", " - 2026-11-22", "", "changelog", "has no date"),
    ("CHANGELOG.md", f"[{VERSION}]", "[9.9.9]", "changelog", "has no section"),
    ("CHANGELOG.md", "## [Unreleased]\n", "## [Unreleased]\n- more\n", "changelog", "move the lines"),
    ("CHANGELOG.md", "## [Unreleased]\n", "", "changelog", "no section [Unreleased]"),
    ("pyproject.toml", "Download", "Elsewhere", "name on PyPI", "add Download"),
    ("pyproject.toml", "Issues", "Bugs", "addresses", "has no Issues"),
    ("pyproject.toml", "acme", "others", "remote origin", "and Source https://github.com/others/vmrender"),
    (".ci/lock/vmrender.txt", "click==", "klick==", "bills of materials", "image.cdx.json is stale"),
    ("action.yml", " # v6.2.0", "", "actions by commit", "pin actions/setup-python@"),
    ("action.yml", ACTION, "a/b@v6", "actions by commit", "a/b@v6"),
]


def test_each_missing_item_is_named(script: Script, checkout: UserRepository) -> None:
    tag = {f"tag v{VERSION}": f"git tag --sign v{VERSION} --message 'vmrender {VERSION}'"}
    assert missing_items(script, checkout) == tag
    for path, old, new, check, what in MISSING:
        right = checkout.read(path)
        checkout.replace(path, old, new)
        checkout.commit("wrong")
        found = missing_items(script, checkout)
        assert what in found.pop(check)
        assert found == tag
        checkout.write(path, right)
        checkout.commit("right")


def test_unsigned_tag_and_uncommitted_changes_are_reported(script: Script, checkout: UserRepository) -> None:
    checkout.does("git", "tag", f"v{VERSION}")
    assert "is not annotated" in missing_items(script, checkout)[f"tag v{VERSION}"]
    checkout.does("git", "tag", "--force", "--annotate", f"v{VERSION}", "--message", "unsigned")
    assert "is not signed" in missing_items(script, checkout)[f"tag v{VERSION}"]
    checkout.write("more", "")
    assert "commit or put away" in missing_items(script, checkout)["work tree"]


def steps(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, job in yaml.safe_load(file.read_text(encoding="utf-8"))["jobs"].items():
        for step in job.get("steps", ()):
            yield name, step


def test_workflow_calls_existing_scripts() -> None:
    called = {
        path
        for _, step in steps(ROOT / ".github/workflows/release.yml")
        for path in re.findall(r"\.ci/[\w./-]+", step.get("run", ""))
    }
    assert {
        ".ci/release/check.py",
        ".ci/release/build.py",
        ".ci/release/image.sh",
        ".ci/release/notes.py",
    } <= called
    assert [path for path in called if not (ROOT / path).exists()] == []


def test_only_publishing_jobs_may_write_and_none_has_a_secret() -> None:
    text = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    writing = {name for name, job in jobs.items() if "write" in job["permissions"].values()}
    assert writing == {"pypi", "push", "join", "release", "site"}
    assert all(
        jobs[name]["if"] == "github.ref_type == 'tag'" and jobs[name]["environment"] for name in writing
    )
    assert "secrets." not in text
    before = {
        "pypi": {"build", "try", "image", "pyz"},
        "push": {"image", "pypi"},
        "release": {"pypi", "join"},
    }
    assert {name: set(jobs[name]["needs"]) for name in before} == before
    scripts = [step["run"] for _, step in steps(ROOT / ".github/workflows/release.yml") if "run" in step]
    assert [run for run in scripts if "${{" in run] == []


def test_published_files_are_installed_first() -> None:
    """The job that publishes gets files alone: it checks out the lock, and runs nothing of the repository."""
    runs = [
        step.get("run", "") for name, step in steps(ROOT / ".github/workflows/release.yml") if name == "pypi"
    ]
    assert [run.split()[:3] for run in runs if run] == [
        ["python", "-m", "pip"],
        ["python", "-m", "pypi_attestations"],
        ["uv", "publish", "--trusted-publishing"],
    ]


@pytest.mark.skipif(not shutil.which("actionlint"), reason="needs actionlint: make test-install has it")
def test_workflows_are_valid() -> None:
    run = subprocess.run(["actionlint", *WORKFLOWS], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, "")


@pytest.mark.skipif(not shutil.which("shellcheck"), reason="needs shellcheck")
def test_scripts_are_valid() -> None:
    scripts = sorted(RELEASE.glob("*.sh"))
    run = subprocess.run(["shellcheck", *scripts], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, "")


@pytest.fixture
def docker(tmp_path: Path) -> Docker:
    """A fake docker that logs its arguments; ``docker save`` writes ``BYTES``."""
    (tmp_path / "bin").mkdir()
    saved = 'save*) head -c "${BYTES:-10}" /dev/urandom ;;'
    answers = f'case "$1 $2" in "buildx imagetools") echo sha256:d1 ;; {saved} esac'
    program(tmp_path / "bin/docker", f'echo "$@" >> "{tmp_path}/log"\n{answers}')

    def run(
        *arguments: str, script: Path = RELEASE / "image.sh", **environment: str
    ) -> tuple[int, list[str]]:
        (tmp_path / "log").write_text("")
        done = subprocess.run(
            ["bash", script, *arguments],
            env={
                "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
                "GITHUB_OUTPUT": str(tmp_path / "out"),
                **environment,
            },
            capture_output=True,
            check=False,
        )
        return done.returncode, (tmp_path / "log").read_text().splitlines()

    return run


def test_images_are_tried_without_a_network_and_read_only(docker: Docker) -> None:
    code, log = docker("try")
    runs = [line for line in log if line.startswith("run ")]
    assert code == 0
    assert len(runs) == 3
    assert all("--read-only --network none --cap-drop ALL" in run for run in runs)
    assert all("PYTHON_IMAGE=python:3.13-slim@sha256:d1" in line for line in log if line.startswith("build "))


def test_oversized_image_is_refused(docker: Docker, tmp_path: Path) -> None:
    """With a thousandth of the limit: 120 MB of random data take seconds to pack."""
    text = (RELEASE / "image.sh").read_text(encoding="utf-8")
    assert text.count("most=120000000 ") == 1
    script = tmp_path / "repository/.ci/release/image.sh"
    script.parent.mkdir(parents=True)
    script.write_text(text.replace("most=120000000 ", "most=120000 "), encoding="utf-8")
    code, log = docker("try", script=script, PYTHON_IMAGE="python@sha256:d2", BYTES="119000")
    assert (code, log[2].split()[0]) == (0, "run")
    code, log = docker("try", script=script, PYTHON_IMAGE="python@sha256:d2", BYTES="120100")
    assert code == 1
    assert [line.split()[0] for line in log] == ["build", "save"]


def test_architectures_are_joined_into_one_image(docker: Docker, tmp_path: Path) -> None:
    code, log = docker("push", "ghcr.io/acme/vmrender", "1.2.3", "arm64", PYTHON_IMAGE="python@sha256:d2")
    pushed = [line for line in log if line.startswith("buildx build")]
    assert code == 0
    assert [re.findall(r"--tag (\S+)", line) for line in pushed] == [
        ["ghcr.io/acme/vmrender:1.2.3-arm64"],
        ["ghcr.io/acme/vmrender:1.2.3-argocd-arm64"],
    ]
    assert all("--platform linux/arm64 --sbom=true --provenance=mode=max" in line for line in pushed)
    assert all("PYTHON_IMAGE=python@sha256:d2" in line for line in pushed)

    code, log = docker("join", "ghcr.io/acme/vmrender", "1.2.3", "amd64", "arm64")
    name = "ghcr.io/acme/vmrender:1.2.3"
    assert code == 0
    assert log[:2] == [
        f"buildx imagetools create --tag {name} {name}-amd64 {name}-arm64",
        f"buildx imagetools create --tag {name}-argocd {name}-argocd-amd64 {name}-argocd-arm64",
    ]
    assert (tmp_path / "out").read_text() == "name=ghcr.io/acme/vmrender\ndigest=sha256:d1\n"
