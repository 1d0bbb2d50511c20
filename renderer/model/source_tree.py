"""Everything a build needs, read and parsed: no stage after this one looks at a file."""

from __future__ import annotations

from dataclasses import dataclass

from renderer.model.diagnostic import Diagnostic
from renderer.model.generators import DataGenerator
from renderer.model.json import Json
from renderer.model.kustomization import Kustomization
from renderer.model.location import Site
from renderer.model.patches import LoadedPatch, StrategicMergePatches
from renderer.model.plugins import GeneratorPlugin, TransformerPlugin
from renderer.model.record import Record
from renderer.model.resource import Resource
from renderer.model.selection import FieldSpecFile
from renderer.model.transformers import Replacement


class ResourceFile(Record):
    """The objects in one file, or in a text inside a kustomization."""

    site: Site
    resources: tuple[Resource, ...]


class Document(Record):
    """The first document of a file that configures composition."""

    site: Site
    content: Json


@dataclass(frozen=True, slots=True, eq=False)
class OpenApi:
    """``openapi``: a schema of the author's own, or the version of one of Kubernetes' own.

    Two are equal when they are the same.
    """

    site: Site
    schema: Document | None
    version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KustomizationRoot:
    """One folder with a kustomization, and what its fields lead to.

    A root that several others use is one value: two roots are equal when they are the same.
    ``data_generators`` are those of ConfigMaps and Secrets; ``plugin_roots`` the folders that hold
    configurations of generators, transformers and validators.
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

    def used_roots(self) -> tuple[KustomizationRoot, ...]:
        """The roots that this one lists in any of its fields."""
        resources = (entry for entry in self.resources if isinstance(entry, KustomizationRoot))
        return (*resources, *self.components, *self.plugin_roots)


class SourceTree(Record):
    """The root that was asked for, and below it everything that it uses."""

    root: KustomizationRoot
