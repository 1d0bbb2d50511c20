"""The strategic merge patch that pins one VirtualMachine or VirtualMachinePool."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from renderer.model.json import Json, JsonObject, object_at, text_at
from renderer.model.pin import Pinnable
from renderer.model.resource import Resource

_MATCHERS = ("instancetype", "preference")
_POOL = "VirtualMachinePool"


class Target(NamedTuple):
    """What a patch without a selector is for; equal when kustomize takes the ids for equal."""

    kind: str
    namespace: str
    name: str

    @classmethod
    def of(cls, content: JsonObject) -> Target:
        metadata = object_at(content, "metadata")
        namespace = text_at(metadata, "namespace") or "default"
        return cls(text_at(content, "kind"), namespace, text_at(metadata, "name"))

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


def patch_of(pinnable: Pinnable, kept: JsonObject) -> JsonObject:
    """The patch; what ``kept``, an older patch, says of a matcher stays."""
    target = pinnable.target
    metadata: dict[str, Json] = {"name": target.name}
    if target.namespace:
        metadata["namespace"] = target.namespace
    before = vm_spec(kept)
    spec: JsonObject = {
        key: before[key] if key in _MATCHERS and key in before else value
        for key, value in pinnable.patch.items()
    }
    if target.kind == _POOL:
        spec = {"virtualMachineTemplate": {"spec": spec}}
    return {"apiVersion": target.api_version, "kind": target.kind, "metadata": metadata, "spec": spec}


def vm_spec(content: JsonObject) -> JsonObject:
    """The VirtualMachine's ``spec`` in a VirtualMachine or VirtualMachinePool, or in a patch of one."""
    spec = object_at(content, "spec")
    return object_at(spec, "virtualMachineTemplate", "spec") if content.get("kind") == _POOL else spec


def revision_names(content: JsonObject) -> Iterator[str]:
    """The ControllerRevisions that the matchers in a VirtualMachine or a patch of one name."""
    for key in _MATCHERS:
        name = text_at(vm_spec(content), key, "revisionName")
        if name:
            yield name


def is_target_of(patch: JsonObject, resource: Resource) -> bool:
    """Whether the patch is for the resource, by the id that this has now or had before."""
    wanted = Target.of(patch)
    ids = {
        (i.gvk.kind, i.namespace or "default", i.name) for i in (resource.current_id, *resource.previous_ids)
    }
    return wanted in ids
