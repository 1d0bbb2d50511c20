"""The owners of the fields of an object, from ``metadata.managedFields``.

An entry has the fields of one manager as a tree (``sigs.k8s.io/structured-merge-diff``,
``fieldpath/serialize.go`` and ``serialize-pe.go``): ``f:name`` is a field, ``k:{"port":80}`` the element of a
list with these keys, ``v:"text"`` an element of a set, ``i:0`` an element by its index, and ``.`` the object
itself. A field without other fields below it is owned with its whole content.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

from renderer.kubevirt.facts.confidential.fields import LAST_APPLIED
from renderer.kubevirt.facts.controller_marks import is_controller_finalizer
from renderer.model.kube.field_path import ElementName, FieldPath, Segment
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.list_elements import FieldLookup
from renderer.model.run.work import spend

#: Steps for finding a field among the fields of one manager (``model.run.work``).
_STEPS_PER_ENTRY = 12

_APPLY = "Apply"
_SELF = "."
_ELEMENTS = ("k:", "v:")
#: Managers of programs that are part of the cluster and do not write on behalf of a person. ``virt-api`` is
#: not in the list: it writes what people request through its subresources (``virtctl addvolume``).
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
#: The managers of people begin with this: ``kubectl-edit``, ``kubectl-patch``.
_PERSON = "kubectl"
#: Managers of programs that apply the content of Git.
_APPLIERS = ("argocd-", "before-first-apply", "kubectl-client-side-apply", "kustomize-controller")


class Owner(NamedTuple):
    """A manager of a field. ``applies``: by server-side apply; ``is_exact``: not through an ancestor."""

    manager: str
    applies: bool = False
    subresource: str = ""
    is_exact: bool = True
    writes_last_applied: bool = False

    @property
    def is_controller(self) -> bool:
        """Return True for a program that is part of the cluster."""
        return self.manager in _CONTROLLERS

    @property
    def is_applier(self) -> bool:
        """Return True for a program that applies the content of Git, by either mode of ``kubectl apply``."""
        return self.applies or self.writes_last_applied or self.manager.startswith(_APPLIERS)


class _Entry(NamedTuple):
    owner: Owner
    fields: JsonObject


class FieldOwners:
    """The owners of the fields of one object; empty if the dump was printed without managed fields."""

    def __init__(self, content: JsonObject) -> None:
        entries = map(object_at, array_at(content, "metadata", "managedFields"))
        self._content = content
        self._lookup = FieldLookup(content)
        self._entries = tuple(_entry(each) for each in entries if text_at(each, "manager"))
        self._elements: dict[int, _OwnedElements] = {}
        self._found: dict[FieldPath, tuple[Owner, ...]] = {}
        self._merged: dict[FieldPath, bool] = {}

    def __bool__(self) -> bool:
        """Return True if the dump has managed fields of the object."""
        return bool(self._entries)

    def of(self, field: FieldPath) -> tuple[Owner, ...]:
        """Return the owners of a field of the object; empty for a field that does not exist.

        Owners of a part of the field count. Otherwise the owners of its nearest ancestor count: a list as a
        whole, or an object that was empty.
        """
        if field not in self._found:
            spend(_STEPS_PER_ENTRY * len(self._entries), "finding the owners of fields")
            self._found[field] = self._owners(field)
        return self._found[field]

    def merges_elements(self, field: FieldPath) -> bool:
        """Return True if a server-side apply has sent a list, and owns only the elements that it sent."""
        if field not in self._merged:
            self._merged[field] = any(
                entry.owner.applies
                and any(key.startswith(_ELEMENTS) for key in _fields_at(entry.fields, field))
                for entry in self._entries
            )
        return self._merged[field]

    def _owners(self, field: FieldPath) -> tuple[Owner, ...]:
        found: list[tuple[int, Owner]] = []
        for entry in self._entries:
            depth = self._depth(entry.fields, field.segments)
            if depth is not None:
                found.append((depth, entry.owner._replace(is_exact=depth == len(field.segments))))
        deepest = max((depth for depth, _ in found), default=0)
        return tuple(owner for depth, owner in found if depth == deepest)

    def _depth(self, fields: JsonObject, segments: tuple[Segment, ...]) -> int | None:
        """Return the depth of the owned field, in segments; None if it is not owned."""
        value: Json = self._content
        for depth, segment in enumerate(segments):
            if depth and all(key == _SELF for key in fields):
                return depth
            value = self._lookup.child(value, segment)
            name = f"f:{segment}" if isinstance(segment, str) else self._of_list(fields).name(segment, value)
            if name not in fields:
                return None
            fields = object_at(fields, name)
        return len(segments)

    def _of_list(self, fields: JsonObject) -> _OwnedElements:
        """Return the elements of a list among fields, cached by ``id``.

        The ids stay valid because the object keeps its fields alive.
        """
        found = self._elements.get(id(fields))
        if found is None:
            found = self._elements[id(fields)] = _OwnedElements(fields)
        return found


class _OwnedElements:
    """The elements of one list that a manager owns, looked up by their identity."""

    def __init__(self, fields: JsonObject) -> None:
        self._keyed = {name: object_at(_parsed_json(name[2:])) for name in fields if name.startswith("k:")}
        self._values = {
            _canonical_json(_parsed_json(name[2:])): name for name in fields if name.startswith("v:")
        }
        self._keys = {key for keys in self._keyed.values() for key in keys}
        self._indexes: dict[frozenset[str], dict[str, str]] = {}

    def name(self, segment: Segment, element: Json) -> str:
        """Return the name of an element among the fields; an empty text if it is not owned.

        A key that the element lacks has its default.
        """
        if isinstance(segment, int) and not self._keyed and not self._values:
            return f"i:{segment}"
        if element is None and isinstance(segment, ElementName):  # removed from the list
            element = {segment.key: segment.value}
        if not isinstance(element, dict):
            return self._values.get(_canonical_json(element), "")
        present = frozenset(self._keys.intersection(element))
        if present not in self._indexes:
            named = ((_signature(keys, present), name) for name, keys in self._keyed.items())
            self._indexes[present] = dict(reversed([*named]))
        return self._indexes[present].get(_signature(element, present), "") if present else ""


def _fields_at(fields: JsonObject, field: FieldPath) -> JsonObject:
    """Return the fields below a field that no list contains."""
    return object_at(fields, *(f"f:{key}" for key in field.keys))


def _signature(value: JsonObject, keys: Iterable[str]) -> str:
    return _canonical_json([value.get(key) for key in sorted(keys)])


def _canonical_json(value: Json) -> str:
    return json.dumps(value, sort_keys=True)


def _entry(managed: JsonObject) -> _Entry:
    fields = object_at(managed, "fieldsV1")
    annotations = object_at(fields, "f:metadata", "f:annotations")
    owner = Owner(
        manager=text_at(managed, "manager"),
        applies=text_at(managed, "operation") == _APPLY,
        subresource=text_at(managed, "subresource"),
        writes_last_applied=f"f:{LAST_APPLIED}" in annotations,
    )
    return _Entry(owner, fields)


def _parsed_json(text: str) -> Json:
    try:
        parsed: Json = json.loads(text)
    except (ValueError, RecursionError):  # an API server never writes this; a hostile dump may
        return None
    return parsed


def last_applied(content: JsonObject) -> JsonObject | None:
    """Return the object as client-side apply last sent it; None if there was none, or it is broken."""
    text = text_at(content, "metadata", "annotations", LAST_APPLIED)
    parsed = _parsed_json(text) if text else None
    return parsed if isinstance(parsed, dict) else None


def is_applied(content: JsonObject, field: FieldPath) -> bool:
    """Return True if a person or an engine applied a field of an object."""
    sent: Json = last_applied(content)
    for key in field.keys:
        sent = sent.get(key) if isinstance(sent, dict) else None
    return sent is not None or any(
        owner.is_exact and (owner.is_applier or owner.manager.startswith(_PERSON))
        for owner in FieldOwners(content).of(field)
    )


def applied_finalizers(content: JsonObject) -> frozenset[str]:
    """Return the finalizers of an object that people or engines applied, of which controllers may be unaware.

    Without an owner, a finalizer counts as one of a controller.
    """
    names = array_at(content, "metadata", "finalizers")
    owners = FieldOwners(content)
    sent = {
        each for each in array_at(last_applied(content), "metadata", "finalizers") if isinstance(each, str)
    }
    return frozenset(
        name
        for index, name in enumerate(names)
        if isinstance(name, str)
        and not is_controller_finalizer(name)
        and (
            name in sent
            or any(
                owner.is_exact and (owner.is_applier or owner.manager.startswith(_PERSON))
                for owner in owners.of(FieldPath.of("metadata", "finalizers", index))
            )
        )
    )
