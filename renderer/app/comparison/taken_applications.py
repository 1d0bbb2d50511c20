"""Applications that exist, and that an ApplicationSet begins to make, too.

A set writes its own spec, annotations and finalizers over an Application that nobody controls, and from then
on deletes it as one of its own. It cannot take one that another set controls (argo-cd
``applicationset/controllers/applicationset_controller.go`` ``createOrUpdateInCluster``; controller-runtime
``SetControllerReference`` returns an ``AlreadyOwnedError``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from renderer.app.comparison.side import Side
from renderer.gitops.argocd.application import is_application, is_application_set
from renderer.model.difference import Effect, Impact
from renderer.model.kube.res_id import ObjectKey
from renderer.model.kube.resource import Resource

_SOURCE = "argo-cd applicationset/controllers/applicationset_controller.go createOrUpdateInCluster"


class Taken(NamedTuple):
    """An Application that ``maker`` begins to make. ``owner`` is the set that goes on making it, if any."""

    name: str
    maker: Resource
    owner: Resource | None

    @property
    def reason(self) -> str:
        """Why what the Application deploys is not certain any more."""
        label = f"ApplicationSet {self.maker.name} makes an Application {self.name} from now on, too"
        if self.owner is not None:
            return f"{label}: it has no effect while ApplicationSet {self.owner.name} controls that"
        return f"{label}, and writes it over the one in Git"

    @property
    def impact(self) -> Impact | None:
        """What the new set does to what the Application has deployed; None if it cannot take it."""
        if self.owner is not None:
            return None
        label = f"it takes over Application {self.name}, which is in Git"
        reason = f"{label}: what that has deployed may be deleted"
        return Impact(Effect.MAY_DELETE, reason, _SOURCE)


def taken_applications(before: Side, after: Side) -> Mapping[ObjectKey, Taken]:
    """Return the Applications of the first side that another set begins to make on the second one."""
    found: dict[ObjectKey, Taken] = {}
    former = _by_id(before)
    for maker, made in _made(after):
        known = former.get(made.object_key, ())
        if not known or any(each.object_key == maker.object_key for each in known):
            continue
        if not any(each.origin == maker.origin or before.deployers.are_rivals(maker, each) for each in known):
            continue
        staying = filter(is_application_set, known)
        owner = next((each for each in staying if after.deployers.makes(each, made.object_key)), None)
        is_written = any(map(is_application, after.deployers.written.get(made.object_key, ())))
        if owner is not None or is_written:
            found[made.object_key] = Taken(made.name, maker, owner)
    return found


def _by_id(side: Side) -> Mapping[ObjectKey, list[Resource]]:
    """Return the sets that make each Application, and the Application itself if a file has it."""
    found: dict[ObjectKey, list[Resource]] = {}
    for each in side.deployers.objects:
        if is_application(each):
            found.setdefault(each.object_key, []).append(each)
    for maker, made in _made(side):
        found.setdefault(made.object_key, []).append(maker)
    return found


def _made(side: Side) -> Iterator[tuple[Resource, Resource]]:
    """Yield each set with each Application that it makes."""
    for maker in side.deployers.objects:
        if is_application_set(maker):
            yield from ((maker, made) for made in side.deployers.made_by(maker))
