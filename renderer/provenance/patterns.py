"""Resources and fields as users type them: ``vm/db``, ``spec...disks[name=root]``, ``/spec/template``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import NamedTuple, Self, TypeAlias

from renderer.model.kube.field_path import ElementName, FieldPath, Segment, parse_pointer
from renderer.model.kube.resource import Resource
from renderer.model.run.work import spend
from renderer.model.suggest import suggest
from renderer.model.whole_number import whole_number


class _Any(Enum):
    """Any number of segments, written ``...``."""

    ANY = "..."


#: Steps for a part of a pattern and a segment that are compared.
_STEPS_PER_STATE = 2
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
            parts = [*_path(text)]
            pairs = zip(parts, [None, *parts], strict=False)
            self._parts = tuple(  # ``......`` is ``...``
                part for part, before in pairs if not part is before is _Any.ANY
            )

    def match(self, path: FieldPath, by_index: FieldPath) -> FieldPath | None:
        """Return the matching field: ``path`` itself, an ancestor of it, or None.

        ``by_index`` is the path with indices instead of the names of elements.
        """
        found: set[int] = set()
        waiting = [(0, 0, 0)]
        known = {*waiting}
        while waiting:
            part, at, start = waiting.pop()
            if part == len(self._parts):
                found |= {at} if not start else set()
            elif at < len(path.segments):
                segments = path.segments[at], by_index.segments[at]
                reached = {*self._reached(part, at, start, segments)} - known
                known |= reached
                waiting += reached
        spend(_STEPS_PER_STATE * len(known), "matching fields")
        return FieldPath(path.segments[: min(found)]) if found else None

    def _reached(
        self, part: int, at: int, start: int, segments: tuple[Segment, Segment]
    ) -> Iterator[tuple[int, int, int]]:
        """Yield what remains after a part has matched a segment, or the beginning of its key.

        The numbers are the next part, the next segment, and the characters of its key that are matched.
        """
        first, segment = self._parts[part], segments[0]
        if first is _Any.ANY:
            if part + 1 < len(self._parts):  # it never ends a path
                yield part + 1, at, start
                yield part, at + 1, 0
            return
        rest = segment[start:] if isinstance(segment, str) else segment
        # A number may be a key, and a key with dots may be unquoted.
        if (
            first == rest
            or (not start and first == segments[1])
            or (isinstance(first, int) and rest == str(first))
        ):
            yield part + 1, at + 1, 0
        if isinstance(first, str) and isinstance(rest, str) and rest.startswith(f"{first}."):
            yield part + 1, at, start + len(first) + 1


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
