"""Values that stand in several JSON documents, in one form."""

from __future__ import annotations

from renderer.model.difference import NoValue, Value
from renderer.model.json import Json
from renderer.model.res_id import ResId


def resource_json(resource: ResId | None) -> Json:
    if resource is None:
        return None
    return {
        "apiVersion": resource.gvk.api_version,
        "kind": resource.gvk.kind,
        "namespace": resource.namespace,
        "name": resource.name,
    }


def value_json(value: Value) -> Json:
    """``{"value": …}`` or ``{"withheld": true}``; null where there is no value."""
    if value is NoValue.ABSENT:
        return None
    if value is NoValue.WITHHELD:
        return {"withheld": True}
    return {"value": value}
