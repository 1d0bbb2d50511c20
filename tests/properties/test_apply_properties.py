"""Laws of applying instance types and preferences, on valid and on nonsense input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import NoReturn

from hypothesis import assume, given
from hypothesis import strategies as st

from renderer.kubevirt.instancetype.apply.vmi import apply_to_template
from renderer.kubevirt.instancetype.behaviour import behaviour_of
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import Json, JsonObject, object_at
from renderer.model.release import Release

_Fields = Mapping[str, st.SearchStrategy[Json]]

_releases = st.builds(Release, st.just(1), st.integers(0, 9))
_names = st.sampled_from(["a", "b", "pod"])
_bools = st.booleans()
_empty: st.SearchStrategy[Json] = st.just({})
_buses = st.sampled_from(["", "virtio", "sata"])
_states = st.sampled_from([{}, {"enabled": True}, {"enabled": False}])
_quantities: st.SearchStrategy[Json] = st.sampled_from(
    ["1Gi", "1024Mi", 2147483648, "3G", "${MEMORY}", "0", "-1", "7Ei"]
)
_senseless = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["", "x", "${X}", "1Gi"]),
    lambda children: st.lists(children, max_size=2) | st.dictionaries(_names, children, max_size=2),
    max_leaves=4,
)


def _maybe(fields: _Fields) -> st.SearchStrategy[JsonObject]:
    """A mapping with some of the fields, some of them null."""
    return st.fixed_dictionaries({}, optional={name: st.none() | value for name, value in fields.items()})


def _listed(fields: _Fields) -> st.SearchStrategy[Json]:
    return st.lists(_maybe(fields), max_size=3)


_HYPERV: _Fields = {"relaxed": _states, "vapic": _states, "spinlocks": _states}
_OFFSET: _Fields = {"utc": _empty, "timezone": st.sampled_from(["", "UTC"])}

_PREFERENCE: _Fields = {
    "cpu": _maybe(
        {
            "preferredCPUTopology": st.sampled_from(["spread", "preferSpread", "cores", "any", "x"]),
            "preferredCPUFeatures": _listed({"name": _names, "policy": _names}),
            "spreadOptions": _maybe(
                {"ratio": st.integers(0, 3), "across": st.sampled_from(["CoresThreads", "x"])}
            ),
        }
    ),
    "devices": _maybe(
        {
            "preferredDiskBus": _buses,
            "preferredCdromBus": _buses,
            "preferredLunBus": _buses,
            "preferredDiskCache": _buses,
            "preferredDiskDedicatedIoThread": _bools,
            "preferredDisableHotplug": _bools,
            "preferredAutoattachPodInterface": _bools,
            "preferredInterfaceModel": _buses,
            "preferredInterfaceMasquerade": _empty,
            "preferredInputBus": _buses,
            "preferredInputType": _buses,
            "preferredSoundModel": _buses,
            "preferredVideoType": _buses,
            "preferredPanicDeviceModel": _buses,
            "preferredTPM": _states,
        }
    ),
    "features": _maybe(
        {"preferredAcpi": _states, "preferredSmm": _states, "preferredHyperv": _maybe(_HYPERV)}
    ),
    "firmware": _maybe(
        {
            "preferredUseBios": _bools,
            "preferredUseBiosSerial": _bools,
            "preferredUseEfi": _bools,
            "preferredUseSecureBoot": _bools,
            "preferredEfi": _maybe({"secureBoot": _bools}),
        }
    ),
    "machine": _maybe({"preferredMachineType": _buses}),
    "clock": _maybe({"preferredClockOffset": _maybe(_OFFSET), "preferredTimer": _states}),
    "preferredSubdomain": _names,
    "preferredTerminationGracePeriodSeconds": st.integers(0, 9),
    "preferredArchitecture": _names,
    "annotations": _maybe({"a": _names, "b": _names}),
    "preferredLaunchSecurity": _empty,
}
_DOMAIN: _Fields = {
    "cpu": _maybe({"features": _listed({"name": _names, "policy": _names}), "numa": _empty}),
    "memory": _maybe({"hugepages": _empty}),
    "devices": _maybe(
        {
            "disks": _listed(
                {
                    "name": _names,
                    "disk": _maybe({"bus": _buses}),
                    "cdrom": _maybe({"bus": _buses}),
                    "lun": _maybe({"bus": _buses}),
                    "cache": _buses,
                    "dedicatedIOThread": _bools,
                }
            ),
            "interfaces": _listed({"name": _names, "model": _buses, "bridge": _empty}),
            "inputs": _listed({"bus": _buses, "type": _buses}),
            "panicDevices": _listed({"model": _buses}),
            "sound": _maybe({"name": _names, "model": _buses}),
            "video": _maybe({"type": _buses}),
            "tpm": _states,
            "disableHotplug": _bools,
            "autoattachPodInterface": _bools,
        }
    ),
    "features": _maybe({"acpi": _states, "smm": _states, "hyperv": _maybe(_HYPERV)}),
    "firmware": _maybe(
        {"bootloader": _maybe({"bios": _maybe({"useSerial": _bools}), "efi": _maybe({"secureBoot": _bools})})}
    ),
    "machine": _maybe({"type": _buses}),
    "clock": _maybe({**_OFFSET, "timer": _states}),
    "launchSecurity": _empty,
}
_TEMPLATE: _Fields = {
    "metadata": _maybe({"annotations": _maybe({"a": _names})}),
    "spec": _maybe(
        {
            "domain": _maybe(_DOMAIN),
            "networks": _listed({"name": _names, "pod": _empty}),
            "subdomain": st.sampled_from(["", "mine"]),
            "terminationGracePeriodSeconds": st.integers(0, 9),
            "architecture": st.sampled_from(["", "arm64"]),
        }
    ),
}
_INSTANCETYPE: _Fields = {
    "cpu": _maybe(
        {"guest": st.integers(0, 9), "model": _names, "numa": _empty, "maxSockets": st.integers(0, 2)}
    ),
    "memory": _maybe(
        {"guest": _quantities, "overcommitPercent": st.integers(0, 100), "maxGuest": _quantities}
    ),
    "gpus": _listed({"name": _names}),
    "nodeSelector": _maybe({"a": _names}),
    "ioThreads": _maybe({"supplementalPoolThreadCount": st.integers(0, 2)}),
    "annotations": _maybe({"a": _names, "b": _names}),
}

_preferences = _maybe(_PREFERENCE)
_templates = _maybe(_TEMPLATE)
_instancetypes = _maybe(_INSTANCETYPE)


class _ReadOnlyObject(dict[str, Json]):
    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise AssertionError("an input was changed")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = __ior__ = _refuse


class _ReadOnlyArray(list[Json]):
    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise AssertionError("an input was changed")

    __setitem__ = __delitem__ = __iadd__ = append = extend = insert = clear = _refuse
    pop = remove = sort = reverse = _refuse


def _read_only(value: Json) -> Json:
    if isinstance(value, dict):
        return _ReadOnlyObject({key: _read_only(child) for key, child in value.items()})
    return _ReadOnlyArray(map(_read_only, value)) if isinstance(value, list) else value


def _lost(before: Json, after: Json, at: FieldPath = ROOT) -> Iterator[str]:
    """Return the values of ``before`` that differ in ``after``."""
    if before is None or before == "":
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in before.items():
            yield from _lost(value, after.get(key), at.child(key))
    elif isinstance(before, list) and isinstance(after, list) and len(before) <= len(after):
        for index, value in enumerate(before):
            yield from _lost(value, after[index], at.child(index))
    elif before != after:
        yield str(at)


def _overwritable(field: str) -> bool:
    return field.endswith(".disableHotplug") or ".features.acpi" in field


@given(_instancetypes, _preferences, _templates, _releases)
def test_inputs_are_never_changed(
    instancetype: JsonObject, preference: JsonObject, template: JsonObject, release: Release
) -> None:
    inputs = tuple(object_at(_read_only(value)) for value in (instancetype, preference, template))
    with suppress(DiagnosticError):
        apply_to_template(inputs[0], inputs[1], inputs[2], behaviour_of(release))
    assert inputs == (instancetype, preference, template)


@given(_preferences, _templates, _releases)
def test_preferences_never_override_the_user(
    preference: JsonObject, template: JsonObject, release: Release
) -> None:
    try:
        applied = apply_to_template(None, preference, template, behaviour_of(release))
    except DiagnosticError:
        assume(False)  # noqa: FBT003 - hypothesis' way to say so
    assert [field for field in _lost(template, applied.template) if not _overwritable(field)] == []


@given(_preferences, _templates, _releases)
def test_applying_preferences_is_idempotent(
    preference: JsonObject, template: JsonObject, release: Release
) -> None:
    firmware = object_at(preference, "firmware")
    # KubeVirt itself: once preferredEfi has made an EFI, preferredUseSecureBoot would have one to go to.
    assume(firmware.get("preferredEfi") is None or firmware.get("preferredUseSecureBoot") is None)
    behaviour = behaviour_of(release)
    try:
        once = apply_to_template(None, preference, template, behaviour)
    except DiagnosticError:
        assume(False)  # noqa: FBT003 - hypothesis' way to say so
    assert apply_to_template(None, preference, once.template, behaviour) == once


@given(_instancetypes, _templates, _releases)
def test_instance_types_keep_fields_without_conflict(
    instancetype: JsonObject, template: JsonObject, release: Release
) -> None:
    try:
        applied = apply_to_template(instancetype, None, template, behaviour_of(release))
    except DiagnosticError:
        assume(False)  # noqa: FBT003 - hypothesis' way to say so
    assert list(_lost(template, applied.template)) == []
    assert applied.template is template or not applied.conflicts


def _spoiled(fields: _Fields) -> st.SearchStrategy[JsonObject]:
    return st.fixed_dictionaries({}, optional={name: value | _senseless for name, value in fields.items()})


@given(
    _spoiled({**_INSTANCETYPE, "schedulerName": _names, "launchSecurity": _empty}) | _senseless,
    _spoiled(_PREFERENCE) | _senseless,
    _spoiled({**_TEMPLATE, "spec": _spoiled({"domain": _spoiled(_DOMAIN) | _senseless})}) | _senseless,
    _releases,
)
def test_nonsense_input_is_at_most_an_error(
    instancetype: Json, preference: Json, template: Json, release: Release
) -> None:
    inputs = tuple(object_at(_read_only(value)) for value in (instancetype, preference, template))
    try:
        apply_to_template(inputs[0], inputs[1], inputs[2], behaviour_of(release))
    except DiagnosticError as error:
        assert all(diagnostic.field for diagnostic in error.diagnostics)  # noqa: PT017 - not always raised
