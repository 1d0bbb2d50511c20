"""Compare the rendered overlays of two revisions, or of a revision and the work tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING

from renderer.app.comparison.before_the_project import with_settings_of
from renderer.app.comparison.changed_files import changed_files
from renderer.app.comparison.commit_steps import CommitSteps
from renderer.app.comparison.compared_sides import ComparedSides
from renderer.app.comparison.deployer_changes import DeployerChanges
from renderer.app.comparison.deployers_above import DeployersAbove, deployers_above
from renderer.app.comparison.ignores import Ignores
from renderer.app.comparison.image_markers import with_new_markers
from renderer.app.comparison.judged_by_former_facts import JudgedByFormerFacts
from renderer.app.comparison.relocated_overlays import leaves_cluster, relocation_of
from renderer.app.comparison.rendered_sides import RenderedSides
from renderer.app.comparison.result import ComparedErrors, Comparison
from renderer.app.comparison.revisions import Commit, commits_between, sides_of, with_overlay_hint
from renderer.app.comparison.side import Side
from renderer.app.comparison.unlisted_overlays import UnlistedOverlays
from renderer.app.project import Project, chosen_overlays
from renderer.app.reporter import Reporter, Stopwatch
from renderer.app.sparse_checkout import SparseCheckout
from renderer.diff.masking import shown_ids, with_shown_names
from renderer.findings.located import LocatedError
from renderer.model.diagnostic import DiagnosticError
from renderer.model.difference import Difference, OverlayDifference
from renderer.model.engines import ENGINE_GROUPS
from renderer.model.kube.res_id import ResId
from renderer.model.release import Release
from renderer.model.render_config import PROJECT_FILE
from renderer.model.run.taint import learn_from
from renderer.model.run.work import in_turn
from renderer.project.overlays import FoundOverlays
from renderer.project.secrets_in_files import SecretsInFiles

if TYPE_CHECKING:
    from renderer.app.comparison.causes import Causes


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
        commits = commits_between(git, before, after) if each else ()
        if after.fs.is_file(PROJECT_FILE):
            if not before.fs.is_file(PROJECT_FILE):
                reporter.note(f"{before.name} has no {PROJECT_FILE}: it is read with that of {after.name}")
            before, commits = _with_project(after, before, commits)
        if kubevirt is not None:
            after.for_release(kubevirt)
        if not any(side.fs.is_file(PROJECT_FILE) for side in (before, after)):
            Side.propose_all((before, after, *(commit.side for commit in commits if commit.side)))
            if not before.overlays and not after.overlays and not overlays:
                reporter.note(f"{before.name} and {after.name} have no {PROJECT_FILE}, and nothing to render")
        ignores = Ignores(ignore, before.config)
        from renderer.app.comparison.causes import Causes  # noqa: PLC0415 - not for a cluster, nor for the library

        left_out = git.left_out() if not after.revision else frozenset[str]()
        sparse = SparseCheckout(left_out, before, after)
        with deployers_above(project, git, before, after) as above:
            found = compare_projects(
                before, after, overlays, reporter, commits, Causes(before, after), sparse, above
            )
        return found._replace(difference=ignores.without_ignored(found.difference))


def compare_projects(  # noqa: PLR0913, PLR0917 - the two sides, and two things that most callers leave out
    before: Side,
    after: Side,
    wanted: Iterable[str],
    reporter: Reporter,
    commits: Sequence[Commit] = (),
    causes: Causes | None = None,
    sparse: SparseCheckout | None = None,
    above: DeployersAbove | None = None,
) -> Comparison:
    """Compare the overlays of two sides; also compare ``commits`` with the first side.

    ``causes`` finds the places in the sources that changed what differs. ``sparse`` says what the work tree
    lacks, ``above`` what deploys a project in a subfolder of its repository.

    Raises ``UsageError`` for an unknown overlay, and ``DiagnosticError`` if there is none.
    """
    wanted = tuple(wanted)
    errors = ComparedErrors(before, after)
    if not wanted:
        errors.add_errors_of_projects()
    cluster = after.found.cluster
    relocated = (
        {path for path in after.overlays if leaves_cluster((before, after), path)} if cluster else set()
    )
    removed = [
        overlay
        for path, overlay in before.overlays.items()
        if path not in after.overlays or path in relocated
    ]
    either = FoundOverlays((*after.overlays.values(), *removed), after.found.findings, cluster=cluster)
    is_listed = bool(either.overlays or wanted) or any(
        each.fs.is_file(PROJECT_FILE) for each in (before, after)
    )
    selected = chosen_overlays(either, wanted) if is_listed else ()
    # What is compared besides the overlays that the project lists, and on which sides.
    sides = before, *(commit.side for commit in commits), after
    changed = [changed_files(before, side) if side else frozenset[str]() for side in sides[1:]]
    between = zip(sides[1:], changed, strict=True)
    _learn_secrets(before, [(side, files) for side, files in between if side])
    looked_at = [frozenset[str]() for _ in changed] if wanted else changed
    errors.add_other_releases(looked_at[-1])
    unlisted = UnlistedOverlays(before, after, looked_at[-1], frozenset().union(*looked_at[:-1]))
    former = JudgedByFormerFacts(before, after, (each.cluster for each in selected), reporter)
    for side in filter(None, (*sides, former.side)):
        unlisted.add_to(side)
    selected = (*selected, *unlisted.overlays)
    for earlier, later in pairwise(filter(None, sides)):
        later.follow(earlier)
    # Each overlay is rendered on all sides before the next one.
    compared = ComparedSides((before, after), len(commits) + 1, causes=causes, reporter=reporter)
    steps = CommitSteps(before, commits, changed[:-1], unlisted)
    deployers = DeployerChanges(before, after, changed[-1], unlisted.paths, unlisted.failed)
    waiting: list[RenderedSides] = []  # until it is known which objects move between them
    for number, overlay in enumerate(in_turn(selected), start=1):
        path, stopwatch = overlay.path, Stopwatch()
        with reporter.doing(f"rendering both sides of {path} ({number} of {len(selected)})"):
            lacking = sparse.instead_of(path) if sparse else None
            on_sides = [
                None
                if each is None or (path in relocated and each.goes_elsewhere(path, cluster))
                else unlisted.rendered(each, overlay)
                for each in sides
            ]
            if lacking:
                on_sides[-1] = lacking
        rendered = RenderedSides(overlay, tuple(on_sides), path)
        first, last = rendered.ends
        if unlisted.note(rendered):
            errors.add(rendered)
        steps.add(rendered)
        compared.add(rendered)
        deployers.add(overlay, first, last)
        if above:
            above.add(overlay, first, last)
        if former.side and former.is_judged(path):
            former.add(overlay, first, last and (lacking or unlisted.rendered(former.side, overlay)))
        reporter.detail(f"{path}: both sides rendered in {stopwatch.lap()}")
        others = (relocation_of((before, each), path) for each in sides[1:] if each)
        if rendered.may_have_moves or any(others):
            waiting.append(rendered)
        else:
            steps.compare([rendered])
            compared.compare([rendered])
    steps.compare(waiting)
    compared.compare(waiting)
    # What is said of an overlay, from what it contains to what deploys it.
    paths = [overlay.path for overlay in selected]
    at_commits = steps.differences(paths)
    found: Sequence[OverlayDifference] = [*map(compared.marked, compared.differences(paths))]
    found = former.worse(found, compared.marked)
    found = [*compared.with_other_overlays(found)]
    found = deployers.added_to(found, causes)
    if above:
        found = above.added_to(found)
    found = with_new_markers(found, (before, after), changed[-1])
    found = _without_emptied(found, after)
    found = [*compared.with_stalled_syncs(found)]
    if causes is not None:
        with reporter.doing("looking for the causes of the differences"):
            found = causes.traced(found)
    found, elsewhere = unlisted.added_to(found, deployers.keys, deployers.taken)
    return errors.with_difference(
        Difference(
            before.name,
            after.name,
            with_shown_names(found),
            at_commits,
            assumptions=former.assumptions,
            not_compared=unlisted.not_compared(),
            not_rendered=unlisted.not_rendered(),
            changed_elsewhere=tuple(sorted(shown_ids(elsewhere), key=_order_elsewhere)),
        )
    )


def _with_project(project: Side, before: Side, commits: Sequence[Commit]) -> tuple[Side, tuple[Commit, ...]]:
    """Return the side before and the commits; what has no project file is read with that of ``project``.

    Raises as ``with_settings_of`` for the side before; a commit that cannot be read so has no side.
    """
    read: list[Commit] = []
    for commit in commits:
        side = found = commit.side
        if found and not found.fs.is_file(PROJECT_FILE):
            side = None
            with suppress(DiagnosticError, LocatedError):
                side = with_settings_of(project, found)
        read.append(commit._replace(side=side))
    if not before.fs.is_file(PROJECT_FILE):
        before = with_settings_of(project, before)
    return before, tuple(read)


def _learn_secrets(before: Side, others: Sequence[tuple[Side, Iterable[str]]]) -> None:
    """Learn the values of Secrets on both sides and at commits, also in overlays that do not differ.

    ``others`` are these commits and, as the last one, the side after; each has the files in which it differs
    from the side before. The Secrets of a work tree are known from its project (``learn_from_project``).
    """
    after, _ = others[-1]

    def learned() -> Iterator[SecretsInFiles]:
        if after.revision or not after.fs.is_file(PROJECT_FILE):
            yield SecretsInFiles(after.fs, after.listing.readable)
        for side, changed in others:
            if side is not after:
                yield SecretsInFiles(side.fs, after.listing.with_generators(changed))
        yield SecretsInFiles(before.fs, after.listing.with_generators(others[-1][1]))

    learn_from(before, learned)


def _order_elsewhere(each: ResId) -> tuple[bool, str]:
    """Return the sort key of a changed object; ordinary workloads and objects of engines come last."""
    group = each.gvk.group
    is_usual = group.endswith(ENGINE_GROUPS) or (bool(each.namespace) and not group.count("."))
    return is_usual, str(each)


def _without_emptied(found: Sequence[OverlayDifference], after: Side) -> Sequence[OverlayDifference]:
    """Return the differences without the overlays that are gone because all of their objects have moved."""
    heirs = {each.former for each in found}
    return [
        each
        for each in found
        if each.path in after.overlays or each.path not in heirs or each.changes or each.incomparable
    ]
