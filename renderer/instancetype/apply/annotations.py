"""``spec.annotations`` of an instance type (KubeVirt ``pkg/instancetype/apply/annotations.go``)."""

from __future__ import annotations

from renderer.instancetype.apply.applier import AppliedSpecs, Conflict, Conflicts
from renderer.instancetype.vmi_template import with_annotations
from renderer.model.json import JsonObject, object_at


def apply(selection: AppliedSpecs, template: JsonObject) -> JsonObject | Conflicts:
    """The template with the annotations; those that it has with another value conflict, sorted by key."""
    annotations = object_at(selection.instancetype, "annotations")
    if not annotations:
        return template
    present = object_at(template, "metadata", "annotations")
    conflicts = tuple(
        Conflict.of_annotation(key)
        for key in sorted(annotations.keys() & present.keys())
        if (annotations[key] or "") != (present[key] or "")
    )
    if conflicts:
        return conflicts
    return with_annotations(template, annotations)
