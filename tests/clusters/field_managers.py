"""The writers of an object: its ``managedFields``, and what kubectl, Argo CD and Flux note on it.

Fields are listed as ``sigs.k8s.io/structured-merge-diff`` serialises them (``fieldpath/serialize.go``):
``f:`` a field, ``k:`` an element of a list by its keys, ``v:`` one of a set, ``.`` the object itself. Lists
without ``x-kubernetes-list-type`` are atomic, as most of KubeVirt's are.
"""

from __future__ import annotations

import json
from copy import deepcopy
from enum import Enum
from typing import NamedTuple

from tests.clusters.machines import Object

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


class _Engine(NamedTuple):
    manager: str
    operation: str
    tracking: str = ""


class Engine(Enum):
    """The program that applies the objects in Git, and how it does so."""

    KUBECTL = _Engine("kubectl-client-side-apply", "Update")
    KUBECTL_SERVER_SIDE = _Engine("kubectl", "Apply")
    ARGOCD = _Engine("argocd-controller", "Update", "annotation")
    ARGOCD_LABEL = _Engine("argocd-controller", "Update", "label")
    ARGOCD_SERVER_SIDE = _Engine("argocd-controller", "Apply", "annotation")
    FLUX = _Engine("kustomize-controller", "Apply", "flux")

    @property
    def keeps_last_applied(self) -> bool:
        return self.value.operation == "Update"

    def sent(self, content: Object) -> Object:
        """Return the object as it gets to the API server."""
        made = deepcopy(content)
        meta = made["metadata"]
        if self.value.tracking == "annotation":
            group = made["apiVersion"].rpartition("/")[0]
            place = f"{meta.get('namespace', '')}/{meta['name']}"
            name = f"shop:{group}/{made['kind']}:{place}"
            meta.setdefault("annotations", {})["argocd.argoproj.io/tracking-id"] = name
        elif self.value.tracking == "label":
            meta.setdefault("labels", {})["app.kubernetes.io/instance"] = "shop"
        elif self.value.tracking == "flux":
            prefix = "kustomize.toolkit.fluxcd.io"
            labels = {f"{prefix}/name": "shop", f"{prefix}/namespace": "flux-system"}
            meta.setdefault("labels", {}).update(labels)
        if self.keeps_last_applied:
            written = json.dumps(made, separators=(",", ":"), sort_keys=True) + "\n"
            meta.setdefault("annotations", {})[LAST_APPLIED] = written
        return made


#: Lists that are not atoms, by kind and path: the keys of their elements; none for a set.
_LISTS = {
    ("Service", "spec.ports"): ("port", "protocol"),
    ("VirtualMachine", "spec.template.spec.topologySpreadConstraints"): ("topologyKey", "whenUnsatisfiable"),
    ("", "metadata.ownerReferences"): ("uid",),
    ("", "metadata.finalizers"): (),
}
#: Maps that are atoms.
_ATOMS = frozenset(
    {"matchLabels", "labelSelector", "requiredDuringSchedulingIgnoredDuringExecution", "secretRef"}
)


def fields_v1(content: Object) -> Object:
    """Return the fields of an object; fields of every object (``kind``, its name) have no owner."""
    rest = {key: value for key, value in content.items() if key not in ("apiVersion", "kind")}
    meta = {key: value for key, value in content["metadata"].items() if key not in ("name", "namespace")}
    rest["metadata"] = meta
    return {
        f"f:{key}": _fields(value, str(content["kind"]), key)
        for key, value in rest.items()
        if value not in ({}, None) or key == "spec"
    }


def field_keys(content: Object, path: tuple[str | int, ...]) -> list[str]:
    """Return the keys of a field among the fields of its object, or of the atomic value that contains it."""
    fields, keys = fields_v1(content), []
    for step in path:
        named = [key for key in fields if key != "."]
        if not named:
            break
        keys.append(f"f:{step}" if isinstance(step, str) else named[step])
        fields = fields[keys[-1]]
    return keys


def _fields(value: object, kind: str, path: str) -> Object:
    name = path.rpartition(".")[2]
    if isinstance(value, dict) and name not in _ATOMS and not (kind == "Service" and name == "selector"):
        inner = {f"f:{key}": _fields(each, kind, f"{path}.{key}") for key, each in value.items()}
        shown: Object = {".": {}} if path not in ("metadata", "spec", "status") and value else {}
        return {**shown, **inner}
    keys = _LISTS.get((kind, path), _LISTS.get(("", path)))
    if not isinstance(value, list) or keys is None:
        return {}
    elements = {_element_name(each, keys): _element(each, kind, path) for each in value}
    return {".": {}, **elements}


def _element_name(element: Object | str, keys: tuple[str, ...]) -> str:
    if isinstance(element, str):
        return f"v:{json.dumps(element)}"
    named = {key: element.get(key, "TCP") for key in keys}  # the default of a port's protocol
    return f"k:{json.dumps(named, separators=(',', ':'))}"


def _element(element: Object | str, kind: str, path: str) -> Object:
    if isinstance(element, str):
        return {}
    fields = {f"f:{key}": _fields(inner, kind, f"{path}.[].{key}") for key, inner in element.items()}
    return {".": {}, **fields}


def entry(manager: str, operation: str, api_version: str, fields: Object, subresource: str = "") -> Object:
    made: Object = {
        "apiVersion": api_version,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
        "manager": manager,
        "operation": operation,
        "time": "2025-06-02T08:15:11Z",
    }
    return {**made, "subresource": subresource} if subresource else made
