"""Both readers of YAML, by all three ways, and what looks for places and lines in the same text."""

from __future__ import annotations

from hypothesis import strategies as st

from renderer.findings.public_lines import public_lines
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.field_path import FieldPath
from renderer.yamlio.decode import decode_documents, decode_yaml11
from renderer.yamlio.encode import encode
from renderer.yamlio.marks import MarkedFile
from tests.fuzz.mutation import TOKENS, mutated_text, project
from tests.fuzz.target import SEEDS, Target, check_property
from tests.properties.test_line_reader import is_read_by_line
from tests.properties.test_yaml_decode import KNOWN_TO_DIFFER, test_all_readers_read_the_same

_SEEDS = [
    content.decode()
    for folder in ("kustomization", "machine", "migrate", "yaml_reader")
    for content in project(SEEDS / folder).values()
]
_TEXTS = st.one_of(
    st.sampled_from(_SEEDS).flatmap(mutated_text), st.lists(st.sampled_from(TOKENS), max_size=40).map("".join)
)
_ENCODINGS = st.sampled_from(["utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-be", "latin-1"])


def _check(content: bytes) -> None:
    for decode in (decode_documents, decode_yaml11):
        try:
            encode([decode(content, "x")])
        except DiagnosticError:
            continue
    for path in (FieldPath.of(), FieldPath.of("spec", 0, "a"), FieldPath.of("metadata", "name")):
        mark = MarkedFile(content).find(0, path)
        assert mark is None or mark.line >= 1
    public_lines(content, range(1, 50))
    text = content.decode(errors="ignore")
    is_read_by_line(text)
    if not KNOWN_TO_DIFFER.search(text):
        check_property(test_all_readers_read_the_same, text)


TARGET = Target(
    st.one_of(
        st.binary(max_size=60),
        st.builds(lambda text, encoding: text.encode(encoding, "ignore"), _TEXTS, _ENCODINGS),
    ),
    _check,
)
