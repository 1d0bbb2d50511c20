"""A valid VirtualMachine, and the changes that a test makes to it."""

from __future__ import annotations

from renderer.kubevirt.admission.causes import Cause
from renderer.kubevirt.admission.kinds import CHECKS_OF_KINDS
from renderer.kubevirt.admission.vm import check_vm
from renderer.kubevirt.facts.cluster import Cluster, ClusterConfig
from renderer.model.kube.json import JsonObject, object_at, with_value
from renderer.model.release import LATEST, Release

VALID: JsonObject = {
    "runStrategy": "Always",
    "template": {
        "metadata": {"labels": {"app": "web"}},
        "spec": {
            "architecture": "amd64",
            "domain": {
                "machine": {"type": "q35"},
                "cpu": {"sockets": 2, "cores": 1, "threads": 1},
                "memory": {"guest": "2Gi"},
                "devices": {
                    "disks": [{"name": "root", "disk": {"bus": "virtio"}}],
                    "interfaces": [{"name": "default", "masquerade": {}}],
                },
            },
            "networks": [{"name": "default", "pod": {}}],
            "volumes": [{"name": "root", "containerDisk": {"image": "fedora"}}],
        },
    },
}
TEMPLATE = "spec.template.spec"


def changed(changes: JsonObject, spec: JsonObject = VALID) -> JsonObject:
    """``spec`` with other values: ``domain.cpu`` is in the template's spec, ``/runStrategy`` in the VM's."""
    for path, value in changes.items():
        keys = path[1:].split("/") if path.startswith("/") else ["template", "spec", *path.split(".")]
        spec = with_value(spec, keys, value)
    return spec


def cluster(*gates: str, release: Release = LATEST, **config: object) -> Cluster:
    return Cluster(release, ClusterConfig(feature_gates=gates, **config))  # type: ignore[arg-type] # tests name fields


def refusals(changes: JsonObject, of: Cluster | None = None) -> list[tuple[str, str]]:
    """The types and fields of the causes, as KubeVirt would name them."""
    return [(cause.type.value, cause.field) for cause in causes(changes, of)]


def kind_refusals(kind: str, content: JsonObject, of: Cluster | None = None) -> list[tuple[str, str]]:
    """The types and fields of the causes for an object of another kind."""
    spec, of = object_at(content, "spec"), of or cluster()
    table = CHECKS_OF_KINDS[kind]
    return [(cause.type.value, cause.field) for cause in table.causes(of.release, frozenset(spec), spec, of)]


def causes(changes: JsonObject, of: Cluster | None = None) -> tuple[Cause, ...]:
    return check_vm(changed(changes), of or cluster())
