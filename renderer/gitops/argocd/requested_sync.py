"""The sync that the field ``operation`` of an Application starts, also if it is written in Git.

The controller runs it with its own options instead of those of ``spec.syncPolicy``, and then removes the
field (argo-cd ``controller/appcontroller.go`` ``processRequestedAppOperation``, ``controller/sync.go``
``SyncAppState``).
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.gitops.argocd.application import sources
from renderer.model.kube.json import EMPTY, JsonObject, array_at, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.sync_options import FORCE


def requested_sync(application: Resource) -> JsonObject:
    """Return the sync that an Application asks for; empty without one, and for a dry run."""
    found = object_at(application.content, "operation", "sync")
    return EMPTY if found.get("dryRun") is True else found


def requests_pruning(application: Resource) -> bool:
    """Return True if the sync deletes what Git no longer has."""
    return requested_sync(application).get("prune") is True


def options_of_request(application: Resource) -> tuple[str, ...]:
    """Return the options of the sync; a strategy that forces counts as ``Force=true``."""
    sync = requested_sync(application)
    strategies = (object_at(sync, "syncStrategy", each) for each in ("apply", "hook"))
    forced = (FORCE,) if any(each.get("force") is True for each in strategies) else ()
    return (*map(str, array_at(sync, "syncOptions")), *forced)


def requested_elsewhere(application: Resource) -> Iterator[str]:
    """Yield the fields of the sync by which it applies something else than the sources of the Application."""
    sync = requested_sync(application)
    if array_at(sync, "manifests"):
        yield "manifests"
    spec = object_at(application.content, "spec")
    for field in ("source", "sources"):
        if sync.get(field) and sync[field] != spec.get(field):
            yield field
    own = [each.revision for each in sources(application)]
    if text_at(sync, "revision") and [text_at(sync, "revision")] != own:
        yield "revision"
    if array_at(sync, "revisions") and array_at(sync, "revisions") != own:
        yield "revisions"
