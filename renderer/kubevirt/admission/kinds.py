"""The tables of checks for kinds other than virtual machines; their objects are checked as written."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.kubevirt.admission.check_table import CheckTable
from renderer.kubevirt.admission.kubevirt_object import KUBEVIRT_CHECKS
from renderer.kubevirt.admission.migrations import MIGRATION_CHECKS, POLICY_CHECKS
from renderer.kubevirt.admission.storage_objects import (
    CLONE_CHECKS,
    EXPORT_CHECKS,
    RESTORE_CHECKS,
    SNAPSHOT_CHECKS,
)
from renderer.kubevirt.admission.workloads import POOL_CHECKS, PRESET_CHECKS, REPLICA_SET_CHECKS
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.kinds import (
    KUBEVIRT,
    VM_POOL,
    VM_RESTORE,
    VM_SNAPSHOT,
    VMI_MIGRATION,
    VMI_PRESET,
    VMI_REPLICA_SET,
)
from renderer.model.kube.json import JsonObject

#: The checks of ``spec``, by kind.
CHECKS_OF_KINDS: Mapping[str, CheckTable[[JsonObject, Cluster]]] = {
    KUBEVIRT: KUBEVIRT_CHECKS,
    "MigrationPolicy": POLICY_CHECKS,
    "VirtualMachineClone": CLONE_CHECKS,
    "VirtualMachineExport": EXPORT_CHECKS,
    VMI_MIGRATION: MIGRATION_CHECKS,
    VMI_PRESET: PRESET_CHECKS,
    VMI_REPLICA_SET: REPLICA_SET_CHECKS,
    VM_POOL: POOL_CHECKS,
    VM_RESTORE: RESTORE_CHECKS,
    VM_SNAPSHOT: SNAPSHOT_CHECKS,
}
