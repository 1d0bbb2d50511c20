"""Images, replicas, replacements, variables and sort options as they are written (``api/types``)."""

from __future__ import annotations

from renderer.model.kustomization import (
    DEFAULT_FIELD_PATH,
    FieldOptions,
    Image,
    LegacySortOptions,
    Replacement,
    ReplacementFile,
    ReplacementSource,
    ReplacementTarget,
    Replica,
    SortOptions,
    Variable,
)
from renderer.source.caseless_fields import CaselessFields
from renderer.source.entry_fields import read_selector

_ID_FIELDS = ("group", "version", "kind", "name", "namespace")


def read_image(fields: CaselessFields) -> Image:
    """An entry of ``images`` (``image.go``)."""
    fields.only("name", "newName", "tagSuffix", "newTag", "digest")
    return Image(
        site=fields.site,
        name=fields.text_or_empty("name"),
        new_name=fields.text_or_empty("newName"),
        tag_suffix=fields.text_or_empty("tagSuffix"),
        new_tag=fields.text_or_empty("newTag"),
        digest=fields.text_or_empty("digest"),
    )


def read_replica(fields: CaselessFields) -> Replica:
    """An entry of ``replicas`` (``replica.go``)."""
    fields.only("name", "count")
    return Replica(site=fields.site, name=fields.text_or_empty("name"), count=fields.integer("count") or 0)


def read_replacement_entry(fields: CaselessFields) -> Replacement | ReplacementFile:
    """An entry of ``replacements``: a replacement, or the file that holds some (``replacementfield.go``)."""
    fields.only("source", "sourceValue", "targets", "path")
    path = fields.text_or_empty("path")
    if not path:
        return read_replacement(fields)
    if "source" in fields or "targets" in fields:
        fields.reject("path", "a replacement is either written here or in a file", "remove path or all else")
    return ReplacementFile(fields.site, path)


def read_replacement(fields: CaselessFields) -> Replacement:
    """``replacement.go``"""
    fields.only("source", "sourceValue", "targets", "path")
    targets = tuple(_target(target) for target in fields.elements("targets"))
    return Replacement(
        site=fields.site,
        source=_source(fields.child("source")) if "source" in fields else None,
        source_value=fields.text("sourceValue"),
        targets=targets or None,
    )


def _source(fields: CaselessFields) -> ReplacementSource:
    fields.only(*_ID_FIELDS, "fieldPath", "options")
    return ReplacementSource(
        site=fields.site,
        **_texts(fields, *_ID_FIELDS),
        field_path=fields.text_or_empty("fieldPath") or DEFAULT_FIELD_PATH,
        options=_options(fields.child("options")),
    )


def _target(fields: CaselessFields) -> ReplacementTarget:
    fields.only("select", "reject", "fieldPaths", "options")
    return ReplacementTarget(
        site=fields.site,
        select=read_selector(fields.child("select")) if "select" in fields else None,
        reject=tuple(read_selector(selector) for selector in fields.elements("reject")),
        field_paths=fields.lines("fieldPaths") or (DEFAULT_FIELD_PATH,),
        options=_options(fields.child("options")),
    )


def _options(fields: CaselessFields) -> FieldOptions:
    fields.only("delimiter", "index", "encoding", "create")
    return FieldOptions(
        fields.text_or_empty("delimiter"), fields.integer("index") or 0, fields.flag("create") or False
    )


def read_variable(fields: CaselessFields) -> Variable:
    """An entry of ``vars`` (``var.go``)."""
    fields.only("name", "objref", "fieldref")
    target, field = fields.child("objref"), fields.child("fieldref")
    target.only("apiVersion", *_ID_FIELDS)
    field.only("fieldPath")
    gvk = _texts(target, "group", "version", "kind")
    return Variable(
        site=fields.site,
        name=fields.text_or_empty("name"),
        **gvk | _group_version(target.text_or_empty("apiVersion")),
        object_name=target.text_or_empty("name"),
        object_namespace=target.text_or_empty("namespace"),
        field_path=field.text_or_empty("fieldPath") or DEFAULT_FIELD_PATH,
    )


def _group_version(api_version: str) -> dict[str, str]:
    parts = api_version.split("/")
    if len(parts) == 1:
        return {"version": parts[0]} if parts[0] else {}
    return dict(zip(("group", "version"), parts, strict=True)) if len(parts) == 2 else {}  # noqa: PLR2004 (group/version)


def read_sort_options(fields: CaselessFields) -> SortOptions:
    """``sortoptions.go``"""
    fields.only("order", "legacySortOptions")
    legacy = fields.child("legacySortOptions")
    legacy.only("orderFirst", "orderLast")
    return SortOptions(
        site=fields.site,
        order=fields.text_or_empty("order"),
        legacy=LegacySortOptions(legacy.lines("orderFirst"), legacy.lines("orderLast"))
        if "legacySortOptions" in fields
        else None,
    )


def _texts(fields: CaselessFields, *names: str) -> dict[str, str]:
    return {name: fields.text_or_empty(name) for name in names}
