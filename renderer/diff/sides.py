"""Both sides of one overlay, and what follows from them alone."""

from __future__ import annotations

from functools import cached_property

from renderer.diff.leaving_revisions import LeavingRevisions
from renderer.diff.machine_outlook import Outlook
from renderer.diff.overlay_side import OverlaySide
from renderer.kubevirt.facts.confidential.secret_values import secret_values
from renderer.kubevirt.impact.guest_machine import GuestCluster
from renderer.kubevirt.impact.storage_objects import StorageObjects
from renderer.model.difference import Impact
from renderer.model.kube.resource import Resource
from renderer.model.masking import Masking
from renderer.model.run.taint import taint_masking


class Sides:
    """An overlay before and after a change; a missing side is empty, at the release of the other."""

    def __init__(self, before: OverlaySide | None, after: OverlaySide | None) -> None:
        known = before or after
        assert known is not None  # noqa: S101 - an overlay is on one side at least
        self.before = before or OverlaySide(known.release)
        self.after = after or OverlaySide(known.release)
        self.leaving_revisions = LeavingRevisions(self.before.written, self.after.written, self.after.release)
        #: True if another cluster starts the machines after the change.
        self.is_other_cluster = (self.before.release, self.before.kubevirt) != (
            self.after.release,
            self.after.kubevirt,
        )

    def was_refused(self, before: Resource) -> bool:
        """Return True if the cluster rejected an object before the change."""
        return before.current_id in self.before.refused

    def new_refusal(self, before: Resource, after: Resource) -> Impact | None:
        """Return the refusal for a reason that did not refuse the object before; None without one."""
        return self.after.refusal(after, self.before.refused.get(before.current_id, ()))

    @cached_property
    def outlook(self) -> Outlook:
        """The judge of what a change does to data and guests."""
        before, after = self.before, self.after
        storage = StorageObjects(after.written, after.storage_classes)
        return Outlook(
            (StorageObjects(before.written, before.storage_classes).with_volumes_of(storage), storage),
            (
                GuestCluster.of(before.release, before.kubevirt),
                GuestCluster.of(after.release, after.kubevirt),
            ),
        )

    @cached_property
    def secrets(self) -> Masking:
        """The values of the Secrets on both sides, and further ones that the run knows."""
        objects = (each.content for side in (self.before, self.after) for each in side.written)
        return Masking(secret_values(objects), others=(taint_masking(),))
