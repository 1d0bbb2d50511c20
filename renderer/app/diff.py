"""Compare the rendered overlays of two revisions, or of a revision and the work tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from renderer.app.compared_states import ComparedStates
from renderer.app.deployer_changes import DeployerChanges
from renderer.app.diff_ignores import Ignores
from renderer.app.diff_revisions import Commit, commits_between, sides_of, with_overlay_hint
from renderer.app.diff_side import Side, changed_manifests
from renderer.app.former_facts import former_facts, with_former_facts
from renderer.app.moved_objects import OverlayStates
from renderer.app.project import Project, chosen_overlays
from renderer.app.relocated_overlays import relocation_of
from renderer.app.reporter import Reporter, Stopwatch
from renderer.app.shared_machines import SharedMachines
from renderer.app.sparse_checkout import SparseCheckout
from renderer.app.stalled import with_stalled_syncs
from renderer.app.target_remarks import remarks_on_targets
from renderer.app.unlisted_overlays import UnlistedOverlays
from renderer.diff.masking import with_shown_names
from renderer.findings.located import Located
from renderer.model.diagnostic import DiagnosticError
from renderer.model.difference import CommitDifference, Difference, OverlayDifference
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


def _is_relocated(sides: tuple[Side, Side], path: str) -> bool:
    relocation = relocation_of(sides, path)
    return relocation is not None and not relocation.is_renamed


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
    sides = before, *(commit.side for commit in commits), after
    errors_before, errors_after = before.run_findings(), after.run_findings()
    former = before.run_findings()
    chosen = after.found.cluster
    relocated = {path for path in after.overlays if _is_relocated((before, after), path)} if chosen else set()
    removed = [
        overlay
        for path, overlay in before.overlays.items()
        if path not in after.overlays or path in relocated
    ]
    wanted = tuple(wanted)
    either = FoundOverlays(
        (*after.overlays.values(), *removed), after.found.findings, cluster=after.found.cluster
    )
    selected = chosen_overlays(either, wanted)
    if not wanted:
        errors_before.add(before.found.errors)
        errors_after.add(after.found.errors)
    unlisted = UnlistedOverlays(before, after, () if wanted else changed_manifests(before, after))
    for side in filter(None, sides):
        unlisted.add_to(side)
    selected = (*selected, *unlisted.overlays)
    deployers = DeployerChanges(before, after, unlisted.paths)
    deployers_at = [
        DeployerChanges(before, each.side, unlisted.paths) if each.side else None for each in commits
    ]
    compared = ComparedStates((before, after), commits, causes, reporter)
    facts = former_facts(before, after, (each.cluster for each in selected))
    if facts and facts.side:
        unlisted.add_to(facts.side)
    by_former = ComparedStates((before, facts.side), (), None, reporter) if facts and facts.side else None
    waiting: list[OverlayStates] = []  # until it is known which objects move between them
    under_former: list[OverlayStates] = []
    shared = SharedMachines(before, after)
    for number, overlay in enumerate(in_turn(selected), start=1):
        path, stopwatch = overlay.path, Stopwatch()
        with reporter.doing(f"rendering both sides of {path} ({number} of {len(selected)})"):
            lacking = sparse.instead_of(path) if sparse else None
            rendered = [
                None
                if each is None or (path in relocated and each.goes_elsewhere(path, chosen))
                else unlisted.rendered(each, overlay)
                for each in sides
            ]
            if lacking:
                rendered[-1] = lacking
        states = OverlayStates(overlay, tuple(rendered), path)
        is_listed = unlisted.note(states)
        if rendered[0] and is_listed:  # ignore refusals of intermediate states
            (errors_before if rendered[0].content is None else former).add(rendered[0].errors, path)
        if rendered[-1] and is_listed:
            errors_after.add(rendered[-1].errors, path)
            errors_after.add(remarks_on_targets([after.overlays[path]] if path in after.overlays else []))
        deployers.add(overlay, (rendered[0], rendered[-1]))
        shared.add(path, rendered[0], rendered[-1])
        for deployed, at_commit in zip(deployers_at, rendered[1:-1], strict=True):
            if deployed is not None:
                deployed.add(overlay, (rendered[0], at_commit))
        if facts and facts.side:
            former_after = rendered[-1] and (lacking or unlisted.rendered(facts.side, overlay))
            under_former.append(OverlayStates(overlay, (rendered[0], former_after), path))
        reporter.detail(f"{path}: both sides rendered in {stopwatch.lap()}")
        others = (relocation_of((before, each), path) for each in sides[1:] if each)
        if states.may_have_moves or any(others):
            waiting.append(states)
        else:
            compared.add([states])
    compared.add(waiting)
    paths = [overlay.path for overlay in selected]
    steps = tuple(
        CommitDifference(
            commit.name,
            commit.subject,
            with_shown_names(unlisted.harm(deployed.added_to(each, None) if deployed else each)),
        )
        for commit, each, deployed in zip(commits, compared.at_commits(paths), deployers_at, strict=True)
    )
    between = [*map(shared.marked, compared.between_sides(paths))]
    if facts:
        under: list[OverlayDifference | None] = [None] * len(paths)
        if by_former:
            by_former.add(under_former)
            under = [*map(shared.marked, by_former.between_sides(paths))]
        pairs = zip(between, under, strict=True)
        between = [with_former_facts(each, former, before.name) for each, former in pairs]
    found = deployers.added_to(compared.readers.added_to(between), causes)
    former_paths = {each.former for each in found}
    differences = tuple(
        with_stalled_syncs(
            each, after.overlays.get(each.path), after.deployers, compared.manifests[each.path]
        )
        if each.path in compared.manifests
        else each
        for each in found
        if each.path in after.overlays or each.path not in former_paths or each.changes or each.incomparable
    )
    if causes is not None:
        with reporter.doing("looking for the causes of the differences"):
            differences = causes.traced(differences)
    every = (*unlisted.harm(differences), *unlisted.harm_by_engines(deployers.ids))
    difference = Difference(
        before.name,
        after.name,
        with_shown_names(every),
        steps,
        assumptions=(facts.assumption,) if facts else (),
        not_compared=unlisted.not_compared(),
    )
    return Comparison(
        difference,
        before.labelled(errors_before.found()),
        after.labelled(errors_after.found()),
        tuple(former.found()),
    )
