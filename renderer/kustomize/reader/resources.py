"""Read the objects and patches in a file or text (kustomize ``api/resource/factory.go``)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import TypeAlias, TypeVar

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import Json, object_at, text_at, with_value
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, Spelling
from renderer.model.kustomization import COMPONENT_KIND, KUSTOMIZATION_KIND
from renderer.model.pattern import pattern
from renderer.model.run.limits import check_name
from renderer.model.source_tree import JsonPatch, PatchContent, StrategicMergePatches
from renderer.model.whole_number import json_integer
from renderer.yamlio.decode import decode_applied, decode_documents, decode_written, decode_yaml11
from renderer.yamlio.documents import may_end_early

T = TypeVar("T")

#: Paths and texts of scalars of a document.
WrittenTexts: TypeAlias = tuple[tuple[tuple[str | int, ...], str], ...]

_ANNOTATIONS = ("metadata", "annotations")
#: Kinds that are split into their items if a file holds nothing else (``kyaml/kio/byteio_reader.go``).
_WRAPPING_KINDS = ("List", "ResourceList")
_GENERATED_HINT = "kustomize does not support generateName: write the name"
#: Line numbers in messages about a text inside a file: they are relative to the text, and omitted.
_INNER_LINES = pattern(r",? on lines \d+ and \d+")


def _with_spellings(resource: Resource, place: FieldPath, texts: WrittenTexts) -> Resource:
    """Return the resource at ``place`` of a document, with the scalar texts that its JSON tree lacks."""
    length = len(place.segments)
    spellings = tuple(
        Spelling(resource.named_field(path[length:]), text, value_at(resource.content, path[length:]))
        for path, text in texts
        if path[:length] == place.segments
    )
    resource = resource._replace(spellings=spellings)
    annotations = object_at(resource.content, *_ANNOTATIONS)
    odd = [key for key, value in annotations.items() if isinstance(value, bool | int | float)]
    if not odd:
        return resource
    as_texts: Json = {**annotations, **{key: resource.written_text(*_ANNOTATIONS, key) for key in odd}}
    return resource._replace(content=with_value(resource.content, _ANNOTATIONS, as_texts))


def read_resources(
    content: bytes, site: Site, *, generated_names: bool = False, as_applied: bool = False
) -> tuple[Resource, ...]:
    """Return the objects in ``content``, with lists split into items.

    ``site`` is the file, or the field with the text. ``generated_names``: True if ``metadata.generateName``
    is sufficient, as it is for the API server and not for kustomize. ``as_applied``: True to read the values
    as the client that applies the objects, and not as kustomize. Raises ``DiagnosticError``: the errors of
    the decoder, and resource-invalid.
    """
    documents = _decode(decode_applied if as_applied else decode_written, content, site)
    read = deque(
        _with_spellings(resource, place, document.texts)
        for index, document in enumerate(documents)
        for place, resource in _unwrapped(
            document.tree, _document_site(site, index), is_only_document=len(documents) == 1
        )
    )
    objects: list[Resource] = []
    while read:
        resource = read.popleft()
        items = _list_items(resource)
        if items is None:
            _check_name(resource, generated_names=generated_names)
            objects.append(resource)
        else:
            read.extend(items)  # kustomize puts the items of lists last
    return tuple(objects)


def unread_text(content: bytes, path: str) -> tuple[Diagnostic, ...]:
    """Return a warning for text of a file that is not read, since its document has ended before it."""
    if not may_end_early(content):
        return ()
    from renderer.yamlio import problems  # noqa: PLC0415 - few documents end early

    return problems.unread_text(content, path)


def refuse_non_objects(content: bytes, site: Site) -> None:
    """Refuse non-empty documents that are not objects. Raises ``DiagnosticError``: resource-invalid."""
    for index, document in enumerate(decode_text(content, site)):
        place = _document_site(site, index)
        items = object_at(document).get("items")
        if items is not None and not isinstance(items, list):
            raise Diagnostic.at(
                place.below("items"), Code.RESOURCE_INVALID, "items of the List is not a list"
            ).error()
        if document is not None and items is None:
            raise Diagnostic.at(
                place,
                Code.RESOURCE_INVALID,
                "this is not a Kubernetes object: it must be a mapping with a kind",
            ).error()


def decode_text(content: bytes, site: Site) -> tuple[Json, ...]:
    """Return the documents in ``content``; errors in a text inside another file are reported at ``site``."""
    return _decode(decode_documents, content, site)


def _decode(decode: Callable[[bytes, str], T], content: bytes, site: Site) -> T:
    """Return the result of ``decode``; errors in a text inside another file are reported at ``site``."""
    try:
        return decode(content, site.path)
    except DiagnosticError as error:
        if site.field == ROOT:
            raise
        raise relocate_error(error, site) from None


def relocate_error(error: DiagnosticError, site: Site) -> DiagnosticError:
    """Return the error as an error about the text at ``site``; its location is relative to that text."""
    return DiagnosticError(
        *(
            Diagnostic(
                finding.code,
                _INNER_LINES.sub("", finding.message),
                hint=finding.hint,
                sites=(site,),
                location=finding.location,
            )
            for finding in error.diagnostics
        )
    )


def _document_site(site: Site, index: int) -> Site:
    return site if site.field != ROOT else Site(site.path, index)


def _unwrapped(document: Json, site: Site, *, is_only_document: bool) -> Iterator[tuple[FieldPath, Resource]]:
    """Yield the objects in a document, with their places in it."""
    content = object_at(document)
    if (
        is_only_document
        and text_at(content, "kind") in _WRAPPING_KINDS
        and ("items" in content or "functionConfig" in content)
    ):
        items = content.get("items")
        for index, item in enumerate(items if isinstance(items, list) else ()):
            place = FieldPath.of("items", index)
            yield from ((place, resource) for resource in _object(item, site.child(place)))
    else:
        yield from ((ROOT, resource) for resource in _object(document, site))


def _object(content: Json, site: Site) -> Iterator[Resource]:
    """Yield the object, unless it is empty (``dropBadNodes``)."""
    if content is None or content in ({}, []):
        return
    resource = Resource(object_at(content), site)
    if not isinstance(content, dict):
        raise Diagnostic.at(
            site, Code.RESOURCE_INVALID, "this is not a Kubernetes object: it must be a mapping"
        ).error()
    if not resource.kind:
        hint = "a patch needs apiVersion, kind and metadata.name, even if it has a target"
        is_patch = not resource.name and not resource.api_version
        raise Diagnostic.at(
            site,
            Code.RESOURCE_INVALID,
            f"the object {resource.name} has no kind" if resource.name else "the object has no kind",
            hint if is_patch else None,
        ).error()
    yield resource


def _check_name(resource: Resource, *, generated_names: bool) -> None:
    has_prefix = text_at(resource.content, "metadata", "generateName")
    if not (resource.name or resource.kind.endswith("List") or (generated_names and has_prefix)):
        hint = _GENERATED_HINT if has_prefix else None
        if resource.kind in (KUSTOMIZATION_KIND, COMPONENT_KIND):
            hint = "list its folder instead"
        raise Diagnostic.at(
            resource.origin, Code.RESOURCE_INVALID, f"the {resource.kind} has no metadata.name", hint
        ).error()
    check_name(resource)


def _list_items(resource: Resource) -> tuple[Resource, ...] | None:
    """Return the objects in a ``FooList``; None for any other object."""
    content = resource.content
    if not resource.kind.endswith("List") or "items" not in content:
        return None
    items = content["items"]
    if items is not None and not isinstance(items, list):
        raise Diagnostic.at(
            resource.origin.child(FieldPath.of("items")),
            Code.RESOURCE_INVALID,
            f"items of the {resource.kind} is not a list",
        ).error()
    objects: list[Resource] = []
    for index, item in enumerate(items or ()):
        field = FieldPath.of("items", index)
        for place, inner in _unwrapped(item, resource.origin.child(field), is_only_document=True):
            objects.append(_item(inner, resource, field.child(*place.segments)))
    return tuple(objects)


def _item(item: Resource, wrapper: Resource, place: FieldPath) -> Resource:
    """Return an item of a list with the spellings that the list records for it."""
    named = wrapper.named_field(place.segments).segments
    spellings = (each for each in wrapper.spellings if each.field.segments[: len(named)] == named)
    return item._replace(
        spellings=tuple(
            each._replace(field=FieldPath(each.field.segments[len(named) :])) for each in spellings
        )
    )


def read_patch(content: bytes, site: Site) -> PatchContent:
    """Read an entry of ``patches`` (``api/internal/builtins/PatchTransformer.go`` Config).

    A text with only comments is a strategic merge patch without documents. Raises: patch-invalid.
    """
    try:
        documents = read_resources(content, site)
    except DiagnosticError as error:
        return _read_operations(content, site, error)
    return StrategicMergePatches(site, documents)


def read_json_patch(content: bytes, site: Site) -> JsonPatch:
    """Read an entry of ``patchesJson6902``. Raises: patch-invalid, and the errors of the decoder."""
    operations = _decode_operations(content, site)
    if not operations:
        raise Diagnostic.at(site, Code.PATCH_INVALID, "the patch has no operations").error()
    return JsonPatch(site, operations)


def _read_operations(content: bytes, site: Site, error: DiagnosticError) -> JsonPatch:
    """Read operations; if there are none, report the error of the patch kind that it resembles."""
    try:
        return JsonPatch(site, _decode_operations(content, site))
    except DiagnosticError as not_operations:
        is_list = content.lstrip().startswith((b"-", b"["))
        raise (not_operations if is_list else error) from None


def _decode_operations(content: bytes, site: Site) -> tuple[Json, ...]:
    document = (
        _decode_json(content, site) if content.startswith(b"[") else _decode(decode_yaml11, content, site)
    )
    if document is None:
        return ()
    if not isinstance(document, list) or not all(isinstance(entry, dict | None) for entry in document):
        raise Diagnostic.at(
            site,
            Code.PATCH_INVALID,
            "a JSON 6902 patch is a list of operations",
            "each with op, path and value",
        ).error()
    return tuple(document)


def _decode_json(content: bytes, site: Site) -> Json:
    """Read JSON: to kustomize, a text that starts with a bracket is not YAML."""
    import json  # noqa: PLC0415 - only few patches are JSON

    try:
        document: Json = json.loads(content, parse_constant=_reject_constant, parse_int=json_integer)
    except (ValueError, RecursionError) as error:
        hint = "a patch that begins with [ must be JSON; write it as a YAML list otherwise"
        raise Diagnostic.at(
            site, Code.PATCH_INVALID, f"the patch is not valid JSON: {error}", hint
        ).error() from None
    return document


def _reject_constant(name: str) -> Json:
    raise ValueError(f"{name} is not a JSON number")
