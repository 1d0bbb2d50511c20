"""The merge key ``<<``, in which kustomize's two readings of YAML differ."""

from __future__ import annotations

from renderer.model.json import Json
from renderer.yamlio.errors import UnusableError


class MergeError(UnusableError):
    """What stands after ``<<`` cannot be merged."""


class Merges:
    """The merges of one mapping.

    In resource files they fill in what the mapping does not say itself (kyaml ``rnode.go`` mergeAll); in
    YAML 1.1 they also overwrite what stands before them (go-yaml v2 ``decode.go`` merge). Of
    several sources the first one wins.
    """

    __slots__ = ("_in_place", "_pending")

    def __init__(self, *, in_place: bool) -> None:
        self._in_place = in_place
        self._pending: list[dict[str, Json]] | None = None

    def add(self, mapping: dict[str, Json], value: Json) -> None:
        """Raises ``MergeError``."""
        sources = [_source(item) for item in (value if isinstance(value, list) else [value])]
        if self._in_place:
            for source in reversed(sources):
                mapping.update(source)
        elif self._pending is not None:
            raise MergeError("a mapping can have one << only; give it a list")
        else:
            self._pending = sources

    def fill(self, mapping: dict[str, Json]) -> None:
        for source in self._pending or ():
            for key, value in source.items():
                mapping.setdefault(key, value)


def _source(value: Json) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise MergeError("<< takes a mapping or a list of mappings")
    return value
