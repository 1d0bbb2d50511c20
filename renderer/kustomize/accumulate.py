"""Accumulation: turn a kustomization into its resources, before names are final.

kustomize ``api/internal/target/kusttarget.go`` accumulateTarget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from renderer.kustomize.build_annotations import read_build_annotations
from renderer.kustomize.build_metadata import with_generator, with_transformer
from renderer.kustomize.fields.configured_field_specs import merged_field_specs, with_configured_field_specs
from renderer.kustomize.fields.field_spec_set import NO_FIELD_SPECS, FieldSpecSet
from renderer.kustomize.identity import current_identity
from renderer.kustomize.merge_keys.merge_schema import MergeSchema
from renderer.kustomize.merge_keys.schema_in_effect import SchemaInEffect
from renderer.kustomize.res_map import ResMap
from renderer.kustomize.transform import (
    BuiltinTransform,
    CompositionChange,
    FinalStep,
    FinalTransform,
    Observer,
    Transform,
    Transformer,
    TransformerContext,
    run_observed,
)
from renderer.kustomize.transformers import images, metadata, namespace, patches, replicas
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import Variable
from renderer.model.provenance import ConfiguredBy
from renderer.model.record import Record
from renderer.model.render_config import MergeKeys
from renderer.model.run.limits import limits, over_limit
from renderer.model.run.work import spend
from renderer.model.source_tree import KustomizationRoot, OpenApi, ResourceFile

if TYPE_CHECKING:
    from renderer.kustomize.generators import GeneratorTable


#: Steps for a kustomization and a transformer, in addition to those for each resource (``model.run.work``).
_STEPS_PER_VISIT, _STEPS_PER_TRANSFORM = 100, 20


def _replacement_transforms(context: TransformerContext) -> Iterator[Transform]:
    from renderer.kustomize.replacements import replacement_transform  # noqa: PLC0415 - few have any

    yield replacement_transform(context.root.replacements, context.warn)


class BuiltinTransformer(Record):
    """A transformer by kustomize's name; it runs if ``entries`` yields something for a kustomization."""

    kind: str
    entries: Callable[[KustomizationRoot], object]
    transforms: Transformer


#: The builtin transformers in the order in which kustomize runs them
#: (``api/internal/target/kusttarget_configplugin.go``).
BUILTIN_TRANSFORMERS = (
    BuiltinTransformer(
        "PatchStrategicMergeTransformer",
        lambda root: root.patches_strategic_merge,
        patches.strategic_merge_transforms,
    ),
    BuiltinTransformer("PatchTransformer", lambda root: root.patches, patches.patch_transforms),
    BuiltinTransformer(
        "NamespaceTransformer", lambda root: root.kustomization.namespace, namespace.namespace_transforms
    ),
    BuiltinTransformer(
        "PrefixTransformer", lambda root: root.kustomization.name_prefix, metadata.prefix_transforms
    ),
    BuiltinTransformer(
        "SuffixTransformer", lambda root: root.kustomization.name_suffix, metadata.suffix_transforms
    ),
    BuiltinTransformer(
        "LabelTransformer",
        lambda root: root.kustomization.labels or root.kustomization.common_labels,
        metadata.label_transforms,
    ),
    BuiltinTransformer(
        "AnnotationsTransformer",
        lambda root: root.kustomization.common_annotations,
        metadata.annotation_transforms,
    ),
    BuiltinTransformer(
        "PatchJson6902Transformer", lambda root: root.patches_json6902, patches.json6902_transforms
    ),
    BuiltinTransformer(
        "ReplicaCountTransformer", lambda root: root.kustomization.replicas, replicas.replica_transforms
    ),
    BuiltinTransformer(
        "ImageTagTransformer", lambda root: root.kustomization.images, images.image_transforms
    ),
    BuiltinTransformer("ReplacementTransformer", lambda root: root.replacements, _replacement_transforms),
)


class Accumulated(Record):
    """The result of accumulating a kustomization, for the one that uses it.

    ``matched`` are the targets of components' patches that select something in one of their uses.
    """

    resources: tuple[Resource, ...]
    field_specs: FieldSpecSet
    variables: tuple[Variable, ...]
    warnings: tuple[Diagnostic, ...]
    matched: frozenset[Site]
    schema: SchemaInEffect


