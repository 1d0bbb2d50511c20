"""What has to be looked at to judge some files: the overlays that reach them, and files that none reaches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from renderer.model.render_config import CatalogPath, Overlay, RenderConfig
from renderer.source.candidates import Candidates
from renderer.source.overlays import overlay_at
from renderer.source.reach import Links, Reach


class ValidationScope(NamedTuple):
    """``overlays`` are to be built, ``unlisted`` as well: kustomizations that the project does not list.

    ``parts`` are folders with kustomizations, such as components, of which nothing is built. ``alone`` are
    files that no kustomization reaches. Findings of builds count as far as they are about ``files``.
    """

    overlays: tuple[Overlay, ...]
    unlisted: tuple[Overlay, ...]
    parts: tuple[str, ...]
    alone: tuple[str, ...]
    files: frozenset[str]


class Scoping:
    """Finds the scope of files of one project, whose ``overlays`` are known."""

    def __init__(
        self, reach: Reach, candidates: Candidates, config: RenderConfig, overlays: Sequence[Overlay]
    ) -> None:
        self._reach = reach
        self._candidates = candidates
        self._config = config
        self._overlays = overlays
        self._users: dict[str, frozenset[str]] = {}

    def scope_of(self, files: Iterable[str]) -> ValidationScope:
        """What has to be looked at for ``files``, in the order of the project."""
        roots: set[str] = set()
        parts: set[str] = set()
        alone: list[str] = []
        about: set[str] = set()
        for file in files:
            about.add(file)
            listing = self._reach.listing(file)
            for folder in listing:
                users = self._users_of(folder)
                roots |= users
                parts |= set() if users else {folder}
                about |= self._with_what_it_lists(file, folder)
            if not listing:
                alone.append(file)
            for overlay in self._overlays:
                if overlay.flux and overlay.flux.may_read(file):
                    roots.add(overlay.path)
                    about |= self._reach.files(overlay.path)
        listed = {overlay.path for overlay in self._overlays}
        return ValidationScope(
            overlays=tuple(overlay for overlay in self._overlays if overlay.path in roots),
            unlisted=tuple(
                overlay_at(self._config, (), folder) for folder in sorted(roots) if folder not in listed
            ),
            parts=tuple(sorted(parts)),
            alone=tuple(alone),
            files=frozenset(about),
        )

    def _with_what_it_lists(self, file: str, folder: str) -> frozenset[str]:
        """A kustomization that is named stands for all that it is made of."""
        links = self._reach.links(folder)
        return self._reach.files(folder) if links and links.file == file else frozenset()

    def _users_of(self, folder: str) -> frozenset[str]:
        """The folders whose builds the kustomization in ``folder`` is a part of."""
        if folder not in self._users:
            self._users[folder] = self._in_project(folder) or self._unlisted_users.get(folder, frozenset())
        return self._users[folder]

    def _in_project(self, folder: str) -> frozenset[str]:
        """Overlays and catalogs; what a catalog has is for every overlay."""
        overlays = frozenset(overlay.path for overlay in self._overlays)
        catalogs = frozenset(
            source.path
            for source in self._config.catalogs
            if isinstance(source, CatalogPath) and folder in self._reach.folders(source.path)
        )
        if catalogs:
            return overlays | catalogs
        return frozenset(path for path in overlays if folder in self._reach.folders(path))

    @cached_property
    def _unlisted_users(self) -> Mapping[str, frozenset[str]]:
        """By folder the outermost of all kustomizations that use it, of which each can be built by itself."""
        users: dict[str, set[str]] = {}
        for root in self._kustomizations:
            for folder in self._reach.folders(root):
                users.setdefault(folder, set()).add(root)
        outermost = {root for root in self._kustomizations if users[root] == {root}}
        return {folder: frozenset(using & outermost) for folder, using in users.items()}

    @cached_property
    def _kustomizations(self) -> tuple[str, ...]:
        """Every folder with a kustomization that can be built by itself."""
        found = {file.rpartition("/")[0] or "." for file in self._candidates.below(".")}
        return tuple(folder for folder in sorted(found) if _is_buildable(self._reach.links(folder)))


def _is_buildable(links: Links | None) -> bool:
    return links is not None and not links.is_component
