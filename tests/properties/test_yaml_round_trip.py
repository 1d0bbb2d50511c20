"""Written documents are read back unchanged by each reader."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from renderer.model.kube.json import Json
from renderer.yamlio.decode import decode_documents, decode_yaml11
from renderer.yamlio.encode import encode, encode_source
from renderer.yamlio.scalar_text import has_invisible
from tests.properties.examples import examples
from tests.yaml_readers import READERS, reading_by

#: What kustomize prints; NEL is left out as it turns it into a space.
PRINTED = st.characters(
    exclude_categories=("Cs", "Cn"),
    exclude_characters=[chr(code) for code in (*range(0x7F, 0xA0), 0xFFFE, 0xFFFF)],
)
FRAGMENTS = st.sampled_from(
    [
        " ",
        "  ",
        "\n",
        "\n\n",
        "\t",
        ": ",
        " #",
        "- ",
        "---",
        "'",
        '"',
        "\\",
        "word ",
        "é ",
        "\u2028",
        "😀",
        "yes",
        "1e3",
    ]
)
STRINGS = st.one_of(
    st.text(PRINTED, max_size=30),
    st.lists(FRAGMENTS, max_size=40).map("".join),
    st.from_regex(r"[-+]?[0-9._:eE]{1,8}", fullmatch=True),
    st.sampled_from(
        ["", "~", "null", "true", "no", "on", "0x1F", "0o7", "2020-01-02", ".inf", "=", "<<", "1:30"]
    ),
)
NUMBERS = st.one_of(
    st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False, allow_infinity=False).filter(lambda number: not number.is_integer()),
)
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, STRINGS)
KEYS = st.one_of(st.text(PRINTED, max_size=12), STRINGS).filter(lambda key: key != "<<")
TREES: st.SearchStrategy[Json] = st.recursive(
    SCALARS,
    lambda children: st.one_of(st.lists(children, max_size=4), st.dictionaries(KEYS, children, max_size=4)),
    max_leaves=12,
)

#: What Kubernetes stores, too: encode alters it or refuses it.
UNPRINTED = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.text(
    "\x7f\x85\x9f\ufffe \na", max_size=99
)

QUICK = examples(1.5)


@QUICK
@given(TREES)
def test_resources_survive_a_round_trip(tree: Json) -> None:
    content = encode([tree]).encode()
    for reader in READERS:
        with reading_by(reader):
            assert decode_documents(content, "x") == (tree,), reader


@QUICK
@given(st.lists(TREES | UNPRINTED).map(lambda values: {"data": values}))
def test_round_trip_keeps_all_that_kubernetes_stores(tree: Json) -> None:
    content = encode_source(tree).encode()
    for reader in READERS:
        with reading_by(reader):
            assert decode_documents(content, "x") == (tree,), reader
            assert decode_yaml11(content, "x") == tree, reader


@QUICK
@given(TREES)
def test_sources_are_visible_and_otherwise_written_like_kustomize(tree: Json) -> None:
    source, printed = encode_source(tree), encode([tree])
    assert not has_invisible(source)
    assert source == printed or has_invisible(printed)


@QUICK
@given(TREES)
def test_yaml_11_survives_a_round_trip(tree: Json) -> None:
    content = encode([tree]).encode()
    for reader in READERS:
        with reading_by(reader):
            assert decode_yaml11(content, "x") == tree, reader


@QUICK
@given(st.lists(TREES, min_size=1, max_size=4))
def test_encoding_again_changes_nothing(trees: list[Json]) -> None:
    text = encode(trees)
    assume("\u2028---" not in text)  # a line break to YAML 1.1, but no end of a document to kyaml

    for reader in READERS:
        with reading_by(reader):
            assert encode(decode_documents(text.encode(), "x")) == text, reader


@QUICK
@given(st.dictionaries(KEYS, SCALARS, max_size=6))
def test_the_order_of_keys_in_the_source_does_not_matter(mapping: dict[str, Json]) -> None:
    assert encode([mapping]) == encode([dict(reversed(mapping.items()))])
