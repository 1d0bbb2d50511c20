"""The field specs of all transformers, and the rules for merging two sets of them.

kustomize ``api/internal/plugins/builtinconfig/transformerconfig.go``.
"""

from __future__ import annotations

from collections.abc import Sequence

from renderer.kustomize.order import DEFAULT_RANKS, gvk_sort_text
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.res_id import Gvk
from renderer.model.kustomization import FieldSpec
from renderer.model.record import Record
from renderer.model.run.work import spend

_STEPS_PER_SPEC = 2


class NameReference(Record):
    """The fields that hold names of resources of the kind ``target``; its empty parts match any."""

    target: Gvk
    referrers: tuple[FieldSpec, ...]


class FieldSpecSet(Record):
    """The field specs of every transformer (kustomize ``TransformerConfig``)."""

    name_prefix: tuple[FieldSpec, ...] = ()
    name_suffix: tuple[FieldSpec, ...] = ()
    namespace: tuple[FieldSpec, ...] = ()
    common_labels: tuple[FieldSpec, ...] = ()
    labels: tuple[FieldSpec, ...] = ()
    template_labels: tuple[FieldSpec, ...] = ()
    common_annotations: tuple[FieldSpec, ...] = ()
    name_reference: tuple[NameReference, ...] = ()
    var_reference: tuple[FieldSpec, ...] = ()
    images: tuple[FieldSpec, ...] = ()
    replicas: tuple[FieldSpec, ...] = ()

    def merged(self, other: FieldSpecSet) -> FieldSpecSet:
        """Return both, duplicates once. Raises: kustomization-field if they contradict each other."""
        if other is self:
            return self
        return FieldSpecSet(
            name_prefix=_merged_sorted(self.name_prefix, other.name_prefix),
            name_suffix=_merged_sorted(self.name_suffix, other.name_suffix),
            namespace=_merged_sorted(self.namespace, other.namespace),
            common_labels=_merged_sorted(self.common_labels, other.common_labels),
            labels=_merged_sorted(self.labels, other.labels),
            template_labels=_merged_sorted(self.template_labels, other.template_labels),
            common_annotations=_merged_sorted(self.common_annotations, other.common_annotations),
            name_reference=_merged_references(self.name_reference, other.name_reference),
            var_reference=_merged_sorted(self.var_reference, other.var_reference),
            images=_merged_sorted(self.images, other.images),
            replicas=_merged_sorted(self.replicas, other.replicas),
        )


#: The field specs of a kustomization before any are added.
NO_FIELD_SPECS = FieldSpecSet()


def merge_field_specs(specs: Sequence[FieldSpec], added: Sequence[FieldSpec]) -> tuple[FieldSpec, ...]:
    """Return ``specs``, and the specs in ``added`` without an equivalent in them (``fieldspec.go`` MergeAll).

    Raises: kustomization-field if an added spec and its equivalent differ in ``create``.
    """
    spend(_STEPS_PER_SPEC * (len(specs) + len(added)), "merging field specs")
    merged = list(specs)
    by_path: dict[str, list[FieldSpec]] = {}
    for spec in specs:
        by_path.setdefault(spec.path, []).append(spec)
    for spec in added:
        with_path = by_path.setdefault(spec.path, [])
        equivalent = next((present for present in with_path if _is_equivalent(present, spec)), None)
        if equivalent is None:
            merged.append(spec)
            with_path.append(spec)
        elif equivalent.create != spec.create:
            raise Diagnostic(
                Code.KUSTOMIZATION_FIELD,
                f"two field specs for {spec.path} of {spec.kind or 'any kind'} differ in create",
                hint="give both the same value of create",
            ).error()
    return tuple(merged)


def _is_equivalent(present: FieldSpec, added: FieldSpec) -> bool:
    """Return True if both, which have the same path, are equivalent (``effectivelyEquals``).

    The added one may leave parts of the kind open.
    """
    return (
        added.group in ("", present.group)
        and added.version in ("", present.version)
        and added.kind in ("", present.kind)
    )


def _merged_sorted(specs: tuple[FieldSpec, ...], added: tuple[FieldSpec, ...]) -> tuple[FieldSpec, ...]:
    merged = merge_field_specs(specs, added)
    return tuple(sorted(merged, key=lambda spec: _sort_key(spec.group, spec.version, spec.kind)))


def _merged_references(
    references: tuple[NameReference, ...], added: tuple[NameReference, ...]
) -> tuple[NameReference, ...]:
    merged = {reference.target: reference.referrers for reference in references}
    for reference in added:
        merged[reference.target] = merge_field_specs(merged.get(reference.target, ()), reference.referrers)
    ordered = sorted(merged.items(), key=lambda item: _sort_key(item[0].group, item[0].version, item[0].kind))
    return tuple(NameReference(target, referrers) for target, referrers in ordered)


def _sort_key(group: str, version: str, kind: str) -> tuple[int, str]:
    return DEFAULT_RANKS.get(kind, 0), gvk_sort_text(group, version, kind)
