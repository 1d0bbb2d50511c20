"""Write ``---`` between objects of a file that lacks it."""

from __future__ import annotations

import pytest

from renderer.model.diagnostic import DiagnosticError
from renderer.yamlio.decode import decode_documents
from renderer.yamlio.edit import RefusedEditError, separate_documents

OBJECT = b"apiVersion: v1\nkind: ConfigMap\n"


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", OBJECT + b"---\n"])
def test_objects_are_separated(before: bytes, newline: bytes) -> None:
    content = (before + OBJECT * 3).replace(b"\n", newline)
    first = before.count(b"\n") + 3
    separated = separate_documents(content, [first, first + 2])
    assert separated == (before + OBJECT + (b"---\n" + OBJECT) * 2).replace(b"\n", newline)
    assert len(decode_documents(separated, "")) == 3 + (b"---" in before)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(OBJECT + OBJECT + b"kind: Secret\n", id="another key twice"),
        pytest.param(b"{apiVersion: v1,\nkind: A,\napiVersion: v1,\nkind: B}\n", id="flow"),
        pytest.param(b"\xff" + OBJECT + OBJECT, id="not UTF-8"),
    ],
)
def test_refused(content: bytes) -> None:
    with pytest.raises(RefusedEditError):
        separate_documents(content, [3])


@pytest.mark.parametrize("count", [3, 2000])
def test_findings_do_not_repeat_the_lines_of_all_others(count: int) -> None:
    with pytest.raises(DiagnosticError) as raised:
        decode_documents(OBJECT * count, "all.yaml")
    found = raised.value.diagnostics
    assert len(found) == count - 1
    assert (
        sum(len(each.hint or "") + len(each.fix.separators if each.fix else ()) for each in found)
        < 200 * count
    )
    assert bool(found[0].fix) is (count < 200)
