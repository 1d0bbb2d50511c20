"""Pin virtual machines of an overlay to the current instance types and preferences, and unpin them."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeAlias

from renderer.adopt.dump.consistency import Consistency
from renderer.adopt.dump.files import find_files
from renderer.adopt.dump.read import read_dump
from renderer.adopt.live.revision_users import KINDS as REVISION_USER_KINDS
from renderer.adopt.live.revision_users import RevisionUsers
from renderer.app.diff import compare_sides
from renderer.app.diff_side import Side
from renderer.app.project import Project, ProjectOpener, chosen_overlay
from renderer.app.usage_error import UsageError
from renderer.authoring.pins.folder import (
    PINS,
    FileContent,
    PinChanges,
    PinFile,
    PinsFolder,
    changes,
    read_folder,
    without_pins,
)
from renderer.authoring.pins.plan import (
    PatchTarget,
    PinNote,
    PinPlan,
    Update,
    check_effect,
    is_named,
    orphans,
    plan_pins,
    plan_unpins,
    revision_key,
    revision_names,
    users_of,
    vm_spec,
)
from renderer.authoring.pins.status_patch import MachineToClear, clear_commands
from renderer.emit.edit_user_files import change_files, check_writable
from renderer.files.disk import folder_exists
from renderer.files.file_system import FilesAbove, FileSystem
from renderer.findings.levels import with_levels
from renderer.findings.located import Located
from renderer.findings.run_findings import locate
from renderer.kubevirt.facts.kinds import VM, VM_POOL
from renderer.kubevirt.impact.lost_revision import named_revisions
from renderer.kubevirt.impact.state import SINCE_REVISION_IN_STATUS
from renderer.kustomize.reader.find_kustomization import find_kustomization
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.difference import ResourceChange
from renderer.model.kube.json import object_at
from renderer.model.kube.label_selector import SelectorError, parse_selector, selects
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.pin import Pinnable
from renderer.model.plural import plural
from renderer.model.render_config import ExpandMode, Overlay
from renderer.model.suggest import did_you_mean
from renderer.pipeline import Pipeline
from renderer.project.overlays import overlay_at
from renderer.report.diff_words import effect_text

#: What a change of pins does to virtual machines, as ``vmrender diff`` judges it; None if that is unknown.
Effects: TypeAlias = Mapping[ResId, ResourceChange] | None
_BRING_BACK = "bring it back from Git, or a machine whose status names it will not start again"
_UNKNOWN_USERS = "a machine whose status names it would not start again without it"


class VmChoice(NamedTuple):
    """A choice of virtual machines: by ``names``, by a label ``selector``, or ``everything``."""

    names: tuple[str, ...] = ()
    selector: str | None = None
    everything: bool = False


class Wave(NamedTuple):
    """The largest number of machines that get another pin in one run, as a number or in per cent."""

    amount: int
    is_percentage: bool = False

    def size(self, total: int) -> int:
        """Return the number of machines; at least one."""
        return max(1, -(-total * self.amount // 100)) if self.is_percentage else self.amount


class PinResult(NamedTuple):
    """Notes about single machines and revisions, a summary of the changed files, next steps, and warnings."""

    notes: tuple[str, ...]
    summary: str
    next_steps: tuple[str, ...]
    findings: tuple[Located, ...]


class Evidence(NamedTuple):
    """What shows that no machine names a revision: a ``dump`` of the cluster, or the word of the user."""

    dump: str | None = None
    piped: BinaryIO | None = None
    is_cleared: bool = False


NO_EVIDENCE = Evidence()


def pin(
    overlay: PinnedOverlay,
    choice: VmChoice,
    *,
    update: bool,
    wave: Wave | None = None,
    dry_run: bool = False,
) -> PinResult:
    """Pin the chosen machines; with ``update``, also machines that are already pinned, at most a ``wave``.

    Raises ``UsageError`` when nothing is chosen, and ``DiagnosticError``.
    """
    pinnables = overlay.pinnables()
    chosen = choose(pinnables, choice)
    most = None if wave is None else wave.size(len(chosen))
    scope = Update(most) if update else None
    plan = plan_pins(overlay.folder, pinnables, chosen, overlay.keeps_any_revision, scope)
    planned = overlay.changes(plan)
    changed = [each.pinnable for each in plan.notes if each.pinnable is not None and each.changes]
    if planned:
        check_effect(overlay.built_with(planned).compose(overlay.overlay.path), plan.files, changed)
    effects = overlay.effects(planned) if changed and update else {}
    notes = [_with_effect(each, effects) if update else str(each) for each in plan.notes]
    if plan.waiting:
        notes.append(f"{plural(plan.waiting, 'machine')} left: run this again for the next wave")
    notes += overlay.notes_about_revisions(plan, {})
    steps = overlay.clearing_steps(()) if plan.kept else ()
    return overlay.apply(notes, planned, steps, dry_run=dry_run)


def unpin(
    overlay: PinnedOverlay,
    choice: VmChoice,
    evidence: Evidence = NO_EVIDENCE,
    *,
    dry_run: bool = False,
) -> PinResult:
    """Remove the pins of the chosen machines, and of machines that no longer exist.

    Revisions that the status of a machine may name stay until there is ``evidence`` that none does. Raises
    ``UsageError`` when nothing is chosen, and ``DiagnosticError``.
    """
    users = None if evidence.dump is None else _users_in(evidence.dump, evidence.piped)
    pinnables = overlay.pinnables()
    gone = {PatchTarget.of(file.content).name for file in orphans(overlay.folder, pinnables)}
    existing = choice._replace(names=tuple(name for name in choice.names if name not in gone))
    has_other_work = bool(gone) or evidence != NO_EVIDENCE
    chosen = () if existing == VmChoice() and has_other_work else choose(pinnables, existing)
    pinned = [name for patch in overlay.folder.patches for name in revision_names(patch.content)]
    reasons: dict[str, str] = {}

    def keeps(file: PinFile) -> bool:
        if users is None:  # a status can be cleared only after a machine was unpinned, and synced
            return overlay.keeps_revisions and not (evidence.is_cleared and not is_named(file, pinned))
        reasons[file.name] = users.reason_to_keep(*revision_key(file.content), users_of(file, pinnables))
        return bool(reasons[file.name])

    plan = plan_unpins(overlay.folder, pinnables, chosen, keeps=keeps)
    planned = overlay.changes(plan)
    unpinned = [each for each in plan.notes if each.pinnable is not None and each.changes]
    effects = overlay.effects(planned) if unpinned else {}
    cleared = overlay.effects_of_update(pinnables, unpinned) if unpinned and overlay.keeps_revisions else None
    notes: list[str] = []
    for each in plan.notes:
        is_one = each.pinnable is not None and each.pinnable.resource.kind == VM
        if any(overlay.missing_revisions(each)):
            notes.append(str(each))
        elif overlay.keeps_revisions and is_one:
            notes.append(_with_effect(each, cleared, "once its status is cleared: "))
        else:
            notes.append(_with_effect(each, effects))
    notes += overlay.notes_about_revisions(plan, reasons)
    machines = _machines_to_clear(unpinned, plan, users) if overlay.keeps_revisions else []
    steps = overlay.clearing_steps(machines) if machines or plan.kept else ()
    return overlay.apply(notes, planned, steps, dry_run=dry_run)


def _machines_to_clear(
    unpinned: Iterable[PinNote], plan: PinPlan, users: RevisionUsers | None
) -> list[MachineToClear]:
    """Return the machines that are unpinned now, and those of a dump whose status names a kept revision."""
    machines: list[MachineToClear] = []
    for note in unpinned:
        if note.pinnable is None or note.before is None:
            continue
        resource, selector = note.pinnable.resource, ""
        if resource.kind == VM_POOL:
            labels = object_at(resource.content, "spec", "virtualMachineTemplate", "metadata", "labels")
            selector = ",".join(f"{key}={value}" for key, value in labels.items())
        revisions = named_revisions(vm_spec(note.before.content))
        machines.append(MachineToClear(resource.namespace, resource.name, revisions, selector))
    kept = [revision_key(file.content) for file in plan.files if file.is_revision]
    for each in users.uncleared if users is not None else ():
        revisions = {
            key: revision
            for key, revision in each.revisions.items()
            if any(namespace in ("", each.namespace) and name in revision for namespace, name in kept)
        }
        if revisions:
            machines.append(MachineToClear(each.namespace, each.name, revisions))
    return machines


def _users_in(dump: str, piped: BinaryIO | None) -> RevisionUsers:
    """Read who names revisions in a cluster. Raises ``DiagnosticError`` for an unusable dump."""
    consistency = Consistency()
    objects = [
        Resource(each.content, Site(each.location.path))
        for each in read_dump(find_files([dump], piped))
        if each.kind in REVISION_USER_KINDS and consistency.add(each)
    ]
    errors = [each for each in consistency.findings() if each.severity is Severity.ERROR]
    if errors:
        raise DiagnosticError(*errors)
    return RevisionUsers(objects)


def _with_effect(note: PinNote, effects: Effects, when: str = "") -> str:
    """Return a line about a machine, which ends with what the change of its pin does to it."""
    if note.pinnable is None or not note.changes or effects is None:
        return str(note)
    return f"{note}; {when}{effect_text(effects.get(note.pinnable.resource.current_id))}"


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
        files = {
            name: fs.read(posixpath.join(pins, name))
            for name in fs.list(pins)
            if fs.is_file(posixpath.join(pins, name))
        }
        by_path = {posixpath.join(pins, name): content for name, content in files.items()}
        content = FileContent(file, fs.read(file))
        return cls(named, project, overlay, content, read_folder(pins, files), by_path)

    @property
    def keeps_revisions(self) -> bool:
        """True if the cluster has the revisions, and the status of a machine goes on naming them."""
        return self.overlay.expand is ExpandMode.OFF and self.overlay.kubevirt >= SINCE_REVISION_IN_STATUS

    def keeps_any_revision(self, _: PinFile) -> bool:
        """Return True if revisions stay until a dump of the cluster shows that nothing uses them."""
        return self.keeps_revisions

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
            plan = plan_pins(self.folder, pinnables, wanted, self.keeps_any_revision, Update())
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
        findings = locate(self.project.fs, warnings)
        return PinResult(tuple(notes), summary, tuple(next_steps), findings)


def _as_deployed(overlay: Overlay, found: Sequence[Overlay]) -> Overlay:
    """Return a folder that is no overlay of the project in the mode of those that may be built from it.

    One that keeps the matchers counts first, the newest release of these: it needs the revisions.
    """
    keeping = [each for each in found if each.expand is ExpandMode.OFF]
    if not keeping or any(each.path == overlay.path for each in found):
        return overlay
    return overlay._replace(expand=ExpandMode.OFF, kubevirt=max(each.kubevirt for each in keeping))


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
