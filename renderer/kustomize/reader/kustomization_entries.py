"""Read the entries of a kustomization's lists: patches, labels, generators, images and replacements.

kustomize ``api/types``.
"""

from __future__ import annotations

from renderer.kustomize.reader.caseless_fields import CaselessFields
from renderer.model.kustomization import (
    DEFAULT_FIELD_PATH,
    Behavior,
    FieldOptions,
    FieldSpec,
    GeneratorArgs,
    GeneratorOptions,
    Image,
    Label,
    LegacySortOptions,
    Patch,
    Replacement,
    ReplacementFile,
    ReplacementSource,
    ReplacementTarget,
    Replica,
    Selector,
    SortOptions,
    Variable,
)

_ID_FIELDS = ("group", "version", "kind", "name", "namespace")
_FIELD_SPEC_FIELDS = ("group", "version", "kind", "path", "create")
_GENERATOR_FIELDS = ("name", "namespace", "behavior", "literals", "files", "envs", "env", "options")
_SELECTOR_FIELDS = ("group", "version", "kind", "name", "namespace", "annotationSelector", "labelSelector")


def read_patch_entry(fields: CaselessFields) -> Patch:
    """Read an entry of ``patches`` or ``patchesJson6902`` (``patch.go``)."""
    fields.only("path", "patch", "target", "options")
    return Patch(
        site=fields.site,
        path=fields.text_or_empty("path"),
        patch=fields.text_or_empty("patch"),
        target=read_selector(fields.child("target")) if "target" in fields else None,
        **_patch_options(fields.child("options")),
    )


def _patch_options(options: CaselessFields) -> dict[str, bool]:
    options.only("allowNameChange", "allowKindChange")
    return {
        "allow_name_change": options.flag("allowNameChange") or False,
        "allow_kind_change": options.flag("allowKindChange") or False,
    }


def read_selector(fields: CaselessFields) -> Selector:
    """Read a selector (``selector.go``)."""
    fields.only(*_SELECTOR_FIELDS)
    return Selector(*(fields.text_or_empty(name) for name in _SELECTOR_FIELDS))


def read_label(fields: CaselessFields) -> Label:
    """Read an entry of ``labels`` (``labels.go``)."""
    fields.only("pairs", "includeSelectors", "includeTemplates", "fields")
    return Label(
        pairs=fields.pairs("pairs"),
        include_selectors=fields.flag("includeSelectors") or False,
        include_templates=fields.flag("includeTemplates") or False,
        field_specs=read_field_specs(fields, "fields"),
    )


def read_field_specs(fields: CaselessFields, name: str) -> tuple[FieldSpec, ...]:
    """Read the list of field specs in the field ``name`` (``fieldspec.go``)."""
    return tuple(_field_spec(spec) for spec in fields.elements(name))


def _field_spec(fields: CaselessFields) -> FieldSpec:
    fields.only(*_FIELD_SPEC_FIELDS)
    return FieldSpec(
        path=fields.text_or_empty("path"),
        group=fields.text_or_empty("group"),
        version=fields.text_or_empty("version"),
        kind=fields.text_or_empty("kind"),
        create=fields.flag("create") or False,
    )


def read_generator_args(fields: CaselessFields, kind: str, common: GeneratorOptions) -> GeneratorArgs:
    """Read an entry of the field for ``kind``; ``common`` is ``generatorOptions``.

    The older ``env`` is appended to ``envs``.
    """
    fields.only(*_GENERATOR_FIELDS, *(("type",) if kind == "Secret" else ()))
    env = fields.text_or_empty("env")
    return GeneratorArgs(
        site=fields.site,
        kind=kind,
        name=fields.text_or_empty("name"),
        namespace=fields.text_or_empty("namespace"),
        behavior=read_behavior(fields),
        literals=fields.lines("literals"),
        files=fields.lines("files"),
        envs=(*fields.lines("envs"), *((env,) if env else ())),
        type=fields.text_or_empty("type") if kind == "Secret" else "",
        options=read_generator_options(fields.child("options")).over(common),
    )


def read_behavior(fields: CaselessFields) -> Behavior:
    """Read ``behavior``; an unknown word selects the default."""
    behavior = fields.text_or_empty("behavior")
    return Behavior(behavior) if behavior in set(Behavior) else Behavior.UNSPECIFIED


def read_generator_options(fields: CaselessFields) -> GeneratorOptions:
    """Read ``options`` or ``generatorOptions`` (``generatoroptions.go``)."""
    fields.only("labels", "annotations", "disableNameSuffixHash", "immutable")
    return GeneratorOptions(
        labels=fields.pairs("labels"),
        annotations=fields.pairs("annotations"),
        disable_name_suffix_hash=fields.flag("disableNameSuffixHash") or False,
        immutable=fields.flag("immutable") or False,
    )


def read_image(fields: CaselessFields) -> Image:
    """Read an entry of ``images`` (``image.go``)."""
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
    """Read an entry of ``replicas`` (``replica.go``)."""
    fields.only("name", "count")
    return Replica(site=fields.site, name=fields.text_or_empty("name"), replicas=fields.integer("count") or 0)


def read_replacement_entry(fields: CaselessFields) -> Replacement | ReplacementFile:
    """Read an entry of ``replacements``: a replacement, or a file of them (``replacementfield.go``)."""
    fields.only("source", "sourceValue", "targets", "path")
    path = fields.text_or_empty("path")
    if not path:
        return read_replacement(fields)
    if "source" in fields or "targets" in fields:
        fields.reject(
            "path", "a replacement is either written here or in a file", "remove path or the other fields"
        )
    return ReplacementFile(fields.site, path)


def read_replacement(fields: CaselessFields) -> Replacement:
    """Read a replacement (``replacement.go``)."""
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
        options=_field_options(fields.child("options")),
    )


def _target(fields: CaselessFields) -> ReplacementTarget:
    fields.only("select", "reject", "fieldPaths", "options")
    return ReplacementTarget(
        site=fields.site,
        select=read_selector(fields.child("select")) if "select" in fields else None,
        reject=tuple(read_selector(selector) for selector in fields.elements("reject")),
        field_paths=fields.lines("fieldPaths") or (DEFAULT_FIELD_PATH,),
        options=_field_options(fields.child("options")),
    )


def _field_options(fields: CaselessFields) -> FieldOptions:
    fields.only("delimiter", "index", "encoding", "create")
    return FieldOptions(
        fields.text_or_empty("delimiter"), fields.integer("index") or 0, fields.flag("create") or False
    )


def read_variable(fields: CaselessFields) -> Variable:
    """Read an entry of ``vars`` (``var.go``)."""
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
    """Read ``sortOptions`` (``sortoptions.go``)."""
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
