"""Whether a build means the same after its files were migrated: all but the new names for what they say."""

from __future__ import annotations

from renderer.migration.rules import today
from renderer.model.resource import Resource, ResourceSet


def differing(before: ResourceSet, after: ResourceSet) -> tuple[Resource, ...]:
    """The resources of ``before`` that mean something else in ``after``; all of them where any is missing."""
    if len(before) != len(after):
        return tuple(before)
    return tuple(
        old for old, new in zip(before, after, strict=True) if today(old.content) != today(new.content)
    )
