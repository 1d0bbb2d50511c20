"""Which entries of a catalog are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from renderer.catalogs.entry import CatalogEntry, EntryScope, EntryType
from renderer.catalogs.ranges import Range


class Filter(NamedTuple):
    """Everything that is given must hold; None and empty ask nothing.

    ``class_name`` is a class as the label has it, or a series (``u1``). ``words`` must all occur somewhere in
    what the entry says of itself.
    """

    type: EntryType | None = None
    scope: EntryScope | None = None
    class_name: str | None = None
    vcpus: Range | None = None
    memory: Range | None = None
    architecture: str | None = None
    words: tuple[str, ...] = ()

    def apply(self, entries: Iterable[CatalogEntry]) -> Iterator[CatalogEntry]:
        questions = tuple(self._questions())
        return (entry for entry in entries if all(holds(entry) for holds in questions))

    def matches_any(self, entries: Iterable[CatalogEntry]) -> bool:
        return next(self.apply(entries), None) is not None

    def _questions(self) -> Iterator[Callable[[CatalogEntry], bool]]:
        kind, scope, architecture = self.type, self.scope, self.architecture
        vcpus, memory, class_name = self.vcpus, self.memory, (self.class_name or "").lower()
        if kind is not None:
            yield lambda entry: entry.type is kind
        if scope is not None:
            yield lambda entry: entry.scope is scope
        if class_name:
            yield lambda entry: class_name in (entry.class_name.lower(), entry.series.lower())
        if vcpus is not None:
            yield lambda entry: vcpus.holds(entry.vcpus)
        if memory is not None:
            yield lambda entry: memory.holds(entry.memory)
        if architecture is not None:
            yield lambda entry: entry.architecture == architecture
        if self.words:
            words = [word.casefold() for word in self.words]
            yield lambda entry: _says(entry, words)


def _says(entry: CatalogEntry, words: Iterable[str]) -> bool:
    texts = (entry.name, entry.display_name, entry.description, entry.class_name, entry.tags, *entry.features)
    text = "\n".join(texts).casefold()
    return all(word in text for word in words)
