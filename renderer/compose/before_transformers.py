"""The resources of a kustomization before its own names and patches apply, for pins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.compose.identity import Identity, identities
from renderer.model.resource import Resource
from renderer.model.source_tree import SourceTree


def before_transformers(tree: SourceTree) -> SourceTree:
    """Return the tree without the name changes and patches of its root."""
    root = tree.root
    kustomization = root.kustomization._replace(
        name_prefix="",
        name_suffix="",
        namespace="",
        patches=(),
        patches_strategic_merge=(),
        patches_json6902=(),
    )
    bare = root._replace(
        kustomization=kustomization, patches=(), patches_strategic_merge=(), patches_json6902=()
    )
    return SourceTree(bare)


def earlier_forms(
    after: Iterable[Resource], before: Iterable[Resource]
) -> Iterator[tuple[Resource, Resource]]:
    """Yield (later, earlier) for each resource of ``after`` that came from one of ``before``."""
    by_origin: dict[object, list[tuple[frozenset[Identity], Resource]]] = {}
    for resource in before:
        by_origin.setdefault(resource.origin, []).append((frozenset(identities(resource)), resource))
    for resource in after:
        ids = frozenset(identities(resource))
        # One file may have come in by several ways: that which shares most of its names is the one.
        found = [
            (len(known), earlier) for known, earlier in by_origin.get(resource.origin, ()) if known <= ids
        ]
        if found:
            yield resource, max(found, key=lambda each: each[0])[1]
