"""A VirtualMachine's creation (``vms-admitter.go``)."""

from __future__ import annotations

from renderer.admitters.causes import Cause, Causes
from renderer.admitters.cluster import Cluster
from renderer.admitters.data_volume_templates import (
    check_data_volume_namespaces,
    check_data_volume_templates,
)
from renderer.admitters.grace import check_grace_annotations
from renderer.admitters.lifecycle import check_run_strategy
from renderer.admitters.live_update import check_live_update
from renderer.admitters.metadata import check_metadata
from renderer.admitters.network.bindings import check_discontinued_bindings, check_discontinued_gates
from renderer.admitters.vmi_checks import SPEC_CHECKS
from renderer.admitters.vmi_spec import VmiSpec, section
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject

_SPEC = FieldPath.of("spec")


def admit_vm(vm_spec: JsonObject, cluster: Cluster, namespace: str = "") -> tuple[Cause, ...]:
    """Why the VirtualMachine with that ``spec`` is refused; nothing when it is admitted.

    Instance type and preference are applied to ``spec.template``, and the defaults are set. Without a
    ``namespace`` it is not known where the VirtualMachine will be. The first step
    that has causes ends the admission.
    """
    template = section(vm_spec, "template")
    vmi = VmiSpec.of(section(template, "spec"), _SPEC.child("template", "spec"))
    steps = (
        check_discontinued_gates(vmi, cluster),
        check_discontinued_bindings(vmi, cluster),
        check_vm_spec(vm_spec, vmi, _SPEC, cluster),
        check_data_volume_namespaces(vm_spec, _SPEC, namespace, cluster),
    )
    return next(filter(None, map(tuple, steps)), ())


def check_vm_spec(vm_spec: JsonObject, vmi: VmiSpec, at: FieldPath, cluster: Cluster) -> Causes:
    """``ValidateVirtualMachineSpec`` of the spec that stands ``at`` a place."""
    metadata = section(section(vm_spec, "template"), "metadata")
    metadata_at = at.child("template", "metadata")
    yield from check_metadata(metadata, metadata_at, cluster)
    yield from check_grace_annotations(vmi, cluster, metadata, metadata_at)
    for check in SPEC_CHECKS.needed(cluster.release, vmi.fields):
        yield from check(vmi, cluster)
    yield from check_data_volume_templates(vm_spec, at, cluster)
    yield from check_run_strategy(vm_spec, at, cluster)
    yield from check_live_update(vmi, cluster)
