"""Patches in a KubeVirt object that virt-operator cannot apply, or that match no component.

KubeVirt's webhook only asks that a patch is JSON (``kubevirt/admission/kubevirt_object.py``). virt-operator
applies it later (``pkg/virt-operator/resource/apply/patches.go``): if it fails, nothing is deployed any more;
if no component matches, nothing happens.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from renderer.kubevirt.facts.virtual_machine import elements
from renderer.model.kube.field_path import Segment
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.near_miss import is_near_miss
from renderer.model.placeholders import has_placeholder
from renderer.model.suggest import did_you_mean

_TYPES = ("json", "merge", "strategic")
_ANY = "*"
#: The kinds that ``Customizer.Apply`` patches; names and kinds are compared without regard to case.
_KINDS = (
    *("Deployment", "DaemonSet", "Service", "Secret", "APIService"),
    *("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"),
)
#: The components that run pods, and their kinds (``resource/generate/components``).
_COMPONENTS = {
    "virt-api": "Deployment",
    "virt-controller": "Deployment",
    "virt-exportproxy": "Deployment",
    "virt-synchronization-controller": "Deployment",
    "virt-template-apiserver": "Deployment",
    "virt-template-controller": "Deployment",
    "virt-handler": "DaemonSet",
}
_KNOWN_KINDS = {kind.lower(): kind for kind in _KINDS}


def component_patch_problems(spec: JsonObject) -> Iterator[tuple[tuple[Segment, ...], str, str | None]]:
    """Yield the problems of ``customizeComponents`` below the spec of a KubeVirt object."""
    for index, patch in elements(object_at(spec, "customizeComponents").get("patches")):
        path = ("customizeComponents", "patches", index)
        for field, message, hint in (*_type_problems(patch), *_target_problems(patch)):
            if not has_placeholder(patch.get(field)):
                yield (*path, field), message, hint


def _type_problems(patch: JsonObject) -> Iterator[tuple[str, str, str | None]]:
    written, kind = text_at(patch, "patch"), text_at(patch, "type")
    if kind and kind not in _TYPES:
        message = f"virt-operator knows no type of patch {kind!r}, and deploys nothing while it is there"
        yield "type", message, did_you_mean(kind, _TYPES, otherwise=f"one of {', '.join(_TYPES)}")
        return
    try:
        content = json.loads(written)
    except (ValueError, RecursionError):  # the webhook refuses what is not JSON
        return
    if kind == "json" and not isinstance(content, list):
        message = "a patch of the type json is a list of operations: virt-operator cannot apply this one"
        yield "patch", message, 'write [{"op": …, "path": …}], or type: strategic'
    elif kind in ("merge", "strategic") and not isinstance(content, dict):
        message = f"a patch of the type {kind} is an object: virt-operator cannot apply this one"
        yield "patch", message, 'write {"spec": …}, or type: json for a list of operations'


def _target_problems(patch: JsonObject) -> Iterator[tuple[str, str, str | None]]:
    kind, name = text_at(patch, "resourceType"), text_at(patch, "resourceName").lower()
    known = _KNOWN_KINDS.get(kind.lower())
    if kind and kind != _ANY and known is None:
        message = f"the patch changes nothing: virt-operator deploys no {kind} that it patches"
        yield "resourceType", message, did_you_mean(kind, _KINDS, otherwise=f"one of {', '.join(_KINDS)}")
    elif known in ("Deployment", "DaemonSet") and name in _COMPONENTS and _COMPONENTS[name] != known:
        message = f"the patch changes nothing: {name} is a {_COMPONENTS[name]}"
        yield "resourceType", message, f"write resourceType: {_COMPONENTS[name]}"
    elif known in ("Deployment", "DaemonSet") and name not in _COMPONENTS:
        near = next((each for each in _COMPONENTS if is_near_miss(name, each)), None)
        if near is not None:
            message = f"the patch changes nothing: KubeVirt has no component {name}"
            yield "resourceName", message, f"did you mean {near}?"
