"""The preferred machine type (KubeVirt ``pkg/instancetype/preference/apply/machine.go``)."""

from __future__ import annotations

from renderer.instancetype.apply.applier import AppliedSpecs
from renderer.instancetype.preference.set_when_absent import filled, wanted
from renderer.instancetype.vmi_template import domain_of, with_domain_section
from renderer.model.json import JsonObject, object_at

_FIELDS = {"preferredMachineType": "type"}


def apply(selection: AppliedSpecs, template: JsonObject) -> JsonObject:
    """Fills in the type; some releases leave an empty one for a section without a type."""
    preferred = selection.preference.get("machine")
    if not isinstance(preferred, dict):
        return template
    present = domain_of(template).get("machine")
    machine = filled(object_at(present), wanted(preferred, _FIELDS))
    if not machine and present is None and not selection.behaviour.machine_needs_type:
        machine = {"type": ""}
    if not machine or machine is present:
        return template
    return with_domain_section(template, "machine", machine)
