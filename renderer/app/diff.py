"""Compare what is rendered at two revisions, or at a revision and in the work tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from renderer.app.project import Project
from renderer.app.reporter import Reporter, Stopwatch
from renderer.app.usage_error import UsageError
from renderer.diff.compare import OverlayComparer, OverlaySide
from renderer.diff.machine import Machine
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, Severity
from renderer.model.difference import Difference, OverlayDifference
from renderer.model.json import EMPTY, JsonObject
from renderer.model.limits import lowered
from renderer.model.location import Location
from renderer.model.render_config import CatalogPath, ExpandMode, Overlay
from renderer.model.res_id import ResId
from renderer.model.resource import Resource, ResourceSet
from renderer.pipeline import Pipeline
from renderer.source.builtin_catalogs import BuiltinFileSystem
from renderer.source.file_system import FileSystem, MemoryFileSystem
from renderer.source.git_repository import GitRepository
from renderer.source.locate import locate
from renderer.source.overlays import find_overlays, select_overlays
from renderer.source.project import load_project

_KUBEVIRT = "kubevirt.io"
_WORK_TREE = "work tree"
_SHORT = 12


class Comparison(NamedTuple):
    """The difference between two sides, and the errors of each."""

    difference: Difference
    before: tuple[Diagnostic, ...]
    after: tuple[Diagnostic, ...]


def compare_revisions(
    project: Project, revisions: Sequence[str], overlays: Iterable[str], reporter: Reporter
) -> Comparison:
    """Compare two revisions, a revision with the work tree, or HEAD with the work tree.

    ``revisions`` are as typed after ``vmrender diff``. Each side is rendered in memory by its own
    ``vmrender.yaml``. Without ``overlays``, names or paths, all are compared. Raises ``UsageError`` for more
    than two revisions, and ``DiagnosticError``: revision-unknown, git-unavailable and what makes a project
    unusable.
    """
    with project.git() as git:
        before, after = _sides(project, git, revisions)
        return _compare(before, after, overlays, reporter)


class RenderedSide(NamedTuple):
    """An overlay rendered on one side.

    ``content`` is None where it could not be rendered; ``errors`` say why, or which resources are refused.
    """

    content: OverlaySide | None
    errors: tuple[Diagnostic, ...] = ()


class Side:
    """One side of a comparison: a project at a revision or in the work tree, rendered in memory.

    ``name`` is what the user calls it; ``revision`` stands before the paths of its findings.
    """

    def __init__(self, name: str, fs: FileSystem, revision: str = "") -> None:
        """Raises ``DiagnosticError`` for a project file that cannot be used."""
        self.name = name
        self._fs = fs
        self._revision = revision
        try:
            self._config = load_project(fs)
            with lowered(self._config.limits):
                found = find_overlays(fs, self._config)
        except DiagnosticError as error:
            raise DiagnosticError(*self.located(error.diagnostics)) from error
        self.overlays: Mapping[str, Overlay] = {overlay.path: overlay for overlay in found}
        self._pipeline = Pipeline(fs, self._config)

    def located(self, findings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """Return the findings with their lines, and paths that begin with the revision."""
        return tuple(self._labelled(finding) for finding in locate(self._fs, tuple(findings)))

    def render(self, path: str) -> RenderedSide | None:
        """Render the overlay at ``path`` within its project's limits; None where it is not on this side."""
        overlay = self.overlays.get(path)
        if overlay is None:
            return None
        with lowered(self._config.limits):
            return self._rendered(overlay)

    def _rendered(self, overlay: Overlay) -> RenderedSide:
        outcome = self._pipeline.render(overlay).in_overlay(overlay.path)
        errors = tuple(found for found in outcome.diagnostics if found.severity is Severity.ERROR)
        refused = _refusals(errors, outcome.value)
        if refused is None:
            return RenderedSide(None, errors)
        content = OverlaySide(
            release=overlay.kubevirt,
            written=tuple(outcome.value),
            applied=self._applied(overlay) if overlay.expand is ExpandMode.OFF else {},
            refused=refused,
            kubevirt=self._kubevirt(outcome.value),
        )
        return RenderedSide(content, errors)

    def _applied(self, overlay: Overlay) -> Mapping[ResId, Resource]:
        """The virtual machines as the cluster will see them, where their manifests keep the matchers."""
        outcome: Outcome[ResourceSet] = self._pipeline.render(overlay._replace(expand=ExpandMode.APPLIED))
        return {each.current_id: each for each in outcome.value if Machine.of(each) is not None}

    def _kubevirt(self, written: ResourceSet) -> JsonObject:
        """The first ``KubeVirt`` object of the overlay, or else of the project's own catalogs."""
        return next((each.content for each in (*written, *self._catalogs()) if _is_kubevirt(each)), EMPTY)

    def _catalogs(self) -> Iterable[Resource]:
        if not any(isinstance(source, CatalogPath) for source in self._config.catalogs):
            return ()
        try:
            sources = self._pipeline.catalog_sources
        except DiagnosticError:  # it is reported where a virtual machine needs the catalog
            return ()
        return tuple(resource for source in sources for resource in source.resources)

    def _labelled(self, finding: Diagnostic) -> Diagnostic:
        if not self._revision:
            return finding
        related = tuple(each._replace(location=self._label(each.location)) for each in finding.related)
        return replace(finding, location=self._label(finding.location), sites=(), related=related)

    def _label(self, location: Location | None) -> Location | None:
        if location is None or location.path.startswith("builtin:"):
            return location
        return location._replace(path=f"{self._revision}:{location.path}")


