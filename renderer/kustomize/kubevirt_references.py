"""Update the names in KubeVirt's fields when resources are renamed, if a project asks for it.

kustomize's own name references know none of these fields (``name_references``), so that every project would
list them in ``configurations``. Fields that it does list are left to kustomize.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from renderer.kubevirt.facts.kinds import CLUSTER_KINDS, VM_POOL
from renderer.kubevirt.facts.name_references import NAME_FIELDS, NameField
from renderer.kubevirt.facts.pool_names import index_option, split_index
from renderer.kustomize.fields.field_spec_set import NameReference
from renderer.kustomize.identity import current_identity, original_identity
from renderer.kustomize.name_references import (
    ReferralCandidates,
    Referrer,
    was_of_kind,
    with_same_affixes,
)
from renderer.kustomize.res_map import ResMap
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Related
from renderer.model.kube.json import Json, JsonObject, object_at, text_at
from renderer.model.kube.res_id import Gvk
from renderer.model.kube.resource import Resource
from renderer.model.run.work import spend


def fix_kubevirt_references(resources: ResMap, configured: Sequence[NameReference]) -> None:
    """Update previous names of resources in KubeVirt's fields, except in the fields that are ``configured``.

    Raises: name-ambiguous if several resources match.
    """
    if not any(id_.name != each.name for each in resources for id_ in each.previous_ids):
        return
    candidates = ReferralCandidates(resources)
    by_kind: dict[Gvk, tuple[NameField, ...]] = {}

    def fixed(resource: Resource) -> Resource:
        gvk = resource.gvk
        fields = NAME_FIELDS.get((gvk.group, gvk.kind))
        if not fields:
            return resource
        if gvk not in by_kind:
            listed = frozenset(_configured_paths(configured, gvk))
            by_kind[gvk] = tuple(each for each in fields if _path_text(each) not in listed)
        return _References(resource, candidates).fixed(by_kind[gvk])

    resources.update(fixed)


def _configured_paths(configured: Sequence[NameReference], gvk: Gvk) -> Iterator[str]:
    for reference in configured:
        for spec in reference.referrers:
            if spec.kind in ("", gvk.kind) and spec.group in ("", gvk.group):
                yield spec.path.replace("[]", "").strip("/")


def _path_text(field: NameField) -> str:
    return "/".join((*field.path, field.name))


class _References:
    """The fields of one resource that hold names of others."""

    def __init__(self, resource: Resource, candidates: ReferralCandidates) -> None:
        self._resource = resource
        self._referrer = Referrer(resource)
        self._candidates = candidates

    def fixed(self, fields: Collection[NameField]) -> Resource:
        spend(2 * len(fields), "following names")
        content: Json = self._resource.content
        for field in fields:
            content = self._visit(content, field, 0)
        return self._resource.with_content(content) if isinstance(content, dict) else self._resource

    def _visit(self, value: Json, field: NameField, depth: int) -> Json:
        if isinstance(value, list):
            elements = [self._visit(element, field, depth) for element in value]
            unchanged = all(new is old for new, old in zip(elements, value, strict=True))
            return value if unchanged else elements
        if not isinstance(value, dict):
            return value
        if depth == len(field.path):
            return self._renamed(value, field)
        key = field.path[depth]
        if key not in value:
            return value
        child = self._visit(value[key], field, depth + 1)
        return value if child is value[key] else {**value, key: child}

    def _renamed(self, mapping: JsonObject, field: NameField) -> JsonObject:
        written = mapping.get(field.name)
        if isinstance(written, list):
            names = [self._new_name(each, mapping, field) for each in written]
            return mapping if names == written else {**mapping, field.name: names}
        if not isinstance(written, str):
            return mapping
        namespace, slash, name = written.rpartition("/") if field.is_qualified else ("", "", written)
        if field.namespace:
            namespace = text_at(mapping, field.namespace)
        referral = self._referral(name, namespace, mapping, field)
        if referral is None:
            indexed = self._indexed_name(name, mapping, field)
            return mapping if indexed is None else {**mapping, field.name: indexed}
        if referral.name == name:
            return mapping
        moved = referral.namespace if namespace and referral.namespace else namespace
        renamed = {**mapping, field.name: f"{moved}{slash}{referral.name}" if slash else referral.name}
        return {**renamed, field.namespace: moved} if field.namespace and namespace else renamed

    def _new_name(self, name: Json, mapping: JsonObject, field: NameField) -> Json:
        referral = self._referral(name, "", mapping, field) if isinstance(name, str) else None
        return name if referral is None else referral.name

    def _indexed_name(self, name: str, mapping: JsonObject, field: NameField) -> str | None:
        """Return the new name in a pool whose machines append their index; None if nothing is renamed.

        The name means ``ci-0``, ``ci-1`` …, so it becomes what the first of them is named without its
        index.
        """
        volume = field.path[field.path.index("volumes") + 1] if "volumes" in field.path else ""
        option = index_option(volume)
        generation = object_at(self._resource.content, "spec", "nameGeneration")
        if option is None or self._resource.kind != VM_POOL or generation.get(option[0]) is not True:
            return None
        referral = self._referral(f"{name}-0", "", mapping, field)
        found = split_index(referral.name) if referral else None
        return found[0] if found and found[1] == 0 else None

    def _referral(self, name: str, namespace: str, mapping: JsonObject, field: NameField) -> Resource | None:
        """Return the resource that had ``name``, of the first kind that has one; None if there is none."""
        named = self._candidates.named(name)
        if not named:
            return None
        spend(16 * len(named), "following names")
        for target in field.targets(mapping):
            matches = with_same_affixes(
                (each for each in named if was_of_kind(each, target) and self._can_name(each, namespace)),
                self._referrer,
            )
            if len({match.name for match in matches}) > 1:
                message = f"{name} in {_path_text(field)} of {self._resource.current_id} has several matches"
                related = tuple(Related(str(each.current_id), each.sites()) for each in matches)
                raise Diagnostic.about(
                    self._resource, None, Code.NAME_AMBIGUOUS, message, related=related
                ).error()
            if matches:
                return matches[0]
        return None

    def _can_name(self, other: Resource, namespace: str) -> bool:
        """Return True if the resource may name the other one in ``namespace``, empty for its own."""
        if other.kind in CLUSTER_KINDS:
            return True
        if namespace:
            return namespace in (original_identity(other).namespace, current_identity(other).namespace)
        return self._referrer.can_name(other)
