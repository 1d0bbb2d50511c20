"""A field under two names: where the user finds it, and what KubeVirt calls it."""

from __future__ import annotations

from renderer.admitters.cause import Cause, invalid
from renderer.model.field_path import FieldPath, Segment
from renderer.model.record import Record


class Place(Record):
    at: FieldPath
    reported: FieldPath

    def child(self, *segments: Segment) -> Place:
        return Place(self.at.child(*segments), self.reported.child(*segments))

    def invalid(self, message: str, hint: str | None = None) -> Cause:
        """KubeVirt gives this type to all that Kubernetes' own validation says."""
        return invalid(self.at, message, hint, reported=self.reported)
