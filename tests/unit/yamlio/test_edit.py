from __future__ import annotations

import pytest

from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.yamlio.decode import decode_yaml11
from renderer.yamlio.edit import add_entry, remove_entry

PATH = "overlays/prod/kustomization.yaml"
PINS = ("pins", "./pins", "pins/")


def added(text: str, entry: str = "pins") -> str:
    return add_entry(text.encode(), PATH, "components", entry).decode()


def removed(text: str) -> str:
    return remove_entry(text.encode(), PATH, "components", PINS).decode()


#: What a kustomization says, and what it says with the entry: everything else is as it was.
ADDITIONS = {
    "no field": ("resources:\n- a\n", "resources:\n- a\ncomponents:\n- pins\n"),
    "indented sequences": (
        "resources:\n  - a  # why\n",
        "resources:\n  - a  # why\ncomponents:\n  - pins\n",
    ),
    "fields set apart": (
        "resources:\n- a\n\nnamespace: x\n",
        "resources:\n- a\n\nnamespace: x\n\ncomponents:\n- pins\n",
    ),
    "comments at the end": (
        "resources:\n- a\n# the end\n\n",
        "resources:\n- a\n# the end\ncomponents:\n- pins\n\n",
    ),
    "no line break at the end": ("resources:\n- a", "resources:\n- a\ncomponents:\n- pins"),
    "carriage returns": ("resources:\r\n- a\r\n", "resources:\r\n- a\r\ncomponents:\r\n- pins\r\n"),
    "an end of the document": (
        "---\nresources:\n- a\n...\n",
        "---\nresources:\n- a\ncomponents:\n- pins\n...\n",
    ),
    "a second document": (
        "resources:\n- a\n---\nignored: true\n",
        "resources:\n- a\ncomponents:\n- pins\n---\nignored: true\n",
    ),
    "an indented root": ("  resources:\n  - a\n", "  resources:\n  - a\n  components:\n  - pins\n"),
    "a byte order mark": ("\ufeffresources: [a]\n", "\ufeffresources: [a]\ncomponents:\n- pins\n"),
    "a block of text at the end": (
        "patches:\n- patch: |\n    a\n    b\n",
        "patches:\n- patch: |\n    a\n    b\ncomponents:\n- pins\n",
    ),
    "a block of text that keeps blank lines": (
        "patches:\n- patch: |-\n    a\n\n\n",
        "patches:\n- patch: |-\n    a\ncomponents:\n- pins\n\n\n",
    ),
    "block": (
        "components:\n- a # one\n# two\nresources: []\n",
        "components:\n- a # one\n- pins\n# two\nresources: []\n",
    ),
    "block, indented by four": ("components:\n    - a\n", "components:\n    - a\n    - pins\n"),
    "block, at the end of an unfinished line": ("components:\n- a", "components:\n- a\n- pins"),
    "block, with the item below its dash": (
        "components:\n-\n  a\nresources: []\n",
        "components:\n-\n  a\n- pins\nresources: []\n",
    ),
    "flow": ("components: [a, b] # c\n", "components: [a, b, pins] # c\n"),
    "flow, empty": ("components: [] # none\n", "components: [pins] # none\n"),
    "flow, over several lines": (
        "components: [\n  a, # one\n  b, # two\n]\n",
        "components: [\n  a, # one\n  b, pins, # two\n]\n",
    ),
    "flow, in double quotes": ('components: ["a"]\n', 'components: ["a", "pins"]\n'),
    "nothing": ("components: # none\nresources: [a]\n", "components: # none\n- pins\nresources: [a]\n"),
    "null": ("components: ~\n", "components: [pins]\n"),
    "JSON": ('{"resources": ["a"]}\n', '{"resources": ["a"], "components": ["pins"]}\n'),
    "JSON with the field": ('{"components": []}\n', '{"components": [pins]}\n'),
    "an empty file": ("", "components:\n- pins\n"),
    "comments alone": ("# why\n\n", "# why\ncomponents:\n- pins\n\n"),
    "the start of a document": ("--- # why\n", "--- # why\ncomponents:\n- pins\n"),
    "the start and the end of a document": ("---\n...\n", "---\ncomponents:\n- pins\n...\n"),
    "another case": ("Components:\n- a\n", "Components:\n- a\n- pins\n"),
    "characters beyond the first plane": (
        "# \U0001f600é\nnamePrefix: \U0001f600\ncomponents: [a]\n",
        "# \U0001f600é\nnamePrefix: \U0001f600\ncomponents: [a, pins]\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), ADDITIONS.values(), ids=ADDITIONS)
def test_an_entry_is_added_and_nothing_else_changes(before: str, after: str) -> None:
    assert added(before) == after
    assert added(after) == after


@pytest.mark.parametrize(
    "before", [text for text, _ in ADDITIONS.values() if "omponents" not in text and not text.startswith("{")]
)
def test_what_was_added_is_removed_without_a_trace(before: str) -> None:
    assert removed(added(before)) == before


REMOVALS = {
    "first of a block": (
        "components:\n# p\n- pins # x\n# a\n- a\n",
        "components:\n# p\n# a\n- a\n",
    ),
    "last of a block": (
        "components:\n  - a\n  - pins\nresources: []\n",
        "components:\n  - a\nresources: []\n",
    ),
    "spelled otherwise": ("components:\n- a\n- './pins'\n- pins/\n", "components:\n- a\n"),
    "only one of a block": (
        "resources: [a]\n\n# kept\ncomponents:\n  # gone\n  - pins\n\nnamespace: x\n",
        "resources: [a]\n\n# kept\n\nnamespace: x\n",
    ),
    "only one, spaced": (
        "resources: [a]\n\ncomponents:\n- pins\n\nnamespace: x\n",
        "resources: [a]\n\nnamespace: x\n",
    ),
    "first of a flow": ("components: [pins, a]\n", "components: [a]\n"),
    "last of a flow": ("components: [a, pins]\n", "components: [a]\n"),
    "last of a flow, with a comma": ("components: [a, pins, ]\n", "components: [a, ]\n"),
    "last of a flow, behind a comment": (
        "components: [a, # a\n  pins]\n",
        "components: [a, # a\n  ]\n",
    ),
    "only one of a flow": ("components: [pins] # x\nresources: [a]\n", "resources: [a]\n"),
    "only one of JSON": ('{"components": ["pins"], "resources": []}', '{"resources": []}'),
    "only one of JSON, at its end": ('{"resources": [], "components": ["pins"]}', '{"resources": []}'),
    "not there": ("components: [a]\n", "components: [a]\n"),
    "no field": ("resources: [pins]\n", "resources: [pins]\n"),
}


@pytest.mark.parametrize(("before", "after"), REMOVALS.values(), ids=REMOVALS)
def test_an_entry_is_removed_and_nothing_else_changes(before: str, after: str) -> None:
    assert removed(before) == after


@pytest.mark.parametrize(
    "text",
    [
        "resources: &list\n- a\ncomponents: *list\n",
        "components: &list\n- a\nresources: *list\n",
        "components: a\n",
        "components: {a: b}\n",
        "{}\n",
        "- a\n",
        "null\n",
        "--- !!map\n",
        "&a\n",
        "resources: |+\n  a\n\n\n",
    ],
)
def test_what_cannot_be_edited_safely_is_refused(text: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        added(text)
    [finding] = caught.value.diagnostics
    assert finding.code is Code.EDIT_REFUSED
    assert finding.hint


def test_an_entry_that_yaml_would_take_for_something_else_is_quoted() -> None:
    for entry in ("yes", "1.5", "a: b", "#x", "null", "- x", "\u2028", "é", "a\nb"):
        assert decode_yaml11(added("resources: [a]\n", entry).encode(), PATH) == {
            "resources": ["a"],
            "components": [entry],
        }


def test_the_tags_and_anchors_of_others_stay() -> None:
    text = "components:\n- !!str a\n- &b b\n"
    assert added(text) == text + "- pins\n"