class _Gathered:
    """The resources gathered for one kustomization; its components work on the same object."""

    __slots__ = ("field_specs", "matched", "resources", "variables", "warnings")

    def __init__(self) -> None:
        self.resources = ResMap()
        self.field_specs = NO_FIELD_SPECS
        self.variables: tuple[Variable, ...] = ()
        self.warnings: list[Diagnostic] = []
        self.matched: set[Site] = set()

    def merge(self, other: Accumulated) -> None:
        """Append the resources of another kustomization.

        Raises ``DiagnosticError``: duplicate-id, kustomization-field.
        """
        self.resources.extend(other.resources)
        self.field_specs = merged_field_specs(self.field_specs, other.field_specs)
        if other.variables:
            from renderer.kustomize.variables import merge_variables  # noqa: PLC0415 - few have any

            self.variables = merge_variables(self.variables, other.variables)
        self.warnings += other.warnings
        self.matched |= other.matched


class Accumulation:
    """Accumulate kustomizations, each once, even if several others use it.

    ``traces``: every resource records what generated and transformed it.
    """

    def __init__(
        self,
        generators: GeneratorTable,
        merge_keys: MergeKeys,
        observer: Observer | None = None,
        *,
        traces: bool,
    ) -> None:
        self._generators = generators
        self._merge_keys = merge_keys
        self._observer = observer
        self._traces = traces
        self._known: dict[tuple[KustomizationRoot, OpenApi | None], Accumulated] = {}
        self._schema = SchemaInEffect()
        self._open: list[_Gathered] = []
        self._visits = 0
        self._empties_files = False

    def accumulate(self, root: KustomizationRoot, *, is_last: bool = False) -> Accumulated:
        """Return the result for the root of a build. Raises ``DiagnosticError``.

        With ``is_last``, resources are removed from their files, unless a file or folder is listed twice in
        the tree. Their memory is then free as soon as a transformer has replaced them.
        """
        self._schema = SchemaInEffect(root.open_api)
        self._open = []
        self._visits = 0
        self._empties_files = is_last and _lists_each_once(root)
        return self._accumulated(root)

    def _accumulated(self, root: KustomizationRoot) -> Accumulated:
        key = root, self._schema.open_api
        if key not in self._known:
            gathered = _Gathered()
            self._open.append(gathered)
            self._gather(root, gathered)
            self._open.pop()
            accumulated = Accumulated(
                tuple(gathered.resources),
                gathered.field_specs,
                gathered.variables,
                tuple(dict.fromkeys(gathered.warnings)),  # else a base used twice repeats them
                frozenset(gathered.matched),
                self._schema,
            )
            if self._empties_files:
                return accumulated
            self._known[key] = accumulated
        self._schema = self._known[key].schema
        return self._known[key]

    def _use_schema_of(self, root: KustomizationRoot) -> None:
        """Use the OpenAPI schema of ``root`` from now on, if it is the first of the build that has one."""
        if root.open_api and not self._schema.open_api:
            self._schema = self._schema.with_open_api(
                root.open_api, (resource for gathered in self._open for resource in gathered.resources)
            )

    def _gather(self, root: KustomizationRoot, into: _Gathered) -> None:
        """Add the resources that ``root`` lists, then transform everything gathered so far."""
        self._visits += 1  # a component is visited each time it is used
        most = limits().kustomizations
        if self._visits > most:
            message = f"this build goes through more than {most} kustomizations"
            raise over_limit("kustomizations", message, root.kustomization.site)
        spend(_STEPS_PER_VISIT + 4 * len(into.resources), "composing kustomizations")
        into.warnings += root.warnings
        self._add_listed(root, into)
        into.field_specs = with_configured_field_specs(into.field_specs, root)
        self._generate(root, into)
        for component in root.components:
            self._use_schema_of(component)
            self._gather(component, into)
            into.resources.check_ids()
        self._transform(root, into)
        added = root.kustomization.variables
        if added:
            from renderer.kustomize.variables import mark_sources, merge_variables  # noqa: PLC0415 - few have any

            marking = partial(mark_sources, variables=added)
            run_observed(self._observer, FinalTransform(root, FinalStep.VARIABLES), marking, into.resources)
            into.variables = merge_variables(into.variables, added)

    def _add_listed(self, root: KustomizationRoot, into: _Gathered) -> None:
        for index, entry in enumerate(root.resources):
            try:
                self._add(entry, into)
            except DiagnosticError as error:
                from renderer.kustomize.listed_twice import listed_twice  # noqa: PLC0415 - only for errors

                raise listed_twice(root, index, error) or error from None

    def _add(self, entry: ResourceFile | KustomizationRoot, into: _Gathered) -> None:
        if isinstance(entry, ResourceFile):
            read = entry.resources.take() if self._empties_files else entry.resources
            into.resources.extend(map(read_build_annotations, read))
            del read
        else:
            self._use_schema_of(entry)
            into.merge(self._accumulated(entry))

    def _generate(self, root: KustomizationRoot, into: _Gathered) -> None:
        if not root.data_generators and not root.generators:
            return
        from renderer.kustomize.absorb import absorb  # noqa: PLC0415 - only for what is generated
        from renderer.kustomize.generators import generate, generator_plugins  # noqa: PLC0415 - as above

        for plugin in generator_plugins(root):
            for resource, behavior in generate(plugin, self._generators):
                generated = with_generator(resource, plugin.configured_by) if self._traces else resource
                if self._observer:
                    self._observer.generated(generated, plugin)
                absorbing = partial(absorb, generated=generated, behavior=behavior)
                among = into.resources.keys_of(current_identity(generated))
                run_observed(self._observer, plugin, absorbing, into.resources, among)

    def _transform(self, root: KustomizationRoot, into: _Gathered) -> None:
        knows_kubevirt = self._merge_keys is MergeKeys.KUBEVIRT
        context = TransformerContext(
            root,
            into.field_specs,
            self._merge_schema,
            into.warnings.append,
            into.matched.add,
            knows_kubevirt,
        )
        for kind, entries, transforms in BUILTIN_TRANSFORMERS:
            if not entries(root):
                continue
            by = ConfiguredBy(root.kustomization.site.path, kind)
            for entry, transform in enumerate(transforms(context)):
                self._apply(transform, by, BuiltinTransform(root, kind, entry), into.resources)
        if root.transformers or root.validators:
            self._run_plugins(root, context, into.resources)

    def _run_plugins(self, root: KustomizationRoot, context: TransformerContext, resources: ResMap) -> None:
        # Most kustomizations have none and need not pay for the import.
        from renderer.kustomize.plugins import plugin_transforms, validate  # noqa: PLC0415 - few kustomizations have plugins

        for plugin in root.transformers:
            for transform in plugin_transforms(plugin, context):
                self._apply(transform, plugin.configured_by, plugin, resources)
        for plugin in root.validators:
            validating = partial(validate, plugin, context=context)
            run_observed(self._observer, plugin, validating, resources)

    def _merge_schema(self) -> MergeSchema:
        schema = self._schema.merge_schema()
        if self._merge_keys is not MergeKeys.KUBEVIRT:
            return schema
        from renderer.kustomize.merge_keys.kubevirt import KubevirtMergeSchema  # noqa: PLC0415 - few projects ask for it

        return KubevirtMergeSchema(schema)

    def _apply(
        self, transform: Transform, by: ConfiguredBy, change: CompositionChange, resources: ResMap
    ) -> None:
        def apply(resources: ResMap) -> None:
            spend(_STEPS_PER_TRANSFORM + 4 * len(resources), "transforming resources")
            transform(resources)
            if self._traces:
                resources.update(lambda resource: with_transformer(resource, by))

        run_observed(self._observer, change, apply, resources)


def _lists_each_once(root: KustomizationRoot) -> bool:
    """Return True if no kustomization and no resource file is listed twice in the tree of ``root``."""
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        root = waiting.pop()
        for listed in (root, *(entry for entry in root.resources if isinstance(entry, ResourceFile))):
            if id(listed) in seen:
                return False
            seen.add(id(listed))
        waiting += root.used_roots()
    return True
