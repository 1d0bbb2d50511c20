"""The makers of a resource's versions: files, generators, transformers and stages.

A maker names the step that changed a field, where that step is written, and the field that the value was
copied from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from renderer.authoring.sizes.series import row_sites
from renderer.kustomize.build_metadata import BUILD_METADATA_KEYS
from renderer.kustomize.replacement_paths import PathError, element_name, list_index, split_field_path
from renderer.kustomize.replacements import find_source
from renderer.kustomize.res_map import ResMap
from renderer.kustomize.transform import BuiltinTransform, CompositionChange, FinalStep, FinalTransform
from renderer.model.diagnostic import DiagnosticError
from renderer.model.difference import NoValue
from renderer.model.kube.field_path import ElementName, FieldPath, Segment
from renderer.model.kube.json import JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import DataGenerator, Replacement, ReplacementTarget
from renderer.model.provenance import StepKind
from renderer.model.render_config import PROJECT_FILE, Overlay
from renderer.model.run.work import spend
from renderer.model.source_tree import GeneratorPlugin, TransformerPlugin
from renderer.model.vmrender_api import INSTANCETYPE_SERIES
from renderer.provenance.paths import field_value, indexed, named

#: The steps that a field of the project file requests.
_PROJECT_OPTIONS = frozenset(
    {StepKind.INSTANCETYPE_NAME, StepKind.REPOINTED, StepKind.SYNC_WAVE, StepKind.WEBHOOK_FIELD}
)
_DISPLAY_NAMES = {
    StepKind.SUBSTITUTED: "postBuild of the Flux Kustomization",
    StepKind.ENTRY_POINT: "commonMetadata of the Flux Kustomization",
    StepKind.TEMPLATE_LABEL: "labels of the Template",
    StepKind.TARGET_FORM: "the form that the target release knows",
    StepKind.INSTANCETYPE_NAME: "instancetypeNames",
    StepKind.WEBHOOK_FIELD: "webhookFields",
    StepKind.SYNC_WAVE: "syncWaves",
    StepKind.SUPPRESSION: "annotations that suppress rules are not written",
}
_DATA = ("data", "binaryData", "stringData")
#: Steps for examining one target of a replacement (``model.run.work``).
_STEPS_PER_TARGET = 6
#: The field of a kustomization that requests each kind of transformer.
_TRANSFORMER_FIELDS = {
    "PatchStrategicMergeTransformer": "patchesStrategicMerge",
    "PatchTransformer": "patches",
    "NamespaceTransformer": "namespace",
    "PrefixTransformer": "namePrefix",
    "SuffixTransformer": "nameSuffix",
    "LabelTransformer": "labels",
    "AnnotationsTransformer": "commonAnnotations",
    "PatchJson6902Transformer": "patchesJson6902",
    "ReplicaCountTransformer": "replicas",
    "ImageTagTransformer": "images",
    "ReplacementTransformer": "replacements",
}
_PATCHES = frozenset({"patchesStrategicMerge", "patches", "patchesJson6902"})
_FINAL_STEPS = {
    FinalStep.VARIABLES: StepKind.VARIABLE,
    FinalStep.NAME_HASH: StepKind.NAME_HASH,
    FinalStep.NAME_REFERENCE: StepKind.NAME_REFERENCE,
    FinalStep.BUILD_METADATA: StepKind.BUILD_METADATA,
}


class FieldSource(NamedTuple):
    """A field whose value was copied into another one."""

    resource: Resource
    field: FieldPath


class Maker(Protocol):
    """The step that made a version from the previous one; ``field`` is one that it changed."""

    @property
    def act(self) -> StepKind: ...

    def display_name(self, field: FieldPath) -> str:
        """Return the display name of the step: ``patch``, ``namePrefix``."""

    def sites(self, field: FieldPath) -> tuple[Site, ...]:
        """Return the places that may request the change, most specific first."""

    def sources(self, field: FieldPath, resources: Sequence[Resource]) -> Iterator[FieldSource]:
        """Yield the fields that the value was copied from.

        ``resources`` are all resources of the overlay.
        """


class Version(NamedTuple):
    """The content of a resource, and the maker of that content."""

    content: JsonObject
    maker: Maker


@dataclass(frozen=True, slots=True)
class StageStep:
    """The maker of a stage's output; ``before`` was its input, in ``overlay``."""

    before: Resource
    act: StepKind
    overlay: Overlay

    def display_name(self, _field: FieldPath) -> str:
        if self.act is StepKind.ENTRY_POINT and self.overlay.listed_by == "argocd":
            return "destination of the Application"
        return _DISPLAY_NAMES.get(self.act, self.act.value)

    def sites(self, field: FieldPath) -> tuple[Site, ...]:
        """Return the project's option that requests it, or else the places of the field."""
        if self.act is StepKind.ENTRY_POINT:
            return _entry_sites(self.overlay, field)
        if self.act is StepKind.TEMPLATE_LABEL:
            origin = self.before.origin
            labels = FieldPath.of("labels")
            return origin._replace(field=labels.child(*field.segments[2:])), origin._replace(field=labels)
        if self.act not in _PROJECT_OPTIONS:
            return self.before.sites(field)
        option = self.display_name(field)
        entry = FieldPath.of("overlays", ElementName(self.overlay.listed_by, self.overlay.listed_as), option)
        return Site(PROJECT_FILE, 0, entry), Site(PROJECT_FILE, 0, FieldPath.of(option))

    def sources(self, _field: FieldPath, _resources: Sequence[Resource]) -> Iterator[FieldSource]:
        yield from ()


