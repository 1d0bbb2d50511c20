"""The parts of a virtual machine that a schema finds no error in, which KubeVirt's webhooks can still judge.

An object with one misspelt value would otherwise hide what the webhooks refuse in another part of it until
that value is corrected.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from renderer.kubevirt.facts.machine_parts import affected_part, part_of
from renderer.kubevirt.facts.virtual_machine import PATHS, virtual_machine_paths
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.field_edit import apply_edits, removal
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource

_CODES = (Code.SCHEMA, Code.UNKNOWN_FIELD)


def wrong_fields(findings: Iterable[Diagnostic]) -> Mapping[ResId | None, Sequence[FieldPath]]:
    """Return the fields with an error of a schema, by object; no fields of an object with any other error."""
    fields: dict[ResId | None, list[FieldPath]] = {}
    others: set[ResId | None] = set()
    for found in findings:
        if found.severity is not Severity.ERROR:
            continue
        fields.setdefault(found.resource, []).append(found.field or ROOT)
        if found.code not in _CODES or affected_part(found) is None:
            others.add(found.resource)
    return {resource: () if resource in others else found for resource, found in fields.items()}


def with_sound_parts(resource: Resource, wrong: Sequence[FieldPath]) -> Resource | None:
    """Return a machine without the ``wrong`` values; None if it is not known what depends on them."""
    paths = virtual_machine_paths(resource.content)
    if paths is None or not wrong:
        return None
    try:
        content = apply_edits(resource.content, [removal(field) for field in wrong])
    except LookupError:
        return None
    return resource.with_content(content) if isinstance(content, dict) else None


def is_in_sound_part(finding: Diagnostic, wrong: Sequence[FieldPath] | None) -> bool:
    """Return True if a finding has nothing to do with the ``wrong`` values of its object."""
    if wrong is None or finding.resource is None:
        return True
    paths, part = PATHS.get(finding.resource.gvk.kind), affected_part(finding)
    return paths is not None and part is not None and part not in {part_of(field, paths) for field in wrong}
