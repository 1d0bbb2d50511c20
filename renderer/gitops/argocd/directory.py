"""Directory sources: the manifests that Argo CD finds in a folder.

argo-cd ``reposerver/repository.go`` findManifests.

Files without manifests are skipped, unlike in Flux.
"""

from __future__ import annotations

import posixpath
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from renderer.files.file_system import FileSystem
from renderer.golang.gobwas import GlobError, gobwas_match
from renderer.kubevirt.facts.kubernetes_identity import check_identity
from renderer.kustomize.reader.resources import unread_text
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome
from renderer.model.entry_point import SKIP_MARK
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import KUSTOMIZE_GROUP
from renderer.model.run.work import spend
from renderer.yamlio.decode import decode_json
from renderer.yamlio.object_stream import decode_stream

#: What jsonnet reads.
JSONNET = (".jsonnet", ".libsonnet")
_MANIFEST = re.compile(r".*\.(yaml|yml|json|jsonnet)", re.DOTALL)
_STEPS_PER_FILE = 100
#: Steps for a name in a folder, more of them for a deep one, and pairs of a character of a pattern and one of
#: a path that are compared in one step.
_STEPS_PER_NAME, _DEEPER, _PAIRS_PER_STEP = 16, 4, 64
_SIGNS = ("apiVersion:", "kind:", "metadata:")
#: An unreadable file with these words may be an object that Argo CD would skip silently, or would not skip.
_WORDS = ("apiVersion", "kind")
#: What Argo CD refuses as well, and therefore skips in a file without the signs.
_SKIPPED = frozenset({Code.YAML_SYNTAX, Code.RESOURCE_INVALID})
_BYTE_ORDER_MARKS = ((BOM_UTF8, "utf-8"), (BOM_UTF16_LE, "utf-16-le"), (BOM_UTF16_BE, "utf-16-be"))
_JSON_HINT = "exclude the file in spec.source.directory, or correct it: Argo CD reads every .json file there"
_NO_OBJECT_HINT = "exclude the file in spec.source.directory, or correct it"


class DirectoryOptions(NamedTuple):
    """``spec.source.directory``; the patterns are matched against paths relative to the folder."""

    recurse: bool = False
    include: str = ""
    exclude: str = ""
    any_extension: bool = False

    @classmethod
    def of(cls, source: JsonObject) -> DirectoryOptions:
        block = object_at(source, "directory")
        return cls(
            block.get("recurse") is True,
            text_at(block, "include"),
            text_at(block, "exclude"),
            block.get("disableExtensionFilter") is True,
        )


def manifest_files(fs: FileSystem, folder: str, options: DirectoryOptions) -> Iterator[str]:
    """Yield the files that may hold manifests, in the order of a walk. Raises ``DiagnosticError``."""
    for path in _walk(fs, folder, recurse=options.recurse):
        relative = path if folder == "." else path[len(folder) + 1 :]
        if is_selected(relative, options) and SKIP_MARK not in _text(fs.read(path)):
            yield path


def is_selected(relative: str, options: DirectoryOptions) -> bool:
    """Return True if the options select a file, by its path relative to the folder."""
    if not options.any_extension and not _MANIFEST.fullmatch(posixpath.basename(relative)):
        return False
    if options.exclude and _matches(options.exclude, relative):
        return False
    return not options.include or _matches(options.include, relative)


def read_manifests(fs: FileSystem, folder: str, options: DirectoryOptions) -> Outcome[tuple[Resource, ...]]:
    """Return the objects of a folder or file, with remarks.

    Argo CD keeps the last of equal keys; here they are refused, because a part of the object would be lost.
    An object without a name is left out with an error: its sync fails (client-go ``rest/request.go`` Name).

    Raises ``DiagnosticError``: resource-invalid, yaml-duplicate-key, unsupported-field for jsonnet.
    """
    found: list[Resource] = []
    problems: list[Diagnostic] = []
    remarks: list[Diagnostic] = []
    for path in [folder] if fs.is_file(folder) else manifest_files(fs, folder, options):
        try:
            for resource in (item for each in _read_file(fs, path) for item in _items(each)):
                has_name = resource.name or text_at(resource.content, "metadata", "generateName")
                if has_name or resource.gvk.group == KUSTOMIZE_GROUP:  # for which the sync fails anyway
                    found.append(resource)
                else:
                    message = f"the {resource.kind} has no metadata.name"
                    remarks.append(Diagnostic.at(resource.origin, Code.RESOURCE_INVALID, message))
            remarks += unread_text(fs.read(path), path)
        except DiagnosticError as error:
            problems += error.diagnostics
    if problems:
        raise DiagnosticError(*problems)
    return Outcome(tuple(found), tuple(remarks))


