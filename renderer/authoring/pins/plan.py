"""Plan the content of the folder ``pins`` when VMs are pinned or unpinned, and check the effect."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from renderer.authoring.pins.folder import PinFile, PinsFolder
from renderer.kubevirt.facts.kinds import CONTROLLER_REVISION, MATCHER_KEYS, MATCHER_TYPES, VM
from renderer.kubevirt.facts.virtual_machine import PATHS
from renderer.kubevirt.impact.lost_revision import named_revisions
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at, text_at, with_value
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.pin import Pinnable


class PatchTarget(NamedTuple):
    """The object that a patch without a selector changes; equal if kustomize considers the ids equal."""

    kind: str
    namespace: str
    name: str

    @classmethod
    def of(cls, content: JsonObject) -> PatchTarget:
        metadata = object_at(content, "metadata")
        namespace = text_at(metadata, "namespace") or "default"
        return cls(text_at(content, "kind"), namespace, text_at(metadata, "name"))

    @classmethod
    def each_of(cls, resource: Resource) -> Iterator[PatchTarget]:
        """Yield the targets of the patches that change the resource, by its present id or an earlier one."""
        for each in (resource.current_id, *resource.previous_ids):
            yield cls(each.gvk.kind, each.namespace or "default", each.name)

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


def patch_of(pinnable: Pinnable, older: JsonObject) -> JsonObject:
    """Return the patch that pins; matcher fields of ``older``, an earlier patch, stay."""
    target = pinnable.target
    metadata: dict[str, Json] = {"name": target.name}
    if target.namespace:
        metadata["namespace"] = target.namespace
    before = vm_spec(older)
    spec: JsonObject = {
        key: before[key] if key in MATCHER_KEYS and key in before else value
        for key, value in pinnable.patch.items()
    }
    patch: JsonObject = {"apiVersion": target.api_version, "kind": target.kind, "metadata": metadata}
    return with_value(patch, PATHS[target.kind].spec.keys, spec)


def vm_spec(content: JsonObject) -> JsonObject:
    """Return the ``spec`` of the VM in a VirtualMachine, a VirtualMachinePool or a patch of one."""
    paths = PATHS.get(text_at(content, "kind"), PATHS[VM])
    return object_at(content, *paths.spec.keys)


def revision_names(content: JsonObject) -> Iterator[str]:
    """Yield the ControllerRevisions that are named in the matchers of a VirtualMachine or a patch of one."""
    yield from named_revisions(vm_spec(content)).values()


class PinNote(NamedTuple):
    """A sentence about one machine; ``pinnable`` is None if the overlay no longer has the machine.

    ``before`` is the patch that pinned it until now. ``changes``: its pin is written, replaced or dropped.
    """

    label: str
    text: str
    pinnable: Pinnable | None = None
    before: PinFile | None = None
    changes: bool = False

    def __str__(self) -> str:
        return f"{self.label}: {self.text}"


@dataclass(frozen=True, slots=True)
class PinPlan:
    """The files for the component to list, and a note about each requested machine.

    ``kept`` are the revisions among the files that no patch names. ``waiting`` counts the machines that are
    left to later waves.
    """

    files: tuple[PinFile, ...]
    notes: tuple[PinNote, ...] = ()
    kept: tuple[PinFile, ...] = ()
    waiting: int = 0


#: Says whether a revision of the folder stays, although no patch names it any more.
Keeps: TypeAlias = Callable[[PinFile], bool]


class PinUpdate(NamedTuple):
    """Pins are renewed, of at most ``most`` machines."""

    most: int | None = None


def plan_pins(
    folder: PinsFolder,
    everything: Sequence[Pinnable],
    chosen: Iterable[Pinnable],
    keeps: Keeps,
    update: PinUpdate | None = None,
) -> PinPlan:
    """Pin ``chosen``; machines that are already pinned keep their pin without an ``update``.

    Pins whose machine is not in ``everything`` are dropped. Raises ``DiagnosticError`` with the reasons why
    one of ``chosen`` cannot be pinned: its findings, and foreign-file for a file that was changed by hand.
    """
    patches, notes = _without_orphans(folder, everything)
    revisions = {revision_key(file.content): file for file in folder.revisions}
    findings: list[Diagnostic] = []
    changed = waiting = 0
    for pinnable in chosen:
        before = _patch_for(pinnable, patches)
        text, patch = _note_and_patch(pinnable, before, update=update is not None)
        is_full = update is not None and changed == update.most
        if is_full and (patch is not None or pinnable.findings):
            waiting += 1
            continue
        if before is None or update is not None:
            findings += pinnable.findings
        if before is None and patch is not None:
            text += _move_from_older(folder, pinnable, patch, keeps)
        notes.append(PinNote(pinnable.label, text, pinnable, before, changes=patch is not None))
        # Also of a pin that stays: a merge may have dropped the file of its revision.
        revisions |= {revision_key(revision): PinFile.of(revision) for revision in pinnable.revisions}
        if patch is None:
            continue
        changed += 1
        if before is not None:
            del patches[PatchTarget.of(before.content)]
        patches[PatchTarget.of(patch.content)] = patch
    plan = _plan(folder, patches.values(), revisions, notes, keeps)
    known = {file.name: file for file in folder.files}
    findings += (
        Diagnostic.in_file(
            f"{folder.path}/{file.name}",
            Code.FOREIGN_FILE,
            f"{folder.path}/{file.name} was changed by hand",
            "remove it, or bring it back from Git, and run this again",
        )
        for file in plan.files
        if file.name in folder.edited and known[file.name].content != file.content
    )
    if findings:
        raise DiagnosticError(*findings)
    return replace(plan, waiting=waiting)


def plan_unpins(
    folder: PinsFolder, everything: Sequence[Pinnable], chosen: Iterable[Pinnable], *, keeps: Keeps
) -> PinPlan:
    """Drop the pins of ``chosen``, and the pins whose machine is not in ``everything``."""
    patches, notes = _without_orphans(folder, everything)
    for pinnable in chosen:
        patch = _patch_for(pinnable, patches)
        text = "is not pinned" if patch is None else "unpinned"
        notes.append(PinNote(pinnable.label, text, pinnable, patch, changes=patch is not None))
        if patch is not None:
            del patches[PatchTarget.of(patch.content)]
    revisions = {revision_key(file.content): file for file in folder.revisions}
    return _plan(folder, patches.values(), revisions, notes, keeps)


def orphans(folder: PinsFolder, everything: Iterable[Pinnable]) -> tuple[PinFile, ...]:
    """Return the patches for objects that the overlay no longer has."""
    targets = {target for pinnable in everything for target in PatchTarget.each_of(pinnable.target)}
    return tuple(patch for patch in folder.patches if PatchTarget.of(patch.content) not in targets)


def _without_orphans(
    folder: PinsFolder, everything: Sequence[Pinnable]
) -> tuple[dict[PatchTarget, PinFile], list[PinNote]]:
    gone = {PatchTarget.of(file.content): file for file in orphans(folder, everything)}
    patches = {PatchTarget.of(file.content): file for file in folder.patches}
    current = {target: file for target, file in patches.items() if target not in gone}
    return current, [
        PinNote(
            str(target),
            "pin dropped, since it is no longer in the overlay",
            before=gone[target],
            changes=True,
        )
        for target in sorted(gone)
    ]


def _patch_for(pinnable: Pinnable, patches: Mapping[PatchTarget, PinFile]) -> PinFile | None:
    """Return the patch with the VM's present name, or else a patch with an earlier name."""
    targets = PatchTarget.each_of(pinnable.target)
    return next((patches[target] for target in targets if target in patches), None)


