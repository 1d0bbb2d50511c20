"""Resources and fields as users type them: ``vm/db``, ``spec...disks[name=root]``, ``/spec/template``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import NamedTuple, Self, TypeAlias

from renderer.model.kube.field_path import ElementName, FieldPath, Segment, parse_pointer
from renderer.model.kube.resource import Resource
from renderer.model.suggest import suggest
from renderer.model.whole_number import whole_number


class _Any(Enum):
    """Any number of segments, written ``...``."""

    ANY = "..."


_PatternPart: TypeAlias = Segment | _Any
_PARTS = re.compile(
    r"""(?P<any>\.\.\.)
    | \[(?P<quote>["'])(?P<quoted>.*?)(?P=quote)\]
    | \[(?P<index>[0-9]+)\]
    | \[(?P<name>[^\]=]+)=(?P<value>[^\]]*)\]
    | \.?(?P<key>[^.\[\]]+)""",
    re.VERBOSE,
)
#: The short names of kubectl and KubeVirt for kinds.
_SHORT_NAMES = {
    "cm": "configmap",
    "deploy": "deployment",
    "ds": "daemonset",
    "dv": "datavolume",
    "ing": "ingress",
    "kv": "kubevirt",
    "nad": "networkattachmentdefinition",
    "netpol": "networkpolicy",
    "ns": "namespace",
    "pvc": "persistentvolumeclaim",
    "sa": "serviceaccount",
    "sts": "statefulset",
    "svc": "service",
    "vm": "virtualmachine",
    "vmcf": "virtualmachineclusterinstancetype",
    "vmcp": "virtualmachineclusterpreference",
    "vmf": "virtualmachineinstancetype",
    "vmi": "virtualmachineinstance",
    "vmp": "virtualmachinepreference",
    "vmpool": "virtualmachinepool",
    "vmpref": "virtualmachinepreference",
}


class FieldPattern:
    """A field as typed: keys with dots need no quotes; list elements are given by name or by number."""

    def __init__(self, text: str) -> None:
        """Read the pattern ``text``. Raises ``ValueError`` if it is not a path."""
        self._parts: tuple[_PatternPart, ...]
        if text.startswith("/"):
            self._parts = tuple(whole_number(key) if key.isdecimal() else key for key in parse_pointer(text))
        else:
            self._parts = tuple(_path(text))

    def match(self, path: FieldPath, by_index: FieldPath) -> FieldPath | None:
        """Return the matching field: ``path`` itself, an ancestor of it, or None.

        ``by_index`` is the path with indices instead of the names of elements.
        """
        for length in range(len(path.segments) + 1):
            if _matches(self._parts, path.segments[:length], by_index.segments[:length]):
                return FieldPath(path.segments[:length])
        return None


def nearest_fields(text: str, paths: Iterable[FieldPath]) -> tuple[str, ...]:
    """Return up to three fields, from the ancestors of ``paths``, that resemble what was typed."""
    fields = {
        str(FieldPath(path.segments[:length])): None
        for path in paths
        for length in range(1, len(path.segments) + 1)
    }
    near = suggest(text.strip("."), fields, cutoff=0.8)
    if near:
        return near
    last = re.split(r"[./]", text)[-1]
    ends = [field for field in fields if field.lower().endswith(f".{last.lower()}")]
    return tuple(ends[:3] or suggest(text, fields))


def _path(text: str) -> Iterable[_PatternPart]:
    position = 0
    while position < len(text):
        match = _PARTS.match(text, position)
        if match is None:
            raise ValueError(f"{text[position:]!r} is not part of a field's path")
        position = match.end()
        yield _part(match)


def _part(match: re.Match[str]) -> _PatternPart:
    if match["any"]:
        return _Any.ANY
    if match["index"]:
        return whole_number(match["index"])
    if match["name"]:
        return ElementName(match["name"], match["value"])
    return match["key"] if match["quoted"] is None else match["quoted"]


def _matches(parts: Sequence[_PatternPart], path: Sequence[Segment], by_index: Sequence[Segment]) -> bool:
    if not parts or not path:
        return not parts and not path
    first, *rest = parts
    if first is _Any.ANY:
        return any(_matches(rest, path[start:], by_index[start:]) for start in range(len(path)))
    if first in (path[0], by_index[0]) and _matches(rest, path[1:], by_index[1:]):
        return True
    # A number may be a key, and a key with dots may be unquoted.
    if isinstance(first, int) and path[0] == str(first):
        return _matches(rest, path[1:], by_index[1:])
    if not isinstance(path[0], str) or not isinstance(first, str) or not path[0].startswith(f"{first}."):
        return False
    remaining = path[0].removeprefix(f"{first}.")
    return _matches(rest, (remaining, *path[1:]), (remaining, *by_index[1:]))


class ResourcePattern(NamedTuple):
    """A resource as typed; an empty ``kind`` or ``namespace`` matches any.

    ``may_be_namespace``: if nothing is of that ``kind``, it is the namespace.
    """

    name: str
    kind: str = ""
    namespace: str = ""
    may_be_namespace: bool = False

    @classmethod
    def parse(cls, text: str, namespace: str = "") -> Self:
        """Return the pattern for ``NAME``, ``KIND/NAME``, ``NAMESPACE/NAME`` or ``NAMESPACE/KIND/NAME``.

        Raises ``ValueError``.
        """
        *front, name = text.split("/")
        if not name or len(front) > 2 or not all(front):  # noqa: PLR2004 - as the docstring says
            raise ValueError(f"{text!r} is not NAME, KIND/NAME, NAMESPACE/NAME or NAMESPACE/KIND/NAME")
        if len(front) == 1:
            return cls(name, front[0], namespace, may_be_namespace=not namespace)
        return cls(name, front[1], front[0]) if front else cls(name, "", namespace)

    def select(self, resources: Iterable[Resource]) -> tuple[Resource, ...]:
        """Return the resources of that name, or else the resources that had it before a rename."""
        resources = tuple(resources)
        found = [each for each in resources if self._is_kind(each) and self.namespace in ("", each.namespace)]
        selected = tuple(each for each in found if each.name == self.name) or tuple(
            each for each in found if any(old.name == self.name for old in each.previous_ids)
        )
        if not selected and self.may_be_namespace:
            return type(self)(self.name, namespace=self.kind).select(resources)
        return selected

    def _is_kind(self, resource: Resource) -> bool:
        if not self.kind:
            return True
        typed, _, group = self.kind.lower().partition(".")
        if group not in ("", resource.gvk.group):
            return False
        kind = resource.kind.lower()
        plurals = (kind, f"{kind}s", f"{kind}es", f"{kind.removesuffix('y')}ies")
        return typed in plurals or _SHORT_NAMES.get(typed.removesuffix("s"), _SHORT_NAMES.get(typed)) == kind
