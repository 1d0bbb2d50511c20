"""Every finding that a golden case shows has a line, or a reason to have none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from renderer.model.codes import Code
from tests.test_cases import CASES, FOLDERS

FINDING = re.compile(
    r"(?:(?P<path>\S.*?)(?::(?P<line>\d+))?(?::\d+)?: )?(?:error|warning|info)\[(?P<code>[a-z0-9-]+)\]: "
)
#: What these say is about a file as a whole.
WHOLE_FILE = {
    Code.FOREIGN_FILE: "somebody else's file is in the way, whatever is in it",
    Code.STALE: "a rendered file is missing, or left over",
    Code.STALE_TREE: "a whole folder is left over",
    Code.FILE_EXISTS: "init finds it there, whatever is in it",
    Code.NOT_CHECKED: "no part of it can be read",
    Code.GIT_UNAVAILABLE: "it is the folder that is no repository",
    Code.IMPORT_REFUSED: "what was given on the command line lacks something",
    Code.NOT_RENDERED: "a proposal is for a project without a file",
    Code.PLAN_MISMATCH: "the plan was made for other overlays, wherever it stands",
}
#: Cases, and areas of them, whose findings have no line in any file: what is wrong was typed.
TYPED = (
    "bad-input/no-such-overlay",
    "catalog",
    "customize",
    "diff/live-no-file",
    "explain/no-such-overlay",
    "import/nothing-of-the-users",
)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.relative_to(CASES).as_posix())
def test_findings_have_lines(folder: Path) -> None:
    name = folder.relative_to(CASES).as_posix()
    stderr = CASES / name / "expected.stderr"
    if not stderr.exists() or name in TYPED or folder.parent.name in TYPED:
        return
    found = [FINDING.match(line) for line in stderr.read_text(encoding="utf-8").splitlines()]
    assert [
        match[0] for match in found if match and not match["line"] and match["code"] not in WHOLE_FILE
    ] == []


def test_the_exceptions_are_cases() -> None:
    names = {folder.relative_to(CASES).as_posix() for folder in FOLDERS}
    assert set(TYPED) <= names | {folder.parent.name for folder in FOLDERS}
