"""Snapshots, restores, exports and clones of virtual machines (KubeVirt ``pkg/storage/admitters``).

Rules that depend on objects in the cluster are not checked: whether snapshots are ready or machines stopped.
"""

from __future__ import annotations

import json
from functools import partial

from renderer.golang.duration import parse_duration
from renderer.kubevirt.admission.causes import Cause, Causes, CauseType, invalid, needs_gate, required
from renderer.kubevirt.admission.check_table import CheckTable, row
from renderer.kubevirt.admission.network.interfaces import is_bare_mac_address, is_mac_address
from renderer.kubevirt.admission.vmi_spec import elements, has, section, text, texts
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.feature_gates import Gate
from renderer.kubevirt.facts.kinds import (
    CLAIM,
    KUBEVIRT_GROUP,
    SNAPSHOT_GROUP,
    VM,
    VM_SNAPSHOT,
    VM_TEMPLATE,
    VM_TEMPLATE_GROUP,
)
from renderer.model.field_edit import AddField, Edit, RemoveField, SetField
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import JsonObject

_SPEC = FieldPath.of("spec")
_POLICIES_1_6 = ("InPlace", "RandomizeNames")
_POLICIES_1_8 = (*_POLICIES_1_6, "PrefixTargetName")
_PATCHED = ('"/metadata/labels/', '"/metadata/annotations/', '"/spec/')
_EXPORTED_1_0 = (
    (CLAIM, ""),
    (VM_SNAPSHOT, SNAPSHOT_GROUP),
    (VM, KUBEVIRT_GROUP),
)
_EXPORTED_1_8 = (*_EXPORTED_1_0, ("VirtualMachineBackup", "backup.kubevirt.io"))
_EXPORTED_1_9 = (*_EXPORTED_1_8, (VM_TEMPLATE, VM_TEMPLATE_GROUP))
_FILTERS_1_0 = (("annotationFilters", "spec.Annotations"), ("labelFilters", "spec.Labels"))
_FILTERS_1_2 = (
    ("annotationFilters", "spec.annotations"),
    ("labelFilters", "spec.labels"),
    ("template.annotationFilters", "spec.template.annotations"),
    ("template.labelFilters", "spec.template.labels"),
)


def _always(_: JsonObject, __: Cluster) -> bool:
    return True


def _check_gate(_: JsonObject, cluster: Cluster, *, gate: Gate) -> Causes:
    """Reject the object as a whole; KubeVirt's answer names no field."""
    if gate not in cluster.gates:
        yield needs_gate(_SPEC, "the object", gate, reported=ROOT)


def _check_duration(spec: JsonObject, _: Cluster, *, key: str) -> Causes:
    """Reject a text that Go cannot parse as a duration; the object is not decoded then."""
    duration = spec.get(key)
    if isinstance(duration, str) and parse_duration(duration) is None:
        hint = "write it in h, m and s: 24h, 1h30m, 90s"
        yield invalid(_SPEC.child(key), f"{duration!r} is not a duration", hint, reported=ROOT)


def _check_reference(spec: JsonObject, _: Cluster, *, key: str) -> Causes:
    """Check that ``source`` or ``target`` refers to a VirtualMachine."""
    reference, at = section(spec, key), _SPEC.child(key)
    if not has(reference, "apiGroup"):
        fix: Edit = AddField(at, "apiGroup", KUBEVIRT_GROUP)
        yield Cause(
            CauseType.NOT_FOUND,
            at.child("apiGroup"),
            f"{key} has no apiGroup",
            f"set {KUBEVIRT_GROUP}",
            fix=fix,
        )
    elif text(reference, "apiGroup") != KUBEVIRT_GROUP:
        message = f"{key} is of the group {text(reference, 'apiGroup')!r}, not {KUBEVIRT_GROUP}"
        yield invalid(at.child("apiGroup"), message, fix=SetField(at.child("apiGroup"), KUBEVIRT_GROUP))
    elif text(reference, "kind") != VM:
        message = f"{key} is a {text(reference, 'kind') or 'nothing'}, not a {VM}"
        yield invalid(at.child("kind"), message)


def _has_invalid_target(spec: JsonObject, cluster: Cluster) -> bool:
    return any(_check_reference(spec, cluster, key="target"))


def _check_restore_patches(spec: JsonObject, _: Cluster) -> Causes:
    """Check that patches change labels, annotations or fields below ``spec``, split as KubeVirt does it."""
    at = _SPEC.child("patches")
    for index, patch in enumerate(texts(spec, "patches")):
        for number, pair in enumerate(patch.strip("{}").split(","), 1):
            key, *values = (part.strip() for part in pair.split(":"))
            if len(values) != 1:  # what is in it may be confidential
                message = f"part {number} of the patch, up to a comma, is not one key and one value"
                yield invalid(at.child(index), message, reported=at)
            elif key == '"path"' and not values[0].startswith(_PATCHED):
                message = f"a patch may change labels, annotations and fields below /spec/, not {values[0]}"
                yield invalid(at.child(index), message, reported=at)


