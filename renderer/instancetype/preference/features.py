"""Preferred features (KubeVirt ``pkg/instancetype/preference/apply/features.go``)."""

from __future__ import annotations

from renderer.instancetype.apply.applier import AppliedSpecs
from renderer.instancetype.preference.set_when_absent import filled, wanted, with_filled
from renderer.instancetype.vmi_template import domain_of, with_domain_section
from renderer.model.json import JsonObject, object_at

_FIELDS = {
    "preferredApic": "apic",
    "preferredKvm": "kvm",
    "preferredPvspinlock": "pvspinlock",
    "preferredSmm": "smm",
}
_ENLIGHTENMENTS = (
    "evmcs",
    "frequencies",
    "ipi",
    "reenlightenment",
    "relaxed",
    "reset",
    "runtime",
    "spinlocks",
    "synic",
    "synictimer",
    "tlbflush",
    "vapic",
    "vendorid",
    "vpindex",
)
_HYPERV_FIELDS = {name: name for name in _ENLIGHTENMENTS}


def apply(selection: AppliedSpecs, template: JsonObject) -> JsonObject:
    """Fills in features and Hyper-V enlightenments; ACPI alone is the preference's whatever the VM says."""
    preferred = selection.preference.get("features")
    if not isinstance(preferred, dict):
        return template
    present = domain_of(template).get("features")
    before = object_at(present)
    # Go writes the features that it makes with an acpi, always.
    features = {"acpi": {}} if present is None else before
    if preferred.get("preferredAcpi") is not None:
        features = {**features, "acpi": preferred["preferredAcpi"]}
    features = _with_hyperv(filled(features, wanted(preferred, _FIELDS)), preferred)
    return template if features is before else with_domain_section(template, "features", features)


def _with_hyperv(features: JsonObject, preferred: JsonObject) -> JsonObject:
    if preferred.get("preferredHyperv") is None:
        return features
    enlightenments = wanted(object_at(preferred, "preferredHyperv"), _HYPERV_FIELDS)
    return with_filled(features, "hyperv", enlightenments)
