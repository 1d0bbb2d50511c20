"""Select the lines of a YAML text that may be shown in a log, without confidential values."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice

from renderer.findings.confidential_words import (
    LITERALS,
    confidential_words,
    is_answer_file_literal,
    meant_key,
)
from renderer.kubevirt.facts.confidential import (
    CONFIDENTIAL_KEYS_OF_TEXT,
    FILES_OF_GENERATORS,
    PUBLIC_FIELDS_OF_GENERATORS,
    PUBLIC_FIELDS_OF_SECRETS,
    REFERENCES,
    SECRET_GENERATOR,
    SECTIONS,
    is_path_entry,
)
from renderer.kubevirt.facts.confidential_parts import CHARTS, Scope, hides, opened, root_scope
from renderer.model.kube.encryption import holds_ciphertext
from renderer.model.kube.json import Json
from renderer.model.pattern import pattern
from renderer.model.run.work import may_find_lines
from renderer.yamlio.documents import Chunk, split_documents, text_of
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.events import MalformedError, document_count, has_other_breaks
from renderer.yamlio.node_tree import parse_document
from renderer.yamlio.nodes import Node

#: In lower case.
_KEYS = frozenset(map(str.lower, CONFIDENTIAL_KEYS_OF_TEXT))
_SECRET = pattern(r"\bSecret(List)?\b")
#: Aliases, merge keys and JSON pointers: with them, a value may be above its key.
_ELSEWHERE = pattern(r"""[:\[,-]\s*\*\w|<<|(?:^|[\s{,-])["']?(?:path|from)["']?\s*:\s*["']?/""", re.MULTILINE)
_OPTIONS = "options"  # of a generator: labels and annotations
_CONFIG_MAP_GENERATOR = "configMapGenerator"
#: The values that OpenShift Templates substitute, often confidential.
_PARAMETERS = "parameters"
#: A line by which Git separates the sides of a conflict, with the name of a branch.
_CONFLICT_MARKER = pattern(r"(?:<{7}|>{7}|\|{7})(?: [\w./~^-]+)?|={7}")
_KIND = pattern(r"""(?:^|[{,]\s*)["']?kind["']?\s*:""", re.MULTILINE)
#: Without one of these words in its text, in any case, no value of a document is confidential.
_WORDS = _KEYS.union(map(str.lower, SECTIONS), (_PARAMETERS, "secret", "secretlist"))
_WORD = pattern(r"\w+")
#: What may be a key in a text of any syntax.
_POSSIBLE_KEY = pattern(r"""[^\s{},"'/:]+""")


def public_lines(content: bytes, wanted: Collection[int]) -> Mapping[int, str]:
    """Return the lines with the ``wanted`` numbers, from 1, that may be shown.

    Hidden are the values of a Secret, other documents that may be about one, values of confidential keys, and
    any text for which this cannot be decided.
    """
    try:
        text = text_of(content)
    except UnusableError:
        return {}
    lines = _lines(text.replace("\r\n", "\n"), wanted)
    try:
        chunks: Sequence[Chunk] = split_documents(text)
    except UnusableError:
        chunks = [Chunk(text, 0)]
    hidden = [span for chunk in chunks for span in _hidden_in_file(chunk, wanted)]
    hidden += _detached_documents(chunks)
    return {
        number: line
        for number, line in lines.items()
        if _CONFLICT_MARKER.fullmatch(line)
        or (not holds_ciphertext(line) and not any(first < number <= last + 1 for first, last in hidden))
    }


def _lines(text: str, wanted: Collection[int]) -> Mapping[int, str]:
    """Return the lines with the ``wanted`` numbers; a list of all would take three times the memory."""
    found: dict[int, str] = {}
    start = 0
    for number in range(1, max(wanted, default=0) + 1):
        end = text.find("\n", start)
        if number in wanted:
            found[number] = text[start:] if end < 0 else text[start:end]
        if end < 0:
            break
        start = end + 1
    return found


def _detached_documents(chunks: Iterable[Chunk]) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each document that follows an object and may be the rest of it."""
    follows_object = False
    for chunk in chunks:
        is_object = _KIND.search(chunk.text) is not None
        if follows_object and not is_object:
            yield chunk.first_line, chunk.first_line + chunk.text.count("\n")
        follows_object = follows_object or is_object


def _hidden_in_file(chunk: Chunk, wanted: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last line, counted from 0 in the file, of each hidden part of a document."""
    lines = chunk.text.removesuffix("\n").split("\n")
    if any(0 < number - chunk.first_line <= len(lines) for number in wanted):
        for first, last in _hidden_in_document(chunk.text, lines):
            yield chunk.first_line + first, chunk.first_line + last


def _hidden_in_document(text: str, lines: Sequence[str]) -> Sequence[tuple[int, int]]:
    """Return the first and last line, counted from 0 in the document, of each hidden part."""
    if "\\" not in text and not (
        _mentions_confidential(text) or _mentions_chart(text)
    ):  # in quotes, a word may be spelt with escapes
        return []
    everything = [(0, len(lines) - 1)]
    root, is_whole = None, False
    with suppress(MalformedError):
        document = parse_document(text)
        root, is_whole = document.root, document_count(text) <= 1 and document.is_whole
    if not is_whole:
        return _hidden_in_malformed(text, len(lines) - 1)
    nodes = list(root.walk()) if root else []
    texts = {node.text for node in nodes if node.text}  # the text of an alias only once
    # If the parser counts line breaks that the file does not count, hide everything.
    if has_other_breaks(text):
        return everything
    secret = _values_of_secret(root) if root and any(map(_SECRET.search, texts)) else ()
    if secret is None or (secret and any(node.is_alias for node in nodes)):
        return everything
    starts = sorted({node.start for node in nodes})
    try:
        confidential = [*secret, *_confidential(nodes)]
        if root and _mentions_chart(text):
            confidential += _confidential_in_object(root, _tree(root), root_scope())
        if any(node.is_alias for _, value in confidential for node in _bounded_walk(value)):
            return everything  # a value is written elsewhere
        return [_line_span(key, value, starts, len(lines) - 1) for key, value in confidential]
    except _TooManyNodesError:
        return everything


def _confidential_in_object(node: Node, tree: Json, scope: Scope) -> Iterator[tuple[Node, Node]]:
    """Yield what a walk through an object finds, such as passwords among the values of a chart."""
    scope_of = opened(tree, scope)
    if isinstance(tree, dict):
        children = [
            (key, value, tree[key.text or ""], scope_of(key.text or "")) for key, value in node.entries()
        ]
    elif isinstance(tree, list):
        elements = zip(node.elements(), tree, strict=True)
        children = [(each, each, child, scope_of(0)) for each, child in elements]
    else:
        return
    for key, value, child, below in children:
        if hides(child, below):
            yield key, value
        else:
            yield from _confidential_in_object(value, child, below)


def _tree(node: Node) -> Json:
    """Return a node as JSON, with all scalars as texts."""
    entries, elements = tuple(node.entries()), node.elements()
    if not may_find_lines(1 + len(entries) + len(elements)):
        raise _TooManyNodesError
    if entries:
        return {key.text or "": _tree(value) for key, value in entries}
    return [_tree(element) for element in elements] if elements else node.text or ""


def _values_of_secret(root: Node) -> Sequence[tuple[Node, Node]] | None:
    """Return the entries of a Secret that hold its values; None for another document about Secrets."""
    fields = {key.text: value for key, value in root.entries()}
    texts = [node.text for node in root.walk() if node.text and _SECRET.search(node.text)]
    if "kind" not in fields or texts != [fields["kind"].text]:
        return None
    return [entry for entry in root.entries() if entry[0].text not in PUBLIC_FIELDS_OF_SECRETS]


def _hidden_in_malformed(text: str, last: int) -> Sequence[tuple[int, int]]:
    """Return everything from the first confidential word on: the end of its value is unknown.

    The lines above are also hidden if they may hold the value: in a Secret, in an operation of a JSON
    patch, at an anchor.
    """
    first = min((*_whole_words(text), *islice(confidential_words(text), 1)), default=None)
    if _SECRET.search(text) or (first is not None and ("\\" in text or _ELSEWHERE.search(text))):
        return [(0, last)]
    return [] if first is None else [(text.count("\n", 0, first), last)]


def _mentions_confidential(text: str) -> bool:
    """Return True if a text has a word for something confidential, spelt correctly or not."""
    return any(True for places in (_whole_words(text), confidential_words(text)) for _ in places)


def _whole_words(text: str) -> Iterator[int]:
    """Yield where the words are that documents with confidential values have, at least the first place."""
    lowered = text.encode("ascii", "replace").decode().lower()  # as long as the text
    yield from islice((found.start() for found in _WORD.finditer(lowered) if found[0] in _WORDS), 1)
    yield from (lowered.find(word) for word in _WORDS if not word.isalnum() and word in lowered)


def _mentions_chart(text: str) -> bool:
    return not CHARTS.isdisjoint(_WORD.findall(text))


def _names_confidential_key(text: str) -> bool:
    """Return True if a patch, or a path in one, has a confidential key, spelt correctly or not."""
    lowered = text.lower()
    return (
        not _KEYS.isdisjoint(_POSSIBLE_KEY.findall(lowered))
        or any("/" in key and key in lowered for key in _KEYS)
        or next(confidential_words(text), None) is not None
    )


def _confidential(nodes: Sequence[Node]) -> Iterator[tuple[Node, Node]]:
    """Yield the node at which each confidential value begins, and the value."""
    texts = {node.text for node in nodes if node.text and "\n" in node.text}
    patches = {text for text in texts if _names_confidential_key(text)}
    public: set[Node] = set()
    for node in nodes:
        if node.text in patches or is_answer_file_literal(node.text):
            yield node, node  # a patch as text, or the text of an answer file
        entries = tuple(node.entries())
        if not may_find_lines(2 * len(entries)):  # merged mappings repeat the entries of others
            raise _TooManyNodesError
        for key, value in entries:
            if key.text == _CONFIG_MAP_GENERATOR:
                public.update(_literals_of(value))
            if key.text == "path" and _names_confidential_key(value.text or ""):
                yield node, node  # an operation of a JSON patch
            if value not in public:
                yield from _confidential_in_entry(key, value)


def _confidential_in_entry(key: Node, value: Node) -> Iterator[tuple[Node, Node]]:
    """Yield the start and the confidential values of one entry of a mapping."""
    meant = meant_key(key.text)
    if meant == SECRET_GENERATOR:
        yield from _values_of_generators(key, value)
    elif meant in SECTIONS:
        yield from _without_references(value)
    elif meant:
        yield key, value
    elif key.text == _PARAMETERS:
        yield from _parameter_values(value)


def _literals_of(generators: Node) -> Iterator[Node]:
    """Yield the lists of literals of ``configMapGenerator``, which are shown."""
    for generator in generators.elements():
        yield from (value for key, value in generator.entries() if key.text == LITERALS)


def _values_of_generators(key: Node, generators: Node) -> Iterator[tuple[Node, Node]]:
    """Yield what a ``secretGenerator`` holds, except names and the paths of files."""
    if not generators.elements():
        yield key, generators
    for generator in generators.elements():
        entries = tuple(generator.entries())
        if not entries:
            yield generator, generator
        for field, value in entries:
            is_public = field.text == FILES_OF_GENERATORS or field.text in PUBLIC_FIELDS_OF_GENERATORS
            if not is_public or (value.is_mapping and field.text != _OPTIONS):
                yield field, value
            elif field.text != _OPTIONS:
                items = value.elements() or (value,)
                yield from ((item, item) for item in items if not is_path_entry(item.text or ""))


def _parameter_values(parameters: Node) -> Iterator[tuple[Node, Node]]:
    """Yield the values of parameters in a project file, and their defaults in an OpenShift Template."""
    yield from parameters.entries()
    for parameter in parameters.elements():
        yield from ((key, value) for key, value in parameter.entries() if key.text == "value")


def _without_references(section: Node) -> Iterator[tuple[Node, Node]]:
    """Yield the fields below a section, except the names of other objects."""
    for mapping in (section, *section.elements()):
        for key, value in mapping.entries():
            if any(name.text in REFERENCES for node in _bounded_walk(value) for name, _ in node.entries()):
                yield from _without_references(value)
            elif key.text not in REFERENCES:
                yield key, value


class _TooManyNodesError(Exception):
    """Aliases make the walk visit values again and again."""


def _bounded_walk(value: Node) -> Sequence[Node]:
    """Return the nodes of a value. Raises ``_TooManyNodesError`` after too many nodes."""
    nodes = list(value.walk())
    if not may_find_lines(2 * len(nodes)):
        raise _TooManyNodesError
    return nodes


def _line_span(key: Node, value: Node, starts: Sequence[int], end: int) -> tuple[int, int]:
    """Return the lines from ``key`` up to the node that follows ``value``."""
    last = max(node.start for node in _bounded_walk(value))
    following = bisect_right(starts, last)
    position = key.source.position
    next_line = position(starts[following]).line if following < len(starts) else end + 1
    return key.position.line, max(position(last).line, next_line - 1)
