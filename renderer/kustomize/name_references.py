"""Update the names in references when resources are renamed (kustomize ``api/filters/nameref``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TypeAlias

from renderer.kustomize.fields.field_spec_set import NameReference
from renderer.kustomize.fields.field_specs import (
    FieldSpecFilter,
    FieldSpecIndex,
    FieldSpecPath,
    WrongTypeError,
)
from renderer.kustomize.identity import NO_NAMESPACE, current_identity, original_identity
from renderer.kustomize.res_map import ResMap
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Related
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, scalar_text
from renderer.model.kube.res_id import Gvk
from renderer.model.kube.resource import Resource
from renderer.model.kube.sharing import once_for_same
from renderer.model.run.work import spend

#: Returns True if a resource may be the one that a name refers to.
Condition: TypeAlias = Callable[[Resource], bool]


class ReferralCandidates:
    """The renamed resources, by their previous names."""

    def __init__(self, resources: ResMap) -> None:
        self._resources = resources
        self._by_previous_name: dict[str, list[Resource]] = {}
        for resource in resources:
            for name in dict.fromkeys(id_.name for id_ in resource.previous_ids):
                self._by_previous_name.setdefault(name, []).append(resource)
        self._original_namespaces: dict[tuple[str, frozenset[str]], frozenset[str]] = {}

    def __bool__(self) -> bool:
        return bool(self._by_previous_name)

    def named(self, name: str) -> Sequence[Resource]:
        return self._by_previous_name.get(name, ())

    def original_namespaces(self, referrer: Referrer) -> frozenset[str]:
        """Return the original namespaces of the resources that ``referrer`` can see."""
        key = referrer.namespace, referrer.bound_namespaces
        if key not in self._original_namespaces:
            spend(8 * len(self._resources), "following names to other namespaces")
            self._original_namespaces[key] = frozenset(
                original_identity(resource).namespace
                for resource in self._resources
                if referrer.sees(resource)
            ) - {NO_NAMESPACE}
        return self._original_namespaces[key]


class Referrer:
    """A resource with names of others in its fields."""

    def __init__(self, resource: Resource) -> None:
        self.resource = resource

    @cached_property
    def namespace(self) -> str:
        return current_identity(self.resource).namespace

    @cached_property
    def bound_namespaces(self) -> frozenset[str]:
        """Return the namespaces of the service accounts that a RoleBinding names."""
        if self.resource.kind != "RoleBinding":
            return frozenset()
        return frozenset(
            scalar_text(object_at(subject).get("namespace"))
            for subject in array_at(self.resource.content, "subjects")
            if object_at(subject).get("kind") == "ServiceAccount" and "namespace" in object_at(subject)
        )

    def sees(self, other: Resource) -> bool:
        """Return True if it may refer to the other resource (``SubsetThatCouldBeReferencedByResource``)."""
        namespace = current_identity(other).namespace
        return (
            NO_NAMESPACE in (self.namespace, namespace)
            or namespace == self.namespace
            or other.namespace in self.bound_namespaces
        )

    def can_name(self, other: Resource) -> bool:
        """Return True if a name in it may be the name of the other resource.

        In another namespace, only a service account can be named.
        """
        namespace = current_identity(other).namespace
        return (
            NO_NAMESPACE in (self.namespace, namespace)
            or namespace == self.namespace
            or (other.kind == "ServiceAccount" and other.namespace in self.bound_namespaces)
        )

    def role_condition(self) -> Condition:
        """Return the condition that a resource has the kind in ``roleRef``."""
        role = object_at(self.resource.content, "roleRef")
        if role.get("apiGroup") is None or role.get("kind") is None:
            return lambda _: True
        target = Gvk(scalar_text(role["apiGroup"]), "", scalar_text(role["kind"]))
        return lambda other: was_of_kind(other, target)

    def shares_affixes(self, other: Resource, *, exactly: bool) -> bool:
        """Return True if both names got the same outermost prefixes and suffixes.

        kustomize ``PrefixesSuffixesEquals``.
        """
        same_prefixes = _have_same_end(self.resource.name_prefixes, other.name_prefixes, exactly=exactly)
        return same_prefixes and _have_same_end(
            self.resource.name_suffixes, other.name_suffixes, exactly=exactly
        )


def was_of_kind(resource: Resource, target: Gvk) -> bool:
    """Return True if a previous id of the resource has the kind ``target``; empty parts match any."""
    gvk = resource.gvk
    return (
        target.group in ("", gvk.group)
        and target.version in ("", gvk.version)
        and any(target.kind in ("", id_.gvk.kind) for id_ in resource.previous_ids)
    )


def with_same_affixes(resources: Iterable[Resource], referrer: Referrer) -> Sequence[Resource]:
    """Narrow the resources to matching affixes, while more than one remains."""
    remaining = list(resources)
    if len(remaining) > 1:
        remaining = [other for other in remaining if referrer.shares_affixes(other, exactly=False)]
    if len(remaining) > 1:
        remaining = [other for other in remaining if referrer.shares_affixes(other, exactly=True)]
    return remaining


def _have_same_end(left: Sequence[str], right: Sequence[str], *, exactly: bool) -> bool:
    if not left or not right:
        return not exactly or left == right
    length = min(len(left), len(right))
    return left[-length:] == right[-length:]


def _field_text(content: Json, field: str) -> str | None:
    """Return the text of a scalar field; None if it is missing."""
    fields = object_at(content)
    return scalar_text(fields[field]) if field in fields else None


def fix_name_references(resources: ResMap, references: Sequence[NameReference]) -> None:
    """Update the fields that hold previous names of resources to the current names.

    Raises: name-ambiguous if several resources match, resource-invalid.
    """
    for resource in resources:
        _check_subjects(resource)
    candidates = ReferralCandidates(resources)
    if not candidates:
        return
    by_kind: dict[tuple[str, str], tuple[tuple[Gvk, FieldSpecPath], ...]] = {}

    def fixed(resource: Resource) -> Resource:
        key = resource.api_version, original_identity(resource).kind
        if key not in by_kind:
            by_kind[key] = _name_fields(references, *key)
        spend(8 * len(by_kind[key]), "following names")
        for target, field in by_kind[key]:
            resource = _NameField(resource, field, target, candidates).fixed()
        return resource

    resources.update(fixed)


@once_for_same
def _name_fields(
    references: Sequence[NameReference], api_version: str, kind: str
) -> tuple[tuple[Gvk, FieldSpecPath], ...]:
    """Return the fields with names in objects of a kind, each with the kind of what it names.

    They are the same in all overlays that add no field specs.
    """
    gvk = Gvk.parse(api_version, kind)
    return tuple(
        (reference.target, field)
        for reference in references
        for field in FieldSpecIndex(reference.referrers).targets_of(gvk)
    )


def _check_subjects(resource: Resource) -> None:
    """Raise an error if a binding names a service account in a blank namespace, renamed or not."""
    if resource.kind != "RoleBinding":
        return
    for index, subject in enumerate(array_at(resource.content, "subjects")):
        fields = object_at(subject)
        is_account = fields.get("kind") == "ServiceAccount" and "namespace" in fields
        if is_account and not isinstance(fields["namespace"], str):
            field = FieldPath.of("subjects", index, "namespace")
            message = f"the namespace of a subject of {resource.current_id} is blank"
            hint = "leave it out, or name the namespace of the ServiceAccount"
            raise Diagnostic.about(resource, field, Code.RESOURCE_INVALID, message, hint).error()


class _NameField:
    """A field of a resource that holds names of resources of one kind."""

    def __init__(
        self, resource: Resource, field: FieldSpecPath, target: Gvk, candidates: ReferralCandidates
    ) -> None:
        self._resource = resource
        self._referrer = Referrer(resource)
        self._field = field
        self._target = target
        self._candidates = candidates

    def fixed(self) -> Resource:
        return FieldSpecFilter(self._renamed).apply(self._resource, (self._field,))

    def _renamed(self, value: Json) -> Json:
        """Return the updated name, list of names or mapping with a name."""
        if isinstance(value, list):
            elements = [self._renamed_element(element) for element in value]
            return value if elements == value else elements
        return self._renamed_element(value)

    def _renamed_element(self, value: Json) -> Json:
        if value is None:
            return None
        if isinstance(value, list):
            raise WrongTypeError("a name, or a mapping with one")
        if isinstance(value, dict):
            return self._renamed_mapping(value)
        name = scalar_text(value)
        referral = self._referral(name, lambda _: True, same_namespace=False)
        return value if referral is None or referral.name == name else referral.name

    def _renamed_mapping(self, value: JsonObject) -> JsonObject:
        name = _field_text(value, "name")
        if name is None:
            raise WrongTypeError("a mapping with a name")
        in_namespace = self._namespace_condition(_field_text(value, "namespace"))
        referral = self._referral(name, in_namespace, same_namespace=True)
        if referral is None:
            return value
        namespace = {"namespace": referral.namespace} if referral.namespace else {}
        renamed = {} if referral.name == name else {"name": referral.name}
        return {**value, **renamed, **namespace}

    def _namespace_condition(self, namespace: str | None) -> Condition:
        """Return the condition that the original, or else the current, namespace of a resource matches."""
        if namespace is None:
            return lambda _: True
        if namespace in self._candidates.original_namespaces(self._referrer):
            return lambda other: original_identity(other).namespace == namespace
        return lambda other: Referrer(other).namespace == namespace

    def _referral(self, name: str, condition: Condition, *, same_namespace: bool) -> Resource | None:
        """Return the resource that had ``name``, or None."""
        role = self._referrer.role_condition() if self._field.path.endswith("roleRef/name") else None
        candidates = self._candidates.named(name)
        spend(16 * len(candidates), "following names")
        matches = with_same_affixes(
            (
                other
                for other in candidates
                if condition(other)
                and was_of_kind(other, self._target)
                and (role is None or role(other))
                and self._referrer.can_name(other)
            ),
            self._referrer,
        )
        if len({(other.name, same_namespace and other.namespace) for other in matches}) > 1:
            raise Diagnostic.about(
                self._resource,
                None,
                Code.NAME_AMBIGUOUS,
                f"{name} in {self._field.path} of {self._resource.current_id} has several matches",
                related=tuple(Related(str(other.current_id), other.sites()) for other in matches),
            ).error()
        return matches[0] if matches else None
