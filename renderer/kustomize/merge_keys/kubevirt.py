"""The merge keys for lists of KubeVirt's kinds, if a project requests them (``mergeKeys: kubevirt``).

KubeVirt's own schemas do not define merge keys, so in kustomize a patch replaces these lists. These keys are
the fields that KubeVirt requires to be unique within a list, or, for ``dataVolumeTemplates``, the name of the
created object. For the notation see ``merge_schema``.
"""

from __future__ import annotations

from collections.abc import Mapping

from renderer.kustomize.merge_keys.merge_schema import FieldSchema, MergeSchema

_TYPES = {
    "KubevirtCpu": "features[name]",
    "KubevirtDevices": (
        "disks[name] filesystems[name] gpus[name] hostDevices[name] inputs[name] interfaces[name]"
    ),
    "KubevirtDomain": "cpu:KubevirtCpu devices:KubevirtDevices",
    "KubevirtVm": "metadata:ObjectMeta spec:KubevirtVmSpec",
    "KubevirtVmInstance": "metadata:ObjectMeta spec:KubevirtVmInstanceSpec",
    "KubevirtVmInstanceSpec": (
        "domain:KubevirtDomain networks[name] resourceClaims[name] utilityVolumes[name] volumes[name]"
        " topologySpreadConstraints[topologyKey,whenUnsatisfiable]"
    ),
    "KubevirtVmInstanceTemplate": "metadata:ObjectMeta spec:KubevirtVmInstanceSpec",
    "KubevirtVmInstancetype": "metadata:ObjectMeta spec:KubevirtVmInstancetypeSpec",
    "KubevirtVmInstancetypeSpec": "gpus[name] hostDevices[name]",
    "KubevirtVmPool": "metadata:ObjectMeta spec:KubevirtVmPoolSpec",
    "KubevirtVmPoolSpec": "virtualMachineTemplate:KubevirtVm",
    "KubevirtVmPreference": "metadata:ObjectMeta spec:KubevirtVmPreferenceSpec",
    "KubevirtVmPreferenceCpu": "preferredCPUFeatures[name]",
    "KubevirtVmPreferenceSpec": "cpu:KubevirtVmPreferenceCpu",
    "KubevirtVmReplicaSet": "metadata:ObjectMeta spec:KubevirtVmReplicaSetSpec",
    "KubevirtVmReplicaSetSpec": "template:KubevirtVmInstanceTemplate",
    "KubevirtVmSpec": ("dataVolumeTemplates[metadata.name] template:KubevirtVmInstanceTemplate"),
}
_INSTANCETYPE_KINDS = {
    "KubevirtVmInstancetype": "VirtualMachineInstancetype VirtualMachineClusterInstancetype",
    "KubevirtVmPreference": "VirtualMachinePreference VirtualMachineClusterPreference",
}
_KINDS = {
    "kubevirt.io/v1": {
        "KubevirtVm": "VirtualMachine",
        "KubevirtVmInstance": "VirtualMachineInstance",
        "KubevirtVmReplicaSet": "VirtualMachineInstanceReplicaSet",
    },
    "pool.kubevirt.io/v1alpha1": {"KubevirtVmPool": "VirtualMachinePool"},
    "pool.kubevirt.io/v1beta1": {"KubevirtVmPool": "VirtualMachinePool"},
    "instancetype.kubevirt.io/v1alpha1": _INSTANCETYPE_KINDS,
    "instancetype.kubevirt.io/v1alpha2": _INSTANCETYPE_KINDS,
    "instancetype.kubevirt.io/v1beta1": _INSTANCETYPE_KINDS,
    "instancetype.kubevirt.io/v1beta2": _INSTANCETYPE_KINDS,  # as in the customisation proposal
}


class KubevirtMergeSchema(MergeSchema):
    """The merge schema of KubeVirt's kinds with their natural keys, and ``other_kinds`` for all others."""

    def __init__(self, other_kinds: MergeSchema) -> None:
        super().__init__(_KINDS, _TYPES)
        # Lists keep their order, because guests name disks and interfaces by it.
        self._types = {
            name: {key: field._replace(keeps_order=True) for key, field in fields.items()}
            for name, fields in self._types.items()
        }
        self._other_kinds = other_kinds

    def of_kind(self, api_version: str, kind: str) -> FieldSchema | None:
        return super().of_kind(api_version, kind) or self._other_kinds.of_kind(api_version, kind)

    def fields(self, schema: FieldSchema | None) -> Mapping[str, FieldSchema]:
        return super().fields(schema) or self._other_kinds.fields(schema)
