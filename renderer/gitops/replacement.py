"""A changed object that deploys others: whether its engine deletes what it has deployed.

helm-controller uninstalls a release whose namespace, storage namespace, name or chart name changes, and
installs another one (``internal/action/verify.go`` ``ReleaseTargetChanged``). kustomize-controller prunes
what a Kustomization no longer makes, and Argo CD what an Application no longer has, if it prunes by itself:
of another source, under other names, or elsewhere, that is all of it. Another revision, or version of a
chart, is not judged: most of what it makes stays.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping

from renderer.gitops.argocd.application import (
    DeployedSource,
    as_application,
    is_application,
    is_application_set,
    sources,
)
from renderer.gitops.argocd.destination import target_cluster
from renderer.gitops.cascade import removal_impact
from renderer.gitops.flux.flux_operator import is_resource_set
from renderer.gitops.flux.kustomization import deployed_folder, is_flux_kustomization, source_key
from renderer.gitops.pruning import prunes_automatically
from renderer.gitops.repository_url import are_same_repository
from renderer.model.difference import Effect, Impact
from renderer.model.engines import FLUX_DOMAIN
from renderer.model.kube.json import Json, JsonObject, object_at, text_at
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.resource import Resource

_OF_KUSTOMIZATION = ("path", "sourceRef", "kubeConfig", "targetNamespace", "namePrefix", "nameSuffix")
_OF_SOURCE = (
    *(("path",), ("chart",), ("helm", "releaseName"), ("helm", "namespace")),
    *(("kustomize", "namePrefix"), ("kustomize", "nameSuffix"), ("kustomize", "namespace")),
)
#: What a ResourceSet makes is filled in from these fields.
_OF_RESOURCE_SET = ("inputs", "inputsFrom", "inputStrategy", "resources", "resourcesTemplate")
#: The fields of a set that choose what it makes, and lists in them of which more elements choose more.
_CHOOSING = ("generators", "inputs", "inputsFrom", "inputStrategy")
_LISTS = frozenset({"directories", "elements", "files", "inputs"})


_UNINSTALLS = Impact(
    Effect.MAY_DELETE,
    "upgrade.remediation: once an upgrade fails, Flux uninstalls the release, with all that it has made",
    "helm-controller internal/reconcile/atomic_release.go remediate",
)


def replacement_impact(before: Resource, after: Resource) -> Impact | None:
    """Return the impact of a change by which what an object has deployed is deleted; None if it is not."""
    if is_helm_release(after):
        changed = next(_changes_of_release(before, after), "")
        source = "helm-controller internal/action/verify.go ReleaseTargetChanged"
        found = _impact(changed, "Flux uninstalls the former release, with all that it has made", source)
        begins = _uninstalls(after) and not _uninstalls(before)
        return found or (_UNINSTALLS if begins else None)
    if is_flux_kustomization(after) and object_at(after.content, "spec").get("prune") is True:
        fields = (each for each in _OF_KUSTOMIZATION if _of(before, each) != _of(after, each))
        changed = next((f"spec.{each}" for each in fields), "")
        source = "kustomize-controller internal/controller/kustomization_controller.go prune"
        return _impact(changed, "Flux deletes what this has deployed and no longer makes", source)
    if is_application(after) and prunes_automatically(after):
        source = "argo-cd controller/appcontroller.go autoSync"
        changed = _change_of_application(before, after)
        return _impact(changed, "Argo CD deletes what this has deployed and no longer has", source)
    return None


def unknown_set_impact(before: Resource, after: Resource) -> Impact | None:
    """Return the impact of a change of a set of which it is not known what it makes; None if that stays.

    An ApplicationSet updates the Applications whose names it still makes, and these their objects (argo-cd
    ``applicationset/controllers/applicationset_controller.go`` ``deleteInCluster``).
    """
    if not (is_application_set(after) or is_resource_set(after)):
        return None
    removed = removal_impact(after)
    old, new = map(_made_of, (before, after))
    changed = next((each for each in new if old.get(each) != new[each]), "")
    if changed and removed:
        return _impact(f"spec.{changed}", removed.reason, removed.source)
    return replacement_impact(as_application(before), as_application(after))


def _made_of(set_: Resource) -> Mapping[str, Json]:
    """Return the fields of a set that decide which objects it makes, and under which names."""
    spec = object_at(set_.content, "spec")
    if is_resource_set(set_):
        return {each: spec.get(each) for each in _OF_RESOURCE_SET}
    return {
        "generators": _without_period(spec.get("generators")),
        **{each: spec.get(each) for each in ("goTemplate", "templatePatch")},
        "template.metadata.name": text_at(spec, "template", "metadata", "name"),
    }


def _without_period(generators: Json) -> Json:
    """Return generators, and those in them, without how often their source is read."""
    if isinstance(generators, list):
        return [*map(_without_period, generators)]
    if not isinstance(generators, dict):
        return generators
    return {key: _without_period(each) for key, each in generators.items() if key != "requeueAfterSeconds"}


def may_make_less(before: Resource, after: Resource) -> str:
    """Return the field of a set by which it may no longer make what it made; empty if it makes that and more.

    Empty for an object that is not a set, too.
    """
    if not (is_application_set(after) or is_resource_set(after)):
        return ""
    old, new = (object_at(each.content, "spec") for each in (before, after))
    sides = ((each, _without_period(old.get(each)), _without_period(new.get(each))) for each in _CHOOSING)
    return next((each for each, one, other in sides if not _has_all(one, other, each)), "")


def _has_all(old: Json, new: Json, field: str) -> bool:
    """Return True if a part of a generator chooses all that it chose before; more elements choose more."""
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(_has_all(old[key], new[key], key) for key in old)
    if isinstance(old, list) and isinstance(new, list) and field in _LISTS:
        added = [each for each in new if each not in old]
        return all(each in new for each in old) and not any(object_at(each).get("exclude") for each in added)
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return all(_has_all(one, other, field) for one, other in zip(old, new, strict=True))
    return old == new


def is_helm_release(resource: Resource) -> bool:
    """Return True for a HelmRelease of Flux."""
    return resource.kind == "HelmRelease" and resource.gvk.group == f"helm{FLUX_DOMAIN}"


def _impact(changed: str, reason: str, source: str) -> Impact | None:
    return Impact(Effect.MAY_DELETE, f"another {changed}: {reason}", source) if changed else None


def _of(kustomization: Resource, field: str) -> object:
    if field == "sourceRef":
        return source_key(kustomization)
    if field == "path":
        return deployed_folder(kustomization)
    return object_at(kustomization.content, "spec").get(field) or None


def _changes_of_release(before: Resource, after: Resource) -> Iterator[str]:
    """Yield the changed parts of the target of a release; its chart may have the same name all the same."""
    old, new = (object_at(each.content, "spec") for each in (before, after))
    for field in ("storageNamespace", "targetNamespace"):
        if (text_at(old, field) or before.namespace) != (text_at(new, field) or after.namespace):
            yield f"spec.{field}"
    if _release_name(before, old) != _release_name(after, new):
        yield "spec.releaseName"
    if _chart(before, old) != _chart(after, new):
        yield "chart"
    if old.get("kubeConfig") != new.get("kubeConfig"):
        yield "spec.kubeConfig"


def _uninstalls(release: Resource) -> bool:
    """Return True if a failed upgrade may be uninstalled (``api/v2/helmrelease_types.go`` ``GetStrategy``).

    With ``retries``, or ``remediateLastFailure``.
    """
    remediation = object_at(release.content, "spec", "upgrade", "remediation")
    is_remedied = remediation.get("retries") or remediation.get("remediateLastFailure") is True
    return text_at(remediation, "strategy") == "uninstall" and bool(is_remedied)


def _release_name(release: Resource, spec: JsonObject) -> str:
    """Return the name of a release (helm-controller ``api/v2/helmrelease_types.go`` ``GetReleaseName``)."""
    target = text_at(spec, "targetNamespace")
    return text_at(spec, "releaseName") or (f"{target}-{release.name}" if target else release.name)


def _chart(release: Resource, spec: JsonObject) -> tuple[str, ...]:
    reference = object_at(spec, "chartRef")
    if reference:
        namespace = text_at(reference, "namespace") or release.namespace
        return text_at(reference, "kind"), namespace, text_at(reference, "name")
    return (posixpath.basename(posixpath.normpath(text_at(spec, "chart", "spec", "chart"))),)


def _change_of_application(before: Resource, after: Resource) -> str:
    """Return what of an Application changes so that what it has deployed is not part of it any more."""
    if _destination(before) != _destination(after):
        return "destination"
    old, new = (object_at(each.content, "spec", "sourceHydrator", "syncSource") for each in (before, after))
    if old != new:
        return "spec.sourceHydrator.syncSource"
    left = [each for each in sources(after) if each.has_manifests]
    for each in sources(before):
        same = next((one for one in left if _are_same(each, one)), None)
        if same is not None:
            left.remove(same)
        elif each.has_manifests:
            return "source"
    return ""


def _destination(application: Resource) -> tuple[str, str]:
    found = as_application(application)
    return target_cluster(found), text_at(found.content, "spec", "destination", "namespace")


def _are_same(one: DeployedSource, other: DeployedSource) -> bool:
    return are_same_repository(one.url, other.url) and all(
        (value_at(one.content, field) or None) == (value_at(other.content, field) or None)
        for field in _OF_SOURCE
    )
