"""Read a document with each scalar without quotes as the text that somebody wrote.

YAML takes ``0123`` for a number, and ``!x`` and ``&x`` for a tag and an anchor. Whoever forgets the quotes
means a text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from renderer.model.kube.json import Json, scalar_text
from renderer.model.pattern import pattern
from renderer.yamlio.dialects import RESOURCE

if TYPE_CHECKING:  # imports PyYAML, which few runs need
    from renderer.yamlio.nodes import Node

#: A scalar without quotes that may be something else than its text: a tag or an anchor, or a number. Together
#: with what follows on the line, it has six characters: a shorter text may be part of any text.
_UNQUOTED = pattern(
    r"(?:[:-][ \t]|\":|[\[{,]|:\r?\n[ \t])[ \t]{0,99}"
    r"(?:(?=[!&]\S[^\n]{4})([!&][^\s,\[\]{}]++)|([-+]?\.?\d[\w.:+-]{4,}+)(?=[ \t]*(?:[,\]}\r\n#]|\Z)))"
)
#: Texts in texts that are read as documents: the text of a patch in a kustomization, and no deeper one.
_DEEPEST = 1


def may_have_unquoted(text: str) -> bool:
    """Return False if each scalar of a document surely has its own text as its value.

    An anchor that has an alias is meant as one.
    """
    for properties, plain in _UNQUOTED.findall(text):
        if plain and scalar_text(RESOURCE.block.values[plain]) != plain:
            return True
        if properties and not _has_alias(properties, text):
            return True
    return False


def as_written(text: str, depth: int = _DEEPEST) -> Json:
    """Return the tree of a document whose scalars are texts, with their tags and anchors if they have any.

    A text that is a document itself is the tree of it. The ``kind`` of an object is its value. Returns None
    for a text that cannot be parsed.
    """
    from yaml.error import YAMLError  # noqa: PLC0415 - as above

    from renderer.yamlio.node_tree import parse_document  # noqa: PLC0415 - as above

    try:
        root = parse_document(text).root
    except YAMLError:
        return None
    return None if root is None else _tree(root, depth)


def _tree(node: Node, depth: int) -> Json:
    if node.is_alias:  # its anchor is read where it is
        return node.text
    if node.is_mapping:
        entries = ((key.text or "", child) for key, child in node.entries())
        return {key: child.text if key == "kind" else _tree(child, depth) for key, child in entries}
    if node.text is None:
        return [_tree(each, depth) for each in node.elements()]
    if not node.style:
        written = node.source.text[node.start : node.end]
        return node.text if _has_alias(written, node.source.text) else written
    inner = as_written(node.text, depth - 1) if depth and may_have_unquoted(node.text) else None
    return inner if isinstance(inner, dict | list) else node.text


def _has_alias(written: str, text: str) -> bool:
    """Return True if a scalar begins with an anchor to which an alias in the text refers."""
    return written.startswith("&") and f"*{written[1:].split(maxsplit=1)[0]}" in text
