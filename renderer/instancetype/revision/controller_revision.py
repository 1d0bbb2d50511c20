"""The ControllerRevision that keeps a copy of an instance type or preference.

KubeVirt ``pkg/instancetype/revision/store.go`` (``CreateControllerRevision``).
"""

from __future__ import annotations

from renderer.instancetype.api.types import Decoding
from renderer.instancetype.behaviour import Behaviour
from renderer.instancetype.find import Found, spec_type_of
from renderer.model.json import JsonObject, object_at, text_at

LABEL = "instancetype.kubevirt.io/object-"
VERSION = "v1beta1"
API_VERSION = f"instancetype.kubevirt.io/{VERSION}"
#: What a copy does not keep of the object's metadata.
_DROPPED = frozenset({"labels", "annotations", "finalizers", "ownerReferences", "managedFields"})


def stored_revision(vm: JsonObject, found: Found, behaviour: Behaviour) -> JsonObject:
    """What KubeVirt's controller stores for the VirtualMachine ``vm``, and owned by it."""
    namespace = text_at(vm, "metadata", "namespace")
    data = _copy(found, namespace)
    copied = object_at(data, "metadata")
    version = f"-{VERSION}" if behaviour.revision_name_has_version else ""
    vm_and_object = f"{text_at(vm, 'metadata', 'name')}-{text_at(copied, 'name')}"
    metadata: JsonObject = {
        "name": f"{vm_and_object}{version}-{text_at(copied, 'uid')}-{_generation(copied)}",
        "namespace": namespace,
        "labels": _labels(data),
        "ownerReferences": [_owner(vm)],
    }
    return {"metadata": metadata, "data": data, "revision": 0}


def _copy(found: Found, namespace: str) -> JsonObject:
    """The object as it is stored; one that is written without a namespace is in the VirtualMachine's."""
    kind = found.resource.gvk.kind
    metadata = {
        key: value
        for key, value in object_at(found.resource.content, "metadata").items()
        if key not in _DROPPED and value is not None
    }
    if kind == found.matcher_type.kind and namespace:
        metadata["namespace"] = namespace
    spec = spec_type_of(found.matcher_type).decode(found.spec, Decoding(rewrites_quantities=True))
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "spec": spec}


def _labels(data: JsonObject) -> JsonObject:
    metadata = object_at(data, "metadata")
    return {
        f"{LABEL}generation": str(_generation(metadata)),
        f"{LABEL}kind": text_at(data, "kind"),
        f"{LABEL}name": text_at(metadata, "name"),
        f"{LABEL}uid": text_at(metadata, "uid"),
        f"{LABEL}version": VERSION,
    }


def _owner(vm: JsonObject) -> JsonObject:
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "name": text_at(vm, "metadata", "name"),
        "uid": text_at(vm, "metadata", "uid"),
        "controller": True,
        "blockOwnerDeletion": True,
    }


def _generation(metadata: JsonObject) -> int:
    generation = metadata.get("generation")
    return generation if isinstance(generation, int) else 0
