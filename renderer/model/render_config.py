"""What ``vmrender.yaml`` says."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from renderer.model.file_pattern import BUNDLE, PER_RESOURCE
from renderer.model.flux_substitution import FluxSubstitution
from renderer.model.json import EMPTY
from renderer.model.record import Record
from renderer.model.release import LATEST, Release
from renderer.model.rule_settings import RuleSettings
from renderer.model.tree_options import TreeOptions


class ExpandMode(StrEnum):
    """How far a VirtualMachine is expanded."""

    APPLIED = "applied"  # instance type and preference applied, nothing else touched
    DEFAULTS = "defaults"  # and the defaults that KubeVirt's expand-spec adds
    OFF = "off"  # matchers stay


class Layout(StrEnum):
    """How the rendered tree is cut into files."""

    PER_RESOURCE = "per-resource"
    BUNDLE = "bundle"

    @property
    def files(self) -> str:
        """The pattern that its files are named by."""
        return BUNDLE if self is Layout.BUNDLE else PER_RESOURCE


class MergeKeys(StrEnum):
    """By which keys strategic merge patches merge lists."""

    KUSTOMIZE = "kustomize"  # those of Kubernetes' own kinds; lists of KubeVirt's kinds are replaced
    KUBEVIRT = "kubevirt"  # and the names of disks, volumes, networks, … of KubeVirt's


class InstancetypeNames(StrEnum):
    """What instance types and preferences are called where they are written."""

    PLAIN = "plain"  # as composed
    HASH = "hash"  # with a digest of the spec at the end
    VERSION = "version"  # with the label instancetype.kubevirt.io/version at the end

    @property
    def differ(self) -> bool:
        """Whether they are not the composed ones."""
        return self is not InstancetypeNames.PLAIN


class CatalogPath(Record):
    """A folder of the repository that composes to instance types and preferences."""

    path: str


class BuiltinCatalog(Record):
    """A catalog that ships with vmrender."""

    name: str


COMMON_INSTANCETYPES = BuiltinCatalog("common-instancetypes")


class OverlayEntry(Record):
    """One entry of ``overlays``; what it leaves out is None and comes from the project."""

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

    @property
    def files(self) -> str | None:
        """The pattern of its files, if it says anything of them."""
        return self.tree.files or (self.layout.files if self.layout else None)


class Overlay(Record):
    """One folder to render, with everything the project says about it.

    ``listed_as`` is the path of its entry in the project, which may be a glob; ``files`` the pattern by which
    the files of its tree are named.
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

    def with_target(self, kubevirt: Release | None, expand: ExpandMode | None) -> Overlay:
        """The overlay with another target release or mode, where one is given."""
        return self._replace(kubevirt=kubevirt or self.kubevirt, expand=expand or self.expand)


class RenderConfig(Record):
    """The project. The defaults are what a repository without the file gets.

    ``limits`` are those that it lowers, by field of ``model.limits.Limits``.
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

    @property
    def renames_instancetypes(self) -> bool:
        """Whether any overlay writes instance types under other names."""
        chosen = (self.instancetype_names, *(entry.instancetype_names for entry in self.overlays))
        return any(names is not None and names.differ for names in chosen)

    def overlay(self, entry: OverlayEntry, path: str, name: str) -> Overlay:
        """The overlay in the folder ``path``, as ``entry`` and, for what it leaves out, the project say."""
        write = entry.write_instancetypes
        return Overlay(
            path=path,
            name=name,
            output=(entry.output or self.output).format(name=name),
            kubevirt=entry.kubevirt or self.kubevirt,
            expand=entry.expand or self.expand,
            files=entry.files or self.tree.files or self.layout.files,
            write_instancetypes=self.write_instancetypes if write is None else write,
            rules=entry.rules.over(self.rules),
            instancetype_names=entry.instancetype_names or self.instancetype_names,
            tree=entry.tree.over(self.tree),
            flux=entry.flux and entry.flux.of_overlay(name),
            listed_as=entry.path,
        )
