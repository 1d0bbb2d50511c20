"""The composer: turn a source tree into the resources that ``kustomize build`` prints, in its order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from renderer.kustomize.accumulate import Accumulated, Accumulation
from renderer.kustomize.annotations import drop_local, with_final_annotations
from renderer.kustomize.build_metadata import MANAGED_BY_LABEL, with_build_metadata
from renderer.kustomize.name_references import fix_name_references
from renderer.kustomize.order import Reorder, sort_order
from renderer.kustomize.res_map import ResMap
from renderer.kustomize.scalar_nodes import without_nodes
from renderer.kustomize.transform import FinalStep, FinalTransform, Observer, Transform, run_observed
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.kustomization import SortOptions
from renderer.model.record import Record
from renderer.model.render_config import MergeKeys
from renderer.model.run.work import spend
from renderer.model.source_tree import KustomizationRoot, SourceTree

if TYPE_CHECKING:
    from renderer.kustomize.generators import GeneratorTable


class BuildOptions(Record):
    """The options of a build that change the result; the defaults are kustomize's.

    ``managed_by_label`` is ``--enable-managedby-label``.
    """

    reorder: Reorder = Reorder.LEGACY
    managed_by_label: bool = False
    merge_keys: MergeKeys = MergeKeys.KUSTOMIZE


#: Steps for a resource of an overlay once it is composed (``model.run.work``).
_FINISHING = 20
_DEFAULT_OPTIONS = BuildOptions()


def compose(
    tree: SourceTree, generators: GeneratorTable, options: BuildOptions = _DEFAULT_OPTIONS
) -> Outcome[ResourceSet]:
    """Return the resources of the tree's root; ``generators`` are the kinds allowed under ``generators``."""
    return Composer(generators, options).compose(tree)


class Composer:
    """Compose trees of one loader; kustomizations that several of them use are composed once."""

    def __init__(
        self,
        generators: GeneratorTable,
        options: BuildOptions = _DEFAULT_OPTIONS,
        observer: Observer | None = None,
    ) -> None:
        self._plain = Accumulation(generators, options.merge_keys, observer, traces=False)
        self._traced = Accumulation(generators, options.merge_keys, observer, traces=True)
        self.options = options
        self._observer = observer

    def accumulate(self, root: KustomizationRoot) -> tuple[Resource, ...]:
        """Return the resources of a root as another kustomization uses them. Raises ``DiagnosticError``."""
        return self._plain.accumulate(root).resources

    def compose(self, tree: SourceTree, *, is_last: bool = False) -> Outcome[ResourceSet]:
        """Return the resources of the tree's root, or errors (kustomize ``kustomizer.go`` Run).

        With ``is_last``, the tree is not composed again afterwards, so it need not keep its resources.
        """
        try:
            accumulation = self._traced if tree.root.kustomization.build_metadata else self._plain
            accumulated = accumulation.accumulate(tree.root, is_last=is_last)
            resources = ResMap(accumulated.resources)
            accumulated = accumulated._replace(resources=())  # frees those that the final steps replace
            matched = accumulated.matched
            warnings = [each for each in accumulated.warnings if each.unmatched_target not in matched]
            finished = self._finish(resources, accumulated, tree.root, warnings.append)
        except DiagnosticError as error:
            return Outcome(ResourceSet(), error.diagnostics)
        return Outcome(finished, tuple(warnings))

    def _finish(
        self,
        resources: ResMap,
        accumulated: Accumulated,
        root: KustomizationRoot,
        warn: Callable[[Diagnostic], None],
    ) -> ResourceSet:
        """Return the resources after the final steps: hashes, references, variables, order."""
        spend(_FINISHING * len(resources), "composing overlays")
        for step, transform in _final_steps(resources, accumulated, self.options.merge_keys, warn):
            run_observed(self._observer, FinalTransform(root, step), transform, resources)
        drop_local(resources)
        ordered = ResourceSet(self._sort(resources, root.kustomization.sort_options))
        return ordered.map(lambda resource: self._final_resource(resource, root, warn))

    def _final_resource(
        self, resource: Resource, root: KustomizationRoot, warn: Callable[[Diagnostic], None]
    ) -> Resource:
        """Return the resource with the requested metadata about the build, and with plain values only."""
        options = root.kustomization.build_metadata
        if self.options.managed_by_label:
            options = (*options, MANAGED_BY_LABEL)
        changed = with_final_annotations(with_build_metadata(resource, options, root.folder), warn)
        if changed.spellings or changed.shared_fields:
            changed = without_nodes(changed)
        if self._observer and changed is not resource:
            change = FinalTransform(root, FinalStep.BUILD_METADATA)
            self._observer.changed(resource, changed, change)
        return changed

    def _sort(self, resources: ResMap, options: SortOptions | None) -> tuple[Resource, ...]:
        """Return the resources in the order that the kustomization or the build options request."""
        if options is None and self.options.reorder is Reorder.NONE:
            return tuple(resources)
        ordered = sort_order(options)(resources)
        resources.check_ids()
        return ordered


def _final_steps(
    resources: ResMap,
    accumulated: Accumulated,
    merge_keys: MergeKeys,
    warn: Callable[[Diagnostic], None],
) -> Iterator[tuple[FinalStep, Transform]]:
    """Yield the final steps that the resources need, each after the earlier ones have run."""
    specs, variables = accumulated.field_specs, accumulated.variables
    if any(resource.needs_hash for resource in resources):
        from renderer.kustomize.name_hash import add_name_hashes  # noqa: PLC0415 - it needs hashlib

        yield FinalStep.NAME_HASH, add_name_hashes
    if any(resource.previous_ids or resource.kind == "RoleBinding" for resource in resources):
        yield (
            FinalStep.NAME_REFERENCE,
            lambda res_map: fix_name_references(res_map, specs.name_reference),
        )
        if merge_keys is MergeKeys.KUBEVIRT:
            from renderer.kustomize.kubevirt_references import fix_kubevirt_references  # noqa: PLC0415 - if asked for

            yield (
                FinalStep.NAME_REFERENCE,
                lambda res_map: fix_kubevirt_references(res_map, specs.name_reference),
            )
    if variables:
        from renderer.kustomize.variables import resolve_variables  # noqa: PLC0415 - few builds have any

        yield (
            FinalStep.VARIABLES,
            lambda res_map: resolve_variables(res_map, variables, specs.var_reference, warn),
        )
