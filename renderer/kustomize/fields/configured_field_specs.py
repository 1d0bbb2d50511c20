"""Field specs that a kustomization adds to the builtin ones with ``configurations`` and ``crds``.

``crds`` name them with annotations in schemas of custom resources (kustomize ``loadconfigfromcrds.go``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from renderer.kustomize.fields.field_spec_set import (
    NO_FIELD_SPECS,
    FieldSpecSet,
    NameReference,
    merge_field_specs,
)
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import Gvk
from renderer.model.kustomization import FieldSpec, FieldSpecFile
from renderer.model.source_tree import Document, KustomizationRoot

if TYPE_CHECKING:
    from renderer.kustomize.fields.builtin_field_specs import DEFAULT_FIELD_SPECS
else:

    class _Builtin:
        """A placeholder for the builtin field specs, imported when a transformer first needs them."""

        def __getattr__(self, name: str) -> object:
            from renderer.kustomize.fields import builtin_field_specs  # noqa: PLC0415 - patches ask for none

            return getattr(builtin_field_specs.DEFAULT_FIELD_SPECS, name)

    DEFAULT_FIELD_SPECS = _Builtin()

_ANNOTATION = "x-kubernetes-annotation"
_LABEL_SELECTOR = "x-kubernetes-label-selector"
_IDENTITY = "x-kubernetes-identity"
_VERSION = "x-kubernetes-object-ref-api-version"
_KIND = "x-kubernetes-object-ref-kind"
_NAME_KEY = "x-kubernetes-object-ref-name-key"


class _CrdFieldSpecs:
    def __init__(self) -> None:
        self.annotations: list[FieldSpec] = []
        self.labels: list[FieldSpec] = []
        self.prefix: list[FieldSpec] = []
        self.references: dict[Gvk, list[FieldSpec]] = {}

    def add(self, kind: str, path: tuple[str, ...], schema: JsonObject) -> None:
        spec = FieldSpec("/".join(path), kind=kind)
        if isinstance(schema.get(_ANNOTATION), str):
            self.annotations.append(spec)
        if isinstance(schema.get(_LABEL_SELECTOR), str):
            self.labels.append(spec)
        if isinstance(schema.get(_IDENTITY), str):
            self.prefix.append(spec)
        version, target = schema.get(_VERSION), schema.get(_KIND)
        if isinstance(version, str) and isinstance(target, str):
            name_key = schema.get(_NAME_KEY)
            name = name_key if isinstance(name_key, str) else "name"
            referrer = FieldSpec("/".join((*path, name)), kind=kind)
            self.references.setdefault(Gvk("", version, target), []).append(referrer)


def crd_field_specs(file: Document) -> FieldSpecSet:
    """Return the field specs that the OpenAPI definitions in ``file`` request.

    Raises: kustomization-field.
    """
    if not isinstance(file.content, dict):
        raise Diagnostic.at(
            file.site,
            Code.KUSTOMIZATION_FIELD,
            "the file does not hold OpenAPI definitions by name",
            "correct the file",
        ).error()
    specs = _CrdFieldSpecs()
    for name, definition in file.content.items():
        properties = object_at(definition, "Schema", "properties") or object_at(
            definition, "schema", "properties"
        )
        if all(key in properties for key in ("kind", "apiVersion", "metadata")):
            kind = name.rpartition(".")[2]
            for path, schema in _properties(file, name, (), frozenset()):
                specs.add(kind, path, schema)
    return FieldSpecSet(
        common_annotations=merge_field_specs((), specs.annotations),
        common_labels=merge_field_specs((), specs.labels),
        name_prefix=merge_field_specs((), specs.prefix),
        name_reference=tuple(
            NameReference(target, merge_field_specs((), referrers))
            for target, referrers in specs.references.items()
        ),
    )


def _properties(
    file: Document, name: str, path: tuple[str, ...], ancestors: frozenset[str]
) -> Iterator[tuple[tuple[str, ...], JsonObject]]:
    """Yield every property below the definition ``name``, and below the definitions it refers to."""
    if name in ancestors:
        raise Diagnostic.at(
            file.site, Code.KUSTOMIZATION_FIELD, f"the definition {name} refers to itself", "correct the file"
        ).error()
    definition = object_at(file.content, name)
    properties = object_at(definition, "Schema", "properties") or object_at(
        definition, "schema", "properties"
    )
    for key in properties:
        schema = object_at(properties, key)
        yield (*path, key), schema
        reference = text_at(schema, "$ref")
        if reference:
            yield from _properties(file, reference, (*path, key), ancestors | {name})


def with_configured_field_specs(field_specs: FieldSpecSet, root: KustomizationRoot) -> FieldSpecSet:
    """Return ``field_specs``: the builtin field specs, and the ones that ``root`` adds.

    As in kustomize, a spec for every kind is lost if one for the same path and a specific kind comes before
    it. This happens where the author's own specs have been sorted into the builtin ones.
    Raises: kustomization-field if specs contradict each other.
    """
    if root.configurations:
        configured = NO_FIELD_SPECS
        for file in root.configurations:
            configured = _merged(configured, _field_specs(file), file.site)
        site = root.configurations[-1].site
        field_specs = _merged(field_specs, _merged(DEFAULT_FIELD_SPECS, configured, site), site)
    else:
        field_specs = merged_field_specs(field_specs, DEFAULT_FIELD_SPECS)
    for crd in root.crds:
        field_specs = _merged(field_specs, crd_field_specs(crd), crd.site)
    return field_specs


def merged_field_specs(field_specs: FieldSpecSet, added: FieldSpecSet) -> FieldSpecSet:
    """Return both merged; quickly if there are only the builtin ones."""
    is_first = field_specs is NO_FIELD_SPECS and added is DEFAULT_FIELD_SPECS
    return added if is_first or added is field_specs else field_specs.merged(added)


def _field_specs(file: FieldSpecFile) -> FieldSpecSet:
    specs = file.field_specs
    return FieldSpecSet(
        name_prefix=specs["namePrefix"],
        name_suffix=specs["nameSuffix"],
        namespace=specs["namespace"],
        common_labels=specs["commonLabels"],
        labels=specs["labels"],
        template_labels=specs["templateLabels"],
        common_annotations=specs["commonAnnotations"],
        name_reference=tuple(NameReference(entry.target, entry.referrers) for entry in file.name_references),
        var_reference=specs["varReference"],
        images=specs["images"],
        replicas=specs["replicas"],
    )


def _merged(field_specs: FieldSpecSet, added: FieldSpecSet, site: Site) -> FieldSpecSet:
    """Return both merged; a contradiction is reported at ``site``."""
    try:
        return field_specs.merged(added)
    except DiagnosticError as error:
        raise DiagnosticError(
            *(
                Diagnostic.at(site, Code.KUSTOMIZATION_FIELD, finding.message, finding.hint)
                for finding in error.diagnostics
            )
        ) from None
