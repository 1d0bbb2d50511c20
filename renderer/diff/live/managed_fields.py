"""The owners of the fields of an object, as ``metadata.managedFields`` tells them.

An entry has the fields of one manager as a tree (``sigs.k8s.io/structured-merge-diff``,
``fieldpath/serialize.go`` and ``serialize-pe.go``): ``f:name`` is a field, ``k:{"port":80}`` the element of a
list with these keys, ``v:"text"`` an element of a set, ``i:0`` one by its index, and ``.`` the object itself.
A field without others below it is owned with all that is in it.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from renderer.kubevirt.confidential import LAST_APPLIED
from renderer.model.field_path import ElementName, FieldPath, Segment
from renderer.model.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.list_elements import element_index, element_text

_APPLY = "Apply"
_SELF = "."
#: Managers of programs that the cluster consists of, which write for no person. ``virt-api`` is none: it
#: writes what people ask of its subresources (``virtctl addvolume``).
_CONTROLLERS = frozenset(
    {
        "cdi-apiserver",
        "cdi-controller",
        "cdi-operator",
        "kube-apiserver",
        "kube-controller-manager",
        "kube-scheduler",
        "kubelet",
        "snapshot-controller",
        "virt-controller",
        "virt-handler",
        "virt-operator",
    }
)
#: Managers of programs that apply what Git holds.
_APPLIERS = ("argocd-", "before-first-apply", "kubectl-client-side-apply", "kustomize-controller")


class Owner(NamedTuple):
    """A manager of a field. ``applies``: by server-side apply; ``is_exact``: not by an object around it."""

    manager: str
    applies: bool = False
    subresource: str = ""
    time: str = ""
    is_exact: bool = True
    keeps_last_applied: bool = False

    @property
    def is_controller(self) -> bool:
        """True for a program that the cluster consists of."""
        return self.manager in _CONTROLLERS

    @property
    def is_applier(self) -> bool:
        """True for a program that applies what Git holds, by either way of ``kubectl apply``."""
        return self.applies or self.keeps_last_applied or self.manager.startswith(_APPLIERS)


class _Entry(NamedTuple):
    owner: Owner
    fields: JsonObject


class FieldOwners:
    """The owners of the fields of one object; of none where the dump was printed without them."""

    def __init__(self, content: JsonObject) -> None:
        entries = (object_at(each) for each in array_at(content, "metadata", "managedFields"))
        self._content = content
        self._entries = tuple(_entry(each) for each in entries if text_at(each, "manager"))

    def __bool__(self) -> bool:
        """True where the dump has managed fields of the object."""
        return bool(self._entries)

    def of(self, field: FieldPath) -> tuple[Owner, ...]:
        """Return the owners of a field of the object; of a field that is not there, none.

        Who owns a part of it counts. Where nobody does, who owns the nearest thing around it: a list as a
        whole, or an object that was empty.
        """
        found: list[tuple[int, Owner]] = []
        for entry in self._entries:
            depth = _depth(entry.fields, field.segments, self._content)
            if depth is not None:
                found.append((depth, entry.owner._replace(is_exact=depth == len(field.segments))))
        deepest = max((depth for depth, _ in found), default=0)
        return tuple(owner for depth, owner in found if depth == deepest)


def _entry(managed: JsonObject) -> _Entry:
    fields = object_at(managed, "fieldsV1")
    noted = object_at(fields, "f:metadata", "f:annotations")
    owner = Owner(
        manager=text_at(managed, "manager"),
        applies=text_at(managed, "operation") == _APPLY,
        subresource=text_at(managed, "subresource"),
        time=text_at(managed, "time"),
        keeps_last_applied=f"f:{LAST_APPLIED}" in noted,
    )
    return _Entry(owner, fields)


def _depth(fields: JsonObject, segments: tuple[Segment, ...], value: Json) -> int | None:
    """Return the number of segments at which the owned field stands; None for what is not owned."""
    for depth, segment in enumerate(segments):
        if depth and not _below(fields):
            return depth
        child = _child(value, segment)
        name = _name_in(fields, segment, child)
        if name is None:
            return None
        fields, value = object_at(fields, name), child
    return len(segments)


def _below(fields: JsonObject) -> bool:
    """Tell whether fields below are listed."""
    return any(key != _SELF for key in fields)


def _child(value: Json, segment: Segment) -> Json:
    if isinstance(segment, str):
        return object_at(value).get(segment)
    elements = value if isinstance(value, list) else []
    index = element_index(elements, segment)
    return None if index is None else elements[index]


def _name_in(fields: JsonObject, segment: Segment, child: Json) -> str | None:
    """Return the key of ``fields`` that means a segment, which leads to ``child``."""
    if isinstance(segment, str):
        return f"f:{segment}" if f"f:{segment}" in fields else None
    for name in fields:
        kind, _, text = name.partition(":")
        if kind == "i" and text == str(segment):
            return name
        if (kind == "k" and _has_keys(child, text, segment)) or (kind == "v" and _is_value(child, text)):
            return name
    return None


def _has_keys(element: Json, text: str, segment: Segment) -> bool:
    keys = _parsed(text)
    if not isinstance(keys, dict) or not keys:
        return False
    if isinstance(element, dict):
        return all(key not in element or element[key] == value for key, value in keys.items())
    return isinstance(segment, ElementName) and element_text(keys, segment.key) == segment.value


def _is_value(element: Json, text: str) -> bool:
    return element is not None and _parsed(text) == element


def _parsed(text: str) -> Json:
    try:
        parsed: Json = json.loads(text)
    except (ValueError, RecursionError):  # an API server writes no such thing; a hostile dump may
        return None
    return parsed


def last_applied(content: JsonObject) -> JsonObject | None:
    """Return the object as client-side apply sent it last; None where nobody did, or it is broken."""
    text = text_at(content, "metadata", "annotations", LAST_APPLIED)
    parsed = _parsed(text) if text else None
    return parsed if isinstance(parsed, dict) else None
