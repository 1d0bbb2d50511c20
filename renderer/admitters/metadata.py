"""Labels, annotations, host name, subdomain and service account."""

from __future__ import annotations

from renderer.admitters.causes import Causes, invalid, not_supported
from renderer.admitters.cluster import Cluster
from renderer.admitters.feature_gates import Gate, needs_gate
from renderer.admitters.kubernetes_names import dns_label_errors, dns_subdomain_errors
from renderer.admitters.vmi_spec import VmiSpec, section, text
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


def check_hostname(vmi: VmiSpec, _: Cluster) -> Causes:
    name = text(vmi.content, "hostname")
    errors = dns_label_errors(name) if name else []
    if errors:
        yield invalid(vmi.at("hostname"), f"hostname {name!r} {' and '.join(errors)}")


def check_subdomain(vmi: VmiSpec, _: Cluster) -> Causes:
    name = text(vmi.content, "subdomain")
    errors = dns_subdomain_errors(name) if name else []
    if errors:
        yield invalid(vmi.at("subdomain"), f"subdomain {name!r} {' and '.join(errors)}")


def check_service_account_name(vmi: VmiSpec, _: Cluster) -> Causes:
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
                    f"serviceAccountName is {name}, but a volume is of the service account {other}",
                    "name the same service account in both",
                )
                return
