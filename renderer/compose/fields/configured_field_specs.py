"""Field specs that a kustomization adds to the builtin ones with ``configurations`` and ``crds``."""

from __future__ import annotations

from collections.abc import Iterable

from renderer.compose.fields.default_field_specs import DEFAULT_FIELD_SPECS
from renderer.compose.fields.field_spec_set import NO_FIELD_SPECS, FieldSpecSet, NameReference
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.location import Site
from renderer.model.selection import FieldSpecFile
from renderer.model.source_tree import Document, KustomizationRoot


def with_configured(field_specs: FieldSpecSet, root: KustomizationRoot) -> FieldSpecSet:
    """``field_specs``, the builtin ones and those that ``root`` adds.

    As in kustomize, a spec for every kind is lost when one for the same path and a certain kind stands
    before it, which happens where the author's own specs have been sorted into the builtin ones.
    Raises: kustomization-field when specs contradict each other.
    """
    if root.configurations:
        configured = NO_FIELD_SPECS
        for file in root.configurations:
            configured = _merged(configured, _field_specs(file), file.site)
        site = root.configurations[-1].site
        field_specs = _merged(field_specs, _merged(DEFAULT_FIELD_SPECS, configured, site), site)
    else:
        field_specs = added(field_specs, DEFAULT_FIELD_SPECS)
    return _with_crds(field_specs, root.crds) if root.crds else field_specs


def _with_crds(field_specs: FieldSpecSet, crds: Iterable[Document]) -> FieldSpecSet:
    from renderer.compose.fields.crd_field_specs import crd_field_specs  # noqa: PLC0415 - few list any

    for crd in crds:
        field_specs = _merged(field_specs, crd_field_specs(crd), crd.site)
    return field_specs


def added(field_specs: FieldSpecSet, more: FieldSpecSet) -> FieldSpecSet:
    """Both merged; quickly where there is nothing else than the builtin ones."""
    is_first = field_specs is NO_FIELD_SPECS and more is DEFAULT_FIELD_SPECS
    return more if is_first else field_specs.merged(more)


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
    """Both; a contradiction is reported at ``site``."""
    try:
        return field_specs.merged(added)
    except DiagnosticError as error:
        raise DiagnosticError(
            *(
                Diagnostic(
                    code=Code.KUSTOMIZATION_FIELD, message=found.message, sites=(site,), hint=found.hint
                )
                for found in error.diagnostics
            )
        ) from None
