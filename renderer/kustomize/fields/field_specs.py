"""Field specs: paths to the fields that a transformer changes (kustomize ``api/filters/fieldspec``).

Slashes separate the names in a path; a backslash before a slash makes it part of the name. A path goes
through every element of the lists on its way. ``[]`` says that a field is a list. Missing fields are created
only if the spec says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from renderer.kustomize.res_map import ResMap
from renderer.kustomize.scalar_nodes import with_shared_entries
from renderer.kustomize.values import is_bare_text
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import Json
from renderer.model.kube.res_id import Gvk
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import FieldSpec
from renderer.model.pattern import pattern
from renderer.model.record import Record
from renderer.model.run.work import spend

#: Steps that cannot be a field of a mapping: numbers, ``-``, ``*``, ``[name=web]``, and the empty step.
_REFUSED_STEP = pattern(r"[+-]?[0-9]+|-|\*|\[.*\]|")

#: Returns the new value for the value of a field. Raises ``WrongTypeError``.
SetValue: TypeAlias = Callable[[Json], Json]


#: Steps to copy a mapping with one field added or changed, in addition to its length (``model.run.work``).
_STEPS_PER_COPY = 6

#: Steps to find entries that the mappings of a resource share (``model.run.work``).
_STEPS_PER_TARGET = 30


class WrongTypeError(Exception):
    """A field has a value of the wrong type; the message is the expected type."""


class PathSegment(Record):
    """A name in a path; ``is_list`` if it ends in ``[]``, ``is_refused`` if it cannot name a field."""

    name: str
    is_list: bool
    is_refused: bool = False


class RefusedStepError(Exception):
    """kustomize does not accept this step of a path in a mapping; the message is the step."""


class FieldSpecPath(Record):
    """A field to visit in a resource of a known kind."""

    segments: tuple[PathSegment, ...]
    path: str
    create: bool


class FieldSpecFilter(Record):
    """A change of the fields that field specs lead to.

    ``created`` is the value of a field that is created; None if the change never creates a field.
    """

    change: SetValue
    created: Json = None

    def apply(self, resource: Resource, targets: Sequence[FieldSpecPath]) -> Resource:
        """Return the resource with its fields changed. Raises: resource-invalid."""
        content: Json = resource.content
        spend(2 * len(targets), "following the paths of transformers")
        for target in targets:
            try:
                content = self._visit(content, target, 0)
            except WrongTypeError as error:
                field = FieldPath(tuple(segment.name for segment in target.segments))
                message = f"{target.path} of {resource.current_id} is not {error}"
                raise Diagnostic.about(resource, field, Code.RESOURCE_INVALID, message).error() from None
            except RefusedStepError as error:
                names = [segment.name for segment in target.segments]
                field = FieldPath(tuple(names[: names.index(str(error))]))
                message = (
                    f"the path {target.path} has a step, {str(error)!r}, that matches nothing"
                    f" in {resource.current_id}"
                )
                hint = "use only names of fields; a path includes all elements of a list"
                raise Diagnostic.about(
                    resource, field, Code.RESOURCE_INVALID, message, hint
                ).error() from None
        return resource.with_content(content) if isinstance(content, dict) else resource

    def _visit(self, value: Json, target: FieldSpecPath, depth: int) -> Json:
        if depth == len(target.segments):
            return self.change(value)
        if value is None:
            return None
        if isinstance(value, list):
            spend(len(value), "following the paths of transformers")
            elements = [self._visit(element, target, depth) for element in value]
            unchanged = all(new is old for new, old in zip(elements, value, strict=True))
            return value if unchanged else elements
        if isinstance(value, dict):
            return self._visit_field(value, target, depth)
        raise WrongTypeError("a mapping or list")

    def _visit_field(self, mapping: dict[str, Json], target: FieldSpecPath, depth: int) -> Json:
        segment = target.segments[depth]
        if segment.is_refused:
            raise RefusedStepError(segment.name)
        if segment.name in mapping:
            old = mapping[segment.name]
            value = self._initial_value(target, depth) if old is None else old
        elif self._creates(target, depth):
            old, value = None, self._initial_value(target, depth)
        else:
            return mapping
        new = self._visit(value, target, depth + 1)
        if new is old and segment.name in mapping:
            return mapping
        spend(_STEPS_PER_COPY + len(mapping) // 8, "changing fields")
        return mapping | {segment.name: new}

    def _creates(self, target: FieldSpecPath, depth: int) -> bool:
        return target.create and self.created is not None and not target.segments[depth].is_list

    def _initial_value(self, target: FieldSpecPath, depth: int) -> Json:
        """Return the value that a missing or null field gets."""
        if target.segments[depth].is_list:
            return []
        if not self._creates(target, depth):
            return None
        return self.created if depth + 1 == len(target.segments) else {}


class FieldSpecIndex:
    """The paths to visit in a resource, computed once per kind."""

    def __init__(self, specs: Iterable[FieldSpec]) -> None:
        self._specs = tuple(specs)
        self._targets: dict[tuple[str, str], tuple[FieldSpecPath, ...]] = {}

    def targets(self, resource: Resource) -> tuple[FieldSpecPath, ...]:
        key = resource.api_version, resource.kind
        if key not in self._targets:
            self._targets[key] = self.targets_of(resource.gvk)
        return self._targets[key]

    def targets_of(self, gvk: Gvk) -> tuple[FieldSpecPath, ...]:
        spend(len(self._specs), "finding the paths of transformers")
        return tuple(
            _field_spec_path(spec)
            for spec in self._specs
            if spec.kind in ("", gvk.kind)
            and spec.group in ("", gvk.group)
            and spec.version in ("", gvk.version)
        )


def split_path(path: str, separator: str = "/") -> tuple[str, ...]:
    """Return the names in a path (``kyaml/utils/pathsplitter.go``); an escaped separator does not split."""
    parts = path.split(separator)
    if len(parts) > 1 and not parts[0]:
        parts = parts[1:]
    names = [parts[0]]
    for part in parts[1:]:
        if names[-1].endswith("\\"):
            names[-1] = f"{names[-1][:-1]}{separator}{part}"
        else:
            names.append(part)
    return tuple(names)


def _field_spec_path(spec: FieldSpec) -> FieldSpecPath:
    """Return the path of a field spec; a step into a list is refused (kyaml ``fns.go`` PathGetter)."""
    segments: list[PathSegment] = []
    for name in split_path(spec.path):
        field = name.removesuffix("[]").strip()
        is_refused = _REFUSED_STEP.fullmatch(field) is not None
        segments.append(PathSegment(field, name.endswith("[]"), is_refused=is_refused))
    return FieldSpecPath(tuple(segments), spec.path, spec.create)


def set_entries(resources: ResMap, specs: Iterable[FieldSpec], entries: Mapping[str, str]) -> None:
    """Set entries, such as labels, in the mappings that ``specs`` lead to. Raises: resource-invalid."""
    if not entries:
        return
    index = FieldSpecIndex(specs)
    bare = tuple(key for key in entries if not is_bare_text(key))
    added = dict(entries)
    change = FieldSpecFilter(lambda value: _with_entries(value, added, bare), created={})

    def with_entries(resource: Resource) -> Resource:
        targets = index.targets(resource)
        changed = change.apply(resource, targets)
        if len(targets) == 1:
            return changed
        spend(_STEPS_PER_TARGET * len(targets), "changing fields")
        mappings = (place for target in targets for place in _places(changed.content, target.segments))
        return with_shared_entries(resource, changed, mappings, entries)

    resources.update(with_entries)


def _places(
    value: Json, path: Sequence[PathSegment], at: tuple[Segment, ...] = ()
) -> Iterator[tuple[Segment, ...]]:
    """Yield the paths of the mappings that a field spec leads to."""
    if isinstance(value, list):
        for index, element in enumerate(value):
            yield from _places(element, path, (*at, index))
    elif isinstance(value, dict):
        if path:
            yield from _places(value.get(path[0].name), path[1:], (*at, path[0].name))
        else:
            yield at


def _with_entries(value: Json, entries: dict[str, str], bare: tuple[str, ...]) -> Json:
    """Return the mapping with the entries; entries in ``bare`` cannot be new in it."""
    if value is None:
        return None
    if not isinstance(value, dict):
        raise WrongTypeError("a mapping")
    for key in bare:
        if key not in value:
            raise WrongTypeError(f"a mapping with the key {key}, which is not text without quotes")
    spend(len(value) // 8 + len(entries), "changing fields")
    return value | entries
