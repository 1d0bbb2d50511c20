"""A kustomization as written by its author (kustomize ``api/types``), and as completed by an engine."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import Gvk
from renderer.model.kube.resource import DataPlace
from renderer.model.record import Record
from renderer.model.text_enum import TextEnum

KUSTOMIZE_GROUP = "kustomize.config.k8s.io"
KUSTOMIZATION_KIND = "Kustomization"
COMPONENT_KIND = "Component"
#: The first fields of a file of each kind, as kustomize writes them.
KUSTOMIZATION_HEAD: JsonObject = {
    "apiVersion": f"{KUSTOMIZE_GROUP}/v1beta1",
    "kind": KUSTOMIZATION_KIND,
}
COMPONENT_HEAD: JsonObject = {"apiVersion": f"{KUSTOMIZE_GROUP}/v1alpha1", "kind": COMPONENT_KIND}
#: The names of the file (kustomize ``api/konfig``), and the one of those that vmrender writes.
KUSTOMIZATION_FILES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
KUSTOMIZATION_FILE = "kustomization.yaml"


def is_kustomization_file(path: str) -> bool:
    """Return True for the path of a kustomization, by its name."""
    return path.rpartition("/")[2] in KUSTOMIZATION_FILES


class FieldSpec(Record):
    """A path that a transformer visits in objects of some kinds; empty matches any (``fieldspec.go``)."""

    path: str
    group: str = ""
    version: str = ""
    kind: str = ""
    create: bool = False


class Selector(Record):
    """The resources a patch is for: anchored regular expressions and label selectors (``selector.go``)."""

    group: str = ""
    version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    annotation_selector: str = ""
    label_selector: str = ""


class NameReferenceSpec(Record):
    """The fields that hold names of resources of the kind ``target``."""

    target: Gvk
    referrers: tuple[FieldSpec, ...]


class FieldSpecFile(Record):
    """A file listed under ``configurations``; its field specs by the name of the field that they apply to."""

    site: Site
    field_specs: Mapping[str, tuple[FieldSpec, ...]]
    name_references: tuple[NameReferenceSpec, ...]


class Behavior(TextEnum):
    """The action of a generator on a resource of the same id (``generationbehavior.go``)."""

    UNSPECIFIED = ""
    CREATE = "create"
    REPLACE = "replace"
    MERGE = "merge"


class GeneratorOptions(Record):
    """The settings of a generated object in addition to its data (``generatoroptions.go``)."""

    labels: Mapping[str, str] = EMPTY
    annotations: Mapping[str, str] = EMPTY
    disable_name_suffix_hash: bool = False
    immutable: bool = False

    def over(self, common: GeneratorOptions) -> GeneratorOptions:
        """These options merged with the options of all generators below; a flag that is on in one is on."""
        return GeneratorOptions(
            labels={**common.labels, **self.labels},
            annotations={**common.annotations, **self.annotations},
            disable_name_suffix_hash=self.disable_name_suffix_hash or common.disable_name_suffix_hash,
            immutable=self.immutable or common.immutable,
        )


class GeneratorArgs(Record):
    """An entry of ``configMapGenerator`` or ``secretGenerator``; ``type`` is for Secrets only."""

    site: Site
    kind: str
    name: str = ""
    namespace: str = ""
    behavior: Behavior = Behavior.UNSPECIFIED
    literals: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    envs: tuple[str, ...] = ()
    type: str = ""
    options: GeneratorOptions = GeneratorOptions()


class KeyValue(Record):
    """One entry of the data to generate; ``site`` is where it is listed.

    ``file`` and ``line`` are the place in the file that is listed, as in ``DataPlace``.
    """

    key: str
    value: bytes
    site: Site
    file: str = ""
    line: int = 0

    @property
    def place(self) -> DataPlace:
        return DataPlace(self.key, self.site, self.file, self.line)


class DataGenerator(Record):
    """A generator, and the data in its literals, files and env files, in kustomize's order."""

    args: GeneratorArgs
    data: tuple[KeyValue, ...]


class IamPolicyGenerator(Record):
    """A Kubernetes service account bound to a cloud service account (``iampolicygenerator.go``)."""

    site: Site
    cloud: str
    kubernetes_name: str
    kubernetes_namespace: str
    account_name: str
    project_id: str


#: The default field path of names, sources and variables.
DEFAULT_FIELD_PATH = "metadata.name"


class Image(Record):
    """An entry of ``images``; ``name`` is a regular expression without tag and digest."""

    site: Site
    name: str = ""
    new_name: str = ""
    tag_suffix: str = ""
    new_tag: str = ""
    digest: str = ""


class Replica(Record):
    """An entry of ``replicas``: the name of a workload and the number of its pods."""

    site: Site
    name: str
    replicas: int


class FieldOptions(Record):
    """How a replacement splits a field. ``index`` counts from 0; a negative one is before the first part."""

    delimiter: str = ""
    index: int = 0  # type: ignore[assignment] # tuples have a method of that name, which nobody needs here
    create: bool = False