def _check_overrides(spec: JsonObject, _: Cluster) -> Causes:
    for index, override in enumerate(elements(spec, "volumeRestoreOverrides")):
        at = _SPEC.child("volumeRestoreOverrides", index)
        if not text(override, "volumeName"):
            yield required(at.child("volumeName"), "the override names no volume")
        if not any((text(override, "restoreName"), has(override, "annotations"), has(override, "labels"))):
            yield required(at, "the override overrides nothing", "set restoreName, annotations or labels")


def _check_policy(spec: JsonObject, _: Cluster, *, key: str, policies: tuple[str, ...]) -> Causes:
    policy = spec.get(key)
    if policy is not None and policy not in policies:
        yield invalid(_SPEC.child(key), f"{policy!r} is not a {key}", f"one of {', '.join(policies)}")


def _check_export_source(spec: JsonObject, _: Cluster, *, groups: tuple[tuple[str, str], ...]) -> Causes:
    """Check that the source's kind is in ``groups``, and that it has its group; the core group is empty."""
    source, at = section(spec, "source"), _SPEC.child("source")
    kind, known = text(source, "kind"), dict(groups)
    if kind not in known:
        yield invalid(
            at.child("kind"), f"there is no export of a {kind or 'nothing'}", f"one of {', '.join(known)}"
        )
        return
    if not text(source, "name"):
        yield invalid(at.child("name"), f"the {kind} has no name")
    if text(source, "apiGroup") != known[kind]:
        hint = f"set {known[kind]}" if known[kind] else "drop it"
        message = f"{text(source, 'apiGroup')!r} is not the group of a {kind}"
        fix = _group_edit(at, source, known[kind])
        yield invalid(at.child("apiGroup"), message, hint, reported=at.child("APIGroup"), fix=fix)


def _group_edit(at: FieldPath, source: JsonObject, group: str) -> Edit:
    if not group:
        return RemoveField(at.child("apiGroup"))
    if has(source, "apiGroup"):
        return SetField(at.child("apiGroup"), group)
    return AddField(at, "apiGroup", group)


def _check_template_export(spec: JsonObject, cluster: Cluster) -> Causes:
    if text(section(spec, "source"), "kind") == VM_TEMPLATE:
        missing = [gate for gate in (Gate.OCI_EXPORT, Gate.TEMPLATE) if gate not in cluster.gates]
        if missing:
            yield needs_gate(
                _SPEC.child("source", "kind"), "the export of a VirtualMachineTemplate", missing[0]
            )


def _check_filters(spec: JsonObject, _: Cluster, *, reported: tuple[tuple[str, str], ...]) -> Causes:
    """Check filters of labels and annotations; ``reported`` has the field that KubeVirt names for each."""
    for path, field in reported:
        *parents, key = path.split(".")
        parent = spec
        for name in parents:
            parent = section(parent, name)
        at = _SPEC.child(*parents, key)
        for index, pattern in enumerate(texts(parent, key)):
            for message in _filter_problems(pattern):
                yield invalid(at.child(index), message, reported=FieldPath.of(*field.split(".")))


def _filter_problems(pattern: str) -> list[str]:
    if len(pattern) <= 1:
        return ["'!' alone is not a filter"] if pattern == "!" else []
    problems = []
    if "!" in pattern[1:]:
        problems.append(f"the filter {pattern!r} has a '!' that is not at its beginning")
    if "*" in pattern[:-1]:
        problems.append(f"the filter {pattern!r} has a '*' that is not at its end")
    return problems


def _check_clone_kinds(spec: JsonObject, _: Cluster) -> Causes:
    source, target = text(section(spec, "source"), "kind"), text(section(spec, "target"), "kind")
    if source not in (VM, VM_SNAPSHOT):
        message = f"there is no clone of a {source or 'nothing'}"
        yield invalid(_SPEC.child("source", "kind"), message, reported=_SPEC.child("Source", "Kind"))
    if has(spec, "target") and target != VM:
        message = f"a clone is a {VM}, not a {target or 'nothing'}"
        yield invalid(_SPEC.child("target", "kind"), message, reported=_SPEC.child("Target", "Kind"))


def _check_clone_source(spec: JsonObject, _: Cluster) -> Causes:
    source, at, reported = section(spec, "source"), _SPEC.child("source"), _SPEC.child("Source")
    if not text(source, "apiGroup"):
        message = "source has no apiGroup"
        yield invalid(at.child("apiGroup"), message, reported=reported.child("APIGroup"))
    if not text(source, "kind"):
        yield invalid(at.child("kind"), "source has no kind", reported=reported)
    if not text(source, "name"):
        yield invalid(at.child("name"), "source has no name", reported=reported.child("Name"))


