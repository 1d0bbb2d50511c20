"""The project file ``vmrender.yaml`` as values."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import TYPE_CHECKING

from renderer.model.cluster_settings import (
    COMMON_INSTANCETYPES,
    BuiltinCatalog,
    CatalogPath,
    ClusterSettings,
    StorageClass,
    clusters_by_name,
    clusters_in_path,
)
from renderer.model.entry_point import EntryKind, EntryOptions, EntryPoint
from renderer.model.kube.json import EMPTY
from renderer.model.kube.sharing import once_for_same
from renderer.model.pattern import pattern
from renderer.model.record import Record
from renderer.model.release import LATEST, Release
from renderer.model.rule_settings import RuleSettings
from renderer.model.text_enum import TextEnum

if TYPE_CHECKING:
    from renderer.model.difference_rule import DifferenceRule
    from renderer.model.kube.resource import Resource

#: The names that a pattern may contain in braces. ``part`` is ``catalog`` for instance types and preferences,
#: and ``resources`` for all others.
PLACEHOLDERS = ("namespace", "kind", "name", "group", "version", "part")

PER_RESOURCE = "{namespace}/{kind}_{name}.yaml"
#: The replacements of ``{namespace}`` for cluster-wide objects, and for those that get their namespace from
#: whoever applies them: Argo CD's destination, or the context of kubectl.
CLUSTER_FOLDER, DEFAULT_FOLDER = "_cluster", "_default"
#: The file at the top of a project.
PROJECT_FILE = "vmrender.yaml"
#: Names that people give the project file, and that are not read.
WRONG_PROJECT_FILES = ("vmrender.yml", ".vmrender.yaml", ".vmrender.yml")
BUNDLE = "manifests.yaml"
#: The file in a rendered tree that lists the files that vmrender wrote there.
OWNERSHIP_FILE = ".vmrender-owned"

_PLACEHOLDER = pattern(r"\{([^{}]*)\}")
_LITERAL = pattern(r"[a-z0-9._/-]*")
_LONGEST = 100
#: Flux and Argo CD would interpret a file of this name as configuration.
_KUSTOMIZATION = pattern(r"(.*/)?kustomization\.ya?ml")


def check_file_pattern(text: str) -> str:
    """Return ``text`` if it is valid as a file name. Raises ``ValueError``, with a message for users."""
    unknown = [name for name in _PLACEHOLDER.findall(text) if name not in PLACEHOLDERS]
    if unknown:
        known = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
        raise ValueError(f"{{{unknown[0]}}} is not a placeholder; the placeholders are {known}")
    literal = _PLACEHOLDER.sub("", text)
    if not _LITERAL.fullmatch(literal) or len(text) > _LONGEST:
        raise ValueError("only small letters, digits, placeholders and . _ - / are allowed")
    if any(not part or part.startswith(".") for part in text.split("/")):
        raise ValueError("it must be a path below the output, without hidden folders")
    if not text.endswith((".yaml", ".yml")):
        raise ValueError("it must end with .yaml or .yml, or nothing would load the files")
    if _KUSTOMIZATION.fullmatch(text):
        raise ValueError("a kustomization is not a place for manifests; choose another name")
    return text


def is_per_resource(pattern: str) -> bool:
    """Return True if each resource gets a file of its own; otherwise resources with one path share it."""
    return "{name}" in pattern


class FluxSubstitution(Record):
    """The files that define the variables; ``{name}`` in a path is the overlay's name.

    ``kustomization`` is the file of the Flux Kustomization, ``resources`` are files and folders with the
    ConfigMaps and Secrets that it names. ``secrets``: Secrets are read as well. ``strict``: a variable
    without value or default is an error; None is what the project's release of Flux does.
    """

    kustomization: str
    resources: tuple[str, ...] = ()
    secrets: bool = False
    strict: bool | None = None

    def may_read(self, file: str) -> bool:
        """Return True if variables may come from ``file``, a path below the root of the repository."""
        folder = posixpath.dirname(self.kustomization)
        sources = map(posixpath.normpath, self.resources)
        return file == posixpath.normpath(self.kustomization) or (
            any(source == file or file.startswith(f"{source}/") for source in sources)
            if self.resources
            else posixpath.dirname(file) == folder
        )

    def of_overlay(self, name: str) -> FluxSubstitution:
        """Return the same with the overlay's name in all paths."""
        return self._replace(
            kustomization=self.kustomization.replace("{name}", name),
            resources=tuple(path.replace("{name}", name) for path in self.resources),
        )


