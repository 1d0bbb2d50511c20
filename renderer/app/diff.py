"""Compare the rendered overlays of two revisions, or of a revision and the work tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from renderer.app.compared_overlay import compare_as_applied, compare_sides
from renderer.app.deployer_changes import DeployerChanges
from renderer.app.diff_ignores import Ignores
from renderer.app.diff_readers import ReadersElsewhere
from renderer.app.diff_revisions import Commit, commits_between, sides_of, with_overlay_hint
from renderer.app.diff_side import RenderedSide, Side
from renderer.app.moving_machines import MovingMachines
from renderer.app.project import Project, chosen_overlays
from renderer.app.reporter import Reporter, Stopwatch
from renderer.app.sparse_checkout import SparseCheckout
from renderer.app.stalled import has_refusals, with_stalled_syncs
from renderer.app.target_remarks import remarks_on_targets
from renderer.diff.equal_changes import EqualChanges
from renderer.diff.masking import with_shown_names
from renderer.diff.moved import without_moved
from renderer.findings.located import Located
from renderer.model.diagnostic import DiagnosticError
from renderer.model.difference import CommitDifference, Difference, OverlayDifference
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.release import Release
from renderer.model.render_config import PROJECT_FILE
from renderer.model.run.work import in_turn
from renderer.project.overlays import FoundOverlays

if TYPE_CHECKING:
    from renderer.app.diff_causes import Causes


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
    """Return the key of an error in both revisions: all of it except its line."""
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
            before, after = sides_of(project, git, revisions)
        except DiagnosticError as error:
            raise with_overlay_hint(error, project, revisions) from error
        if kubevirt is not None:
            after.for_release(kubevirt)
        if not before.fs.is_file(PROJECT_FILE) and after.fs.is_file(PROJECT_FILE):
            reporter.note(
                f"{before.name} has no {PROJECT_FILE}: it is read with the defaults, overlays/*, "
                f"and what else {after.name} renders counts as added"
            )
        commits = commits_between(git, before, after) if each else ()
        if not any(side.fs.is_file(PROJECT_FILE) for side in (before, after)):
            for side in (before, after, *(commit.side for commit in commits if commit.side)):
                side.propose()
        ignores = Ignores(ignore, before.config)
        from renderer.app.diff_causes import Causes  # noqa: PLC0415 - not for a cluster, nor for the library

        left_out = git.left_out() if not after.revision else frozenset[str]()
        sparse = SparseCheckout(left_out, before, after)
        found = compare_projects(before, after, overlays, reporter, commits, Causes(before, after), sparse)
        return found._replace(difference=ignores.without_ignored(found.difference))


def compare_projects(  # noqa: PLR0913, PLR0917 - the two sides, and two things that most callers leave out
    before: Side,
    after: Side,
    wanted: Iterable[str],
    reporter: Reporter,
    commits: Sequence[Commit] = (),
    causes: Causes | None = None,
    sparse: SparseCheckout | None = None,
) -> Comparison:
    """Compare the overlays of two sides; also compare ``commits`` with the first side.

    ``causes`` finds the places in the sources that changed what differs. ``sparse`` says what the work tree
    lacks.

    Raises ``UsageError`` for an unknown overlay, and ``DiagnosticError`` if there is none.
    """
    compared: list[OverlayDifference] = []
    at_commits: list[list[OverlayDifference]] = [[] for _ in commits]
    manifests: dict[str, Mapping[ResId, Resource]] = {}  # of overlays with a refused change
    deployers = DeployerChanges(before, after)
    deployers_at = [DeployerChanges(before, each.side) if each.side else None for each in commits]
    readers = ReadersElsewhere()
    moving = MovingMachines(before, after)
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
            lacking = sparse.instead_of(path) if sparse else None
            sides = before.render(path, overlay.listed_as), lacking or after.render(path, overlay.listed_as)
        rendering = stopwatch.lap()
        if sides[0]:  # ignore refusals of intermediate states
            (errors_before if sides[0].content is None else former).add(sides[0].errors, path)
        if sides[1]:
            errors_after.add(sides[1].errors, path)
            errors_after.add(remarks_on_targets([after.overlays[path]] if path in after.overlays else []))
        with reporter.doing(f"comparing {path} ({number} of {len(selected)})"):
            between: list[RenderedSide] = []
            for commit, of_commit, deployed in zip(commits, at_commits, deployers_at, strict=True):
                if commit.side is None or deployed is None:
                    release = sides[0].content.release if sides[0] and sides[0].content else None
                    lost = f"{commit.name} cannot be read"
                    of_commit.append(OverlayDifference(path, name, (release, None), incomparable=lost))
                    continue
                rendered = commit.side.render(path, overlay.listed_as)
                pair = before, commit.side
                of_commit.append(compare_sides(pair, (sides[0], rendered), path, name, between))
                deployed.add(overlay, (sides[0], rendered))
                between += [rendered] if rendered is not None and rendered.content is not None else []
            found, applied = compare_as_applied((before, after), overlay, sides, between, equal_changes)
            if causes is not None:
                found = causes.as_written(found, sides)
            compared.append(found)
            readers.add(overlay, applied)
            deployers.add(overlay, sides)
            if sides[0] and sides[0].content:
                moving.add(overlay, found, sides[0].content.written)
            if has_refusals(found):
                contents = (side.content for side in sides if side is not None)
                written = (each for content in contents if content for each in content.written)
                manifests[path] = {each.current_id: each for each in written}
        reporter.detail(f"{path}: both sides rendered in {rendering}, compared in {stopwatch.lap()}")
    steps = tuple(
        CommitDifference(
            commit.name,
            commit.subject,
            with_shown_names(deployed.added_to(without_moved(found), None) if deployed else found),
        )
        for commit, found, deployed in zip(commits, at_commits, deployers_at, strict=True)
    )
    differences = tuple(
        with_stalled_syncs(each, after.overlays.get(each.path), after.deployers, manifests[each.path])
        if each.path in manifests
        else each
        for each in deployers.added_to(readers.added_to(without_moved(moving.added_to(compared))), causes)
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
