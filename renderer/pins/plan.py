"""What the folder ``pins`` is to hold after a VirtualMachine was pinned, or let go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.json import EMPTY, JsonObject, object_at, text_at
from renderer.model.location import Location
from renderer.model.pin import Pinnable
from renderer.pins.files import PinFile
from renderer.pins.folder import PinsFolder
from renderer.pins.patch import Target, is_target_of, patch_of, revision_names


@dataclass(frozen=True, slots=True)
class Plan:
    """The files that the component is to list, and what to say of each VirtualMachine that was asked for."""

    files: tuple[PinFile, ...]
    notes: tuple[str, ...] = ()


def plan_pins(
    folder: PinsFolder, everything: Sequence[Pinnable], chosen: Iterable[Pinnable], *, update: bool
) -> Plan:
    """Pins ``chosen``; those that are pinned already keep what they have, unless it is to be updated.

    Pins of what is not among ``everything`` any more are dropped. Raises ``DiagnosticError`` with why one
    of ``chosen`` cannot be pinned: its findings, and foreign-file for a file that was changed by hand.
    """
    patches, notes = _without_orphans(folder, everything)
    revisions = {_revision_key(file.content): file for file in folder.revisions}
    findings: list[Diagnostic] = []
    for pinnable in chosen:
        before = _patch_for(pinnable, patches)
        if before is None or update:
            findings += pinnable.findings
        note, patch = _pinned(pinnable, before, update=update)
        notes.append(f"{pinnable.label}: {note}")
        if patch is None:
            continue
        if before is not None:
            del patches[Target.of(before.content)]
        patches[Target.of(patch.content)] = patch
        revisions |= {_revision_key(revision): PinFile.of(revision) for revision in pinnable.revisions}
    files = _with_revisions(patches.values(), revisions)
    findings += _changed_by_hand(folder, files)
    if findings:
        raise DiagnosticError(*findings)
    return Plan(files, tuple(notes))


def plan_unpins(folder: PinsFolder, everything: Sequence[Pinnable], chosen: Iterable[Pinnable]) -> Plan:
    """Lets go of ``chosen``, and of what is not among ``everything`` any more."""
    patches, notes = _without_orphans(folder, everything)
    for pinnable in chosen:
        patch = _patch_for(pinnable, patches)
        notes.append(f"{pinnable.label}: {'is not pinned' if patch is None else 'unpinned'}")
        if patch is not None:
            del patches[Target.of(patch.content)]
    revisions = {_revision_key(file.content): file for file in folder.revisions}
    return Plan(_with_revisions(patches.values(), revisions), tuple(notes))


def orphans(folder: PinsFolder, everything: Iterable[Pinnable]) -> tuple[PinFile, ...]:
    """The patches for what the overlay has not any more."""
    targets = [pinnable.target for pinnable in everything]
    return tuple(
        patch
        for patch in folder.patches
        if not any(is_target_of(patch.content, target) for target in targets)
    )


def _without_orphans(
    folder: PinsFolder, everything: Sequence[Pinnable]
) -> tuple[dict[Target, PinFile], list[str]]:
    gone = {Target.of(file.content) for file in orphans(folder, everything)}
    patches = {Target.of(file.content): file for file in folder.patches}
    kept = {target: file for target, file in patches.items() if target not in gone}
    return kept, [f"{target}: is not in the overlay any more, its pin is dropped" for target in sorted(gone)]


def _patch_for(pinnable: Pinnable, patches: Mapping[Target, PinFile]) -> PinFile | None:
    """The patch that names it, else one that names what it was called in a base."""
    exact = patches.get(Target.of(pinnable.target.content))
    others = (file for file in patches.values() if is_target_of(file.content, pinnable.target))
    return exact or next(others, None)


def _pinned(pinnable: Pinnable, before: PinFile | None, *, update: bool) -> tuple[str, PinFile | None]:
    """What to say, and the patch to write; None to leave things as they are."""
    if before is not None and pinnable.findings:
        return f"is pinned already, to {_shown(before.content)}, and could not be pinned now", None
    if not pinnable.patch:
        return _why_nothing(pinnable), None
    latest = PinFile.of(patch_of(pinnable, EMPTY))
    if before is None:
        return f"pinned to {_shown(latest.content)}", latest
    wanted = latest if update else PinFile.of(patch_of(pinnable, before.content))
    if wanted.content == before.content:
        stays = wanted.content == latest.content
        newer = "" if stays else f"; --update would take {_shown(latest.content)}"
        return f"is pinned already, to {_shown(before.content)}{newer}", None
    return f"pinned to {_shown(wanted.content)}, was {_shown(before.content)}", wanted


def _why_nothing(pinnable: Pinnable) -> str:
    if pinnable.findings:
        return "cannot be pinned"
    names = ", ".join(revision_names(pinnable.resource.content))
    return f"names {names} itself" if names else "has neither instance type nor preference to pin"


def _shown(patch: JsonObject) -> str:
    return " and ".join(revision_names(patch))


def _with_revisions(
    patches: Iterable[PinFile], revisions: Mapping[tuple[str, str], PinFile]
) -> tuple[PinFile, ...]:
    """The patches with the revisions they name; a name may have got affixes from the overlay since."""
    patches = tuple(patches)
    names = [name for patch in patches for name in revision_names(patch.content)]
    used = [file for (_, name), file in revisions.items() if any(name in named for named in names)]
    return (*patches, *used)


def _changed_by_hand(folder: PinsFolder, files: Iterable[PinFile]) -> list[Diagnostic]:
    """A finding for each file that would have to be overwritten although it was changed by hand."""
    known = {file.name: file for file in folder.files}
    return [
        Diagnostic(
            code=Code.FOREIGN_FILE,
            message=f"{folder.path}/{file.name} was changed by hand",
            location=Location(f"{folder.path}/{file.name}"),
            hint="remove it, or bring it back from Git, and run this again",
        )
        for file in files
        if file.name in folder.edited and known[file.name].content != file.content
    ]


def _revision_key(revision: JsonObject) -> tuple[str, str]:
    metadata = object_at(revision, "metadata")
    return text_at(metadata, "namespace"), text_at(metadata, "name")
