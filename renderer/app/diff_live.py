"""Compare the rendered overlays of a project with a dump of a cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import BinaryIO, NamedTuple

from renderer.adopt.dump.consistency import Consistency
from renderer.adopt.dump.files import STDIN, find_files
from renderer.adopt.dump.read import read_dump
from renderer.adopt.dump.user_objects import reason_left_out
from renderer.adopt.live.cluster_objects import ClusterObjects
from renderer.adopt.live.compare_live import LiveDifference, SyncRules, compare_with_cluster, in_no_overlay
from renderer.adopt.live.deletions import KINDS, is_being_deleted
from renderer.adopt.live.revision_users import RevisionUsers, notes_about_others, notes_about_unnamed
from renderer.app.comparison.compared_overlay import with_stalled_syncs
from renderer.app.comparison.ignores import Ignores
from renderer.app.comparison.rendered_sides import RenderedSide, written_of
from renderer.app.comparison.result import Comparison, without_former_values
from renderer.app.comparison.revisions import side_at
from renderer.app.comparison.side import Side
from renderer.app.comparison.synced_cluster import SyncedOverlay, with_whole_cluster
from renderer.app.project import Project, chosen_overlays
from renderer.app.reporter import Reporter, Stopwatch
from renderer.app.sparse_checkout import LastCommit, SparseCheckout, last_commit_if_sparse
from renderer.app.target_remarks import remarks_on_targets
from renderer.app.usage_error import UsageError
from renderer.app.workers import done_in_order
from renderer.checks.schemas.definition_changes import DEFINITION
from renderer.diff.masking import with_shown_names
from renderer.findings.run_findings import locate
from renderer.gitops.tracking import TrackedObjects, default_namespace, retention_in_cluster, without_flux
from renderer.kubevirt.facts.confidential.meant_keys import has_values_of_secret
from renderer.kubevirt.facts.kinds import CONTROLLER_REVISION, HYPERCONVERGED, KUBEVIRT
from renderer.kubevirt.facts.virtual_machine import PATHS
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.difference import WORK_TREE, ChangeType, Difference, OverlayDifference
from renderer.model.kube.json import JsonObject, text_at
from renderer.model.kube.live_object import LiveObject
from renderer.model.kube.location import Location, Site
from renderer.model.kube.res_id import ObjectKey, ResId
from renderer.model.kube.resource import Resource
from renderer.model.masking import Masking
from renderer.model.plural import listed
from renderer.model.record import Record
from renderer.model.release import Release, snapshot_of
from renderer.model.render_config import Overlay
from renderer.model.run.taint import Recorded, count_tainted, tainted_since
from renderer.model.run.work import WorkDone, in_turn
from renderer.pipeline.deployers import Deployers
from renderer.pipeline.live_machines import FOUND_BY_MACHINES, LiveCluster, LiveMachines
from renderer.pipeline.missing_references import MOUNTED, MountedObjects
from renderer.project.project_root import path_as_written

_EMPTY_HINT = (
    "leave out kinds that the cluster lacks, or kubectl prints nothing: kubectl get vm,pvc -A -o yaml"
)
_MOST_NAMED = 3


class _Rendered(NamedTuple):
    """An overlay and its rendered resources."""

    overlay: Overlay
    side: RenderedSide


class _Compared(NamedTuple):
    """The difference of an overlay, with the objects that a sync changes, as they are after it.

    The other fields are as in ``RenderedOverlay``.
    """

    difference: OverlayDifference
    synced: tuple[Resource, ...]
    seconds: float
    steps: int
    read: Mapping[str, int]
    tainted: tuple[Recorded, ...]
    by_worker: bool = False


class Dump(Record):
    """``name`` is a file or folder with kubectl's output, or ``-`` for ``piped`` content."""

    name: str
    piped: BinaryIO

    def __str__(self) -> str:
        return "standard input" if self.name == STDIN else self.name

    def path_in(self, root: Path) -> str:
        """Return the path of a dump below ``root``; empty if it is elsewhere."""
        path = None if self.name == STDIN else path_as_written(root, self.name)
        return "" if path is None or path == "." else path


