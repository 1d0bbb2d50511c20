"""The fields that list configurations of plugins: texts, files, or folders that are composed first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias, TypeVar

from renderer.kustomize.reader.entry_loader import EntryLoader
from renderer.model.kube.resource import Resource
from renderer.model.source_tree import GeneratorPlugin, KustomizationRoot, ResourceFile, TransformerPlugin

T = TypeVar("T")
#: Returns the resources of a kustomization. Raises ``DiagnosticError``.
Accumulate: TypeAlias = Callable[[KustomizationRoot], Iterable[Resource]]


class Plugins:
    """Reads the plugins of one kustomization; ``roots`` are the folders among them."""

    def __init__(self, entries: EntryLoader, accumulate: Accumulate) -> None:
        self._entries = entries
        self._accumulate = accumulate
        self.roots: list[KustomizationRoot] = []

    def generators(self, listed: tuple[str, ...]) -> tuple[GeneratorPlugin, ...]:
        if not listed:
            return ()
        from renderer.kustomize.reader.plugin_configurations import read_generators  # noqa: PLC0415 - few list any

        return self._read("generators", listed, read_generators)

    def transformers(self, field: str, listed: tuple[str, ...]) -> tuple[TransformerPlugin, ...]:
        """Return the plugins listed in ``field``: ``transformers`` or ``validators``."""
        if not listed:
            return ()
        from renderer.kustomize.reader.plugin_configurations import read_transformers  # noqa: PLC0415 - as above

        return self._read(field, listed, read_transformers)

    def _read(
        self,
        field: str,
        listed: tuple[str, ...],
        read: Callable[[Iterable[Resource], EntryLoader], tuple[T, ...]],
    ) -> tuple[T, ...]:
        """Return the results of ``read`` for the configurations in ``field``, inline ones first."""
        loaded = self._entries.each(field, listed, self._entries.plugin)
        inline = [entry for entry in loaded if _is_inline(entry)]
        others = [entry for entry in loaded if not _is_inline(entry)]
        return self._entries.attempt(
            lambda: read(self._configurations((*inline, *others)), self._entries), ()
        )

    def _configurations(self, loaded: Iterable[ResourceFile | KustomizationRoot]) -> Iterator[Resource]:
        for entry in loaded:
            if isinstance(entry, ResourceFile):
                yield from entry.resources
            else:
                self.roots.append(entry)
                yield from self._accumulate(entry)


def listed_resources(root: KustomizationRoot) -> Iterator[Resource]:
    """Yield the resources, as written, in the files listed by a kustomization and the ones below it."""
    for entry in root.resources:
        if isinstance(entry, ResourceFile):
            yield from entry.resources
        else:
            yield from listed_resources(entry)


def _is_inline(entry: ResourceFile | KustomizationRoot) -> bool:
    """Return True if it is a text inside the kustomization, which has a site of its own there."""
    return isinstance(entry, ResourceFile) and bool(entry.site.field.segments)
