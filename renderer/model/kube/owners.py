"""The objects that own an object, by ``metadata.ownerReferences``."""

from __future__ import annotations

from collections.abc import Sequence

from renderer.model.kube.json import JsonObject, array_at, object_at


def owners(content: JsonObject) -> Sequence[JsonObject]:
    """Return the references to the owners of an object, which are in its namespace."""
    return [object_at(each) for each in array_at(content, "metadata", "ownerReferences")]


def controller_of(content: JsonObject) -> JsonObject | None:
    """Return the owner that made and maintains an object (``metav1.GetControllerOf``); None without one."""
    return next((owner for owner in owners(content) if owner.get("controller") is True), None)
