"""The objects by which Argo CD or Flux deploys the trees of imported machines, careful at first.

Neither prunes anything. Argo CD does not sync by itself, and Flux is suspended, so that a person looks first.
KubeVirt's webhook refuses a machine that names a ControllerRevision which does not exist, and Flux tries all
objects of a Kustomization against the webhooks before it applies the first one (fluxcd/pkg
``ssa/manager_apply.go``, ``ApplyAll``). So pins have a Kustomization of their own, on which the one with the
machines depends; for Argo CD they are in an earlier sync wave.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from renderer.kubevirt.facts.kinds import CONTROLLER_REVISION
from renderer.model.cluster_settings import LOCAL_SERVER
from renderer.model.digest import sha256
from renderer.model.kube.json import Json, JsonObject
from renderer.model.record import Record
from renderer.model.sync_options import SERVER_SIDE
from renderer.model.text_enum import TextEnum

_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")
#: The label of ControllerRevisions with instance types and preferences (KubeVirt
#: ``staging/src/kubevirt.io/api/instancetype/register.go``).
_PIN_LABEL = "instancetype.kubevirt.io/object-name"
_DELETE = "$patch: delete\napiVersion: v1\nkind: Any\nmetadata:\n  name: any\n"


class Engine(TextEnum):
    """The engines that entry objects can be written for."""

    ARGO_CD = "argocd"
    FLUX = "flux"


class DeployedTree(Record):
    """A rendered tree, by its ``path``, and the name of its overlay; ``has_pins``: ControllerRevisions."""

    name: str
    path: str
    has_pins: bool = False


def entry_names(names: Collection[str]) -> dict[str, str]:
    """Return a name for each overlay that any object can have; different overlays have different names."""
    found: dict[str, str] = {}
    for name in names:
        safe = _NOT_IN_NAMES.sub("-", name.lower()).strip("-")
        is_taken = safe != name and (safe in names or safe in found.values())
        found[name] = f"{safe}-{sha256(name)[:5]}".lstrip("-") if is_taken or not safe else safe
    return found


def application_set(name: str, repository: str, trees: Sequence[DeployedTree]) -> JsonObject:
    """Return an ApplicationSet with an Application for each tree; removing it removes no machine."""
    source: JsonObject = {
        "repoURL": repository,
        "targetRevision": "HEAD",
        "path": "{{.path}}",
        "directory": {"recurse": True},
    }
    spec: JsonObject = {
        "project": "default",
        "source": source,
        "destination": {"server": LOCAL_SERVER},
        "syncPolicy": {"syncOptions": [SERVER_SIDE, "Prune=false"]},
    }
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": {"name": name, "namespace": "argocd"},
        "spec": {
            "goTemplate": True,
            "goTemplateOptions": ["missingkey=error"],
            "generators": [{"list": {"elements": [*elements(trees)]}}],
            "syncPolicy": {"preserveResourcesOnDeletion": True},
            "template": {"metadata": {"name": f"{name}-{{{{.name}}}}"}, "spec": spec},
        },
    }


def elements(trees: Sequence[DeployedTree]) -> list[JsonObject]:
    """Return the elements of the list generator."""
    names = entry_names([each.name for each in trees])
    return [{"name": names[each.name], "path": each.path} for each in trees]


def flux_kustomizations(name: str, trees: Sequence[DeployedTree]) -> list[list[JsonObject]]:
    """Return the Kustomizations of each tree: one for its pins, if it has any, then one for the rest."""
    names = entry_names([each.name for each in trees])
    others: JsonObject = {"labelSelector": f"!{_PIN_LABEL}"}
    pins: JsonObject = {"kind": CONTROLLER_REVISION, "labelSelector": _PIN_LABEL}
    found: list[list[JsonObject]] = []
    for each in trees:
        own = f"{name}-{names[each.name]}"
        if not each.has_pins:
            found.append([_flux_kustomization(own, each.path)])
            continue
        first = f"{own}-pins"
        pinning = _flux_kustomization(first, each.path, patches=[{"patch": _DELETE, "target": others}])
        without_pins: Json = [{"patch": _DELETE, "target": pins}]
        rest = _flux_kustomization(own, each.path, dependsOn=[{"name": first}], patches=without_pins)
        found.append([pinning, rest])
    return found


def _flux_kustomization(name: str, path: str, **fields: Json) -> JsonObject:
    return {
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
        "kind": "Kustomization",
        "metadata": {"name": name, "namespace": "flux-system"},
        "spec": {
            **fields,
            "interval": "10m",
            "path": f"./{path}",
            "prune": False,
            "suspend": True,
            "sourceRef": {"kind": "GitRepository", "name": "flux-system"},
        },
    }
