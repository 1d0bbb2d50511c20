"""Write values of a cluster back into the source files that decide them, as far as that can be proved.

A value has one place if a manifest, a patch or a base of it writes the field. Its edit is kept if the build
afterwards has that value there, and nothing else in any overlay has changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple, TypeAlias

from renderer.app.comparison.rendered_sides import written_of
from renderer.app.comparison.side import Side
from renderer.app.project import Project
from renderer.app.public_diff import public_diff
from renderer.app.sparse_checkout import SparseCheckout, last_commit_if_sparse
from renderer.app.tried_edits import NO_FILES, Build, apply_fixes, builds, changed_fields, edit_lines
from renderer.app.usage_error import UsageError
from renderer.emit.edit_user_files import change_files, check_writable
from renderer.files.file_system import EditedFiles, FilesAsFirstRead
from renderer.findings.located import Located
from renderer.findings.run_findings import RunFindings
from renderer.kubevirt.facts.confidential.fields import is_about_secret
from renderer.kubevirt.guest_data.credential_fields import credential_fields
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Outcome, Severity
from renderer.model.difference import (
    WORK_TREE,
    ChangeType,
    Difference,
    FieldChange,
    NoValue,
    ResourceChange,
    Value,
)
from renderer.model.field_edit import SetField
from renderer.model.fix import Fix
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, object_at
from renderer.model.kube.list_elements import element_index, value_at
from renderer.model.kube.location import Location
from renderer.model.kube.res_id import ResId, namespaced_name
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.masking import MASK
from renderer.model.run.taint import taint, texts_of
from renderer.model.run.work import begin_findings, count_lines
from renderer.pipeline import Pipeline
from renderer.yamlio.encode import loss_in_output

_IMPORT_HINT = "vmrender import adds objects and fields that Git does not have"
_CONFIDENTIAL_HINT = "change it where it is encrypted, or in its store"
_PATCH_HINT = "write the value into a patch of this overlay"
_BY_HAND_HINT = "change it by hand"
_IN_CLUSTER_HINT = "change it in the cluster: kustomize cannot print this value"
_EXPLAIN_HINT = "vmrender explain shows what decides it; change it there"


#: A field of an object in an overlay.
_Place: TypeAlias = tuple[str, ResId, FieldPath]


class _Wanted(NamedTuple):
    """A field that gets the value of the cluster: ``edit`` has the place, or says why there is none."""

    overlay: str
    resource: ResId
    field: FieldChange
    edit: Located

    @property
    def place(self) -> _Place:
        return self.overlay, self.resource, self.field.field


class Accepted(NamedTuple):
    """The files with the values of a cluster, what was accepted, and what was not, with the reasons."""

    project: Project
    files: Mapping[str, bytes]
    accepted: tuple[Located, ...]
    refused: tuple[Located, ...]

    def diffs(self) -> Iterator[str]:
        """Yield a diff of each file, without values of Secrets."""
        begin_findings()
        for path, content in self.files.items():
            yield public_diff(path, self.project.fs.read(path), content)

    def lines(self) -> Iterator[str]:
        """Yield a line for each line of a file with an accepted value, for people."""
        yield from dict.fromkeys(
            f"{each.location}: {line}" for each in self.accepted for line in edit_lines(each)
        )

    def write(self) -> None:
        """Write all files, or none. Raises ``DiagnosticError``."""
        check_writable(self.project.root, self.files)
        before = {path: self.project.fs.read(path) for path in self.files}
        change_files(self.project.root, self.files, (), before)


def accept_values(project: Project, difference: Difference, names: Sequence[str]) -> Accepted:
    """Accept the values of the cluster for objects with these names: ``NAMESPACE/NAME``, with globs.

    Nothing is written. Raises ``UsageError`` for a name without an object that has drifted.
    """
    project = project._replace(fs=FilesAsFirstRead(project.fs))  # to refuse what others change meanwhile
    with last_commit_if_sparse(project) as commit:
        side = Side(WORK_TREE, project.fs, cluster=project.config.cluster).propose()
        sparse = SparseCheckout(commit.left_out, commit.side, side) if commit else None
        wanted = list(_wanted(side, difference, names))
        refused = [each.edit for each in wanted if each.edit.fix is None]
        accepted = [each for each in wanted if each.edit.fix is not None]
        before = builds(Pipeline(project.fs, side.config), side.overlays.values())
        files: Mapping[str, bytes] = NO_FILES
        kept: list[_Wanted] = []
        parts = [_by_line(accepted)]
        while parts:  # halves of what cannot be kept as a whole, down to single lines
            part = parts.pop()
            values = [each for line in part for each in line]
            tried, objection = _tried(side, project, sparse, before, [*kept, *values])
            if not objection:
                files, kept = tried, [*kept, *values]
            elif len(part) > 1:
                middle = len(part) // 2
                parts += [part[middle:], part[:middle]]
            else:
                refused += [
                    each.edit._replace(
                        message=f"{each.edit.message}: {objection}", hint=_PATCH_HINT, fix=None
                    )
                    for each in values
                ]
        return Accepted(project, files, tuple(each.edit for each in kept), tuple(refused))


def _wanted(side: Side, difference: Difference, names: Sequence[str]) -> Iterator[_Wanted]:
    unused = dict.fromkeys(names)
    findings = RunFindings(side.fs)
    for overlay in difference.overlays:
        chosen: list[ResourceChange] = []
        for change in overlay.changes:
            known = {
                namespaced_name(each.namespace, each.name) for each in (change.before, change.after) if each
            }
            matching = [pattern for pattern in names if any(fnmatchcase(name, pattern) for name in known)]
            if change.type is ChangeType.CHANGED and matching:
                chosen.append(change)
                for pattern in matching:
                    unused.pop(pattern, None)
        written = written_of(side.render(overlay.path)) if chosen else ()
        by_id = {each.current_id: each for each in written}
        for change in chosen:
            resource = by_id.get(change.after) if change.after else None
            for field in change.fields if resource else ():
                if resource is not None and not (field.inherited or field.reordered or field.read):
                    proposed = side.with_confidential(overlay.path, written, _proposed(resource, field))
                    count_lines("finding the lines to accept")
                    edit = findings.located(proposed, (overlay.path,))
                    if _is_withheld(field):  # perhaps only because of what the cluster has
                        taint(texts_of(value_at(resource.content, field.field.segments)))
                        edit = edit._replace(hides_line=True)
                    if edit.fix is None and field.kept:
                        continue  # a sync leaves it, and Git does not have it
                    if edit.fix is None and edit.hint is None and is_about_secret(proposed):
                        edit = edit._replace(
                            message=f"{edit.message} may be confidential", hint=_BY_HAND_HINT
                        )
                    elif edit.fix is None and edit.hint is None:
                        edit = edit._replace(
                            message=f"{edit.message}: no line of the sources has it alone", hint=_EXPLAIN_HINT
                        )
                    yield _Wanted(overlay.path, resource.current_id, field, edit)
    for name in unused:
        raise UsageError(f"--accept {name}: no object of this name has drifted, as NAMESPACE/NAME")


def _by_line(wanted: Iterable[_Wanted]) -> list[list[_Wanted]]:
    """Return the values by the line that gets them: overlays that share a line accept a value together."""
    lines: dict[tuple[Location | None, object], list[_Wanted]] = {}
    for each in wanted:
        lines.setdefault((each.edit.location, each.field.before), []).append(each)
    return list(lines.values())


def _proposed(resource: Resource, change: FieldChange) -> Diagnostic:
    """Return the finding whose fix writes the value of the cluster; without a fix, why nothing is written."""
    message = f"not accepted: {change.field}"
    value, hint = change.before, None
    if value is NoValue.WITHHELD or _is_withheld(change):
        message, hint = f"{message} is confidential", _CONFIDENTIAL_HINT
    elif value is NoValue.ABSENT:
        message, hint = f"{message} is only in Git", "remove it there"
    elif change.after is NoValue.ABSENT:
        message, hint = f"{message} is only in the cluster", _IMPORT_HINT
    elif isinstance(value, dict | list):
        message, hint = f"{message} is more than one value", _BY_HAND_HINT
    elif _is_credential(resource, change.field, value):
        message, hint = f"{message} has a credential", _CONFIDENTIAL_HINT
    elif isinstance(value, str | int | float) and (loss := loss_in_output(value)):
        message, hint = f"{message}: {loss}", _IN_CLUSTER_HINT
    elif isinstance(value, str | int | float):
        # The comparison has walked both objects, and withholds what is confidential in them.
        fix = Fix.of(resource, SetField(change.field, value))._replace(is_public=True)
        return Diagnostic.about(resource, change.field, Code.EDIT_REFUSED, message, fix=fix)
    return Diagnostic.about(resource, change.field, Code.EDIT_REFUSED, message, hint)


def _is_withheld(change: FieldChange) -> bool:
    """Return True if the comparison shows one of the values of a field only with a mask, or not at all."""
    is_masked = MASK in f"{change.field} {change.before}"
    return is_masked or NoValue.WITHHELD in (change.before, change.after)


def _is_credential(resource: Resource, field: FieldPath, value: Json) -> bool:
    """Return True if import would not write the value, because of it or of what is beside it."""
    last = field.segments[-1]
    around = value_at(resource.content, field.segments[:-1])
    if isinstance(around, list):
        index = element_index(around, last)
        edited: Json = [value if at == index else each for at, each in enumerate(around)]
        return any(path[1:2] == (index,) for path in credential_fields({"list": edited}))
    edited = {**object_at(around), str(last): value}
    return any(path[1:2] == (str(last),) for path in credential_fields({"mapping": edited}))


def _tried(
    side: Side,
    project: Project,
    sparse: SparseCheckout | None,
    before: Mapping[str, Build],
    wanted: Sequence[_Wanted],
) -> tuple[Mapping[str, bytes], str]:
    """Return the files with all the values, and why they cannot be kept; empty if they can."""
    applied, edited = apply_fixes(project, NO_FILES, [each.edit for each in wanted])
    if len(applied) < len(wanted):
        return NO_FILES, "its line cannot be changed by itself"
    for path in edited if sparse else ():
        if sparse and (reader := sparse.reader_of(path)):
            return NO_FILES, f"{reader} reads it too, and the sparse checkout leaves files of that out"
    after = builds(Pipeline(EditedFiles(edited, project.fs), side.config), side.overlays.values())
    changed: dict[_Place, Value] = {}
    for path, build in before.items():
        old, new = build.checked, after[path].checked
        if _errors(new) - _errors(old):
            return NO_FILES, f"{path} could not be built any more"
        for resource, field, value in changed_fields(old.value, new.value):
            changed[path, resource.current_id, field] = value
    expected = {each.place: each.field.before for each in wanted}
    for path, about, field in sorted(changed.keys() - expected.keys(), key=str):
        return NO_FILES, f"{about.gvk.kind} {about.name} in {path} would change as well, at {field}"
    return (edited, "") if changed == expected else (NO_FILES, "the build would have another value there")


def _errors(built: Outcome[ResourceSet]) -> set[tuple[Code, str]]:
    return {(each.code, each.message) for each in built.diagnostics if each.severity is Severity.ERROR}
