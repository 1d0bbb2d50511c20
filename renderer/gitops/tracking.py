"""Objects of a cluster, as the Applications and Flux Kustomizations know them that deploy an overlay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from renderer.gitops.argocd.application import as_application, is_application
from renderer.gitops.flux.kustomization import is_flux_kustomization
from renderer.gitops.pruning import retention_of
from renderer.model.engines import FLUX_KUSTOMIZE_GROUP, INSTANCE_LABEL, TRACKING_ID
from renderer.model.kube.json import text_at
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource


def tracks(deployer: Resource, live: Resource) -> bool:
    """Return True if Argo CD or Flux tracks an object of the cluster as deployed by ``deployer``.

    Source: Argo CD ``util/argo/resource_tracking.go``; Flux's labels.
    """
    if is_flux_kustomization(deployer):
        owner = (
            text_at(live.labels, f"{FLUX_KUSTOMIZE_GROUP}/name"),
            text_at(live.labels, f"{FLUX_KUSTOMIZE_GROUP}/namespace"),
        )
        return owner == (deployer.name, deployer.namespace or "flux-system")
    if not is_application(deployer):
        return False
    tracking = text_at(live.annotations, TRACKING_ID)
    if not tracking:
        return text_at(live.labels, INSTANCE_LABEL) == deployer.name
    name, _, place = tracking.partition(":")
    own = f"{live.gvk.group}/{live.kind}:{live.namespace}/{live.name}"
    return place == own and name in (deployer.name, f"{deployer.namespace}_{deployer.name}")


class TrackedObjects:
    """Objects of a cluster, by the names of the deployers that may track them."""

    def __init__(self, objects: Iterable[Resource]) -> None:
        self._named: dict[str, list[Resource]] = {}
        for each in objects:
            tracking, _, _ = text_at(each.annotations, TRACKING_ID).partition(":")
            names = (
                text_at(each.labels, f"{FLUX_KUSTOMIZE_GROUP}/name"),
                text_at(each.labels, INSTANCE_LABEL),
                tracking,
            )
            for name in dict.fromkeys(filter(None, names)):
                self._named.setdefault(name, []).append(each)

    def of(self, deployers: Iterable[Resource]) -> Iterator[Resource]:
        """Yield the objects that are tracked as deployed by one of ``deployers``, each once."""
        found: dict[ResId, Resource] = {}
        for deployer in deployers:
            names = deployer.name, f"{deployer.namespace}_{deployer.name}"
            candidates = (each for name in names for each in self._named.get(name, ()))
            found |= {each.current_id: each for each in candidates if tracks(deployer, each)}
        yield from found.values()


def default_namespace(deployers: Iterable[Resource]) -> str:
    """Return the namespace that all deployers give to objects without one; empty if it is not known."""
    found = {
        text_at(each.content, "spec", "targetNamespace")
        if is_flux_kustomization(each)
        else text_at(as_application(each).content, "spec", "destination", "namespace")
        for each in deployers
    }
    [namespace] = found if len(found) == 1 else {""}
    return "" if "{{" in namespace else namespace


def retention_in_cluster(deployers: Sequence[Resource], live: Resource) -> str:
    """Return why an object of the cluster that Git no longer has stays there; empty if it is pruned.

    Those of the ``deployers`` of its overlay that track it decide; all of them if none does.
    """
    tracking = [each for each in deployers if tracks(each, live)] or deployers
    reasons = [retention_of(as_application(each), live, is_gone=False) for each in tracking]
    if not tracking:
        reasons = [retention_of(None, live, is_gone=False)]
    return " and ".join(dict.fromkeys(reasons)) if all(reasons) else ""


def without_flux(deployers: Sequence[Resource]) -> str:
    """Return why Flux's annotations on objects are not followed; empty if Flux alone deploys them."""
    if not deployers:
        return "nothing in the repository says that Flux deploys the overlay"
    others = (each for each in deployers if not is_flux_kustomization(each))
    return next((f"{each.kind} {each.name} deploys the overlay and does not read it" for each in others), "")
