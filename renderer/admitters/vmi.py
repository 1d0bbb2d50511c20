"""A VirtualMachineInstance's creation (``vmi-create-admitter.go``)."""

from __future__ import annotations

from renderer.admitters.architectures import check_architecture
from renderer.admitters.cause import Causes
from renderer.admitters.check import CheckTable, on
from renderer.admitters.cluster import Cluster
from renderer.admitters.grace import check_grace_annotations
from renderer.admitters.hyperv import check_hyperv
from renderer.admitters.memory import check_memory_is_given
from renderer.admitters.metadata import check_metadata
from renderer.admitters.network.bindings import check_discontinued_bindings, check_discontinued_gates
from renderer.admitters.vmi_checks import SPEC_CHECKS
from renderer.admitters.vmi_spec import VmiSpec, section
from renderer.admitters.volume_devices import check_volume_devices
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject

#: What a VirtualMachine's template is not checked for.
_VMI_CHECKS: CheckTable[[VmiSpec, Cluster]] = CheckTable(
    on(check_discontinued_gates, "interfaces"),
    on(check_discontinued_bindings, "interfaces"),
    on(check_volume_devices, "volumes"),
    on(check_memory_is_given),
    on(check_hyperv, "features"),
    on(check_architecture),
)


def check_vmi(vmi: JsonObject, cluster: Cluster) -> Causes:
    """Why the VirtualMachineInstance, with its defaults, is refused: all causes at once."""
    spec = VmiSpec.of(section(vmi, "spec"), FieldPath.of("spec"))
    metadata, metadata_at = section(vmi, "metadata"), FieldPath.of("metadata")
    for table in (SPEC_CHECKS, _VMI_CHECKS):
        for check in table.needed(cluster.release, spec.fields):
            yield from check(spec, cluster)
    yield from check_metadata(metadata, metadata_at, cluster)
    yield from check_grace_annotations(spec, cluster, metadata, metadata_at)
