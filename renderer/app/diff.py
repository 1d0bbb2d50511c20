"""One side of a comparison: a project at a revision or in the work tree, rendered in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from renderer.diff.compare import OverlaySide
from renderer.diff.machine import Machine
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, Severity
from renderer.model.json import EMPTY, JsonObject
from renderer.model.limits import lowered
from renderer.model.location import Location
from renderer.model.render_config import CatalogPath, ExpandMode, Overlay
from renderer.model.res_id import ResId
from renderer.model.resource import Resource, ResourceSet
from renderer.pipeline import Pipeline
from renderer.pipeline.entry_points import find_overlays
from renderer.source.file_system import FileSystem
from renderer.source.locate import locate
from renderer.source.project import load_project

_KUBEVIRT = "kubevirt.io"


class RenderedSide(NamedTuple):
    """``content`` is None where the overlay could not be rendered; ``errors`` say why, or what is refused."""

    content: OverlaySide | None
    errors: tuple[Diagnostic, ...] = ()


class Side:
    """``name`` is what the user calls it; ``revision`` the name before paths in findings, if it is one."""

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
        """The findings with their lines, in paths that say which revision's file is meant."""
        return tuple(self._labelled(finding) for finding in locate(self._fs, tuple(findings)))

    def render(self, path: str) -> RenderedSide | None:
        """None where this side does not have the overlay. Its own project's limits hold."""
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
    """Why resources would be refused; None when an error is about none of those that are there."""
    known = {resource.current_id for resource in written}
    refused: dict[ResId, str] = {}
    for error in errors:
        if error.resource not in known or error.resource is None:
            return None
        refused.setdefault(error.resource, error.message)
    return refused