class Extra(TextEnum):
    """Files for users and tools, in addition to the manifests."""

    KUSTOMIZATION = "kustomization"  # for Flux: lists the files, so that it applies only these
    GITATTRIBUTES = "gitattributes"  # marks the files as generated, and keeps their line ends
    README = "readme"


class WebhookField(TextEnum):
    """Fields that KubeVirt's mutating webhook fills in if they are not written."""

    MATCHER_KIND = "matcherKind"
    ARCHITECTURE = "architecture"
    MACHINE = "machine"
    STORAGE_CLASS = "storageClass"
    FIRMWARE = "firmware"
    PCI_TOPOLOGY = "pciTopology"


class TreeOptions(Record):
    """The options of a rendered tree; None for an omitted option, which is inherited.

    ``files`` is a pattern (``emit.layout``).
    """

    files: str | None = None
    extras: tuple[Extra, ...] | None = None
    sync_waves: bool | None = None
    webhook_fields: tuple[WebhookField, ...] | None = None

    def over(self, other: TreeOptions) -> TreeOptions:
        """Return an overlay's options, completed by the project's."""
        return TreeOptions(
            self.files or other.files,
            other.extras if self.extras is None else self.extras,
            other.sync_waves if self.sync_waves is None else self.sync_waves,
            other.webhook_fields if self.webhook_fields is None else self.webhook_fields,
        )


class ExpandMode(TextEnum):
    """How far a VirtualMachine is expanded."""

    APPLIED = "applied"  # instance type and preference applied, nothing else changed
    DEFAULTS = "defaults"  # also the defaults that KubeVirt's expand-spec adds
    OFF = "off"  # matchers are kept


class Layout(TextEnum):
    """The division of the rendered tree into files."""

    PER_RESOURCE = "per-resource"
    BUNDLE = "bundle"

    @property
    def files(self) -> str:
        """The pattern of its file names."""
        return BUNDLE if self is Layout.BUNDLE else PER_RESOURCE


class MergeKeys(TextEnum):
    """The kinds whose lists patches merge, whose images ``images`` sets, and whose references are renamed."""

    KUSTOMIZE = "kustomize"  # Kubernetes' own kinds; lists of KubeVirt's kinds are replaced
    KUBEVIRT = "kubevirt"  # also KubeVirt's and CDI's: disks by name, container disks, names of Secrets, …


class InstancetypeNames(TextEnum):
    """The names under which instance types and preferences are written."""

    PLAIN = "plain"  # as composed
    HASH = "hash"  # with a digest of the spec at the end
    VERSION = "version"  # with the label instancetype.kubevirt.io/version at the end

    @property
    def differ(self) -> bool:
        """True if the names differ from the composed ones."""
        return self is not InstancetypeNames.PLAIN


class OverlayEntry(Record):
    """One entry of ``overlays``; an omitted field is None and is inherited from the project.

    ``cluster`` is the cluster that it names; empty if what deploys it, or its path, says which one it is.
    """

    path: str
    output: str | None = None
    kubevirt: Release | None = None
    expand: ExpandMode | None = None
    layout: Layout | None = None
    write_instancetypes: bool | None = None
    rules: RuleSettings = RuleSettings()
    instancetype_names: InstancetypeNames | None = None
    tree: TreeOptions = TreeOptions()
    flux: FluxSubstitution | None = None
    entry: EntryOptions = EntryOptions()
    cluster: str = ""

    @property
    def listed_by(self) -> str:
        """The field with its entry point: ``path``, ``flux`` or ``argocd``."""
        return self.entry.kind.value if self.entry.has_engine else EntryKind.KUSTOMIZATION.value

    @property
    def files(self) -> str | None:
        """The pattern of its files, if it sets one."""
        return self.tree.files or (self.layout.files if self.layout else None)


