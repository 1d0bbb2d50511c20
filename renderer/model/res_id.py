"""The identity of a resource."""

from __future__ import annotations

from dataclasses import dataclass

from renderer.model.gvk import Gvk


@dataclass(frozen=True, slots=True)
class ResId:
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
