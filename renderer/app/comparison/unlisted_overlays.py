"""What Flux and Argo CD deploy of a repository, and its project does not list.

A machine may need it all the same: its operator, namespace, claims and storage. Where a change touches it,
it is compared as an overlay is, and what harms something is reported; other changed objects are counted. An
object of an engine is compared even if nothing in the repository deploys its file: it is written to be
applied. Any other manifest that changes may be applied or not, and counts as not compared; of those, the
objects by which operators install KubeVirt are compared as well.
"""

from __future__ import annotations

import itertools
import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache, cached_property

from renderer.app.comparison.deployer_builds import DeployerBuilds
from renderer.app.comparison.engine_objects import EngineObjects, differences_by_folder
from renderer.app.comparison.rendered_sides import RenderedSide, RenderedSides, written_of
from renderer.app.comparison.shared_clusters import SharedClusters
from renderer.app.comparison.side import Side
from renderer.app.comparison.taken_applications import Taken
from renderer.app.comparison.tool_inputs import ToolInputs, differing_places
from renderer.app.comparison.unlisted_side import UnlistedSide
from renderer.diff.compare import compare_overlay
from renderer.files.file_system import folder_of
from renderer.kubevirt.facts.installed_release import lost_manifests, replaced_release
from renderer.kubevirt.facts.kinds import (
    CLAIM,
    configures_cluster,
    configures_kubevirt,
    is_kubevirt_group,
)
from renderer.kubevirt.facts.lists import is_same
from renderer.model.difference import Danger, OverlayDifference, ResourceChange
from renderer.model.kube.json import EMPTY, JsonObject, object_at
from renderer.model.kube.location import DocumentPlace
from renderer.model.kube.res_id import ObjectKey, ResId
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import is_kustomization_file
from renderer.model.render_config import Overlay
from renderer.pipeline.deployer_files import is_malformed

#: Fields of a Kustomization or Application that say when and how its objects are applied.
_WHEN = frozenset(
    {
        *("dependsOn", "force", "healthCheckExprs", "healthChecks", "interval", "prune", "retryInterval"),
        *("suspend", "syncPolicy", "timeout", "wait"),
    }
)


