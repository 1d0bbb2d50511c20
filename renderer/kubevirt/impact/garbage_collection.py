"""An object that gets an owner: Kubernetes deletes it as soon as none of its owners exists.

kubernetes ``pkg/controller/garbagecollector/garbagecollector.go`` attemptToDeleteItem.
"""

from __future__ import annotations

from renderer.model.difference import Effect, Impact
from renderer.model.kube.json import text_at
from renderer.model.kube.owners import owners
from renderer.model.kube.resource import Resource


def owned_by_another(before: Resource, after: Resource) -> Impact | None:
    """Return the impact of owners that an object did not have; None without any."""
    owner = new_owner(before, after)
    if owner is None:
        return None
    return Impact(
        Effect.AT_RISK,
        f"it gets the owner {owner}: it is deleted as soon as that does not exist with this uid",
        "kubernetes pkg/controller/garbagecollector/garbagecollector.go attemptToDeleteItem",
    )


def new_owner(before: Resource, after: Resource) -> str | None:
    """Return the kind and name of an owner that an object did not have; None without any."""
    known = {text_at(each, "uid") for each in owners(before.content)}
    new = (each for each in owners(after.content) if text_at(each, "uid") not in known)
    return next((f"{text_at(each, 'kind')} {text_at(each, 'name')}" for each in new), None)
