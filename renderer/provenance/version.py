"""A resource at one moment, and what made it so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from renderer.model.act import Act
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject
from renderer.model.location import Site
from renderer.model.resource import Resource


class Source(NamedTuple):
    """A field whose value went into another one."""

    resource: Resource
    field: FieldPath


class Maker(Protocol):
    """What made a version of the one before. ``field`` is one that changed, list elements by name."""

    @property
    def act(self) -> Act: ...

    def words(self, field: FieldPath) -> str:
        """What it is, as people say it."""

    def sites(self, field: FieldPath) -> tuple[Site, ...]:
        """Where it may be written, most specific first."""

    def sources(self, field: FieldPath, among: Sequence[Resource]) -> Iterator[Source]:
        """What the value was taken from; ``among`` are the resources of the whole overlay."""


class Version(NamedTuple):
    content: JsonObject
    maker: Maker
