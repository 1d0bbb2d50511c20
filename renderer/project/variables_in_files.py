"""Learn from files which variables of Flux are confidential because a Secret uses their names.

A build knows it from a Kustomization with its ``substituteFrom``. A mistake in either, such as a misspelt
name or path, cuts the link, and the value in the ConfigMap is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import NamedTuple

from renderer.files.file_system import folder_of, join_path
from renderer.kubevirt.facts.confidential.meant_keys import LITERALS
from renderer.kubevirt.facts.confidential.values_elsewhere import values_of
from renderer.kubevirt.facts.kinds import CONFIG_MAP
from renderer.model.diagnostic import DiagnosticError
from renderer.model.engines import FLUX_KUSTOMIZE_GROUP
from renderer.model.kube.json import Json, array_at, count_values, object_at, text_at
from renderer.model.kustomization import KUSTOMIZATION_FILES
from renderer.model.pattern import pattern
from renderer.model.run.learned_values import FluxPlaces, Values
from renderer.model.run.taint import texts_of
from renderer.model.run.work import spend
from renderer.yamlio.decode import decode_documents

_GENERATOR, _GROUP = "configMapGenerator", FLUX_KUSTOMIZE_GROUP.encode()
#: One of these is in every file that gives variables their values.
_SOURCES = (CONFIG_MAP.encode(), _GENERATOR.encode(), _GROUP)
_SEPARATOR = pattern(rb"(?m)^---(?:[ \t]*+\r?\n)?")
#: A key, or the name in a literal; with its value in a line of a document that cannot be parsed.
_KEY = pattern(rb"(?<!\w)([A-Za-z_]\w*+)[\"']?[ \t]*+[:=]")
_LINE = pattern(r"(?m)^[ \t-]*+[\"']?([A-Za-z_]\w*+)[\"']?[ \t]*+[:=][ \t\"']*+(.*)$")
#: What is public in any file: numbers, quantities, versions, addresses without credentials, time zones.
_ORDINARY = pattern(
    r"[\d.:/]+[A-Za-z]{0,2}|(?:[a-z]+://)?(?:[\w.+-]+@)?(?:[a-z0-9*-]+\.)+[a-z0-9-]+(?::\d+)?(?:/[\w./:-]*)?"
    r"|[A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z_]+)+"
)
_WORK, _BYTES_PER_STEP, _STEPS_PER_VALUE = "looking for variables in Secrets", 64, 2


class _Given(NamedTuple):
    """The value of a variable, where it is; ``namespace`` is empty if the object has none."""

    name: str
    value: str
    folder: str
    namespace: str = ""


def values_of_variables(
    names: AbstractSet[str],
    files: Sequence[str],
    read: Callable[[str], bytes],
    places: Callable[[], FluxPlaces],
) -> Values:
    """Return the values of the variables with these names, except ordinary ones.

    They are in Flux Kustomizations, and in what their ``substituteFrom`` may name: the ConfigMaps in the same
    namespaces or folders. These ``places`` are asked for if there is a value.
    """
    found = [
        (each, values)
        for path in files
        for each in _given_in(path, read(path), names)
        if not _ORDINARY.fullmatch(each.value) and (values := values_of(each.name, each.value)) != Values()
    ]
    return Values.union(
        values
        for each, values in found
        if each.folder in places().folders
        or (each.namespace or _namespace_of(each.folder, read)) in places().namespaces
    )


def flux_places(files: Iterable[str], read: Callable[[str], bytes]) -> FluxPlaces:
    """Return the folders and namespaces of the Kustomizations of Flux in the files."""
    folders: set[str] = set()
    namespaces: set[str] = set()
    for path in files:
        if _GROUP in (content := read(path)):
            folders.add(folder_of(path))
            namespaces.update(text_at(each, "metadata", "namespace") for each in _documents(content))
    return FluxPlaces(frozenset(folders), frozenset(namespaces - {""}))


def _given_in(path: str, content: bytes, names: AbstractSet[str]) -> Iterator[_Given]:
    """Yield what a file gives to variables with these names."""
    spend(1 + len(content) // _BYTES_PER_STEP, _WORK)
    if not any(source in content for source in _SOURCES):
        return
    if names.isdisjoint(key.decode() for key in _KEY.findall(content)):
        return
    folder = folder_of(path)
    for document in _documents(content):
        spend(_STEPS_PER_VALUE * count_values(document), _WORK)
        namespace = text_at(document, "metadata", "namespace")
        entries: Iterable[tuple[str, str]] = ()
        if isinstance(document, str):
            entries = _LINE.findall(document)
        elif text_at(document, "kind") == CONFIG_MAP:
            entries = _entries_in(document)
        elif text_at(document, "apiVersion").startswith(FLUX_KUSTOMIZE_GROUP):
            entries = _entries_in(object_at(document, "spec").get("postBuild"))
        for generator in array_at(document, _GENERATOR):
            literals = (text.partition("=") for text in texts_of(object_at(generator).get(LITERALS)))
            entries = chain(entries, ((key, value) for key, _, value in literals))
            namespace = text_at(generator, "namespace") or text_at(document, "namespace")
        yield from (_Given(key, value, folder, namespace) for key, value in entries if key in names)


def _entries_in(tree: Json) -> Iterator[tuple[str, str]]:
    """Yield the keys of a tree with their scalars: a line may be lost between a key and its section."""
    if isinstance(tree, list):
        yield from (entry for each in tree for entry in _entries_in(each))
    for key, child in object_at(tree).items():
        if isinstance(child, dict | list):
            yield from _entries_in(child)
        else:
            yield from ((key, text) for text in texts_of(child))


def _namespace_of(folder: str, read: Callable[[str], bytes]) -> str:
    """Return the namespace that a kustomization sets in its folder; empty if there is none."""
    contents = (read(join_path(folder, name)) for name in KUSTOMIZATION_FILES)
    documents = (each for content in contents for each in _documents(content))
    return next((text_at(each, "namespace") for each in documents), "")


def _documents(content: bytes) -> Iterator[Json]:
    """Yield the documents in a file; the text of one that cannot be parsed, which a build reports."""
    for part in _SEPARATOR.split(content):
        try:
            yield from decode_documents(part, "")
        except DiagnosticError:
            yield part.decode("utf-8", "replace")
