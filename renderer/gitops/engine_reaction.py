"""A changed Kustomization, Application or source: what its engine does from then on to what it deploys.

kustomize-controller applies nothing while ``spec.suspend`` is set, and in the cluster of ``spec.kubeConfig``
(``internal/controller/kustomization_controller.go`` ``Reconcile``). With ``spec.force`` it deletes what it
cannot update (fluxcd/pkg ``ssa/manager_apply.go`` ``shouldForceApply``). Argo CD deletes what an Application
tracks and Git no longer has, as soon as it prunes automatically (``controller/appcontroller.go``
``autoSync``), and with the sync that ``operation`` asks for. Flux does not delete what left Git earlier: its
inventory no longer has it. An ApplicationSet whose ``syncPolicy.applicationsSync`` lets it delete
Applications deletes all that it owns and does not make, also what it stopped making earlier (argo-cd
``applicationset/controllers/applicationset_controller.go`` ``deleteInCluster``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import groupby, starmap

from renderer.gitops.argocd.application import (
    MADE_BY_TOOLS,
    DeployedSource,
    SourceType,
    as_application,
    as_overridden,
    effective_type,
    git_generators,
    is_application,
    is_application_set,
    sources,
)
from renderer.gitops.argocd.destination import target_cluster
from renderer.gitops.argocd.requested_sync import (
    options_of_request,
    requested_elsewhere,
    requested_sync,
    requests_pruning,
)
from renderer.gitops.cascade import removal_impact
from renderer.gitops.flux.known_fields import BUILD_FIELDS
from renderer.gitops.flux.kustomization import is_flux_kustomization, source_key
from renderer.gitops.folder_reader import FolderReader
from renderer.gitops.pauses import SKIP_RECONCILE, is_resumed, pause_of, resumptions
from renderer.gitops.pruning import (
    deletes_with_itself,
    keeps_what_it_made,
    prunes_automatically,
    updates_what_it_made,
)
from renderer.gitops.repository_url import are_same_repository
from renderer.kubevirt.impact.garbage_collection import owned_by_another
from renderer.model.difference import Effect, Impact, worst
from renderer.model.engines import FLUX_SOURCE_GROUP
from renderer.model.kube.json import JsonObject, array_at, object_at, text_at
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.resource import Resource
from renderer.model.sync_options import FORCE, REPLACE, SERVER_SIDE, options_of_application

_SYNC_FIELDS = ("kind", "name", "ref", "url")
_SOURCE_ADDRESS = ("path", "repoURL", "targetRevision")
#: Fields of Flux's sources that say how a revision is fetched, not what is in it; and the one by which a part
#: of it is left out, which entry points are rendered with. They are not rendered with ``sparseCheckout``.
_FETCHING = frozenset(
    {
        *("accessFrom", "certSecretRef", "insecure", "interval", "passCredentials", "provider"),
        *("proxySecretRef", "secretRef", "serviceAccountName", "sts", "suspend", "timeout", "verify"),
    }
)
_LEAVING_OUT = "ignore"
#: The label by which one of several controllers of Flux applies an object (flux2 ``docs``, sharding).
_SHARD = "sharding.fluxcd.io/key"
_UPDATER = "argocd-image-updater.argoproj.io/"
_FLUX_FORCED = Impact(
    Effect.MAY_DELETE,
    "spec.force: Flux deletes what the cluster does not let it update, with the disks that it owns, and"
    " creates it again",
    "fluxcd/pkg ssa/manager_apply.go shouldForceApply",
)
_FLUX_PRUNES = Impact(
    Effect.NONE,
    "spec.prune: what leaves Git with this change or later is deleted",
    "kustomize-controller internal/controller/kustomization_controller.go prune",
)
_ARGOCD_FORCED = Impact(
    Effect.MAY_DELETE,
    "the sync option Force=true: Argo CD deletes what the cluster does not let it update, with the disks that"
    " it owns, and creates it again",
    "argo-cd gitops-engine/pkg/sync/sync_context.go applyObject",
)
_ARGOCD_PRUNES = Impact(
    Effect.MAY_DELETE,
    "automated.prune: what this deployed and Git no longer has is deleted",
    "argo-cd controller/appcontroller.go autoSync",
)
_ARGOCD_SYNC_FORCED = Impact(
    Effect.MAY_DELETE,
    "operation.sync: this sync deletes what the cluster does not let it update, with the disks that it owns,"
    " and creates it again",
    "argo-cd controller/sync.go SyncAppState",
)
_ARGOCD_SYNC_PRUNES = Impact(
    Effect.MAY_DELETE,
    "operation.sync.prune: this sync deletes what this deployed and Git no longer has",
    "argo-cd controller/sync.go SyncAppState",
)

_RESUMED = Impact(
    Effect.MAY_DELETE,
    "it applies changes again: what Git has lost since it stopped is deleted",
)
_PROJECT = "AppProject"
_WINDOW_OPENS = Impact(
    Effect.MAY_DELETE,
    "syncWindows: its Applications apply earlier changes that they were not allowed to, and what Git has lost"
    " meanwhile is deleted",
    "argo-cd controller/sync.go SyncAppState",
)
_SET_DELETES = Impact(
    Effect.MAY_DELETE,
    "applicationsSync: Applications that this set has made and no longer makes are deleted, with what they"
    " have deployed",
    "argo-cd applicationset/controllers/applicationset_controller.go deleteInCluster",
)


def impact_of(before: Resource, after: Resource) -> Impact | None:
    """Return the impact of a change of an object that deploys others; None if it is not known."""
    return worst(_impacts(before, after))


def _impacts(before: Resource, after: Resource) -> Iterator[Impact]:
    owned = owned_by_another(before, after)
    if owned is not None and removal_impact(after) is not None:
        yield owned
    if is_resumed(before, after) and _prunes(after):
        yield _RESUMED
    if after.kind == _PROJECT and _opens_windows(before, after):
        yield _WINDOW_OPENS
    if is_flux_kustomization(after):
        if _is_turned_on(before, after, "force"):
            yield _FLUX_FORCED
        if _is_turned_on(before, after, "prune"):
            yield _FLUX_PRUNES
        return
    old, new = as_application(before), as_application(after)
    if is_application(new):
        if _is_forced(options_of_application(new)) and not _is_forced(options_of_application(old)):
            yield _ARGOCD_FORCED
        if prunes_automatically(new) and not prunes_automatically(old):
            yield _ARGOCD_PRUNES
        if requested_sync(new) != requested_sync(old):
            if _is_forced(options_of_request(new)):
                yield _ARGOCD_SYNC_FORCED
            if requests_pruning(new):
                yield _ARGOCD_SYNC_PRUNES
        is_set = is_application_set(before) and is_application_set(after)
        if is_set and keeps_what_it_made(before, old) and not keeps_what_it_made(after, new):
            yield from (_SET_DELETES,) if deletes_with_itself(old) else ()


def _opens_windows(before: Resource, after: Resource) -> bool:
    """Return True if an AppProject denies syncs at fewer times, or allows them at more.

    argo-cd ``pkg/apis/application/v1alpha1/types.go`` ``CanSync``.
    """
    old, new = (
        [object_at(each) for each in array_at(side.content, "spec", "syncWindows")]
        for side in (before, after)
    )
    is_lost = any(each not in new for each in old if text_at(each, "kind") == "deny" or not new)
    return is_lost or any(each not in old for each in new if old and text_at(each, "kind") == "allow")


def _prunes(deployer: Resource) -> bool:
    """Return True if an object deletes what it has deployed and no longer makes, without being asked."""
    if is_flux_kustomization(deployer):
        return object_at(deployer.content, "spec").get("prune") is True
    if is_application(deployer):
        return prunes_automatically(deployer)
    return removal_impact(deployer) is not None  # a HelmRelease or a ResourceSet


def _is_turned_on(before: Resource, after: Resource, flag: str) -> bool:
    old, new = (object_at(each.content, "spec").get(flag) for each in (before, after))
    return new is True and old is not True


def _is_forced(options: Collection[str]) -> bool:
    return FORCE in options and (REPLACE in options or SERVER_SIDE not in options)


def redirections(before: Resource, after: Resource) -> Iterator[str]:
    """Yield why what is rendered is not what the cluster gets from now on, if a change makes it so.

    Either object may be a Kustomization, an Application, an ApplicationSet or a source of Flux.
    """
    label = f"{after.kind} {after.name}"
    yield from resumptions(before, after)
    if is_flux_kustomization(after):
        if _is_turned_on(before, after, "suspend"):
            yield f"{label} is suspended: nothing is applied until it is resumed"
        if _differs(before, after, "kubeConfig"):
            yield f"{label} has another spec.kubeConfig: it goes to another cluster"
        if source_key(before) != source_key(after):
            yield f"{label} has another spec.sourceRef: it may not deploy what is rendered here"
        if before.labels.get(_SHARD) != after.labels.get(_SHARD):
            yield f"{label} has another label {_SHARD}: another controller applies it, or none"
        account = text_at(after.content, "spec", "serviceAccountName")
        if account and _differs(before, after, "serviceAccountName"):
            yield f"{label} has another spec.serviceAccountName: it applies only what {account} is allowed to"
    elif after.gvk.group == FLUX_SOURCE_GROUP:
        if _is_turned_on(before, after, "suspend"):
            yield f"{label} is suspended: no later revision is applied until it is resumed"
        fields = {*object_at(before.content, "spec"), *object_at(after.content, "spec")}
        for field in sorted(fields - _FETCHING - {_LEAVING_OUT}):
            if _differs(before, after, field):
                yield f"{label} has another spec.{field}: it may not have the files that are rendered here"
    else:
        if is_application_set(before) and is_application_set(after):
            yield from _made_otherwise(before, after)
        old, new = as_application(before), as_application(after)
        if target_cluster(old) != target_cluster(new):
            yield f"{label} has another destination: it goes to another cluster"
        if _revisions(old) != _revisions(new):
            yield f"{label} has another targetRevision: it may not deploy the revision rendered here"
        if _is_moved(old, new):
            yield f"{label} has another repoURL: it may not deploy the files that are rendered here"
        if _updater(old) != _updater(new):
            yield f"{label} has other annotations of Argo CD Image Updater, which may write other images"
        if pause_of(new) == SKIP_RECONCILE != pause_of(old):
            yield f"{label} gets {SKIP_RECONCILE}: nothing is applied until that is removed"
        if _hydrated(old) != _hydrated(new):
            yield f"{label} has another spec.sourceHydrator: it may not deploy what is rendered here"
        if _charts(old) != _charts(new):
            yield f"{label} has other charts among its sources: these may add, replace or remove objects"
        for field in _newly_requested(old, new):
            yield f"{label} starts a sync with its own operation.sync.{field}: it deploys something else"


def redirection_by_instance(before: Resource | None, after: Resource | None) -> str:
    """Return why a FluxInstance makes the root of its cluster otherwise than before; empty if it does not.

    The operator makes the root Kustomization and its source of ``spec.sync`` and ``spec.kustomize.patches``,
    and deletes those of another name (flux-operator ``internal/controller/fluxinstance_controller.go``
    ``build``, ``apply``). That the root has another path, the overlays say that it deploys.
    """
    if after is None:
        return ""
    label = f"{after.kind} {after.name}"
    if before is None:
        return f"{label} is new, and may make another source than what is deployed now"
    for field in (*(("sync", each) for each in _SYNC_FIELDS), ("kustomize", "patches")):
        if _differs(before, after, *field):
            return f"{label} has another spec.{'.'.join(field)}: what is rendered may not be deployed"
    return ""


def _made_otherwise(before: Resource, after: Resource) -> Iterator[str]:
    """Yield why an ApplicationSet may make other Applications than this revision's files say."""
    label = f"{after.kind} {after.name}"
    old, new = ([*git_generators(each)] for each in (before, after))
    for each in new if old else ():
        url, revision = text_at(each, "repoURL"), text_at(each, "revision") or "HEAD"
        same = [one for one in old if are_same_repository(text_at(one, "repoURL"), url)]
        if not same:
            yield f"{label} has a git generator of another repository: it may not make what is rendered here"
        elif revision not in [text_at(one, "revision") or "HEAD" for one in same]:
            yield f"{label} has a git generator of another revision: it may not make what is rendered here"
    if updates_what_it_made(after) and not updates_what_it_made(before):
        yield f"{label} updates Applications that it has made: earlier changes of these arrive now"


