"""A copy of an instance type or preference with other values, as the customisation proposal has it.

By default the copy of a cluster-wide object belongs to a namespace, and the labels and annotations of
``instancetype.kubevirt.io`` are left out, as they would speak of the original.
"""

from __future__ import annotations

from renderer.model.diagnostic import Diagnostic
from renderer.model.json import JsonObject, object_at
from renderer.model.resource import Resource
from renderer.sizes.customize.change_spec import changed_spec
from renderer.sizes.customize.consistency import contradictions
from renderer.sizes.customize.metadata import customized_metadata
from renderer.sizes.customize.request import Changes, Copy
from renderer.sizes.customize.switch import Target
from renderer.sizes.customize.switches import SWITCHES, SWITCHES_FOR
from renderer.sizes.customize.values import SwitchError
from renderer.sizes.names import NAME_RULE, is_object_name

#: Known by every release of KubeVirt that can be a target.
_API_VERSION = "instancetype.kubevirt.io/v1beta1"
_MAX_NAMESPACE = 63
_KINDS = {Target.INSTANCETYPE: "Instancetype", Target.PREFERENCE: "Preference"}


def customized(source: Resource, copy: Copy) -> JsonObject:
    """The new instance type or preference. Raises ``SwitchError``."""
    target = target_of(source)
    _check_names(copy)
    _check_targets(source, target, copy.changes)
    _check_contradictions(copy.changes)
    spec = changed_spec(object_at(source.content, "spec"), copy.changes)
    _check_sizes(source, target, spec)
    metadata = customized_metadata(object_at(source.content, "metadata"), spec, target, copy)
    kind = f"VirtualMachine{'Cluster' if copy.is_cluster_wide else ''}{_KINDS[target]}"
    return {"apiVersion": _API_VERSION, "kind": kind, "metadata": metadata, "spec": spec}


def target_of(source: Resource) -> Target:
    return Target.PREFERENCE if source.kind.endswith(_KINDS[Target.PREFERENCE]) else Target.INSTANCETYPE


def problems(copied: JsonObject, target: Target) -> tuple[Diagnostic, ...]:
    """What every virtual machine that uses ``copied`` would be refused for."""
    return contradictions(object_at(copied, "spec")) if target is Target.INSTANCETYPE else ()


def _check_names(copy: Copy) -> None:
    if not is_object_name(copy.name):
        raise SwitchError(f"--name {copy.name!r} cannot be a name, which has {NAME_RULE}")
    namespace = copy.namespace
    if namespace is None:
        return
    if copy.is_cluster_wide:
        raise SwitchError("--namespace and --cluster contradict each other")
    if not is_object_name(namespace) or "." in namespace or len(namespace) > _MAX_NAMESPACE:
        raise SwitchError(f"--namespace {namespace!r} cannot be the name of a namespace")


def _check_targets(source: Resource, target: Target, changes: Changes) -> None:
    for other, switches in SWITCHES_FOR.items():
        if other is target:
            continue
        for name in (switch.name for switch in switches if switch.name in changes.names):
            shown = name if name in changes.given else f"no-{name}"
            article = "an" if target is Target.INSTANCETYPE else "a"
            raise SwitchError(f"--{shown} is for {other}s; {_shown(source.name)} is {article} {target}")


def _check_contradictions(changes: Changes) -> None:
    for name in changes.given:
        switch = SWITCHES[name]
        if name in changes.cleared and not switch.value.repeats:
            raise SwitchError(f"--{name} and --no-{name} contradict each other")
        for other in changes.given:
            if SWITCHES[other].path.startswith(switch.replaces):
                raise SwitchError(f"--{name} and --{other} contradict each other")


def _check_sizes(source: Resource, target: Target, spec: JsonObject) -> None:
    """A size that is left to virtual machines is none that others can be made of."""
    if target is not Target.INSTANCETYPE:
        return
    for switch, section in (("vcpus", "cpu"), ("memory", "memory")):
        if object_at(spec, section).get("guest") is None:
            raise SwitchError(f"--{switch} is needed: {_shown(source.name)} leaves it to the virtual machine")


def _shown(name: str) -> str:
    """A name from a file: it may hold what a terminal would act on."""
    return name if is_object_name(name) else repr(name)
