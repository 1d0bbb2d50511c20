"""Pair the resources of an overlay's two sides: equal ids first, then renamed resources."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from renderer.model.kube.json import without
from renderer.model.kube.res_id import without_hash
from renderer.model.kube.resource import Resource

Pair: TypeAlias = tuple[Resource, Resource]


class Matched(NamedTuple):
    """``same`` pairs have equal ids on both sides, in any API version; ``renamed`` pairs do not."""

    same: tuple[Pair, ...]
    renamed: tuple[Pair, ...]
    added: tuple[Resource, ...]
    removed: tuple[Resource, ...]


def match(before: Iterable[Resource], after: Iterable[Resource]) -> Matched:
    """Pair resources by kind, namespace and name; then pair the rest by content.

    A pair counts as renamed if only name and namespace differ; if the names differ in a hash of the content;
    or if each is the only resource with its name, and the namespaces differ.
    """
    before, after = tuple(before), tuple(after)
    same, removed, added = _pair(before, after, _id_key)
    renamed: list[Pair] = []
    for key in (_content_key, _unhashed_name_key, _name_key):
        pairs, removed, added = _pair(removed, added, key)
        renamed += pairs
    return Matched(tuple(same), tuple(renamed), tuple(added), tuple(removed))


def _pair(
    before: Sequence[Resource], after: Sequence[Resource], key: Callable[[Resource], Hashable]
) -> tuple[list[Pair], Sequence[Resource], Sequence[Resource]]:
    """Pair the resources with equal keys, in order; a resource whose key is None stays unpaired."""
    if not before or not after:
        return [], before, after
    waiting: dict[Hashable, deque[Resource]] = {}
    for resource in before:
        waiting.setdefault(key(resource), deque()).append(resource)
    waiting.pop(None, None)
    pairs: list[Pair] = []
    added: list[Resource] = []
    for resource in after:
        candidates = waiting.get(key(resource))
        if candidates:
            pairs.append((candidates.popleft(), resource))
        else:
            added.append(resource)
    paired = {id(old) for old, _ in pairs}
    return pairs, [resource for resource in before if id(resource) not in paired], added


def _group_and_kind(resource: Resource) -> tuple[str, str]:
    return resource.gvk.group, resource.kind


def _id_key(resource: Resource) -> Hashable:
    return (*_group_and_kind(resource), resource.namespace, resource.name)


def _content_key(resource: Resource) -> Hashable:
    content = without(resource.content, "metadata", "name")
    content = without(without(content, "metadata", "namespace"), "apiVersion")
    return (*_group_and_kind(resource), json.dumps(content, sort_keys=True))


def _unhashed_name_key(resource: Resource) -> Hashable:
    stem = without_hash(resource.name)
    return None if stem == resource.name else (*_group_and_kind(resource), resource.namespace, stem)


def _name_key(resource: Resource) -> Hashable:
    return (*_group_and_kind(resource), resource.name) if resource.namespace else None
