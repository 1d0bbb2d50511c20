"""The files from which Helm, jsonnet and plugins of Argo CD make manifests. vmrender runs none of these.

A chart is in a folder of the repository. Its value files
may be elsewhere, relative to the folder or, with a leading slash, to the repository, or after ``$ref`` in
another source (argo-cd ``reposerver/repository/repository.go`` ``getResolvedValueFiles``). Flux finds them
from the top of the source (source-controller ``api/v1/helmchart_types.go`` ``ValuesFiles``), kustomize from
the folder of the kustomization (kustomize ``api/types/helmchartargs.go``).
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from typing import NamedTuple

from renderer.app.comparison.side import Side
from renderer.app.comparison.unlisted_side import UnlistedSide
from renderer.files.file_system import folder_of, readable_content
from renderer.gitops.argocd.application import (
    SourceType,
    as_overridden,
    effective_type,
    is_application,
    sources,
)
from renderer.gitops.argocd.directory import JSONNET
from renderer.gitops.folder_reader import FolderReader
from renderer.gitops.replacement import is_helm_release
from renderer.kubevirt.facts.lists import is_same
from renderer.kustomize.reader.kustomization_graph import confined, folders_above
from renderer.model.diagnostic import DiagnosticError
from renderer.model.engines import CHART, FLUX_SOURCE_GROUP
from renderer.model.kube.json import EMPTY, Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.run.work import spend
from renderer.pipeline.deployer_files import objects_in
from renderer.yamlio.decode import decode_yaml11

#: Files of a chart that do not change what its templates make.
_DOCUMENTATION = (".md", "NOTES.txt", "LICENSE")
_KUBEVIRT = b"kubevirt.io/"
#: The options of a source of Argo CD for its tool.
_OPTIONS = ("helm", "plugin", "directory")


class ToolInput(NamedTuple):
    """The input of one run of a tool. Reports call it by ``place``, its chart or folder.

    It consists of ``files``, and of all files in ``folders``, or only those with one of the ``suffixes``.
    ``deployer`` is the key of the object that has the tool run, with ``options``. Without ``is_deployed``,
    nothing in the repository deploys it.
    """

    place: str
    folders: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    deployer: str = ""
    options: JsonObject = EMPTY
    is_deployed: bool = True

    def may_read(self, path: str) -> bool:
        """Return True for a file whose name is one that the tool reads below a folder."""
        if self.suffixes:
            return path.endswith(self.suffixes)
        return not path.endswith(_DOCUMENTATION)


def files_of_tools(side: Side) -> Iterator[str]:
    """Yield the files that only tools read: jsonnet, and all files in charts and in folders of plugins.

    They are more than ``ToolInputs`` finds, by names and manifests alone: a work tree is compared before it
    is known what deploys what.
    """
    paths = side.listing.paths
    folders = {folder_of(path) for path in paths if posixpath.basename(path) == CHART}
    for each in filter(is_application, side.deployers.objects):
        folders.update(posixpath.normpath(one.path) for one in sources(each) if "plugin" in one.content)
    for path in paths:
        if path.endswith(JSONNET) or (folders and not folders.isdisjoint(folders_above(path))):
            yield path


def differing_places(
    sides: tuple[ToolInputs, ToolInputs], changed: Iterable[str]
) -> Mapping[str, frozenset[str]]:
    """Return the places of which an input differs, each with the changed files among its inputs.

    If something begins or ceases to have a tool run, its own change says so.
    """
    before, after = sides
    found: dict[str, set[str]] = {}
    for path in changed:
        for place in {*before.reading(path), *after.reading(path)} & before.places & after.places:
            found.setdefault(place, set()).add(path)
    for deployer in before.options.keys() & after.options.keys():
        old, new = before.options[deployer], after.options[deployer]
        for place in old.keys() | new.keys():
            if place not in old or place not in new or not is_same(old[place], new[place]):
                found.setdefault(place, set())
    return {place: frozenset(files) for place, files in sorted(found.items())}


class ToolInputs:
    """The inputs of tools on one side."""

    def __init__(self, side: UnlistedSide) -> None:
        self._side = side
        self.found: list[ToolInput] = []
        self._by_folder: dict[str, dict[tuple[str, bool], ToolInput]] = {}
        self._by_file: dict[str, dict[str, None]] = {}
        for find in (self._of_applications, self._of_releases, self._of_kustomizations, self._of_nobody):
            self._add([*find()])

    def _add(self, found: Iterable[ToolInput]) -> None:
        for each in found:
            self.found.append(each)
            for folder in each.folders:
                self._by_folder.setdefault(folder, {})[each.place, bool(each.suffixes)] = each
            for file in each.files:
                self._by_file.setdefault(file, {})[each.place] = None

    def reading(self, path: str) -> Iterator[str]:
        """Yield the places of the inputs that a file is part of."""
        yield from self._by_file.get(path, ())
        for folder in folders_above(path):
            found = self._by_folder.get(folder, {}).values()
            spend(len(found), "looking for the inputs of tools")
            yield from (each.place for each in found if each.may_read(path))

    @cached_property
    def places(self) -> frozenset[str]:
        return frozenset(each.place for each in self.found)

    @cached_property
    def options(self) -> Mapping[str, Mapping[str, JsonObject]]:
        """How each object that deploys has tools run, by its key and by the place."""
        found: dict[str, dict[str, JsonObject]] = {}
        for each in self.found:
            if each.deployer:
                found.setdefault(each.deployer, {})[each.place] = each.options
        return found

    def naming_kubevirt(self, places: Iterable[str]) -> frozenset[str]:
        """Return the places, as far as something deploys them, with a file that names KubeVirt or CDI."""
        wanted = {each.place for each in self.found if each.is_deployed}.intersection(places)
        found = set[str]()
        for path in self._side.side.listing.paths if wanted else ():
            read = wanted.intersection(self.reading(path)) - found
            if read and _KUBEVIRT in (readable_content(self._side.side.fs, path) or b""):
                found |= read
        return frozenset(found)

    def _of_applications(self) -> Iterator[ToolInput]:
        fs, folders = self._side.side.fs, FolderReader(self._side.side.fs)
        is_own = self._side.side.deployers.urls.is_this_repository
        for application in filter(is_application, self._side.deployers()):
            every = sources(application)
            refs = {f"${text_at(each.content, 'ref')}" for each in every if is_own(each.url)}
            for each in every:
                present = each.path if each.path and confined(fs.is_folder, each.path) else ""
                if not each.path or each.is_chart or not is_own(each.url, present):
                    values = _value_files(object_at(each.content, "helm"), "", refs)
                    yield from (ToolInput(file, files=(file,)) for file in values)
                    continue
                folder, content = posixpath.normpath(each.path), as_overridden(folders, each).content
                match effective_type(folders, each):
                    case SourceType.KUSTOMIZE:
                        pass
                    case SourceType.DIRECTORY:
                        libraries = map(str, array_at(content, "directory", "jsonnet", "libs"))
                        yield ToolInput(
                            folder, (folder, *map(posixpath.normpath, libraries)), suffixes=JSONNET
                        )
                    case _:  # a chart, a plugin, or what cannot be read
                        values = _value_files(object_at(content, "helm"), folder, refs)
                        options = {key: content[key] for key in _OPTIONS if key in content}
                        deployer = _key_of(application)
                        yield ToolInput(folder, (folder,), (*values,), deployer=deployer, options=options)

    def _of_releases(self) -> Iterator[ToolInput]:
        side = self._side.side
        for path in side.listing.manifests:
            content = readable_content(side.fs, path) or b""
            if b"GitRepository" not in content or not (b"HelmRelease" in content or b"HelmChart" in content):
                continue
            for each in objects_in(content, path):
                spec = _chart_spec(each)
                folder = posixpath.normpath(text_at(spec, "chart") or ".")
                is_chart = bool(spec) and posixpath.normpath(f"{folder}/{CHART}") in side.listing.paths
                chart = each.with_content({**each.content, "spec": spec})
                if is_chart and self._side.is_source_here(chart, folder):
                    values = (posixpath.normpath(str(file)) for file in array_at(spec, "valuesFiles"))
                    options = object_at(each.content, "spec", "values")
                    yield ToolInput(folder, (folder,), tuple(values), deployer=_key_of(each), options=options)

    def _of_kustomizations(self) -> Iterator[ToolInput]:
        side = self._side.side
        for folder in side.listing.kustomizations:
            links = side.graph.links(folder)
            text = readable_content(side.fs, links.file) if links else None
            content: Json = EMPTY
            with suppress(DiagnosticError):  # reported by its build
                content = decode_yaml11(text, folder) if text and b"helmCharts" in text else EMPTY
            home = text_at(object_at(content, "helmGlobals"), "chartHome") or "charts"
            for chart in array_at(content, "helmCharts"):
                files = [text_at(chart, "valuesFile"), *map(str, array_at(chart, "additionalValuesFiles"))]
                names = f"{home}/{text_at(chart, 'name')}", *filter(None, files)
                place, *values = (posixpath.normpath(f"{folder}/{name}") for name in names)
                yield ToolInput(place, (place,), tuple(values))

    def _of_nobody(self) -> Iterator[ToolInput]:
        """Yield the outermost charts that nothing here deploys; somebody else may."""
        charts = {
            folder_of(path)
            for path in self._side.side.listing.paths
            if posixpath.basename(path) == CHART and self._side.belongs_to_project(path)
        }
        for folder in sorted(charts):
            above = {each for each in folders_above(folder) if each != folder}
            if (
                folder not in self._by_folder
                and charts.isdisjoint(above)
                and not any(self.reading(f"{folder}/{CHART}"))
            ):
                yield ToolInput(folder, (folder,), is_deployed=False)


def _key_of(deployer: Resource) -> str:
    return f"{deployer.origin.path} {deployer.object_key}"


def _value_files(helm: JsonObject, folder: str, refs: Iterable[str]) -> Iterator[str]:
    """Yield the files of this repository that a source of Argo CD takes values of."""
    parameters = (text_at(each, "path") for each in array_at(helm, "fileParameters"))
    for file in (*map(str, array_at(helm, "valueFiles")), *parameters):
        first, _, rest = file.partition("/")
        if first.startswith("$"):
            if first in refs:
                yield posixpath.normpath(rest)
        elif not first:
            yield posixpath.normpath(rest)
        elif folder:
            yield posixpath.normpath(f"{folder}/{file}")


def _chart_spec(resource: Resource) -> JsonObject:
    """Return what a HelmRelease or HelmChart of Flux says of a chart in Git; empty for any other object."""
    spec = object_at(resource.content, "spec")
    if is_helm_release(resource):
        spec = object_at(spec, "chart", "spec")
    elif resource.kind != "HelmChart" or resource.gvk.group != FLUX_SOURCE_GROUP:
        return EMPTY
    return spec if text_at(spec, "sourceRef", "kind") == "GitRepository" else EMPTY
