"""Labels, annotations and service account."""

from __future__ import annotations

from renderer.kubevirt.admission.causes import Causes, invalid, needs_gate, not_supported
from renderer.kubevirt.admission.check_table import CheckTable, row
from renderer.kubevirt.admission.grace import check_grace_annotations
from renderer.kubevirt.admission.vmi_spec import VmiSpec, section, text
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.confidential.fields import IGNITION
from renderer.kubevirt.facts.feature_gates import Gate
from renderer.kubevirt.facts.image_sources import HOOK_SIDECARS
from renderer.kubevirt.facts.kubernetes_names import dns_subdomain_errors
from renderer.model.field_edit import RemoveField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject
from renderer.model.pattern import pattern
from renderer.model.record import Record
from renderer.model.whole_number import whole_number

#: Only KubeVirt itself sets these.
_RESERVED_LABELS = (
    "kubevirt.io/created-by",
    "kubevirt.io/migrationJobUID",
    "kubevirt.io/nodeName",
    "kubevirt.io/migrationTargetNodeName",
    "kubevirt.io/schedulable",
    "kubevirt.io/install-strategy",
)
_MIGRATION_THREADS = "kubevirt.io/multiThreadedQemuMigration"
_INTEGER = pattern(r"[+-]?[0-9]{1,18}")
_GATED_ANNOTATIONS = {
    IGNITION: Gate.IGNITION,
    HOOK_SIDECARS: Gate.SIDECAR,
}


class Metadata(Record):
    """The metadata, at ``path``, of a VirtualMachineInstance or of the template for it."""

    content: JsonObject
    path: FieldPath
    vmi: VmiSpec

    def causes(self, cluster: Cluster) -> Causes:
        """Yield the causes of the table below."""
        yield from METADATA_CHECKS.causes(cluster.release, frozenset(self.content), self, cluster)


def check_labels(metadata: Metadata, _: Cluster) -> Causes:
    """Reject labels that only KubeVirt itself sets."""
    labels = section(metadata.content, "labels")
    reserved = [label for label in _RESERVED_LABELS if label in labels] if labels else []
    if reserved:
        at = metadata.path.child("labels", reserved[0])
        yield not_supported(
            at,
            f"only KubeVirt itself may set {', '.join(reserved)}",
            "drop the label" if len(reserved) == 1 else "drop the labels",
            reported=metadata.path.child("labels"),
            fix=RemoveField(at) if len(reserved) == 1 else None,
        )


def check_gated_annotations(metadata: Metadata, cluster: Cluster) -> Causes:
    """Check the gates of annotations."""
    annotations = section(metadata.content, "annotations")
    for annotation, gate in _GATED_ANNOTATIONS.items():
        if text(annotations, annotation) and gate not in cluster.gates:
            what = f"the annotation {annotation}"
            yield needs_gate(
                metadata.path.child("annotations", annotation),
                what,
                gate,
                reported=metadata.path.child("annotations"),
            )


def check_migration_threads(metadata: Metadata, _: Cluster) -> Causes:
    """Check the number of migration threads in an annotation."""
    annotations = section(metadata.content, "annotations")
    threads = text(annotations, _MIGRATION_THREADS)
    if _MIGRATION_THREADS not in annotations or (_INTEGER.fullmatch(threads) and whole_number(threads) > 1):
        return
    message = f"{_MIGRATION_THREADS} must be a number greater than 1, not {threads!r}"
    yield invalid(
        metadata.path.child("annotations", _MIGRATION_THREADS),
        message,
        reported=metadata.path.child("annotations"),
    )


def _check_grace_annotations(metadata: Metadata, cluster: Cluster) -> Causes:
    yield from check_grace_annotations(metadata.vmi, cluster, metadata.content, metadata.path)


#: ``ValidateVirtualMachineInstanceMetadata``
METADATA_CHECKS: CheckTable[[Metadata, Cluster]] = CheckTable(
    row(check_labels, "labels", upstream="ValidateVirtualMachineInstanceMetadata"),
    row(check_gated_annotations, "annotations", upstream="ValidateVirtualMachineInstanceMetadata"),
    row(
        check_migration_threads,
        "annotations",
        upstream="ValidateVirtualMachineInstanceMetadata",
        until="1.5",
    ),
    row(
        _check_grace_annotations,
        "annotations",
        upstream="validateGraceIOVirtualizationAnnotations",
        since="1.9",
    ),
)


def check_service_account_name(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check that the service account's name is valid, and that volumes use the same name."""
    name = text(vmi.content, "serviceAccountName")
    if not name:
        return
    at = vmi.at("serviceAccountName")
    errors = dns_subdomain_errors(name)
    if errors:
        yield invalid(at, f"serviceAccountName {name!r} {' and '.join(errors)}")
    for volume in vmi.volumes:
        if volume.get("serviceAccount") is not None:
            other = text(section(volume, "serviceAccount"), "serviceAccountName")
            if other != name:
                yield invalid(
                    at,
                    f"serviceAccountName is {name}, but a volume uses the service account {other}",
                    "name the same service account in both",
                )
                return
