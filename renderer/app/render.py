"""Render the overlays of a project, each into its own tree."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from os.path import lexists, realpath
from pathlib import Path
from posixpath import normpath
from typing import TYPE_CHECKING

from renderer.app.known_secrets import learn_from_trees
from renderer.app.output_checks import output_errors
from renderer.app.project import Project, chosen_overlays
from renderer.app.rendered_trees import (
    Rendered,
    RenderedTrees,
    stale_trees,
    untracked_files,
)
from renderer.app.reporter import Reporter
from renderer.app.run_cache import RunCache
from renderer.app.tree_result import TreeResult
from renderer.app.usage_error import UsageError
from renderer.emit.leftovers import find_stale_trees
from renderer.files.disk import file_exists, folder_exists
from renderer.findings.levels import with_levels
from renderer.findings.located import Located, Unshown
from renderer.findings.run_findings import FindingFilter, RunFindings
from renderer.findings.shared_targets import SharedTargets
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity, has_errors
from renderer.model.plural import listed, plural
from renderer.model.record import Record
from renderer.model.render_config import OWNERSHIP_FILE, PROJECT_FILE, Overlay, RenderConfig
from renderer.model.run.work import in_turn
from renderer.model.text_enum import TextEnum
from renderer.project.overlays import FoundOverlays, entry_site, is_named
from renderer.project.project import unread_project_files

if TYPE_CHECKING:
    from renderer.app.overlay_renderer import OverlayRenderer, RenderedOverlay
    from renderer.project.sharding import ShardName


class RenderMode(TextEnum):
    """Write the trees, compare them with their expected content, or show what writing would change."""

    WRITE = "write"
    CHECK = "check"
    DRY_RUN = "dry run"


class RenderRequest(Record):
    """Options of a run.

    ``overlays`` are names or paths; the default is all overlays of the project, or of a ``shard`` of it
    according to the file ``plan``. ``forced`` are files of rendered trees to overwrite or remove even if
    someone edited them. ``prune`` removes trees whose overlays no longer exist. With ``tracked``, files that
    Git does not track are findings; with ``strict``, warnings are errors. ``jobs`` is the maximum number of
    processes; None for one on each processor. ``most_findings`` is the number of findings to keep; None for
    all. With ``all_or_nothing``, no tree is written or removed if any overlay has an error.
    """

    overlays: tuple[str, ...] = ()
    mode: RenderMode = RenderMode.WRITE
    prune: bool = False
    forced: tuple[Path, ...] = ()
    tracked: bool = False
    strict: bool = False
    use_cache: bool = True
    jobs: int | None = None
    shard: ShardName | None = None
    plan: Path | None = None
    most_findings: int | None = None
    all_or_nothing: bool = False


class RenderResult(Record):
    """The trees that were written, compared or removed, and the findings.

    ``overlays`` are the paths of the rendered overlays, ``broken`` the paths of the ones with errors: their
    trees stayed as they were. ``unshown`` counts findings that were not kept.
    """

    trees: tuple[TreeResult, ...]
    findings: tuple[Located, ...]
    overlays: tuple[str, ...]
    unshown: Unshown = Unshown()
    broken: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        """Only count: a path in a tree has the names of its object."""
        return f"RenderResult({plural(len(self.trees), 'tree')}, {plural(len(self.findings), 'finding')})"


class _Results:
    """The results of overlays; their findings go to ``findings`` as they come, and are not stored here.

    ``folders`` are the folders that were read as kustomizations, ``broken`` the overlays with errors.
    """

    def __init__(self, overlays: Sequence[Overlay], findings: RunFindings) -> None:
        self.overlays = overlays
        self.findings = findings
        self.folders: set[str] = set()
        self.broken: set[str] = set()
        self._targets = SharedTargets[Located]()
        self._sound: dict[str, Rendered] = {}

    def keep(self, result: Rendered) -> None:
        path = result.overlay.path
        self.folders |= result.folders
        if self.findings.add_located(self._targets.postpone(path, result.findings), path):
            self.broken.add(path)
        else:
            self._sound[path] = result._replace(findings=()) if result.findings else result

    def settle(self, overlays: Iterable[Overlay], graph: KustomizationGraph) -> None:
        """Add the findings about targets of patches that select nothing in any of the ``overlays``."""
        for path, found in self._targets.unmatched(overlays, graph):
            if self.findings.add_located((found,), path):
                self.broken.add(path)

    def add_problems(self, overlay: Overlay, found: Iterable[Diagnostic]) -> None:
        """Add errors about the output of an overlay."""
        self.findings.add(found, overlay.path)
        self.broken.add(overlay.path)

    def without_errors(self) -> list[Rendered]:
        """Return the results of overlays without errors, in the order of the overlays."""
        return [self._sound[overlay.path] for overlay in self.overlays if overlay.path not in self.broken]


def render(project: Project, request: RenderRequest, reporter: Reporter) -> RenderResult:
    """Render as ``request`` says. The tree of an overlay with an error stays as it was.

    Raises ``UsageError`` for options that cannot be combined, and ``DiagnosticError`` for an error that stops
    all overlays.
    """
    _check_options(request, project.config.cluster)
    project = project.proposed(reporter.note).under(strict=request.strict)
    with RunCache.of(project, reporter, wanted=request.use_cache) as known:
        return _render(project, request, reporter, known)


def _render(project: Project, request: RenderRequest, reporter: Reporter, known: RunCache) -> RenderResult:
    @cache
    def renderer() -> OverlayRenderer:
        # A run without entries of engines and without changes imports no stage.
        from renderer.app.overlay_renderer import OverlayRenderer  # noqa: PLC0415 - as said

        return OverlayRenderer(project.root, project.config, project.environment, known.catalogs)

    is_of_engine = any(each.entry.has_engine for each in project.config.overlays)
    found = renderer().found if is_of_engine else project.look_up_overlays()
    outputs = {overlay.output for overlay in found.overlays}
    chosen = _select_overlays(project, found, request, reporter)
    selected = tuple(each for each in chosen if each.listed_as not in found.uncertain_entries)
    is_first_shard = request.shard is None or request.shard.number == 1
    # An entry of which something cannot be read or built may own any of the trees.
    is_part = bool(request.overlays or found.cluster)
    finds_stale = is_first_shard and not is_part and not found.incomplete_entries
    if request.prune and (found.findings or found.incomplete_entries):
        reporter.note("no tree is pruned: not all overlays are known")
        request = request._replace(prune=False)
    kept = {*outputs, *(each.output for each in found.suspended.values())}
    stale = _find_stale_trees(project, kept) if finds_stale else ()
    stale = _without_left_out(project, stale, reporter) if stale else stale
    forced = _forced_files(
        project, request.forced, [*(each.output for each in selected), *(stale if request.prune else ())]
    )
    findings = RunFindings(project.fs, FindingFilter(strict=request.strict, most=request.most_findings))
    if not request.overlays:
        findings.add(with_levels(tuple(each for _, each in found.findings), project.config.rules))
        findings.add(unread_project_files(project.fs))
    stopped = [each for each in chosen if each.listed_as in found.uncertain_entries]
    findings.add(map(_uncertain, {each.listed_as: each for each in stopped}.values()))
    results = _Results(selected, findings)
    with RenderedTrees(project, forced, reporter) as trees:
        _render_overlays(renderer, results, known, request, trees)
        graph = KustomizationGraph(project.fs)
        results.settle(found.overlays, graph)
        problems = dict(output_errors(project, found.overlays, found.overlays, graph, results.folders))
        for overlay in selected:
            if overlay.output in problems:
                results.add_problems(overlay, problems.pop(overlay.output))
        findings.add(each for about_output in problems.values() for each in about_output)
        sound = results.without_errors()
        if (
            request.mode is RenderMode.CHECK
        ):  # the cache keeps findings about sources, which trees do not change
            learn_from_trees(project.fs)
        if not findings.has_errors or (sound and not request.all_or_nothing):
            for path, about_tree in _act_on_trees(trees, sound, stale, request):
                findings.add(with_levels(about_tree, project.config.rules), path)
            if request.tracked:
                findings.add(untracked_files(project, [each.overlay.output for each in sound]))
        for overlay in _without_tree(project, found.overlays, results.broken):
            findings.add(with_levels((_tree_missing(overlay),), project.config.rules), overlay.path)
    paths = tuple(overlay.path for overlay in chosen)
    broken = results.broken.union(each.path for each in stopped)
    located = _in_project_order(findings.found(), paths)
    return RenderResult(tuple(trees.results), located, paths, findings.unshown, frozenset(broken))


def _without_tree(
    project: Project, overlays: Iterable[Overlay], broken: Collection[str]
) -> Iterator[Overlay]:
    """Yield the overlays with errors that no earlier run has written, and at whose tree a copy points."""
    every = list(overlays) if broken else []
    pointed_at = {tree.path for each in every if each.entry for tree in each.entry.trees}
    for each in every:
        is_pointed_at = each.path in broken and normpath(each.output) in pointed_at
        if is_pointed_at and not lexists(project.root / each.output / OWNERSHIP_FILE):
            yield each


def _uncertain(overlay: Overlay) -> Diagnostic:
    return Diagnostic.at(
        entry_site(overlay.listed_as, overlay.listed_by).below(overlay.listed_by),
        Code.ENTRY_POINT,
        f"all trees of {overlay.listed_as} stay as they are: what cannot be read there may deploy, patch or"
        " replace any of its Applications",
        "correct it first",
    )


def _tree_missing(overlay: Overlay) -> Diagnostic:
    return Diagnostic.at(
        entry_site(overlay.listed_as, overlay.listed_by),
        Code.TREE_MISSING,
        f"a copy points at {overlay.output}, which does not exist before {overlay.path} can be rendered",
        "correct it before you point Flux or Argo CD at the trees",
        severity=Severity.WARNING,
    )


def _in_project_order(findings: Iterable[Located], overlays: Sequence[str]) -> tuple[Located, ...]:
    """Return the findings with their overlays in the order of the project, whichever was rendered first."""
    place = {overlay: place for place, overlay in enumerate(overlays)}
    in_order: dict[tuple[str, ...], tuple[str, ...]] = {}  # most findings have the same overlays
    for found in findings:
        if found.overlays not in in_order:
            in_order[found.overlays] = tuple(sorted(found.overlays, key=place.__getitem__))
    return tuple(found._replace(overlays=in_order[found.overlays]) for found in findings)


def _check_options(request: RenderRequest, cluster: str) -> None:
    """Raise ``UsageError`` for options that contradict each other."""
    if request.prune and cluster:
        raise UsageError("--prune is for the whole project; leave out --cluster")
    if request.forced and request.mode is RenderMode.CHECK:
        raise UsageError("--check writes nothing; leave out --force")
    if request.prune and request.overlays:
        raise UsageError("--prune is for the whole project; name no overlay")
    if request.plan and not request.shard:
        raise UsageError("--plan says what is in which shard; add --shard I/N")
    if request.shard and (request.overlays or request.prune):
        raise UsageError("--shard is for the whole project; name no overlay, and leave out --prune")


def _act_on_trees(
    trees: RenderedTrees, rendered: Sequence[Rendered], stale: Collection[str], request: RenderRequest
) -> Iterator[tuple[str, tuple[Diagnostic, ...]]]:
    """Write, compare or plan the trees; yield the findings about each, then about stale trees.

    Before the findings comes the path of the overlay; it is empty if the overlay no longer exists.
    """
    is_dry = request.mode is RenderMode.DRY_RUN
    if request.mode is RenderMode.CHECK:
        yield from trees.compare(rendered)
        yield "", stale_trees(stale, Severity.ERROR)
    else:
        yield from trees.plan(rendered) if is_dry else trees.write(rendered)
        if request.prune:
            yield "", trees.remove(stale, dry_run=is_dry)
        else:
            yield "", stale_trees(stale, Severity.WARNING)


def _render_overlays(
    renderer: Callable[[], OverlayRenderer],
    results: _Results,
    cache: RunCache,
    request: RenderRequest,
    trees: RenderedTrees,
) -> None:
    """Render the overlays that changed, and get the results of the others from the cache.

    While workers go on, finished results go into the cache, and trees without an error are started.
    """
    changed, unchanged = list[Overlay](), list[Overlay]()
    for overlay in results.overlays:
        known = cache.unchanged(overlay)
        (changed if known is None else unchanged).append(overlay)
        if known is not None:
            results.keep(known)
    may_write = request.mode is RenderMode.WRITE
    for rendered in _render_changed(renderer, changed, request.jobs, trees.reporter):
        cache.keep(rendered)
        if may_write and rendered.by_worker and not has_errors(rendered.findings):
            trees.start(rendered)
        results.keep(rendered)
    for overlay in unchanged:
        trees.reporter.detail(f"{overlay.path}: nothing has changed since it was rendered")


def _render_changed(
    renderer: Callable[[], OverlayRenderer], overlays: Sequence[Overlay], jobs: int | None, reporter: Reporter
) -> Iterator[RenderedOverlay]:
    if not overlays:
        return
    from renderer.app.workers import done_in_order  # noqa: PLC0415 - only for what changed

    in_order = done_in_order(renderer().render, overlays, jobs, reporter.note)
    for number, overlay in enumerate(in_turn(overlays), start=1):
        with reporter.doing(f"rendering {overlay.path} ({number} of {len(overlays)})"):
            rendered = next(in_order)
        reporter.detail(f"{overlay.path}: {rendered.summary}")
        yield rendered


def _select_overlays(
    project: Project, found: FoundOverlays, request: RenderRequest, reporter: Reporter
) -> tuple[Overlay, ...]:
    for name in request.overlays:
        if file_exists(name) and not any(is_named(overlay, name) for overlay in found.overlays):
            raise UsageError(f"{name} is a file, not an overlay; vmrender validate {name} checks it")
    named = chosen_overlays(found, [_overlay_name(project, name) for name in request.overlays])
    if request.shard is None:
        return named
    from renderer.app.shards import overlays_in  # noqa: PLC0415 - only where a shard is asked for

    selected = overlays_in(project, named, request.shard, request.plan)
    reporter.note(f"shard {request.shard}: {len(selected)} of {len(named)} overlays")
    return selected


def _overlay_name(project: Project, name: str) -> str:
    """Return the path of a folder as the project names it; return a name unchanged."""
    folder = Path(realpath(name))  # Path.resolve() raises for a loop of links
    is_inside = folder_exists(folder) and folder.is_relative_to(project.root)
    return project.relative(folder) if is_inside and any(folder.glob("[kK]ustomization*")) else name


def _find_stale_trees(project: Project, outputs: Collection[str]) -> tuple[str, ...]:
    """Return the rendered trees without an overlay, below the outputs of the project and the default."""
    default = RenderConfig().output
    config = project.config
    named = (default, config.output, *(entry.output or default for entry in config.overlays))
    patterns = frozenset(normpath(output) for output in named)
    return find_stale_trees(project.root, [normpath(output) for output in outputs], patterns, PROJECT_FILE)


def _without_left_out(project: Project, stale: Sequence[str], reporter: Reporter) -> tuple[str, ...]:
    """Return the trees, except for overlays that a sparse checkout leaves out of the work tree."""
    from renderer.app.sparse_checkout import last_commit_if_sparse  # noqa: PLC0415 - it starts git

    with last_commit_if_sparse(project) as commit:
        outputs = {normpath(each.output) for each in commit.side.overlays.values()} if commit else set()
    kept = [each for each in stale if each in outputs]
    if kept:
        reporter.note(f"the sparse checkout leaves out what these trees are rendered from: {listed(kept)}")
    return tuple(each for each in stale if each not in outputs)


def _forced_files(
    project: Project, forced: Iterable[Path], outputs: Sequence[str]
) -> Mapping[str, tuple[str, ...]]:
    """Group the files by the output that contains them. Raises ``UsageError`` for any other file."""
    files: dict[str, tuple[str, ...]] = {}
    for file in forced:
        # A path is relative to the working directory (as typed) or to the root (as findings name it).
        places = sorted((Path.cwd() / file, project.root / file), key=lambda place: not lexists(place))
        found = next((tree for place in places if (tree := _locate_in_trees(project, place, outputs))), None)
        if found is None:
            raise UsageError(f"--force {file}: not a file of a tree that is rendered now")
        files[found[0]] = (*files.get(found[0], ()), found[1])
    return files


def _locate_in_trees(project: Project, place: Path, outputs: Iterable[str]) -> tuple[str, str] | None:
    """Return the output that contains a file, and its path there; a link itself counts, not its target."""
    file = Path(realpath(place.parent), place.name)
    for output in outputs:
        folder = project.root.resolve() / output
        if folder in file.parents:
            return output, file.relative_to(folder).as_posix()
    return None
