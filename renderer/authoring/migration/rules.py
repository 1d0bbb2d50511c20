"""The rules for each kind, and the API versions that have a successor.

API versions were read from ``pkg/virt-operator/resource/generate/components/crds.go`` and the types of both
versions in ``staging/src/kubevirt.io/api`` at each release tag; virt-template's from the definitions that
each release deploys (``components/data/virt-template``).

``running`` becomes ``runStrategy``, which every release supports and which KubeVirt 1.4 began to require:
``pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go`` warns about ``running`` and rejects
both together; ``staging/src/kubevirt.io/api/core/v1/types.go`` (RunStrategy) documents both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeAlias

from renderer.authoring.migration import deprecated_fields
from renderer.authoring.migration.change import Change, Finding, NotMigrated, Subject, new_value, value_text
from renderer.authoring.migration.deprecated_fields import (
    firmware_findings,
    spread_ratio_findings,
    topology_findings,
)
from renderer.kubevirt.facts.kinds import (
    VM,
    VM_POOL,
    VM_TEMPLATE,
    VMI,
    VMI_PRESET,
    VMI_REPLICA_SET,
    is_kubevirt_group,
)
from renderer.kubevirt.facts.virtual_machine import ALWAYS, HALTED, PATHS, VirtualMachinePaths
from renderer.kubevirt.vm_template.template import MACHINE
from renderer.model.field_edit import FieldEdit, RemoveField, RenameField, SetField, apply_edits
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.kube.res_id import Gvk
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.placeholders import has_placeholder
from renderer.model.release import OLDEST, Release

_Rule: TypeAlias = Callable[[JsonObject], Iterator[Finding]]

#: The API version that replaces another, and the first release that has it.
_SUCCESSORS: Mapping[str, tuple[str, Release]] = {
    "kubevirt.io/v1alpha3": ("kubevirt.io/v1", OLDEST),
    "instancetype.kubevirt.io/v1alpha1": ("instancetype.kubevirt.io/v1beta1", OLDEST),
    "instancetype.kubevirt.io/v1alpha2": ("instancetype.kubevirt.io/v1beta1", OLDEST),
    "snapshot.kubevirt.io/v1alpha1": ("snapshot.kubevirt.io/v1beta1", Release(1, 3)),
    "export.kubevirt.io/v1alpha1": ("export.kubevirt.io/v1beta1", Release(1, 3)),
    "clone.kubevirt.io/v1alpha1": ("clone.kubevirt.io/v1beta1", Release(1, 5)),
    "pool.kubevirt.io/v1alpha1": ("pool.kubevirt.io/v1beta1", Release(1, 7)),
    "template.kubevirt.io/v1alpha1": ("template.kubevirt.io/v1beta1", Release(1, 9)),
}

_OLD, _NEW = "running", "runStrategy"
_STRATEGIES = {True: ALWAYS, False: HALTED}


def run_strategy_findings(content: JsonObject, paths: VirtualMachinePaths) -> Iterator[Finding]:
    """Yield the changes in a VirtualMachine, or in the template in a pool."""
    spec = object_at(content, *paths.spec.keys)
    if _OLD not in spec:
        return
    running, field = spec[_OLD], paths.spec.child(_OLD)
    if running is None and _NEW in spec:
        yield Change(Subject.RUN_STRATEGY, field, f"{_OLD}: null", "removed", (RemoveField(field),))
    elif running is None:  # in a patch, null removes the field of the base, which is renamed as well
        yield Change(Subject.RUN_STRATEGY, field, _OLD, _NEW, (RenameField(field, _NEW),))
    elif isinstance(running, str) and has_placeholder(running):
        yield NotMigrated(
            field,
            f"{_OLD} is deprecated, and {value_text(running)} is filled in only later",
            f"write {_NEW} with a variable whose values are Always and Halted",
        )
    elif not isinstance(running, bool):
        yield NotMigrated(
            field, f"{_OLD} is deprecated, and its value is neither true nor false", f"write {_NEW} instead"
        )
    elif spec.get(_NEW) is not None:
        yield NotMigrated(
            field,
            f"{_OLD} and {_NEW} are both set, and KubeVirt accepts only one",
            f"remove {_OLD}, which means {_NEW}: {_STRATEGIES[running]}",
        )
    elif _NEW in spec:
        yield _run_strategy_change(field, [RemoveField(paths.spec.child(_NEW))], running=running)
    else:
        yield _run_strategy_change(field, [], running=running)


def _run_strategy_change(field: FieldPath, before: list[FieldEdit], *, running: bool) -> Change:
    """Return the change, whose edits begin with ``before``."""
    strategy = _STRATEGIES[running]
    edits = (*before, RenameField(field, _NEW), SetField(field.parent.child(_NEW), strategy))
    return Change(Subject.RUN_STRATEGY, field, f"{_OLD}: {value_text(running)}", f"{_NEW}: {strategy}", edits)


def version_findings(content: JsonObject) -> Iterator[Finding]:
    """Yield the change of an old ``apiVersion``."""
    old = text_at(content, "apiVersion")
    if old in _SUCCESSORS:
        new, since = _SUCCESSORS[old]
        yield new_value(Subject.API_VERSION, FieldPath.of("apiVersion"), old, new, since)


def selector_finding(selector: JsonObject) -> Finding | None:
    """Return a finding about the API version of a selector whose objects will no longer have that version."""
    old = f"{text_at(selector, 'group')}/{text_at(selector, 'version')}"
    if old not in _SUCCESSORS:
        return None
    new, since = _SUCCESSORS[old]
    old, new = old.rpartition("/")[2], new.rpartition("/")[2]
    return new_value(Subject.API_VERSION, FieldPath.of("version"), old, new, since)


def in_vm_template(content: JsonObject) -> Iterator[Finding]:
    """Yield the findings in the machine of a VirtualMachineTemplate; its own API version has no effect."""
    machine = object_at(content, *MACHINE.keys)
    for rule in _RULES[VM]:
        for found in rule(machine):
            yield found.below(MACHINE)


_INSTANCETYPE_RULES: tuple[_Rule, ...] = (deprecated_fields.in_instancetype,)
_PREFERENCE_RULES: tuple[_Rule, ...] = (
    topology_findings,
    spread_ratio_findings,
    firmware_findings,
)


def _virtual_machine_rules(kind: str) -> tuple[_Rule, ...]:
    rules = (run_strategy_findings, deprecated_fields.in_virtual_machine)
    return tuple(partial(rule, paths=PATHS[kind]) for rule in rules)


def _instance_rules(kind: str) -> tuple[_Rule, ...]:
    return (partial(deprecated_fields.in_instance, paths=PATHS[kind]),)


#: By kind; the API version is checked in all of them, and in all other kinds of KubeVirt's groups.
_RULES: Mapping[str, tuple[_Rule, ...]] = {
    VM: _virtual_machine_rules(VM),
    VM_POOL: _virtual_machine_rules(VM_POOL),
    VMI: _instance_rules(VMI),
    VMI_PRESET: (deprecated_fields.in_preset,),
    VMI_REPLICA_SET: _instance_rules(VMI_REPLICA_SET),
    "VirtualMachineInstancetype": _INSTANCETYPE_RULES,
    "VirtualMachineClusterInstancetype": _INSTANCETYPE_RULES,
    "VirtualMachinePreference": _PREFERENCE_RULES,
    "VirtualMachineClusterPreference": _PREFERENCE_RULES,
    "KubeVirt": (deprecated_fields.in_kubevirt,),
    VM_TEMPLATE: (in_vm_template,),
}

#: A pattern that matches every file in which a rule can find something.
MENTIONS = re.compile(
    rb"running|v1alpha[123]|prefer|launchSecurity|liveUpdateFeatures|slirp|macvtap|passt"
    rb"|VirtualMachineInstancePreset|kind:\s*[\"']?KubeVirt|\"KubeVirt\""
)


def findings(content: JsonObject) -> Iterator[Finding]:
    """Yield the findings in one of KubeVirt's objects, or in a patch of one."""
    gvk = Gvk.parse(text_at(content, "apiVersion"), text_at(content, "kind"))
    if is_kubevirt_group(gvk.group):
        yield from version_findings(content)
        for rule in _RULES.get(gvk.kind, ()):
            yield from rule(content)


