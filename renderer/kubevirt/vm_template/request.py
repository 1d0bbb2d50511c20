"""What a VirtualMachineTemplateRequest makes: a snapshot, a DataVolume for each volume of it, and a template.

``internal/controller/virtualmachinetemplaterequest_controller.go`` and ``internal/apimachinery/naming.go`` of
kubevirt/virt-template.
"""

from __future__ import annotations

from collections.abc import Sequence

from renderer.golang.go_types import GoTypes
from renderer.kubevirt.facts.boot_images import IMMEDIATE_BINDING
from renderer.kubevirt.facts.kinds import KUBEVIRT_GROUP, VM, VM_TEMPLATE_GROUP
from renderer.kubevirt.vm_template.refusal import Refusal, RefusalCode, TemplateRefusedError
from renderer.kubevirt.vm_template.typed_machine import typed_machine
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at, with_value, without
from renderer.model.pattern import pattern
from renderer.model.record import Record

_REQUEST_UID = f"{VM_TEMPLATE_GROUP}/RequestUID"
_HASH_LENGTH = 8
_LONGEST_NAME = 63
_LABEL = pattern(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_FNV_OFFSET, _FNV_PRIME, _32_BITS = 0x811C9DC5, 0x01000193, 0xFFFFFFFF
#: Names volumes with the state of a machine, such as its TPM: they are not cloned.
_STATE_VOLUME = "persistent-state-for"
_NAME = "${NAME}"
_PARAMETERS: list[Json] = [
    {"name": "NAME", "required": True, "generate": "expression", "from": "vm-[a-z0-9]{5}"}
]


class MadeByRequest(Record):
    """The objects that the controller makes for a request."""

    snapshot: JsonObject
    data_volumes: tuple[JsonObject, ...]
    template: JsonObject


def stable_name(base: str, *inputs: str) -> str:
    """Return a name that begins with ``base`` and ends with a hash of it and ``inputs``."""
    digest = f"{_fnv32a(base, *inputs):08x}"
    start = base if base[:1].isascii() and base[:1].islower() else f"x-{base}"
    raw = start.encode()[: _LONGEST_NAME - _HASH_LENGTH - 1]
    name = f"{raw.decode(errors='replace').rstrip('-')}-{digest}"
    return name if _LABEL.fullmatch(name) and len(name) <= _LONGEST_NAME else f"obj-{digest}"


def _fnv32a(*texts: str) -> int:
    digest = _FNV_OFFSET
    for byte in "".join(texts).encode():
        digest = (digest ^ byte) * _FNV_PRIME & _32_BITS
    return digest


def make_of_request(
    request: JsonObject, source: JsonObject, volumes: Sequence[tuple[str, str]], types: GoTypes
) -> MadeByRequest:
    """Return what is made of a machine that the API server has expanded.

    ``volumes`` are the names of the volumes in its snapshot, each with its VolumeSnapshot. Raises
    ``TemplateRefusedError``.
    """
    reference = object_at(request, "spec", "virtualMachineRef")
    source_namespace = text_at(reference, "namespace")
    if not source_namespace:
        raise TemplateRefusedError(Refusal(RefusalCode.EMPTY_SOURCE_NAMESPACE))
    spec = object_at(typed_machine(source, types), "spec")
    if object_at(source, "spec").get("template") is None:
        raise TemplateRefusedError(Refusal(RefusalCode.NO_SOURCE_TEMPLATE))
    uid, namespace = text_at(request, "metadata", "uid"), text_at(request, "metadata", "namespace")
    name = text_at(request, "spec", "templateName") or text_at(request, "metadata", "name")
    spec = _without_identity(spec)
    data_volumes = []
    state = next((volume for volume, _ in volumes if _STATE_VOLUME in volume), None)
    for volume, snapshot in volumes:
        if volume == state:
            continue
        claim = stable_name(name, uid, volume)
        data_volumes.append(_data_volume(claim, namespace, uid, source_namespace, snapshot))
        spec = _with_cloned_volume(spec, volume, namespace, claim)
    return MadeByRequest(
        snapshot={
            "metadata": {
                "name": stable_name(text_at(request, "metadata", "name"), uid),
                "namespace": source_namespace,
                "labels": {_REQUEST_UID: uid},
            },
            "spec": {
                "source": {
                    "apiGroup": KUBEVIRT_GROUP,
                    "kind": VM,
                    "name": text_at(reference, "name"),
                }
            },
        },
        data_volumes=tuple(data_volumes),
        template={
            "metadata": {"name": name, "namespace": namespace, "labels": _labels(request, uid)},
            "spec": {
                "virtualMachine": {"metadata": {"name": _NAME}, "spec": spec, "status": {}},
                "parameters": _PARAMETERS,
            },
        },
    )


def _labels(request: JsonObject, uid: str) -> JsonObject:
    written = object_at(request, "spec", "templateLabels")
    own = {key: value for key, value in written.items() if not key.startswith(f"{VM_TEMPLATE_GROUP}/")}
    return {**own, _REQUEST_UID: uid}


def _data_volume(name: str, namespace: str, uid: str, source_namespace: str, snapshot: str) -> JsonObject:
    return {
        "metadata": {
            "name": name,
            "namespace": namespace,
            "annotations": {IMMEDIATE_BINDING: ""},
            "labels": {_REQUEST_UID: uid},
        },
        "spec": {
            "source": {"snapshot": {"namespace": source_namespace, "name": snapshot}},
            "storage": {"resources": {}},
        },
        "status": {},
    }


def _without_identity(spec: JsonObject) -> JsonObject:
    """Return the spec without what two machines may not have in common."""
    path = ("template", "spec", "domain", "devices", "interfaces")
    interfaces = [without(object_at(each), "macAddress") for each in array_at(spec, *path)]
    if interfaces:
        spec = with_value(spec, path, interfaces)
    for name in ("serial", "uuid"):
        spec = without(spec, "template", "spec", "domain", "firmware", name)
    return spec


def _with_cloned_volume(spec: JsonObject, volume: str, namespace: str, claim: str) -> JsonObject:
    """Return the spec with a volume that is cloned from a claim by a data volume template."""
    path = ("template", "spec", "volumes")
    disk, volumes = volume, list(array_at(spec, *path))
    for index, each in enumerate(volumes):
        if text_at(each, "name") == volume:
            if object_at(each).get("dataVolume") is not None:
                disk = text_at(each, "dataVolume", "name")
            volumes[index] = {"name": volume, "dataVolume": {"name": f"{disk}-{_NAME}"}}
            spec = with_value(spec, path, volumes)
            break
    made: Json = {
        "metadata": {"name": f"{disk}-{_NAME}"},
        "spec": {
            "source": {"pvc": {"namespace": namespace, "name": claim}},
            "storage": {"resources": {}},
        },
    }
    templates = list(array_at(spec, "dataVolumeTemplates"))
    names = [text_at(each, "metadata", "name") for each in templates]
    if disk in names:
        templates[names.index(disk)] = made
    else:
        templates.append(made)
    return with_value(spec, ("dataVolumeTemplates",), templates)
