"""Values as KubeVirt's Go types store them, and the fields in which two of them differ.

Values that a Go type cannot distinguish from absent ones are left out: empty texts and lists, and ``false``
or 0 in a field that is not a pointer (``staging/src/kubevirt.io/api/core/v1/schema.go``). Quantities are
canonical, so that two values are equal if ``equality.Semantic.DeepEqual`` says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from renderer.kubevirt.facts.lists import is_equal, named_elements
from renderer.model.difference import ORDER
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at
from renderer.model.quantity import lenient_quantity

#: Fields of type ``bool``, not ``*bool``.
_BOOLEANS = frozenset(
    {
        "dedicatedCpuPlacement",
        "default",
        "disableHotplug",
        "endOfInterrupt",
        "hidden",
        "hotpluggable",
        "isolateEmulatorThread",
        "overcommitGuestOverhead",
        "readOnly",
        "reservation",
    }
)
#: Fields of a number type that are not pointers.
_NUMBERS = frozenset(
    {
        "acpiIndex",
        "cores",
        "end",
        "failureThreshold",
        "initialDelaySeconds",
        "logical",
        "maxSockets",
        "option",
        "periodSeconds",
        "physical",
        "port",
        "sockets",
        "start",
        "successThreshold",
        "threads",
        "timeoutSeconds",
    }
)
#: Fields that are pointers to text: an empty text is a value. Some names are pointers in one list only.
_TEXT_POINTERS = frozenset(
    {
        "apiGroup",
        "errorPolicy",
        "evictionStrategy",
        "inferFromVolumeFailurePolicy",
        "ioThreadsPolicy",
        "localhostProfile",
        "memLock",
        "nodeAffinityPolicy",
        "nodeTaintsPolicy",
        "rebootPolicy",
        "resourceClaimName",
        "resourceClaimTemplateName",
        "runStrategy",
        "startStrategy",
        "storageClassName",
        "timezone",
        "updateVolumesStrategy",
        "volumeMode",
    }
)
_TEXT_POINTERS_IN = frozenset({("options", "value"), ("panicDevices", "model"), ("utilityVolumes", "type")})
_TEXT_MAPS = frozenset({"annotations", "labels", "matchLabels", "nodeSelector"})
#: Fields that are structs or maps: an empty one equals a missing one.
_STRUCTS = frozenset(
    {
        "annotations",
        "devices",
        "domain",
        "labels",
        "limits",
        "matchLabels",
        "metadata",
        "nodeSelector",
        "propagationMethod",
        "requests",
        "resources",
        "source",
    }
)
#: Structs that are present even if nothing is written.
_ALWAYS_THERE = frozenset({"annotations", "devices", "domain", "labels", "metadata", "resources"})
_QUANTITIES = frozenset({"addedOverhead", "capacity", "divisor", "guest", "maxGuest"})
_QUANTITY_MAPS = frozenset({"limits", "requests"})
#: Targets of a disk in which ``readonly`` is not a pointer; in ``cdrom`` it is one.
_READ_WRITE_TARGETS = frozenset({"disk", "lun"})


def as_stored(value: JsonObject) -> JsonObject:
    """Return an object, or a part of one, as KubeVirt's Go types store it."""
    return _object(value, "")


def _object(value: JsonObject, parent: str) -> JsonObject:
    """Return the object at key ``parent``, or in the list at that key, as stored."""
    kept: dict[str, Json] = {}
    for key, child in value.items():
        found = _value(child, key, parent)
        if found is not None:
            kept[key] = found
    return kept


def _value(value: Json, key: str, parent: str) -> Json:
    if isinstance(value, dict):
        found = _object(value, key or parent)
        is_struct = key in _STRUCTS or (key == "acpi" and parent == "features")
        return None if is_struct and not found else found
    if isinstance(value, list):
        return [_value(each, "", key) for each in value] or None
    if key in _QUANTITIES or parent in _QUANTITY_MAPS:
        amount = lenient_quantity(value)
        return value if amount is None else amount.canonical
    if value == "":
        is_kept = key in _TEXT_POINTERS or (parent, key) in _TEXT_POINTERS_IN or parent in _TEXT_MAPS
        return value if is_kept else None
    if value is False and (
        (key in _BOOLEANS and parent != "containerPath")  # whose readOnly is a pointer
        or (key == "readonly" and parent in _READ_WRITE_TARGETS)
    ):
        return None
    return None if value == 0 and value is not False and key in _NUMBERS else value


def differences(before: JsonObject, after: JsonObject, at: FieldPath = ROOT) -> Iterator[FieldPath]:
    """Yield the topmost fields that differ; ``#order`` ends the path of a named list in another order."""
    for key in sorted({*before, *after}):
        one, other = before.get(key), after.get(key)
        if key in _ALWAYS_THERE:
            one, other = object_at(one), object_at(other)
        if not is_equal(one, other):
            yield from _differences(one, other, at.child(key))


def _differences(before: Json, after: Json, at: FieldPath) -> Iterator[FieldPath]:
    if isinstance(before, dict) and isinstance(after, dict):
        yield from differences(before, after, at)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _list_differences(before, after, at)
    else:
        yield at


def _list_differences(before: Sequence[Json], after: Sequence[Json], at: FieldPath) -> Iterator[FieldPath]:
    paired = named_elements(before, after)
    if paired is None:
        for index in range(max(len(before), len(after))):
            sides = [side[index] if index < len(side) else None for side in (before, after)]
            if not is_equal(*sides):
                yield from _differences(sides[0], sides[1], at.child(index))
        return
    old, new = paired
    if [name for name in old if name in new] != [name for name in new if name in old]:
        yield FieldPath((*at.segments[:-1], f"{at.segments[-1]}{ORDER}"))
    for name in sorted({*old, *new}, key=str):
        if not is_equal(old.get(name), new.get(name)):
            yield from _differences(old.get(name), new.get(name), at.child(name))


def with_part(value: JsonObject, path: Sequence[str], part: Json) -> JsonObject:
    """Return ``value`` with ``part`` at ``path``; without that field if ``part`` is None or an empty list."""
    head, *rest = path
    child: Json = with_part(object_at(value, head), rest, part) if rest else part
    others = {key: each for key, each in value.items() if key != head}
    is_empty_list = isinstance(child, list | tuple) and not child
    if child is None or is_empty_list or (child == EMPTY and head in _STRUCTS):
        return others
    return {**others, head: child}
