"""The Applications and Flux Kustomizations of a repository that deploy its overlays, and their rules.

An overlay that is an entry point has its own deployer. Any other overlay is deployed by those objects whose
source is its folder or the folder that it is rendered into, contains that folder, or has a kustomization that
lists it. Of an ApplicationSet, that is its template.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import cache, cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING

from renderer.adopt.live.ignored_differences import (
    IgnoreRule,
    IgnoreRules,
    is_customization,
    rules_of_application,
    rules_of_kustomization,
    rules_of_settings,
)
from renderer.files.file_system import FileSystem, folder_of, is_inside
from renderer.gitops.argocd.application import (
    as_application,
    is_application,
    is_application_set,
    named_sources,
    sources,
)
from renderer.gitops.flux.flux_operator import PROVIDER, is_instance, is_resource_set
from renderer.gitops.flux.kustomization import deployed_folder, is_flux_kustomization, source_key
from renderer.gitops.repository_url import RepositoryUrls
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph, folders_above
from renderer.model.diagnostic import DiagnosticError
from renderer.model.engines import FLUX_OPERATOR_GROUP, FLUX_SOURCE_GROUP
from renderer.model.kube.json import Json, array_at, object_at, text_at
from renderer.model.kube.location import DocumentPlace, Site
from renderer.model.kube.res_id import ObjectKey, Reference, ResId
from renderer.model.kube.resource import Resource
from renderer.model.render_config import Overlay, RenderConfig
from renderer.model.run.work import spend
from renderer.model.sync_options import RESPECT_IGNORED, options_of_application
from renderer.pipeline.reached_objects import repository_urls
from renderer.project.excluded_paths import EXAMPLE_FOLDERS
from renderer.yamlio.decode import decode_yaml11

if TYPE_CHECKING:
    from renderer.gitops.argocd.generators.repository_tree import RepositoryTree

_SETTINGS = "argocd-cm"
#: A placeholder of an ApplicationSet's template.
_PLACEHOLDER = re.compile(r"\{\{[^{}]*\}\}")
_GLOB = re.compile(r"[*?[]")
#: Steps for a rule of what deploys an overlay, and for each object that does each time it is looked at
#: (``model.run.work``).
_STEPS_PER_RULE, _STEPS_PER_DEPLOYER = 10, 8
_LOOKING = "looking for what deploys an overlay"
_APPLIED_ANYWAY = "the next sync applies Git's value all the same"


class Deployers:
    """The Applications, ApplicationSets and Flux Kustomizations of one tree, and Argo CD's settings."""

    def __init__(
        self,
        fs: FileSystem,
        graph: KustomizationGraph,
        config: RenderConfig,
        overlays: Iterable[Overlay],
        objects: Mapping[str, Sequence[Resource]],
    ) -> None:
        """``objects`` are those in the manifests of the tree, as ``deployer_objects`` reads them."""
        overlays = tuple(overlays)
        self.files = objects.keys()
        self._fs, self._graph, self._config = fs, graph, config
        self._is_file = cache(fs.is_file)
        self._parents_of_folders: dict[str, frozenset[Site]] = {}
        self._applied: dict[DocumentPlace, bool] = {}
        self._made: dict[DocumentPlace, tuple[Resource, ...] | None] = {}
        self._keys_made: dict[DocumentPlace, frozenset[ObjectKey]] = {}
        self._known: dict[tuple[str, str], tuple[Resource, ...]] = {}
        self._known_below: dict[str, Sequence[int]] = {}
        self._known_sources: dict[tuple[Site, ResId], frozenset[str]] = {}
        self._made_by_folder: dict[DocumentPlace, Mapping[str, Mapping[ObjectKey, Resource]]] = {}
        self._folders = frozenset(folder for each in overlays for folder in (each.path, each.output))
        self._entries = [each.deployer for each in overlays if each.deployer]
        self._found: list[Resource] = []
        self._settings: list[IgnoreRule] = []
        self._beside: list[Resource] = []
        self._inputs: list[Resource] = []
        #: The FluxInstances, each of which makes the root of a cluster.
        self.instances: list[Resource] = []
        for listed in objects.values():
            for resource in listed:
                if _deploys(resource):
                    self._found.append(resource)
                elif resource.gvk.group == FLUX_SOURCE_GROUP or is_resource_set(resource):
                    self._beside.append(resource)
                elif is_instance(resource):
                    self.instances.append(resource)
                elif resource.kind == PROVIDER and resource.gvk.group == FLUX_OPERATOR_GROUP:
                    self._inputs.append(resource)
                elif resource.kind == "ConfigMap" and resource.name == _SETTINGS:
                    self._settings += rules_of_settings(resource, _customizations(resource))

    def of(self, overlay: Overlay) -> tuple[Resource, ...]:
        """Return the objects that deploy an overlay."""
        if overlay.deployer:
            return (overlay.deployer,)
        key = overlay.path, overlay.output
        if key not in self._known:
            self._known[key] = self._find(overlay)
        spend(_STEPS_PER_DEPLOYER * len(self._known[key]), _LOOKING)
        return self._known[key]

    def _find(self, overlay: Overlay) -> tuple[Resource, ...]:
        folders = {posixpath.normpath(each) for each in (overlay.path, overlay.output)}
        by_folder, globs = self._by_source
        spend(len(globs), _LOOKING)
        found = {number for folder in folders for number in by_folder.get(folder, ())}
        found.update(number for glob, number in globs if any(fnmatchcase(each, glob) for each in folders))
        found.update(self._above(posixpath.normpath(overlay.output)))
        return tuple(self._deploying[number] for number in sorted(found))

    @cached_property
    def _deploying(self) -> Sequence[Resource]:
        """What deploys folders: the objects in files, and those that ResourceSets make."""
        made = (each for one in self._beside if is_resource_set(one) for each in self.made_by(one))
        return [*self._found, *(each for each in made if _deploys(each))]

    def probable(self, overlay: Overlay) -> tuple[Resource, ...]:
        """Return the objects that deploy an overlay; those that nothing applies only without others."""
        found = self.of(overlay)
        return tuple(filter(self.is_applied, found)) or found

    def is_applied(self, deployer: Resource) -> bool:
        """Return True if an overlay has the file of an object, or if an object in Git applies it.

        An object may apply itself, as that of a bootstrap does. A manifest that nothing applies may be an
        example, or somebody applies it by hand; so may be a folder of examples that applies itself.
        """
        key = deployer.origin.document_place
        if key not in self._applied:
            self._applied[key] = self._find_applied(deployer)
        return self._applied[key]

    def _find_applied(self, deployer: Resource) -> bool:
        path = deployer.origin.path
        above = frozenset(folders_above(path))
        if any(each.origin == deployer.origin for each in self._entries):
            return True
        parents = [*self.above([deployer])]
        if self._deploys_itself(deployer):
            parents.append(deployer)
        if any(EXAMPLE_FOLDERS.isdisjoint(each.origin.path.lower().split("/")) for each in parents):
            return True
        if any(folder in above and self._graph.links(folder) is None for folder in self._folders):
            return True
        return path in self._listed_files

    @cached_property
    def _listed_files(self) -> frozenset[str]:
        """The files that the kustomizations of the overlays list."""
        folders = self._graph.reached(self._folders)
        return frozenset(file for links in map(self._graph.links, folders) if links for file in links.files)

    def _above(self, output: str) -> Iterator[int]:
        """Yield the numbers of the objects whose source contains a tree, or lists it in a kustomization."""
        yield from self._by_listing.get(output, ())
        for folder in folders_above(output):
            if self._graph.links(folder) is not None:  # then only what it lists is deployed
                return
            yield from self._applying_below(folder)

    def _applying_below(self, folder: str) -> Sequence[int]:
        """Return the numbers of the objects that apply what is in the folders of their source, too."""
        if folder not in self._known_below:
            by_folder, _ = self._by_source
            self._known_below[folder] = [
                number
                for number in by_folder.get(folder, ())
                if is_flux_kustomization(self._deploying[number])
                or _recurses(self._deploying[number], folder)
            ]
        return self._known_below[folder]

    @cached_property
    def _by_listing(self) -> Mapping[str, set[int]]:
        """The numbers of the objects by the trees that the kustomizations in their sources list."""
        found: dict[str, set[int]] = {}
        for source, numbers in self._by_source[0].items():
            for used in self._graph.folders(source) if source not in self._folders else ():
                links = self._graph.links(used)
                for place in (*links.files, *links.folders) if links else ():
                    for folder in self._folders.intersection((place, *folders_above(place))):
                        found.setdefault(folder, set()).update(numbers)
        return found

    def applied_beside(self, path: str) -> Iterator[tuple[Resource, str]]:
        """Yield the objects with a source without kustomization that contains a manifest.

        With each comes the folder of the outermost kustomization between, which alone decides what Flux
        applies of its folder; empty if the manifest itself is applied.
        """
        by_folder, _ = self._by_source
        listing = ""
        for folder in folders_above(path):
            has_listing = self._graph.links(folder) is not None
            here = by_folder.get(folder, ()) if folder == folder_of(path) else self._applying_below(folder)
            spend(1 + _STEPS_PER_DEPLOYER * len(here), _LOOKING)
            for deployer in (self._deploying[number] for number in here if not has_listing):
                yield deployer, listing if is_flux_kustomization(deployer) else ""
            listing = folder if has_listing else listing

    def leaves_out(self, path: str) -> bool:
        """Return True if objects deploy folders above a file, and the kustomizations there do not list it."""
        by_folder, _ = self._by_source
        listing, is_left_out = "", False
        for folder in folders_above(path):
            links = self._graph.links(folder)
            if links is not None:
                listing = folder
            if not by_folder.get(folder):
                continue
            if not listing or (links and not links.is_readable) or path in self._graph.files(listing):
                return False
            is_left_out = True
        return is_left_out

    def sources_of(self, deployer: Resource) -> frozenset[str]:
        """Return the folders of this repository that an object deploys."""
        key = deployer.origin, deployer.current_id
        if key not in self._known_sources:
            self._known_sources[key] = frozenset(map(posixpath.normpath, self._own_sources(deployer)))
        return self._known_sources[key]

    def deploying(self, path: str) -> Iterator[Resource]:
        """Yield the objects, which themselves are applied, that deploy a folder in which a file is."""
        yield from filter(self.is_applied, self.with_sources_above(path))

    def with_sources_above(self, path: str) -> Iterator[Resource]:
        """Yield the objects that deploy a folder in which a file or folder is."""
        by_folder, _ = self._by_source
        for folder in folders_above(path):
            yield from (self._deploying[number] for number in by_folder.get(folder, ()))

    def deployed(self, files: Collection[str]) -> frozenset[str]:
        """Return the files in folders that applied objects deploy.

        An object in one of the files is applied if its file is one of these, or if it names its own folder as
        what it deploys. That it deploys the whole repository does not count there, nor what a set makes of
        any folder that it finds: test data often says so.
        """
        below: dict[str, list[str]] = {}
        for path in files:
            for folder in folders_above(path):
                below.setdefault(folder, []).append(path)
        inside: dict[str, list[Resource]] = {}
        waiting: list[str] = []
        for each in self._deploying:
            path = each.origin.path
            if path not in files:
                waiting += self._folders_of(each)
                continue
            inside.setdefault(path, []).append(each)
            if not each.origin.field.segments and not is_application_set(each):  # nor made by a ResourceSet
                own = {*folders_above(path)} - {"."}
                waiting += own.intersection(self.sources_of(each))
        found: set[str] = set()
        while waiting:
            for path in below.pop(waiting.pop(), ()):
                waiting += (folder for each in inside.pop(path, ()) for folder in self._folders_of(each))
                found.add(path)
        return frozenset(found)

    def _folders_of(self, deployer: Resource) -> frozenset[str]:
        """Return the folders that an object, or what it makes, deploys; else the folders of its template."""
        made = self.made_by(deployer) if is_application_set(deployer) else (deployer,)
        if made:
            return frozenset(folder for each in made for folder in self.sources_of(each))
        starts = (posixpath.dirname(_PLACEHOLDER.split(each)[0]) for each in self._own_sources(deployer))
        return frozenset(filter(None, starts))

    def files_of_sets(self) -> frozenset[str]:
        """Return the files that the generators of ApplicationSets read."""
        for each in filter(is_application_set, self._found):
            self.made_by(each)
        return self._tree.files_read

    def sources_above(self, overlay: Overlay) -> frozenset[str]:
        """Return the sources of the objects that deploy an overlay, except its own folder and its output."""
        return frozenset().union(*map(self.sources_of, self.of(overlay))) - {overlay.path, overlay.output}

    def shared(self, overlays: Iterable[Overlay]) -> Mapping[tuple[Site, ResId], list[str]]:
        """Return the paths of the overlays that each object deploys, by its place and id."""
        found: dict[tuple[Site, ResId], list[str]] = {}
        for overlay in overlays:
            for each in self.of(overlay):
                found.setdefault((each.origin, each.current_id), []).append(overlay.path)
        return found

    def components(self, overlay: Overlay) -> frozenset[str]:
        """Return the folders of the components that the objects that deploy an overlay add to it."""
        return frozenset(
            posixpath.normpath(posixpath.join(source, text))
            for found in self.of(overlay)
            for source, listed in self._listed_components(found)
            for text in map(str, listed)
        )

    def _listed_components(self, deployer: Resource) -> Iterator[tuple[str, Sequence[Json]]]:
        """Yield each source of an object, and the components that are relative to it."""
        if is_flux_kustomization(deployer):
            for source in self._own_sources(deployer):
                yield source, array_at(deployer.content, "spec", "components")
            return
        for each in sources(as_application(deployer)):
            yield each.path, array_at(each.content, "kustomize", "components")

    def applies_sources(self, overlay: Overlay) -> bool:
        """Return True if an object deploys the folder of an overlay itself, and not a rendered tree."""
        deployed = (source for found in self.of(overlay) for source in self._own_sources(found))
        patterns = (posixpath.normpath(_PLACEHOLDER.sub("*", each)) for each in deployed)
        return any(fnmatchcase(overlay.path, each) for each in patterns)

    def folders_for_flux(self, overlay: Overlay) -> frozenset[str]:
        """Return the folders of an overlay, its own and its output, that Flux deploys."""
        kustomizations = filter(is_flux_kustomization, self.of(overlay))
        return frozenset().union(*map(self.sources_of, kustomizations)) & {overlay.path, overlay.output}

    @cached_property
    def _by_source(self) -> tuple[Mapping[str, list[int]], list[tuple[str, int]]]:
        """The numbers of the objects by the folders that they deploy, and those of the sets by globs."""
        by_folder: dict[str, list[int]] = {}
        globs: list[tuple[str, int]] = []
        for number, deployer in enumerate(self._deploying):
            for source in self._own_sources(deployer):
                folder = posixpath.normpath(_PLACEHOLDER.sub("*", source))
                if _GLOB.search(folder):
                    globs.append((folder, number))
                else:
                    by_folder.setdefault(folder, []).append(number)
        return by_folder, globs

    def in_git(self, deployers: Iterable[Resource]) -> Iterator[Resource]:
        """Yield the objects in Git for some that deploy overlays, and the sources of Flux that these name.

        In place of an Application or Kustomization that a set makes, that is the set. The root Kustomization
        that a bootstrap would make is not in Git.
        """
        for deployer in deployers:
            if not self._is_file(deployer.origin.path):
                continue
            yield self._sets.get(deployer.origin.document_place, deployer)
            if is_flux_kustomization(deployer):
                source, folder = source_key(deployer), posixpath.dirname(deployer.origin.path)
                named = self._sources.get((source, folder)) or self._sources.get((source, "")) or []
                yield from sorted(named, key=partial(nearness, deployer))[-1:]

    @cached_property
    def _sources(self) -> Mapping[tuple[Reference, str], list[Resource]]:
        """The sources by reference and folder, and with an empty folder all of them."""
        found: dict[tuple[Reference, str], list[Resource]] = {}
        for each in self._beside:
            for folder in {posixpath.dirname(each.origin.path), ""}:
                found.setdefault((each.reference, folder), []).append(each)
        return found

    def above(self, deployers: Iterable[Resource]) -> Iterator[Resource]:
        """Yield the objects that deploy the folders of the given ones, up to the roots."""
        by_folder, _ = self._by_source
        waiting = [*deployers]
        known = {each.object_key for each in waiting}
        searched: set[tuple[str, Reference | None]] = set()
        while waiting:
            spend(_STEPS_PER_DEPLOYER, _LOOKING)
            child = waiting.pop()
            source = source_key(child) if is_flux_kustomization(child) else None
            for folder in folders_above(child.origin.path):
                if (folder, source) in searched:
                    continue
                searched.add((folder, source))
                for number in by_folder.get(folder, ()):
                    parent, key = self._deploying[number], self._keys[number]
                    if key not in known and self._source_keys[number] in (None, source):
                        known.add(key)
                        waiting.append(parent)
                        yield parent

    @cached_property
    def _keys(self) -> Sequence[ObjectKey]:
        return [each.object_key for each in self._deploying]

    @cached_property
    def _source_keys(self) -> Sequence[Reference | None]:
        """The source of each Kustomization, and None for an Application.

        The path of a Kustomization does not say of which repository it is; one with the same source is of the
        same.
        """
        return [source_key(each) if is_flux_kustomization(each) else None for each in self._deploying]

    def are_rivals(self, one: Resource, other: Resource) -> bool:
        """Return True if two objects with one id are probably applied to the same cluster.

        Their files are in one folder or in one above the other, or one object deploys the folders of both.
        """
        if one.origin.document_place == other.origin.document_place:
            return False
        folders = [folder_of(each.origin.path) for each in (one, other)]
        return (
            is_inside(folders[0], folders[1])
            or is_inside(folders[1], folders[0])
            or not self._parents(one).isdisjoint(self._parents(other))
        )

    def has_root(self, deployer: Resource) -> bool:
        """Return True if an object in Git deploys the folder of an object."""
        return bool(self._parents(deployer))

    @property
    def has_only_flux(self) -> bool:
        """True if the repository is bootstrapped in the Flux of one cluster."""
        return self._only_flux is not None

    def is_of_only_flux(self, deployer: Resource) -> bool:
        """Return True for a Kustomization in the one cluster in whose Flux this repository is bootstrapped.

        It has the source of that bootstrap, and either the root that this makes, or another one, which
        deploys itself. If several clusters are bootstrapped, it is not known in which of them it is.
        """
        if self._only_flux is None or not is_flux_kustomization(deployer):
            return False
        source, folder = self._only_flux
        return source_key(deployer) == source and any(
            self._deploys_itself(each) or is_inside(folder_of(each.origin.path), folder)
            for each in (deployer, *self.above([deployer]))
        )

    @cached_property
    def _only_flux(self) -> tuple[Reference, str] | None:
        """The source of the only bootstrap, and the folder that it deploys.

        A bootstrap is the root in a ``gotk-sync.yaml``, or a FluxInstance. None without one, or with several.
        """
        found = [
            (source_key(each), text_at(each.content, "spec", "path"))
            for each in self._found
            if is_flux_kustomization(each) and _is_bootstrapped(each)
        ]
        for each in self.instances:
            sync, namespace = object_at(each.content, "spec", "sync"), each.namespace
            reference = (
                text_at(sync, "kind") or "GitRepository",
                namespace,
                text_at(sync, "name") or namespace,
            )
            found.append((reference, text_at(sync, "path")))
        if len(found) != 1:
            return None
        [(source, path)] = found
        return source, self._resolved(path.removeprefix("/") or ".")

    def _deploys_itself(self, deployer: Resource) -> bool:
        above = frozenset(folders_above(deployer.origin.path))
        return any(posixpath.normpath(each) in above for each in self._own_sources(deployer))

    def are_of_two_roots(self, one: Resource, other: Resource) -> bool:
        """Return True if what deploys two objects is probably in two clusters.

        A cluster has one object of a name, so two files with it are of two. Folders that differ in one
        element, such as ``clusters/east`` and ``clusters/west``, are by convention of one cluster each.
        """
        above = [[each, *self.above([each])] for each in (one, other)]
        spend(_STEPS_PER_DEPLOYER * sum(map(len, above)), _LOOKING)
        if not {each.object_key for each in above[0]}.isdisjoint(each.object_key for each in above[1]):
            return True
        folders = [folder_of(each[-1].origin.path).split("/") for each in above]
        return len(folders[0]) == len(folders[1]) and sum(a != b for a, b in zip(*folders, strict=True)) == 1

    def _parents(self, deployer: Resource) -> frozenset[Site]:
        """Return the places of what deploys the folder of an object, up to the roots."""
        folder = posixpath.dirname(deployer.origin.path)
        if folder not in self._parents_of_folders:
            self._parents_of_folders[folder] = frozenset(each.origin for each in self.above([deployer]))
        return self._parents_of_folders[folder]

    def maker_of(self, deployer: Resource) -> Resource | None:
        """Return the set that makes an Application or Kustomization; None if that is in Git itself."""
        if any(each.origin == deployer.origin for each in self.written.get(deployer.object_key, ())):
            return None
        return self._sets.get(deployer.origin.document_place)

    def made_by(self, maker: Resource) -> tuple[Resource, ...]:
        """Return what an ApplicationSet or ResourceSet makes; nothing if it cannot be evaluated."""
        return self._known_made_by(maker) or ()

    def _known_made_by(self, maker: Resource) -> tuple[Resource, ...] | None:
        """Return what a set makes; None if it cannot be evaluated."""
        key = maker.origin.document_place
        if key not in self._made:
            self._made[key] = None
            with suppress(DiagnosticError):  # reported where it is an entry
                self._made[key] = self._evaluated(maker)
        return self._made[key]

    def is_unknown(self, maker: Resource) -> bool:
        """Return True if the set with the name of ``maker`` is here, and it is not known what it makes."""
        named = filter(is_set, self.written.get(maker.object_key, ()))
        return any(self._known_made_by(each) is None for each in named)

    def readers(self, overlay: Overlay) -> Iterator[Resource]:
        """Yield the Applications and Kustomizations that read the folder or tree of an overlay, or a part.

        An ApplicationSet is replaced by what it makes, unless it cannot be evaluated.
        """
        by_folder, below = self._reading
        output = posixpath.normpath(overlay.output)
        folders = overlay.path, output, *below.get(output, ())
        above = ((each, folder) for folder in folders_above(output) for each in by_folder.get(folder, ()))
        found = [
            *(
                each
                for each in self.of(overlay)
                if not is_application_set(each) or self._known_made_by(each) is None
            ),
            *(each for folder in folders for each in by_folder.get(folder, ())),
            *(each for each, folder in above if _recurses(each, folder)),
        ]
        yield from {(each.origin, each.current_id): each for each in found}.values()

    @cached_property
    def _reading(self) -> tuple[Mapping[str, list[Resource]], Mapping[str, set[str]]]:
        """What deploys folders, by folder, with what sets make; and the folders below each folder."""
        sets = [each for each in self._deploying if is_application_set(each)]
        single = (each for each in self._deploying if not is_application_set(each))
        by_folder: dict[str, list[Resource]] = {}
        below: dict[str, set[str]] = {}
        for each in (*single, *(made for one in sets for made in self.made_by(one))):
            for folder in self.sources_of(each):
                by_folder.setdefault(folder, []).append(each)
                for above in folders_above(folder):
                    below.setdefault(above, set()).add(folder)
        return by_folder, below

    def _evaluated(self, maker: Resource) -> tuple[Resource, ...]:
        if is_resource_set(maker):
            from renderer.gitops.flux.resource_set import generate_objects  # noqa: PLC0415 - only for sets

            nearest = sorted(self._inputs, key=partial(nearness, maker))
            return tuple(generate_objects(maker, {each.reference: each for each in nearest}).objects)
        from renderer.pipeline.argocd_build import generate  # noqa: PLC0415 - only for sets

        clusters, is_own = self._config.clusters, self.urls.is_this_repository
        return generate(self._tree, maker, clusters, is_own, lambda _: None)

    def makes(self, maker: Resource, made: ObjectKey) -> bool:
        """Return True if the ApplicationSet with the name of ``maker`` makes an Application here."""
        named = filter(is_application_set, self.written.get(maker.object_key, ()))
        return any(made in self._keys_made_by(each) for each in named)

    def _keys_made_by(self, maker: Resource) -> frozenset[ObjectKey]:
        key = maker.origin.document_place
        if key not in self._keys_made:
            self._keys_made[key] = frozenset(each.object_key for each in self.made_by(maker))
        return self._keys_made[key]

    def made_for(self, maker: Resource, overlay: Overlay) -> Mapping[ObjectKey, Resource]:
        """Return the Applications and Kustomizations that a set makes, and that deploy an overlay."""
        key = maker.origin.document_place
        if key not in self._made_by_folder:
            by_folder: dict[str, dict[ObjectKey, Resource]] = {}
            for each in filter(_deploys, self.made_by(maker)):
                for source in self._own_sources(each):
                    by_folder.setdefault(posixpath.normpath(source), {})[each.object_key] = each
            self._made_by_folder[key] = by_folder
        folders = overlay.path, *folders_above(posixpath.join(overlay.output, "x"))
        found = (self._made_by_folder[key].get(posixpath.normpath(folder), {}) for folder in folders)
        return {key: each for one in found for key, each in one.items()}

    @cached_property
    def _tree(self) -> RepositoryTree:
        from renderer.gitops.argocd.generators.repository_tree import RepositoryTree  # noqa: PLC0415 - for sets

        return RepositoryTree(self._fs)

    @cached_property
    def _sets(self) -> Mapping[DocumentPlace, Resource]:
        every = (*self._found, *self._beside)
        sets = filter(is_set, every)
        return {each.origin.document_place: each for each in sets}

    @cached_property
    def written(self) -> Mapping[ObjectKey, list[Resource]]:
        """The Applications, Kustomizations, sets and sources in files; several clusters may have one."""
        found: dict[ObjectKey, list[Resource]] = {}
        for each in (*self._found, *self._beside):
            found.setdefault(each.object_key, []).append(each)
        return found

    @property
    def objects(self) -> Iterator[Resource]:
        """The objects of ``written``, one after the other."""
        return chain.from_iterable(self.written.values())

    def _own_sources(self, deployer: Resource) -> Iterator[str]:
        """Yield the folders that an object deploys; those of other repositories are not this one's."""
        if is_flux_kustomization(deployer):
            yield self._resolved(deployed_folder(deployer))
            return
        for source in sources(as_application(deployer)):
            if source.path and self.urls.is_this_repository(source.url):
                yield self._resolved(source.path)

    def _resolved(self, folder: str) -> str:
        """Return the folder that a link leads to; a path that leads out of the repository as it is."""
        with suppress(DiagnosticError):  # reported where it is built
            return folder if _PLACEHOLDER.search(folder) else self._fs.resolve(posixpath.normpath(folder))
        return folder

    @cached_property
    def urls(self) -> RepositoryUrls:
        """The URLs by which the objects know this repository."""
        applications = (each for each in self._found if not is_flux_kustomization(each))
        named = (source for each in applications for source in named_sources(each))
        return repository_urls(self._fs, self._config).naming(named)

    @property
    def kustomizations(self) -> Iterator[Resource]:
        """The Flux Kustomizations, each once; the entry of an overlay is as Flux applies it."""
        every = filter(is_flux_kustomization, (*self._entries, *self._deploying))
        yield from {each.object_key: each for each in reversed([*every])}.values()

    def rules(self, overlay: Overlay) -> IgnoreRules:
        """Return the differences of an overlay that all of its engines are configured to ignore.

        Rules that another engine does not have, or that no known engine reads, only say so.
        """
        deployers = self.of(overlay)
        if not deployers:
            reason = "nothing in the repository says that Argo CD deploys the overlay"
            return IgnoreRules(_without_effect(each, reason) for each in self._settings)
        every = [[*self._rules_of(each)] for each in deployers]
        spend(_STEPS_PER_RULE * sum(map(len, every)), "leaving out ignored differences")
        known = [frozenset(rule.likeness for rule in own) for own in every]
        rules: list[IgnoreRule] = []
        for number, own in enumerate(every):
            for rule in own:
                likeness = rule.likeness
                lacking = (
                    deployer
                    for deployer, others in zip(deployers, known, strict=True)
                    if likeness not in others
                )
                other = next(lacking, None)
                if other is not None:
                    rules.append(_without_effect(rule, f"{other.kind} {other.name} deploys the overlay, too"))
                elif not number:
                    rules.append(rule)
        return IgnoreRules(rules)

    def _rules_of(self, deployer: Resource) -> Iterator[IgnoreRule]:
        if is_flux_kustomization(deployer):
            yield from rules_of_kustomization(deployer)
        elif is_application(deployer) or is_application_set(deployer):
            is_respected = RESPECT_IGNORED in options_of_application(as_application(deployer))
            for each in (*rules_of_application(deployer), *self._settings):
                yield each if is_respected else each._replace(source=f"{each.source}; {_APPLIED_ANYWAY}")


