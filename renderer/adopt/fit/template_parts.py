"""Compare and shorten the ``spec.template`` of a VirtualMachine."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.facts.lists import is_equal
from renderer.kubevirt.facts.stored_values import as_stored
from renderer.model.kube.json import Json, JsonObject, object_at, without
from renderer.model.kube.list_elements import value_at

#: Mappings that are compared key by key; values below them are compared as a whole.
_OPEN = frozenset({"metadata", "spec", "domain", "devices"})
#: Mappings that have no meaning once they are empty.
_PRUNED = (
    ("spec", "domain", "resources", "requests"),
    ("spec", "domain", "resources", "limits"),
    ("spec", "domain", "resources"),
    ("spec", "domain", "memory"),
    ("spec", "domain", "ioThreads"),
    ("spec", "domain", "features", "hyperv"),
    ("spec", "domain", "features"),
    ("spec", "domain", "firmware", "bootloader"),
    ("spec", "domain", "firmware"),
    ("spec", "domain", "clock"),
    ("metadata", "annotations"),
    ("metadata",),
)


def is_same_template(one: Json, other: Json) -> bool:
    """Return True if KubeVirt's Go types store the same for both; shared parts are compared by identity."""
    if one is other:
        return True
    first, second = object_at(one), object_at(other)
    for key in {**first, **second}:
        value, other_value = first.get(key), second.get(key)
        if value is other_value:
            continue
        if key in _OPEN:
            if not is_same_template(value, other_value):
                return False
        elif not is_same_value(key, value, other_value):
            return False
    return True


def is_same_value(key: str, one: Json, other: Json) -> bool:
    """Return True if the Go field ``key`` stores the same for two values; None means no value."""
    return is_equal(one, other) or is_equal(as_stored({key: one}), as_stored({key: other}))


def pruned(template: JsonObject, before: JsonObject) -> JsonObject:
    """Return the template without mappings that are empty in it, but were not empty in ``before``."""
    for path in _PRUNED:
        if value_at(template, path) == {} and value_at(before, path):
            template = without(template, *path)
    return template


def fields_of(
    part: JsonObject, opened: frozenset[str], at: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Json]]:
    """Yield path and value of each field; for mappings named in ``opened``, the fields inside them."""
    for key, value in part.items():
        if key in opened and isinstance(value, dict):
            yield from fields_of(value, opened, (*at, key))
        else:
            yield (*at, key), value


def without_applied(part: JsonObject, applied: JsonObject, opened: frozenset[str]) -> JsonObject:
    """Return ``part`` without the fields that ``applied`` has with the same value.

    Mappings named in ``opened`` are shortened field by field unless they are equal as a whole. Returns
    ``part`` itself if nothing is removed.
    """
    changed: dict[str, Json] | None = None
    for key, value in applied.items():
        present = part.get(key)
        if present is None:
            continue
        if is_same_value(key, present, value):
            changed = dict(part) if changed is None else changed
            del changed[key]
        elif key in opened and isinstance(present, dict) and isinstance(value, dict):
            child = without_applied(present, value, opened)
            if child is not present:
                changed = dict(part) if changed is None else changed
                changed[key] = child
    return part if changed is None else changed


def leaf_count(value: Json) -> int:
    """Return the number of scalars and of empty mappings and lists in a value; 0 for no value."""
    if isinstance(value, dict):
        return sum(map(leaf_count, value.values())) or 1
    if isinstance(value, list):
        return sum(map(leaf_count, value)) or 1
    return 0 if value is None else 1


def template_of(vm: JsonObject) -> JsonObject:
    """Return ``spec.template`` of a VirtualMachine; empty if it has none."""
    return object_at(vm, "spec", "template")
