"""What composition does to a resource, as far as it says where: by files, patches and transformers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from renderer.compose.observer import BuiltinTransform, Change, Finish, Finishing
from renderer.compose.provenance import BUILD_METADATA_KEYS
from renderer.model.act import Act
from renderer.model.difference import NoValue
from renderer.model.field_path import FieldPath
from renderer.model.location import Site
from renderer.model.plugins import GeneratorPlugin, TransformerPlugin
from renderer.model.resource import Resource
from renderer.provenance.generating import generated_at
from renderer.provenance.paths import indexed, value_at
from renderer.provenance.replacing import replacement_behind, source_of, words_of
from renderer.provenance.version import Source

#: The field of a kustomization that asks for each kind of transformer.
_FIELDS = {
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
_FINISHES = {
    Finish.VARIABLES: Act.VARIABLE,
    Finish.NAME_HASH: Act.NAME_HASH,
    Finish.NAME_REFERENCE: Act.NAME_REFERENCE,
    Finish.BUILD_METADATA: Act.BUILD_METADATA,
}


@dataclass(frozen=True, slots=True)
class Read:
    """The maker of a resource that was read from a file."""

    resource: Resource

    @property
    def act(self) -> Act:
        return Act.WRITTEN

    def words(self, _field: FieldPath) -> str:
        return "written"

    def sites(self, field: FieldPath) -> tuple[Site, ...]:
        return (self.resource.origin.child(field),)

    def sources(self, _field: FieldPath, _among: Sequence[Resource]) -> Iterator[Source]:
        yield from ()


@dataclass(frozen=True, slots=True)
class Changed:
    """The maker of ``after``, which was ``before``."""

    before: Resource
    after: Resource
    change: Change

    @property
    def act(self) -> Act:
        match self.change:
            case Finishing(what=what):
                return _FINISHES[what]
            case GeneratorPlugin():
                return Act.GENERATED
            case BuiltinTransform(kind=kind) if _FIELDS[kind] in _PATCHES:
                return Act.PATCHED
            case BuiltinTransform(kind="ReplacementTransformer"):
                return Act.REPLACED
            case _:
                return Act.TRANSFORMED

    def words(self, field: FieldPath) -> str:
        match self.change:
            case Finishing(what=Finish.BUILD_METADATA) if field.segments[-1] not in BUILD_METADATA_KEYS:
                return "annotations as texts"
            case Finishing(what=what):
                return what
            case BuiltinTransform(kind="LabelTransformer", root=root, entry=entry):
                return "labels" if entry < len(root.kustomization.labels) else "commonLabels"
            case BuiltinTransform(kind="ReplacementTransformer", root=root):
                replacement = replacement_behind(root.replacements, self._layers, field)
                return words_of(replacement) if replacement else "replacements"
            case BuiltinTransform(kind=kind):
                return _FIELDS[kind]
            case GeneratorPlugin(configured_by=by) | TransformerPlugin(configured_by=by):
                return f"{by.kind} {by.name}".rstrip()

    def sites(self, field: FieldPath) -> tuple[Site, ...]:
        match self.change:
            case GeneratorPlugin() as generator:
                return generated_at(generator, self.after, field)
            case TransformerPlugin(site=site):
                return (*self._layer_sites(field), site)
            case BuiltinTransform() as builtin:
                return self._layer_sites(field) or _asked_for_at(builtin, field)
            case Finishing(root=root, what=what):
                return (root.kustomization.site.below(what), *self.after.sites(field))

    def sources(self, field: FieldPath, among: Sequence[Resource]) -> Iterator[Source]:
        match self.change:
            case BuiltinTransform(kind="ReplacementTransformer", root=root):
                replacement = replacement_behind(root.replacements, self._layers, field)
                source = source_of(replacement, among) if replacement else None
                if source:
                    yield source
            case Finishing(what=Finish.NAME_REFERENCE):
                yield from self._renamed(field, among)
            case _:
                return

    @property
    def _layers(self) -> tuple[Site, ...]:
        """The places of what changed it, newest first."""
        known = len(self.before.layers)
        return tuple(reversed(self.after.layers[known:]))

    def _layer_sites(self, field: FieldPath) -> tuple[Site, ...]:
        """A merged patch names elements, the pointers of a JSON patch count them."""
        is_there = value_at(self.after.content, field) is not NoValue.ABSENT
        where = self.after if is_there else self.before
        counted = indexed(where.content, field)
        return tuple(site for layer in self._layers for site in (layer.child(field), layer.child(counted)))

    def _renamed(self, field: FieldPath, among: Iterable[Resource]) -> Iterator[Source]:
        """The resource whose name the field holds now."""
        is_namespace = field.segments[-1] == "namespace"
        before, after = (value_at(each.content, field) for each in (self.before, self.after))
        for resource in among:
            name = resource.namespace if is_namespace else resource.name
            was = [old.namespace if is_namespace else old.name for old in resource.previous_ids]
            if name == after and before in was:
                yield Source(resource, FieldPath.of("metadata", "namespace" if is_namespace else "name"))
                return


def _asked_for_at(builtin: BuiltinTransform, field: FieldPath) -> tuple[Site, ...]:
    """The entry of the kustomization; of labels and annotations the one that is meant."""
    written, name, key = builtin.root.kustomization, _FIELDS[builtin.kind], field.segments[-1]
    at = written.site.below(name)
    match name:
        case "labels" if builtin.entry < len(written.labels):
            return (at.below(builtin.entry, "pairs", key), at.below(builtin.entry))
        case "labels":
            common = written.site.below("commonLabels")
            return (common.below(key), common)
        case "commonAnnotations":
            return (at.below(key), at)
        case "images":
            return (written.images[builtin.entry].site,)
        case "replicas":
            return (written.replicas[builtin.entry].site,)
        case _:
            return (at,)
