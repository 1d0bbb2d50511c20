"""What ``vmrender.yaml`` says."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from renderer.model.release import LATEST, Release
from renderer.model.rule_settings import RuleSettings


class ExpandMode(StrEnum):
    """How far a VirtualMachine is expanded."""

    APPLIED = "applied"  # instance type and preference applied, nothing else touched
    DEFAULTS = "defaults"  # and the defaults that KubeVirt's expand-spec adds
    OFF = "off"  # matchers stay


class Layout(StrEnum):
    """How the rendered tree is cut into files."""

    PER_RESOURCE = "per-resource"
    BUNDLE = "bundle"


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


class CatalogPath(NamedTuple):
    """A folder of the repository that composes to instance types and preferences."""

    path: str


class BuiltinCatalog(NamedTuple):
    """A catalog that ships with vmrender."""

    name: str


COMMON_INSTANCETYPES = BuiltinCatalog("common-instancetypes")


class OverlayEntry(NamedTuple):
    """One entry of ``overlays``; what it leaves out is None and comes from the project."""

    path: str
    output: str | None = None
    kubevirt: Release | None = None
    expand: ExpandMode | None = None
    layout: Layout | None = None
    write_instancetypes: bool | None = None
    rules: RuleSettings = RuleSettings()
    instancetype_names: InstancetypeNames | None = None


class Overlay(NamedTuple):
    """One folder to render, with everything the project says about it.

    ``listed_as`` is the path of its entry in the project, which may be a glob.
    """

    path: str
    name: str
    output: str
    kubevirt: Release
    expand: ExpandMode
    layout: Layout
    write_instancetypes: bool
    rules: RuleSettings = RuleSettings()
    instancetype_names: InstancetypeNames = InstancetypeNames.PLAIN
    listed_as: str = ""

    def with_target(self, kubevirt: Release | None, expand: ExpandMode | None) -> Overlay:
        """The overlay with another target release or mode, where one is given."""
        return self._replace(kubevirt=kubevirt or self.kubevirt, expand=expand or self.expand)


class RenderConfig(NamedTuple):
    """The project. The defaults are what a repository without the file gets."""

    kubevirt: Release = LATEST
    catalogs: tuple[CatalogPath | BuiltinCatalog, ...] = (COMMON_INSTANCETYPES,)
    overlays: tuple[OverlayEntry, ...] = (OverlayEntry("overlays/*"),)
    output: str = "rendered/{name}"
    expand: ExpandMode = ExpandMode.APPLIED
    layout: Layout = Layout.PER_RESOURCE
    write_instancetypes: bool = True
    merge_keys: MergeKeys = MergeKeys.KUSTOMIZE
    rules: RuleSettings = RuleSettings()
    instancetype_names: InstancetypeNames = InstancetypeNames.PLAIN

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
            layout=entry.layout or self.layout,
            write_instancetypes=self.write_instancetypes if write is None else write,
            rules=entry.rules.over(self.rules),
            instancetype_names=entry.instancetype_names or self.instancetype_names,
            listed_as=entry.path,
        )
