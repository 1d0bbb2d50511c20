"""One side of a comparison: a project at a revision or in the work tree, rendered in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from renderer.diff.compare import Hold, OverlayComparer, OverlaySide, held_as_written
from renderer.diff.virtual_machine import VirtualMachineView
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, Severity
from renderer.model.difference import OverlayDifference
from renderer.model.json import EMPTY, JsonObject
from renderer.model.limits import only_lowered_to
from renderer.model.location import Location
from renderer.model.render_config import CatalogPath, ExpandMode, Overlay
from renderer.model.res_id import ResId
from renderer.model.resource import Resource
from renderer.model.resource_set import ResourceSet
from renderer.pipeline import Pipeline
from renderer.pipeline.held_changes import HeldChanges, ProjectState
from renderer.source.file_system import FileSystem
from renderer.source.locate import locate
from renderer.source.overlays import find_overlays
from renderer.source.project import load_project

if TYPE_CHECKING:
    from renderer.instancetype.catalog import Catalog

_KUBEVIRT = "kubevirt.io"


class RenderedSide(NamedTuple):
    """``content`` is None where the overlay could not be rendered; ``errors`` say why, or what is refused.

    ``state`` is what its virtual machines see of instance types and of the cluster.
    """

    content: OverlaySide | None
    errors: tuple[Diagnostic, ...] = ()
    state: ProjectState | None = None


class Side:
    """``name`` is what the user calls it; ``revision`` the name before paths in findings, if it is one."""

    def __init__(self, name: str, fs: FileSystem, revision: str = "") -> None:
        """Raises ``DiagnosticError`` for a project file that cannot be used."""
        self.name = name
        self._fs = fs
        self.revision = revision
        try:
            self._config = load_project(fs)
            with only_lowered_to(self._config.limits):
                found = find_overlays(fs, self._config)
        except DiagnosticError as error:
            raise DiagnosticError(*self.located(error.diagnostics)) from error
        self.overlays: Mapping[str, Overlay] = {overlay.path: overlay for overlay in found}
        self._pipeline = Pipeline(fs, self._config)

    def located(self, findings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """The findings with their lines, in paths that say which revision's file is meant."""
        return tuple(self._labelled(finding) for finding in locate(self._fs, tuple(findings)))

    def render(self, path: str) -> RenderedSide | None:
        """None where this side does not have the overlay. Its own project's limits hold."""
        overlay = self.overlays.get(path)
        if overlay is None:
            return None
        with only_lowered_to(self._config.limits):
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
        return RenderedSide(content, errors, self._state(overlay, outcome.value))

    def _state(self, overlay: Overlay, written: ResourceSet) -> ProjectState:
        """The instance types that VMs with matchers name are those that the overlay composes."""
        resources = written
        if overlay.expand is ExpandMode.OFF and not overlay.write_instancetypes:
            resources = self._pipeline.compose(overlay.path).value
        return ProjectState(resources, self._catalog(resources))

    def _catalog(self, resources: ResourceSet) -> Catalog:
        from renderer.instancetype.catalog import Catalog  # noqa: PLC0415 - a stage is imported where it is used
        from renderer.instancetype.virtual_machine import needs_catalog  # noqa: PLC0415 - as above

        if not needs_catalog(resources) and not self._catalogs():
            return Catalog()
        try:
            return Catalog.of(*self._pipeline.catalog_sources)
        except DiagnosticError:  # it is reported where a virtual machine needs the catalog
            return Catalog()

    def _applied(self, overlay: Overlay) -> Mapping[ResId, Resource]:
        """The virtual machines as the cluster will see them, where their manifests keep the matchers."""
        outcome: Outcome[ResourceSet] = self._pipeline.render(overlay._replace(expand=ExpandMode.APPLIED))
        return {each.current_id: each for each in outcome.value if VirtualMachineView.of(each) is not None}

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
        if not self.revision:
            return finding
        related = tuple(each._replace(location=self._label(each.location)) for each in finding.related)
        return replace(finding, location=self._label(finding.location), sites=(), related=related)

    def _label(self, location: Location | None) -> Location | None:
        if location is None or location.path.startswith("builtin:"):
            return location
        return location._replace(path=f"{self.revision}:{location.path}")


def compare_sides(  # noqa: PLR0913, PLR0917 - an overlay on two sides, and what was between
    comparer: OverlayComparer,
    sides: tuple[Side, Side],
    rendered: tuple[RenderedSide | None, RenderedSide | None],
    path: str,
    name: str,
    between: Sequence[RenderedSide] = (),
) -> OverlayDifference:
    """Return what differs in an overlay that is on one side at least.

    ``between`` is the overlay since its VMs were started from the side before, the oldest first.
    """
    failed = [
        f"it cannot be rendered in {side.name}"
        for side, content in zip(sides, rendered, strict=True)
        if content is not None and content.content is None
    ]
    if failed:
        releases = tuple(side.overlays[path].kubevirt if path in side.overlays else None for side in sides)
        return OverlayDifference(path, name, (releases[0], releases[1]), incomparable="; ".join(failed))
    before, after = (content.content if content is not None else None for content in rendered)
    return comparer.compare(path, name, before, after, _hold(*rendered, between), accumulated=bool(between))


def _hold(before: RenderedSide | None, after: RenderedSide | None, between: Sequence[RenderedSide]) -> Hold:
    if before is None or after is None or before.state is None or after.state is None:
        return held_as_written
    assert after.content is not None  # noqa: S101 - it has a state
    states = [each.state for each in between if each.state is not None]
    return HeldChanges(before.state, after.state, after.content.release, states)


def _is_kubevirt(resource: Resource) -> bool:
    return resource.kind == "KubeVirt" and resource.gvk.group == _KUBEVIRT


def _refusals(errors: Iterable[Diagnostic], written: ResourceSet) -> Mapping[ResId, str] | None:
    """Why resources would be refused; None when an error is about none of those that are there."""
    known = {resource.current_id for resource in written}
    refused: dict[ResId, str] = {}
    for error in errors:
        if error.resource not in known or error.resource is None:
            return None
        refused.setdefault(error.resource, error.message)
    return refused
