"""The requests that KubeVirt's validating webhooks answer."""

from __future__ import annotations

from renderer.kubevirt.cluster import ClusterConfig
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject
from renderer.model.record import Record
from renderer.model.resource import Resource

#: The kinds that KubeVirt's validating webhooks are asked about; most are admitted without defaults.
ADMITTED = frozenset(
    {
        "VirtualMachine",
        "VirtualMachineInstance",
        "KubeVirt",
        "MigrationPolicy",
        "VirtualMachineClone",
        "VirtualMachineExport",
        "VirtualMachineInstanceMigration",
        "VirtualMachineInstancePreset",
        "VirtualMachineInstanceReplicaSet",
        "VirtualMachinePool",
        "VirtualMachineRestore",
        "VirtualMachineSnapshot",
    }
)


class AdmissionRequest(Record):
    """An object of ``kind`` as a webhook sees it: expanded, and with the defaults that are set before.

    It is ``resource``, or what stands at ``base`` in it, as the VirtualMachine in a pool does.
    """

    kind: str
    resource: Resource
    base: FieldPath
    content: JsonObject
    config: ClusterConfig
