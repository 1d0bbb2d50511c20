"""What this run takes from earlier ones, and leaves to later ones."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import NamedTuple

from renderer.app.overlay_renderer import RenderedOverlay
from renderer.cache.known_results import KnownCatalogs, KnownOverlay, KnownOverlays
from renderer.cache.recorded_inputs import FileDigests, RecordedInputs
from renderer.cache.store import KEY_VARIABLE, Store, cache_folder, signing_key
from renderer.cache.tool_fingerprint import tool_fingerprint
from renderer.cli.repository import Repository
from renderer.emit.ownership import encode_ownership
from renderer.emit.unchanged_since_render import files_unchanged_since_render, tree_digest
from renderer.emit.write import encode_files
from renderer.model.diagnostic import Diagnostic, has_errors
from renderer.model.render_config import Overlay
from renderer.source.project import PROJECT_FILE


class UnchangedOverlay(NamedTuple):
    """An overlay whose tree is what rendering it would make.

    ``files`` are those of the tree; ``findings`` know their lines, ``folders`` are those that it is made of.
    """

    overlay: Overlay
    files: frozenset[str]
    findings: tuple[Diagnostic, ...]
    folders: frozenset[str]


class RunCache:
    """Without a store it knows nothing and keeps nothing."""

    catalogs: KnownCatalogs | None = None

    def __init__(self, repository: Repository, store: Store | None) -> None:
        self._root = repository.root
        self._store = store
        if store:
            self._digests = FileDigests(repository.root, repository.fs.read, store)
            sightings, project = RecordedInputs(repository.fs, self._digests), _project(repository)
            self._known = KnownOverlays(store, sightings, project)
            self.catalogs = KnownCatalogs(store, sightings, project)

    @classmethod
    @contextmanager
    def of(cls, repository: Repository, *, wanted: bool) -> Iterator[RunCache]:
        key = signing_key(os.environ) if wanted else None
        cache = cls(repository, Store(cache_folder(os.environ), key) if key else None)
        yield cache
        cache._close()

    def unchanged(self, overlay: Overlay) -> UnchangedOverlay | None:
        """None where anything has changed since it was rendered: what it saw, or its tree."""
        known = self._known.find(overlay) if self._store else None
        if known is None:
            return None
        files = files_unchanged_since_render(self._root, overlay.output, known.tree, self._digests.of)
        return None if files is None else UnchangedOverlay(overlay, files, known.findings, known.folders)

    def seconds(self, overlay: Overlay) -> float | None:
        """How long rendering it took the last time."""
        return self._known.seconds(overlay) if self._store else None

    def keep(self, rendered: RenderedOverlay) -> None:
        if self._store is None or has_errors(rendered.findings):
            return
        tree = tree_digest(encode_ownership(encode_files(rendered.files)))
        known = KnownOverlay(tree, rendered.folders, rendered.findings, rendered.seconds)
        self._known.keep(rendered.overlay, known, rendered.saw)

    def _close(self) -> None:
        if self._store:
            self._digests.keep()
            self._store.tidy()


def _project(repository: Repository) -> tuple[str, ...]:
    """All that decides what comes of an overlay, but for what it reads itself."""
    has_project = repository.fs.is_file(PROJECT_FILE)
    written = repository.fs.read(PROJECT_FILE) if has_project else repr(repository.config).encode()
    variables = (
        f"{name}={value}"
        for name, value in sorted(os.environ.items())
        if name.startswith("VMRENDER_") and name != KEY_VARIABLE
    )
    return tool_fingerprint(), str(repository.root), sha256(written).hexdigest(), *variables
