"""The variables of Flux Kustomizations, put into the overlays that name one."""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, has_errors
from renderer.model.location import Site
from renderer.model.render_config import Overlay
from renderer.model.resource import Resource, ResourceSet
from renderer.source.file_system import FileSystem

if TYPE_CHECKING:
    from renderer.substitution.post_build import Variables


class FluxVariables:
    """Variables by overlay; ``compose`` makes a folder, named at a site of the project, into resources."""

    def __init__(self, fs: FileSystem, compose: Callable[[str, Site | None], Outcome[ResourceSet]]) -> None:
        self._fs = fs
        self._compose = compose
        self._known: dict[str, Outcome[Variables]] = {}
        self._confidential: dict[str, frozenset[str]] = {}

    def substituted(self, overlay: Overlay, composed: Outcome[ResourceSet]) -> Outcome[ResourceSet]:
        """Put values in the place of variables; no resources remain when a value is missing."""
        if overlay.flux is None or composed.failed:
            return composed
        from renderer.pipeline.flux_build import substitute_variables

        variables = self._variables(overlay)
        outcome = substitute_variables(composed, variables, strict=overlay.flux.strict)
        self._confidential[overlay.path] = outcome.value.confidential
        return Outcome(outcome.value.resources, outcome.diagnostics)

    def confidential(self, overlay: Overlay) -> frozenset[str]:
        """Return the confidential values of an overlay that was substituted before."""
        return self._confidential.get(overlay.path, frozenset())

    def _variables(self, overlay: Overlay) -> Outcome[Variables]:
        if overlay.path not in self._known:
            findings: list[Diagnostic] = []
            variables = self._read(overlay, findings)
            self._known[overlay.path] = Outcome(variables, tuple(findings))
        return self._known[overlay.path]

    def _read(self, overlay: Overlay, findings: list[Diagnostic]) -> Variables:
        from renderer.source.flux_sources import FluxSources
        from renderer.substitution.post_build import VariableReader, Variables, read_post_build

        if overlay.flux is None:
            return Variables()
        sources = FluxSources(self._fs, overlay, self._composed)
        try:
            post_build = read_post_build(sources.kustomization(overlay.flux), findings)
            names = {source.name for source in post_build.sources}
            candidates = tuple(sources.candidates(overlay.flux, names)) if names else ()
        except DiagnosticError as error:
            findings += error.diagnostics
            return Variables()
        if has_errors(findings):
            return Variables()
        return VariableReader(candidates, secrets=overlay.flux.secrets, findings=findings).read(post_build)

    def _composed(self, folder: str, site: Site) -> tuple[Resource, ...]:
        """Raises ``DiagnosticError``."""
        composed = self._compose(folder, site)
        if composed.failed:
            raise DiagnosticError(*composed.diagnostics)
        return composed.value.resources
