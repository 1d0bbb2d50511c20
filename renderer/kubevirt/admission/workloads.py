"""Objects with a template: pools, replica sets and presets.

Templates are checked as written: without defaults, and unexpanded.
"""

from __future__ import annotations

import re
from functools import partial

from renderer.kubevirt.admission.causes import Causes, invalid, required
from renderer.kubevirt.admission.check_table import CheckTable, row
from renderer.kubevirt.admission.disks import check_disks
from renderer.kubevirt.admission.firmware import check_firmware
from renderer.kubevirt.admission.grace import check_grace_annotations
from renderer.kubevirt.admission.network.bindings import check_discontinued_gates
from renderer.kubevirt.admission.scheduling import Place, check_label_selector
from renderer.kubevirt.admission.vm import check_vm_spec
from renderer.kubevirt.admission.vmi_checks import SPEC_CHECKS
from renderer.kubevirt.admission.vmi_spec import VmiSpec, VmSpec, has, present, section, text
from renderer.kubevirt.facts.cluster import Cluster
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject
from renderer.model.kube.label_selector import read_selector, selects
from renderer.model.whole_number import whole_number

_TEMPLATE = FieldPath.of("spec", "virtualMachineTemplate", "spec")
_SELECTOR = FieldPath.of("spec", "selector")
_MAX_UNAVAILABLE = FieldPath.of("spec", "maxUnavailable")
_STRATEGIES = frozenset({"unmanaged", "opportunistic", "proactive"})
_PERCENTAGE = re.compile(r"[+-]?[0-9]{1,9}")
_MOST_PERCENT = 100


def _check_template(spec: JsonObject, cluster: Cluster) -> Causes:
    yield from check_vm_spec(_template_of(spec), cluster)


def _check_discontinued_gates(spec: JsonObject, cluster: Cluster) -> Causes:
    yield from check_discontinued_gates(_template_of(spec).vmi, cluster)


def _template_of(spec: JsonObject) -> VmSpec:
    return VmSpec.of(section(section(spec, "virtualMachineTemplate"), "spec"), _TEMPLATE)


def _check_selector(spec: JsonObject, _: Cluster) -> Causes:
    labels = section(section(section(spec, "virtualMachineTemplate"), "metadata"), "labels")
    yield from check_selector(section(spec, "selector"), labels, "spec.virtualMachineTemplate")


def _check_strategies(spec: JsonObject, _: Cluster) -> Causes:
    for key in ("updateStrategy", "scaleInStrategy"):
        strategies = present(section(spec, key), _STRATEGIES)
        if len(strategies) > 1:
            message = f"{key} has more than one strategy: {', '.join(strategies)}"
            yield invalid(FieldPath.of("spec", key), message, "keep one of them")


def check_selector(selector: JsonObject, labels: JsonObject, template: str) -> Causes:
    """Check that ``selector`` selects the ``labels`` of the template at ``template``."""
    problems = list(check_label_selector(Place(_SELECTOR, _SELECTOR), selector))
    if problems:
        yield problems[0]._replace(reported=_SELECTOR)
    elif not selects(read_selector(selector), {key: text(labels, key) for key in labels}):
        yield invalid(
            _SELECTOR,
            "the selector does not match the labels of the template",
            f"add the labels that it selects to {template}.metadata.labels",
        )


def _check_max_unavailable(spec: JsonObject, _: Cluster) -> Causes:
    value = spec.get("maxUnavailable")
    if isinstance(value, int) and value <= 0:
        yield invalid(_MAX_UNAVAILABLE, f"maxUnavailable must be greater than 0, not {value}")
    if not has(spec, "maxUnavailable") or not isinstance(value, str):
        return
    number = value.removesuffix("%")
    if number == value:
        yield invalid(_MAX_UNAVAILABLE, f"maxUnavailable {value!r} is neither a number nor a percentage")
    elif _PERCENTAGE.fullmatch(number) is None or not 0 < whole_number(number) <= _MOST_PERCENT:
        yield invalid(_MAX_UNAVAILABLE, f"maxUnavailable must be from 1% to 100%, not {value}")


#: ``ValidateVMPoolSpec``
POOL_CHECKS: CheckTable[[JsonObject, Cluster]] = CheckTable(
    row(_check_template, upstream="ValidateVirtualMachineSpec"),
    row(_check_selector, upstream="ValidateVMPoolSpec"),
    row(_check_max_unavailable, "maxUnavailable", upstream="ValidateVMPoolSpec", since="1.6"),
    row(
        _check_strategies,
        "updateStrategy",
        "scaleInStrategy",
        upstream="validateMutualExclusivity",
        since="1.7",
    ),
    row(_check_discontinued_gates, upstream="validator.go ValidateFeatureGates", since="1.3"),
)


def _check_instance_template(spec: JsonObject, cluster: Cluster) -> Causes:
    vmi = _instance_template(spec)
    yield from SPEC_CHECKS.causes(cluster.release, vmi.fields, vmi, cluster)


def _check_instance_gates(spec: JsonObject, cluster: Cluster) -> Causes:
    yield from check_discontinued_gates(_instance_template(spec), cluster)


def _check_grace_annotations(spec: JsonObject, cluster: Cluster) -> Causes:
    metadata = section(section(spec, "template"), "metadata")
    at = FieldPath.of("spec", "template", "metadata")
    yield from check_grace_annotations(_instance_template(spec), cluster, metadata, at)


def _instance_template(spec: JsonObject) -> VmiSpec:
    return VmiSpec.of(section(section(spec, "template"), "spec"), FieldPath.of("spec", "template", "spec"))


def _check_instance_selector(spec: JsonObject, _: Cluster) -> Causes:
    labels = section(section(section(spec, "template"), "metadata"), "labels")
    yield from check_selector(section(spec, "selector"), labels, "spec.template")


def _check_preset_domain(spec: JsonObject, _: Cluster) -> Causes:
    if not has(spec, "domain"):
        yield required(FieldPath.of("spec", "domain"), "the preset has no domain")


def _check_preset_disks(spec: JsonObject, cluster: Cluster, *, decides: int) -> Causes:
    yield from check_disks(VmiSpec.of(spec, FieldPath.of("spec")), cluster, decides=decides)


def _check_preset_firmware(spec: JsonObject, cluster: Cluster) -> Causes:
    yield from check_firmware(VmiSpec.of(spec, FieldPath.of("spec")), cluster)


#: ``ValidateVMIRSSpec``
REPLICA_SET_CHECKS: CheckTable[[JsonObject, Cluster]] = CheckTable(
    row(_check_grace_annotations, upstream="validateGraceIOVirtualizationAnnotations", since="1.9"),
    row(_check_instance_template, upstream="ValidateVirtualMachineInstanceSpec"),
    row(_check_instance_selector, upstream="ValidateVMIRSSpec"),
    row(_check_instance_gates, upstream="validator.go ValidateFeatureGates", since="1.3"),
)

#: ``ValidateVMIPresetSpec``
PRESET_CHECKS: CheckTable[[JsonObject, Cluster]] = CheckTable(
    row(_check_preset_domain, upstream="ValidateVMIPresetSpec"),
    row(partial(_check_preset_disks, decides=-1), upstream="validateDomainPresetSpec", until="1.3"),
    row(partial(_check_preset_disks, decides=0), upstream="ValidateVMIPresetSpec", since="1.3"),
    row(_check_preset_firmware, upstream="ValidateVMIPresetSpec"),
)