class Overlay(Record):
    """One folder to render, with all of its settings in the project.

    ``listed_as`` is the path of its entry in the project, which may be a glob, ``listed_by`` the field with
    that path; ``files`` the pattern of the file names of its tree. ``entry`` is its entry point, if it is not
    a kustomization. ``cluster`` is the cluster that it goes to; empty for the default cluster.
    """

    path: str
    name: str
    output: str
    kubevirt: Release
    expand: ExpandMode
    files: str
    write_instancetypes: bool
    rules: RuleSettings = RuleSettings()
    instancetype_names: InstancetypeNames = InstancetypeNames.PLAIN
    tree: TreeOptions = TreeOptions()
    flux: FluxSubstitution | None = None
    listed_as: str = ""
    listed_by: str = "path"
    entry: EntryPoint | None = None
    cluster: str = ""

    def __repr__(self) -> str:
        """Leave out the entry and variables: they may hold values that go into a Secret."""
        target = f"{self.kubevirt}, {self.expand.value}"
        return f"Overlay({self.path!r}, {self.name!r}, {self.output!r}, {target})"

    @property
    def deployer(self) -> Resource | None:
        """The Kustomization, Application or ResourceSet that it is the entry point of; None for a folder."""
        return self.entry.entry if self.entry else None

    def with_target(self, kubevirt: Release | None, expand: ExpandMode | None) -> Overlay:
        """Return the overlay with another target release or mode, if one is given."""
        return self._replace(kubevirt=kubevirt or self.kubevirt, expand=expand or self.expand)


