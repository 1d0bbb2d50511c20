"""A spec with the fields of switches written and removed."""

from __future__ import annotations

from renderer.model.json import EMPTY, Json, JsonObject, object_at, with_value, without
from renderer.sizes.customize.request import Changes
from renderer.sizes.customize.switch import Switch
from renderer.sizes.customize.switches import SWITCHES
from renderer.sizes.customize.values import UINT32_MAX, SwitchError

_EFI = ("firmware", "preferredEfi")
_MAX_SOCKETS = ("cpu", "maxSockets")


def changed_spec(spec: JsonObject, changes: Changes) -> JsonObject:
    """``spec`` with what is cleared removed, then with what is given written.

    Raises ``SwitchError``.
    """
    changed = _modern_firmware(spec) if changes.touch("firmware") else spec
    for name in sorted(changes.cleared):
        changed = _cleared(changed, SWITCHES[name])
    for switch in SWITCHES.values():
        if switch.name in changes.given:
            changed = _written(changed, switch, changes.given[switch.name])
    if "vcpus" in changes.given and "max-sockets" not in changes.names:
        changed = _with_scaled_sockets(changed, spec)
    return changed


def _written(spec: JsonObject, switch: Switch, texts: tuple[str, ...]) -> JsonObject:
    path = switch.path.split(".")
    try:
        value = switch.value.read(texts, _at(spec, path))
    except SwitchError as error:
        raise SwitchError(f"--{switch.name} {error}") from None
    for other in switch.replaces:
        spec = _without(spec, other.split("."))
    for other in switch.with_it:
        spec = with_value(spec, other.split("."), object_at(spec, *other.split(".")))
    return with_value(spec, path, value)


def _cleared(spec: JsonObject, switch: Switch) -> JsonObject:
    path = switch.path.split(".")
    if switch.off is None or (switch.off_within and _at(spec, switch.off_within.split(".")) is None):
        return _without(spec, path)
    return with_value(spec, path, switch.off)


def _without(spec: JsonObject, path: list[str]) -> JsonObject:
    """The spec without the field, and without the mappings that held nothing else."""
    changed = without(spec, *path)
    parent = path[:-1]
    if changed is spec or not parent or object_at(changed, *parent):
        return changed
    return _without(changed, parent)


def _with_scaled_sockets(spec: JsonObject, before: JsonObject) -> JsonObject:
    """With as many sockets to each vCPU as there were: cx1 has one, so that none can be hot-plugged."""
    sockets, vcpus = _at(before, _MAX_SOCKETS), object_at(before, "cpu").get("guest")
    now = object_at(spec, "cpu").get("guest")
    if not isinstance(sockets, int) or not isinstance(vcpus, int) or not isinstance(now, int):
        return spec
    if not vcpus or sockets % vcpus or sockets // vcpus * now > UINT32_MAX:
        return spec
    return with_value(spec, _MAX_SOCKETS, sockets // vcpus * now)


def _modern_firmware(spec: JsonObject) -> JsonObject:
    """With ``preferredEfi`` for the deprecated fields, which do not count beside it.

    KubeVirt ``pkg/instancetype/preference/apply/firmware.go``.
    """
    firmware = object_at(spec, "firmware")
    uses_efi, secure = firmware.get("preferredUseEfi"), firmware.get("preferredUseSecureBoot")
    if uses_efi is not True or firmware.get("preferredUseBios") is True:
        return spec
    efi: JsonObject = EMPTY if secure is None else {"secureBoot": secure}
    older = without(without(firmware, "preferredUseEfi"), "preferredUseSecureBoot")
    return {**spec, "firmware": {"preferredEfi": efi, **older}}


def _at(spec: JsonObject, path: list[str] | tuple[str, ...]) -> Json:
    return object_at(spec, *path[:-1]).get(path[-1])