def _entry_sites(overlay: Overlay, field: FieldPath) -> tuple[Site, ...]:
    """Return the field of a Flux Kustomization or Application that sets this value on all of its objects."""
    entry = overlay.deployer
    if entry is None:
        return ()
    if entry.kind == "Application":
        return entry.sites(FieldPath.of("spec", "destination", "namespace"))
    common = FieldPath.of("spec", "commonMetadata")
    return (*entry.sites(common.child(*field.segments[1:])), *entry.sites(common))


@dataclass(frozen=True, slots=True)
class GeneratorStep:
    """The maker of a resource that a generator created."""

    resource: Resource
    generator: GeneratorPlugin

    @property
    def act(self) -> StepKind:
        return StepKind.GENERATED

    def display_name(self, _field: FieldPath) -> str:
        by, text = self.generator.configured_by, self.resource.origin.text
        name = f"{by.kind} {by.name}".rstrip()
        return f"{name}, made of {text.values}" if text else name

    def sites(self, field: FieldPath) -> tuple[Site, ...]:
        return generated_sites(self.generator, self.resource, field)

    def sources(self, _field: FieldPath, _resources: Sequence[Resource]) -> Iterator[FieldSource]:
        yield from ()


def generated_sites(generator: GeneratorPlugin, resource: Resource, field: FieldPath) -> tuple[Site, ...]:
    """Return the places that may set the value, most specific first.

    ``resource`` is the one that it generated or merged into.
    """
    config = generator.config
    if isinstance(config, DataGenerator):
        return (*_data_sites(config, field), config.args.site)
    if isinstance(config, Resource) and config.kind == INSTANCETYPE_SERIES:
        return row_sites(resource.origin, config.origin, field)
    return (resource.origin.child(field),)


def _data_sites(config: DataGenerator, field: FieldPath) -> Iterator[Site]:
    """Yield the places of the generator's data, labels, annotations and name."""
    at, segments = config.args.site, field.segments
    if segments[0] in _DATA:
        yield from (pair.site for pair in reversed(config.data) if pair.key == segments[-1])
    elif segments[0] == "metadata":
        yield from (at.below(*segments[1:]), at.below("options", *segments[1:]))
    else:
        yield at.child(field)


def _replacement_name(replacement: Replacement) -> str:
    """Return the display name of a replacement: ``replacement from ConfigMap settings data.host``."""
    source = replacement.source
    if source is None:
        return "replacement"
    return " ".join(filter(None, ("replacement from", source.kind, source.name, source.field_path)))


def replacement_source(replacement: Replacement, resources: Iterable[Resource]) -> FieldSource | None:
    """Return the field that the value was copied from; None for ``sourceValue``, or if it is gone."""
    if replacement.source is None:
        return None
    try:
        resource = find_source(ResMap(resources), replacement.source)
        segments = tuple(_segments(replacement.source.field_path))
    except (DiagnosticError, PathError):
        return None
    return FieldSource(resource, named(resource.content, FieldPath(segments)))


def _may_write(target: ReplacementTarget, field: FieldPath) -> bool:
    """Return True if a path of the target shares a key with the field."""
    keys = {segment for segment in field.segments if isinstance(segment, str)}
    return any(keys.intersection(split_field_path(path)) for path in target.field_paths)


def _segments(path: str) -> Iterator[Segment]:
    for step in split_field_path(path):
        name, index = element_name(step), list_index(step)
        if name is not None:
            yield ElementName(*name)
        else:
            yield step if index is None else index


@dataclass(frozen=True, slots=True)
class ReadFromFile:
    """The maker of a resource that was read from a file."""

    resource: Resource

    @property
    def act(self) -> StepKind:
        return StepKind.WRITTEN

    def display_name(self, _field: FieldPath) -> str:
        return "written"

    def sites(self, field: FieldPath) -> tuple[Site, ...]:
        return (self.resource.origin.child(field),)

    def sources(self, _field: FieldPath, _resources: Sequence[Resource]) -> Iterator[FieldSource]:
        yield from ()


