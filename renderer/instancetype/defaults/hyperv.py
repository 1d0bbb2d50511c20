"""Hyper-V features that need each other (KubeVirt v1.3 ``pkg/virt-api/webhooks/hyperv.go``)."""

from __future__ import annotations

from renderer.instancetype.vmi_template import with_section
from renderer.model.json import Json, JsonObject, array_at, object_at

_HYPERV = ("domain", "features", "hyperv")
_CPU_FEATURES = ("domain", "cpu", "features")

#: What needs what, those that nothing else needs first.
_DEPENDENCIES = (
    ("evmcs", "vapic"),
    ("ipi", "vpindex"),
    ("tlbflush", "vpindex"),
    ("synictimer", "synic"),
    ("synic", "vpindex"),
)


def default_hyperv_dependencies(spec: JsonObject) -> JsonObject:
    """The template's spec with everything enabled that an enabled feature needs.

    As soon as one is needed that is disabled, the rest is left for validation to refuse.
    """
    for name, needed in _DEPENDENCIES:
        if object_at(spec, *_HYPERV, name).get("enabled") is not True:
            continue
        enabled = object_at(spec, *_HYPERV, needed).get("enabled")
        if enabled is False:
            return spec
        spec = with_section(spec, (*_HYPERV, needed, "enabled"), section=True)
    evmcs = object_at(spec, *_HYPERV).get("evmcs")
    if evmcs is None or object_at(evmcs).get("enabled") is False:
        return spec
    return with_section(spec, _CPU_FEATURES, _with_vmx(list(array_at(spec, *_CPU_FEATURES))))


def _with_vmx(features: list[Json]) -> list[Json]:
    """The CPU features with ``vmx`` required."""
    for index, feature in enumerate(features):
        if isinstance(feature, dict) and feature.get("name") == "vmx":
            return [*features[:index], {**feature, "policy": "require"}, *features[index + 1 :]]
    return [*features, {"name": "vmx", "policy": "require"}]
