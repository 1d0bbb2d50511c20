"""Machines whose matchers match nothing, as KubeVirt from 1.6 on judges them: without these matchers.

It admits such a machine and starts it once the objects exist (``pkg/instancetype/webhooks/vm/admitter.go``),
so its webhooks judge what else the machine says.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from renderer.kubevirt.facts.kinds import MATCHER_KEYS
from renderer.kubevirt.instancetype.behaviour import behaviour_of
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.json import without
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import Release

#: Findings about matchers that match nothing.
_CODES = frozenset(
    {
        Code.INSTANCETYPE_NOT_FOUND,
        Code.PREFERENCE_NOT_FOUND,
        Code.REVISION_INVALID,
        Code.UNKNOWN_KIND,
    }
)


class Unmatched(NamedTuple):
    """A matcher that matches nothing: the finding about it, and the keys of the path to it."""

    finding: Diagnostic
    keys: tuple[str, ...]


def unmatched_matchers(findings: Iterable[Diagnostic], release: Release) -> tuple[Unmatched, ...]:
    """Return the matchers that match nothing, and that KubeVirt ignores.

    A name that resembles a name in the catalog is a mistake, so nothing is judged without it.
    """
    found = tuple(
        Unmatched(each, keys)
        for each in findings
        if each.code in _CODES
        and not (each.hint or "").startswith("did you mean")
        and (keys := _path_to_matcher(each))
    )
    return found if found and behaviour_of(release).admits_missing_objects else ()


def without_matchers(resources: ResourceSet, unmatched: Iterable[Unmatched]) -> ResourceSet:
    """Return the resources without the ``unmatched`` matchers."""
    removed: dict[ResId | None, list[tuple[str, ...]]] = {}
    for each in unmatched:
        removed.setdefault(each.finding.resource, []).append(each.keys)

    def rest(resource: Resource) -> Resource:
        content = resource.content
        for keys in removed.get(resource.current_id, ()):
            content = without(content, *keys)
        return resource if content is resource.content else resource.with_content(content)

    return resources.map(rest)


def _path_to_matcher(found: Diagnostic) -> tuple[str, ...]:
    """Return the keys of the path to the finding's matcher; empty if it is not about a matcher."""
    keys = [key for key in found.field.segments if isinstance(key, str)] if found.field else []
    place = next((index for index, key in enumerate(keys) if key in MATCHER_KEYS), None)
    return () if place is None else tuple(keys[: place + 1])
