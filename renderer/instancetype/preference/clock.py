"""The preferred clock (KubeVirt ``pkg/instancetype/preference/apply/clock.go``)."""

from __future__ import annotations

from renderer.instancetype.apply.applier import AppliedSpecs
from renderer.instancetype.preference.set_when_absent import filled, wanted
from renderer.instancetype.vmi_template import domain_of, with_domain_section
from renderer.model.json import JsonObject, object_at

_TIMER = {"preferredTimer": "timer"}
_OFFSETS = ("utc", "timezone")


def apply(selection: AppliedSpecs, template: JsonObject) -> JsonObject:
    """The offset and the timers, each as a whole and only where the VM has nothing of it."""
    preferred = selection.preference.get("clock")
    if not isinstance(preferred, dict):
        return template
    present = domain_of(template).get("clock")
    clock = filled(_with_offset(object_at(present), preferred), wanted(preferred, _TIMER))
    return template if clock is present else with_domain_section(template, "clock", clock)


def _with_offset(clock: JsonObject, preferred: JsonObject) -> JsonObject:
    if any(clock.get(offset) is not None for offset in _OFFSETS):
        return clock
    offsets = object_at(preferred, "preferredClockOffset")
    taken = {offset: offsets[offset] for offset in _OFFSETS if offsets.get(offset) is not None}
    return {**clock, **taken} if taken else clock
