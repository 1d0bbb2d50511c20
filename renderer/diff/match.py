"""The pairing of the resources of one side with those of the other."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from renderer.model.json import without
from renderer.model.resource import Resource

Pair: TypeAlias = tuple[Resource, Resource]

#: A suffix that is made of a resource's content: kustomize's ten characters (``api/hasher/hasher.go``), or
#: the ten hexadecimal digits at the end of an instance type's name.
_HASH = re.compile(r"-([2456789bcdfghkmt]{10}|[0-9a-f]{10})$")


class Matched(NamedTuple):
    """``same`` have the same id on both sides, whatever the version of their API; ``renamed`` have not."""

    same: tuple[Pair, ...]
    renamed: tuple[Pair, ...]
    added: tuple[Resource, ...]
    removed: tuple[Resource, ...]


def match(before: Iterable[Resource], after: Iterable[Resource]) -> Matched:
    """Pairs resources by kind, namespace and name; then what is left over by what it is.

    Those are renamed that are alike but for name and namespace; whose names differ in a hash of the content;
    or that are alone in having a name, in different namespaces.
    """
    before, after = tuple(before), tuple(after)
    same, removed, added = _pair(before, after, _identity)
    renamed: list[Pair] = []
    for key in (_content, _stem, _name):
        pairs, removed, added = _pair(removed, added, key)
        renamed += pairs
    return Matched(tuple(same), tuple(renamed), tuple(added), tuple(removed))


def _pair(
    before: Sequence[Resource], after: Sequence[Resource], key: Callable[[Resource], Hashable]
) -> tuple[list[Pair], Sequence[Resource], Sequence[Resource]]:
    """Pairs those with equal keys, first with first; None pairs with nothing."""
    if not before or not after:
        return [], before, after
    waiting: dict[Hashable, list[Resource]] = {}
    for resource in before:
        waiting.setdefault(key(resource), []).append(resource)
    waiting.pop(None, None)
    pairs: list[Pair] = []
    added: list[Resource] = []
    for resource in after:
        candidates = waiting.get(key(resource))
        if candidates:
            pairs.append((candidates.pop(0), resource))
        else:
            added.append(resource)
    paired = {id(old) for old, _ in pairs}
    return pairs, [resource for resource in before if id(resource) not in paired], added


def _kind(resource: Resource) -> tuple[str, str]:
    return resource.gvk.group, resource.kind


def _identity(resource: Resource) -> Hashable:
    return (*_kind(resource), resource.namespace, resource.name)


def _content(resource: Resource) -> Hashable:
    content = without(resource.content, "metadata", "name")
    content = without(without(content, "metadata", "namespace"), "apiVersion")
    return (*_kind(resource), json.dumps(content, sort_keys=True))


def _stem(resource: Resource) -> Hashable:
    stem = _HASH.sub("", resource.name)
    return None if stem == resource.name else (*_kind(resource), resource.namespace, stem)


def _name(resource: Resource) -> Hashable:
    return (*_kind(resource), resource.name) if resource.namespace else None
