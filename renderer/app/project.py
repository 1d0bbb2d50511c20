"""The project that a use case works on: a tree on disk, and the settings of its ``vmrender.yaml``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from posixpath import normpath
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from renderer.app.known_secrets import learn_from_proposal
from renderer.app.usage_error import UsageError
from renderer.files.builtin_catalogs import BuiltinFileSystem
from renderer.files.file_system import FileSystem
from renderer.files.work_tree import WorkTree
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.plural import listed
from renderer.model.record import Record
from renderer.model.render_config import PROJECT_FILE, Overlay, RenderConfig
from renderer.model.suggest import did_you_mean
from renderer.project.overlays import FoundOverlays, is_named, names_of
from renderer.project.project import check_project_name, load_project
from renderer.project.project_root import path_in_project

if TYPE_CHECKING:
    from renderer.discovery.project_proposal import ProjectProposal
    from renderer.files.git_repository import GitRepository

_NO_VARIABLES: Mapping[str, str] = MappingProxyType({})
#: The largest number of overlays that a message names.
_MOST_NAMES = 5


def no_note(_line: str) -> None:
    """Print no line about a proposal."""


class Project(Record):
    """A tree below ``root``, read through ``fs``, and its settings.

    ``environment`` has the variables for git and the cache folder.
    """

    root: Path
    fs: FileSystem
    config: RenderConfig
    environment: Mapping[str, str] = _NO_VARIABLES

    def __repr__(self) -> str:
        """Name the root alone: the environment and the settings may hold passwords."""
        return f"Project({str(self.root)!r})"

    @classmethod
    def read(
        cls,
        root: Path,
        environment: Mapping[str, str] = _NO_VARIABLES,
        fs: FileSystem | None = None,
        *,
        with_facts: bool = True,
    ) -> Project:
        """Read ``vmrender.yaml`` in ``root``, if it exists. Raises ``DiagnosticError`` if it is invalid.

        ``fs`` replaces the files in ``root``. Without ``with_facts``, facts of clusters may be unreadable.
        """
        fs = fs or project_files(root, environment)
        check_project_name(fs)
        return cls(root, fs, load_project(fs, with_facts=with_facts), environment)

    @classmethod
    def with_defaults(cls, root: Path) -> Project:
        """Return the project with default settings; its ``vmrender.yaml`` is not read."""
        return cls(root, project_files(root), RenderConfig())

    def under(self, *, strict: bool) -> Project:
        """Return the project as ``--strict`` checks it: with the rules that only this option turns on."""
        if not strict:
            return self
        config = self.config
        return self._replace(config=config._replace(rules=config.rules.with_strict_option))

    def proposed(self, note: Callable[[str], None] = no_note) -> Project:
        """Return the project; without a ``vmrender.yaml``, the one that ``init`` would propose.

        Commands that need overlays use it. A build of a folder does not: the survey reads all files. ``note``
        gets lines about the proposal.
        """
        return self._replace(config=proposed_config(self.fs, self.config, note))

    def overlays(self) -> tuple[Overlay, ...]:
        """Return the overlays that the project lists. Raises ``DiagnosticError`` if not all can be found."""
        return self.look_up_overlays().all_overlays()

    def look_up_overlays(self) -> FoundOverlays:
        """Find the overlays that the project lists, as far as possible. Raises ``DiagnosticError``."""
        from renderer.pipeline.entry_points import look_up_overlays  # noqa: PLC0415 - not needed by all

        return look_up_overlays(self.fs, self.config)._replace(cluster=self.config.cluster)

    def of_cluster(self, name: str, option: str = "--cluster") -> Project:
        """Return the project as a cluster sees it. Raises ``UsageError`` for a name that is not listed.

        ``option`` is the option that has the name.
        """
        known = [each.name for each in self.config.clusters]
        if name not in known:
            listing = f"the project has {listed(known)}" if known else "the project lists no clusters"
            hint = did_you_mean(name, known, otherwise=listing)
            raise UsageError(f"unknown cluster {name!r}; {hint}", option)
        return self._replace(config=self.config.of_cluster(name))

    def relative(self, path: Path) -> str:
        """Return ``path`` relative to the root. Raises ``UsageError`` if it is outside."""
        found = path_in_project(self.root, path)
        if found is None:
            raise UsageError(f"{path} lies outside the repository {self.root}")
        return found

    def git(self) -> GitRepository:
        """Open the Git repository of the project, as a context manager.

        Raises ``DiagnosticError``: git-unavailable.
        """
        from renderer.files.git_repository import GitRepository  # noqa: PLC0415 - few commands need Git

        return GitRepository(self.root, self.environment)


def proposal(fs: FileSystem, config: RenderConfig) -> ProjectProposal | None:
    """Return the proposal of ``init``; None with a ``vmrender.yaml``, or if the defaults suffice."""
    if fs.is_file(PROJECT_FILE):
        return None
    from renderer.discovery.project_proposal import proposed_project  # noqa: PLC0415 - few repositories have no file

    return proposed_project(fs, config)


def proposed_config(
    fs: FileSystem, config: RenderConfig, note: Callable[[str], None] = no_note
) -> RenderConfig:
    """Return the settings; without a ``vmrender.yaml``, the settings that ``init`` would propose.

    ``note`` gets lines about the proposal if it has other overlays than the defaults: its totals, and the
    virtual machines that it leaves out.
    """
    found = proposal(fs, config)
    if found is None or found.config is None:
        return config
    if found.config.overlays != config.overlays:
        learn_from_proposal(fs, found.config)
        note(f"there is no {PROJECT_FILE}: the overlays are what vmrender init would list ({found.total})")
        for line in found.not_rendered:
            note(line)
    return found.config


def chosen_overlay(found: FoundOverlays, wanted: str) -> Overlay:
    """Return the one overlay with that path or name. Raises as ``chosen_overlays``, and for several."""
    overlays = chosen_overlays(found, [wanted])
    named = [each for each in overlays if normpath(wanted) == each.path] or overlays
    if len(named) > 1:
        paths = [each.path for each in named]
        raise UsageError(f"{wanted!r} names {len(paths)} overlays, {listed(paths, _MOST_NAMES)}: choose one")
    return named[0]


class ProjectOpener(Protocol):
    """Opens the project of a path; ``top`` is its root if no folder above the path has a marker."""

    def __call__(self, path: Path, top: Path | None = None) -> Project: ...


def project_files(root: Path, environment: Mapping[str, str] = _NO_VARIABLES) -> FileSystem:
    """Return the files below ``root``, and the files of the catalogs that ship with vmrender."""
    return BuiltinFileSystem(WorkTree(root, environment))


def chosen_overlays(found: FoundOverlays, wanted: Iterable[str]) -> tuple[Overlay, ...]:
    """Return the overlays that ``wanted`` names; all overlays if it is empty.

    A name is a name, path or entry of an overlay, or a pattern of one (``is_named``). Raises ``UsageError``
    for an unknown one, and ``DiagnosticError`` if there is none because an entry failed, or none at all.
    """
    overlays = found.overlays or found.all_overlays()
    if not overlays:
        raise Diagnostic.in_file(
            PROJECT_FILE,
            Code.CONFIG_INVALID,
            "the project has no overlays",
            "list folders, or Templates with parameters, under overlays in"
            f" {PROJECT_FILE}, which vmrender init writes",
        ).error()
    overlays = found._replace(overlays=overlays).chosen
    if not overlays:
        raise UsageError(f"no overlay goes to the cluster {found.cluster}", "--cluster")
    selected: dict[str, Overlay] = {}
    for name in wanted:
        matching = {overlay.path: overlay for overlay in overlays if is_named(overlay, name)}
        if not matching:
            found.all_overlays()
            paths = sorted(overlay.path for overlay in overlays)
            holder = f"the cluster {found.cluster}" if found.cluster else "this project"
            listing = f"{holder} has {listed(paths, _MOST_NAMES)}"
            known = {each for overlay in overlays for each in names_of(overlay)}
            raise UsageError(f"there is no overlay {name!r}; {did_you_mean(name, known, otherwise=listing)}")
        selected |= matching
    return tuple(selected.values()) or overlays
