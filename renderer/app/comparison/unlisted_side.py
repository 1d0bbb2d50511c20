"""What Flux and Argo CD deploy of one side of a comparison, and its project does not list."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import cache, cached_property
from typing import NamedTuple

from renderer.app.comparison.flux_variables import FluxVariables
from renderer.app.comparison.side import Side
from renderer.diff.overlay_side import OverlaySide
from renderer.files.file_system import SubmoduleError, folder_of, is_inside, readable_content
from renderer.gitops.argocd.application import (
    MADE_BY_TOOLS,
    effective_type,
    is_application,
    is_application_set,
    makes_other_manifests,
    sources,
)
from renderer.gitops.flux.generated_artifact import EXTERNAL_ARTIFACT
from renderer.gitops.flux.kustomization import (
    deployed_folder,
    is_flux_kustomization,
    is_suspended,
    source_key,
)
from renderer.gitops.folder_reader import FolderReader
from renderer.kubevirt.facts.installed_release import installing_entries, subscribes
from renderer.kubevirt.facts.kinds import (
    HYPERCONVERGED,
    KUBEVIRT,
    SECRET,
    configures_kubevirt,
    installs_operands,
)
from renderer.kubevirt.impact.other_cluster import brings_operator
from renderer.kubevirt.instancetype.cluster_kubevirt import kubevirt_of
from renderer.kustomize.reader.kustomization_graph import confined, patched_kinds
from renderer.model.diagnostic import DiagnosticError
from renderer.model.engines import ENGINE_GROUPS, FLUX_SOURCE_GROUP
from renderer.model.entry_point import EntryKind, EntryOptions, EntryPoint, Strictness
from renderer.model.kube.json import EMPTY, JsonObject, object_at, text_at
from renderer.model.kube.location import DocumentPlace, Site
from renderer.model.kube.res_id import ObjectKey, Reference
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import KUSTOMIZATION_FILES, KUSTOMIZATION_HEAD, is_kustomization_file
from renderer.model.render_config import PROJECT_FILE, Overlay, OverlayEntry
from renderer.pipeline.deployer_files import objects_in
from renderer.pipeline.deployers import is_set
from renderer.pipeline.project_catalogs import shared_folders
from renderer.pipeline.target_cluster import target_cluster_of
from renderer.yamlio.decode import decode_yaml11

#: The kinds of the object that configures KubeVirt, as files have them.
_CONFIGURING = (KUBEVIRT.encode(), HYPERCONVERGED.encode())
_KUBEVIRT_API, _VARIABLE = b"kubevirt.io/", b"${"


class Installing(NamedTuple):
    """The ``entries`` of a kustomization that install KubeVirt, as an object named after its folder.

    ``others`` are its other fields without these entries; they may be confidential.
    """

    entries: Resource
    others: JsonObject


class UnlistedSide:
    """What one side deploys besides the overlays of its project."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self._folders = FolderReader(side.fs)
        self._variables = FluxVariables(side, self.deployers, self._objects_of)
        self._target = cache(self._target_of)
        self._names_configuring = cache(self._find_configuring)
        self._objects: dict[str, tuple[Resource, ...]] = {}
        #: The objects that configure KubeVirt, of overlays that were rendered.
        self.configuring: list[Resource] = []

    def is_listed(self, path: str) -> bool:
        """Return True if an overlay of the project is made of a manifest."""
        return path in self._listed or any(
            each.flux.may_read(path) for each in self.side.overlays.values() if each.flux
        )

    @cached_property
    def _listed(self) -> frozenset[str]:
        own = {PROJECT_FILE, *self.side.config.facts_files}
        return frozenset(
            own.union(*(self.side.overlay_files.of(each) for each in self.side.overlays.values()))
        )

    def files(self, overlay: Overlay) -> frozenset[str]:
        """Return the files that an overlay is built from, and the file of what deploys it.

        A file that is found by a link to its folder has both paths.
        """
        found = self.side.overlay_files.of(overlay)
        return found.union(filter(None, map(self._target, found)))

    def may_configure(self, overlay: Overlay) -> bool:
        """Return True if a file of an overlay names a kind that configures KubeVirt."""
        return any(map(self._names_configuring, self.side.overlay_files.of(overlay)))

    def secret_of_machines(
        self, overlay: Overlay, changed_source: Callable[[Resource, Container[str]], str]
    ) -> str:
        """Return a changed Secret of which variables in the files of an overlay with machines are taken.

        It is empty without any: the values are not read, and what else is made of them is not known.
        """
        deployer = overlay.deployer
        if deployer is None or not is_flux_kustomization(deployer):
            return ""
        secret = changed_source(deployer, (SECRET,))
        files = self.side.overlay_files.of(overlay) if secret else ()
        contents = [readable_content(self.side.fs, each) or b"" for each in files]
        has_all = all(any(text in each for each in contents) for text in (_KUBEVIRT_API, _VARIABLE))
        return secret if has_all else ""

    def _find_configuring(self, path: str) -> bool:
        content = readable_content(self.side.fs, path) or b""
        return any(kind in content for kind in _CONFIGURING)

    def submodule_of(self, overlay: Overlay, submodules: Iterable[str]) -> str:
        """Return the first of some submodules whose files an overlay may be built from; empty without one."""
        deployer = overlay.deployer
        if deployer and is_flux_kustomization(deployer) and not self._fetches_submodules(deployer):
            return ""
        roots = overlay.entry.folders if overlay.entry else ()
        graph, places = self.side.graph, {*roots}
        for links in (graph.links(folder) for root in roots for folder in graph.folders(root)):
            places |= {*links.folders, *links.files} if links else set()
        plain = [root for root in roots if graph.links(root) is None]
        return next(
            (
                each
                for each in submodules
                if any(is_inside(place, each) for place in places)
                or any(is_inside(each, root) for root in plain)
            ),
            "",
        )

    def _fetches_submodules(self, kustomization: Resource) -> bool:
        key = source_key(kustomization)
        sources = (each for each in self.side.deployers.objects if each.reference == key)
        return any(object_at(each.content, "spec").get("recurseSubmodules") is True for each in sources)

    def _target_of(self, path: str) -> str:
        with suppress(DiagnosticError):  # it leads out of the repository: reported by the build
            return self.side.fs.resolve(path)
        return ""

    @cached_property
    def overlays(self) -> Mapping[str, Overlay]:
        """The folders that Kustomizations and Applications deploy, by path: of the file, and their name."""
        listed = self.side.overlays.values()
        folders = {posixpath.normpath(path) for each in listed for path in (each.path, each.output)}
        found: dict[str, Overlay] = {}
        for overlay, deployer in self._deployed:
            is_made = bool(deployer.origin.field.segments)  # by a set
            if (
                overlay.path not in self.side.overlays
                and (is_made or deployer.origin.document_place not in self._known)
                and folders.isdisjoint(overlay.entry.folders if overlay.entry else ())
            ):
                found.setdefault(overlay.path, overlay)
        return found

    def deployed(self, path: str) -> Overlay | None:
        """Return an overlay also if the project lists its folder; None if nothing deploys it."""
        return self.overlays.get(path) or self._deployed_by_path.get(path)

    def applies(self, path: str) -> bool:
        """Return True if what deploys an overlay is not suspended; its objects stay if it is."""
        overlay = self.deployed(path)
        deployer = overlay.deployer if overlay else None
        return deployer is not None and not is_suspended(deployer)

    @cached_property
    def _deployed_by_path(self) -> Mapping[str, Overlay]:
        return {overlay.path: overlay for overlay, _ in self._deployed}

    @cached_property
    def _deployed(self) -> Sequence[tuple[Overlay, Resource]]:
        """The overlays of all Kustomizations and Applications, listed or not."""
        found = [
            (self._overlay(f"{folder_of(each.origin.path)}:{each.name}", each, ""), each)
            for each in self.deployers()
        ]
        return [(overlay, deployer) for overlay, deployer in found if overlay]

    @cached_property
    def _known(self) -> Mapping[DocumentPlace, Resource]:
        """What deploys overlays of the project."""
        listed = self.side.overlays.values()
        return {each.origin.document_place: each for one in listed for each in self.side.deployers.of(one)}

    @cached_property
    def known_sources(self) -> Mapping[ObjectKey, frozenset[str]]:
        """The folders that the objects that deploy overlays of the project deploy."""
        deployers = self.side.deployers
        return {each.object_key: deployers.sources_of(each) for each in self._known.values()}

    def applied_beside(self, path: str) -> Iterator[tuple[Resource, str]]:
        """Yield the objects that deploy overlays and a manifest, each with the folder that lists it."""
        for deployer, listing in self.side.deployers.applied_beside(path):
            if deployer.origin.document_place in self._known and listing not in self.side.overlays:
                yield deployer, listing

    def applied_of(self, unit: str) -> Sequence[Resource] | None:
        """Return the objects in a manifest or of a kustomization, except objects of Flux and Argo CD.

        None if the kustomization cannot be built.
        """
        found = self.side.composed(unit) if self.side.fs.is_folder(unit) else self._objects_of(unit)
        if found is None:
            return None
        return [each for each in found if not each.gvk.group.endswith(ENGINE_GROUPS)]

    def _overlay(self, path: str, deployer: Resource, listed_as: str) -> Overlay | None:
        """Return the overlay that an object deploys from this repository; None if it deploys nothing."""
        point = self._entry_point(deployer)
        if not point.folders:
            return None
        entry = OverlayEntry(listed_as or path.rpartition(":")[0], entry=point.options)
        target = target_cluster_of(self.side.config.clusters, point)
        overlay = self.side.config.overlay(entry, path, deployer.name, target)
        return overlay._replace(entry=point, listed_as=listed_as)

    def counterpart(self, overlay: Overlay) -> Overlay | None:
        """Return an entry's overlay of another side as it is on this one, where no entry leads to it.

        None if its object is gone on this side, or no longer applied.
        """
        found, deployer = self.side.found, overlay.deployer
        unknown = (*found.uncertain_entries, *found.incomplete_entries)
        if deployer is None or overlay.path in found.suspended or overlay.listed_as in unknown:
            return None
        written = self.side.deployers.written.get(deployer.object_key, ())
        same_file = [each for each in written if each.origin.path == deployer.origin.path]
        candidates = same_file or written
        if len(candidates) != 1:
            return None
        [only] = candidates
        if only.origin.document_place in self._known or not self._is_rendered(only) or is_suspended(only):
            return None
        if self.side.deployers.leaves_out(only.origin.path):
            return None
        known = self._overlay(overlay.path, only, overlay.listed_as)
        return known._replace(name=overlay.name, output=overlay.output) if known else None

    def _is_rendered(self, deployer: Resource) -> bool:
        """Return True for a Kustomization, and for an Application without chart and plugin."""
        return is_flux_kustomization(deployer) or (
            is_application(deployer) and not makes_other_manifests(self.side.fs, deployer)
        )

    def resource_files(self, path: str) -> frozenset[str]:
        """Return the files of an overlay with objects: those that are resources, and no patches."""
        overlay, graph, found = self.overlays.get(path), self.side.graph, set[str]()
        for root in overlay.entry.folders if overlay and overlay.entry else ():
            for folder in graph.folders(root) or (root,):
                links = graph.links(folder)
                if links is None:
                    found |= graph.build_files(folder)
                elif links.is_readable:
                    found |= links.resources
                else:
                    with suppress(SubmoduleError):  # its files are not here
                        names = frozenset(self.side.fs.list(folder)) - {*KUSTOMIZATION_FILES}
                        found.update(f"{folder}/{name}" for name in names)
        return frozenset(found)

    def unbuilt_files(self, path: str) -> frozenset[str]:
        """Return the files of an overlay that have no objects of it, such as patches."""
        overlay = self.overlays[path]
        deployers = {overlay.deployer.origin.path} if overlay.deployer else set[str]()
        return self.files(overlay) - self.resource_files(path) - deployers

    def as_written(self, path: str) -> OverlaySide | None:
        """Return the objects in the files of an overlay; None without the overlay.

        Of several with one name, one is an object, and the others are patches.
        """
        if path not in self.overlays:
            return None
        objects: dict[ObjectKey, Resource] = {}
        for file in sorted(self.resource_files(path)):
            for each in self._objects_of(file):
                objects.setdefault(each.object_key, each)
        return self.of_objects(objects.values(), path, self.overlays[path].deployer)

    def of_objects(
        self, objects: Iterable[Resource], near: str, deployer: Resource | None = None
    ) -> OverlaySide:
        """Return objects of files near a path, and what applies them if that is known."""
        found = self.side.as_written(objects, deployer)
        if not any(map(brings_operator, found.written)):
            return found
        return found._replace(kubevirt=self._kubevirt_near(near))

    def _kubevirt_near(self, path: str) -> JsonObject:
        """Return the ``KubeVirt`` object that the cluster has for which a path is; empty without one.

        It is in an overlay, or else in a file, or else in the configuration of the default cluster. Of
        several, it is the nearest.
        """
        known = {each.object_key for each in self.configuring}
        written = (each for each in self._configuring_in_files if each.object_key not in known)
        every = (*self.configuring, *written, *self.side.configuring(""))
        if not every:
            return EMPTY
        nearest = max(every, key=lambda each: shared_folders(path, each.origin.path))
        return kubevirt_of(nearest, self.side.config.kubevirt).content

    @cached_property
    def _configuring_in_files(self) -> Sequence[Resource]:
        """The objects in files that configure KubeVirt, except patches of one."""
        found: list[Resource] = []
        for path in self.side.listing.manifests:
            with suppress(DiagnosticError):  # reported where it is used
                if b"ubevirt.io/" not in self.side.fs.read(path):
                    continue
                objects = [each for each in self._objects_of(path) if configures_kubevirt(each)]
                listing = [
                    (each, self.side.graph.links(each)) for each in self.side.graph.folders_listing(path)
                ]
                files = [(folder, links.file) for folder, links in listing if links]
                if objects and patched_kinds(self.side.fs, path, files) is None:
                    found += objects
        return found

    def installing(self, path: str) -> Installing | None:
        """Return how a kustomization installs KubeVirt; None if none of its entries does."""
        listing = self.side.listing
        if not listing.is_manifest(path) or listing.is_aside(path) or _is_hidden(path):
            return None
        try:
            entries, rest = installing_entries(object_at(decode_yaml11(self.side.fs.read(path), path)))
        except DiagnosticError:  # reported by its build
            return None
        name = {"name": folder_of(path)}
        content = {**KUSTOMIZATION_HEAD, "metadata": name, **entries}
        return Installing(Resource(content, Site(path)), rest) if entries else None

    def deployers(self) -> Iterator[Resource]:
        """Yield the Kustomizations and Applications in files, and the Applications that sets make."""
        for each in self.side.deployers.objects:
            if is_flux_kustomization(each) or is_application(each):
                yield each
            elif is_set(each):
                made = self.side.deployers.made_by(each)
                yield from (one for one in made if is_flux_kustomization(one) or is_application(one))

    def _entry_point(self, deployer: Resource) -> EntryPoint:
        if is_flux_kustomization(deployer):
            folder = deployed_folder(deployer)
            is_folder = confined(self.side.fs.is_folder, folder)
            is_own = is_folder and self.is_source_here(deployer, folder)
            folders = (folder,) if is_own else ()
            options = EntryOptions(EntryKind.FLUX)
            variables = tuple(self._variables.of(deployer)) if is_own else ()
            return EntryPoint(
                options, deployer, variables=variables, folders=folders, strictness=Strictness.LENIENT
            )
        urls = self.side.deployers.urls
        own = [
            each
            for each in sources(deployer)
            if each.path
            and urls.is_this_repository(each.url, each.path)
            and effective_type(self._folders, each) not in MADE_BY_TOOLS
        ]
        return EntryPoint(
            EntryOptions(EntryKind.ARGOCD),
            deployer,
            folders=tuple(posixpath.normpath(each.path) for each in own),
            repositories=tuple({each.url: None for each in own}),
        )

    def is_rendered(self, deployer: Resource) -> bool:
        """Return True if all that an object deploys is made of folders of this repository.

        That is not so if a source of an Application is a chart, has a plugin, or is in another repository.
        """
        if is_flux_kustomization(deployer):
            return bool(self._entry_point(deployer).folders)
        if is_application_set(deployer):
            return all(map(self.is_rendered, self.side.deployers.made_by(deployer)))
        every = [each for each in sources(deployer) if each.has_manifests] if is_application(deployer) else []
        folders, urls = self._entry_point(deployer).folders, self.side.deployers.urls

        def is_here(path: str, url: str) -> bool:
            """A tree may not be in the repository yet, but its overlay is."""
            overlay = self._by_output.get(path)
            return path in folders or (overlay is not None and urls.is_this_repository(url, overlay.path))

        return bool(every) and all(is_here(posixpath.normpath(each.path), each.url) for each in every)

    @cached_property
    def _by_output(self) -> Mapping[str, Overlay]:
        return {posixpath.normpath(each.output): each for each in self.side.overlays.values()}

    def is_source_here(self, kustomization: Resource, folder: str) -> bool:
        """Return True if the source of a Kustomization is this repository, as far as is known.

        Without an object of its source, a GitRepository counts as this one, and so does what an object that
        deploys overlays names. Images and buckets are others, unless the project lists their address.
        """
        key = source_key(kustomization)
        if key in self._used_sources or key[0] == EXTERNAL_ARTIFACT:
            return True
        urls, named = self.side.deployers.urls, self._urls_of_sources.get(key, ())
        if key[0] == "GitRepository":
            return not named or any(urls.is_this_repository(each, folder) for each in named)
        return key[0] == "OCIRepository" and any(map(urls.lists, named))

    @cached_property
    def _used_sources(self) -> frozenset[Reference]:
        """The sources of the Kustomizations that deploy overlays of the project."""
        return frozenset(source_key(each) for each in self._known.values() if is_flux_kustomization(each))

    @cached_property
    def _urls_of_sources(self) -> Mapping[Reference, Sequence[str]]:
        """The addresses of the sources of Flux in the repository."""
        found: dict[Reference, list[str]] = {}
        for each in self.side.deployers.objects:
            if each.gvk.group == FLUX_SOURCE_GROUP:
                found.setdefault(each.reference, []).append(text_at(each.content, "spec", "url"))
        return found

    def engine_objects(
        self, files: Iterable[str], known: AbstractSet[ObjectKey | DocumentPlace]
    ) -> dict[str, list[Resource]]:
        """Return the objects of engines in files, by folder, without those that are ``known``."""
        files = (
            each
            for each in files
            if not self.side.listing.is_aside(each) or each in self.side.deployers.files
        )
        return self._by_folder(files, lambda each: each.gvk.group.endswith(ENGINE_GROUPS), known)

    def operator_objects(
        self, files: Iterable[str], known: AbstractSet[ObjectKey | DocumentPlace]
    ) -> dict[str, list[Resource]]:
        """Return the objects by which operators install KubeVirt, in files, as ``engine_objects`` does."""
        return self._by_folder(files, _is_of_operator, known)

    def are_of_operators(self, path: str) -> Iterator[bool]:
        """Yield for each object in a file whether an operator installs KubeVirt by it."""
        return map(_is_of_operator, self._objects_of(path))

    def brings_operator(self, path: str) -> bool:
        """Return True if an object in a file is, or installs, KubeVirt's operator."""
        return self.side.listing.is_manifest(path) and any(map(brings_operator, self._objects_of(path)))

    def _by_folder(
        self,
        files: Iterable[str],
        is_wanted: Callable[[Resource], bool],
        known: AbstractSet[ObjectKey | DocumentPlace],
    ) -> dict[str, list[Resource]]:
        found: dict[str, list[Resource]] = {}
        for path in sorted(filter(self.side.listing.is_manifest, files)):
            for each in filter(is_wanted, self._objects_of(path)):
                if known.isdisjoint({each.object_key, each.origin.document_place}):
                    found.setdefault(folder_of(path), []).append(each)
        return found

    def belongs_to_project(self, path: str) -> bool:
        """Return True if a file is in no catalog and in no hidden folder, and not left out of the project."""
        folders = self.side.config.catalog_folders()
        is_inside_any = any(is_inside(path, each) for each in folders)
        return not (self.side.listing.is_aside(path) or _is_hidden(path) or is_inside_any)

    def may_be_applied(self, path: str) -> bool:
        """Return True if a file of the project has an object for the cluster that somebody may apply."""
        if not self.side.listing.is_manifest(path) or is_kustomization_file(path):
            return False
        return self.belongs_to_project(path) and any(
            not each.gvk.group.endswith(ENGINE_GROUPS) for each in self._objects_of(path)
        )

    def _objects_of(self, path: str) -> tuple[Resource, ...]:
        if path not in self._objects:
            self._objects[path] = ()
            if confined(self.side.fs.is_file, path):
                self._objects[path] = tuple(objects_in(self.side.fs.read(path), path))
        return self._objects[path]


def _is_of_operator(resource: Resource) -> bool:
    """Return True for an object by which an operator installs KubeVirt or CDI, or is installed by OLM."""
    return installs_operands(resource) or subscribes(resource.content)


def _is_hidden(path: str) -> bool:
    """Return True if a file is in a hidden folder, in which other programs have their settings."""
    return any(name.startswith(".") for name in path.split("/")[:-1])