class RenderConfig(Record):
    """The project. The defaults apply to a repository without the file.

    ``limits`` are the limits that it lowers, by field of ``Limits``. ``exclude`` are paths and
    globs of files and folders that are not searched for manifests. ``repositories`` are URLs by which Flux
    and Argo CD name this repository.

    What it says of a cluster is about the default cluster, and about each of ``clusters`` where that says
    nothing else (``of_cluster``). ``feature_gates`` are enabled in the cluster, in addition to the gates that
    a ``KubeVirt`` object lists. ``kubernetes`` is the minor release for the kinds next to virtual machines,
    None for the latest known one. ``flux`` is the release of Flux in the cluster, None for what its objects
    say. ``configuration``, ``storage_classes``, ``golden_images`` and ``facts`` are as in
    ``ClusterSettings``. ``ignored_differences`` are what ``diff`` leaves out. ``cluster`` is the cluster that
    sees the project so; empty for the default cluster.
    """

    kubevirt: Release = LATEST
    catalogs: tuple[CatalogPath | BuiltinCatalog, ...] = (COMMON_INSTANCETYPES,)
    schemas: tuple[str, ...] = ()
    overlays: tuple[OverlayEntry, ...] = (OverlayEntry("overlays/*"),)
    output: str = "rendered/{name}"
    expand: ExpandMode = ExpandMode.APPLIED
    layout: Layout = Layout.PER_RESOURCE
    write_instancetypes: bool = True
    merge_keys: MergeKeys = MergeKeys.KUSTOMIZE
    rules: RuleSettings = RuleSettings()
    instancetype_names: InstancetypeNames = InstancetypeNames.PLAIN
    tree: TreeOptions = TreeOptions()
    limits: Mapping[str, int] = EMPTY
    exclude: tuple[str, ...] = ()
    repositories: tuple[str, ...] = ()
    clusters: tuple[ClusterSettings, ...] = ()
    feature_gates: tuple[str, ...] = ()
    kubernetes: Release | None = None
    flux: Release | None = None
    configuration: tuple[str, ...] = ()
    storage_classes: tuple[StorageClass, ...] = ()
    golden_images: tuple[str, ...] = ()
    facts: str = ""
    ignored_differences: tuple[DifferenceRule, ...] = ()
    cluster: str = ""

    def of_cluster(self, name: str) -> RenderConfig:
        """Return the project as the cluster ``name`` sees it; an empty name is the default cluster.

        Settings that the cluster does not have are the default cluster's, except facts, which are of one.
        """
        settings = clusters_by_name(self.clusters).get(name)
        if settings is None or name == self.cluster:
            return self
        return self._replace(cluster=name, **{"facts": "", **settings.own})

    def for_release(self, release: Release) -> RenderConfig:
        """Return the project with one target release for all of its clusters and overlays."""
        return self._replace(
            kubevirt=release,
            clusters=tuple(each._replace(kubevirt=None) for each in self.clusters),
            overlays=tuple(each._replace(kubevirt=None) for each in self.overlays),
        )

    def catalog_folders(self) -> Mapping[str, tuple[str, ...]]:
        """Return what objects are looked up in, by path, each with the clusters that list it.

        It is the catalogs and the configuration of all clusters.
        """
        return _catalog_folders(self)

    @property
    def facts_files(self) -> tuple[str, ...]:
        """The files with facts of clusters."""
        return tuple(path for path in (self.facts, *(each.facts for each in self.clusters)) if path)

    @property
    def renames_instancetypes(self) -> bool:
        """True if any overlay writes instance types with other names."""
        chosen = (self.instancetype_names, *(entry.instancetype_names for entry in self.overlays))
        return any(names is not None and names.differ for names in chosen)

    def output_of(self, entry: OverlayEntry, name: str) -> str:
        """Return the output folder of an overlay of the entry."""
        return (entry.output or self.output).format(name=name)

    def overlay(self, entry: OverlayEntry, path: str, name: str, target: str | None = None) -> Overlay:
        """Return the overlay in the folder ``path``; fields that ``entry`` omits come from the project.

        It goes to the cluster that the entry names, or else to ``target``, the cluster that its engine
        applies it to, or else to the only one whose name is a folder in its path, or else to the default one.
        """
        if entry.cluster or target is not None:
            cluster = entry.cluster or target or ""
        else:
            in_path = clusters_in_path(self.clusters, entry.path if entry.entry.has_engine else path)
            cluster = in_path[0] if len(in_path) == 1 else ""
        write = entry.write_instancetypes
        return Overlay(
            path=path,
            name=name,
            output=self.output_of(entry, name),
            kubevirt=entry.kubevirt or self.of_cluster(cluster).kubevirt,
            expand=entry.expand or self.expand,
            files=entry.files or self.tree.files or self.layout.files,
            write_instancetypes=self.write_instancetypes if write is None else write,
            rules=entry.rules.over(self.rules),
            instancetype_names=entry.instancetype_names or self.instancetype_names,
            tree=entry.tree.over(self.tree),
            flux=entry.flux and entry.flux.of_overlay(name),
            listed_as=entry.path,
            listed_by=entry.listed_by,
            cluster=cluster,
        )


def folder_of_trees(output: str) -> str:
    """Return the folder with all rendered trees of a pattern: ``rendered`` for ``rendered/prod-{name}``."""
    before, has_name, _ = output.partition("{")
    return (posixpath.dirname(before) if has_name else output) or "."


@once_for_same
def _catalog_folders(config: RenderConfig) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for cluster in dict.fromkeys((config.cluster, *clusters_by_name(config.clusters))):
        seen = config.of_cluster(cluster)
        paths = (source.path for source in seen.catalogs if isinstance(source, CatalogPath))
        for path in dict.fromkeys((*seen.configuration, *paths)):
            found.setdefault(path, []).append(cluster)
    return {path: tuple(clusters) for path, clusters in found.items()}
