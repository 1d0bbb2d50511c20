"""Validate files: through the overlays built from them, or alone if no kustomization lists them."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import reduce
from pathlib import Path

from renderer.app.lone_file_checks import LoneFileChecks
from renderer.app.output_checks import output_errors, place_errors
from renderer.app.project import Project, ProjectOpener, chosen_overlays, no_note
from renderer.app.several_projects import (
    WHOLE_PROJECT,
    each_project,
    merge_findings,
    path_in_common_folder,
    project_folders,
)
from renderer.app.target_remarks import remarks_on_installed_release
from renderer.app.usage_error import UsageError
from renderer.app.validation_run import ValidationRun, may_be_caused_by
from renderer.checks.schemas.kubevirt_kinds import OPERATOR_GROUPS
from renderer.files.file_system import STANDARD_INPUT, FileSystem, folder_of
from renderer.findings.levels import with_levels
from renderer.findings.located import Located, Unshown
from renderer.findings.run_findings import FindingFilter, RunFindings
from renderer.findings.shared_targets import SharedTargets
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.record import Record
from renderer.model.release import Release
from renderer.model.render_config import PROJECT_FILE, Overlay
from renderer.model.run.work import in_turn
from renderer.project.project import unread_project_files

_NO_COUNTS: Mapping[str, int] = {}
_ALL_FINDINGS = FindingFilter()


class ValidationResult(Record):
    """The findings, and what was validated: overlays by path, and files that were checked alone.

    ``fs`` has the files at the paths of the findings. ``unchecked`` counts objects without a schema, by kind.
    ``unbuilt`` counts overlays that could not be built. ``unshown`` counts findings that were not kept.
    ``catalogs`` counts the catalogs of the project among the ``overlays``.
    """

    fs: FileSystem
    findings: tuple[Located, ...]
    overlays: tuple[str, ...]
    files: tuple[str, ...]
    unchecked: Mapping[str, int] = _NO_COUNTS
    unbuilt: int = 0
    unshown: Unshown = Unshown()
    catalogs: int = 0


def validate_paths(
    open_project: ProjectOpener,
    paths: tuple[Path, ...],
    kubevirt: Release | None,
    chosen: FindingFilter = _ALL_FINDINGS,
    note: Callable[[str], None] = no_note,
) -> ValidationResult:
    """Validate files and folders of one or more projects; without paths, the project here.

    ``kubevirt`` overrides the target releases of the projects. ``note`` gets lines about what is validated
    of a whole project without a project file. Raises ``DiagnosticError`` if the overlays of a project cannot
    be found.
    """
    projects: list[Project] = []
    results: list[ValidationResult] = []
    for project, relative in each_project(open_project, paths):
        projects.append(project)
        results.append(validate(project, relative, kubevirt, chosen, note))
    if len(results) == 1:
        return results[0]
    fs, findings = merge_findings(
        [(each, found.findings) for each, found in zip(projects, results, strict=True)]
    )
    overlays: list[str] = []
    files: list[str] = []
    unchecked: Counter[str] = Counter()
    for folder, result in zip(project_folders(projects), results, strict=True):
        overlays += (path_in_common_folder(folder, path) for path in result.overlays)
        files += (path_in_common_folder(folder, path) for path in result.files)
        unchecked.update(result.unchecked)
    unbuilt = sum(result.unbuilt for result in results)
    unshown = reduce(Unshown.plus, (result.unshown for result in results))
    catalogs = sum(result.catalogs for result in results)
    return ValidationResult(
        fs, findings, tuple(overlays), tuple(files), unchecked, unbuilt, unshown, catalogs
    )


def validate(
    project: Project,
    paths: Iterable[str],
    kubevirt: Release | None = None,
    chosen: FindingFilter = _ALL_FINDINGS,
    note: Callable[[str], None] = no_note,
) -> ValidationResult:
    """Validate the files at ``paths`` (relative to the project) and in folders among them.

    ``note`` gets lines as for ``validate_paths``. Raises ``UsageError`` if a path does not exist, and
    ``DiagnosticError`` if the overlays of the project cannot be found.
    """
    paths = tuple(paths)
    project = as_rendered(project, paths, note)
    return validate_in(ValidationRun(project.under(strict=chosen.strict), kubevirt), paths, chosen)


def as_rendered(project: Project, paths: Collection[str], note: Callable[[str], None] = no_note) -> Project:
    """Return the project to validate ``paths`` in; without a project file, the one that is rendered.

    A folder that is not a repository may have anything in it: it is not searched for the overlays of the
    files that are named in it. Text without a path is in no overlay.
    """
    if WHOLE_PROJECT in paths:
        return project.proposed(note)
    is_searched = {*paths} != {STANDARD_INPUT} and ".git" in project.fs.list(".")
    return project.proposed() if is_searched else project


def validate_in(
    run: ValidationRun, paths: Iterable[str], chosen: FindingFilter = _ALL_FINDINGS
) -> ValidationResult:
    """Validate files as ``validate`` does, in a run whose builds the caller needs, too."""
    paths = tuple(paths)
    files = tuple(dict.fromkeys(file for path in paths for file in _manifests_at(run, path)))
    scope = run.scopes.scope_of(files)
    unlisted = [overlay for overlay in scope.unlisted if _mentions_kubevirt(run, overlay.path)]
    about = None if WHOLE_PROJECT in paths else scope.files
    lone = LoneFileChecks(run)
    findings = RunFindings(run.fs, chosen)
    findings.add(with_levels(tuple(_entry_findings(run, paths, scope.files)), run.config.rules))
    if run.kubevirt is None:
        named = (PROJECT_FILE,) if WHOLE_PROJECT in paths else files
        findings.add(remarks_on_installed_release(run.fs, run.config, run.found, named))
    chosen_here = frozenset(overlay.path for overlay in run.found.chosen)
    in_scope = tuple(overlay for overlay in scope.overlays if overlay.path in chosen_here)
    targets = SharedTargets[Diagnostic]()
    for overlay in in_turn(in_scope):
        found = _build_findings(run, overlay, about, is_rendered=True)
        findings.add(targets.postpone(overlay.path, found), overlay.path)
    written = run.found.chosen if WHOLE_PROJECT in paths else in_scope
    for path, errors in _tree_errors(run, written):
        findings.add(errors, path)
    for overlay in in_turn(unlisted):
        findings.add(targets.postpone(overlay.path, _unlisted_findings(run, overlay, about)), overlay.path)
    _add_unmatched(targets, run, unlisted, findings)
    for folder in scope.parts:
        findings.add(_unused_findings(run, folder))
    for file in scope.alone:
        findings.add(lone.findings(file))
    catalogs = {posixpath.normpath(each) for each in run.config.catalog_folders()}
    built = {posixpath.normpath(overlay.path) for overlay in unlisted if overlay.path not in run.unbuilt}
    return ValidationResult(
        run.fs,
        findings.found(),
        tuple(overlay.path for overlay in (*in_scope, *unlisted)),
        tuple(lone.checked),
        run.pipeline.unchecked,
        len(run.unbuilt),
        findings.unshown,
        len(built & catalogs),
    )


def validate_overlays(
    project: Project,
    names: Iterable[str],
    kubevirt: Release | None = None,
    chosen: FindingFilter = _ALL_FINDINGS,
    note: Callable[[str], None] = no_note,
) -> ValidationResult:
    """Validate the overlays that ``names`` name, with everything that they are built from.

    Raises ``UsageError`` for an unknown overlay, and ``DiagnosticError`` if it may be one of an entry that
    cannot be read.
    """
    project = project.proposed(note)
    return validate_overlays_in(ValidationRun(project.under(strict=chosen.strict), kubevirt), names, chosen)


def validate_overlays_in(
    run: ValidationRun, names: Iterable[str], chosen: FindingFilter = _ALL_FINDINGS
) -> ValidationResult:
    """Validate overlays as ``validate_overlays`` does, in a run whose builds the caller needs, too."""
    findings = RunFindings(run.fs, chosen)
    selected = chosen_overlays(run.found, names)
    targets = SharedTargets[Diagnostic]()
    for overlay in in_turn(selected):
        found = _build_findings(run, overlay, None, is_rendered=True)
        findings.add(targets.postpone(overlay.path, found), overlay.path)
    _add_unmatched(targets, run, (), findings)
    for path, errors in _tree_errors(run, selected):
        findings.add(errors, path)
    return ValidationResult(
        run.fs,
        findings.found(),
        tuple(overlay.path for overlay in selected),
        (),
        run.pipeline.unchecked,
        len(run.unbuilt),
        findings.unshown,
    )


def _manifests_at(run: ValidationRun, path: str) -> Iterator[str]:
    """Yield the manifests at ``path``. Raises ``UsageError`` if it does not exist."""
    manifests = run.manifests
    if path == STANDARD_INPUT:
        yield path
    elif run.fs.is_folder(path):
        yield from manifests.below(path)
    elif manifests.is_candidate(path) and not manifests.is_rendered(folder_of(path)):
        yield path
    elif not run.fs.is_file(path) and posixpath.basename(path) not in run.fs.list(folder_of(path)):
        # A path that its folder lists may be a pipe, which is skipped, not waited for.
        raise UsageError(f"there is no file or folder {path!r} in {run.root}")


def _entry_findings(
    run: ValidationRun, paths: Collection[str], files: Collection[str]
) -> Iterator[Diagnostic]:
    """Yield the findings about entries whose overlays cannot be found, if they may be about ``files``."""
    for unread in unread_project_files(run.fs):
        if WHOLE_PROJECT in paths or (unread.location and unread.location.path in files):
            yield unread
    for _, found in run.found.findings:
        if WHOLE_PROJECT in paths or any(site.path in files for site in found.sites):
            yield found


def _build_findings(
    run: ValidationRun, overlay: Overlay, files: frozenset[str] | None, *, is_rendered: bool = False
) -> tuple[Diagnostic, ...]:
    """Return the findings of a build that are about the files; all findings if it fails or without files."""
    check = run.check_tree if is_rendered else run.check
    composed = run.pipeline.compose_overlay(overlay)
    if composed.failed:
        run.unbuilt.add(overlay.path)
    found = with_levels(composed.diagnostics, overlay.rules) if composed.failed else check(overlay, composed)
    if composed.failed or files is None:
        return found
    return tuple(each for each in found if may_be_caused_by(each, files))


def _add_unmatched(
    targets: SharedTargets[Diagnostic], run: ValidationRun, others: Iterable[Overlay], findings: RunFindings
) -> None:
    """Add the findings about targets of patches that select nothing in any overlay of the project.

    ``others`` are overlays that were built, and that the project does not list.
    """
    for path, found in targets.unmatched((*run.found.overlays, *others), run.graph):
        findings.add((found,), path)


def _tree_errors(
    run: ValidationRun, overlays: Collection[Overlay]
) -> Iterator[tuple[str, tuple[Diagnostic, ...]]]:
    """Yield the errors about the outputs of overlays, each after the path of its overlay."""
    every = run.found.overlays
    folders = run.graph.reached(overlay.path for overlay in (*overlays, *every))
    overlapping = output_errors(run.project, overlays, every, run.graph, folders)
    for overlay in overlays:
        yield overlay.path, (*place_errors(run.project, overlay), *overlapping.get(overlay.output, ()))


def _mentions_kubevirt(run: ValidationRun, folder: str) -> bool:
    """Return True if a file of the kustomization mentions KubeVirt; in most, none does."""
    return any(run.lone_files.mentioned_groups(file) - OPERATOR_GROUPS for file in run.graph.files(folder))


def _unlisted_findings(
    run: ValidationRun, overlay: Overlay, files: frozenset[str] | None
) -> Iterator[Diagnostic]:
    """Yield the findings of a kustomization that is never rendered; failing to build it is not an error.

    Nor is an instance type or preference that another file of the repository has: nobody knows the cluster.
    """
    excused = tuple(
        _excuse_defined(_excuse_unsupported(found, overlay.path))
        for found in _build_findings(run, overlay, files)
    )
    yield from with_levels(excused, run.config.rules)


def _unused_findings(run: ValidationRun, folder: str) -> Iterator[Diagnostic]:
    """Yield the findings of a kustomization that no build uses, such as an unused component."""
    if _mentions_kubevirt(run, folder):
        excused = tuple(_excuse_unsupported(found, folder) for found in run.pipeline.read(folder))
        yield from with_levels(excused, run.config.rules)


def _excuse_defined(found: Diagnostic) -> Diagnostic:
    if found.code not in (Code.INSTANCETYPE_NOT_FOUND, Code.PREFERENCE_NOT_FOUND):
        return found
    # The objects that it names are those that the repository defines, and the label that named a missing one.
    is_defined = any(found.message.startswith(f"there is no {each.message}") for each in found.related)
    return found._replace(severity=Severity.WARNING) if is_defined else found


def _excuse_unsupported(found: Diagnostic, folder: str) -> Diagnostic:
    if found.code is not Code.UNSUPPORTED_FIELD:
        return found
    message = f"{found.message}: {folder} is not checked"
    return found._replace(code=Code.NOT_CHECKED, severity=Severity.WARNING, message=message)