class UnlistedOverlays:
    """What two sides deploy besides the overlays of the project, if a file of it differs.

    ``overlays`` are compared like the overlays of the project; ``paths`` are their paths.
    """

    def __init__(
        self, before: Side, after: Side, changed: frozenset[str], in_between: frozenset[str] = frozenset()
    ) -> None:
        """``changed`` are the files to look at, ``in_between`` those that differ at commits only."""
        self._sides = UnlistedSide(before), UnlistedSide(after)
        #: The files that differ, and that the project does not render.
        self._changed = {path for path in changed if not self._is_listed(path)}
        looked_at = self._changed.union(path for path in in_between if not self._is_listed(path))
        self._engines = EngineObjects(self._sides, changed, is_other_changed=bool(self._changed))
        self._beside: set[str] = set()
        old, new = before.submodules, after.submodules
        moved = sorted(each for each in {**old, **new} if old.get(each) != new.get(each))
        #: Why an overlay may be made of something that is not in this repository, or is a secret.
        self._unknown: dict[str, str] = {}
        secrets = DeployerBuilds(before, after, changed)
        may_have_others = secrets.may_change_secrets()
        self._listed = {path: each for known in self._sides for path, each in known.side.overlays.items()}
        found: dict[str, Overlay] = {}
        may_differ = (
            looked_at or moved or may_have_others or self._engines.may_deploy_otherwise(changed | in_between)
        )
        for each in reversed(self._sides) if may_differ else ():
            for path, overlay in each.overlays.items():
                if path in self._listed or not any(known.applies(path) for known in self._sides):
                    continue
                if submodule := each.submodule_of(overlay, moved) if moved else "":
                    self._unknown[path] = (
                        f"submodule {submodule} is at another commit, whose files are not in this repository"
                    )
                if may_have_others and (secret := each.secret_of_machines(overlay, secrets.changed_source)):
                    self._unknown[path] = f"{secret} changes, of which variables of machines are taken"
                own = [known.overlays.get(path) for known in self._sides]
                if path not in found and (
                    path in self._unknown
                    or self._is_deployed_otherwise(path)
                    or self._is_touched(own, looked_at)
                ):
                    found[path] = overlay
        self.overlays = tuple(found.values())
        self.paths = found.keys()
        every = changed | in_between
        #: The overlays of the project of which a file differs, at commits, too.
        self._touched = {
            path
            for path in (self._listed if every else ())
            if self._is_touched([each.side.overlays.get(path) for each in self._sides], every)
        }
        self._rendered: set[ObjectKey | DocumentPlace] = set()
        #: The overlays that could not be rendered on a side, of those that the project does not list.
        self.failed: set[str] = set()
        self._completed: set[str] = set()
        self._deployers = cache(self._deployers_of)

    def _is_touched(self, sides: Sequence[Overlay | None], changed: AbstractSet[str]) -> bool:
        """Return True if a file of an overlay differs, or both sides build it from others, as a link says."""
        files = [known.files(own) for known, own in zip(self._sides, sides, strict=True) if own]
        return files[0] != files[-1] or any(not changed.isdisjoint(each) for each in files)

    def _is_deployed_otherwise(self, path: str) -> bool:
        """Return True if what deploys an overlay differs, as a set makes it, or if one side has none.

        Variables of Flux may have other values although no file of the overlay differs.
        """
        old, new = (each.deployed(path) for each in self._sides)
        if old is None or new is None:
            return True
        before, after = (
            [one.content for one in (each.deployer, *(each.entry.variables if each.entry else ())) if one]
            for each in (old, new)
        )
        return len(before) != len(after) or not all(map(is_same, before, after))

    def add_to(self, side: Side) -> None:
        """Have a side render the overlays as well, as far as it deploys them.

        An entry of the project leads to what deploys a machine, or data. What does so on another side only is
        an overlay of this side, too.
        """
        known = next((each for each in self._sides if each.side is side), None) or UnlistedSide(side)
        deployed = known.overlays if self.paths else {}
        added = {path: each for path, each in deployed.items() if path in self.paths}
        for path in self._listed.keys() - side.overlays.keys():
            if counterpart := known.counterpart(self._listed[path]):
                added[path] = counterpart
                self._completed.add(path)
        side.add_unlisted(added)
        touched = self._touched.union(self.paths)
        configuring = [
            each for path, each in side.overlays.items() if path in touched and known.may_configure(each)
        ]
        if configuring:
            clusters = SharedClusters((side, side))
            side.know_beside(
                lambda overlay: (
                    each for each in configuring if clusters.surely_share(overlay.path, each.path)
                )
            )

    def rendered(self, side: Side, overlay: Overlay) -> RenderedSide | None:
        """Return an overlay on a side; an unlisted one without the objects that deploy compared overlays."""
        found = side.render(overlay.path, overlay.listed_as)
        if found is None and overlay.path in self.paths and overlay.deployer:
            makers = (each.side.deployers.maker_of(overlay.deployer) for each in self._sides)
            maker = next(filter(None, makers), None)
            if maker and side.deployers.is_unknown(maker):
                return RenderedSide(
                    None, unknown=f"in {side.name}, it is not known what {maker.kind} {maker.name} makes"
                )
            file = overlay.deployer.origin.path
            if is_malformed(side.fs, file):
                return RenderedSide(None, unknown=f"in {side.name}, {file} cannot be read")
        if overlay.path not in self.paths or found is None:
            return found
        compared = self._deployers(side)
        return found.with_written(
            each for each in written_of(found) if each.origin.document_place not in compared
        )

    def _deployers_of(self, side: Side) -> frozenset[DocumentPlace]:
        """Return the places of the objects that deploy overlays; these are compared with the overlays."""
        found: set[DocumentPlace] = set()
        for overlay in side.overlays.values():
            direct = side.deployers.of(overlay)
            every = (*side.deployers.in_git(direct), *side.deployers.above(direct))
            found.update(each.origin.document_place for each in every)
        return frozenset(found)

    def note(self, rendered: RenderedSides) -> bool:
        """Note what an overlay contains. Return True if the project lists it, so that its errors count."""
        path = rendered.overlay.path
        for side, written in zip(self._sides, map(written_of, rendered.ends), strict=True):
            self._rendered.update(*((one.object_key, one.origin.document_place) for one in written))
            side.configuring += filter(configures_kubevirt, written)
        self._engines.add(rendered)
        if path in self.paths and any(
            each and each.content is None and not each.unknown for each in rendered.ends
        ):
            self.failed.add(path)
        return path not in self.paths and path not in self._completed

    def added_to(
        self, overlays: Iterable[OverlayDifference], deployers: Collection[ObjectKey], taken: Iterable[Taken]
    ) -> tuple[Sequence[OverlayDifference], AbstractSet[ResId]]:
        """Return the differences to report, and the other changed objects of what the project does not list.

        All differences of the overlays of the project are reported, and of the rest what does harm.

        Changed objects of engines that no overlay contains are compared by folder. ``deployers`` are those
        that deploy overlays; ``taken`` are as in ``EngineObjects.elsewhere``.
        """
        deployers = frozenset(deployers).difference(self._engines.made_by_tools())
        judged = [*map(self._compared, self._engines.judged(overlays, deployers))]
        elsewhere = (
            *self._engines.elsewhere({*self._rendered, *deployers}, taken),
            *self._compared_beside(),
            *self._compared_operators(),  # in files that nothing above compares
            *self._differing_tools(),
        )
        unlisted = (*(each for each in judged if each.path in self.paths), *elsewhere)
        reported = [
            each
            for overlay in judged
            for each in overlay.changes
            if overlay.path not in self.paths or _is_reported(each)
        ]
        read = {field.read for each in reported for field in each.fields if field.read}
        known = read.union(each.id for each in reported)  # a machine or an overlay says what they do
        others = {each.id for overlay in unlisted for each in overlay.changes if not _is_reported(each)}
        return (
            *self._with_harm(judged),
            *(harm for each in elsewhere for harm in _harm(each)),
        ), others - known

    def harm(self, overlays: Iterable[OverlayDifference]) -> Iterator[OverlayDifference]:
        """Yield the overlays of the project, and of what it does not list whatever harms something."""
        return self._with_harm(map(self._compared, overlays))

    def _with_harm(self, overlays: Iterable[OverlayDifference]) -> Iterator[OverlayDifference]:
        for each in overlays:
            yield from _harm(each) if each.path in self.paths else (each,)

    def _compared(self, overlay: OverlayDifference) -> OverlayDifference:
        """Return the difference of an overlay, as its files are written if it cannot be built."""
        found = overlay
        if overlay.path in self.failed:
            found = self._as_written(overlay)
            if reason := self._built_otherwise_by(overlay.path):
                found = found._replace(incomparable=reason)
        return found._replace(incomparable=self._unknown.get(overlay.path, found.incomparable))

    def _built_otherwise_by(self, path: str) -> str:
        """Return why other objects of KubeVirt or claims may be built of a folder that cannot be built here.

        A kustomization is left out: it is counted as a manifest that is not compared.
        """
        written = [(each, each.as_written(path)) for each in self._sides]
        objects = [one for _, side in written if side for one in side.written]
        if not any(is_kubevirt_group(each.gvk.group) or each.kind == CLAIM for each in objects):
            return ""
        overlays = [each.overlays[path] for each, side in written if side]
        deployer = overlays[-1].deployer
        if deployer and _building(overlays[0]) != _building(overlays[-1]):
            return f"{deployer.kind} {deployer.name} changes, and its folder cannot be built"
        unbuilt = frozenset().union(*(each.unbuilt_files(path) for each, side in written if side))
        files = itertools.filterfalse(is_kustomization_file, sorted(unbuilt & self._changed))
        return next((f"{each} changes, in a folder that cannot be built" for each in files), "")

    def _as_written(self, overlay: OverlayDifference) -> OverlayDifference:
        """Return the difference of what cannot be built: of the objects in its files, as they are there."""
        old, new = (each.as_written(overlay.path) for each in self._sides)
        found = compare_overlay(overlay.path, overlay.name, old, new)
        others = (each for each in overlay.changes if each.id not in {change.id for change in found.changes})
        return found._replace(changes=(*others, *found.changes))

    def _compared_beside(self) -> Iterator[OverlayDifference]:
        """Yield the differences of what is applied with overlays and trees from a folder above them.

        It is compared as it is written, or as the kustomization in its folder builds it.
        """
        units: dict[tuple[str, str], list[Resource | None]] = {}
        manifests: dict[tuple[str, str], set[str]] = {}
        for number, side in enumerate(self._sides if self._changed else ()):
            for path in sorted(self._manifests_beside):
                for deployer, listing in side.applied_beside(path):
                    if not listing and is_kustomization_file(path):
                        continue  # no manifest
                    key = f"{folder_of(deployer.origin.path)}:{deployer.name}", listing or path
                    units.setdefault(key, [None, None])[number] = deployer
                    used = {path} & side.side.graph.files(listing) if listing else {path}
                    manifests.setdefault(key, set()).update(used)
        for (place, unit), deployers in sorted(units.items()):
            before, after = (
                side.applied_of(unit) if deployer else ()
                for side, deployer in zip(self._sides, deployers, strict=True)
            )
            if before is None or after is None:
                continue
            self._beside |= manifests[place, unit]
            old, new = (
                side.of_objects(
                    (each for each in objects if each.object_key not in self._rendered), unit, deployer
                )
                for side, deployer, objects in zip(self._sides, deployers, (before, after), strict=True)
            )
            compared = compare_overlay(place, place.rpartition(":")[2], old, new)
            known = {each.object_key for each in before}
            added = (each for each in after if each.object_key not in known)
            rivals = [each for each in added if each.object_key in self._rendered]
            if rivals:
                reason = f"{unit} has a {rivals[0].kind} {rivals[0].name}, too: one of them is applied"
                compared = compared._replace(incomparable=reason)
            yield compared

    def _compared_operators(self) -> Iterator[OverlayDifference]:
        """Yield the differences of objects such as KubeVirt's in files that are not compared otherwise.

        They are objects of the whole cluster, and all machines depend on them.
        """
        files = self.not_compared()
        for path in files:
            if {is_one for each in self._sides for is_one in each.are_of_operators(path)} == {True}:
                self._beside.add(path)  # it has no other objects
        before, after = (each.operator_objects(files, self._rendered) for each in self._sides)
        kustomizations = [*filter(is_kustomization_file, self._left()[1])]
        installing = {path: [each.installing(path) for each in self._sides] for path in kustomizations}
        is_moved = any(new and not old for old, new in installing.values()) or any(
            map(self._sides[1].brings_operator, self._changed if installing else ())
        )
        for path, (one, other) in installing.items():
            old, new = (each.entries.content if each else EMPTY for each in (one, other))
            if one and not is_moved and lost_manifests(old, new):
                before.setdefault(folder_of(path), []).append(one.entries)
            elif one and other and replaced_release(old, new):
                self._beside |= {path} if is_same(one.others, other.others) else set()
                before.setdefault(folder_of(path), []).append(one.entries)
                after.setdefault(folder_of(path), []).append(other.entries)
        for found, _, _ in differences_by_folder(self._sides, before, after):
            yield found

    @cached_property
    def _differing_places(self) -> Mapping[str, frozenset[str]]:
        """The charts and other places of which tools make something else, with the files that differ."""
        if not self._engines.may_make_others():
            return {}
        compared = set[str](self._beside)
        for side in self._sides:
            for path in side.overlays.keys() & self.paths - self.failed:
                compared |= side.files(side.overlays[path])
        return differing_places(self._tools, self._changed - compared)

    @cached_property
    def _tools(self) -> tuple[ToolInputs, ToolInputs]:
        before, after = map(ToolInputs, self._sides)
        return before, after

    @cached_property
    def _places_of_machines(self) -> frozenset[str]:
        """The differing places of which a tool may make objects of KubeVirt."""
        places = self._differing_places.keys() - self._listed.keys()
        sides = self._tools if places else ()
        return frozenset(itertools.chain(*(each.naming_kubevirt(places) for each in sides)))

    def _differing_tools(self) -> Iterator[OverlayDifference]:
        """Yield what tools make otherwise of the places that name KubeVirt; it is not known what."""
        for place in sorted(self._places_of_machines):
            old, new = (each.of_objects((), place) for each in self._sides)
            compared = compare_overlay(place, posixpath.basename(place), old, new)
            changed = min(self._differing_places[place], default="what deploys it")
            reason = f"{changed} changes, and vmrender does not render what Helm, jsonnet or a plugin makes"
            yield compared._replace(incomparable=reason)

    def not_rendered(self) -> tuple[str, ...]:
        """Return the charts and other places of which tools make something else, except of machines."""
        return tuple(each for each in self._differing_places if each not in self._places_of_machines)

    @property
    def _manifests_beside(self) -> Iterable[str]:
        """The manifests that differ; all of them if an object that deploys overlays has another source."""
        before, after = (each.known_sources for each in self._sides)
        listed = {path for each in self._sides for path in each.side.listing.manifests}
        return (
            listed & self._changed if before == after else set(itertools.filterfalse(self._is_listed, listed))
        )

    def _is_listed(self, path: str) -> bool:
        return any(each.is_listed(path) for each in self._sides)

    def _left(self) -> tuple[AbstractSet[str], Sequence[str]]:
        """Return the files of folders that could not be built, and the changed files not compared yet."""
        compared, unbuilt = set[str](), set[str]()
        for side in self._sides if self._changed else ():
            for path in side.overlays.keys() & self.paths:
                if path in self.failed:
                    unbuilt |= side.unbuilt_files(path)
                    compared |= side.resource_files(path)
                else:
                    compared |= side.files(side.overlays[path])
        return unbuilt, sorted(self._changed - compared - self._beside)

    def not_compared(self) -> tuple[str, ...]:
        """Return the changed manifests with objects for a cluster that were not compared.

        So are the kustomization of a folder that cannot be built, which may list another release of an
        operator, and its patches.
        """
        unbuilt, files = self._left()
        by_tools = frozenset().union(*self._differing_places.values())
        return tuple(
            path
            for path in files
            if path not in by_tools
            and (path in unbuilt or any(each.may_be_applied(path) for each in self._sides))
        )


def _harm(overlay: OverlayDifference) -> Iterator[OverlayDifference]:
    """Yield an overlay with the changes that are reported; nothing if there are none."""
    changes = tuple(filter(_is_reported, overlay.changes))
    if changes or overlay.incomparable:
        yield overlay._replace(changes=changes)


def _building(overlay: Overlay) -> Sequence[JsonObject]:
    """Return the variables, and the fields of the deployer that decide which objects are built."""
    spec = object_at(overlay.deployer.content, "spec") if overlay.deployer else EMPTY
    variables = overlay.entry.variables if overlay.entry else ()
    return [{key: spec[key] for key in spec.keys() - _WHEN}, *(each.content for each in variables)]


def _is_reported(change: ResourceChange) -> bool:
    """Return True for a harmful change, and for any change of KubeVirt's configuration.

    All machines depend on it, and not each of its fields is judged.
    """
    return change.danger is not Danger.NONE or configures_cluster(change.id.gvk)
