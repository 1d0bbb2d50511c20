"""Compose: a source tree to the resources that ``kustomize build`` prints, in its order."""

from __future__ import annotations

from collections.abc import Callable

from renderer.compose.accumulate import Accumulated, Accumulation
from renderer.compose.build_options import BuildOptions, Reorder
from renderer.compose.finish import finished
from renderer.compose.generation.generators import GeneratorTable
from renderer.compose.local_config import drop_local
from renderer.compose.ordering.order import sort_order
from renderer.compose.provenance import MANAGED_BY_LABEL, with_build_metadata
from renderer.compose.references.name_hash import add_name_hashes
from renderer.compose.references.name_references import fix_name_references
from renderer.compose.res_map import ResMap
from renderer.compose.variables.resolve import resolve_variables
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome
from renderer.model.resource import Resource
from renderer.model.resource_set import ResourceSet
from renderer.model.source_tree import KustomizationRoot, SourceTree
from renderer.model.transformers import SortOptions

_DEFAULT_OPTIONS = BuildOptions()


def compose(
    tree: SourceTree, generators: GeneratorTable, options: BuildOptions = _DEFAULT_OPTIONS
) -> Outcome[ResourceSet]:
    """The resources of the tree's root. ``generators`` are the kinds that may stand under ``generators``."""
    return Composer(generators, options).compose(tree)


class Composer:
    """Composes trees of one loader; what several of them use is composed once."""

    def __init__(self, generators: GeneratorTable, options: BuildOptions = _DEFAULT_OPTIONS) -> None:
        self._plain = Accumulation(generators, options.merge_keys, traces=False)
        self._traced = Accumulation(generators, options.merge_keys, traces=True)
        self._options = options

    def accumulate(self, root: KustomizationRoot) -> tuple[Resource, ...]:
        """The resources of a root as another one takes them. Raises ``DiagnosticError``."""
        return self._plain.of(root).resources

    def compose(self, tree: SourceTree) -> Outcome[ResourceSet]:
        """The resources of the tree's root, or none and what is wrong (kustomize ``kustomizer.go`` Run)."""
        try:
            accumulation = self._traced if tree.root.kustomization.build_metadata else self._plain
            accumulated = accumulation.of(tree.root)
            warnings = list(accumulated.warnings)
            resources = self._finished(accumulated, tree.root, warnings.append)
        except DiagnosticError as error:
            return Outcome(ResourceSet(), error.diagnostics)
        return Outcome(resources, tuple(warnings))

    def _finished(
        self, accumulated: Accumulated, root: KustomizationRoot, warn: Callable[[Diagnostic], None]
    ) -> ResourceSet:
        """What is done once, at the end: hashes, references to names, variables, local objects, order."""
        resources = ResMap(accumulated.resources)
        add_name_hashes(resources)
        fix_name_references(resources, accumulated.field_specs.name_reference)
        resolve_variables(resources, accumulated.variables, accumulated.field_specs.var_reference, warn)
        drop_local(resources)
        options = root.kustomization.build_metadata
        if self._options.managed_by_label:
            options = (*options, MANAGED_BY_LABEL)
        return ResourceSet(self._ordered(resources, root.kustomization.sort_options)).map(
            lambda resource: finished(with_build_metadata(resource, options, root.folder))
        )

    def _ordered(self, resources: ResMap, options: SortOptions | None) -> tuple[Resource, ...]:
        """In the order that the kustomization asks for, or else the options of the build."""
        if options is None and self._options.reorder is Reorder.NONE:
            return tuple(resources)
        ordered = sort_order(options)(resources)
        resources.check_ids()
        return ordered