def _updater(application: Resource) -> JsonObject:
    """Return the annotations by which Argo CD Image Updater writes images into an Application or Git."""
    return {key: each for key, each in application.annotations.items() if key.startswith(_UPDATER)}


def _newly_requested(before: Resource, after: Resource) -> Iterator[str]:
    """Yield the fields by which a sync that a changed Application starts applies something else."""
    if requested_sync(before) != requested_sync(after):
        yield from requested_elsewhere(after)


def changes_below(
    before: Resource, after: Resource, folders: tuple[FolderReader, FolderReader]
) -> Iterator[str]:
    """Yield why a change of an object may change the objects that it deploys, which deploy overlays.

    ``folders`` read the files of both sides: the folder of an Application may have more of its options.
    """
    label = f"{after.kind} {after.name}"
    yield from resumptions(before, after)
    if is_flux_kustomization(after):
        for field in (*BUILD_FIELDS, "kubeConfig"):
            if _differs(before, after, field):
                yield f"{label} has another spec.{field}, and deploys what deploys it"
        if source_key(before) != source_key(after):
            yield f"{label} has another spec.sourceRef, and deploys what deploys it"
    elif after.gvk.group != FLUX_SOURCE_GROUP:
        old, new = as_application(before), as_application(after)
        if (
            _build_options(old, folders[0]) != _build_options(new, folders[1])
            or _tools(old, folders[0]) != _tools(new, folders[1])
            or _revisions(old) != _revisions(new)
            or _is_moved(old, new)
            or _hydrated(old) != _hydrated(new)
            or _charts(old) != _charts(new)
        ):
            yield f"{label} has another source, and deploys what deploys it"
        for field in _newly_requested(old, new):
            yield f"{label} starts a sync with its own operation.sync.{field}, and deploys what deploys it"