def findings_in_part(part: JsonObject, kinds: str) -> Iterator[Finding]:
    """Yield the findings in a ``part`` of an object whose kind matches ``kinds``; empty matches any kind."""
    yield from version_findings(part)
    rules = dict.fromkeys(
        rule
        for kind, kind_rules in _RULES.items()
        if not kinds or _matches(kinds, kind)
        for rule in kind_rules
        if rule is not deprecated_fields.in_preset
    )
    for rule in rules:
        yield from rule(part)


def with_deprecations_rewritten(content: JsonObject) -> JsonObject:
    """Return the object with all deprecated fields replaced, even if a release lacks the new ones."""
    changes = [found for found in findings(content) if isinstance(found, Change)]
    for change in changes:
        content = object_at(apply_edits(content, change.edits))
    return content


def _matches(kinds: str, kind: str) -> bool:
    """Match as kustomize ``api/types/selector.go``: anchored regular expressions."""
    try:
        return re.fullmatch(kinds, kind) is not None
    except re.error:
        return False


def resources_with_changed_meaning(before: ResourceSet, after: ResourceSet) -> tuple[Resource, ...]:
    """Return the resources of ``before`` whose meaning differs in ``after``; all if any is missing."""
    if len(before) != len(after):
        return tuple(before)
    return tuple(
        old
        for old, new in zip(before, after, strict=True)
        if with_deprecations_rewritten(old.content) != with_deprecations_rewritten(new.content)
    )
