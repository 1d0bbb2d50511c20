"""The parts of a virtual machine that a schema finds no error in, which KubeVirt's webhooks can still judge.

An object with one misspelt value would otherwise hide what the webhooks refuse in another part of it until
that value is corrected.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from renderer.kubevirt.facts.virtual_machine import PATHS, VirtualMachinePaths, virtual_machine_paths
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.field_edit import Edit, RemoveField, RemoveItem, apply_edits
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource

#: The parts whose fields are judged together: of the instance's spec, of its domain, and of its devices.
_PARTS: Mapping[tuple[str, ...], str] = {
    ("volumes",): "storage",
    ("accessCredentials",): "storage",
    ("domain", "devices", "disks"): "storage",
    ("domain", "devices", "filesystems"): "storage",
    ("networks",): "network",
    ("domain", "devices", "interfaces"): "network",
    ("livenessProbe",): "network",
    ("readinessProbe",): "network",
    ("domain", "cpu"): "size",
    ("domain", "memory"): "size",
    ("domain", "resources"): "size",
    ("domain", "features"): "firmware",
    ("domain", "firmware"): "firmware",
    ("domain", "launchSecurity"): "firmware",
    ("domain", "machine"): "firmware",
}
_CODES = (Code.SCHEMA, Code.UNKNOWN_FIELD)


def wrong_fields(findings: Iterable[Diagnostic]) -> Mapping[ResId | None, Sequence[FieldPath]]:
    """Return the fields with an error of a schema, by object; no fields of an object with any other error."""
    fields: dict[ResId | None, list[FieldPath]] = {}
    others: set[ResId | None] = set()
    for found in findings:
        if found.severity is not Severity.ERROR:
            continue
        fields.setdefault(found.resource, []).append(found.field or ROOT)
        if found.code not in _CODES:
            others.add(found.resource)
    return {resource: () if resource in others else found for resource, found in fields.items()}


def with_sound_parts(resource: Resource, wrong: Sequence[FieldPath]) -> Resource | None:
    """Return a machine without the ``wrong`` values; None if it is not known what depends on them."""
    paths = virtual_machine_paths(resource.content)
    if paths is None or not wrong or any(_part(field, paths) is None for field in wrong):
        return None
    try:
        content = apply_edits(resource.content, [_removal(field) for field in wrong])
    except LookupError:
        return None
    return resource.with_content(content) if isinstance(content, dict) else None


def is_in_sound_part(finding: Diagnostic, wrong: Sequence[FieldPath] | None) -> bool:
    """Return True if a finding has nothing to do with the ``wrong`` values of its object."""
    if wrong is None or finding.resource is None:
        return True
    paths = PATHS.get(finding.resource.gvk.kind)
    if paths is None:
        return False
    part = _part(finding.field or ROOT, paths)
    return part is not None and part not in {_part(field, paths) for field in wrong}


def _removal(field: FieldPath) -> Edit:
    return RemoveItem(field) if isinstance(field.segments[-1], int) else RemoveField(field)


def _part(field: FieldPath, paths: VirtualMachinePaths) -> str | None:
    """Return the name of the part that a field is in; None for a field that any part may depend on."""
    instance = paths.instance.segments
    inside = field.segments[len(instance) :]
    if field.segments[: len(instance)] != instance:
        of_spec = field.segments[len(paths.spec.segments) :][:1]
        return "storage" if of_spec == ("dataVolumeTemplates",) else None
    names = tuple(str(segment) for segment in inside)
    for prefix, part in _PARTS.items():
        if names[: len(prefix)] == prefix:
            return part
    depth = 3 if names[:2] == ("domain", "devices") else 2 if names[:1] == ("domain",) else 1
    return ".".join(names[:depth]) if len(names) > depth else None
