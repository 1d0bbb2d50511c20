"""YAML files to JSON trees, read as kustomize reads them."""

from __future__ import annotations

from yaml.error import YAMLError

from renderer.model.json import Json
from renderer.yamlio.builder import TreeBuilder
from renderer.yamlio.dialects import RESOURCE, YAML11, Dialect
from renderer.yamlio.documents import Chunk, split_documents
from renderer.yamlio.errors import DuplicateKeyError, UnusableError
from renderer.yamlio.events import read_events
from renderer.yamlio.problems import duplicate_keys, malformed, unusable
from renderer.yamlio.text import text_of
from renderer.yamlio.value_count import ValueCount


def decode_documents(content: bytes, path: str) -> tuple[Json, ...]:
    """The documents of a resource file, None for empty ones; ``path`` is for error messages.

    kyaml ``kio/byteio_reader.go`` and go-yaml v3, then Go's JSON: timestamps are RFC 3339 text, whole floats
    integers. Aliases share the tree of their anchor. Raises ``DiagnosticError``.
    """
    try:
        text = text_of(content)
        chunks = split_documents(text)
    except UnusableError as error:
        raise unusable(error, path) from None
    count = ValueCount(text)
    return tuple(_decode(chunk, path, RESOURCE, count) for chunk in chunks)


def decode_yaml11(content: bytes, path: str) -> Json:
    """The first document of a kustomization.yaml or JSON 6902 patch; ``path`` is for error messages.

    sigs.k8s.io/yaml and go-yaml v2: YAML 1.1, and the last of equal keys wins. Raises ``DiagnosticError``.
    """
    try:
        chunk = Chunk(text_of(content), 0)
    except UnusableError as error:
        raise unusable(error, path) from None
    return _decode(chunk, path, YAML11, ValueCount(chunk.text))


def _decode(chunk: Chunk, path: str, dialect: Dialect, count: ValueCount) -> Json:
    try:
        return read_events(chunk.text, lambda source: TreeBuilder(count.counted(source), dialect).document())
    except DuplicateKeyError as error:
        raise duplicate_keys(error, chunk, path) from None
    except UnusableError as error:
        raise unusable(error, path, chunk.first_line) from None
    except YAMLError as error:
        raise malformed(error, chunk, path) from None
