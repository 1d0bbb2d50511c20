"""What Flux and Argo CD deploy of a repository, and its project does not list.

A machine may need it all the same: its operator, namespace, claims and storage. Where a change touches it, it
is compared as an overlay is, and what harms something is reported. An object of an engine is compared even if
nothing in the repository deploys its file: it is written to be applied. Any other manifest that changes may
be applied or not, and counts as not compared.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache, cached_property

from renderer.app.diff_side import RenderedSide, Side
from renderer.app.moved_objects import OverlayStates
from renderer.app.taken_applications import Taken
from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.files.file_system import is_inside
from renderer.gitops.argocd.application import (
    as_application,
    is_application,
    makes_other_manifests,
    sources,
)
from renderer.gitops.engine_reaction import impact_of
from renderer.gitops.flux.discovery import is_flux_kustomization, source_key
from renderer.gitops.flux.flux_operator import is_resource_set
from renderer.gitops.flux.generated_artifact import EXTERNAL_ARTIFACT
from renderer.gitops.pruning import keeps_what_it_made, updates_what_it_made
from renderer.gitops.replacement import replacement_impact, unknown_set_impact
from renderer.kubevirt.facts.lists import is_same
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph
from renderer.model.difference import Danger, Impact, OverlayDifference
from renderer.model.engines import ENGINE_GROUPS
from renderer.model.entry_point import EntryKind, EntryOptions, EntryPoint, Strictness
from renderer.model.kube.json import object_at, text_at
from renderer.model.kube.location import DocumentPlace
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import KUSTOMIZATION_FILES
from renderer.model.render_config import PROJECT_FILE, Overlay, OverlayEntry
from renderer.pipeline.deployers import deployer_files, is_set, objects_in
from renderer.pipeline.overlay_files import OverlayFiles
from renderer.pipeline.target_cluster import target_cluster_of


class UnlistedOverlays:
    """What two sides deploy besides the overlays of the project, as far as a file of it differs.

    ``overlays`` are to be compared for that, with those of the project, and have the ``paths``.
    """

    def __init__(self, before: Side, after: Side, changed: Iterable[str]) -> None:
        """``changed`` are the manifests to look at."""
        self._sides = _Unlisted(before), _Unlisted(after)
        self._every = frozenset(changed)
        #: The manifests that differ, and that the project does not render.
        self._changed = {path for path in self._every if not self._is_listed(path)}
        #: The objects of engines that overlays contain, on each side.
        self._contained: dict[str, list[dict[ResId, Resource]]] = {}
        self._beside: set[str] = set()
        found: dict[str, Overlay] = {}
        for each in reversed(self._sides) if self._changed else ():
            for path, overlay in each.overlays.items():
                if path not in found and not self._changed.isdisjoint(each.files(overlay)):
                    found[path] = overlay
        self.overlays = tuple(found.values())
        self.paths = found.keys()
        self._listed = {path: each for known in self._sides for path, each in known.side.overlays.items()}
        self._rendered: set[ResId | DocumentPlace] = set()
        #: The overlays that could not be rendered on a side, of those that the project does not list.
        self.failed: set[str] = set()
        self._completed: set[str] = set()
        self._deployers = cache(self._deployers_of)

    def add_to(self, side: Side) -> None:
        """Have a side render the overlays as well, as far as it deploys them.

        An entry of the project leads to what deploys a machine, or data. What does so on another side only is
        an overlay of this side, too.
        """
        known = next((each for each in self._sides if each.side is side), None) or _Unlisted(side)
        deployed = known.overlays if self.paths else {}
        added = {path: each for path, each in deployed.items() if path in self.paths}
        for path in self._listed.keys() - side.overlays.keys():
            if counterpart := known.counterpart(self._listed[path]):
                added[path] = counterpart
                self._completed.add(path)
        side.add_unlisted(added)

    def rendered(self, side: Side, overlay: Overlay) -> RenderedSide | None:
        """Return an overlay on a side; an unlisted one without the objects that deploy compared overlays."""
        found = side.render(overlay.path, overlay.listed_as)
        if overlay.path not in self.paths or found is None or found.content is None:
            return found
        compared = self._deployers(side)
        written = tuple(each for each in found.content.written if each.origin.document_place not in compared)
        return found._replace(content=found.content._replace(written=written))

    def _deployers_of(self, side: Side) -> frozenset[DocumentPlace]:
        """Return the places of the objects that deploy overlays; these are compared with the overlays."""
        found: set[DocumentPlace] = set()
        for overlay in side.overlays.values():
            direct = side.deployers.of(overlay)
            every = (*side.deployers.in_git(direct), *side.deployers.above(direct))
            found.update(each.origin.document_place for each in every)
        return frozenset(found)

    def note(self, states: OverlayStates) -> bool:
        """Note what an overlay contains. Return True if the project lists it, so that its errors count."""
        path, sides = states.overlay.path, [each for each in (states.states[0], states.states[-1]) if each]
        for one in (one for each in sides if each.content for one in each.content.written):
            self._rendered |= {one.current_id, one.origin.document_place}
        self._contained[path] = [
            {
                one.current_id: one
                for one in (each.content.written if each and each.content else ())
                if one.gvk.group.endswith(ENGINE_GROUPS)
            }
            for each in (states.states[0], states.states[-1])
        ]
        if path in self.paths and any(each.content is None for each in sides):
            self.failed.add(path)
        return path not in self.paths and path not in self._completed

    def harm(self, overlays: Iterable[OverlayDifference]) -> Iterator[OverlayDifference]:
        """Yield the overlays of the project, and of what it does not list whatever harms something."""
        for each in overlays:
            if each.path not in self.paths:
                yield each
            else:
                yield from _harm(self._as_written(each) if each.path in self.failed else each)

    def judged(
        self, overlays: Iterable[OverlayDifference], deployers: Collection[ResId]
    ) -> Iterator[OverlayDifference]:
        """Yield overlays with what the changed objects of engines in them do to what is not rendered.

        ``deployers`` are those that deploy overlays, and are judged as such.
        """
        for overlay in overlays:
            before, after = self._contained.get(overlay.path) or ({}, {})
            others = (each for id_, each in after.items() if id_ not in deployers)
            impacts = dict(self._impacts(before.values(), others))
            yield _with_impacts(overlay, impacts) if impacts else overlay

    def _impacts(
        self, before: Iterable[Resource], after: Iterable[Resource]
    ) -> Iterator[tuple[ResId, Impact]]:
        """Yield what changed objects of engines do to what they deploy, in the repository or not."""
        former = {each.current_id: each for each in before}
        for new in after:
            old = former.get(new.current_id)
            impact = self._impact(old, new) if old and not is_same(old.content, new.content) else None
            if impact is not None:
                yield new.current_id, impact

    def _impact(self, old: Resource, new: Resource) -> Impact | None:
        impacts = [impact_of(old, new)]
        side = self._sides[0]
        if is_set(old) and not side.side.deployers.made_by(old):
            impacts.append(unknown_set_impact(old, new))
        elif not side.deploys_here(old):
            impacts.append(replacement_impact(old, new))
        return max(filter(None, impacts), key=lambda each: each.effect.severity, default=None)

    def _as_written(self, overlay: OverlayDifference) -> OverlayDifference:
        """Return the difference of what cannot be built: of the objects in its files, as they are there."""
        old, new = (each.as_written(overlay.path) for each in self._sides)
        found = compare_overlay(overlay.path, overlay.name, old, new)
        others = (each for each in overlay.changes if each.id not in {change.id for change in found.changes})
        return found._replace(changes=(*others, *found.changes))

    def harm_by_engines(
        self, deployers: Collection[ResId], taken: Iterable[Taken]
    ) -> Iterator[OverlayDifference]:
        """Yield the harm done by changed objects of engines that no overlay contains, by folder.

        ``deployers`` are those that deploy overlays, and are compared with these. ``taken`` are Applications
        that a set takes over, and with which no overlay is compared.
        """
        takers = {each.maker.current_id: each for each in taken if each.impact}
        known = {*self._rendered, *deployers} - takers.keys()
        files = {*self._every, *(each.maker.origin.path for each in takers.values())}
        before, after = (each.engine_objects(files, known) for each in self._sides)
        for folder, made in self._made_otherwise().items():
            for objects, each in zip((before, after), made, strict=True):
                objects.setdefault(folder, []).extend(one for one in each if one.current_id not in known)
        _pair_moved(before, after)
        for folder in sorted({*before, *after}):
            old, new = (
                each.side.as_written(objects.get(folder, ()))
                for each, objects in zip(self._sides, (before, after), strict=True)
            )
            found = compare_overlay(folder, posixpath.basename(folder), old, new)
            impacts = dict(self._impacts(old.written, new.written))
            impacts |= {id_: each.impact for id_, each in takers.items() if each.impact}
            yield from _harm(_with_impacts(found, impacts))

    def harm_beside(self) -> Iterator[OverlayDifference]:
        """Yield the harm done by what is applied with overlays and trees, as the source of both is a folder.

        It is compared as it is written, or as the kustomization in its folder builds it.
        """
        units: dict[tuple[str, str], tuple[dict[str, Resource], dict[str, Resource]]] = {}
        manifests: dict[tuple[str, str], set[str]] = {}
        for number, side in enumerate(self._sides if self._changed else ()):
            for path in sorted(self._manifests_beside):
                for deployer, listing in side.applied_beside(path):
                    if not listing and posixpath.basename(path) in KUSTOMIZATION_FILES:
                        continue  # no manifest
                    key = f"{posixpath.dirname(deployer.origin.path) or '.'}:{deployer.name}", listing or path
                    units.setdefault(key, ({}, {}))[number][listing or path] = deployer
                    used = {path} & side.graph.files(listing) if listing else {path}
                    manifests.setdefault(key, set()).update(used)
        for (place, unit), deployers in sorted(units.items()):
            before, after = (
                side.applied_of(unit) if unit in found else ()
                for side, found in zip(self._sides, deployers, strict=True)
            )
            if before is None or after is None:
                continue
            self._beside |= manifests[place, unit]
            old, new = (
                side.side.as_written(
                    (each for each in objects if each.current_id not in self._rendered), found.get(unit)
                )
                for side, found, objects in zip(self._sides, deployers, (before, after), strict=True)
            )
            compared = compare_overlay(place, place.rpartition(":")[2], old, new)
            known = {each.current_id for each in before}
            added = (each for each in after if each.current_id not in known)
            rivals = [each for each in added if each.current_id in self._rendered]
            if rivals:
                reason = f"{unit} has a {rivals[0].kind} {rivals[0].name}, too: one of them is applied"
                compared = compared._replace(incomparable=reason)
            yield from _harm(compared)

    @property
    def _manifests_beside(self) -> Iterable[str]:
        """The manifests that differ; all of them if an object that deploys overlays has another source."""
        before, after = (each.known_sources for each in self._sides)
        listed = (path for each in self._sides for path in each.side.manifests)
        return self._changed if before == after else {path for path in listed if not self._is_listed(path)}

    def _is_listed(self, path: str) -> bool:
        return any(each.is_listed(path) for each in self._sides)

    def _made_otherwise(self) -> Mapping[str, tuple[list[Resource], list[Resource]]]:
        """Return what sets make on each side and not on the other one, by the folder of the set.

        That is without what a set keeps, and without Applications of this repository's folders, which are
        compared with these.
        """
        made = [
            {
                (posixpath.dirname(maker.origin.path) or ".", each.current_id): (maker, each)
                for listed in side.side.deployers.written.values()
                for maker in listed
                if is_set(maker)
                for each in side.side.deployers.made_by(maker)
                if is_resource_set(maker) or not side.deploys_here(each)
            }
            for side in (self._sides if self._may_make_others else ())
        ]
        found: dict[str, tuple[list[Resource], list[Resource]]] = {}
        for key in {key: None for each in made for key in each}:
            pair = [each.get(key) for each in made]
            if pair[0] and self._is_kept(*pair[0], is_gone=pair[1] is None):
                continue
            if not pair[0] or not pair[1] or not is_same(pair[0][1].content, pair[1][1].content):
                for objects, one in zip(found.setdefault(key[0], ([], [])), pair, strict=True):
                    objects.extend((one[1],) if one else ())
        return found

    @property
    def _may_make_others(self) -> bool:
        """Return True if a set may make something else: not if only objects in overlays differ."""
        return bool(self._changed) or any(
            deployer_files(each.side.fs, self._every.intersection(each.side.manifests))
            for each in self._sides
        )

    def _is_kept(self, maker: Resource, made: Resource, *, is_gone: bool) -> bool:
        """Return True if an Application stays as its set has made it; what goes with the set, that says."""
        if is_resource_set(maker):
            return is_gone and keeps_what_it_made(maker, made)
        staying = self._sides[1].side.deployers.written.get(maker.current_id, ())
        new = next(filter(is_set, staying), None)
        if new is None:
            return True
        return keeps_what_it_made(new, made) if is_gone else not updates_what_it_made(new)

    def not_compared(self) -> tuple[str, ...]:
        """Return the changed manifests with objects for a cluster that were not compared.

        A kustomization that cannot be built is one of them: it may list another release of an operator.
        """
        compared, unbuilt = set[str](), set[str]()
        for side in self._sides if self._changed else ():
            for path in side.overlays.keys() & self.paths:
                if path in self.failed:
                    unbuilt |= side.files(side.overlays[path])
                    compared |= side.resource_files(path)
                else:
                    compared |= side.files(side.overlays[path])
        return tuple(
            path
            for path in sorted(self._changed - compared - self._beside)
            if (path in unbuilt and posixpath.basename(path) in KUSTOMIZATION_FILES)
            or any(each.has_other_objects(path) for each in self._sides)
        )


class _Unlisted:
    """What one side deploys besides the overlays of its project."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.graph = KustomizationGraph(side.fs)
        self._files = OverlayFiles(side.fs, self.graph)
        self._objects: dict[str, tuple[Resource, ...]] = {}

    def is_listed(self, path: str) -> bool:
        """Return True if an overlay of the project is made of a manifest."""
        return path in self._listed or any(
            each.flux.may_read(path) for each in self.side.overlays.values() if each.flux
        )

    @cached_property
    def _listed(self) -> frozenset[str]:
        own = {PROJECT_FILE, *self.side.config.facts_files}
        return frozenset(own.union(*(self._files.of(each) for each in self.side.overlays.values())))

    def files(self, overlay: Overlay) -> frozenset[str]:
        """Return the files that an overlay is built from, and the file of what deploys it."""
        return self._files.of(overlay)

    @cached_property
    def overlays(self) -> Mapping[str, Overlay]:
        """The folders that Kustomizations and Applications deploy, by path: of the file, and their name."""
        listed = self.side.overlays.values()
        folders = {posixpath.normpath(path) for each in listed for path in (each.path, each.output)}
        found: dict[str, Overlay] = {}
        for deployer in self._deployers():
            is_made = bool(deployer.origin.field.segments)  # by a set
            folder = posixpath.dirname(deployer.origin.path) or "."
            overlay = self._overlay(f"{folder}:{deployer.name}", deployer, "")
            if (
                overlay is not None
                and overlay.path not in self.side.overlays
                and (is_made or deployer.origin.document_place not in self._known)
                and folders.isdisjoint(overlay.entry.folders if overlay.entry else ())
            ):
                found.setdefault(overlay.path, overlay)
        return found

    @cached_property
    def _known(self) -> Mapping[DocumentPlace, Resource]:
        """What deploys overlays of the project."""
        listed = self.side.overlays.values()
        return {each.origin.document_place: each for one in listed for each in self.side.deployers.of(one)}

    @cached_property
    def known_sources(self) -> Mapping[ResId, frozenset[str]]:
        """The folders that the objects that deploy overlays of the project deploy."""
        deployers = self.side.deployers
        return {each.current_id: deployers.sources_of(each) for each in self._known.values()}

    def applied_beside(self, path: str) -> Iterator[tuple[Resource, str]]:
        """Yield what deploys overlays and a manifest, with the folder of a kustomization between."""
        listed = {each.path for each in self.side.overlays.values()}
        for deployer, listing in self.side.deployers.applied_beside(path):
            if deployer.origin.document_place in self._known and listing not in listed:
                yield deployer, listing

    def applied_of(self, unit: str) -> Sequence[Resource] | None:
        """Return the objects in a manifest or of a kustomization, without those of engines.

        None if the kustomization cannot be built.
        """
        found = self.side.composed(unit) if self.side.fs.is_folder(unit) else self._objects_of(unit)
        if found is None:
            return None
        return [each for each in found if not each.gvk.group.endswith(ENGINE_GROUPS)]

    def _overlay(self, path: str, deployer: Resource, listed_as: str) -> Overlay | None:
        """Return what an object deploys of this repository; None if that is nothing, or suspended."""
        point = self._entry_point(deployer)
        if not point.folders or object_at(deployer.content, "spec").get("suspend") is True:
            return None
        entry = OverlayEntry(listed_as or path.rpartition(":")[0], entry=point.options)
        target = target_cluster_of(self.side.config.clusters, point)
        overlay = self.side.config.overlay(entry, path, deployer.name, target)
        return overlay._replace(entry=point, listed_as=listed_as)

    def counterpart(self, overlay: Overlay) -> Overlay | None:
        """Return an entry's overlay of another side as it is on this one, where no entry leads to it."""
        found, deployer = self.side.found, overlay.deployer
        unknown = (*found.uncertain_entries, *found.incomplete_entries)
        if deployer is None or overlay.path in found.suspended or overlay.listed_as in unknown:
            return None
        written = self.side.deployers.written.get(deployer.current_id, ())
        same = [each for each in written if each.origin.path == deployer.origin.path]
        [only] = same if len(same) == 1 else written if len(written) == 1 else [None]
        if only is None or not (is_flux_kustomization(only) or is_application(only)):
            return None
        if only.origin.document_place in self._known or makes_other_manifests(
            self.side.fs, as_application(only)
        ):
            return None
        known = self._overlay(overlay.path, only, overlay.listed_as)
        return known._replace(name=overlay.name, output=overlay.output) if known else None

    def resource_files(self, path: str) -> frozenset[str]:
        """Return the files of an overlay with objects: those that are resources, and no patches."""
        overlay, graph, found = self.overlays.get(path), self.graph, set[str]()
        for root in overlay.entry.folders if overlay and overlay.entry else ():
            for folder in graph.folders(root) or (root,):
                links = graph.links(folder)
                if links is None:
                    found |= graph.build_files(folder)
                elif links.is_readable:
                    found |= links.resources
                else:
                    names = frozenset(self.side.fs.list(folder)) - {*KUSTOMIZATION_FILES}
                    found.update(f"{folder}/{name}" for name in names)
        return frozenset(found)

    def as_written(self, path: str) -> OverlaySide | None:
        """Return the objects in the files of an overlay; None without the overlay."""
        if path not in self.overlays:
            return None
        objects = (each for file in sorted(self.resource_files(path)) for each in self._objects_of(file))
        return self.side.as_written(objects, self.overlays[path].deployer)

    def _deployers(self) -> Iterator[Resource]:
        """Yield the Kustomizations and Applications in files, and the Applications that sets make."""
        for each in (each for found in self.side.deployers.written.values() for each in found):
            if is_flux_kustomization(each) or is_application(each):
                yield each
            elif is_set(each):
                made = self.side.deployers.made_by(each)
                yield from (one for one in made if is_flux_kustomization(one) or is_application(one))

    def _entry_point(self, deployer: Resource) -> EntryPoint:
        if is_flux_kustomization(deployer):
            folder = posixpath.normpath(text_at(deployer.content, "spec", "path").removeprefix("/") or ".")
            is_own = self.side.fs.is_folder(folder) and self._is_of_this_repository(deployer, folder)
            folders = (folder,) if is_own else ()
            options = EntryOptions(EntryKind.FLUX)
            return EntryPoint(options, deployer, folders=folders, strictness=Strictness.LENIENT)
        urls = self.side.deployers.urls
        own = [
            each for each in sources(deployer) if each.path and urls.is_this_repository(each.url, each.path)
        ]
        return EntryPoint(
            EntryOptions(EntryKind.ARGOCD),
            deployer,
            folders=tuple(posixpath.normpath(each.path) for each in own),
            repositories=tuple({each.url: None for each in own}),
        )

    def deploys_here(self, deployer: Resource) -> bool:
        """Return True if an object deploys a folder of this repository."""
        is_known = is_flux_kustomization(deployer) or is_application(deployer)
        return is_known and bool(self._entry_point(deployer).folders)

    def _is_of_this_repository(self, kustomization: Resource, folder: str) -> bool:
        """Return True if the source of a Kustomization is this repository, as far as is known.

        Without an object of its source, a GitRepository counts as this one, and so does what an object that
        deploys overlays names. Images and buckets are others, unless the project lists their address.
        """
        key = source_key(kustomization)
        used = {source_key(each) for each in self._known.values() if is_flux_kustomization(each)}
        if key in used or key[0] == EXTERNAL_ARTIFACT:
            return True
        urls = self.side.deployers.urls
        named = [
            text_at(each.content, "spec", "url")
            for listed in self.side.deployers.written.values()
            for each in listed
            if each.reference == key
        ]
        if key[0] == "GitRepository":
            return not named or any(urls.is_this_repository(each, folder) for each in named)
        return key[0] == "OCIRepository" and any(map(urls.lists, named))

    def engine_objects(
        self, files: Iterable[str], known: AbstractSet[ResId | DocumentPlace]
    ) -> dict[str, list[Resource]]:
        """Return the objects of engines in files, by folder, without those that are ``known``."""
        found: dict[str, list[Resource]] = {}
        for path in sorted(files):
            for each in self._objects_of(path):
                if each.gvk.group.endswith(ENGINE_GROUPS) and known.isdisjoint(
                    {each.current_id, each.origin.document_place}
                ):
                    found.setdefault(posixpath.dirname(path) or ".", []).append(each)
        return found

    def has_other_objects(self, path: str) -> bool:
        """Return True if a manifest has an object for the cluster, and is not in a catalog."""
        is_kustomization = posixpath.basename(path) in KUSTOMIZATION_FILES
        if is_kustomization or any(is_inside(path, each) for each in self.side.config.catalog_folders()):
            return False
        return any(not each.gvk.group.endswith(ENGINE_GROUPS) for each in self._objects_of(path))

    def _objects_of(self, path: str) -> tuple[Resource, ...]:
        if path not in self._objects:
            self._objects[path] = ()
            if self.side.fs.is_file(path):
                self._objects[path] = tuple(objects_in(self.side.fs.read(path), path))
        return self._objects[path]