def unrendered_changes(
    before: Resource,
    after: Resource,
    folders: tuple[FolderReader, FolderReader],
    known: Collection[str] = (),
) -> Iterator[str]:
    """Yield why an overlay that is rendered from its folder alone does not show what a change does to it.

    ``folders`` are as in ``changes_below``; ``known`` are fields that it is rendered with.
    """
    label = f"{after.kind} {after.name}"
    if is_flux_kustomization(after):
        for field in BUILD_FIELDS:
            if field not in known and _differs(before, after, field):
                yield f"{label} has another spec.{field}, and is not what is rendered: list it under flux"
    elif after.gvk.group == FLUX_SOURCE_GROUP:
        if _differs(before, after, _LEAVING_OUT):
            yield f"{label} has another spec.{_LEAVING_OUT}: it may leave out what is rendered"
    else:
        old, new = as_application(before), as_application(after)
        if _build_options(old, folders[0]) != _build_options(new, folders[1]):
            is_written = _build_options(old) != _build_options(new)
            found = "a source with other options" if is_written else "other options in .argocd-source files"
            yield f"{label} has {found}, and is not what is rendered: list it under argocd"
        elif _tools(old, folders[0]) != _tools(new, folders[1]):
            yield f"{label} has a folder that becomes, or is no longer, that of a chart or plugin"
        if _differs(old, new, "destination", "namespace"):
            found = "another destination.namespace"
            yield f"{label} has {found}, which objects without one get: list it under argocd"


