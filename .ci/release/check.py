"""Say what a release of this checkout lacks: ``make release-check``.

    python .ci/release/check.py [--tag TAG]

With ``--tag``, as the release workflow runs it, the tag has to be that of the version. Nothing is asked of a
network: what only a person can know is listed at the end.
"""

from __future__ import annotations

import argparse
import re
import runpy
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))

import notes  # noqa: E402 - as for the path above

_RELEASE = re.compile(r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?")
_USES = re.compile(r"^\s*(?:- )?uses: (?P<action>\S+)(?P<comment> # \S+)?", re.MULTILINE)
_PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}")
_SIGNATURE = re.compile(
    r"^-----BEGIN (PGP|SSH) SIGNATURE-----$|^-----BEGIN SIGNED MESSAGE-----$", re.MULTILINE
)

BY_A_PERSON = """\
A person has to know that
  - the name vmrender on PyPI is ours, or free and with a pending publisher (`pip index versions vmrender`);
  - its trusted publisher is this repository, the workflow release.yml and the environment pypi;
    no token exists;
  - the environments pypi and release ask for a review, and tags v* can only be made by maintainers;
  - the container package of the repository is public, and its workflow may write packages;
  - `make test test-install` passes for the commit, and the tag is signed with a key that others know.
"""


class Check(NamedTuple):
    """One thing that a release needs. ``lacks`` says what to do; it is empty where it is there."""

    name: str
    lacks: str


def git(root: Path, *arguments: str) -> str:
    """Return what git prints; nothing where it fails."""
    run = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False)  # noqa: S603, S607 - fixed
    return run.stdout.strip() if run.returncode == 0 else ""


def checks(root: Path, tag: str | None = None) -> Iterator[Check]:
    """Yield everything that can be looked up in a checkout."""
    version = str(runpy.run_path(str(root / "renderer/__init__.py"))["__version__"])
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    right = _RELEASE.fullmatch(version)
    yield Check(f"version {version}", "" if right else "set a release in renderer/__init__.py, as in 0.1.0")
    yield Check("changelog", _changelog(root, version))
    yield Check(
        "work tree",
        "commit or put away what `git status` lists" if git(root, "status", "--porcelain") else "",
    )
    yield Check(f"tag v{version}", _tag(root, version, tag))
    yield from _addresses(root, project)
    bills: dict[str, str] = runpy.run_path(str(root / ".ci/sbom.py"))["bills"](root)
    stale = [name for name, text in bills.items() if (root / ".ci/sbom" / name).read_text("utf-8") != text]
    yield Check("bills of materials", f"python .ci/sbom.py: {', '.join(stale)} is stale" if stale else "")
    unpinned = sorted(_unpinned(root))
    yield Check("actions by commit", f"pin {', '.join(unpinned)}" if unpinned else "")


def _changelog(root: Path, version: str) -> str:
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    section, unreleased = notes.section_of(text, version), notes.section_of(text, "Unreleased")
    if section is None or not section.text:
        return f"CHANGELOG.md has no section [{version}]"
    if not section.date:
        return f"CHANGELOG.md has no date for [{version}]"
    if unreleased is None:
        return "CHANGELOG.md has no section [Unreleased] for what comes next"
    return f"CHANGELOG.md: move the lines of [Unreleased] to [{version}]" if unreleased.text else ""


def _tag(root: Path, version: str, given: str | None) -> str:
    name = f"v{version}"
    if given is not None and given != name:
        return f"the tag is {given}, and the version {version}: change one of them"
    if not git(root, "rev-parse", "--verify", "--quiet", f"refs/tags/{name}"):
        return f"git tag --sign {name} --message 'vmrender {version}'"
    if git(root, "cat-file", "-t", f"refs/tags/{name}") != "tag":
        return f"{name} is not annotated: git tag --delete {name}, then make it with --sign"
    if not _SIGNATURE.search(git(root, "cat-file", "tag", f"refs/tags/{name}")):
        return f"{name} is not signed: git tag --delete {name}, then make it with --sign"
    if git(root, "rev-parse", f"{name}^{{commit}}") != git(root, "rev-parse", "HEAD"):
        return f"{name} is another commit than this one: git checkout {name}"
    return ""


def _addresses(root: Path, project: dict[str, Any]) -> Iterator[Check]:
    table: dict[str, str] = project.get("urls", {})
    missing = [name for name in ("Source", "Issues", "Changelog", "Documentation") if name not in table]
    yield Check("addresses", f"[project.urls] has no {', '.join(missing)}" if missing else "")
    download = (
        "add Download to [project.urls] once the name on PyPI is ours; `vmrender init` then names the release"
    )
    yield Check("name on PyPI", "" if "Download" in table else download)
    origin = git(root, "remote", "get-url", "origin")
    same = re.sub(r"^git@([^:]+):|^ssh://git@", r"https://\1/", origin).removesuffix(".git") == table.get(
        "Source"
    )
    yield Check(
        "remote origin", "" if same else f"origin is {origin or 'not set'}, and Source {table.get('Source')}"
    )


def _unpinned(root: Path) -> Iterator[str]:
    files = [root / "action.yml", *sorted((root / ".github/workflows").glob("*.yml"))]
    for file in files:
        for use in _USES.finditer(file.read_text(encoding="utf-8")):
            if not use["action"].startswith("./") and not (
                _PINNED.fullmatch(use["action"]) and use["comment"]
            ):
                yield use["action"]


def main(tag: str | None) -> int:
    """Print each check; return 1 where anything is missing."""
    found = list(checks(ROOT, tag))
    for check in found:
        sys.stdout.write(
            f"{'missing' if check.lacks else 'ok':8}{check.name}{': ' * bool(check.lacks)}{check.lacks}\n"
        )
    sys.stdout.write("" if tag else f"\n{BY_A_PERSON}")
    return 1 if any(check.lacks for check in found) else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tag", help="the tag that is released")
    sys.exit(main(parser.parse_args().tag))
