"""An overlay and its folder of pins: what a change of the pins does, and how it is written."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

from renderer.app.comparison.compared_overlay import compare_sides
from renderer.app.comparison.side import Side
from renderer.app.project import Project, ProjectOpener, chosen_overlay
from renderer.app.target_remarks import remarks_on_targets
from renderer.app.usage_error import UsageError
from renderer.authoring.pins.folder import (
    PINS,
    FileContent,
    PinChanges,
    PinsFolder,
    changes,
    files_in,
    read_folder,
    without_pins,
)
from renderer.authoring.pins.plan import (
    PinNote,
    PinPlan,
    PinUpdate,
    is_named,
    plan_pins,
    revision_names,
)
from renderer.authoring.pins.status_patch import MachineToClear, clear_commands
from renderer.emit.edit_user_files import change_files, check_writable
from renderer.files.disk import folder_exists
from renderer.files.file_system import FilesAbove, FileSystem
from renderer.findings.levels import with_levels
from renderer.findings.located import Located
from renderer.findings.run_findings import locate
from renderer.kubevirt.impact.state import SINCE_REVISION_IN_STATUS
from renderer.kustomize.reader.find_kustomization import find_kustomization
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.difference import ResourceChange
from renderer.model.kube.res_id import ResId
from renderer.model.pin import Pinnable
from renderer.model.plural import plural
from renderer.model.render_config import ExpandMode, Overlay
from renderer.pipeline import Pipeline
from renderer.project.overlays import overlay_at

#: What a change of pins does to virtual machines, as ``vmrender diff`` judges it; None if that is unknown.
Effects: TypeAlias = Mapping[ResId, ResourceChange] | None
_BRING_BACK = "bring it back from Git, or a machine whose status names it will not start again"
_UNKNOWN_USERS = "a machine whose status names it would not start again without it"


class PinResult(NamedTuple):
    """Notes about single machines and revisions, a summary of the changed files, next steps, and warnings."""

    notes: tuple[str, ...]
    summary: str
    next_steps: tuple[str, ...]
    findings: tuple[Located, ...]


@dataclass(frozen=True, slots=True)
class PinnedOverlay:
    """An overlay, its kustomization, and its folder of pins; ``files`` are the files in it, by path.

    ``named`` is the user's name for it.
    """

    named: str
    project: Project
    overlay: Overlay
    kustomization: FileContent
    folder: PinsFolder
    files: Mapping[str, bytes]

    @classmethod
    def open(cls, open_project: ProjectOpener, named: str) -> PinnedOverlay:
        """Open the overlay with this path, or with this name in the project. Raises ``DiagnosticError``."""
        path = Path(named)
        is_folder = folder_exists(path)
        project = open_project(path if is_folder else Path.cwd()).proposed()
        fs, found = project.fs, project.look_up_overlays()
        if is_folder:
            overlay = _as_deployed(
                overlay_at(project.config, found.overlays, project.relative(path)), found.overlays
            )
        else:
            overlay = chosen_overlay(found, named)
        if overlay.entry is not None:
            raise UsageError(
                f"{overlay.path} has no kustomization that can list pins;"
                " pin in the folder of a kustomization that it is built from"
            )
        file = find_kustomization(fs, overlay.path)
        pins = posixpath.normpath(posixpath.join(overlay.path, PINS))
        files = files_in(fs, pins)
        by_path = {posixpath.join(pins, name): content for name, content in files.items()}
        content = FileContent(file, fs.read(file))
        return cls(named, project, overlay, content, read_folder(pins, files), by_path)

    @property
    def keeps_revisions(self) -> bool:
        """True if the cluster has the revisions, and the status of a machine goes on naming them."""
        return self.overlay.expand is ExpandMode.OFF and self.overlay.kubevirt >= SINCE_REVISION_IN_STATUS

    def pinnables(self) -> tuple[Pinnable, ...]:
        """Return the overlay's virtual machines as they are without pins. Raises ``DiagnosticError``."""
        bare = without_pins(self.kustomization)
        fs = FilesAbove({bare.path: bare.content}, self.project.fs)
        outcome = Pipeline(fs, self.project.config).pinnables(self.overlay)
        if outcome.failed:
            raise DiagnosticError(*outcome.diagnostics)
        return outcome.value

    def changes(self, plan: PinPlan) -> PinChanges:
        """Return the file changes that carry out the plan. Raises: edit-refused, output-invalid."""
        needed = changes(self.folder, self.kustomization, plan.files)
        check_writable(self.project.root, (*(file.path for file in needed.writes), *needed.removals))
        return needed

    def built_with(self, planned: PinChanges) -> Pipeline:
        """Return a pipeline that sees the planned changes as if they were made."""
        return Pipeline(self._files_with(planned), self.project.config)

    def effects(self, planned: PinChanges) -> Effects:
        """Return the changes of virtual machines by identity; None if the overlay cannot be rendered."""
        before = Side("the work tree", self.project.fs).propose()
        after = Side("the new pins", self._files_with(planned)).propose()
        rendered = before.render_overlay(self.overlay), after.render_overlay(self.overlay)
        difference = compare_sides((before, after), rendered, self.overlay.path, self.overlay.name)
        return None if difference.incomparable else {change.id: change for change in difference.changes}

    def effects_of_update(self, pinnables: Sequence[Pinnable], machines: Iterable[PinNote]) -> Effects:
        """Return the effects of pinning to what the catalogs have; None if they do not have everything."""
        wanted = [each.pinnable for each in machines if each.pinnable is not None]
        try:
            plan = plan_pins(self.folder, pinnables, wanted, lambda _: self.keeps_revisions, PinUpdate())
        except DiagnosticError:
            return None
        return self.effects(self.changes(plan))

    def notes_about_revisions(self, plan: PinPlan, reasons: Mapping[str, str]) -> Iterator[str]:
        """Yield a line about each revision that no pin names; ``reasons`` are those to keep it, by file."""
        for name in dict.fromkeys(name for note in plan.notes for name in self.missing_revisions(note)):
            if not any(is_named(file, [name]) for file in plan.files):
                yield f"ControllerRevision {name}: missing in {self.folder.path}; {_BRING_BACK}"
        for file in self.folder.revisions:
            reason = reasons.get(file.name)
            if file in plan.kept:
                yield f"{file}: stays in Git: {reason or _UNKNOWN_USERS}"
            elif reason == "":
                yield f"{file}: removed, since no machine in the cluster names it"

    def missing_revisions(self, note: PinNote) -> Iterator[str]:
        """Yield the revisions that a pin names and the folder does not have, perhaps since a merge."""
        for name in revision_names(note.before.content) if note.before is not None else ():
            if not any(is_named(file, [name]) for file in self.folder.revisions):
                yield name

    def clearing_steps(self, machines: Sequence[MachineToClear]) -> Iterator[str]:
        """Yield the commands that let unpinned machines follow the catalogs, and remove their revisions."""
        yield from clear_commands(machines)
        pools = "vmpool," if any(each.selector for each in machines) else ""
        find = f"kubectl get vm,{pools}controllerrevision -A -o yaml"
        yield f"{find} | vmrender unpin {shlex.quote(self.named)} --live -"

    def _files_with(self, planned: PinChanges) -> FileSystem:
        return FilesAbove({file.path: file.content for file in planned.writes}, self.project.fs)

    def apply(
        self,
        notes: Iterable[str],
        planned: PinChanges,
        next_steps: Iterable[str] = (),
        *,
        dry_run: bool,
    ) -> PinResult:
        """Write and remove the planned files, unless it is a dry run. Raises ``DiagnosticError``."""
        writes = {file.path: file.content for file in planned.writes}
        read = {**self.files, self.kustomization.path: self.kustomization.content}
        if not dry_run:
            change_files(self.project.root, writes, planned.removals, {**dict.fromkeys(writes), **read})
        counted = [
            f"{plural(len(paths), 'file')} {'to be ' if dry_run else ''}{done}"
            for paths, done in ((planned.writes, "written"), (planned.removals, "removed"))
            if paths
        ]
        summary = f"{self.folder.path}: {', '.join(counted) or 'unchanged'}"
        edited = tuple(
            Diagnostic.in_file(
                path,
                Code.FOREIGN_FILE,
                f"{path} was changed by hand and stays, but nothing uses it now",
                "remove it when you do not need it",
                severity=Severity.WARNING,
            )
            for path in planned.left
        )
        warnings = with_levels(edited, self.project.config.rules)
        findings = locate(self.project.fs, (*warnings, *remarks_on_targets([self.overlay])))
        return PinResult(tuple(notes), summary, tuple(next_steps), findings)


def _as_deployed(overlay: Overlay, found: Sequence[Overlay]) -> Overlay:
    """Return a folder that the project does not list in the mode of the overlays that may be built from it.

    If one of them keeps the matchers, it counts, with the newest release of these: it needs the revisions.
    """
    keeping = [each for each in found if each.expand is ExpandMode.OFF]
    if not keeping or any(each.path == overlay.path for each in found):
        return overlay
    return overlay._replace(expand=ExpandMode.OFF, kubevirt=max(each.kubevirt for each in keeping))
