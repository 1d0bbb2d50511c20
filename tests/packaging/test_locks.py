"""Packages that CI and the image install: pinned by hash, complete, and as in ``pyproject.toml``."""

from __future__ import annotations

import importlib.metadata
import re
import runpy
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
CI = ROOT / ".ci"
LOCKS = [*sorted((CI / "lock").glob("*.txt")), CI / "lowest.txt"]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

pytestmark = pytest.mark.skipif(not CI.exists(), reason="needs a checkout")
every_lock = pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)

PIN = re.compile(r"([a-z0-9-]+)==([\w.]+)( ; [^#]+)?")
HASH = re.compile(r"sha256:[0-9a-f]{64}")


class Entry(NamedTuple):
    version: str
    hashes: tuple[str, ...]


def entries(lock: Path) -> dict[str, Entry]:
    """Return the pins of a lock file by name; assert that it has nothing else."""
    text = re.sub(r"^\s*#.*\n", "", lock.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = {}
    for line in re.sub(r"\s*\\\n\s*", " ", text).splitlines():
        pinned, *hashes = line.split(" --hash=")
        match = PIN.fullmatch(pinned)
        assert match, line
        found[match[1]] = Entry(match[2], tuple(hashes))
    return found


def group(name: str) -> list[str]:
    """The requirements of a dependency group, with the requirements of included groups."""
    requirements: list[str] = []
    for each in PROJECT["dependency-groups"][name]:
        requirements += group(each["include-group"]) if isinstance(each, dict) else [each]
    return requirements


def unmet(requirements: Iterable[str], locked: dict[str, Entry]) -> list[str]:
    """The requirements that hold here, and that no entry meets."""
    wanted = [Requirement(text) for text in requirements]
    return [
        str(each)
        for each in wanted
        if each.marker is None or each.marker.evaluate({"extra": ""})
        if (entry := locked.get(canonicalize_name(each.name))) is None or entry.version not in each.specifier
    ]


@every_lock
def test_every_requirement_is_pinned_and_hashed(lock: Path) -> None:
    locked = entries(lock)

    assert locked
    assert [name for name, entry in locked.items() if not entry.hashes] == []
    assert [each for entry in locked.values() for each in entry.hashes if not HASH.fullmatch(each)] == []


@pytest.mark.parametrize(
    ("lock", "requirements"),
    [
        ("vmrender", PROJECT["project"]["dependencies"]),
        ("development", [*PROJECT["project"]["dependencies"], *group("dev")]),
        ("build", [*group("build"), *PROJECT["build-system"]["requires"]]),
        ("docs", group("docs")),
        ("uv", group("lock")),
    ],
)
def test_dependencies_of_the_project_are_locked(lock: str, requirements: list[str]) -> None:
    assert unmet(requirements, entries(CI / f"lock/{lock}.txt")) == []


@every_lock
def test_transitive_dependencies_are_locked(lock: Path) -> None:
    """As far as this environment has the same versions, whose metadata say what they need."""
    locked = entries(lock)
    installed = {canonicalize_name(each.name): each for each in importlib.metadata.distributions()}
    same = [
        each for name, each in installed.items() if name in locked and locked[name].version == each.version
    ]

    assert {each.name: unmet(each.requires or (), locked) for each in same} == {
        each.name: [] for each in same
    }


@pytest.mark.parametrize("part", ["vmrender", "build"])
def test_published_versions_are_the_tested_ones(part: str) -> None:
    tested = entries(CI / "lock/development.txt")
    assert entries(CI / f"lock/{part}.txt").items() <= tested.items()


def test_lowest_versions_match_the_project() -> None:
    lowest = entries(CI / "lowest.txt")
    named = {each.name: str(each.specifier) for each in map(Requirement, PROJECT["project"]["dependencies"])}

    assert {name: f">={lowest[name].version}" for name in named} == named


def test_bills_of_materials_match_the_lock() -> None:
    bills: dict[str, str] = runpy.run_path(str(CI / "sbom.py"))["bills"](ROOT)
    assert {path.name: path.read_text(encoding="utf-8") for path in (CI / "sbom").iterdir()} == bills


@pytest.mark.parametrize(
    "file",
    [
        "Makefile",
        "docs/argocd/Dockerfile",
        ".github/workflows/ci.yml",
        ".github/workflows/release.yml",
    ],
)
def test_downloads_are_verified_by_hash(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    installs = [
        line
        for line in text.splitlines()
        if re.search(r"(\bpip\b|\(PIP\)).* (install|wheel|download) ", line)
    ]

    assert installs
    assert [line for line in installs if not re.search(r"--require-hashes|--no-index", line)] == []
