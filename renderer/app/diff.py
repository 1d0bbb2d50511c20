"""Compare the rendered overlays of two revisions, or of a revision and the work tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from renderer.app.applied_sides import EngineRules, as_applied, engine_rules, overdue
from renderer.app.deployer_changes import DeployerChanges
from renderer.app.diff_ignores import Ignores, rules_not_evaluated, without_unsynced
from renderer.app.diff_readers import ReadersElsewhere
from renderer.app.diff_side import RenderedSide, Side
from renderer.app.project import Project, chosen_overlays
from renderer.app.reporter import Reporter, Stopwatch
from renderer.app.revision_range import SHORT, revision_range
from renderer.app.stalled import has_refusals, with_stalled_syncs
from renderer.app.target_remarks import remarks_on_targets
from renderer.diff.compare import compare_overlay
from renderer.diff.equal_changes import EqualChanges
from renderer.diff.moved import without_moved
from renderer.diff.shown_names import with_shown_names
from renderer.diff.vm_change import VmChangeOf, change_as_written
from renderer.files.builtin_catalogs import BuiltinFileSystem
from renderer.files.file_system import EditedFiles, FileSystem, MemoryFileSystem
from renderer.files.git_repository import GitFileSystem, GitRepository
from renderer.findings.located import Located, LocatedError
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.difference import CommitDifference, Difference, OverlayDifference
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.plural import listed
from renderer.model.release import Release
from renderer.model.render_config import PROJECT_FILE, Overlay
from renderer.model.run.work import in_turn
from renderer.pipeline.vm_changes import VmChanges
from renderer.project.overlays import FoundOverlays, is_named
from renderer.report.diff_words import qualified_name

if TYPE_CHECKING:
    from renderer.app.diff_causes import Causes

_WORK_TREE = "work tree"
#: By these, a project knows its own repository among those that Flux and Argo CD name.
_CLONE_FILES = (".git/config", ".git/HEAD")
#: The objects that are named of those that an engine begins to apply.
_MOST_NAMES = 5


class Comparison(NamedTuple):
    """The difference between two sides, and the errors of each.

    ``before`` has the errors that keep overlays of the first side from being rendered, ``former`` the errors
    of single objects there, and ``after`` all errors of the second side.
    """

    difference: Difference
    before: tuple[Located, ...]
    after: tuple[Located, ...]
    former: tuple[Located, ...] = ()

    @property
    def new_errors(self) -> tuple[Located, ...]:
        """The errors of the side after, without those that an object had before."""
        former = {_identity(each) for each in self.former}
        return tuple(each for each in self.after if _identity(each) not in former)

    def _repr_html_(self) -> str:
        """Return the tables that a notebook shows."""
        from renderer.report.notebook import difference_tables  # noqa: PLC0415 - only notebooks need HTML

        return difference_tables(self.difference)


def _identity(finding: Located) -> tuple[object, ...]:
    """Return what identifies an error in both revisions: everything but its line."""
    return (
        *(finding.code, finding.severity, finding.message, finding.resource, finding.field),
        *(finding.overlays, finding.other_objects),
    )


def compare_revisions(  # noqa: PLR0913 - one for each option of the command
    project: Project,
    revisions: Sequence[str],
    overlays: Iterable[str],
    reporter: Reporter,
    *,
    each: bool = False,
    ignore: Iterable[str] = (),
    kubevirt: Release | None = None,
) -> Comparison:
    """Compare two revisions, a revision with the work tree, or HEAD with the work tree.

    ``revisions`` are as typed after ``vmrender diff``. Each side is rendered in memory with its own
    ``vmrender.yaml``. ``overlays`` are names or paths; without any, all are compared. With ``each``, every
    commit between the sides is also compared with the first side. ``ignore`` are rules of what to leave out,
    in addition to the rules of the first side, so that a change cannot hide itself. ``kubevirt`` is the
    target release of the second side. Raises ``UsageError`` for more than two revisions, and
    ``DiagnosticError``: revision-unknown, git-unavailable, and any error that makes a project unusable.
    """
    with project.git() as git:
        try:
            before, after = _sides(project, git, revisions)
        except DiagnosticError as error:
            raise _with_overlay_hint(error, project, revisions) from error
        if kubevirt is not None:
            after.for_release(kubevirt)
        if not before.fs.is_file(PROJECT_FILE) and after.fs.is_file(PROJECT_FILE):
            reporter.note(
                f"{before.name} has no {PROJECT_FILE}: it is read with the defaults, overlays/*, "
                f"and what else {after.name} renders counts as added"
            )
        commits = _commits_between(git, before, after) if each else ()
        if not any(side.fs.is_file(PROJECT_FILE) for side in (before, after)):
            for side in (before, after, *(commit.side for commit in commits if commit.side)):
                side.propose()
        ignores = Ignores(ignore, before.config)
        from renderer.app.diff_causes import Causes  # noqa: PLC0415 - not for a cluster, nor for the library

        found = compare_projects(before, after, overlays, reporter, commits, Causes(before, after))
        return found._replace(difference=ignores.without_ignored(found.difference))


def _with_overlay_hint(error: DiagnosticError, project: Project, revisions: Iterable[str]) -> DiagnosticError:
    """Return the error about a revision; one that has the name of an overlay may be meant so."""
    if all(found.code is not Code.GIT_REVISION for found in error.diagnostics):
        return error
    overlays = project.proposed().look_up_overlays().overlays
    for revision in revisions:
        if any(is_named(overlay, revision) for overlay in overlays):
            hint = f"there is an overlay of that name: vmrender diff --overlay {revision}"
            return DiagnosticError(*(found._replace(hint=hint) for found in error.diagnostics))
    return error


def _sides(project: Project, git: GitRepository, revisions: Sequence[str]) -> tuple[Side, Side]:
    """Return the two sides. Raises as ``revision_range``, and ``DiagnosticError`` for an unknown revision."""
    cluster, found = project.config.cluster, revision_range(git, revisions)
    before = side_at(git, found.before, project.fs, found.base, cluster)
    if found.after is None:
        return before, _work_tree(project, git)
    return before, side_at(git, found.after, project.fs, cluster=cluster)


def _work_tree(project: Project, git: GitRepository) -> Side:
    """Raise ``DiagnosticError`` for a bare repository, which has no work tree."""
    if git.is_bare:
        message = f"{project.root} is a bare repository, which has no work tree to compare"
        hint = "name two revisions: vmrender diff A B"
        raise Diagnostic(Code.GIT_UNAVAILABLE, message, hint=hint).error()
    return Side(_WORK_TREE, project.fs, cluster=project.config.cluster)


def side_at(git: GitRepository, revision: str, clone: FileSystem, name: str = "", cluster: str = "") -> Side:
    """Return the project at a revision. Raises ``DiagnosticError`` for an unknown one.

    What ``.git`` in ``clone`` says of the repository, its remotes and its branch, is true of each revision.
    """
    git.commit(revision)
    label = revision[:SHORT] if name else revision
    known = {path: clone.read(path) for path in _CLONE_FILES if clone.is_file(path)}
    tree = _tree_at(git, revision)
    files = BuiltinFileSystem(EditedFiles(known, tree or MemoryFileSystem({})))
    return Side(name or revision, files, label, cluster, tree)


def _tree_at(git: GitRepository, revision: str) -> GitFileSystem | None:
    """Return the files of the project at a revision; None if its folder did not exist then."""
    try:
        return git.tree(revision)
    except DiagnosticError as error:
        if any(found.code is not Code.FILE_NOT_FOUND for found in error.diagnostics):
            raise
        return None


class Commit(NamedTuple):
    """A commit between the two sides; its ``side`` is None if its project cannot be used."""

    name: str
    subject: str
    side: Side | None


def _commits_between(git: GitRepository, before: Side, after: Side) -> tuple[Commit, ...]:
    """Return the commits after the first side, oldest first.

    Unless the second side is the work tree, the last commit is the second side itself and is left out.
    """
    found = git.commits_between(before.revision, after.revision or "HEAD")
    if after.revision:
        found = found[:-1]
    return tuple(Commit(oid[:SHORT], subject, _usable_side(git, oid, before.fs)) for oid, subject in found)


def _usable_side(git: GitRepository, commit: str, clone: FileSystem) -> Side | None:
    try:
        return side_at(git, commit, clone, commit[:SHORT])
    except (DiagnosticError, LocatedError):
        return None


def compare_projects(  # noqa: PLR0913, PLR0917 - the two sides, and two things that most callers leave out
    before: Side,
    after: Side,
    wanted: Iterable[str],
    reporter: Reporter,
    commits: Sequence[Commit] = (),
    causes: Causes | None = None,
) -> Comparison:
    """Compare the overlays of two sides; also compare ``commits`` with the first side.

    ``causes`` finds the places in the sources that changed what differs.

    Raises ``UsageError`` for an unknown overlay, and ``DiagnosticError`` if there is none.
    """
    compared: list[OverlayDifference] = []
    at_commits: list[list[OverlayDifference]] = [[] for _ in commits]
    manifests: dict[str, Mapping[ResId, Resource]] = {}  # of overlays with a refused change
    deployers = DeployerChanges(before, after)
    readers = ReadersElsewhere()
    errors_before, errors_after = before.run_findings(), after.run_findings()
    former = before.run_findings()
    equal_changes = EqualChanges()
    removed = (overlay for path, overlay in before.overlays.items() if path not in after.overlays)
    wanted = tuple(wanted)
    every = (*after.overlays.values(), *removed)
    either = FoundOverlays(every, after.found.findings, cluster=after.found.cluster)
    selected = chosen_overlays(either, wanted)
    if not wanted:
        errors_before.add(before.found.errors)
        errors_after.add(after.found.errors)
    for number, overlay in enumerate(in_turn(selected), start=1):
        path, name, stopwatch = overlay.path, overlay.name, Stopwatch()
        with reporter.doing(f"rendering both sides of {path} ({number} of {len(selected)})"):
            sides = before.render(path, overlay.listed_as), after.render(path, overlay.listed_as)
        rendering = stopwatch.lap()
        if sides[0]:  # ignore refusals of intermediate states
            (errors_before if sides[0].content is None else former).add(sides[0].errors, path)
        if sides[1]:
            errors_after.add(sides[1].errors, path)
            errors_after.add(remarks_on_targets([after.overlays[path]] if path in after.overlays else []))
        with reporter.doing(f"comparing {path} ({number} of {len(selected)})"):
            between: list[RenderedSide] = []
            for commit, found in zip(commits, at_commits, strict=True):
                if commit.side is None:
                    release = sides[0].content.release if sides[0] and sides[0].content else None
                    lost = f"{commit.name} cannot be read"
                    found.append(OverlayDifference(path, name, (release, None), incomparable=lost))
                    continue
                rendered = commit.side.render(path, overlay.listed_as)
                pair = before, commit.side
                found.append(compare_sides(pair, (sides[0], rendered), path, name, between))
                between += [rendered] if rendered is not None and rendered.content is not None else []
            engine = _engine_of(before, after, overlay) if overlay.entry else EngineRules()
            applied, ignored = as_applied(*sides, engine)
            rendered_here = sides[0], applied
            found_here = compare_sides((before, after), rendered_here, path, name, between, equal_changes)
            if overlay.entry is None and has_refusals(found_here):
                engine = _engine_of(before, after, overlay)
                applied, ignored = as_applied(*sides, engine)
                if applied is not sides[1]:
                    found_here = compare_sides((before, after), (sides[0], applied), path, name, between)
            found_here = without_unsynced(found_here, engine, sides)
            unclear = rules_not_evaluated(engine, found_here.changes)
            found_here = found_here._replace(ignored=(*ignored, *found_here.ignored, *unclear))
            found_here = _with_overdue(found_here, sides, engine)
            if causes is not None:
                found_here = causes.as_written(found_here, sides)
            compared.append(found_here._replace(cluster=overlay.cluster))
            readers.add(overlay, applied)
            deployers.add(overlay, sides)
            if has_refusals(found_here):
                contents = (side.content for side in sides if side is not None)
                written = (each for content in contents if content for each in content.written)
                manifests[path] = {each.current_id: each for each in written}
        reporter.detail(f"{path}: both sides rendered in {rendering}, compared in {stopwatch.lap()}")
    steps = tuple(
        CommitDifference(commit.name, commit.subject, with_shown_names(without_moved(found)))
        for commit, found in zip(commits, at_commits, strict=True)
    )
    differences = tuple(
        with_stalled_syncs(each, after.overlays.get(each.path), after.deployers, manifests[each.path])
        if each.path in manifests
        else each
        for each in deployers.added_to(readers.added_to(without_moved(compared)), causes)
    )
    if causes is not None:
        with reporter.doing("looking for the causes of the differences"):
            differences = causes.traced(differences)
    difference = Difference(before.name, after.name, with_shown_names(differences), steps)
    return Comparison(
        difference,
        before.labelled(errors_before.found()),
        after.labelled(errors_after.found()),
        tuple(former.found()),
    )


def _engine_of(before: Side, after: Side, overlay: Overlay) -> EngineRules:
    former = before.overlays.get(overlay.path)
    return engine_rules(after.deployer_of(overlay), before.deployer_of(former) if former else None)


def _with_overdue(
    difference: OverlayDifference, sides: tuple[RenderedSide | None, RenderedSide | None], engine: EngineRules
) -> OverlayDifference:
    """Return a difference that is not complete if the engine applies more than changes between its sides."""
    objects: dict[str, dict[str, None]] = {}
    for reason, id_ in overdue(*sides, engine):
        objects.setdefault(reason, {})[f"{id_.gvk.kind} {qualified_name(id_)}"] = None
    lost = [
        f"earlier changes of {listed([*names], _MOST_NAMES)} arrive now: {reason} kept them from the cluster"
        for reason, names in objects.items()
    ]
    return difference._replace(incomparable="; ".join(filter(None, (difference.incomparable, *lost))))


def compare_sides(  # noqa: PLR0913, PLR0917 - an overlay on two sides, and two that most callers leave out
    sides: tuple[Side, Side],
    rendered: tuple[RenderedSide | None, RenderedSide | None],
    path: str,
    name: str,
    between: Sequence[RenderedSide] = (),
    equal_changes: EqualChanges | None = None,
) -> OverlayDifference:
    """Return the difference of an overlay that exists on at least one side.

    ``between`` has the states of the overlay since its VMs were started from the first side, oldest first.
    ``equal_changes`` holds the judgements of the overlays compared so far.
    """
    failed = [
        content.unknown or f"it cannot be rendered in {side.name}"
        for side, content in zip(sides, rendered, strict=True)
        if content is not None and content.content is None
    ]
    if failed:
        releases = tuple(side.overlays[path].kubevirt if path in side.overlays else None for side in sides)
        return OverlayDifference(path, name, (releases[0], releases[1]), incomparable="; ".join(failed))
    before, after = (content.content if content is not None else None for content in rendered)
    return compare_overlay(
        path,
        name,
        before,
        after,
        _vm_change_of(*rendered, between),
        accumulated=bool(between),
        equal_changes=equal_changes,
    )


def _vm_change_of(
    before: RenderedSide | None, after: RenderedSide | None, between: Sequence[RenderedSide]
) -> VmChangeOf:
    if before is None or after is None or before.state is None or after.state is None:
        return change_as_written
    assert before.content is not None  # noqa: S101 - it has a state
    assert after.content is not None  # noqa: S101 - as above
    states = [each.state for each in between if each.state is not None]
    return VmChanges(before.state, after.state, after.content.release, states, before.content.release)