def _note_and_patch(
    pinnable: Pinnable, before: PinFile | None, *, update: bool
) -> tuple[str, PinFile | None]:
    """Return the note to print, and the patch to write; None to change nothing."""
    if before is not None and pinnable.findings:
        return f"is pinned already, to {_revisions_text(before.content)}, and could not be pinned now", None
    if not pinnable.patch and pinnable.findings:
        return "cannot be pinned", None
    if not pinnable.patch:
        names = ", ".join(revision_names(pinnable.resource.content))
        return f"names {names} itself" if names else "has neither instance type nor preference to pin", None
    latest = PinFile.of(patch_of(pinnable, EMPTY))
    if before is None:
        return f"pinned to {_revisions_text(latest.content)}", latest
    patch = latest if update else PinFile.of(patch_of(pinnable, before.content))
    if patch.content == before.content:
        is_latest = patch.content == latest.content
        newer = "" if is_latest else f"; --update would pin {_revisions_text(latest.content)}"
        return f"is pinned already, to {_revisions_text(before.content)}{newer}", None
    return f"pinned to {_revisions_text(patch.content)}, was {_revisions_text(before.content)}", patch


def _move_from_older(folder: PinsFolder, pinnable: Pinnable, patch: PinFile, keeps: Keeps) -> str:
    """Return the end of a note: which revisions of the folder a machine that had no pin may still use."""
    pinned = tuple(revision_names(patch.content))
    older = [
        revision_key(file.content)[1]
        for file in folder.revisions
        if keeps(file) and not is_named(file, pinned) and any(users_of(file, [pinnable]))
    ]
    return f"; if its status still names {' or '.join(older)}, this moves it to another copy" if older else ""


