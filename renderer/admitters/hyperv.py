"""Hyper-V features that need each other (KubeVirt ``pkg/virt-api/webhooks/hyperv.go``)."""

from __future__ import annotations

from renderer.admitters.cause import Causes, invalid, required
from renderer.admitters.cluster import Cluster
from renderer.admitters.vmi_spec import VmiSpec, elements, has, section, text, unless_disabled
from renderer.model.field_path import FieldPath

#: What an enabled feature needs enabled.
_NEEDS = {
    "evmcs": "vapic",
    "ipi": "vpindex",
    "tlbflush": "vpindex",
    "synictimer": "synic",
    "synic": "vpindex",
}


def check_hyperv(vmi: VmiSpec, _: Cluster) -> Causes:
    features = section(vmi.domain, "features")
    hyperv = section(features, "hyperv")
    at = vmi.at("domain", "features", "hyperv")
    for name, needed in _NEEDS.items():
        if section(hyperv, name).get("enabled") and not section(hyperv, needed).get("enabled"):
            reported = at.child("domain", "features", "hyperv", name)
            yield invalid(at.child(name), f"hyperv.{name} needs hyperv.{needed}", reported=reported)
    if unless_disabled(hyperv, "evmcs"):
        yield from _check_vmx(vmi)
    if has(features, "hyperv") and has(features, "hypervPassthrough"):
        yield invalid(at, "hyperv and hypervPassthrough exclude each other", "drop one of them")


def _check_vmx(vmi: VmiSpec) -> Causes:
    features = elements(vmi.cpu, "features")
    at, reported = vmi.at("domain", "cpu", "features"), FieldPath.of("spec", "domain", "cpu", "features")
    if not features:
        yield required(at, "hyperv.evmcs needs the CPU feature vmx", reported=reported)
    for index, feature in enumerate(features):
        if text(feature, "name") == "vmx" and text(feature, "policy") != "require":
            message = "hyperv.evmcs needs the CPU feature vmx with the policy require"
            yield invalid(at.child(index, "policy"), message, reported=reported.child(index, "policy"))
