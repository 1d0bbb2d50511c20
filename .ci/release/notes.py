"""Print the section of a version in ``CHANGELOG.md``, for the notes of its release.

python .ci/release/notes.py 0.1.0
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NamedTuple

CHANGELOG = Path(__file__).resolve().parents[2] / "CHANGELOG.md"
_HEADING = re.compile(r"^## \[(?P<version>[^\]]+)\](?: - (?P<date>\d{4}-\d\d-\d\d))?$", re.MULTILINE)


class Section(NamedTuple):
    """The changes of one version; ``date`` is empty for what is not released."""

    version: str
    date: str
    text: str


def sections(changelog: str) -> list[Section]:
    """Return the sections in the order of the file."""
    found = list(_HEADING.finditer(changelog))
    ends = [*(match.start() for match in found[1:]), len(changelog)]
    return [
        Section(match["version"], match["date"] or "", changelog[match.end() : end].strip())
        for match, end in zip(found, ends, strict=True)
    ]


def section_of(changelog: str, version: str) -> Section | None:
    return next((each for each in sections(changelog) if each.version == version), None)


def main(version: str) -> int:
    """Print the notes; return the exit code."""
    found = section_of(CHANGELOG.read_text(encoding="utf-8"), version)
    if found is None or not found.text:
        sys.stderr.write(f"CHANGELOG.md says nothing of {version}\n")
        return 1
    sys.stdout.write(f"{found.text}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1].removeprefix("v")))