def _revisions_text(patch: JsonObject) -> str:
    return " and ".join(revision_names(patch))


def _plan(
    folder: PinsFolder,
    patches: Iterable[PinFile],
    revisions: Mapping[tuple[str, str], PinFile],
    notes: Iterable[PinNote],
    keeps: Keeps,
) -> PinPlan:
    """Return the plan with the patches, the revisions that they name, and those that stay without them."""
    patches = tuple(patches)
    named = {name for patch in patches for name in revision_names(patch.content)}
    used = [file for file in revisions.values() if is_named(file, named)]
    kept = [file for file in folder.revisions if file not in used and keeps(file)]
    return PinPlan((*patches, *used, *kept), tuple(notes), tuple(kept))


def is_named(revision: PinFile, names: Iterable[str]) -> bool:
    """Return True if one of the names is that of a revision, to which the overlay may have added affixes."""
    _, own = revision_key(revision.content)
    return any(own in name for name in names)


def users_of(revision: PinFile, everything: Iterable[Pinnable]) -> Iterator[Resource]:
    """Yield the machines of an overlay that may use a revision: they name the object that is stored in it."""
    namespace, _ = revision_key(revision.content)
    kind = text_at(revision.content, "data", "kind")
    name = text_at(revision.content, "data", "metadata", "name")
    for pinnable in everything:
        spec = vm_spec(pinnable.resource.content)
        if pinnable.resource.namespace == namespace and any(
            kind in each.kinds and text_at(spec, each.key, "name") in ("", name) and each.key in spec
            for each in MATCHER_TYPES
        ):
            yield pinnable.resource


def revision_key(revision: JsonObject) -> tuple[str, str]:
    """Return the namespace and the name of a revision."""
    metadata = object_at(revision, "metadata")
    return text_at(metadata, "namespace"), text_at(metadata, "name")


def check_effect(
    composed: Outcome[ResourceSet], files: Iterable[PinFile], chosen: Iterable[Pinnable]
) -> None:
    """Check that the overlay composes and that each of ``chosen`` has the values of its patch.

    ``composed`` is the overlay with its pins, which are ``files``. Raises ``DiagnosticError``.
    """
    if composed.failed:
        raise DiagnosticError(*composed.diagnostics)
    resources = {resource.current_id: resource for resource in composed.value}
    revisions = {
        (r.namespace, r.name): r.content.get("data") for r in composed.value if r.kind == CONTROLLER_REVISION
    }
    patches = {PatchTarget.of(file.content): file for file in files if not file.is_revision}
    findings = [
        finding
        for pinnable in chosen
        for target in dict.fromkeys(PatchTarget.each_of(pinnable.target))
        if target in patches
        for finding in _missing_effects(
            resources.get(pinnable.resource.current_id), pinnable, patches[target], revisions
        )
    ]
    if findings:
        raise DiagnosticError(*findings)


def _missing_effects(
    pinned: Resource | None,
    pinnable: Pinnable,
    patch: PinFile,
    revisions: dict[tuple[str, str], Json],
) -> Iterator[Diagnostic]:
    names = set(revision_names(patch.content))
    if pinned is None or not names.issubset(revision_names(pinned.content)):
        hint = "let it change single fields of spec.instancetype and spec.preference, not the whole"
        yield _failure(pinnable, "something in the overlay removes the pin", hint)
        return
    for name in sorted(names):
        if revisions.get((pinned.namespace, name)) is None:
            hint = "pin in the overlay that gives names their prefix, suffix and namespace"
            yield _failure(
                pinnable, f"the overlay gives ControllerRevision {name} another name or namespace", hint
            )


def _failure(pinnable: Pinnable, reason: str, hint: str) -> Diagnostic:
    return Diagnostic.about(
        pinnable.resource, None, Code.PIN_FAILED, f"{pinnable.label} cannot be pinned: {reason}", hint
    )
