"""Cycles between kustomizations (kustomize ``api/internal/loader/fileloader.go`` errIfArgEqualOrHigher)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.limits import limits, over_limit
from renderer.model.location import Site
from renderer.source.paths import is_inside


class Lineage:
    """The folders on the way from the one that was asked for; none may be listed again, nor one above it."""

    def __init__(self, folders: tuple[str, ...] = ()) -> None:
        self.folders = folders

    def enter(self, folder: str, site: Site) -> Lineage:
        """The lineage of ``folder``, listed at ``site``. Raises: kustomization-cycle, build-limit."""
        for visited in self.folders:
            if is_inside(visited, folder):
                raise _cycle((*self.folders, folder), site)
        most = limits().base_depth
        if len(self.folders) > most:
            message = f"more than {most} kustomizations use each other, one below the other"
            raise over_limit("base_depth", message, site)
        return Lineage((*self.folders, folder))

    def check(self, below: Iterable[str], site: Site) -> None:
        """That none of the folders known to be used ``below`` closes a cycle. Raises: kustomization-cycle."""
        closing = set(below) & set(self._at_or_above())
        if closing:
            raise _cycle((*self.folders, min(closing)), site)

    def _at_or_above(self) -> Iterator[str]:
        for folder in self.folders:
            parts = folder.split("/")
            yield from ("/".join(parts[:length]) for length in range(1, len(parts) + 1))
        yield "."


def _cycle(folders: tuple[str, ...], site: Site) -> DiagnosticError:
    return DiagnosticError(
        Diagnostic(
            code=Code.KUSTOMIZATION_CYCLE,
            message=f"these kustomizations use each other: {' → '.join(folders)}",
            sites=(site,),
            hint="a kustomization cannot use its own folder or one above it",
        )
    )
