"""Field specs from the annotations in schemas of custom resources (kustomize ``loadconfigfromcrds.go``)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from renderer.compose.fields.field_spec_set import FieldSpecSet, NameReference, merge_field_specs
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.gvk import Gvk
from renderer.model.json import JsonObject, object_at, text_at
from renderer.model.selection import FieldSpec
from renderer.model.source_tree import Document

_ANNOTATION = "x-kubernetes-annotation"
_LABEL_SELECTOR = "x-kubernetes-label-selector"
_IDENTITY = "x-kubernetes-identity"
_VERSION = "x-kubernetes-object-ref-api-version"
_KIND = "x-kubernetes-object-ref-kind"
_NAME_KEY = "x-kubernetes-object-ref-name-key"


@dataclass(slots=True)
class _Specs:
    annotations: list[FieldSpec] = field(default_factory=list)
    labels: list[FieldSpec] = field(default_factory=list)
    prefix: list[FieldSpec] = field(default_factory=list)
    references: dict[Gvk, list[FieldSpec]] = field(default_factory=dict)


def crd_field_specs(file: Document) -> FieldSpecSet:
    """The field specs that the OpenAPI definitions in ``file`` ask for. Raises: kustomization-field."""
    if not isinstance(file.content, dict):
        raise _invalid(file, "the file does not hold OpenAPI definitions by name")
    specs = _Specs()
    for name, definition in file.content.items():
        properties = object_at(definition, "Schema", "properties") or object_at(
            definition, "schema", "properties"
        )
        if all(key in properties for key in ("kind", "apiVersion", "metadata")):
            kind = name.rpartition(".")[2]
            for path, schema in _walk(file, name, (), frozenset()):
                _add(specs, kind, path, schema)
    return _field_spec_set(specs)


def _walk(
    file: Document, name: str, path: tuple[str, ...], on_the_way: frozenset[str]
) -> Iterator[tuple[tuple[str, ...], JsonObject]]:
    """Every property below the definition ``name``, those of what it refers to as well."""
    if name in on_the_way:
        raise _invalid(file, f"the definition {name} refers to itself")
    definition = object_at(file.content, name)
    properties = object_at(definition, "Schema", "properties") or object_at(
        definition, "schema", "properties"
    )
    for key in properties:
        schema = object_at(properties, key)
        yield (*path, key), schema
        reference = text_at(schema, "$ref")
        if reference:
            yield from _walk(file, reference, (*path, key), on_the_way | {name})


def _add(specs: _Specs, kind: str, path: tuple[str, ...], schema: JsonObject) -> None:
    spec = FieldSpec("/".join(path), kind=kind)
    if isinstance(schema.get(_ANNOTATION), str):
        specs.annotations.append(spec)
    if isinstance(schema.get(_LABEL_SELECTOR), str):
        specs.labels.append(spec)
    if isinstance(schema.get(_IDENTITY), str):
        specs.prefix.append(spec)
    version, target = schema.get(_VERSION), schema.get(_KIND)
    if isinstance(version, str) and isinstance(target, str):
        name_key = schema.get(_NAME_KEY)
        referrer = FieldSpec("/".join((*path, name_key if isinstance(name_key, str) else "name")), kind=kind)
        specs.references.setdefault(Gvk("", version, target), []).append(referrer)


def _field_spec_set(specs: _Specs) -> FieldSpecSet:
    return FieldSpecSet(
        common_annotations=merge_field_specs((), specs.annotations),
        common_labels=merge_field_specs((), specs.labels),
        name_prefix=merge_field_specs((), specs.prefix),
        name_reference=tuple(
            NameReference(target, merge_field_specs((), referrers))
            for target, referrers in specs.references.items()
        ),
    )


def _invalid(file: Document, message: str) -> DiagnosticError:
    return DiagnosticError(
        Diagnostic(
            code=Code.KUSTOMIZATION_FIELD, message=message, sites=(file.site,), hint="correct the file"
        )
    )
