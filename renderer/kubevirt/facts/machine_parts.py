"""The parts of a virtual machine that can be judged apart: a mistake in one says nothing about another."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.kubevirt.facts.virtual_machine import PATHS, VirtualMachinePaths
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.field_path import ROOT, FieldPath

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


def affected_part(finding: Diagnostic) -> str | None:
    """Return the part of a machine that a finding is about; None if it may be about any part."""
    paths = finding.resource and PATHS.get(finding.resource.gvk.kind)
    field = finding.field or ROOT
    if finding.code is Code.UNKNOWN_FIELD:
        field = field.parent  # any of the fields there may be meant
    return part_of(field, paths) if paths else None


def part_of(field: FieldPath, paths: VirtualMachinePaths) -> str | None:
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
    return ".".join(names[:depth]) if len(names) >= depth else None
