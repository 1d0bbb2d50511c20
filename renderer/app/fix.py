"""Apply the one right answer of each finding to the files of a project, as far as it can be proved.

Fixes are tried in memory. Those of one round are kept together if their findings are gone afterwards, no
other finding came, and nothing that could be built before changes except what the findings name; otherwise
each is tried alone. What one round uncovers, the next one fixes. A finding that names no object, such as a
file that is not listed, may change any of them.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from renderer.app.project import Project
from renderer.app.validate import ValidationResult, validate, validate_overlays
from renderer.files.file_system import EditedFiles, FilesAsFirstRead
from renderer.findings.located import Located, LocatedFix
from renderer.findings.run_findings import FindingFilter, RunFindings
from renderer.kustomize.reader.find_kustomization import KUSTOMIZATION_FILES
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError, Outcome, Severity
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
from renderer.model.kube.json import Json
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import Release
from renderer.pipeline import Pipeline
from renderer.yamlio.edit import EditedText, RefusedEditError, edit_fields, separate_documents

NO_FILES: Mapping[str, bytes] = {}
#: Rounds after which the rest stays: more than fixes that uncover one another ever need.
_MOST_ROUNDS = 30
#: A path without list indices, which differ between a file and what is built from it.
_Keys: TypeAlias = tuple[str, ...]


class FixRequest(NamedTuple):
    """The findings to fix: those about ``paths``, or of ``overlays`` if there are any.

    ``codes`` are the only codes to fix, if there are any; ``others`` are codes to leave.
    """

    paths: tuple[str, ...] = (".",)
    overlays: tuple[str, ...] = ()
    codes: frozenset[Code] = frozenset()
    others: frozenset[Code] = frozenset()
    kubevirt: Release | None = None


class Unfixed(NamedTuple):
    """A finding whose fix was tried and not kept, and why."""

    finding: Located
    reason: str


class FixedProject(NamedTuple):
    """A project with its fixes: the changed files, what was fixed, what could not be proved, what is left."""

    project: Project
    files: Mapping[str, bytes]
    fixed: tuple[Located, ...] = ()
    unfixed: tuple[Unfixed, ...] = ()
    left: tuple[Located, ...] = ()


class _Judged(NamedTuple):
    """The files of a round, the findings about them, and what its overlays are built into."""

    files: Mapping[str, bytes]
    findings: tuple[Located, ...]
    builds: Mapping[str, Outcome[ResourceSet]]


def fix_project(project: Project, request: FixRequest, files: Mapping[str, bytes] = NO_FILES) -> FixedProject:
    """Return the project with its fixes, in memory; ``files`` have other content already.

    Raises ``UsageError`` for an unknown path or overlay.
    """
    project = project._replace(fs=FilesAsFirstRead(project.fs))  # to refuse what others change meanwhile
    judged = _judge(project, files, request)
    fixed: list[Located] = []
    unfixed: dict[tuple[str, ...], Unfixed] = {}
    for _ in range(_MOST_ROUNDS):
        wanted = [
            each
            for each in judged.findings
            if each.fix and _is_chosen(each, request) and _key(each) not in unfixed
        ]
        if not wanted:
            break
        # What names no object may change any of them, so nothing would be proved about others beside it.
        wanted = [each for each in wanted if each.resource is None] or wanted
        batch, edited = apply_fixes(project, judged.files, wanted)
        if not batch:
            for each in wanted:
                unfixed[_key(each)] = Unfixed(each, "its line cannot be changed by itself")
            continue
        after = _judge(project, edited, request)
        if _objection(judged, after, batch):
            after = judged
            kept: list[Located] = []
            for finding in batch:
                alone, tried = apply_fixes(project, after.files, [finding])
                candidate = _judge(project, tried, request) if alone else after
                objection = (
                    _objection(after, candidate, alone) if alone else "its line cannot be changed by itself"
                )
                if objection:
                    unfixed[_key(finding)] = Unfixed(finding, objection)
                else:
                    after = candidate
                    kept.append(finding)
            batch = kept
        fixed += batch
        judged = after
    return FixedProject(project, judged.files, tuple(fixed), tuple(unfixed.values()), judged.findings)


def _is_chosen(finding: Located, request: FixRequest) -> bool:
    return (not request.codes or finding.code in request.codes) and finding.code not in request.others


def _judge(project: Project, files: Mapping[str, bytes], request: FixRequest) -> _Judged:
    """Return the findings about the project with ``files`` in it, and its builds."""
    fs = EditedFiles(files, project.fs)
    try:
        edited = Project.read(project.root, project.environment, fs)
        edited = edited.of_cluster(project.config.cluster) if project.config.cluster else edited
    except DiagnosticError as error:
        findings = RunFindings(fs)
        findings.add(error.diagnostics)
        return _Judged(files, findings.found(), {})
    everything = FindingFilter()
    if request.overlays:
        result = validate_overlays(edited, request.overlays, request.kubevirt, everything)
    else:
        result = validate(edited, request.paths, request.kubevirt, everything)
    return _Judged(files, result.findings, _builds(edited, result, request))


def _builds(
    project: Project, result: ValidationResult, request: FixRequest
) -> dict[str, Outcome[ResourceSet]]:
    pipeline = Pipeline(project.fs, project.config)
    overlays = project.look_up_overlays().overlays
    return {
        overlay.path: pipeline.build(overlay.with_target(request.kubevirt, None))
        for overlay in overlays
        if overlay.path in result.overlays
    }


def apply_fixes(
    project: Project, files: Mapping[str, bytes], findings: Iterable[Located]
) -> tuple[list[Located], dict[str, bytes]]:
    """Return the findings whose fixes could be applied, and the files with them.

    In a document whose list gets another length, nothing else is changed: the places of other fixes move.
    """
    fs = EditedFiles(files, project.fs)
    changed = dict(files)
    applied: list[Located] = []
    done: list[LocatedFix] = []
    moved: set[tuple[str, int]] = set()
    touched: set[tuple[str, int]] = set()
    for finding in findings:
        fix = finding.fix
        if fix is None:
            continue
        place = (fix.path, fix.document)
        if fix in done:
            applied.append(finding)
            continue
        moves = any(isinstance(edit, AddItem | RemoveItem) for edit in fix.edits)
        if place in moved or (moves and place in touched):
            continue
        where = EditedText(fix.document, fix.inline, posixpath.basename(fix.path) in KUSTOMIZATION_FILES)
        content = changed[fix.path] if fix.path in changed else fs.read(fix.path)
        try:
            changed[fix.path] = (
                separate_documents(content, fix.separators)
                if fix.separators
                else edit_fields(content, where, fix.edits)
            )
        except RefusedEditError:
            continue
        done.append(fix)
        applied.append(finding)
        touched.add(place)
        if moves:
            moved.add(place)
    return applied, changed


def _objection(before: _Judged, after: _Judged, fixed: Sequence[Located]) -> str:
    """Return the reason why the fixes cannot be kept; empty if there is none.

    What a fixed finding has hidden may come. A suppression that a fix makes needless is fixed next.
    """
    keys = {_key(each) for each in after.findings}
    gone = {_key(each) for each in fixed}
    if not gone.isdisjoint(keys):
        return "the finding would stay"
    known = {_key(_without_object(each)) for each in before.findings if _key(each) not in gone}
    uncovered = {each.resource for each in fixed if _hides_others(each)}
    for each in after.findings:
        is_new = _key(_without_object(each)) not in known and each.severity is not Severity.INFO
        is_new = is_new and each.code is not Code.UNUSED_SUPPRESSION
        if is_new and each.resource not in uncovered and None not in uncovered:
            return f"it would bring another: {each.message}"
    return _unnamed_change(before, after, fixed)


def _hides_others(finding: Located) -> bool:
    """Return True if later stages do not judge the object: after an error, or as one of an unknown kind."""
    is_identity = finding.field is not None and str(finding.field) in ("apiVersion", "kind")
    return finding.severity is Severity.ERROR or (is_identity and finding.code is not Code.NOT_RENDERED)


def _unnamed_change(before: _Judged, after: _Judged, fixed: Sequence[Located]) -> str:
    """Return the first change of what is built that no finding names."""
    if any(each.resource is None for each in fixed):
        return ""
    named = {(each.resource, keys) for each in fixed for keys in _named_by(each)}
    for path, old in before.builds.items():
        new = after.builds.get(path)
        if old.failed or new is None or new.failed:
            continue
        for resource, keys in _changed_fields(old.value, new.value):
            if not any(
                _is_one(resource, about) and (keys[: len(name)] == name or name[: len(keys)] == keys)
                for about, name in named
            ):
                field = ".".join(keys) or "the object"
                return f"{resource.kind} {resource.name} in {path} would change at {field}"
    return ""


def _is_one(resource: Resource, about: ResId | None) -> bool:
    """Return True if a finding is about the resource, whose namespace and name the overlay may have set."""
    names = (resource.name, *(each.name for each in resource.previous_ids))
    return about is not None and resource.kind == about.gvk.kind and about.name in names


def _named_by(finding: Located) -> Iterator[_Keys]:
    """Yield the fields of the object that a finding and its edits name."""
    about = _keys(finding.field.segments) if finding.field else ()
    if about:
        yield about
    for edit in finding.fix.edits if finding.fix else ():
        place = _keys(edited_place(edit).segments)
        if isinstance(edit, RenameField | AddField):  # in an object that a template or a List holds
            yield (*about[:-1], edit.name)
        yield (*place, edit.name) if isinstance(edit, AddField) else place
        if isinstance(edit, RenameField):
            yield (*place[:-1], edit.name)
        if isinstance(edit, MoveField):
            yield _keys(edit.to.segments)


def _keys(segments: Iterable[object]) -> _Keys:
    return tuple(each for each in segments if isinstance(each, str))


def _changed_fields(old: ResourceSet, new: ResourceSet) -> Iterator[tuple[Resource, _Keys]]:
    """Yield the fields that differ; an object that only one side has is itself a field without keys."""
    after = {each.current_id: each for each in new}
    for resource in old:
        if resource.current_id not in after:
            yield resource, ()
        else:
            for keys in _differences(resource.content, after.pop(resource.current_id).content):
                yield resource, keys
    for added in after.values():
        yield added, ()


def _differences(old: Json, new: Json, above: _Keys = ()) -> Iterator[_Keys]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in old.keys() | new.keys():
            if key not in old or key not in new:
                yield (*above, key)
            else:
                yield from _differences(old[key], new[key], (*above, key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for one, other in zip(old, new, strict=True):
            yield from _differences(one, other, above)
    elif old != new or type(old) is not type(new):
        yield above


def _key(finding: Located) -> tuple[str, ...]:
    """Return what a finding says, without lines and indices, which move.

    The lines of missing separators are kept, as a file may lack several.
    """
    keys = _keys(finding.field.segments) if finding.field else ()
    path = finding.location.path if finding.location else ""
    lines = finding.fix.separators if finding.fix else ()
    return (finding.code, finding.message, path, str(finding.resource), ".".join(keys), *map(str, lines))


def _without_object(finding: Located) -> Located:
    """Return the finding as one about its file: each overlay that has the file may rename the object."""
    return finding._replace(resource=None)


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
