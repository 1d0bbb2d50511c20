"""Labels and annotations of a VirtualMachineInstance, or of the template for one."""

from __future__ import annotations

from renderer.admitters.cause import Causes, not_supported
from renderer.admitters.cluster import Cluster
from renderer.admitters.feature_gates import Gate, needs_gate
from renderer.admitters.vmi_spec import section, text
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject

#: Only KubeVirt itself sets these.
_RESERVED_LABELS = (
    "kubevirt.io/created-by",
    "kubevirt.io/migrationJobUID",
    "kubevirt.io/nodeName",
    "kubevirt.io/migrationTargetNodeName",
    "kubevirt.io/schedulable",
    "kubevirt.io/install-strategy",
)
_GATED_ANNOTATIONS = {
    "kubevirt.io/ignitiondata": Gate.IGNITION,
    "hooks.kubevirt.io/hookSidecars": Gate.SIDECAR,
}


def check_metadata(metadata: JsonObject, at: FieldPath, cluster: Cluster) -> Causes:
    labels = section(metadata, "labels")
    reserved = [label for label in _RESERVED_LABELS if label in labels] if labels else []
    if reserved:
        yield not_supported(
            at.child("labels", reserved[0]),
            f"only KubeVirt itself may set {', '.join(reserved)}",
            "drop the label" if len(reserved) == 1 else "drop the labels",
            reported=at.child("labels"),
        )
    annotations = section(metadata, "annotations")
    if not annotations:
        return
    for annotation, gate in _GATED_ANNOTATIONS.items():
        if text(annotations, annotation) and gate not in cluster.gates:
            what = f"the annotation {annotation}"
            yield needs_gate(
                at.child("annotations", annotation), what, gate, reported=at.child("annotations")
            )
