"""The cache of a run: the results of earlier runs, and the results that it stores for later runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from renderer.app.project import Project
from renderer.app.reporter import Reporter
from renderer.cache.known_results import KnownCatalogs, KnownOverlay, KnownOverlays
from renderer.cache.recorded_inputs import FileDigests, RecordedInputs
from renderer.cache.store import Store, cache_folder
from renderer.cache.tool_fingerprint import tool_fingerprint
from renderer.emit.unchanged_since_render import unchanged_tree
from renderer.files.disk import ConfinedFolder
from renderer.files.signing_key import KEY_VARIABLE, key_is_in_repository, signing_key
from renderer.findings.located import Located
from renderer.model.diagnostic import has_errors
from renderer.model.digest import sha256
from renderer.model.record import Record
from renderer.model.render_config import PROJECT_FILE, Overlay, folder_of_trees

if TYPE_CHECKING:
    from renderer.app.overlay_renderer import RenderedOverlay


class UnchangedOverlay(Record):
    """An overlay whose tree already holds exactly the ``files`` that rendering would write, sorted by path.

    ``folders`` are the folders that it is built from. The tree ``is_alone`` if its folders hold no other
    manifest.
    """

    overlay: Overlay
    files: tuple[str, ...]
    findings: tuple[Located, ...]
    folders: frozenset[str]
    is_alone: bool


class RunCache:
    """The cache of one project; without a store it is always empty."""

    catalogs: KnownCatalogs | None = None

    def __init__(self, project: Project, store: Store | None) -> None:
        self._root = ConfinedFolder(project.root.resolve().as_posix())
        self._store = store
        if store:
            self._digests = FileDigests(project.root, project.fs.read, store)
            inputs, fingerprint = RecordedInputs(project.fs, self._digests), _fingerprint(project)
            outputs = (
                project.config.output,
                *(each.output for each in project.config.overlays if each.output),
            )
            trees = map(folder_of_trees, dict.fromkeys(outputs))
            self._known = KnownOverlays(store, inputs, fingerprint, trees)
            self.catalogs = KnownCatalogs(store, inputs, fingerprint)

    @classmethod
    @contextmanager
    def of(cls, project: Project, reporter: Reporter, *, wanted: bool) -> Iterator[RunCache]:
        """Open the user's cache, and tidy it at the end; without ``wanted``, use an empty one."""
        key = signing_key(project.environment, project.root) if wanted else None
        if wanted and key is None and key_is_in_repository(project.environment, project.root):
            reporter.note(
                "the cache is not used: its key would be in this repository, where a pull request can put"
                f" one; set XDG_STATE_HOME to a folder elsewhere, or {KEY_VARIABLE}"
            )
        cache = cls(project, Store(cache_folder(project.environment), key) if key else None)
        yield cache
        if cache._store:
            cache._digests.keep()
            cache._store.tidy()

    def unchanged(self, overlay: Overlay) -> UnchangedOverlay | None:
        """Return the overlay's results; None if one of its inputs or its tree has changed since."""
        known = self._known.find(overlay) if self._store else None
        if known is None:
            return None
        tree = unchanged_tree(self._root, overlay.output, known.tree, self._digests.tree_has_no_other_files)
        if tree is None:
            return None
        return UnchangedOverlay(overlay, tree.files, known.findings, known.folders, tree.is_alone)

    def seconds(self, overlay: Overlay) -> float | None:
        """Return the duration of the last rendering in seconds; None if it was never rendered here."""
        return self._known.seconds(overlay) if self._store else None

    def keep(self, rendered: RenderedOverlay) -> None:
        """Store the results of an overlay without errors, unless a quoted line has to be masked."""
        if self._store is None or has_errors(rendered.findings) or not rendered.may_be_kept:
            return
        tree = sha256(rendered.files.ownership)  # which has the digests of all files
        known = KnownOverlay(tree, rendered.folders, rendered.findings, rendered.seconds)
        self._known.keep(rendered.overlay, known, rendered.inputs)


def _fingerprint(project: Project) -> tuple[str, ...]:
    """Return everything except its inputs that the result of an overlay depends on."""
    has_file = project.fs.is_file(PROJECT_FILE)
    written = project.fs.read(PROJECT_FILE) if has_file else repr(project.config).encode()
    variables = (
        f"{name}={value}"
        for name, value in sorted(project.environment.items())
        if name.startswith("VMRENDER_") and name != KEY_VARIABLE
    )
    rules = repr(project.config.rules)  # ``--strict`` turns rules on that the file does not
    facts = (f"{path} {sha256(project.fs.read(path))}" for path in project.config.facts_files)
    return tool_fingerprint(), str(project.root), sha256(written), rules, *facts, *variables