def _build_options(application: Resource, folders: FolderReader | None = None) -> list[JsonObject]:
    """Return the options of the sources of an Application; with ``folders``, as files there change them."""
    every = _with_manifests(application)
    found = (as_overridden(folders, each).content if folders else each.content for each in every)
    return [{key: value for key, value in each.items() if key not in _SOURCE_ADDRESS} for each in found]


def _tools(application: Resource, folders: FolderReader) -> list[SourceType | None]:
    """Return for each source of an Application the chart or plugin that makes its manifests; None without."""
    types = (effective_type(folders, each) for each in _with_manifests(application))
    return [each if each in MADE_BY_TOOLS else None for each in types]


def _differs(before: Resource, after: Resource, *field: str) -> bool:
    path = ("spec", *field)
    return value_at(before.content, path) != value_at(after.content, path)


def _is_moved(before: Resource, after: Resource) -> bool:
    """Return True if an Application gets its manifests from another repository, not from one more."""
    urls = [[each.url for each in _with_manifests(application)] for application in (before, after)]
    return not all(starmap(are_same_repository, zip(*urls, strict=False)))


def _hydrated(application: Resource) -> JsonObject | None:
    """Return where an Application is synced from, once its dry source is hydrated; None without a hydrator.

    argo-cd ``pkg/apis/application/v1alpha1/types.go`` GetSource, GetHydrateToSource.
    """
    hydrator = object_at(application.content, "spec").get("sourceHydrator")
    if not isinstance(hydrator, dict):
        return None
    return {key: value for key, value in hydrator.items() if key != "drySource"}


def _charts(application: Resource) -> list[tuple[str, str]]:
    """Return the charts among the sources, in their order with those that are folders: the last one wins."""
    every = (each for each in sources(application) if each.has_manifests)
    return [
        key
        for key, _ in groupby(
            (each.url, text_at(each.content, "chart")) if each.is_chart else ("", "") for each in every
        )
    ]


def _revisions(application: Resource) -> list[str]:
    """Return the revision of each source with manifests of a repository; ``HEAD`` is the default."""
    return [each.revision or "HEAD" for each in _with_manifests(application)]


def _with_manifests(application: Resource) -> Iterator[DeployedSource]:
    return (each for each in sources(application) if each.has_manifests and not each.is_chart)
