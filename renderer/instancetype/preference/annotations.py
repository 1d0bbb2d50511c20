"""Annotations of a preference (KubeVirt ``pkg/instancetype/preference/apply/annotations.go``)."""

from __future__ import annotations

from renderer.instancetype.apply.applier import AppliedSpecs
from renderer.instancetype.vmi_template import with_annotations
from renderer.model.json import JsonObject, object_at


def apply(selection: AppliedSpecs, template: JsonObject) -> JsonObject:
    """The template with the annotations that it does not have itself."""
    annotations = object_at(selection.preference, "annotations")
    present = object_at(template, "metadata", "annotations")
    if annotations.keys() <= present.keys():
        return template
    return with_annotations(template, annotations)
