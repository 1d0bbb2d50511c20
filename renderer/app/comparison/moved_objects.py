"""Objects that leave one overlay and that another one of their cluster has afterwards: they have moved.

For the cluster, that is an update in place. So the former state of such an object is taken out of the overlay
that it leaves, and compared in the one that has it now. A renamed overlay is thereby compared with its former
self.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

from renderer.app.comparison.former_overlays import Objects, Origins, origins_of
from renderer.app.comparison.overlay_owners import Handover, owners_of
from renderer.app.comparison.relocated_overlays import Relocation, leaves_cluster, relocation_of
from renderer.app.comparison.rendered_sides import RenderedSide, RenderedSides, objects_of, written_of
from renderer.app.comparison.side import Side
from renderer.diff.deletions import Deletions
from renderer.diff.masking import without_secret_words
from renderer.diff.moved import with_deletion_risk, with_origins
from renderer.diff.sides import Sides
from renderer.kubevirt.facts.confidential.secret_values import secret_values
from renderer.kubevirt.facts.kinds import APPS_GROUP, CONTROLLER_REVISION
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.impact.lost_revision import named_revisions
from renderer.model.difference import ChangeType, OverlayDifference, ResourceChange
from renderer.model.kube.res_id import ObjectKey
from renderer.model.kube.resource import ResourceSet
from renderer.model.masking import Masking
from renderer.model.run.taint import taint
from renderer.pipeline.vm_changes import ProjectState


class MovedObjects:
    """The objects that move to other overlays from the first side to the one at the position ``number``."""

    def __init__(self, sides: tuple[Side, Side], overlays: Sequence[RenderedSides], number: int) -> None:
        self._sides = sides
        self._number = number
        self._overlays = {each.overlay.path: each for each in overlays}
        self._objects = cache(lambda path, number: objects_of(self._overlays[path].sides[number]))
        self._owners = cache(owners_of)
        self._deletions = cache(self._find_deletions)
        lost, gained = self._lost_and_gained()
        moved = origins_of(sides, lost, gained)
        found = {
            path: own
            for path, origins in moved.items()
            if (own := {key: origin for key, origin in origins.items() if origin != path})
        }
        #: The former paths of the overlays that gain objects: of a new one, that of most of its objects.
        self._former = {
            path: path if self._overlays[path].sides[0] else Counter(each.values()).most_common(1)[0][0]
            for path, each in found.items()
        }
        #: The former overlay of each object that an overlay gains, by the path of that overlay.
        self._origins = self._with_followers(found, lost)
        #: The objects that an overlay loses to others, and the paths of these.
        self._leaving: dict[str, set[ObjectKey]] = {}
        heirs: dict[str, set[str]] = {}
        for path, origins in self._origins.items():
            for key, origin in origins.items():
                self._leaving.setdefault(origin, set()).add(key)
                heirs.setdefault(origin, set()).add(path)
        for origin, leaving in self._leaving.items():
            objects = self._objects(origin, 0)
            if len(heirs[origin]) > 1 or len(leaving) < len(objects):
                # A machine may repeat the value of a Secret that stays, or moves elsewhere.
                taint(secret_values(each.content for each in objects.values()))

    def _lost_and_gained(self) -> tuple[Mapping[str, Objects], Mapping[str, Objects]]:
        lost: dict[str, Objects] = {}
        gained: dict[str, Objects] = {}
        for path, overlay in self._overlays.items():
            sides = overlay.sides[0], overlay.sides[self._number]
            if any(each is not None and each.content is None for each in sides):
                continue  # it cannot be compared
            old, new = self._objects(path, 0), self._objects(path, self._number)
            staying = () if leaves_cluster(self._sides, path) else old.keys() & new.keys()
            if old.keys() - staying:
                lost[path] = {key: each for key, each in old.items() if key not in staying}
            if new.keys() - staying:
                gained[path] = {key: each for key, each in new.items() if key not in staying}
        return lost, gained

    def _with_followers(self, moved: Origins, lost: Mapping[str, Objects]) -> Origins:
        """Return the moved objects, and objects that leave Git and are compared where others have moved to.

        These are the rest of a renamed overlay, and the ControllerRevisions that a moved machine names.
        """
        left = {path: dict.fromkeys(objects) for path, objects in lost.items()}
        for origins in moved.values():
            for key, origin in origins.items():
                left[origin].pop(key, None)
        found = {path: {**origins} for path, origins in moved.items()}
        for path, origins in moved.items():
            for key, origin in origins.items():
                machine = VirtualMachineView.of(lost[origin][key])
                names = named_revisions(machine.spec).values() if machine else ()
                revisions = ((APPS_GROUP, CONTROLLER_REVISION, key[2], name) for name in names)
                found[path] |= {each: origin for each in revisions if each in left[origin]}
        for path in sorted(moved, key=lambda each: -len(moved[each])):
            former = self._former[path]
            if former != path and self._overlays[former].sides[self._number] is None:
                found[path] |= dict.fromkeys(left.pop(former, ()), former)
        return found

    def compared(self, path: str) -> RenderedSides:
        """Return an overlay with the former objects that it gains, and without those that it loses."""
        found, former = self._overlays[path], self._former.get(path, path)
        sides = (
            self._with_gains(self._without_losses(each, path), path, former, number)
            for number, each in enumerate(found.sides[: self._number])
        )
        return RenderedSides(found.overlay, (*sides, found.sides[self._number]), former)

    def relocation(self, path: str) -> Relocation | None:
        """Return the clusters of an overlay that belongs to another one from this side on."""
        return relocation_of(self._sides, path)

    def departed(self, path: str) -> RenderedSide | None:
        """Return what leaves the cluster of an overlay that goes to another one; None if nothing does."""
        if not leaves_cluster(self._sides, path):
            return None
        return self._without(self._overlays[path].sides[0], self._leaving.get(path, set()))

    def _without_losses(self, side: RenderedSide | None, path: str) -> RenderedSide | None:
        if leaves_cluster(self._sides, path):
            return self._without(side, {*objects_of(side)})
        return self._without(side, self._leaving.get(path, set()))

    @staticmethod
    def _without(side: RenderedSide | None, leaving: set[ObjectKey]) -> RenderedSide | None:
        if side is None or not leaving:
            return side
        kept = (each for each in written_of(side) if each.object_key not in leaving)
        return side.with_written(kept)

    def _with_gains(
        self, side: RenderedSide | None, path: str, former: str, number: int
    ) -> RenderedSide | None:
        """Return a side with the objects that it gains; that of a new overlay is made of its former one."""
        base = side or self._overlays[former].sides[number]
        origins = self._origins.get(path)
        if not origins or base is None or base.content is None or base.state is None:
            return side
        objects = {**objects_of(side)}
        applied, refused = dict(base.content.applied), dict(base.content.refused)
        gained = []
        for key, origin in origins.items():
            found = self._objects(origin, number).get(key)
            other = self._overlays[origin].sides[number]
            if found is None or key in objects or other is None or other.content is None:
                continue
            objects[key] = found
            gained += [found] if other is not base else []
            id_ = found.current_id
            applied |= {id_: other.content.applied[id_]} if id_ in other.content.applied else {}
            refused |= {id_: other.content.refused[id_]} if id_ in other.content.refused else {}
        content = base.content._replace(written=tuple(objects.values()), applied=applied, refused=refused)
        state = base.state
        if gained:
            resources = ResourceSet((*state.resources, *gained))
            state = ProjectState(resources, state.catalog, state.profiles)
        return base._replace(content=content, state=state)

    def remarked(self, difference: OverlayDifference) -> OverlayDifference:
        """Return the difference of an overlay with remarks on the objects that have moved to it."""
        origins, now = self._origins.get(difference.path), self._objects(difference.path, self._number)
        if not origins:
            return difference
        after = {key: now[key].current_id for key in origins if key in now}
        found = with_origins(difference, origins, after)
        return found._replace(changes=tuple(self._with_risk(each, found.path) for each in found.changes))

    def _with_risk(self, change: ResourceChange, path: str) -> ResourceChange:
        """Return the change of an object with the risk that its former owner deletes it on the way."""
        before, after = self._sides
        origin, moved = change.moved_from, None
        if origin and change.before and change.type is ChangeType.CHANGED:
            moved = self._objects(origin, 0)[change.before.object_key]
        deletions, secrets = self._deletions(origin) if moved else (None, None)
        risk = deletions.at_risk(moved) if moved and deletions else None
        if moved is None or deletions is None or secrets is None or risk is None:
            return change
        latter, last = self._owners(after, path), {each.key for each in self._owners(after, origin)}
        for old in self._owners(before, origin) if latter else ():
            new = next((each for each in latter if each.key == old.key), latter[0])
            handover = Handover(old, new)
            if exemption := handover.exemption(moved, may_be_gone=old.key not in last):
                cause, lost = handover.cause(risk), deletions.lost_with(moved)
                return without_secret_words(with_deletion_risk(change, cause, exemption, lost), secrets)
        return change

    def _find_deletions(self, path: str) -> tuple[Deletions, Masking]:
        """Return the judge of deletions from an overlay, and the values of its Secrets."""
        rendered = self._overlays[path].sides
        before, after = (each.content if each else None for each in (rendered[0], rendered[self._number]))
        sides = Sides(before, after)
        return Deletions(sides), sides.secrets
