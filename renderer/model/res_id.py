"""The identity of a resource."""

from __future__ import annotations

from renderer.model.gvk import Gvk
from renderer.model.record import Record


class ResId(Record):
    """Kind, namespace (empty when none is written) and name (kustomize ``kyaml/resid/resid.go``)."""

    gvk: Gvk
    name: str
    namespace: str = ""

    def __str__(self) -> str:
        """``VirtualMachine prod/db``, as people say it."""
        return (
            f"{self.gvk.kind} {self.namespace}/{self.name}"
            if self.namespace
            else f"{self.gvk.kind} {self.name}"
        )
