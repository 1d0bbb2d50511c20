"""Deprecated fields: fields of preferences, which are rewritten, and fields without a replacement.

Fields without a replacement are deprecated or removed in KubeVirt and are only reported:
``pkg/network/admitter/discontinued.go``, ``pkg/instancetype/webhooks/admitter.go``, and
``staging/src/kubevirt.io/api/core/v1`` (``schema.go``, ``types.go``) at each release tag.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.authoring.migration.change import Change, Finding, NotMigrated, Subject, new_value, value_text
from renderer.kubevirt.facts.kinds import VMI
from renderer.kubevirt.facts.virtual_machine import PATHS, VirtualMachinePaths
from renderer.model.field_edit import AddField, FieldEdit, RemoveField, RenameField, SetField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.release import OLDEST, Release

_TOPOLOGY = FieldPath.of("spec", "cpu", "preferredCPUTopology")
_TOPOLOGY_SINCE = Release(1, 4)
_TOPOLOGIES = {
    "preferSockets": "sockets",
    "preferCores": "cores",
    "preferThreads": "threads",
    "preferSpread": "spread",
    "preferAny": "any",
}

_OLD_RATIO = "preferSpreadSocketToCoreRatio"
_RATIO = FieldPath.of("spec", _OLD_RATIO)
_CPU = FieldPath.of("spec", "cpu")
_RATIO_SINCE = Release(1, 3)

_FIRMWARE = FieldPath.of("spec", "firmware")
_USE_EFI, _SECURE_BOOT, _PREFERRED_EFI = "preferredUseEfi", "preferredUseSecureBoot", "preferredEfi"
_FIRMWARE_SINCE = Release(1, 5)

_BINDINGS = ("slirp", "macvtap", "passt")
_CONFIGURATION = ("spec", "configuration")
_SELF_SIGNED = ("spec", "certificateRotateStrategy", "selfSigned")
_OLD_TYPES, _NEW_TYPES = "mediatedDevicesTypes", "mediatedDeviceTypes"

#: Fields of the KubeVirt resource, and their replacements.
_KUBEVIRT_HINTS = {
    (*_CONFIGURATION, "machineType"): "write machineType of an architecture in architectureConfiguration",
    (*_CONFIGURATION, "emulatedMachines"): (
        "write emulatedMachines of an architecture in architectureConfiguration"
    ),
    (*_CONFIGURATION, "ovmfPath"): "write ovmfPath of an architecture in architectureConfiguration",
    (*_CONFIGURATION, "supportedGuestAgentVersions"): "remove it",
    (*_CONFIGURATION, "minCPUModel"): "remove it; obsoleteCPUModels names the models not to use",
    (*_SELF_SIGNED, "caRotateInterval"): "write ca.duration",
    (*_SELF_SIGNED, "certRotateInterval"): "write server.duration",
    (*_SELF_SIGNED, "caOverlapInterval"): "write ca.duration and ca.renewBefore",
}


def topology_findings(content: JsonObject) -> Iterator[Finding]:
    """Find ``preferSockets`` and similar values, which are ``sockets`` etc. since KubeVirt 1.4.

    KubeVirt ``pkg/instancetype/preference/webhooks/admitter.go`` warns about the old names. A release that
    does not know the new names accepts them silently and sets one socket, core and thread.
    """
    old = text_at(content, "spec", "cpu", "preferredCPUTopology")
    if old in _TOPOLOGIES:
        yield new_value(Subject.TOPOLOGY, _TOPOLOGY, old, _TOPOLOGIES[old], _TOPOLOGY_SINCE)


def spread_ratio_findings(content: JsonObject) -> Iterator[Finding]:
    """Find ``preferSpreadSocketToCoreRatio``, which is ``cpu.spreadOptions.ratio`` since KubeVirt 1.3.

    KubeVirt ``pkg/instancetype/preference/apply/cpu.go`` (GetSpreadOptions): if both are set, the new one
    counts.
    """
    spec = object_at(content, "spec")
    if _OLD_RATIO not in spec:
        return
    ratio = spec[_OLD_RATIO]
    if isinstance(ratio, bool) or not isinstance(ratio, int) or ratio <= 0:
        hint = "write a number, or remove it" if ratio != 0 else "remove it, as 0 means the default of 2"
        yield NotMigrated(
            _RATIO,
            f"{_OLD_RATIO} has no ratio that could be written as cpu.spreadOptions.ratio",
            hint,
            _RATIO_SINCE,
        )
        return
    edits = tuple(_ratio_edits(spec, ratio))
    after = "removed, as cpu.spreadOptions.ratio counts"
    if len(edits) > 1:
        after = f"cpu.spreadOptions.ratio: {ratio}"
    yield Change(Subject.SPREAD_RATIO, _RATIO, f"{_OLD_RATIO}: {ratio}", after, edits, _RATIO_SINCE)


def _ratio_edits(spec: JsonObject, ratio: int) -> Iterator[FieldEdit]:
    options = object_at(spec, "cpu", "spreadOptions")
    if "cpu" not in spec:
        yield RenameField(_RATIO, "cpu")
        yield SetField(_CPU, {"spreadOptions": {"ratio": ratio}})
        return
    yield RemoveField(_RATIO)
    if options.get("ratio") is not None:
        return
    if "spreadOptions" not in object_at(spec, "cpu"):
        yield AddField(_CPU, "spreadOptions", {"ratio": ratio})
    else:
        yield AddField(_CPU.child("spreadOptions"), "ratio", ratio)


def firmware_findings(content: JsonObject) -> Iterator[Finding]:
    """Find ``preferredUseEfi`` and ``preferredUseSecureBoot``, which are ``preferredEfi`` since KubeVirt 1.5.

    KubeVirt ``pkg/instancetype/preference/apply/firmware.go``: ``preferredEfi`` is applied to VMs without a
    boot loader of their own, and then the old fields are ignored. It cannot express secure boot for VMs that
    set ``efi`` themselves: such a field stays.
    """
    firmware = object_at(content, "spec", "firmware")
    written = [name for name in (_USE_EFI, _SECURE_BOOT) if name in firmware]
    if not written:
        return
    before = ", ".join(f"{name}: {value_text(firmware[name])}" for name in written)
    field = _FIRMWARE.child(written[0])
    if not all(isinstance(firmware[name], bool) for name in written):
        yield NotMigrated(
            field,
            f"{before} is deprecated, and has a value that is neither true nor false",
            f"write {_PREFERRED_EFI}",
            _FIRMWARE_SINCE,
        )
    elif isinstance(firmware.get(_PREFERRED_EFI), dict):
        edits = tuple(RemoveField(_FIRMWARE.child(name)) for name in written)
        yield Change(
            Subject.FIRMWARE, field, before, f"removed, as {_PREFERRED_EFI} counts", edits, _FIRMWARE_SINCE
        )
    elif firmware.get(_USE_EFI) is True and _PREFERRED_EFI not in firmware:
        yield _firmware_change(firmware, field, before)
    else:
        yield NotMigrated(
            field,
            f"{before} is deprecated, and {_PREFERRED_EFI} does not mean the same without {_USE_EFI}: true",
            f"write {_PREFERRED_EFI}, or remove it",
            _FIRMWARE_SINCE,
        )


def _firmware_change(firmware: JsonObject, field: FieldPath, before: str) -> Change:
    value: dict[str, Json] = {}
    edits: list[FieldEdit] = []
    if _SECURE_BOOT in firmware:
        value = {"secureBoot": firmware[_SECURE_BOOT]}
        edits.append(RemoveField(_FIRMWARE.child(_SECURE_BOOT)))
    edits += RenameField(field, _PREFERRED_EFI), SetField(_FIRMWARE.child(_PREFERRED_EFI), value)
    after = ", ".join(f"secureBoot: {value_text(secure)}" for secure in value.values())
    return Change(
        Subject.FIRMWARE, field, before, f"{_PREFERRED_EFI}: {{{after}}}", tuple(edits), _FIRMWARE_SINCE
    )


def in_virtual_machine(content: JsonObject, paths: VirtualMachinePaths) -> Iterator[Finding]:
    """Yield the discontinued fields of a VirtualMachine, or of the template in a pool."""
    field = paths.spec.child("liveUpdateFeatures")
    if field.keys[-1] in object_at(content, *field.parent.keys):
        yield NotMigrated(
            field,
            "liveUpdateFeatures was removed in KubeVirt 1.2, which drops it silently",
            "write its limits as domain.cpu.maxSockets and domain.memory.maxGuest, and remove it",
            Release(1, 2),
        )
    yield from in_instance(content, paths)


def in_instance(content: JsonObject, paths: VirtualMachinePaths) -> Iterator[Finding]:
    """Yield the discontinued fields in the spec of an instance."""
    path = (*paths.instance.keys, "domain", "devices", "interfaces")
    for index, interface in enumerate(array_at(content, *path)):
        for binding in _BINDINGS:
            if binding in object_at(interface):
                yield NotMigrated(
                    FieldPath((*path, index, binding)),
                    f"the binding {binding} was removed in KubeVirt 1.3, which refuses it",
                    "use masquerade or bridge, or a network binding plugin: binding.name",
                    Release(1, 3),
                )


def in_instancetype(content: JsonObject) -> Iterator[Finding]:
    """Yield the deprecated fields of an instance type."""
    if "launchSecurity" in object_at(content, "spec"):
        yield NotMigrated(
            FieldPath.of("spec", "launchSecurity"),
            "launchSecurity of an instance type is deprecated since KubeVirt 1.9",
            "write preferredLaunchSecurity in the preference of every VM that uses this instance type",
            Release(1, 9),
        )


def in_preset(content: JsonObject) -> Iterator[Finding]:
    """Yield a finding that presets are deprecated, and the deprecated fields of this one."""
    yield NotMigrated(
        FieldPath.of("kind"),
        "VirtualMachineInstancePreset is deprecated and will be removed in v2 of KubeVirt's API",
        "use an instance type and a preference",
    )
    yield from in_instance(content, PATHS[VMI])  # a preset has its domain where an instance has it


def in_kubevirt(content: JsonObject) -> Iterator[Finding]:
    """Yield the deprecated fields of a KubeVirt object."""
    for path, hint in _KUBEVIRT_HINTS.items():
        if path[-1] in object_at(content, *path[:-1]):
            yield NotMigrated(FieldPath(path), f"{path[-1]} is deprecated", hint)
    if "permitSlirpInterface" in object_at(content, *_CONFIGURATION, "network"):
        yield NotMigrated(
            FieldPath((*_CONFIGURATION, "network", "permitSlirpInterface")),
            "permitSlirpInterface has no effect since KubeVirt 1.3",
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
        yield NotMigrated(field, f"{_OLD_TYPES} is deprecated, and {_NEW_TYPES} is set, too", "merge the two")
    else:
        edits = (RenameField(field, _NEW_TYPES),)
        yield Change(Subject.MEDIATED_DEVICES, field, _OLD_TYPES, _NEW_TYPES, edits, OLDEST)
