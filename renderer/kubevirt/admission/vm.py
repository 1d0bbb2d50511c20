"""The creation of a VirtualMachine (``vms-admitter.go``)."""

from __future__ import annotations

from functools import partial

from renderer.kubevirt.admission.causes import Cause, Causes
from renderer.kubevirt.admission.check_table import CheckTable, row
from renderer.kubevirt.admission.data_volume_templates import (
    check_template_names_and_uses,
    check_template_namespaces,
    check_templates,
)
from renderer.kubevirt.admission.lifecycle import (
    check_run_strategy_name,
    check_run_strategy_or_receiver,
    check_running,
)
from renderer.kubevirt.admission.live_update import LIVE_UPDATE_CHECKS
from renderer.kubevirt.admission.metadata import Metadata
from renderer.kubevirt.admission.network.bindings import DISCONTINUED_BINDING_CHECKS, check_discontinued_gates
from renderer.kubevirt.admission.vmi_checks import SPEC_CHECKS
from renderer.kubevirt.admission.vmi_spec import VmiSpec, VmSpec, section
from renderer.kubevirt.facts.cluster import Cluster
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject
from renderer.model.release import Release

_SPEC = FieldPath.of("spec")
_TEMPLATE_NAMESPACES_SINCE = Release(1, 0, 1)

#: The checks before all others; the first that yields causes ends the admission.
CREATION_CHECKS: CheckTable[[VmiSpec, Cluster]] = CheckTable(
    row(check_discontinued_gates, "interfaces", upstream="validator.go ValidateFeatureGates", since="1.4.1"),
    *DISCONTINUED_BINDING_CHECKS,
)

#: The checks after those of the template.
VM_CHECKS: CheckTable[[VmSpec, Cluster]] = CheckTable(
    row(
        check_template_names_and_uses,
        "dataVolumeTemplates",
        upstream="validateDataVolumeTemplate",
        until="1.4",
    ),
    row(
        partial(check_templates, may_be_populated=False),
        "dataVolumeTemplates",
        upstream="validateDataVolumeTemplate",
        since="1.4",
        until="1.5",
    ),
    row(
        partial(check_templates, may_be_populated=True),
        "dataVolumeTemplates",
        upstream="data-volume-template.go ValidateDataVolumeTemplate",
        since="1.5",
    ),
    row(check_running, upstream="validateRunStrategy"),
    row(check_run_strategy_name, "runStrategy", upstream="validateRunStrategy", until="1.6"),
    row(check_run_strategy_or_receiver, "runStrategy", upstream="validateRunStrategy", since="1.6"),
    *LIVE_UPDATE_CHECKS,
)


def check_vm(vm_spec: JsonObject, cluster: Cluster, namespace: str = "") -> tuple[Cause, ...]:
    """Return the causes for which the VirtualMachine with that ``spec`` is rejected.

    Instance type and preference are applied to ``spec.template``, and the defaults are set. Without a
    ``namespace`` the namespace of the VirtualMachine is unknown. The first step that has causes ends the
    admission.
    """
    vm = VmSpec.of(vm_spec, _SPEC)
    release, fields = cluster.release, vm.vmi.fields
    steps = (
        *(check.run(vm.vmi, cluster) for check in CREATION_CHECKS.checks_for(release, fields)),
        check_vm_spec(vm, cluster),
        check_template_namespaces(vm, namespace) if release >= _TEMPLATE_NAMESPACES_SINCE else (),
    )
    return next(filter(None, map(tuple, steps)), ())


def check_vm_spec(vm: VmSpec, cluster: Cluster) -> Causes:
    """Check the spec of a VirtualMachine (``ValidateVirtualMachineSpec``)."""
    metadata = section(section(vm.content, "template"), "metadata")
    release, fields = cluster.release, vm.vmi.fields
    yield from Metadata(metadata, vm.at("template", "metadata"), vm.vmi).causes(cluster)
    yield from SPEC_CHECKS.causes(release, fields, vm.vmi, cluster)
    yield from VM_CHECKS.causes(release, vm.fields, vm, cluster)