def _check_clone_target(spec: JsonObject, _: Cluster) -> Causes:
    source, target = section(spec, "source"), section(spec, "target")
    both_machines = text(source, "kind") == text(target, "kind") == VM
    if has(spec, "target") and both_machines and text(source, "name") == text(target, "name"):
        yield invalid(_SPEC.child("target", "name"), "the clone has the name of its source")


def _check_clone_mac_addresses(spec: JsonObject, _: Cluster, *, bare: bool) -> Causes:
    for name, address in section(spec, "newMacAddresses").items():
        is_known = isinstance(address, str) and (
            not address or is_mac_address(address) or (bare and is_bare_mac_address(address))
        )
        if not is_known:
            yield invalid(_SPEC.child("newMacAddresses", name), f"{address!r} is not a MAC address")


def _check_clone_patches(spec: JsonObject, _: Cluster) -> Causes:
    for index, patch in enumerate(texts(spec, "patches")):
        try:
            json.loads(patch, parse_int=str, parse_float=str)
        except RecursionError:
            continue
        except ValueError:
            yield invalid(_SPEC.child("patches", index), "the patch is not JSON")


SNAPSHOT_CHECKS: CheckTable[[JsonObject, Cluster]] = CheckTable(
    row(
        partial(_check_duration, key="failureDeadline"),
        "failureDeadline",
        upstream="vmsnapshot.go Admit",
        ends=_always,
    ),
    row(partial(_check_gate, gate=Gate.SNAPSHOT), upstream="vmsnapshot.go Admit", ends=_always),
    row(partial(_check_reference, key="source"), upstream="vmsnapshot.go Admit"),
)

RESTORE_CHECKS: CheckTable[[JsonObject, Cluster]] = CheckTable(
    row(partial(_check_gate, gate=Gate.SNAPSHOT), upstream="vmrestore.go Admit", ends=_always),
    row(partial(_check_reference, key="target"), upstream="vmrestore.go Admit", ends=_has_invalid_target),
    row(_check_restore_patches, "patches", upstream="vmrestore.go validatePatches"),
    row(_check_overrides, "volumeRestoreOverrides", upstream="validateVolumeOverrides", since="1.6"),
    row(
        partial(_check_policy, key="volumeRestorePolicy", policies=_POLICIES_1_6),
        "volumeRestorePolicy",
        upstream="validateVolumeRestorePolicy",
        since="1.6",
        until="1.8",
    ),
    row(
        partial(_check_policy, key="volumeRestorePolicy", policies=_POLICIES_1_8),
        "volumeRestorePolicy",
        upstream="validateVolumeRestorePolicy",
        since="1.8",
    ),
    row(
        partial(_check_policy, key="volumeOwnershipPolicy", policies=("Vm", "None")),
        "volumeOwnershipPolicy",
        upstream="validateVolumeOwnershipPolicy",
        since="1.7",
    ),
)

EXPORT_CHECKS: CheckTable[[JsonObject, Cluster]] = CheckTable(
    row(
        partial(_check_duration, key="ttlDuration"),
        "ttlDuration",
        upstream="vmexport.go Admit",
        ends=_always,
    ),
    row(partial(_check_gate, gate=Gate.VM_EXPORT), upstream="vmexport.go Admit", until="1.9", ends=_always),
    row(partial(_check_export_source, groups=_EXPORTED_1_0), upstream="vmexport.go Admit", until="1.8"),
    row(
        partial(_check_export_source, groups=_EXPORTED_1_8),
        upstream="vmexport.go Admit",
        since="1.8",
        until="1.9",
    ),
    row(_check_template_export, upstream="vmexport.go Admit", since="1.9", ends=_always),
    row(partial(_check_export_source, groups=_EXPORTED_1_9), upstream="vmexport.go Admit", since="1.9"),
)

CLONE_CHECKS: CheckTable[[JsonObject, Cluster]] = CheckTable(
    row(partial(_check_gate, gate=Gate.SNAPSHOT), upstream="vmclone-admitter.go Admit", ends=_always),
    row(partial(_check_filters, reported=_FILTERS_1_0), upstream="validateFilters", until="1.2"),
    row(partial(_check_filters, reported=_FILTERS_1_2), upstream="validateFilters", since="1.2"),
    row(_check_clone_kinds, upstream="validateSourceAndTargetKind"),
    row(_check_clone_source, upstream="validateSource"),
    row(_check_clone_target, "target", upstream="validateTarget", since="1.1.1"),
    row(
        partial(_check_clone_mac_addresses, bare=False),
        "newMacAddresses",
        upstream="validateNewMacAddresses",
        since="1.4",
        until="1.9",
    ),
    row(
        partial(_check_clone_mac_addresses, bare=True),
        "newMacAddresses",
        upstream="validateNewMacAddresses",
        since="1.9",
    ),
    row(_check_clone_patches, "patches", upstream="validatePatches", since="1.6"),
)
