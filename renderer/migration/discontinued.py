"""Fields that KubeVirt deprecates or dropped without a replacement: they are only reported.

KubeVirt ``pkg/network/admitter/discontinued.go``, ``pkg/instancetype/webhooks/admitter.go``, and
``staging/src/kubevirt.io/api/core/v1`` (``schema.go``, ``types.go``) at each release tag.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.virtual_machine import INSTANCE, PATHS, VirtualMachinePaths
from renderer.migration.change import Change, Finding, NotMigrated, Subject
from renderer.model.field_edit import RenameField
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject, array_at, object_at
from renderer.model.release import OLDEST, Release

_BINDINGS = ("slirp", "macvtap", "passt")
_CONFIGURATION = ("spec", "configuration")
_SIGNED = ("spec", "certificateRotateStrategy", "selfSigned")
_OLD_TYPES, _NEW_TYPES = "mediatedDevicesTypes", "mediatedDeviceTypes"

#: Of the KubeVirt resource: where, and what to write instead.
_OF_KUBEVIRT = {
    (*_CONFIGURATION, "machineType"): "write machineType of an architecture in architectureConfiguration",
    (*_CONFIGURATION, "emulatedMachines"): (
        "write emulatedMachines of an architecture in architectureConfiguration"
    ),
    (*_CONFIGURATION, "ovmfPath"): "write ovmfPath of an architecture in architectureConfiguration",
    (*_CONFIGURATION, "supportedGuestAgentVersions"): "remove it",
    (*_CONFIGURATION, "minCPUModel"): "remove it; obsoleteCPUModels names the models not to use",
    (*_SIGNED, "caRotateInterval"): "write ca.duration",
    (*_SIGNED, "certRotateInterval"): "write server.duration",
    (*_SIGNED, "caOverlapInterval"): "write ca.duration and ca.renewBefore",
}


def in_virtual_machine(content: JsonObject, paths: VirtualMachinePaths) -> Iterator[Finding]:
    """Yield the discontinued fields of a VirtualMachine, or of a pool's template of one."""
    field = paths.spec.child("liveUpdateFeatures")
    if field.keys[-1] in object_at(content, *field.parent.keys):
        yield NotMigrated(
            field,
            "liveUpdateFeatures is gone since KubeVirt 1.2, which drops it silently",
            "write its limits as domain.cpu.maxSockets and domain.memory.maxGuest, and remove it",
            Release(1, 2),
        )
    yield from in_instance(content, paths)


def in_instance(content: JsonObject, paths: VirtualMachinePaths) -> Iterator[Finding]:
    """Yield the discontinued fields in the spec of an instance."""
    yield from _bindings(content, *paths.instance.keys)


def _bindings(content: JsonObject, *spec: str) -> Iterator[Finding]:
    path = (*spec, "domain", "devices", "interfaces")
    for index, interface in enumerate(array_at(content, *path)):
        for binding in _BINDINGS:
            if binding in object_at(interface):
                yield NotMigrated(
                    FieldPath((*path, index, binding)),
                    f"the binding {binding} is gone since KubeVirt 1.3, which refuses it",
                    "use masquerade or bridge, or a network binding plugin: binding.name",
                    Release(1, 3),
                )


def in_instancetype(content: JsonObject) -> Iterator[Finding]:
    if "launchSecurity" in object_at(content, "spec"):
        yield NotMigrated(
            FieldPath.of("spec", "launchSecurity"),
            "launchSecurity of an instance type is deprecated since KubeVirt 1.9",
            "write preferredLaunchSecurity in the preference of every VM that uses this instance type",
            Release(1, 9),
        )


def in_preset(content: JsonObject) -> Iterator[Finding]:
    yield NotMigrated(
        FieldPath.of("kind"),
        "VirtualMachineInstancePreset is deprecated and goes with v2 of KubeVirt's API",
        "use an instance type and a preference",
    )
    yield from in_instance(content, PATHS[INSTANCE])  # a preset has its domain where an instance has it


def in_kubevirt(content: JsonObject) -> Iterator[Finding]:
    for path, hint in _OF_KUBEVIRT.items():
        if path[-1] in object_at(content, *path[:-1]):
            yield NotMigrated(FieldPath(path), f"{path[-1]} is deprecated", hint)
    if "permitSlirpInterface" in object_at(content, *_CONFIGURATION, "network"):
        yield NotMigrated(
            FieldPath((*_CONFIGURATION, "network", "permitSlirpInterface")),
            "permitSlirpInterface means nothing since KubeVirt 1.3",
            "remove it",
            Release(1, 3),
        )
    devices = FieldPath((*_CONFIGURATION, "mediatedDevicesConfiguration"))
    mediated = object_at(content, *_CONFIGURATION, "mediatedDevicesConfiguration")
    yield from _mediated_types(mediated, devices)
    for index, node in enumerate(array_at(mediated, "nodeMediatedDeviceTypes")):
        yield from _mediated_types(object_at(node), devices.child("nodeMediatedDeviceTypes", index))


def _mediated_types(content: JsonObject, place: FieldPath) -> Iterator[Finding]:
    if _OLD_TYPES not in content:
        return
    field = place.child(_OLD_TYPES)
    if _NEW_TYPES in content:
        yield NotMigrated(
            field, f"{_OLD_TYPES} is deprecated, and {_NEW_TYPES} is there too", "make one of the two"
        )
    else:
        edits = (RenameField(field, _NEW_TYPES),)
        yield Change(Subject.MEDIATED_DEVICES, field, _OLD_TYPES, _NEW_TYPES, edits, OLDEST)