@dataclass(frozen=True, slots=True)
class CompositionStep:
    """The maker of ``after``, which was ``before``."""

    before: Resource
    after: Resource
    change: CompositionChange

    @property
    def act(self) -> StepKind:
        match self.change:
            case FinalTransform(step=step):
                return _FINAL_STEPS[step]
            case GeneratorPlugin():
                return StepKind.GENERATED
            case BuiltinTransform(kind=kind) if _TRANSFORMER_FIELDS[kind] in _PATCHES:
                return StepKind.PATCHED
            case BuiltinTransform(kind="ReplacementTransformer"):
                return StepKind.REPLACED
            case _:
                return StepKind.TRANSFORMED

    def display_name(self, field: FieldPath) -> str:
        match self.change:
            case FinalTransform(step=FinalStep.BUILD_METADATA) if (
                field.segments[-1] not in BUILD_METADATA_KEYS
            ):
                return "annotations as texts"
            case FinalTransform(step=step):
                return step
            case BuiltinTransform(kind="LabelTransformer", root=root, entry=entry):
                return "labels" if entry < len(root.kustomization.labels) else "commonLabels"
            case BuiltinTransform(kind="ReplacementTransformer"):
                replacement = self.replacement(field)
                return _replacement_name(replacement) if replacement else "replacements"
            case BuiltinTransform(kind=kind):
                return _TRANSFORMER_FIELDS[kind]
            case GeneratorPlugin(configured_by=by) | TransformerPlugin(configured_by=by):
                return f"{by.kind} {by.name}".rstrip()

    def sites(self, field: FieldPath) -> tuple[Site, ...]:
        match self.change:
            case GeneratorPlugin() as generator:
                return generated_sites(generator, self.after, field)
            case TransformerPlugin(site=site):
                return (*self._layer_sites(field), site)
            case BuiltinTransform() as builtin:
                return self._layer_sites(field) or _requesting_sites(builtin, field)
            case FinalTransform(root=root, step=step):
                return (root.kustomization.site.below(step), *self.after.sites(field))

    def sources(self, field: FieldPath, resources: Sequence[Resource]) -> Iterator[FieldSource]:
        match self.change:
            case BuiltinTransform(kind="ReplacementTransformer"):
                replacement = self.replacement(field)
                source = replacement_source(replacement, resources) if replacement else None
                if source:
                    yield source
            case FinalTransform(step=FinalStep.NAME_REFERENCE):
                yield from self._renamed_resource(field, resources)
            case _:
                return

    def replacement(self, field: FieldPath) -> Replacement | None:
        """Return the replacement that changed the field last."""
        replacements = self.change.root.replacements if isinstance(self.change, BuiltinTransform) else ()
        first = {site: position for position, site in reversed([*enumerate(self.layers)])}
        targets = [(target, each) for each in replacements for target in each.targets or ()]
        spend(_STEPS_PER_TARGET * len(targets) + len(self.layers), "looking for the replacement of a field")
        found = [
            (first[target.site], replacement)
            for target, replacement in targets
            if target.site in first and _may_write(target, field)
        ]
        return min(found, key=lambda each: each[0])[1] if found else None

    @property
    def layers(self) -> tuple[Site, ...]:
        """Return the places of the patches that changed it, newest first."""
        known = len(self.before.layers)
        return tuple(reversed(self.after.layers[known:]))

    def _layer_sites(self, field: FieldPath) -> tuple[Site, ...]:
        """Return the field's places in the patches, list elements by name and by number."""
        exists = field_value(self.after.content, field) is not NoValue.ABSENT
        by_index = indexed((self.after if exists else self.before).content, field)
        return tuple(site for layer in self.layers for site in (layer.child(field), layer.child(by_index)))

    def _renamed_resource(self, field: FieldPath, resources: Iterable[Resource]) -> Iterator[FieldSource]:
        """Yield the renamed resource whose new name is in the field."""
        is_namespace = field.segments[-1] == "namespace"
        before, after = (field_value(each.content, field) for each in (self.before, self.after))
        for resource in resources:
            name = resource.namespace if is_namespace else resource.name
            earlier = [old.namespace if is_namespace else old.name for old in resource.previous_ids]
            if name == after and before in earlier:
                yield FieldSource(resource, FieldPath.of("metadata", "namespace" if is_namespace else "name"))
                return


def _requesting_sites(builtin: BuiltinTransform, field: FieldPath) -> tuple[Site, ...]:
    """Return the places in the kustomization that request it; the entry for labels and annotations."""
    written, name, key = builtin.root.kustomization, _TRANSFORMER_FIELDS[builtin.kind], field.segments[-1]
    at = written.site_of(name)
    match name:
        case "labels" if builtin.entry < len(written.labels):
            return (at.below(builtin.entry, "pairs", key), at.below(builtin.entry))
        case "labels":
            common = written.site_of("commonLabels")
            return (written.site_of("commonLabels", str(key)), common)
        case "commonAnnotations":
            return (written.site_of("commonAnnotations", str(key)), at)
        case "images":
            return (written.images[builtin.entry].site,)
        case "replicas":
            return (written.replicas[builtin.entry].site,)
        case _:
            return written.sites_of(name)