def kustomizations_among(manifests: Iterable[Resource]) -> Iterator[Resource]:
    """Yield the objects that are for kustomize: no cluster has their kinds, so that a sync fails."""
    return (each for each in manifests if each.gvk.group == KUSTOMIZE_GROUP)


def _read_file(fs: FileSystem, path: str) -> list[Resource]:
    if path.endswith(".jsonnet"):
        hint = "exclude it, or render it and keep the result in Git"
        raise Diagnostic.at(
            Site(path), Code.UNSUPPORTED_FIELD, f"{path} is jsonnet, which vmrender does not run", hint
        ).error()
    text = _text(fs.read(path))
    spend(_STEPS_PER_FILE + len(text), "reading folders of manifests")
    return _json_objects(text, path) if path.endswith(".json") else _yaml_objects(text, path)


def _text(content: bytes) -> str:
    """Return the text of a file: its byte order mark may be that of UTF-16 (``utfutil.OpenFile``)."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, errors="replace")
    return content.decode(errors="replace")


def _walk(fs: FileSystem, folder: str, *, recurse: bool) -> Iterator[str]:
    names = fs.list(folder)
    spend(_STEPS_PER_NAME * len(names) * (1 + folder.count("/") // _DEEPER), "reading folders of manifests")
    for name in names:
        path = name if folder == "." else f"{folder}/{name}"
        if fs.is_file(path):
            yield path
        elif recurse and name != ".git" and fs.is_folder(path) and fs.resolve(path) == path:
            yield from _walk(fs, path, recurse=True)


def _matches(pattern: str, path: str) -> bool:
    spend(len(pattern) * len(path) // _PAIRS_PER_STEP, "matching patterns of folders")
    try:
        return gobwas_match(pattern, path)
    except GlobError:
        return False


def _json_objects(text: str, path: str) -> list[Resource]:
    """Return the single object of a JSON file."""
    try:
        value = decode_json(text.encode(), path)
    except (ValueError, RecursionError) as error:
        raise Diagnostic.at(
            Site(path), Code.RESOURCE_INVALID, f"{path} is not JSON: {error}", _JSON_HINT
        ).error() from None
    return [_object(value, Site(path))]


def _yaml_objects(text: str, path: str) -> list[Resource]:
    """Return the objects of a YAML file; empty if it cannot be a manifest (``getObjsFromYAMLOrJSON``).

    An unreadable file that may hold an object is refused, although Argo CD may skip it silently.
    """
    found: list[Resource] = []
    try:
        for index, value in decode_stream(text, path):
            if value is not None:
                found.append(_object(value, Site(path, index)))
    except DiagnosticError as error:
        codes = {each.code for each in error.diagnostics}
        may_be_object = codes != {Code.RESOURCE_INVALID} and all(word in text for word in _WORDS)
        if found or not codes <= _SKIPPED or may_be_object or all(sign in text for sign in _SIGNS):
            raise
    return found


def _object(value: Json, site: Site) -> Resource:
    content = object_at(value)
    if not content.get("kind"):
        what = "an item" if site.field.segments else "a document"
        message = f"{site.path} has {what} that is not a Kubernetes object: it has no kind"
        raise Diagnostic.at(site, Code.RESOURCE_INVALID, message, _NO_OBJECT_HINT).error()
    return check_identity(Resource(content, site))


def _items(resource: Resource) -> list[Resource]:
    """Return the items of a List, or else the object itself (``unstructured`` IsList)."""
    items = resource.content.get("items")
    if isinstance(items, list):
        each = enumerate(array_at(resource.content, "items"))
        return [_object(item, resource.origin.below("items", index)) for index, item in each]
    is_null_list = "items" in resource.content and not {"spec", "status"} & resource.content.keys()
    return [] if is_null_list and items is None else [resource]
