"""The rules that hold for each kind, and the API versions that have a successor.

API versions were read from ``pkg/virt-operator/resource/generate/components/crds.go`` and the types of both
versions in ``staging/src/kubevirt.io/api`` at each release tag.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeAlias

from renderer.kubevirt.kinds import is_kubevirt_group
from renderer.kubevirt.virtual_machine import INSTANCE, PATHS, POOL, REPLICA_SET, VIRTUAL_MACHINE
from renderer.migration import discontinued
from renderer.migration.change import Change, Finding, Subject, new_value
from renderer.migration.preferences import firmware_findings, spread_ratio_findings, topology_findings
from renderer.migration.run_strategy import run_strategy_findings
from renderer.model.field_edit import apply_edits
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject, object_at, text_at
from renderer.model.release import OLDEST, Release
from renderer.model.res_id import Gvk
from renderer.model.resource import Resource, ResourceSet

_FIELD = FieldPath.of("apiVersion")

_SUCCESSORS: Mapping[str, tuple[str, Release]] = {
    "kubevirt.io/v1alpha3": ("kubevirt.io/v1", OLDEST),
    "instancetype.kubevirt.io/v1alpha1": ("instancetype.kubevirt.io/v1beta1", OLDEST),
    "instancetype.kubevirt.io/v1alpha2": ("instancetype.kubevirt.io/v1beta1", OLDEST),
    "snapshot.kubevirt.io/v1alpha1": ("snapshot.kubevirt.io/v1beta1", Release(1, 3)),
    "export.kubevirt.io/v1alpha1": ("export.kubevirt.io/v1beta1", Release(1, 3)),
    "clone.kubevirt.io/v1alpha1": ("clone.kubevirt.io/v1beta1", Release(1, 5)),
    "pool.kubevirt.io/v1alpha1": ("pool.kubevirt.io/v1beta1", Release(1, 7)),
}


def of_object(content: JsonObject) -> Iterator[Finding]:
    old = text_at(content, "apiVersion")
    if old in _SUCCESSORS:
        new, since = _SUCCESSORS[old]
        yield new_value(Subject.API_VERSION, _FIELD, old, new, since)


def of_selector(selector: JsonObject) -> Finding | None:
    """The version by which a kustomization picks objects, which these will not have any more."""
    old = f"{text_at(selector, 'group')}/{text_at(selector, 'version')}"
    if old not in _SUCCESSORS:
        return None
    new, since = _SUCCESSORS[old]
    old, new = old.rpartition("/")[2], new.rpartition("/")[2]
    return new_value(Subject.API_VERSION, FieldPath.of("version"), old, new, since)


_Rule: TypeAlias = Callable[[JsonObject], Iterator[Finding]]

_OF_INSTANCETYPE: tuple[_Rule, ...] = (discontinued.in_instancetype,)
_OF_PREFERENCE: tuple[_Rule, ...] = (
    topology_findings,
    spread_ratio_findings,
    firmware_findings,
)


def _of_virtual_machine(kind: str) -> tuple[_Rule, ...]:
    rules = (run_strategy_findings, discontinued.in_virtual_machine)
    return tuple(partial(rule, paths=PATHS[kind]) for rule in rules)


def _of_instance(kind: str) -> tuple[_Rule, ...]:
    return (partial(discontinued.in_instance, paths=PATHS[kind]),)


#: By kind; the API version is looked at in all of them, and in all others of KubeVirt's groups.
_RULES: Mapping[str, tuple[_Rule, ...]] = {
    VIRTUAL_MACHINE: _of_virtual_machine(VIRTUAL_MACHINE),
    POOL: _of_virtual_machine(POOL),
    INSTANCE: _of_instance(INSTANCE),
    "VirtualMachineInstancePreset": (discontinued.in_preset,),
    REPLICA_SET: _of_instance(REPLICA_SET),
    "VirtualMachineInstancetype": _OF_INSTANCETYPE,
    "VirtualMachineClusterInstancetype": _OF_INSTANCETYPE,
    "VirtualMachinePreference": _OF_PREFERENCE,
    "VirtualMachineClusterPreference": _OF_PREFERENCE,
    "KubeVirt": (discontinued.in_kubevirt,),
}

#: What a file has in it that any rule has something to say of.
MENTIONS = re.compile(
    rb"running|v1alpha[123]|prefer|launchSecurity|liveUpdateFeatures|slirp|macvtap|passt"
    rb"|VirtualMachineInstancePreset|kind:\s*[\"']?KubeVirt|\"KubeVirt\""
)


def findings(content: JsonObject) -> Iterator[Finding]:
    """Yield the findings in one of KubeVirt's objects, or in a patch of one."""
    gvk = Gvk.parse(text_at(content, "apiVersion"), text_at(content, "kind"))
    if is_kubevirt_group(gvk.group):
        yield from of_object(content)
        for rule in _RULES.get(gvk.kind, ()):
            yield from rule(content)


def findings_in_part(part: JsonObject, kinds: str) -> Iterator[Finding]:
    """Yield the findings in a ``part`` of an object whose kind matches ``kinds``; empty stands for any."""
    yield from of_object(part)
    rules = dict.fromkeys(
        rule
        for kind, of_kind in _RULES.items()
        if not kinds or _matches(kinds, kind)
        for rule in of_kind
        if rule is not discontinued.in_preset
    )
    for rule in rules:
        yield from rule(part)


def with_deprecations_rewritten(content: JsonObject) -> JsonObject:
    """The object with all that is deprecated in it written anew, whichever releases know that."""
    changes = [found for found in findings(content) if isinstance(found, Change)]
    for change in changes:
        content = object_at(apply_edits(content, change.edits))
    return content


def _matches(kinds: str, kind: str) -> bool:
    """kustomize ``api/types/selector.go``: anchored regular expressions."""
    try:
        return re.fullmatch(kinds, kind) is not None
    except re.error:
        return False


def resources_of_other_meaning(before: ResourceSet, after: ResourceSet) -> tuple[Resource, ...]:
    """The resources of ``before`` that mean something else in ``after``; all of them where any is missing."""
    if len(before) != len(after):
        return tuple(before)
    return tuple(
        old
        for old, new in zip(before, after, strict=True)
        if with_deprecations_rewritten(old.content) != with_deprecations_rewritten(new.content)
    )
