"""For any rendered tree, writing and checking agree, and only vmrender's files change."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renderer.emit.check import check_tree
from renderer.emit.write import Written, write_tree
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from tests.unit.emit.rendered_repository import content_of

OUTPUT = "rendered"
PATHS = st.sampled_from(["a.yaml", "a/b.yaml", "a/c.yaml", "d/e/f.yaml", "notes.txt"])
TREES = st.dictionaries(PATHS, st.sampled_from(["1\n", "2\n"]), max_size=4)


@pytest.fixture(autouse=True, scope="module")
def _no_waiting() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", lambda _: None)
        yield


@given(earlier=TREES, edits=TREES, wanted=TREES)
def test_writing_and_checking(earlier: dict[str, str], edits: dict[str, str], wanted: dict[str, str]) -> None:
    with TemporaryDirectory() as folder:
        root = Path(folder)
        write_tree(root, OUTPUT, earlier)
        for path, text in edits.items():
            (root / OUTPUT / path).parent.mkdir(parents=True, exist_ok=True)
            (root / OUTPUT / path).write_text(text)
        before = content(root)
        foreign = {path: text for path, text in before.items() if earlier.get(path) != text}

        checked = check_tree(root, OUTPUT, wanted)
        assert content(root) == before
        written = write(root, wanted)
        if not isinstance(written, Written):
            assert content(root) == before
            assert written <= set(checked.diagnostics)
            return

        assert (written.created, written.updated, written.removed) == (
            checked.value.created,
            checked.value.updated,
            checked.value.removed,
        )
        assert content(root) == {**foreign, **wanted}
        assert all(wanted.get(path, text) == text for path, text in foreign.items())
        assert check_tree(root, OUTPUT, wanted).diagnostics == ()


def write(root: Path, files: dict[str, str]) -> Written | set[Diagnostic]:
    """Return the changes, or the reason for none."""
    try:
        return write_tree(root, OUTPUT, files)
    except DiagnosticError as error:
        return set(error.diagnostics)


def content(root: Path) -> dict[str, str]:
    return {path: text for path, text in content_of(root / OUTPUT).items() if path != ".vmrender-owned"}
