"""What is asked of ``customize``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from renderer.sizes.customize.switches import SWITCHES


@dataclass(frozen=True, slots=True)
class Changes:
    """Switches by name: what was ``given`` to each, nothing to one without a value; and those with --no-."""

    given: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cleared: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        return self.cleared | self.given.keys()

    @property
    def fields(self) -> frozenset[str]:
        """The fields that are written, as diagnostics name them."""
        return frozenset(f"spec.{SWITCHES[name].path}" for name in self.given)

    def touch(self, section: str) -> bool:
        """Whether a field of that section of the spec is written or removed."""
        return any(SWITCHES[name].path.startswith(f"{section}.") for name in self.names)


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """The copy that is to be made."""

    name: str
    is_cluster_wide: bool = False
    namespace: str | None = None
    keep_labels: bool = False
    changes: Changes = field(default_factory=Changes)
