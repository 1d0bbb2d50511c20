"""Which resource a name refers to (kustomize ``api/filters/nameref/nameref.go`` selectReferral)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TypeAlias

from renderer.compose.identity import current_identity, original_identity
from renderer.compose.res_map import ResMap
from renderer.compose.scope import NO_NAMESPACE
from renderer.model.gvk import Gvk
from renderer.model.json import Json, array_at, object_at, scalar_text
from renderer.model.resource import Resource

#: Whether a resource comes into question.
Condition: TypeAlias = Callable[[Resource], bool]


class Candidates:
    """The resources that were renamed, by the names they had."""

    def __init__(self, resources: ResMap) -> None:
        self._resources = resources
        self._by_previous_name: dict[str, list[Resource]] = {}
        for resource in resources:
            for name in dict.fromkeys(known.name for known in resource.previous_ids):
                self._by_previous_name.setdefault(name, []).append(resource)
        self._original_namespaces: dict[tuple[str, frozenset[str]], frozenset[str]] = {}

    def __bool__(self) -> bool:
        return bool(self._by_previous_name)

    def named(self, name: str) -> Sequence[Resource]:
        return self._by_previous_name.get(name, ())

    def original_namespaces(self, referrer: Referrer) -> frozenset[str]:
        """The namespaces from which the resources come that ``referrer`` can see."""
        key = referrer.namespace, referrer.bound_namespaces
        if key not in self._original_namespaces:
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
        """Where the service accounts live that a RoleBinding names."""
        if self.resource.kind != "RoleBinding":
            return frozenset()
        return frozenset(
            scalar_text(object_at(subject).get("namespace"))
            for subject in array_at(self.resource.content, "subjects")
            if object_at(subject).get("kind") == "ServiceAccount" and "namespace" in object_at(subject)
        )

    def sees(self, other: Resource) -> bool:
        """Whether it may refer to the other at all (``SubsetThatCouldBeReferencedByResource``)."""
        namespace = current_identity(other).namespace
        return (
            NO_NAMESPACE in (self.namespace, namespace)
            or namespace == self.namespace
            or other.namespace in self.bound_namespaces
        )

    def can_name(self, other: Resource) -> bool:
        """Whether a name in it may be that of the other: of other namespaces only service accounts'."""
        namespace = current_identity(other).namespace
        return (
            NO_NAMESPACE in (self.namespace, namespace)
            or namespace == self.namespace
            or (other.kind == "ServiceAccount" and other.namespace in self.bound_namespaces)
        )

    def role(self) -> Condition:
        """Whether a resource is of the kind that ``roleRef`` says."""
        role = object_at(self.resource.content, "roleRef")
        if role.get("apiGroup") is None or role.get("kind") is None:
            return lambda _: True
        target = Gvk(scalar_text(role["apiGroup"]), "", scalar_text(role["kind"]))
        return lambda other: was_of_kind(other, target)

    def shares_affixes(self, other: Resource, *, exactly: bool) -> bool:
        """Whether the names of both got the same prefixes and suffixes last (``PrefixesSuffixesEquals``)."""
        return _end_alike(self.resource.name_prefixes, other.name_prefixes, exactly=exactly) and _end_alike(
            self.resource.name_suffixes, other.name_suffixes, exactly=exactly
        )


def was_of_kind(resource: Resource, target: Gvk) -> bool:
    """Whether a previous id of the resource is of the kind ``target``, empty parts of which match any."""
    gvk = resource.gvk
    return (
        target.group in ("", gvk.group)
        and target.version in ("", gvk.version)
        and any(target.kind in ("", known.gvk.kind) for known in resource.previous_ids)
    )


def narrowed(found: Iterable[Resource], referrer: Referrer) -> Sequence[Resource]:
    """The resources that remain when affixes have to agree, as far as that is needed."""
    remaining = list(found)
    if len(remaining) > 1:
        remaining = [other for other in remaining if referrer.shares_affixes(other, exactly=False)]
    if len(remaining) > 1:
        remaining = [other for other in remaining if referrer.shares_affixes(other, exactly=True)]
    return remaining


def _end_alike(left: Sequence[str], right: Sequence[str], *, exactly: bool) -> bool:
    if not left or not right:
        return not exactly or left == right
    length = min(len(left), len(right))
    return left[-length:] == right[-length:]


def text_of_field(content: Json, field: str) -> str | None:
    """The text of a scalar field; None when it is missing."""
    fields = object_at(content)
    return scalar_text(fields[field]) if field in fields else None
