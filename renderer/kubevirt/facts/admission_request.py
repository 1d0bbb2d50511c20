"""The requests that KubeVirt's validating webhooks answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Final

from renderer.kubevirt.facts.cluster import ClusterConfig
from renderer.kubevirt.facts.kinds import (
    HYPERCONVERGED,
    KUBEVIRT,
    VM,
    VM_POOL,
    VM_RESTORE,
    VM_SNAPSHOT,
    VMI,
    VMI_MIGRATION,
    VMI_PRESET,
    VMI_REPLICA_SET,
)
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject
from renderer.model.kube.resource import Resource

#: The kinds that KubeVirt's validating webhooks check; most are checked without defaults.
REVIEWED_KINDS = frozenset(
    {
        VM,
        VMI,
        HYPERCONVERGED,
        KUBEVIRT,
        "MigrationPolicy",
        "VirtualMachineClone",
        "VirtualMachineExport",
        VMI_MIGRATION,
        VMI_PRESET,
        VMI_REPLICA_SET,
        VM_POOL,
        VM_RESTORE,
        VM_SNAPSHOT,
    }
)


class AdmissionRequest:
    """An object of ``kind`` that a webhook checks: ``written`` is expanded and has no defaults yet.

    The object is ``resource`` itself, or the part of it at ``base``, such as the VirtualMachine in a pool.
    """

    def __init__(  # noqa: PLR0913 - the parts of a request
        self,
        kind: str,
        resource: Resource,
        base: FieldPath,
        written: JsonObject,
        config: ClusterConfig,
        *,
        with_defaults: Callable[[JsonObject], JsonObject] = lambda written: written,
    ) -> None:
        self.kind: Final = kind
        self.resource: Final = resource
        self.base: Final = base
        self.written: Final = written
        self.config: Final = config
        self._with_defaults = with_defaults

    @cached_property
    def content(self) -> JsonObject:
        """The object as the webhook sees it. Raises ``DiagnosticError`` if a default cannot be set."""
        return self._with_defaults(self.written)
