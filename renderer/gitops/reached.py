"""Objects by which an engine deploys others, as their parents deploy them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self

from renderer.model.diagnostic import Outcome
from renderer.model.kube.res_id import Reference
from renderer.model.kube.resource import Resource, ResourceSet


@dataclass(slots=True, eq=False)
class Reached:
    """A Kustomization of Flux or an Application; ``outcome`` is None if it is not built.

    ``made_by`` is the ApplicationSet or ResourceSet that makes it. ``repeated`` are objects that it deploys
    and that another one deploys as well.
    """

    entry: Resource
    parent: Self | None = None
    made_by: Resource | None = None
    outcome: Outcome[ResourceSet] | None = None
    children: list[Self] = field(default_factory=list)
    repeated: list[Resource] = field(default_factory=list)

    @property
    def key(self) -> Reference:
        return self.entry.reference

    @property
    def deployed_as(self) -> Reference:
        """Return the object in Git that makes it: a set, or itself."""
        return (self.made_by or self.entry).reference

    @property
    def deployed(self) -> frozenset[Reference]:
        """Return the objects that it deploys."""
        return frozenset(each.reference for each in self.outcome.value) if self.outcome else frozenset()

    def lineage(self) -> Iterator[Self]:
        """Yield it and its parents, up to the first."""
        reached: Self | None = self
        while reached is not None:
            yield reached
            reached = reached.parent
