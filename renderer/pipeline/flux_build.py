"""Builds a Flux Kustomization as kustomize-controller does: generate, compose, substitute, set metadata."""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

from collections.abc import Iterable

from renderer.model.completed_kustomization import CompletedKustomization
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, has_errors
from renderer.model.render_config import MergeKeys
from renderer.model.resource import Resource
from renderer.model.resource import ResourceSet
from renderer.source.file_system import FileSystem
from renderer.source.find_kustomization import LoadRestrictor


def compose_completed(
    fs: FileSystem,
    completed: CompletedKustomization,
    restrictor: LoadRestrictor,
    *,
    sorted_by_kind: bool,
    merge_keys: MergeKeys = MergeKeys.KUSTOMIZE,
) -> Outcome[ResourceSet]:
    """The resources of a kustomization that an engine has completed; kustomize alone sorts them by kind."""
    from renderer.compose.compose import BuildOptions, Reorder
    from renderer.compose.compose import Composer
    from renderer.pipeline.pipeline import GENERATORS
    from renderer.source.load import Loader

    reorder = Reorder.LEGACY if sorted_by_kind else Reorder.NONE
    composer = Composer(GENERATORS, BuildOptions(reorder=reorder, merge_keys=merge_keys))
    try:
        loader = Loader(fs, restrictor, composer.accumulate, completed=completed)
        return composer.compose(loader.load(completed.folder))
    except DiagnosticError as error:
        return Outcome(ResourceSet(), error.diagnostics)


def build_flux_kustomization(
    fs: FileSystem, entry: Resource, candidates: Iterable[Resource], *, secrets: bool, strict: bool
) -> Outcome[ResourceSet]:
    """The objects that the Kustomization ``entry`` applies from ``fs``, the artifact of its source.

    ``candidates`` are objects that its variables may come from; of Secrets only if ``secrets``.
    """
    from renderer.gitops.flux.after_build import read_objects, with_common_metadata
    from renderer.gitops.flux.generator import complete

    try:
        completed = complete(fs, entry)
    except DiagnosticError as error:
        return Outcome(ResourceSet(), error.diagnostics)
    composed = compose_completed(fs, completed, LoadRestrictor.NONE, sorted_by_kind=False)
    substituted = composed.then(
        lambda resources: _substituted(resources, entry, candidates, secrets=secrets, strict=strict)
    )
    if substituted.failed:
        return Outcome(ResourceSet(), substituted.diagnostics)
    applied = with_common_metadata(read_objects(substituted.value), entry)
    return Outcome(applied, substituted.diagnostics)


def _substituted(
    resources: ResourceSet, entry: Resource, candidates: Iterable[Resource], *, secrets: bool, strict: bool
) -> Outcome[ResourceSet]:
    from renderer.substitution.post_build import read_post_build
    from renderer.substitution.substitute import substitute
    from renderer.substitution.post_build import VariableReader

    findings: list[Diagnostic] = []
    post_build = read_post_build(entry, findings, variables_only=False)
    variables = VariableReader(candidates, secrets=secrets, findings=findings).read(post_build)
    if has_errors(findings):
        return Outcome(resources, tuple(findings))
    outcome = substitute(resources, variables, strict=strict)
    return Outcome(outcome.value.resources, (*findings, *outcome.diagnostics))
