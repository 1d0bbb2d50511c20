"""Edits of source files that are tried in memory: the files with them, and what they change in the builds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from renderer.app.project import Project
from renderer.app.public_diff import note_secrets
from renderer.files.file_system import EditedFiles
from renderer.findings.located import Located, LocatedFix
from renderer.kubevirt.facts.lists import field_changes, is_same
from renderer.model.diagnostic import Outcome
from renderer.model.difference import NoValue, Value
from renderer.model.field_edit import (
    AddField,
    AddItem,
    Edit,
    MoveField,
    RemoveItem,
    RenameField,
    SetField,
    edited_place,
)
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import Json
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.kustomization import is_kustomization_file
from renderer.model.render_config import Overlay
from renderer.pipeline import Pipeline
from renderer.yamlio.edit import EditedText, RefusedEditError, edit_places, separate_documents

NO_FILES: Mapping[str, bytes] = {}


def apply_fixes(
    project: Project, files: Mapping[str, bytes], findings: Iterable[Located]
) -> tuple[list[Located], dict[str, bytes]]:
    """Return the findings whose fixes could be applied, and the files with them.

    In a document whose list gets another length, nothing else is changed: the places of other fixes move.
    """
    findings = [each for each in findings if each.fix]
    fs = EditedFiles(files, project.fs)
    changed = dict(files)
    by_document: dict[tuple[str, int], list[LocatedFix]] = {}
    for fix in (each.fix for each in findings if each.fix):
        of_document = by_document.setdefault((fix.path, fix.document), [])
        if fix not in of_document and not (of_document and (_moves(fix) or _moves(of_document[0]))):
            of_document.append(fix)
    for (path, _), fixes in by_document.items():
        content = changed[path] if path in changed else fs.read(path)
        together = _edited(content, fixes) if len(fixes) > 1 else None
        if together is not None:  # the document is read once for all of them
            changed[path] = together
            continue
        for fix in tuple(fixes):
            edited = _edited(content, [fix])
            if edited is None:
                fixes.remove(fix)
            else:
                changed[path] = content = edited
    is_applied = (
        fix in by_document[fix.path, fix.document] for fix in (each.fix for each in findings) if fix
    )
    return [each for each, applied in zip(findings, is_applied, strict=True) if applied], changed


def _moves(fix: LocatedFix) -> bool:
    """Return True if a list gets another length."""
    return any(isinstance(edit, AddItem | RemoveItem) for edit in fix.edits)


def _edited(content: bytes, fixes: Sequence[LocatedFix]) -> bytes | None:
    """Return the content with all fixes of one document; None if that is refused."""
    is_file = is_kustomization_file(fixes[0].path)
    places = [(EditedText(each.document, each.inline, is_file), each.edits) for each in fixes]
    try:
        if any(each.separators for each in fixes):
            return separate_documents(content, fixes[0].separators) if len(fixes) == 1 else None
        return edit_places(content, places)
    except RefusedEditError:
        return None


class Build(NamedTuple):
    """An overlay as its engine applies it, and then expanded and checked."""

    applied: Outcome[ResourceSet]
    checked: Outcome[ResourceSet]


def builds(pipeline: Pipeline, overlays: Iterable[Overlay]) -> dict[str, Build]:
    """Build overlays, by their paths, and keep their Secrets out of diffs."""
    built = {
        overlay.path: Build(pipeline.compose_applied(overlay), pipeline.build(overlay))
        for overlay in overlays
    }
    for each in built.values():
        note_secrets(each.checked.value)
    return built


def changed_fields(before: ResourceSet, after: ResourceSet) -> Iterator[tuple[Resource, FieldPath, Value]]:
    """Yield the fields that differ, with their values in ``after``.

    An object that only one side has is itself a field.
    """
    others = {each.current_id: each for each in after}
    for old in before:
        new = others.pop(old.current_id, None)
        if new is None:
            yield old, ROOT, NoValue.ABSENT
        elif not is_same(old.content, new.content):
            for each in field_changes(old.content, new.content):
                yield old, each.field, each.after
    for added in others.values():
        yield added, ROOT, added.content


def edit_lines(finding: Located) -> Iterator[str]:
    """Yield a line for each edit of a fix, for people: ``spec.runing -> spec.running``."""
    if finding.fix and finding.fix.separators:
        yield "--- added above it"
    for edit in finding.fix.edits if finding.fix else ():
        yield _edit_line(edit, finding.fix.old if finding.fix else None)


def _edit_line(edit: Edit, old: str | None) -> str:
    place = edited_place(edit)
    match edit:
        case RenameField(_, name):
            return f"{place} -> {place.parent.child(name)}"
        case MoveField(_, to):
            return f"{place} -> {to}"
        case AddField(_, name, value):
            return f"{place.child(name)}: {_text(value)} added"
        case AddItem(_, value, _):
            return f"{place}: {_text(value)} added"
        case SetField(_, value):
            return f"{place}: {'' if old is None else f'{old} -> '}{_text(value)}"
        case _:
            return f"{place} removed"


def _text(value: Json) -> str:
    return str(value) if isinstance(value, str | int | float) else "a mapping"