def compare_with_dump(  # noqa: PLR0913 - one for each option of the command
    project: Project,
    revisions: Sequence[str],
    dump: Dump,
    overlays: Iterable[str],
    reporter: Reporter,
    *,
    ignore: Iterable[str] = (),
    jobs: int | None = None,
) -> Comparison:
    """Compare a cluster with the work tree, or with a revision.

    ``overlays`` are names or paths; without any, all are compared. ``ignore`` are rules of differences to
    leave out, in addition to the rules of the project. ``jobs`` is the maximum number of processes that
    compare; None for the number of processors. Raises ``UsageError`` for more than one
    revision, and ``DiagnosticError``: revision-unknown, git-unavailable, any error that makes a project
    unusable, and the errors of ``read_dump``.
    """
    if len(revisions) > 1 or any(".." in each for each in revisions):
        raise UsageError("--live compares the cluster with one side: vmrender diff --live DUMP [REVISION]")
    with _compared_side(project, revisions) as (whole, commit):
        inside = dump.path_in(project.root)
        side = (whole.without_source(inside) if inside else whole).propose()
        ignores = Ignores(ignore, side.config)
        rendered: list[_Rendered] = []
        wanted = tuple(overlays)
        sparse = SparseCheckout(commit.left_out, commit.side, side) if commit else None
        lacking = sparse.lacking if sparse else ()
        absent = (each for each in lacking if each.path not in side.overlays)
        selected = chosen_overlays(side.found._replace(overlays=(*side.found.overlays, *absent)), wanted)
        for path in sparse.deployer_files if sparse else ():
            reporter.note(f"{path}, which may say what deploys overlays, is left out by the sparse checkout")
        clusters = dict.fromkeys(each.cluster for each in selected if each.cluster)
        if len(clusters) > 1:
            reporter.note(
                f"the dump is of one cluster, and overlays of {len(clusters)} are compared with it; choose"
                f" with --cluster {next(iter(clusters))}"
            )
        for number, overlay in enumerate(in_turn(selected), start=1):
            with reporter.doing(f"rendering {overlay.path} ({number} of {len(selected)})"):
                left_out = sparse.instead_of(overlay.path) if sparse else None
                content = left_out or side.render(overlay.path) or RenderedSide(None)
            rendered.append(_Rendered(overlay, content))
        contents = [one.side.content for one in rendered]
        if commit:  # what the cluster has of overlays that are not compared is not missing in Git
            committed = (commit.side.render(each.path) for each in lacking)
            contents += [each.content for each in committed if each]
        written = [each for content in contents if content for each in content.written]
        with reporter.doing(f"reading {dump}"):
            cluster = _DumpedObjects(dump, {each.kind for each in written})
        namespaces = {each.namespace for each in cluster.objects.resources}
        mounted = MountedObjects(written, cluster.mounted, namespaces)
        matched, leaving = _matched_and_leaving(rendered, side, cluster.objects)
        sides = _BothSides(cluster, mounted, side.deployers, written, leaving)
        do = partial(_compared, side, sides)
        done = done_in_order(do, rendered, jobs, reporter.note, must_fork=True)
        synced: list[SyncedOverlay] = []
        for number, each in enumerate(rendered, start=1):
            with reporter.doing(f"comparing {each.overlay.path} ({number} of {len(rendered)})"):
                found = next(done)
            own = found.difference._replace(cluster=each.overlay.cluster)
            synced.append(SyncedOverlay(own, written_of(each.side), found.synced))
        compared = with_whole_cluster(synced, cluster.objects)
        rendered_paths = {one.overlay.path for one in rendered if one.side.content}
        is_whole = rendered_paths.union(each.path for each in lacking).issuperset(
            each.path for each in side.found.chosen
        )
        known = (*written, *matched)
        rest, others = in_no_overlay(
            cluster.objects, compared, _is_from_user, known, dump.name if is_whole else ""
        )
        compared += [rest] if rest else []
        others += cluster.others
        difference = Difference(
            f"cluster ({dump})", side.name, with_shown_names(compared), is_live=True, others=others
        )
        has_errors = any(one.side.errors for one in rendered)
        former = Masking(cluster.objects.secret_values if has_errors else ())
        errors = [
            locate(side.fs, without_former_values(one.side.errors, former), one.overlay.path)
            for one in rendered
        ]
        errors += [] if wanted else [locate(side.fs, side.found.errors)]
        errors.append(locate(side.fs, remarks_on_targets(each.overlay for each in rendered)))
        difference = ignores.without_ignored(difference)
        return Comparison(difference, (), side.labelled(chain.from_iterable(errors)))


@contextmanager
def _compared_side(project: Project, revisions: Sequence[str]) -> Iterator[tuple[Side, LastCommit | None]]:
    """Yield the side of Git to compare, and the last commit of a sparse checkout."""
    cluster = project.config.cluster
    if revisions:
        with project.git() as git:
            yield side_at(git, revisions[0], project.fs, cluster=cluster), None
    else:
        with last_commit_if_sparse(project) as commit:
            yield Side(WORK_TREE, project.fs, cluster=cluster), commit


