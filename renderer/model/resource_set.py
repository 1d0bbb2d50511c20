"""All the resources of one overlay, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from renderer.model.resource import Resource


@dataclass(frozen=True, slots=True)
class ResourceSet:
    """Resources in the order in which they will be written. Changes return a new set."""

    resources: tuple[Resource, ...] = ()

    def __iter__(self) -> Iterator[Resource]:
        return iter(self.resources)

    def __len__(self) -> int:
        return len(self.resources)

    def map(self, change: Callable[[Resource], Resource]) -> ResourceSet:
        return ResourceSet(tuple(change(resource) for resource in self.resources))

    def where(self, keep: Callable[[Resource], bool]) -> ResourceSet:
        return ResourceSet(tuple(resource for resource in self.resources if keep(resource)))