class ReplacementSource(Record):
    """The one resource, and the field in it, that a value is copied from; empty matches any."""

    site: Site
    group: str = ""
    version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    field_path: str = DEFAULT_FIELD_PATH
    options: FieldOptions = FieldOptions()


class ReplacementTarget(Record):
    """The fields that a value is written to; ``select`` is None if no resources are specified."""

    site: Site
    select: Selector | None
    reject: tuple[Selector, ...] = ()
    field_paths: tuple[str, ...] = (DEFAULT_FIELD_PATH,)
    options: FieldOptions = FieldOptions()


class Replacement(Record):
    """A value, from a resource or given here, and its targets; None if the author omitted it."""

    site: Site
    source: ReplacementSource | None = None
    source_value: str | None = None
    targets: tuple[ReplacementTarget, ...] | None = None


class ReplacementFile(Record):
    """An entry of ``replacements`` that names a file with replacements."""

    site: Site
    path: str


class Variable(Record):
    """An entry of ``vars``: ``$(name)`` expands to a field of the resource that the other fields identify."""

    site: Site
    name: str
    group: str = ""
    version: str = ""
    kind: str = ""
    object_name: str = ""
    object_namespace: str = ""
    field_path: str = DEFAULT_FIELD_PATH


class SortOptions(Record):
    """``sortOptions``; without ``legacy`` kustomize's own order applies."""

    site: Site
    order: str = ""
    legacy: LegacySortOptions | None = None


class LegacySortOptions(Record):
    """The kinds to sort first and last, in their order."""

    first: tuple[str, ...]
    last: tuple[str, ...]


class Patch(Record):
    """One patch, in a file at ``path`` or written inline as ``patch``; ``site`` is where it is listed."""

    site: Site
    path: str = ""
    patch: str = ""
    target: Selector | None = None
    allow_name_change: bool = False
    allow_kind_change: bool = False


class Label(Record):
    """Labels to set, and where beyond ``metadata.labels``."""

    pairs: Mapping[str, str]
    include_selectors: bool = False
    include_templates: bool = False
    field_specs: tuple[FieldSpec, ...] = ()


class CompletedKustomization(Record):
    """The kustomization that Flux or Argo CD builds in ``folder`` instead of its file, which is not changed.

    ``file`` is the path of that file, whether it exists or is generated. ``sites`` are the places where added
    fields and list entries may be written, the likeliest first. ``lenient``: fields that kustomize does not
    know are ignored.
    """

    folder: str
    file: str
    content: JsonObject
    sites: Mapping[FieldPath, tuple[Site, ...]] = MappingProxyType({})
    generated: bool = False
    lenient: bool = False

    def site(self, *segments: str | int) -> Site:
        """Return the place of a field of the kustomization."""
        return self.sites_of(*segments)[0]

    def sites_of(self, *segments: str | int) -> tuple[Site, ...]:
        """Return the places where a field of the kustomization may be written."""
        field = FieldPath(segments)
        return self.sites.get(field) or (Site(self.file, 0, field),)


class Kustomization(Record):
    """The fields of one kustomization file; ``site`` is the file's root."""

    site: Site
    kind: str = KUSTOMIZATION_KIND
    resources: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    components: tuple[str, ...] = ()
    generators: tuple[str, ...] = ()
    name_prefix: str = ""
    name_suffix: str = ""
    namespace: str = ""
    labels: tuple[Label, ...] = ()
    common_labels: Mapping[str, str] = EMPTY
    common_annotations: Mapping[str, str] = EMPTY
    patches: tuple[Patch, ...] = ()
    patches_strategic_merge: tuple[str, ...] = ()
    patches_json6902: tuple[Patch, ...] = ()
    replacements: tuple[Replacement | ReplacementFile, ...] = ()
    replicas: tuple[Replica, ...] = ()
    images: tuple[Image, ...] = ()
    variables: tuple[Variable, ...] = ()
    config_map_generator: tuple[GeneratorArgs, ...] = ()
    secret_generator: tuple[GeneratorArgs, ...] = ()
    transformers: tuple[str, ...] = ()
    validators: tuple[str, ...] = ()
    configurations: tuple[str, ...] = ()
    crds: tuple[str, ...] = ()
    open_api: Mapping[str, str] = EMPTY
    build_metadata: tuple[str, ...] = ()
    sort_options: SortOptions | None = None
    completed: CompletedKustomization | None = None

    def site_of(self, *segments: str | int) -> Site:
        """Return the place of a field, which may be in the entry point that completed the file."""
        return self.sites_of(*segments)[0]

    def sites_of(self, *segments: str | int) -> tuple[Site, ...]:
        """Return the places where a field may be written, patches of the entry point among them."""
        return self.completed.sites_of(*segments) if self.completed else (self.site.below(*segments),)