class _Leaving(NamedTuple):
    """Objects that an engine tracks as part of an overlay, and that no overlay has.

    ``unknown`` are the overlays that may have the other objects, and are not compared.
    """

    objects: tuple[Resource, ...] = ()
    unknown: tuple[str, ...] = ()


def _matched_and_leaving(
    rendered: Sequence[_Rendered], side: Side, objects: ClusterObjects
) -> tuple[list[Resource], Mapping[str, _Leaving]]:
    """Return the objects of the cluster that Git has, and those that leave it, by the path of an overlay.

    Of an object that deploys several overlays, each may have what it tracks: what none has leaves the first.
    """
    matched: list[Resource] = []
    having: dict[ObjectKey, set[str]] = {}
    deployers: dict[tuple[Site, ResId], Resource] = {}
    compared = [one.overlay.path for one in rendered if one.side.content is not None]
    for overlay, (content, *_) in rendered:
        own = side.deployers.of(overlay)
        namespace = default_namespace(own)
        deployers |= {(each.origin, each.current_id): each for each in own}
        for each in content.written if content else ():
            live = objects.find(each, namespace)
            for found in (each, live) if live else (each,):
                having.setdefault(found.object_key, set()).add(overlay.path)
            matched += [live] if live else []
    tracked = TrackedObjects(filter(_is_from_user, objects.resources))
    tracking: dict[ObjectKey, tuple[Resource, list[tuple[Site, ResId]]]] = {}
    for deployer in deployers:
        for live in tracked.of((deployers[deployer],)):
            tracking.setdefault(live.object_key, (live, []))[1].append(deployer)
    shared = side.deployers.shared(side.overlays.values())
    leaving: dict[str, list[Resource]] = {}
    unknown: dict[str, set[str]] = {}
    paths: dict[tuple[tuple[Site, ResId], ...], frozenset[str]] = {}
    for key, (live, places) in tracking.items():
        siblings = paths.get(tuple(places))
        if siblings is None:
            siblings = frozenset(path for place in places for path in shared.get(place, ()))
            paths[tuple(places)] = siblings
        if not siblings.isdisjoint(having.get(key, ())):
            continue
        first = next((path for path in compared if path in siblings), "")
        if siblings.issubset(compared):
            leaving.setdefault(first, []).append(live)
        else:
            unknown.setdefault(first, set()).update(siblings.difference(compared))
    return matched, {
        path: _Leaving(tuple(leaving.get(path, ())), tuple(sorted(unknown.get(path, ()))))
        for path in compared
    }


class _BothSides:
    """The cluster, and the objects and engines of all overlays."""

    def __init__(
        self,
        cluster: _DumpedObjects,
        mounted: MountedObjects,
        deployers: Deployers,
        written: Iterable[Resource],
        leaving: Mapping[str, _Leaving],
    ) -> None:
        self.objects = cluster.objects
        self.kinds = cluster.kinds
        self.cluster = LiveCluster(cluster.objects)
        self.mounted = mounted
        self.deployers = deployers
        self.leaving = leaving
        self.revisions = frozenset(
            (each.namespace, each.name) for each in written if each.kind == CONTROLLER_REVISION
        )

    @cached_property
    def revision_users(self) -> RevisionUsers:
        return RevisionUsers(self.objects.resources)


def _compared(side: Side, sides: _BothSides, rendered: _Rendered, *, is_last: bool = False) -> _Compared:  # noqa: ARG001 - nothing is kept for later overlays
    stopwatch, work_done, tainted_before = Stopwatch(), WorkDone(), count_tainted()
    found, synced = _overlay_difference(rendered, side, sides)
    steps, read = work_done.since()
    return _Compared(found, synced, stopwatch.seconds(), steps, read, tainted_since(tainted_before))


