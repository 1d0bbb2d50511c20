"""Any file is read or gives a diagnostic, and all readers agree."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json
from renderer.yamlio.decode import decode_documents, decode_yaml11
from renderer.yamlio.encode import encode
from renderer.yamlio.marks import MarkedFile
from tests.properties.examples import examples
from tests.yaml_readers import read_by

#: The elements of YAML, and its pitfalls.
INDICATORS = "-?:,[]{}&*!|>'\"%@`#=~."
TOKENS = st.sampled_from(
    [
        *INDICATORS,
        *("a", "b", "1", "yes", "...", "---", "<<", "&x", "*x", "!t", "!!str", "!!int", "!!binary", "\\"),
        *(
            "a: ",
            "b: ",
            "- ",
            "? ",
            "k: v",
            "<<: *x",
            "&x {a: b}",
            '"x"',
            "'x'",
            "|\n",
            ">\n",
            ">+2\n",
            "|-\n",
        ),
        *(" ", "  ", "\n", "\n  ", "\n    ", "\n\n", "\t", "\r", "\r\n", "\n---\n", "\n...\n", "%YAML 1.1\n"),
        *("\\x41", "\\ud800", "\\U00110000", "é", "😀", "\x85", "\u2028", "\ufeff", "\x00", "\x7f", "\ufffe"),
        *("2020-01-02", "2020-01-02T03:04:05+24:00", "1e400", ".inf", "0o7", "1" * 30, "x" * 1100),
    ]
)
TEXTS = st.lists(TOKENS, max_size=25).map("".join)
BYTES = st.one_of(st.binary(max_size=60), TEXTS.map(lambda text: text.encode()))

#: libyaml skips byte order marks within a text, accepts more characters in tags, and does not look as far
#: ahead at what follows the end of a document.
KNOWN_TO_DIFFER = re.compile("\ufeff|![^ \n!]*[^ \n!a-z]|[]}][-\\[{&*!|>'\"%@`]")

FEW = examples(2)


@FEW
@given(BYTES)
def test_any_text_is_read_or_gives_a_diagnostic(content: bytes) -> None:
    for decode in (decode_documents, decode_yaml11):
        try:
            encode([decode(content, "x")])
        except DiagnosticError as error:
            for found in error.diagnostics:
                assert found.message
                assert found.location is None or found.location.line >= 1


@FEW
@given(BYTES)
def test_locating_never_fails(content: bytes) -> None:
    for path in (FieldPath.of(), FieldPath.of("a", 0, "b"), FieldPath.of("k")):
        mark = MarkedFile(content).find(0, path)

        assert mark is None or (mark.line >= 1 and mark.column >= 1)


@FEW
@given(TEXTS.filter(lambda text: not KNOWN_TO_DIFFER.search(text)))
def test_all_readers_read_the_same(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        first = outcome(text)
        read_by("libyaml", patch)

        assert outcome(text) == first

        read_by("python", patch)

        assert outcome(text) == first


def outcome(text: str) -> Json:
    try:
        return encode(decode_documents(text.encode(), "x"))
    except DiagnosticError:
        return None
