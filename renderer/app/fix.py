"""Apply the one right answer of each finding to the files of a project, as far as it can be proved.

Fixes are tried in memory. Those of one round are kept together if their findings are gone afterwards, no
other finding came, and what could be composed before still can be, and changes only where the findings say;
otherwise half of them is tried, down to a single one. What one round leaves or uncovers, the next one fixes.
A finding that names no object, such as a file that is not listed, may change any of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, TypeAlias

from renderer.app.project import Project
from renderer.app.tried_edits import NO_FILES, Build, apply_fixes, builds, changed_fields
from renderer.app.validate import as_rendered, validate_in, validate_overlays_in
from renderer.app.validation_run import ValidationRun
from renderer.files.file_system import EditedFiles, FilesAsFirstRead
from renderer.findings.located import Located
from renderer.findings.run_findings import RunFindings
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError, Severity
from renderer.model.field_edit import AddField, MoveField, RenameField, edited_place
from renderer.model.kube.resource import Resource
from renderer.model.release import Release
from renderer.model.render_config import PROJECT_FILE
from renderer.model.run.work import begin_findings
from renderer.project.overlays import overlay_at

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


class _Judged:
    """The files of a round, the findings about them, and the run that found these."""

    def __init__(
        self,
        files: Mapping[str, bytes],
        findings: tuple[Located, ...],
        overlays: tuple[str, ...] = (),
        run: ValidationRun | None = None,
    ) -> None:
        self.files = files
        self.findings = findings
        self._run = run
        self._overlays = overlays

    @cached_property
    def builds(self) -> Mapping[str, Build]:
        """The builds of the overlays, by path; they are made only if there is a fix to prove."""
        if self._run is None:
            return {}
        listed = {each.path: each for each in self._run.found.overlays}
        judged = (listed.get(path) or overlay_at(self._run.config, (), path) for path in self._overlays)
        return builds(self._run.pipeline, [each.with_target(self._run.kubevirt, None) for each in judged])


def fix_project(project: Project, request: FixRequest, files: Mapping[str, bytes] = NO_FILES) -> FixedProject:
    """Return the project with its fixes, in memory; ``files`` have other content already.

    Raises ``UsageError`` for an unknown path or overlay.
    """
    project = project._replace(fs=FilesAsFirstRead(project.fs))  # to refuse what others change meanwhile
    project = project.proposed() if request.overlays else as_rendered(project, request.paths)
    judged = _judge(project, files, request)
    fixed: list[Located] = []
    unfixed: list[Unfixed] = []
    done: set[tuple[str, ...]] = set()
    while wanted := [
        each
        for each in judged.findings
        if each.fix
        and (not request.codes or each.code in request.codes)
        and each.code not in request.others
        and _key(each) not in done
    ]:
        # What names no object may change any of them, so nothing would be proved about others beside it.
        part = [each for each in wanted if each.resource is None] or wanted
        while True:
            applied, edited = apply_fixes(project, judged.files, part)
            after = _judge(project, edited, request) if applied else judged
            objection = (
                _objection(judged, after, applied) if applied else "its line cannot be changed by itself"
            )
            if not objection or len(part) == 1:
                break
            part = part[: len(part) // 2]
        if objection:
            unfixed.append(Unfixed(part[0], objection))
            done.add(_key(part[0]))
        else:
            fixed += applied
            done |= {_key(each) for each in applied}
            judged = after
    return FixedProject(project, judged.files, tuple(fixed), tuple(unfixed), judged.findings)


def _judge(project: Project, files: Mapping[str, bytes], request: FixRequest) -> _Judged:
    """Return the findings about the project with ``files`` in it."""
    begin_findings()
    fs = EditedFiles(files, project.fs)
    try:
        edited = project._replace(fs=fs)
        if fs.is_file(PROJECT_FILE):
            edited = Project.read(project.root, project.environment, fs)
        edited = edited.of_cluster(project.config.cluster) if project.config.cluster else edited
    except DiagnosticError as error:
        findings = RunFindings(fs)
        findings.add(error.diagnostics)
        return _Judged(files, findings.found())
    run = ValidationRun(edited, request.kubevirt)
    if request.overlays:
        result = validate_overlays_in(run, request.overlays)
    else:
        result = validate_in(run, request.paths)
    return _Judged(files, result.findings, result.overlays, run)


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
    """Return the first change of what is built that no finding names; a build that fails is one."""
    may_change_any = any(each.resource is None for each in fixed)
    named = [(each, keys) for each in fixed for keys in _named_by(each)]
    for path, old in before.builds.items():
        new = after.builds.get(path)
        if old.applied.failed or new is None:
            continue
        if new.applied.failed:
            return f"{path} could not be built any more"
        if may_change_any:
            continue
        is_checked = not old.checked.failed and not new.checked.failed
        values = (each.checked.value if is_checked else each.applied.value for each in (old, new))
        for resource, changed, _ in changed_fields(*values):
            keys = _keys(changed.segments)
            if not any(
                (keys[: len(name)] == name or name[: len(keys)] == keys)
                and _is_about(finding, resource, path)
                for finding, name in named
            ):
                field = str(changed) or "the object"
                return f"{resource.kind} {resource.name} in {path} would change at {field}"
    return ""


def _is_about(finding: Located, resource: Resource, overlay: str) -> bool:
    """Return True if a finding is about the resource, whose namespace and name the overlay may have set.

    A finding about several objects of the same text names one; the others are in its overlays.
    """
    about = finding.resource
    if about is None or resource.kind != about.gvk.kind:
        return False
    names = (resource.name, *(each.name for each in resource.previous_ids))
    return about.name in names or (finding.other_objects > 0 and overlay in finding.overlays)


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


def _key(finding: Located) -> tuple[str, ...]:
    """Return the key of a finding before and after an edit, without lines and indices, which move.

    The lines of missing separators are kept, as a file may lack several.
    """
    keys = _keys(finding.field.segments) if finding.field else ()
    path = finding.location.path if finding.location else ""
    lines = finding.fix.separators if finding.fix else ()
    return (finding.code, finding.message, path, str(finding.resource), ".".join(keys), *map(str, lines))


def _without_object(finding: Located) -> Located:
    """Return the finding as one about its file: each overlay that has the file may rename the object."""
    return finding._replace(resource=None)
