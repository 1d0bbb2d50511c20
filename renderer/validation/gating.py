"""Which releases of KubeVirt know what the target release does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from renderer.model.diagnostic import DiagnosticError
from renderer.model.gvk import Gvk
from renderer.model.release import Release
from renderer.validation.kind_schema import KindSchema
from renderer.validation.kubevirt_kinds import GROUPS
from renderer.validation.registry import SchemaRegistry
from renderer.validation.schema_tree import SchemaTree


@dataclass(frozen=True, slots=True)
class Target:
    """The kind and release a resource is judged by."""

    gvk: Gvk
    release: Release
    schemas: SchemaRegistry

    @property
    def schema(self) -> KindSchema:
        """Raises ``DiagnosticError`` (schema-missing)."""
        return self.schemas.schema(self.release, self.gvk)

    @property
    def authority(self) -> str:
        """Who says what there is."""
        return f"KubeVirt {self.release}" if self.gvk.group in GROUPS else "the schema"

    def known_elsewhere(self, knows: Callable[[SchemaTree], bool]) -> str | None:
        """``needs KubeVirt 1.7`` if another release than the target ``knows`` it, else None.

        Costs a walk through the other releases' schemas: only for what is wrong.
        """
        knowing = [release for release in self.schemas.releases if self._knows(release, knows)]
        later = [release for release in knowing if release > self.release]
        if later:
            return f"needs KubeVirt {later[0]}"
        if knowing:
            return f"is of KubeVirt {knowing[-1]} and older"
        return None

    def _knows(self, release: Release, knows: Callable[[SchemaTree], bool]) -> bool:
        try:
            return knows(self.schemas.schema(release, self.gvk).tree)
        except DiagnosticError:
            return False