def _is_kubevirt(resource: Resource) -> bool:
    return resource.kind == "KubeVirt" and resource.gvk.group == _KUBEVIRT


def _refusals(errors: Iterable[Diagnostic], written: ResourceSet) -> Mapping[ResId, str] | None:
    """Sort the errors by resource; None when one is about no resource that was rendered."""
    known = {resource.current_id for resource in written}
    refused: dict[ResId, str] = {}
    for error in errors:
        if error.resource not in known or error.resource is None:
            return None
        refused.setdefault(error.resource, error.message)
    return refused


def _sides(project: Project, git: GitRepository, revisions: Sequence[str]) -> tuple[Side, Side]:
    """Raises ``UsageError`` for more than two revisions, ``DiagnosticError`` for an unknown one."""
    match _named(revisions):
        case []:
            before, after = "HEAD", None
        case [only] if "..." in only:
            one, _, other = only.partition("...")
            after = other or "HEAD"
            base = git.merge_base(one or "HEAD", after)
            return _at(git, base, f"{base[:_SHORT]} (merge base of {one or 'HEAD'})"), _at(git, after)
        case [only]:
            before, after = only, None
        case [first, second]:
            before, after = first, second
        case _:
            raise UsageError("there are two sides at most: vmrender diff REVISION REVISION")
    return _at(git, before), _at(git, after) if after else _work_tree(project, git)


def _work_tree(project: Project, git: GitRepository) -> Side:
    """Raises ``DiagnosticError`` for a bare repository, which has no work tree."""
    if git.is_bare:
        message = f"{project.root} is a bare repository, which has no work tree to compare"
        hint = "name two revisions: vmrender diff A B"
        raise DiagnosticError(Diagnostic(code=Code.GIT_UNAVAILABLE, message=message, hint=hint))
    return Side(_WORK_TREE, project.fs)


def _named(revisions: Sequence[str]) -> list[str]:
    """The revisions, with ``A..B`` as two; either may be left out for HEAD."""
    if len(revisions) == 1 and ".." in revisions[0] and "..." not in revisions[0]:
        one, _, other = revisions[0].partition("..")
        return [one or "HEAD", other or "HEAD"]
    return [*revisions]


def _at(git: GitRepository, revision: str, name: str = "") -> Side:
    git.commit(revision)
    return Side(
        name or revision, BuiltinFileSystem(_tree(git, revision)), revision[:_SHORT] if name else revision
    )


def _tree(git: GitRepository, revision: str) -> FileSystem:
    """The project at a revision; an empty one where its folder was not there yet."""
    try:
        return git.tree(revision)
    except DiagnosticError as error:
        if any(found.code is not Code.FILE_NOT_FOUND for found in error.diagnostics):
            raise
        return MemoryFileSystem({})


def _compare(before: Side, after: Side, wanted: Iterable[str], reporter: Reporter) -> Comparison:
    comparer = OverlayComparer()
    compared: list[OverlayDifference] = []
    errors: tuple[list[Diagnostic], list[Diagnostic]] = [], []
    selected = tuple(_selected(before, after, wanted))
    for number, (path, name) in enumerate(selected, start=1):
        stopwatch = Stopwatch()
        with reporter.doing(f"rendering both sides of {path} ({number} of {len(selected)})"):
            sides = before.render(path), after.render(path)
        rendering = stopwatch.lap()
        if sides[0] and sides[0].content is None:  # what is refused there is the past
            errors[0].extend(before.located(sides[0].errors))
        if sides[1]:
            errors[1].extend(after.located(sides[1].errors))
        with reporter.doing(f"comparing {path} ({number} of {len(selected)})"):
            compared.append(_compared(comparer, (before, after), sides, path, name))
        reporter.detail(f"{path}: both sides rendered in {rendering}, compared in {stopwatch.lap()}")
    difference = Difference(before.name, after.name, tuple(compared))
    return Comparison(difference, tuple(errors[0]), tuple(errors[1]))


def _selected(before: Side, after: Side, wanted: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Path and name of each overlay of either side. Raises ``DiagnosticError`` for one that neither has."""
    gone = (overlay for path, overlay in before.overlays.items() if path not in after.overlays)
    for overlay in select_overlays((*after.overlays.values(), *gone), wanted):
        yield overlay.path, overlay.name


def _compared(
    comparer: OverlayComparer,
    sides: tuple[Side, Side],
    rendered: tuple[RenderedSide | None, RenderedSide | None],
    path: str,
    name: str,
) -> OverlayDifference:
    failed = [
        f"it cannot be rendered in {side.name}"
        for side, content in zip(sides, rendered, strict=True)
        if content is not None and content.content is None
    ]
    if failed:
        releases = tuple(side.overlays[path].kubevirt if path in side.overlays else None for side in sides)
        return OverlayDifference(path, name, (releases[0], releases[1]), incomparable="; ".join(failed))
    before, after = (content.content if content is not None else None for content in rendered)
    return comparer.compare(path, name, before, after)