def _overlay_difference(rendered: _Rendered, side: Side, sides: _BothSides) -> LiveDifference:
    overlay, (content, _, state, unknown) = rendered
    objects, deployers = sides.objects, sides.deployers
    if content is None or state is None:
        reason = unknown or f"it cannot be rendered in {side.name}"
        releases = overlay.kubevirt, overlay.kubevirt
        return LiveDifference(
            OverlayDifference(overlay.path, overlay.name, releases, incomparable=reason), ()
        )
    machines = LiveMachines(state, content.release, sides.cluster)
    own, leaving = deployers.of(overlay), sides.leaving[overlay.path]
    settings = SyncRules(
        machines.predict(content.written),
        machines.sync,
        partial(retention_in_cluster, own),
        without_flux(own),
        default_namespace(own),
        machines.runs_as_stored,
        deployers.rules(overlay),
        leaving.objects,
        sides.revisions,
    )
    found, synced = compare_with_cluster(overlay.path, overlay.name, content, objects, settings)
    found = sides.mounted.with_missing(found, content.written, content.release)
    notes = [*_release_notes(objects, content.release), *found.notes]
    if any(each.kind == CONTROLLER_REVISION for each in content.written):
        notes += notes_about_unnamed(content.written, sides.revision_users, overlay.name)
    if leaving.unknown:
        names = listed(leaving.unknown, _MOST_NAMED)
        notes.append(f"not judged whether objects leave Git: what deploys this also deploys {names}")
    notes += _not_judged(found)
    added = {each.id.gvk.kind for each in found.changes if each.type is ChangeType.ADDED} - sides.kinds
    if added:
        kinds = listed(sorted(added), _MOST_NAMED)
        notes.append(
            f"the dump has no {kinds}, so what Git has counts as only in Git; if the cluster has any, print"
            " them, too"
        )
    notes += notes_about_others(content.written, objects, sides.revisions)
    found = found._replace(notes=tuple(notes))
    if found.has_refusals:
        manifests = {each.current_id: each for each in (*objects.resources, *content.written)}
        found = with_stalled_syncs(found, overlay, deployers, manifests)
    return LiveDifference(found, synced)


def _not_judged(found: OverlayDifference) -> Iterator[str]:
    """Yield notes on objects of which only ``diff`` of two revisions judges what they do to machines."""
    for change in found.changes:
        kind, name = change.id.gvk.kind, change.id.name
        if kind == DEFINITION and change.type is ChangeType.CHANGED:
            yield f"not judged with --live: what another {kind} {name} refuses, and which fields it drops"
        elif kind in (KUBEVIRT, HYPERCONVERGED) and change.type is ChangeType.CHANGED:
            yield f"machines are judged by the configuration of the cluster, not by {kind} {name} of Git"


def _release_notes(objects: ClusterObjects, release: Release) -> Iterator[str]:
    running = text_at(objects.kubevirt, "status", "observedKubeVirtVersion")
    if not running:
        return
    try:
        cluster = Release.parse(running.partition("-")[0])
    except ValueError:
        cluster = None
    if cluster is None or cluster.exact != release.exact:
        is_same_minor = cluster is not None and cluster.minor_release == release
        snapshot = snapshot_of(release)
        patch = f", that is {snapshot or release.exact}" if is_same_minor else ""
        yield f"the cluster runs KubeVirt {running}, and the overlay is rendered for {release}{patch}"


class _DumpedObjects:
    """The objects of a dump that a comparison may use; ``others`` counts the rest.

    ``kinds`` are the kinds of all objects in the dump. ``mounted`` are its Secrets and ConfigMaps, without
    their data.
    """

    def __init__(self, dump: Dump, kinds: set[str]) -> None:
        """Raise ``DiagnosticError`` for a dump that cannot be read, is empty, or comes from two clusters."""
        self.others = 0
        self.kinds: set[str] = set()
        self.mounted: list[Resource] = []
        needed = kinds | PATHS.keys() | FOUND_BY_MACHINES
        found: dict[ObjectKey, Resource] = {}
        other_secrets: list[JsonObject] = []
        consistency = Consistency()
        for live in read_dump(find_files([dump.name], dump.piped)):
            self.kinds.add(live.kind)
            if live.kind in MOUNTED:
                self.mounted.append(_metadata_only(live))
            if live.kind not in needed and not (live.kind in KINDS and is_being_deleted(live.content)):
                self.others += 1
                if has_values_of_secret(live.kind):
                    other_secrets.append(live.content)
            elif consistency.add(live):
                found[live.id.object_key] = live.resource
        if not (found or self.mounted or self.others):
            message = "the dump holds no object"
            raise Diagnostic.in_file(dump.name, Code.DUMP_INVALID, message, _EMPTY_HINT).error()
        consistency.check()
        self.objects = ClusterObjects(found.values(), other_secrets)


def _metadata_only(live: LiveObject) -> Resource:
    """Return an object of which only the name and namespace are kept."""
    metadata: JsonObject = {"name": live.name, "namespace": live.namespace}
    content: JsonObject = {"apiVersion": live.id.gvk.api_version, "kind": live.kind, "metadata": metadata}
    return Resource(content, Site(live.location.path))


def _is_from_user(live: Resource) -> bool:
    """Return True if an object belongs in Git: no controller made it, and not every namespace has it."""
    return reason_left_out(LiveObject(live.content, Location(live.origin.path))) is None