def is_set(resource: Resource) -> bool:
    """Return True for an object that makes others that deploy: an ApplicationSet or a ResourceSet."""
    return is_application_set(resource) or is_resource_set(resource)


def _is_bootstrapped(kustomization: Resource) -> bool:
    """Return True for the root that ``flux bootstrap`` makes of a cluster, in ``gotk-sync.yaml``.

    Its name is that of its namespace and of its source (flux2 ``pkg/manifestgen/sync/sync.go``).
    """
    _, namespace, source = source_key(kustomization)
    return kustomization.name == kustomization.namespace == source == namespace


def _deploys(resource: Resource) -> bool:
    return is_application(resource) or is_application_set(resource) or is_flux_kustomization(resource)


def _without_effect(rule: IgnoreRule, reason: str) -> IgnoreRule:
    """Return a rule that ignores nothing, and says why."""
    return rule._replace(paths=(), managers=(), not_evaluated=(), unused=reason)


def _recurses(deployer: Resource, folder: str) -> bool:
    """Return True if Argo CD applies what is in the folders of a source, too."""
    own = (each for each in sources(as_application(deployer)) if posixpath.normpath(each.path) == folder)
    return any(object_at(each.content, "directory").get("recurse") is True for each in own)


def own_id(deployer: Resource, folder: str) -> ResId:
    """Return the id of what deploys a folder: of an ApplicationSet, the Application that it makes for that.

    The placeholders in its name are not evaluated: the name of the folder tells it from the others.
    """
    id_ = as_application(deployer).current_id
    if not is_application_set(deployer):
        return id_
    name = text_at(deployer.content, "spec", "template", "metadata", "name")
    return id_._replace(name=_PLACEHOLDER.sub(posixpath.basename(folder), name))


def nearness(deployer: Resource, other: Resource) -> int:
    """Return how much of their paths two objects share: each cluster may have its own source."""
    return len(posixpath.commonprefix([deployer.origin.path, other.origin.path]))


def _customizations(settings: Resource) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for key, text in object_at(settings.content, "data").items():
        if is_customization(key) and isinstance(text, str):
            try:
                found[key] = decode_yaml11(text.encode(), settings.origin.path)
            except DiagnosticError:  # Argo CD rejects it, too
                continue
    return found
