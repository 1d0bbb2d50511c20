"""Pin virtual machines of an overlay to the current instance types and preferences, and unpin them."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from renderer.app.project import Project, ProjectOpener, chosen_overlays
from renderer.app.usage_error import UsageError
from renderer.authoring.pins.folder import (
    PINS,
    FileContent,
    PinChanges,
    PinsFolder,
    changes,
    read_folder,
    without_pins,
)
from renderer.authoring.pins.plan import PatchTarget, PinPlan, check_effect, orphans, plan_pins, plan_unpins
from renderer.emit.edit_user_files import change_files, check_writable
from renderer.files.disk import folder_exists
from renderer.files.file_system import FilesAbove
from renderer.findings.levels import with_levels
from renderer.findings.located import Located
from renderer.findings.run_findings import locate
from renderer.kustomize.reader.find_kustomization import find_kustomization
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.kube.label_selector import SelectorError, parse_selector, selects
from renderer.model.pin import Pinnable
from renderer.model.plural import plural
from renderer.model.render_config import Overlay
from renderer.model.suggest import did_you_mean
from renderer.pipeline import Pipeline
from renderer.project.overlays import overlay_at


class VmChoice(NamedTuple):
    """A choice of virtual machines: by ``names``, by a label ``selector``, or ``everything``."""

    names: tuple[str, ...] = ()
    selector: str | None = None
    everything: bool = False


class PinResult(NamedTuple):
    """Notes about single virtual machines, a summary of the changed files, and warnings."""

    notes: tuple[str, ...]
    summary: str
    findings: tuple[Located, ...]


def pin(overlay: PinnedOverlay, choice: VmChoice, *, update: bool) -> PinResult:
    """Pin the chosen virtual machines; with ``update``, also machines that are already pinned.

    Raises ``UsageError`` when nothing is chosen, and ``DiagnosticError``.
    """
    pinnables = overlay.pinnables()
    chosen = choose(pinnables, choice)
    plan = plan_pins(overlay.folder, pinnables, chosen, update=update)
    planned = overlay.changes(plan)
    if planned:
        composed = overlay.built_with(planned).compose(overlay.overlay.path)
        check_effect(composed, plan.files, chosen)
    return overlay.apply(plan, planned)


def unpin(overlay: PinnedOverlay, choice: VmChoice) -> PinResult:
    """Remove the pins of the chosen virtual machines, and of machines that no longer exist.

    Raises ``UsageError`` when nothing is chosen, and ``DiagnosticError``.
    """
    pinnables = overlay.pinnables()
    gone = {PatchTarget.of(file.content).name for file in orphans(overlay.folder, pinnables)}
    existing = choice._replace(names=tuple(name for name in choice.names if name not in gone))
    only_gone = bool(choice.names) and existing == VmChoice()
    chosen = () if only_gone else choose(pinnables, existing)
    plan = plan_unpins(overlay.folder, pinnables, chosen)
    return overlay.apply(plan, overlay.changes(plan))


@dataclass(frozen=True, slots=True)
class PinnedOverlay:
    """An overlay, its kustomization, and its folder of pins; ``files`` are the files in it, by path."""

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
        fs, found = project.fs, project.overlays()
        if is_folder:
            overlay = overlay_at(project.config, found, project.relative(path))
        else:
            [overlay] = chosen_overlays(found, [named])
        if overlay.entry is not None:
            raise UsageError(
                f"{overlay.path} has no kustomization that can list pins;"
                " pin in the folder of a kustomization that it is built from"
            )
        file = find_kustomization(fs, overlay.path)
        pins = posixpath.normpath(posixpath.join(overlay.path, PINS))
        files = {
            name: fs.read(posixpath.join(pins, name))
            for name in fs.list(pins)
            if fs.is_file(posixpath.join(pins, name))
        }
        by_path = {posixpath.join(pins, name): content for name, content in files.items()}
        return cls(project, overlay, FileContent(file, fs.read(file)), read_folder(pins, files), by_path)

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
        fs = FilesAbove({file.path: file.content for file in planned.writes}, self.project.fs)
        return Pipeline(fs, self.project.config)

    def apply(self, plan: PinPlan, planned: PinChanges) -> PinResult:
        """Write and remove the planned files. Raises ``DiagnosticError``."""
        writes = {file.path: file.content for file in planned.writes}
        read = {**self.files, self.kustomization.path: self.kustomization.content}
        change_files(self.project.root, writes, planned.removals, {**dict.fromkeys(writes), **read})
        counted = [
            f"{plural(len(paths), 'file')} {done}"
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
        return PinResult(tuple(plan.notes), summary, locate(self.project.fs, warnings))


def choose(pinnables: Sequence[Pinnable], choice: VmChoice) -> tuple[Pinnable, ...]:
    """Return the chosen virtual machines, in their order.

    Raises ``UsageError`` for an unknown name, an invalid selector, and if nothing is chosen.
    """
    by_name: dict[str, list[Pinnable]] = {}
    for pinnable in pinnables:
        by_name.setdefault(pinnable.resource.name, []).append(pinnable)
        if pinnable.resource.namespace:
            qualified = f"{pinnable.resource.namespace}/{pinnable.resource.name}"
            by_name.setdefault(qualified, []).append(pinnable)
    named: set[int] = set()
    for name in choice.names:
        if name not in by_name:
            hint = did_you_mean(name, by_name)
            message = f"there is no virtual machine {name!r} in the overlay"
            raise UsageError(f"{message}; {hint}" if hint else message)
        named |= {id(pinnable) for pinnable in by_name[name]}
    if choice.selector is not None:
        try:
            wanted = parse_selector(choice.selector)
        except SelectorError as error:
            raise UsageError(f"{choice.selector!r} is not a label selector: {error}") from error
        named |= {id(pinnable) for pinnable in pinnables if selects(wanted, pinnable.resource.labels)}
    chosen = tuple(each for each in pinnables if choice.everything or id(each) in named)
    if chosen:
        return chosen
    if not pinnables:
        raise UsageError("the overlay has no virtual machine")
    if choice.selector is not None:
        raise UsageError(f"no virtual machine has labels that match {choice.selector!r}")
    raise UsageError("say which virtual machines: by name, with --selector, or --all")
