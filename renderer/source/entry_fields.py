"""The entries of a kustomization that select something: patches, labels, selectors and field specs."""

from __future__ import annotations

from renderer.model.kustomization import FieldSpec, Label, Patch, Selector
from renderer.source.caseless_fields import CaselessFields

_FIELD_SPEC_FIELDS = ("group", "version", "kind", "path", "create")
_SELECTOR_FIELDS = ("group", "version", "kind", "name", "namespace", "annotationSelector", "labelSelector")


def read_patch_entry(fields: CaselessFields) -> Patch:
    """An entry of ``patches`` or ``patchesJson6902`` (``patch.go``)."""
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
    """``selector.go``"""
    fields.only(*_SELECTOR_FIELDS)
    return Selector(*(fields.text_or_empty(name) for name in _SELECTOR_FIELDS))


def read_label(fields: CaselessFields) -> Label:
    """An entry of ``labels`` (``labels.go``)."""
    fields.only("pairs", "includeSelectors", "includeTemplates", "fields")
    return Label(
        pairs=fields.pairs("pairs"),
        include_selectors=fields.flag("includeSelectors") or False,
        include_templates=fields.flag("includeTemplates") or False,
        field_specs=read_field_specs(fields, "fields"),
    )


def read_field_specs(fields: CaselessFields, name: str) -> tuple[FieldSpec, ...]:
    """The list of field specs in the field ``name`` (``fieldspec.go``)."""
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
