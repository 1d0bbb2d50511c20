"""Pin virtual machines of an overlay to the current instance types and preferences, and unpin them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import BinaryIO, NamedTuple

from renderer.adopt.dump.consistency import Consistency
from renderer.adopt.dump.files import find_files
from renderer.adopt.dump.read import read_dump
from renderer.adopt.live.revision_users import KINDS as REVISION_USER_KINDS
from renderer.adopt.live.revision_users import RevisionUsers
from renderer.app.pinned_overlay import Effects, PinnedOverlay, PinResult
from renderer.app.usage_error import UsageError
from renderer.authoring.pins.folder import PinFile
from renderer.authoring.pins.plan import (
    PatchTarget,
    PinNote,
    PinPlan,
    PinUpdate,
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
from renderer.authoring.pins.status_patch import MachineToClear
from renderer.kubevirt.facts.kinds import VM, VM_POOL
from renderer.kubevirt.impact.lost_revision import named_revisions
from renderer.model.kube.json import object_at
from renderer.model.kube.label_selector import SelectorError, parse_selector, selects
from renderer.model.pin import Pinnable
from renderer.model.plural import plural
from renderer.model.suggest import suggest
from renderer.provenance.patterns import ResourcePattern
from renderer.report.diff_words import effect_text


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
    scope = PinUpdate(most) if update else None
    plan = plan_pins(overlay.folder, pinnables, chosen, lambda _: overlay.keeps_revisions, scope)
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
    existing = choice._replace(
        names=tuple(name for name in choice.names if name.rpartition("/")[2] not in gone)
    )
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
    """Return the machines that are unpinned now, and machines of a dump that still name a kept revision."""
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
    objects = {
        each.id.object_key: each.resource
        for each in read_dump(find_files([dump], piped))
        if each.kind in REVISION_USER_KINDS and consistency.add(each)
    }
    consistency.check()
    return RevisionUsers(objects.values())


def _with_effect(note: PinNote, effects: Effects, when: str = "") -> str:
    """Return a line about a machine, which ends with what the change of its pin does to it."""
    if note.pinnable is None or not note.changes or effects is None:
        return str(note)
    return f"{note}; {when}{effect_text(effects.get(note.pinnable.resource.current_id))}"


def choose(pinnables: Sequence[Pinnable], choice: VmChoice) -> tuple[Pinnable, ...]:
    """Return the chosen virtual machines, in their order.

    Raises ``UsageError`` for an unknown name, an invalid selector, and if nothing is chosen.
    """
    resources = [pinnable.resource for pinnable in pinnables]
    named: set[int] = set()
    for name in choice.names:
        try:
            pattern = ResourcePattern.parse(name)
        except ValueError as error:
            raise UsageError(str(error)) from None
        found = pattern.select(resources)
        if not found:
            full = {each.name: f"{each.namespace}/{each.name}".lstrip("/") for each in resources}
            near = [each if name == pattern.name else full[each] for each in suggest(pattern.name, full)]
            hint = f"did you mean {' or '.join(near)}?" if near else "write NAME, NAMESPACE/NAME or vm/NAME"
            raise UsageError(f"there is no virtual machine {name!r} in the overlay; {hint}")
        ids = {id(resource) for resource in found}
        named |= {id(each) for each in pinnables if id(each.resource) in ids}
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
