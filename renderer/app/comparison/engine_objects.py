"""Changed objects of Flux and Argo CD that deploy something that is not rendered here.

They are in overlays, or in files of no overlay, or a set makes them.
"""

from __future__ import annotations

import itertools
import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet

from renderer.app.comparison.rendered_sides import RenderedSides, written_of
from renderer.app.comparison.taken_applications import Taken
from renderer.app.comparison.unlisted_side import UnlistedSide
from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.files.file_system import folder_of
from renderer.gitops.argocd.application import is_application, is_application_set
from renderer.gitops.engine_reaction import impact_of
from renderer.gitops.flux.flux_operator import is_resource_set
from renderer.gitops.pruning import keeps_what_it_made, updates_what_it_made
from renderer.gitops.replacement import replacement_impact, unknown_set_impact
from renderer.kubevirt.facts.lists import is_same
from renderer.model.difference import Impact, OverlayDifference, worst
from renderer.model.engines import ENGINE_GROUPS
from renderer.model.kube.location import DocumentPlace
from renderer.model.kube.res_id import ObjectKey
from renderer.model.kube.resource import Resource
from renderer.pipeline.deployer_files import deployer_files
from renderer.pipeline.deployers import is_set


class EngineObjects:
    """The objects of engines on two sides."""

    def __init__(
        self, sides: tuple[UnlistedSide, UnlistedSide], changed: frozenset[str], *, is_other_changed: bool
    ) -> None:
        """``changed`` are the manifests that differ; ``is_other_changed``: one of them is in no overlay."""
        self._sides = sides
        self._changed = changed
        self._is_other_changed = is_other_changed
        #: The objects that overlays contain, on each side.
        self._contained: dict[str, tuple[Mapping[ObjectKey, Resource], Mapping[ObjectKey, Resource]]] = {}

    def add(self, rendered: RenderedSides) -> None:
        """Add an overlay; the objects in it are compared with it."""
        before, after = (
            {each.object_key: each for each in written_of(side) if each.gvk.group.endswith(ENGINE_GROUPS)}
            for side in rendered.ends
        )
        self._contained[rendered.overlay.path] = before, after

    def judged(
        self, overlays: Iterable[OverlayDifference], deployers: Collection[ObjectKey]
    ) -> Iterator[OverlayDifference]:
        """Yield overlays with what the changed objects of engines in them do to what is not rendered.

        ``deployers`` are those that deploy overlays, and are judged as such.
        """
        for overlay in overlays:
            before, after = self._contained.get(overlay.path) or ({}, {})
            others = (each for key, each in after.items() if key not in deployers)
            impacts = dict(self._impacts(before.values(), others))
            yield _with_impacts(overlay, impacts) if impacts else overlay

    def made_by_tools(self) -> Iterator[ObjectKey]:
        """Yield the changed Applications and sets of which a chart, a plugin or another repository is a part.

        If such an object deploys an overlay, that does not say what becomes of the rest.
        """
        for side in self._sides:
            for each in itertools.chain.from_iterable(side.engine_objects(self._changed, set()).values()):
                if (is_application(each) or is_application_set(each)) and not side.is_rendered(each):
                    yield each.object_key

    def _impacts(
        self, before: Iterable[Resource], after: Iterable[Resource]
    ) -> Iterator[tuple[ObjectKey, Impact]]:
        """Yield the impact of each changed object of an engine on what it deploys, here or elsewhere."""
        former = {each.object_key: each for each in before}
        for new in after:
            old = former.get(new.object_key)
            impact = self._impact(old, new) if old and not is_same(old.content, new.content) else None
            if impact is not None:
                yield new.object_key, impact

    def _impact(self, old: Resource, new: Resource) -> Impact | None:
        impacts = [impact_of(old, new)]
        side = self._sides[0]
        if is_set(old) and not side.side.deployers.made_by(old):
            impacts.append(unknown_set_impact(old, new))
        elif not side.is_rendered(old):
            impacts.append(replacement_impact(old, new))
        return worst(filter(None, impacts))

    def elsewhere(
        self, known: AbstractSet[ObjectKey | DocumentPlace], taken: Iterable[Taken]
    ) -> Iterator[OverlayDifference]:
        """Yield the differences of the changed objects that are not ``known``, by folder.

        ``known`` are those that overlays contain, or that deploy overlays and are compared with these.
        ``taken`` are Applications that a set takes over, and with which no overlay is compared.
        """
        takers = {each.maker.object_key: each for each in taken if each.impact}
        known = known - takers.keys()
        files = {*self._changed, *(each.maker.origin.path for each in takers.values())}
        before, after = (each.engine_objects(files, known) for each in self._sides)
        for folder, made in self._made_otherwise().items():
            for objects, each in zip((before, after), made, strict=True):
                objects.setdefault(folder, []).extend(one for one in each if one.object_key not in known)
        for found, old, new in differences_by_folder(self._sides, before, after):
            impacts = dict(self._impacts(old.written, new.written))
            impacts |= {key: each.impact for key, each in takers.items() if each.impact}
            yield _with_impacts(found, impacts)

    def _made_otherwise(self) -> Mapping[str, tuple[list[Resource], list[Resource]]]:
        """Return the objects that sets make on one side only, or differently, by the folder of the set.

        Objects that a set keeps are left out, and so are Applications of which all is rendered: these are
        compared with their folders.
        """
        made = [
            {
                (folder_of(maker.origin.path), each.object_key): (maker, each)
                for maker in side.side.deployers.objects
                if is_set(maker)
                for each in side.side.deployers.made_by(maker)
                if is_resource_set(maker) or not side.is_rendered(each)
            }
            for side in (self._sides if self.may_make_others() else ())
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

    def may_make_others(self) -> bool:
        """Return True if a set may make something else: not if only objects in overlays differ."""
        return self._is_other_changed or self.may_deploy_otherwise(self._changed)

    def may_deploy_otherwise(self, changed: AbstractSet[str]) -> bool:
        """Return True if a file that differs may have an object of an engine that deploys something."""
        return any(
            deployer_files(each.side.fs, filter(each.side.listing.is_manifest, changed))
            for each in self._sides
        )

    def _is_kept(self, maker: Resource, made: Resource, *, is_gone: bool) -> bool:
        """Return True if an Application stays as its set has made it."""
        if is_resource_set(maker):
            return is_gone and keeps_what_it_made(maker, made)
        staying = self._sides[1].side.deployers.written.get(maker.object_key, ())
        new = next(filter(is_set, staying), None)
        if new is None:
            return True
        return keeps_what_it_made(new, made) if is_gone else not updates_what_it_made(new)


def _with_impacts(overlay: OverlayDifference, impacts: Mapping[ObjectKey, Impact]) -> OverlayDifference:
    """Return an overlay with impacts on what its objects deploy, where none is known."""
    changes = (
        each if each.impact else each.with_impact(impacts.get(each.id.object_key)) for each in overlay.changes
    )
    return overlay._replace(changes=tuple(changes))


def differences_by_folder(
    sides: tuple[UnlistedSide, UnlistedSide],
    before: dict[str, list[Resource]],
    after: Mapping[str, list[Resource]],
) -> Iterator[tuple[OverlayDifference, OverlaySide, OverlaySide]]:
    """Yield the difference of the objects in each folder, and its sides; a moved one is in its new folder."""
    _pair_moved(before, after)
    for folder in sorted({*before, *after}):
        old, new = (
            each.of_objects(objects.get(folder, ()), folder)
            for each, objects in zip(sides, (before, after), strict=True)
        )
        yield compare_overlay(folder, posixpath.basename(folder), old, new), old, new


def _pair_moved(before: dict[str, list[Resource]], after: Mapping[str, list[Resource]]) -> None:
    """Move the objects whose file is in another folder from now on to that one, to compare them there."""
    former, latter = (
        {folder: {each.object_key for each in objects} for folder, objects in side.items()}
        for side in (before, after)
    )
    places: dict[ObjectKey, list[str]] = {}
    for folder, keys in latter.items():
        for key in keys - former.get(folder, set()):
            places.setdefault(key, []).append(folder)
    for folder in tuple(before):
        staying: list[Resource] = []
        for each in before[folder]:
            new_places = places.get(each.object_key, ())
            if len(new_places) == 1 and each.object_key not in latter.get(folder, ()):
                before.setdefault(new_places[0], []).append(each)
            else:
                staying.append(each)
        before[folder] = staying
