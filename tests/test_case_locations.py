"""Every finding that a golden case shows has a line, or a reason to have none."""

from __future__ import annotations

import re

from renderer.model.codes import Code
from tests.test_cases import CASES, FOLDERS

FINDING = re.compile(
    r"(?:(?P<path>\S.*?)(?::(?P<line>\d+))?(?::\d+)?: )?(?:error|warning|info)\[(?P<code>[a-z0-9-]+)\]: "
)
#: Codes of findings about a whole file.
WHOLE_FILE = {
    Code.FOREIGN_FILE: "somebody else's file is in the way, whatever is in it",
    Code.STALE: "a rendered file is missing, or left over",
    Code.STALE_TREE: "a whole folder is left over",
    Code.FILE_EXISTS: "init finds it there, whatever is in it",
    Code.KUSTOMIZATION_AMBIGUOUS: "there are two files, whatever is in them",
    Code.NOT_CHECKED: "no part of it can be read",
    Code.GIT_UNAVAILABLE: "it is the folder that is not a repository",
    Code.IMPORT_REFUSED: "what was given on the command line lacks something",
    Code.NOT_RENDERED: "a proposal is for a project without a file",
    Code.UNRELEASED: "the release may be an option, or follow from a default",
    Code.PLAN_MISMATCH: "the plan was made for other overlays, wherever it stands",
}
#: Cases, and areas of them, whose findings have no line in any file: the error was typed.
TYPED = (
    "bad-input/mistyped-overlay",
    "catalog",
    "customize",
    "diff/live-empty",
    "diff/live-no-file",
    "explain/no-such-overlay",
    "import/facts-without-any",
    "import/no-user-objects",
    "init/project-file-with-the-wrong-name",
    "usage/project-file-with-the-wrong-name",
)


def test_findings_of_cases_have_lines() -> None:
    found = [
        (stderr.parent.relative_to(CASES).as_posix(), match)
        for stderr in (folder / "expected.stderr" for folder in FOLDERS)
        if stderr.exists() and stderr.parents[1].name not in TYPED
        for match in map(FINDING.match, stderr.read_text(encoding="utf-8").splitlines())
        if match
    ]
    assert found
    assert [
        (name, match[0])
        for name, match in found
        if name not in TYPED and not match["line"] and match["code"] not in WHOLE_FILE
    ] == []


def test_exceptions_are_existing_cases() -> None:
    names = {folder.relative_to(CASES).as_posix() for folder in FOLDERS}
    assert set(TYPED) <= names | {folder.parent.name for folder in FOLDERS}
