"""All the resources of one overlay, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from renderer.model.resource import Resource


class ResourceSet:
    """Resources in the order in which they will be written. Changes return a new set."""

    __slots__ = ("resources",)

    def __init__(self, resources: tuple[Resource, ...] = ()) -> None:
        self.resources: Final = resources

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ResourceSet) and self.resources == other.resources

    __hash__ = None  # type: ignore[assignment]  # resources hold dictionaries

    def __repr__(self) -> str:
        return f"ResourceSet({self.resources!r})"

    def __iter__(self) -> Iterator[Resource]:
        return iter(self.resources)

    def __len__(self) -> int:
        return len(self.resources)

    def map(self, change: Callable[[Resource], Resource]) -> ResourceSet:
        return ResourceSet(tuple(change(resource) for resource in self.resources))

    def where(self, keep: Callable[[Resource], bool]) -> ResourceSet:
        return ResourceSet(tuple(resource for resource in self.resources if keep(resource)))
