"""A resource as people type it: ``db``, ``vm/db``, ``VirtualMachine/db``, ``prod/vm/db``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Self

from renderer.model.resource import Resource

#: What kubectl knows kinds by beside their plurals.
_SHORT_NAMES = {
    "cm": "configmap",
    "deploy": "deployment",
    "ds": "daemonset",
    "dv": "datavolume",
    "ing": "ingress",
    "kv": "kubevirt",
    "nad": "networkattachmentdefinition",
    "netpol": "networkpolicy",
    "ns": "namespace",
    "pvc": "persistentvolumeclaim",
    "sa": "serviceaccount",
    "sts": "statefulset",
    "svc": "service",
    "vm": "virtualmachine",
    "vmcf": "virtualmachineclusterinstancetype",
    "vmcp": "virtualmachineclusterpreference",
    "vmf": "virtualmachineinstancetype",
    "vmi": "virtualmachineinstance",
    "vmp": "virtualmachinepreference",
    "vmpool": "virtualmachinepool",
    "vmpref": "virtualmachinepreference",
}


class ResourcePattern(NamedTuple):
    """``kind`` and ``namespace`` are empty where any will do."""

    name: str
    kind: str = ""
    namespace: str = ""

    @classmethod
    def parse(cls, text: str, namespace: str = "") -> Self:
        """``NAME``, ``KIND/NAME`` or ``NAMESPACE/KIND/NAME``. Raises ``ValueError``."""
        *front, name = text.split("/")
        if not name or len(front) > 2 or not all(front):  # noqa: PLR2004 - as the docstring says
            raise ValueError(f"{text!r} is not NAME, KIND/NAME or NAMESPACE/KIND/NAME")
        if len(front) == 1:
            return cls(name, front[0], namespace)
        return cls(name, front[1], front[0]) if front else cls(name, "", namespace)

    def among(self, resources: Iterable[Resource]) -> tuple[Resource, ...]:
        """Those that are called so, or else those that were before something renamed them."""
        found = [each for each in resources if self._is_kind(each) and self._is_in_namespace(each)]
        now = tuple(each for each in found if each.name == self.name)
        return now or tuple(each for each in found if any(old.name == self.name for old in each.previous_ids))

    def _is_in_namespace(self, resource: Resource) -> bool:
        return self.namespace in ("", resource.namespace)

    def _is_kind(self, resource: Resource) -> bool:
        if not self.kind:
            return True
        wanted, _, group = self.kind.lower().partition(".")
        if group not in ("", resource.gvk.group):
            return False
        kind = resource.kind.lower()
        plurals = (kind, f"{kind}s", f"{kind}es", f"{kind.removesuffix('y')}ies")
        return (
            wanted in plurals or _SHORT_NAMES.get(wanted.removesuffix("s"), _SHORT_NAMES.get(wanted)) == kind
        )
