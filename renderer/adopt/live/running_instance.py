"""The spec that a virtual machine runs with, read from its instance in the cluster.

virt-controller creates an instance from the template with instance type and preference, and KubeVirt's
webhook fills in the missing fields (``pkg/virt-controller/watch/vm``, ``startVMI``). So a field of the
VirtualMachine that the instance lacks or has with another value was changed since, and waits for the next
start.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.facts.lists import is_equal, named_elements
from renderer.kubevirt.facts.stored_values import as_stored, differences
from renderer.kubevirt.impact.state import VmState
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, object_at

#: Fields of the instance that KubeVirt rewrites while it runs, by the last names of their paths.
_REWRITTEN = frozenset({"maxGuest", "maxSockets", "resources", "state"})


def has_all_of(instance: Json, applied: Json) -> bool:
    """Return True if an instance has all values of its VirtualMachine as they are written: nothing waits."""
    if isinstance(applied, dict) and isinstance(instance, dict):
        return all(
            key in _REWRITTEN or (key in instance and has_all_of(instance[key], value))
            for key, value in applied.items()
        )
    if isinstance(applied, list) and isinstance(instance, list):
        return len(applied) == len(instance) and all(map(has_all_of, instance, applied))
    return is_equal(instance, applied)


def waiting_fields(applied: JsonObject, instance: JsonObject) -> Iterator[FieldPath]:
    """Yield the fields in which the ``spec`` of an instance differs from its VirtualMachine.

    ``applied`` is as the cluster stores it.
    """
    yield from differences(_running(applied, as_stored(instance)), applied)


def running_vm(vm: VmState, instance: JsonObject) -> VmState:
    """Return a VirtualMachine as it was when an instance with this ``spec`` was started."""
    running = _running(vm.applied, as_stored(instance))
    template = object_at(vm.content, "spec", "template")
    spec = {
        **vm.spec,
        "template": {**template, "spec": _with_running_values(vm.template, vm.applied, running)},
    }
    started = {
        **vm.instance,
        "spec": _with_running_values(object_at(vm.instance, "spec"), vm.applied, running),
    }
    return VmState({**vm.content, "spec": spec}, running, started)


def _running(applied: JsonObject, instance: JsonObject) -> JsonObject:
    """Return ``applied`` with the values of the instance, and without the fields that the instance lacks."""
    found = {
        key: value if key in _REWRITTEN else _running_value(value, instance[key])
        for key, value in applied.items()
        if key in instance or key in _REWRITTEN
    }
    return {key: value for key, value in found.items() if value is not None}


def _running_value(applied: Json, instance: Json) -> Json:
    if isinstance(applied, dict) and isinstance(instance, dict):
        return _running(applied, instance)
    if isinstance(applied, list) and isinstance(instance, list):
        paired = named_elements(applied, instance)
        if paired is not None:
            applied_by_name, running_by_name = paired
            return [
                _running_value(each, running_by_name[name])
                for name, each in applied_by_name.items()
                if name in running_by_name
            ] or None
    return instance


def _with_running_values(value: JsonObject, applied: JsonObject, running: JsonObject) -> JsonObject:
    """Return ``value`` with the values of ``running`` wherever they differ from ``applied``."""
    made = dict(value)
    for key in applied.keys() & made.keys():
        if key not in running:
            del made[key]
        elif applied[key] != running[key]:
            made[key] = _with_running_value(made[key], applied[key], running[key])
    return made


def _with_running_value(value: Json, applied: Json, running: Json) -> Json:
    if isinstance(value, dict) and isinstance(applied, dict) and isinstance(running, dict):
        return _with_running_values(value, applied, running)
    if isinstance(value, list) and isinstance(applied, list) and isinstance(running, list):
        pairs, others = named_elements(applied, running), named_elements(value, running)
        if pairs is not None and others is not None:
            applied_by_name, running_by_name = pairs
            return [
                _with_running_value(each, applied_by_name[name], running_by_name[name])
                if name in applied_by_name and name in running_by_name
                else each
                for name, each in others[0].items()
                if name in running_by_name or name not in applied_by_name
            ]
    return running