def _with_impacts(overlay: OverlayDifference, impacts: Mapping[ResId, Impact]) -> OverlayDifference:
    """Return an overlay with impacts on what its objects deploy, where none is known."""
    changes = tuple(
        each._replace(impact=impact, effects=(impact.effect,))
        if (impact := impacts.get(each.id)) and each.impact is None
        else each
        for each in overlay.changes
    )
    return overlay._replace(changes=changes)


def _pair_moved(before: dict[str, list[Resource]], after: Mapping[str, list[Resource]]) -> None:
    """Move the objects whose file is in another folder from now on to that one, to compare them there."""
    former, latter = (
        {folder: {each.current_id for each in objects} for folder, objects in side.items()}
        for side in (before, after)
    )
    for folder in tuple(before):
        for each in tuple(before[folder]):
            id_ = each.current_id
            places = [one for one, ids in latter.items() if id_ in ids and id_ not in former.get(one, ())]
            if len(places) == 1 and id_ not in latter.get(folder, ()):
                before[folder].remove(each)
                before.setdefault(places[0], []).append(each)


def _harm(overlay: OverlayDifference) -> Iterator[OverlayDifference]:
    """Yield an overlay with those of its changes that harm something; nothing if none does."""
    changes = tuple(each for each in overlay.changes if each.danger is not Danger.NONE)
    if changes or overlay.incomparable:
        yield overlay._replace(changes=changes)
