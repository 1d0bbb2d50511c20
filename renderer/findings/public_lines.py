"""Select the lines of a YAML text that may be shown in a log, without confidential values."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate, islice

from renderer.findings.confidential_words import (
    confidential_words,
    is_answer_file_literal,
    names_of_credentials,
)
from renderer.kubevirt.facts.confidential.conditions import INPUT_PROVIDER, is_reference, resembles
from renderer.kubevirt.facts.confidential.fields import (
    CONFIDENTIAL_KEYS_OF_TEXT,
    EXTRA_HEADERS,
    FILES_OF_GENERATORS,
    PUBLIC_FIELDS_OF_GENERATORS,
    PUBLIC_FIELDS_OF_PARAMETERS,
    PUBLIC_FIELDS_OF_SECRETS,
    REFERENCES,
    SECRET_GENERATOR,
    SECTIONS,
    is_path_entry,
)
from renderer.kubevirt.facts.confidential.meant_keys import LITERALS, meant_key
from renderer.kubevirt.facts.confidential.parts import (
    WITH_PARAMETERS,
    has_confidential_part,
    hides,
    opened,
)
from renderer.kubevirt.facts.confidential.scope import Scope, root_scope
from renderer.kubevirt.guest_data.credential_fields import credential_fields, may_hold_credential
from renderer.model.credential_text.commands import (
    passwords_of_commands,
    passwords_of_listed_commands,
)
from renderer.model.credential_text.names import named_credentials
from renderer.model.credential_text.search import credential_forms
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.encryption import holds_ciphertext
from renderer.model.kube.field_path import Segment
from renderer.model.kube.json import Json, text_at
from renderer.model.pattern import pattern
from renderer.model.run.limits import limits
from renderer.model.run.work import may_find_lines
from renderer.model.vmrender_api import TEMPLATE, VMRENDER_API_VERSION
from renderer.yamlio.decode import decode_documents
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
#: Fields such as ``substituteFrom`` and ``secretRef``, but for the target of a patch.
_HOLDS_REFERENCES = pattern(r"(?i)(?<!target)(ref|reference|from)s?$")
#: The values that OpenShift Templates substitute, often confidential.
_PARAMETERS = "parameters"
#: A line by which Git separates the sides of a conflict, with the name of a branch.
_CONFLICT_MARKER = pattern(r"(?:<{7}|>{7}|\|{7})(?: [\w./~^-]+)?|={7}")
#: Comments on consecutive lines, and what is before the text of one.
_COMMENTS = pattern(r"^[ \t]*+#[^\n]*+(?:\n[ \t]*+#[^\n]*+)*+", re.MULTILINE)
_COMMENT = pattern(r"^[ \t]*+#[ \t]?", re.MULTILINE)
_KIND = pattern(r"""(?:^|[{,]\s*)["']?kind["']?\s*:""", re.MULTILINE)
#: Values in a Template of ours, beside the name of its text.
_SPEC, _TEMPLATE, _VALUES, _MATRIX = "spec", "template", "values", "matrix"
_KIND_OF_TEMPLATE = (VMRENDER_API_VERSION, TEMPLATE)
#: Kinds of objects with values that are put into other objects.
_KINDS_WITH_VALUES = WITH_PARAMETERS | {INPUT_PROVIDER}
#: What may be a kind, also where the key ``kind`` is misspelt: it begins with a capital letter.
_POSSIBLE_KIND = pattern(r"(?i:\bkind\W{1,9})(\w+)|\b([A-Z]\w+)")
#: The lines at the beginning of an object that have no value.
_HEADER = pattern(
    r"(?:apiVersion:[ \t]*[\w./-]+|kind:[ \t]*\w+|metadata:|[ \t]+name(?:space)?:[ \t]*[\w.-]+|spec:)?[ \t]*"
)
#: What may stand between the name of a value and the value, or before the name of one that is above it.
_AFTER_COLON = pattern(r":\s*[\"']?\Z")
_BETWEEN = 20
_LONGEST_LINE = 10_000
#: In a line of YAML, a name before one of these has no text as its value.
_BRACKETS = ("{", "[")
#: A key that is written more often in a mapping leaves too much open.
_MOST_WRITTEN = 4
#: Without one of these words in its text, in any case, no value of a document is confidential.
_WORDS = _KEYS.union(
    map(str.lower, SECTIONS),
    (EXTRA_HEADERS.lower(), _PARAMETERS, _VALUES, _MATRIX, "secret", "secretlist"),
)
_WORD = pattern(r"\w+")
#: What may be a key in a text of any syntax.
_POSSIBLE_KEY = pattern(r"""(?<![^\s{},"'/:])[^\s{},"'/:]++(?=["'/:\s]|$)""")


def public_lines(content: bytes, wanted: Collection[int]) -> Mapping[int, str]:
    """Return the lines with the ``wanted`` numbers, from 1, that may be shown.

    Hidden are the values of a Secret, other documents that may be about one, values of confidential keys,
    credentials of any form, and any text for which this cannot be decided.
    """
    lines = _lines(content, wanted)
    if not lines:
        return {}
    text = text_of(content)
    try:
        chunks: Sequence[Chunk] = split_documents(text)
    except UnusableError:
        chunks = [Chunk(text, 0)]
    hidden = [span for chunk in chunks for span in _hidden_in_file(chunk, wanted)]
    hidden += _detached_documents(chunks)
    hidden += _hidden_in_comments(text, wanted)
    hides = _search_in(hidden)
    return {
        number: line
        for number, line in lines.items()
        if _CONFLICT_MARKER.fullmatch(line) or not (hides(number - 1) or _holds_credential(line))
    }


def _search_in(spans: Iterable[tuple[int, int]]) -> Callable[[int], bool]:
    """Return the function that tells whether a line, from 0, is in one of the spans."""
    in_order = sorted(spans)
    starts = [first for first, _ in in_order]
    ends = [-1, *accumulate((last for _, last in in_order), max)]  # of all spans that start before
    return lambda line: ends[bisect_right(starts, line)] >= line


def _holds_credential(line: str) -> bool:
    """Return True if a line has a credential in it, in a comment as well, or is too long to tell."""
    if len(line) > _LONGEST_LINE or holds_ciphertext(line):
        return True
    named = (found for found in named_credentials(line) if not found["word"].startswith(_BRACKETS))
    commands = (*passwords_of_commands(line), *passwords_of_listed_commands(line))
    return any(True for _ in (*credential_forms(line), *named, *commands))


def _lines(content: bytes, wanted: Collection[int]) -> Mapping[int, str]:
    """Return the lines with the ``wanted`` numbers, shown or not; none of a file that is not text.

    A list of all would take three times the memory.
    """
    try:
        text = text_of(content).replace("\r\n", "\n")
    except UnusableError:
        return {}
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


def _hidden_in_comments(text: str, wanted: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of what is hidden in manifests that are commented out."""
    first, counted = 0, 0
    for found in _COMMENTS.finditer(text):
        first += text.count("\n", counted, found.start())
        counted = found.start()
        lines = _COMMENT.sub("", found[0]).split("\n")
        if any(first < number <= first + len(lines) for number in wanted):
            manifest = "\n".join(lines)
            if _KIND.search(manifest) or any(True for _ in confidential_words(manifest)):
                for start, end in _hidden_in_document(manifest, lines):
                    yield first + start, first + end


def _hidden_in_file(chunk: Chunk, wanted: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last line, counted from 0 in the file, of each hidden part of a document."""
    lines = chunk.text.removesuffix("\n").split("\n")
    if any(0 < number - chunk.first_line <= len(lines) for number in wanted):
        for first, last in _hidden_in_document(chunk.text, lines):
            yield chunk.first_line + first, chunk.first_line + last


def _hidden_in_document(text: str, lines: Sequence[str]) -> Sequence[tuple[int, int]]:
    """Return the first and last line, counted from 0 in the document, of each hidden part."""
    # In quotes, a word may be spelt with escapes.
    if not (
        "\\" in text
        or _mentions_confidential(text)
        or may_hold_credential(text)
        or _seems_to_have_values(text)
    ):
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
    # If the parser counts line breaks that the file does not count, hide everything that may be confidential.
    if has_other_breaks(text):
        places = (*_whole_words(text), *confidential_words(text), *names_of_credentials(text))
        return everything if "\\" in text or places else []
    secret = _values_of_secret(root) if root and any(map(_SECRET.search, texts)) else ()
    if secret is None or (secret and any(node.is_alias for node in nodes)):
        return everything
    starts = sorted({node.start for node in nodes})
    try:
        confidential = [*secret, *_confidential(nodes)]
        if root:
            confidential += _confidential_in_tree(root, text)
        if any(node.is_alias for _, value in confidential for node in _bounded_walk(value)):
            return everything  # a value is written elsewhere
        return [_line_span(key, value, starts, len(lines) - 1) for key, value in confidential]
    except _TooManyNodesError:
        return everything


def _confidential_in_tree(root: Node, text: str) -> Iterator[tuple[Node, Node]]:
    """Yield what a walk through the objects finds, and the table of credentials."""
    turn, most = 0, 1
    while turn < most:
        tree = _Tree(root, turn)
        most = tree.most_written
        if most > _MOST_WRITTEN:
            raise _TooManyNodesError
        yield from tree.confidential(root, tree.value, root_scope())
        for path in credential_fields(tree.value):
            yield from tree.at(path)
        turn += 1
    yield from _values_of_template(root, text)


def _values_of_template(root: Node, text: str) -> Iterator[tuple[Node, Node]]:
    """Yield the values of a Template of ours, some of which may become a Secret.

    Values of a matrix are shown if the Template was read: the confidential ones were noted then.
    """
    for spec in (value for key, value in root.entries() if key.text == _SPEC):
        fields = [key.text for key, _ in spec.entries()]
        if _TEMPLATE in fields:
            hidden = (_VALUES,) if _MATRIX in fields and _is_template(text) else (_VALUES, _MATRIX)
            for key, value in spec.entries():
                if key.text in hidden:
                    yield from value.entries() if value.is_mapping else ((key, value),)


def _is_template(text: str) -> bool:
    try:
        documents = decode_documents(text.encode(), "")
    except (DiagnosticError, UnicodeEncodeError):
        return False
    return [(text_at(each, "apiVersion"), text_at(each, "kind")) for each in documents] == [_KIND_OF_TEMPLATE]


class _Tree:
    """The JSON of a node, with all scalars as texts.

    A key that is written several times, which no reader accepts, has one value at each ``turn``.
    """

    def __init__(self, root: Node, turn: int) -> None:
        self._root, self._turn = root, turn
        self._known: dict[Node, Mapping[str, Sequence[tuple[Node, Node]]]] = {}
        self.most_written = 1
        self.value = self._of(root, limits().nesting)

    def _of(self, node: Node, levels: int) -> Json:
        if not levels or not may_find_lines(1 + len(node.items)):  # an alias may be in its own anchor
            raise _TooManyNodesError
        if not node.is_mapping:
            return (
                [self._of(element, levels - 1) for element in node.items] if node.items else node.text or ""
            )
        return {
            name: self._of(self._value(entries), levels - 1) for name, entries in self._entries(node).items()
        }

    def _entries(self, node: Node) -> Mapping[str, Sequence[tuple[Node, Node]]]:
        """Return the entries of a mapping by the text of their keys; a collection has a number."""
        if node not in self._known:
            entries: dict[str, list[tuple[Node, Node]]] = {}
            for index, (key, value) in enumerate(node.entries()):
                entries.setdefault(f"? {index}" if key.text is None else key.text, []).append((key, value))
            self._known[node] = entries
            self.most_written = max(self.most_written, *map(len, entries.values()), 1)
        return self._known[node]

    def _value(self, entries: Sequence[tuple[Node, Node]]) -> Node:
        return entries[min(self._turn, len(entries) - 1)][1]

    def confidential(self, node: Node, tree: Json, scope: Scope) -> Iterator[tuple[Node, Node]]:
        """Yield the keys and values that are confidential where they are in an object."""
        scope_of = opened(tree, scope)
        if isinstance(tree, dict):
            for name, entries in self._entries(node).items():
                if _is_hidden(tree[name], scope_of(name)):
                    yield from entries
                else:
                    yield from self.confidential(self._value(entries), tree[name], scope_of(name))
        elif isinstance(tree, list):
            for index, element in enumerate(node.elements()):
                if _is_hidden(tree[index], scope_of(index)):
                    yield element, element
                else:
                    yield from self.confidential(element, tree[index], scope_of(index))

    def at(self, path: Sequence[Segment]) -> Sequence[tuple[Node, Node]]:
        """Return the keys and values at a path; the value twice for an element and for the root."""
        node, found = self._root, [(self._root, self._root)]
        for segment in path:
            if isinstance(segment, int):
                node = node.elements()[segment]
                found = [(node, node)]
            else:
                found = [*self._entries(node)[str(segment)]]
                node = self._value(found)
        return found


def _is_hidden(value: Json, scope: Scope) -> bool:
    """Return True if a value is confidential, or a text with a part that its field makes confidential."""
    return hides(value, scope) or (isinstance(value, str) and has_confidential_part(value, scope.area))


def _values_of_secret(root: Node) -> Sequence[tuple[Node, Node]] | None:
    """Return the entries of a Secret that hold its values; None for another document about Secrets."""
    fields = {key.text: value for key, value in root.entries()}
    nodes = [*root.walk()]
    referring = {
        name.start
        for key, value in (entry for node in nodes for entry in node.entries())
        if key.text and _HOLDS_REFERENCES.search(key.text)
        for each in ([value] if value.is_mapping else value.elements())
        if _names_object(each)
        for _, name in each.entries()
    }
    texts = [
        node.text for node in nodes if node.text and _SECRET.search(node.text) and node.start not in referring
    ]
    if referring and not texts:
        return ()
    if "kind" not in fields or texts != [fields["kind"].text]:
        return None
    return [entry for entry in root.entries() if entry[0].text not in PUBLIC_FIELDS_OF_SECRETS]


def _names_object(node: Node) -> bool:
    """Return True for a mapping that names an object and has nothing else."""
    if not node.is_mapping:
        return False
    fields: dict[str, Json] = {key.text or "": value.text for key, value in node.entries()}
    return bool(fields.get("name")) and None not in fields.values() and is_reference(fields)


def _hidden_in_malformed(text: str, last: int) -> Sequence[tuple[int, int]]:
    """Return everything from the first confidential word on: the end of its value is unknown.

    The lines above are also hidden if they may hold the value: in a Secret, in an operation of a JSON
    patch, at an anchor, beside the name of a variable. What puts values into other objects has them under any
    name: of a Template, only the lines that name it are shown.
    """
    if _seems_to_have_values(text):
        lines = text.split("\n")
        first = next((number for number, line in enumerate(lines) if not _HEADER.fullmatch(line)), last)
        return [(first, last)]
    credentials = [*names_of_credentials(text)]
    commands = (each.start() for each in passwords_of_listed_commands(text))
    found = [
        *islice(commands, 1),
        *_whole_words(text),
        *islice(confidential_words(text), 1),
        *credentials[:1],
    ]
    if not found:
        return []
    is_above = "\\" in text or _SECRET.search(text) or _ELSEWHERE.search(text)
    if is_above or any(_AFTER_COLON.search(text, max(0, each - _BETWEEN), each) for each in credentials):
        return [(0, last)]
    return [(text.count("\n", 0, min(found)), last)]


def _seems_to_have_values(text: str) -> bool:
    """Return True if a text names a kind with values for other objects, spelt correctly or not."""
    words = {word for found in _POSSIBLE_KIND.findall(text) for word in found if word}
    return any(resembles(word, kind) for word in words for kind in _KINDS_WITH_VALUES)


def _mentions_confidential(text: str) -> bool:
    """Return True if a text has a word for something confidential, spelt correctly or not."""
    return any(True for places in (_whole_words(text), confidential_words(text)) for _ in places)


def _whole_words(text: str) -> Iterator[int]:
    """Yield where the words are that documents with confidential values have, at least the first place."""
    lowered = text.encode("ascii", "replace").decode().lower()  # as long as the text
    yield from islice((found.start() for found in _WORD.finditer(lowered) if found[0] in _WORDS), 1)
    yield from (lowered.find(word) for word in _WORDS if not word.isalnum() and word in lowered)


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
            is_operation = key.text == "path" and any(each.text == "op" for each, _ in entries)
            is_of_credential = is_operation and any(True for _ in names_of_credentials(value.text or ""))
            if is_of_credential or (key.text == "path" and _names_confidential_key(value.text or "")):
                yield node, node  # an operation of a JSON patch
            if value not in public:
                yield from _confidential_in_entry(key, value)


def _confidential_in_entry(key: Node, value: Node) -> Iterator[tuple[Node, Node]]:
    """Yield the start and the confidential values of one entry of a mapping."""
    meant = meant_key(key.text)
    if meant == SECRET_GENERATOR:
        yield from _values_of_generators(key, value)
    elif meant in SECTIONS:
        has_fields = value.is_mapping or value.items
        yield from _without_references(value) if has_fields else ((key, value),)
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
        for key, value in parameter.entries():
            if key.text not in PUBLIC_FIELDS_OF_PARAMETERS:
                yield key, value


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
