"""Everything a build needs, read and parsed: later stages do not read files.

Patches as they were read, the builtin generators and transformers that are configured by objects of their own
(kustomize ``api/internal/builtins``), and the folders that list them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.json import EMPTY, Json, JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.kustomization import (
    DataGenerator,
    FieldSpec,
    FieldSpecFile,
    IamPolicyGenerator,
    Image,
    Kustomization,
    Patch,
    Replacement,
    Replica,
    Selector,
)
from renderer.model.provenance import ConfiguredBy
from renderer.model.record import Record
from renderer.model.text_enum import TextEnum


class ListedFile(Record):
    """A file that a generator's configuration lists: its path in the repository, and its content."""

    path: str
    content: bytes


#: The files that a configuration lists, by their paths as written in it.
ListedFiles: TypeAlias = Mapping[str, ListedFile]


class Generated(Record):
    """An object and the site that it comes from: a row of a table, a document that a template made.

    ``shared`` is the place of the fields that it has in common with others, if there is one.
    """

    content: JsonObject
    site: Site
    shared: Site | None = None


class StrategicMergePatches(Record):
    """The documents of one strategic merge patch file or text."""

    site: Site
    documents: tuple[Resource, ...]


class JsonPatch(Record):
    """The operations of one JSON 6902 patch file or text."""

    site: Site
    operations: tuple[Json, ...]


PatchContent: TypeAlias = StrategicMergePatches | JsonPatch


class LoadedPatch(Record):
    """A patch as it is listed, and its content."""

    listed: Patch
    content: PatchContent


class SetAnnotations(Record):
    """The configuration of an ``AnnotationsTransformer``."""

    annotations: Mapping[str, str]
    field_specs: tuple[FieldSpec, ...]


class SetLabels(Record):
    """The configuration of a ``LabelTransformer``."""

    labels: Mapping[str, str]
    field_specs: tuple[FieldSpec, ...]


class AddPrefix(Record):
    """The configuration of a ``PrefixTransformer``."""

    prefix: str
    field_specs: tuple[FieldSpec, ...]


class AddSuffix(Record):
    """The configuration of a ``SuffixTransformer``."""

    suffix: str
    field_specs: tuple[FieldSpec, ...]


class Subjects(TextEnum):
    """The subjects of role bindings that get the namespace."""

    DEFAULT_ONLY = "defaultOnly"
    ALL_SERVICE_ACCOUNTS = "allServiceAccounts"
    NONE = "none"


class SetNamespace(Record):
    """The configuration of a ``NamespaceTransformer``."""

    namespace: str
    field_specs: tuple[FieldSpec, ...]
    unset_only: bool = False
    subjects: Subjects = Subjects.DEFAULT_ONLY


class SetImage(Record):
    """The configuration of an ``ImageTagTransformer``."""

    image: Image
    field_specs: tuple[FieldSpec, ...]


class SetReplicas(Record):
    """The configuration of a ``ReplicaCountTransformer``."""

    replica: Replica
    field_specs: tuple[FieldSpec, ...]


class ApplyPatch(Record):
    """The configuration of a ``PatchTransformer``."""

    patch: LoadedPatch


class ApplyJson6902(Record):
    """The configuration of a ``PatchJson6902Transformer``."""

    patch: LoadedPatch


class ApplyStrategicMerge(Record):
    """The configuration of a ``PatchStrategicMergeTransformer``."""

    patches: tuple[StrategicMergePatches, ...]


class Replace(Record):
    """The configuration of a ``ReplacementTransformer``."""

    replacements: tuple[Replacement, ...]


class AddNameHash:
    """A request to add the hash to the names of generated objects."""


class ValueTarget(Record):
    """The field that a value is written to; from ``position`` 1 it goes between the names of a file path."""

    site: Site
    selector: Selector | None
    field_path: str
    position: int = 0


class AddValue(Record):
    """The configuration of a ``ValueAddTransformer``."""

    value: str
    targets: tuple[ValueTarget, ...]


TransformerConfig: TypeAlias = (
    SetAnnotations
    | SetLabels
    | AddPrefix
    | AddSuffix
    | SetNamespace
    | SetImage
    | SetReplicas
    | ApplyPatch
    | ApplyJson6902
    | ApplyStrategicMerge
    | Replace
    | AddNameHash
    | AddValue
)

#: A generator of another API is left as the object that configures it.
GeneratorConfig: TypeAlias = DataGenerator | IamPolicyGenerator | Resource


class TransformerPlugin(Record):
    """The transformers that one configuration requests, in order; ``site`` is its place."""

    site: Site
    configured_by: ConfiguredBy
    configs: tuple[TransformerConfig, ...]


class GeneratorPlugin(Record):
    """A generator of another API has the files that its configuration lists."""

    configured_by: ConfiguredBy
    config: GeneratorConfig
    files: ListedFiles = EMPTY


class ResourceFile(Record):
    """The objects in one file, or in a text inside a kustomization."""

    site: Site
    resources: ResourceSet


class Document(Record):
    """The first document of a file that configures composition."""

    site: Site
    content: Json


class OpenApi(Record):
    """``openapi``: the author's own schema, or the version of one of Kubernetes' own.

    Compared by identity.
    """

    site: Site
    schema: Document | None
    version: str = ""

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


class KustomizationRoot(Record):
    """One folder with a kustomization, and everything that its fields list.

    A root that several others use is one value: roots are compared by identity. ``data_generators`` are the
    generators of ConfigMaps and Secrets; ``plugin_roots`` the folders with configurations of generators,
    transformers and validators. ``is_partial``: resources that need other repositories may be missing.
    """

    folder: str
    kustomization: Kustomization
    resources: tuple[ResourceFile | KustomizationRoot, ...] = ()
    components: tuple[KustomizationRoot, ...] = ()
    data_generators: tuple[DataGenerator, ...] = ()
    generators: tuple[GeneratorPlugin, ...] = ()
    transformers: tuple[TransformerPlugin, ...] = ()
    validators: tuple[TransformerPlugin, ...] = ()
    plugin_roots: tuple[KustomizationRoot, ...] = ()
    configurations: tuple[FieldSpecFile, ...] = ()
    crds: tuple[Document, ...] = ()
    open_api: OpenApi | None = None
    replacements: tuple[Replacement, ...] = ()
    patches: tuple[LoadedPatch, ...] = ()
    patches_strategic_merge: tuple[StrategicMergePatches, ...] = ()
    patches_json6902: tuple[LoadedPatch, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()
    is_partial: bool = False

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def used_roots(self) -> tuple[KustomizationRoot, ...]:
        """Return the roots that this one lists in any of its fields."""
        resources = (entry for entry in self.resources if isinstance(entry, KustomizationRoot))
        return (*resources, *self.components, *self.plugin_roots)

    def outline(self, known: dict[KustomizationRoot, KustomizationRoot]) -> KustomizationRoot:
        """Return the root and the roots below it without resource files; ``known``: the ones made so far."""
        if self not in known:
            known[self] = self._replace(
                resources=tuple(
                    entry.outline(known) for entry in self.resources if isinstance(entry, KustomizationRoot)
                ),
                components=tuple(each.outline(known) for each in self.components),
                plugin_roots=tuple(each.outline(known) for each in self.plugin_roots),
            )
        return known[self]


class SourceTree(Record):
    """The requested root, and below it everything that it uses."""

    root: KustomizationRoot
