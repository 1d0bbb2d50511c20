"""The histories of fields: a field followed back through the versions of its resource."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from renderer.kubevirt.facts.confidential.masked import holds_secret, shown_id, shown_path
from renderer.kubevirt.facts.confidential.object_fields import ConfidentialFields
from renderer.model.difference import FieldChange, NoValue, Value
from renderer.model.history import FieldHistory, Step
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import EMPTY
from renderer.model.kube.location import Location, Site
from renderer.model.kube.resource import Resource
from renderer.model.masking import Masking
from renderer.model.provenance import StepKind
from renderer.model.render_config import Overlay
from renderer.model.run.work import spend
from renderer.provenance.makers import FieldSource, Version
from renderer.provenance.paths import counterpart, field_value, leaves
from renderer.provenance.trace import Trace

#: The line of the first site that contains its field (``findings.locator``).
LocationOf = Callable[[tuple[Site, ...]], Location | None]

#: Steps that copy a value; the place of the value is the place of its source.
_COPYING = frozenset({StepKind.CUSTOM_SIZE, StepKind.INSTANCETYPE, StepKind.PREFERENCE})
#: The maximum number of resources through which a value is followed: references may form cycles.
_FARTHEST = 8
#: Steps to find a field in another version, for each part of its path (``model.run.work``).
_STEPS_PER_PART = 7
_FOLLOWING = "following fields through their versions"


class FieldVersion(NamedTuple):
    """The change of a field by a version; ``field`` is its path in the version, or before it."""

    version: Version
    field: FieldPath
    before: Value
    after: Value


def without_secret_values(
    histories: Iterable[FieldHistory], substituted: Masking, anywhere: Masking
) -> tuple[FieldHistory, ...]:
    """Return the histories with values withheld from the step that brought in a Secret's value.

    That step is a substitution of one of the values in ``substituted``, which may be short, or any step that
    produced a field with one of the values in ``anywhere``. Those are masked in paths, too, and so are
    credentials in keys that are addresses.
    """
    if not substituted and not anywhere:
        return tuple(each._replace(field=shown_path(each.field, anywhere)) for each in histories)
    return tuple(
        history._replace(
            resource=shown_id(history.resource, anywhere),
            field=shown_path(history.field, anywhere),
            steps=tuple(_masked_steps(history.steps, substituted, anywhere)),
        )
        for history in histories
    )


def _masked_steps(steps: Iterable[Step], substituted: Masking, anywhere: Masking) -> Iterator[Step]:
    is_secret = False
    for step in steps:
        sources = without_secret_values(step.sources, substituted, anywhere)
        before = _withheld(step.before) if is_secret else step.before
        contains_secret = _contains(step.after, anywhere) or (
            step.act is StepKind.SUBSTITUTED and _contains(step.after, substituted)
        )
        is_secret = is_secret or contains_secret or any(_is_substituted_secret(source) for source in sources)
        after = _withheld(step.after) if is_secret else step.after
        yield step._replace(by=anywhere.mask(step.by), before=before, after=after, sources=sources)


def _contains(value: Value, confidential: Masking) -> bool:
    return not isinstance(value, NoValue) and holds_secret(value, confidential)


def _withheld(value: Value) -> Value:
    return value if value is NoValue.ABSENT else NoValue.WITHHELD


def _is_substituted_secret(history: FieldHistory) -> bool:
    return history.value is NoValue.WITHHELD and any(
        step.act is StepKind.SUBSTITUTED for step in history.steps
    )


def with_locations(histories: Iterable[FieldHistory], location_of: LocationOf) -> tuple[FieldHistory, ...]:
    """Return the histories with a line for each step."""
    return tuple(
        history._replace(
            steps=tuple(
                step._replace(
                    location=location_of(step.sites), sources=with_locations(step.sources, location_of)
                )
                for step in history.steps
            )
        )
        for history in histories
    )


class _Versions:
    """The versions of a resource, with what the histories of all its fields share."""

    def __init__(self, resource: Resource, versions: tuple[Version, ...]) -> None:
        self.resource, self.all = resource, versions

    @cached_property
    def present(self) -> Mapping[FieldPath, int]:
        """Return every scalar and empty section that the resource has, numbered."""
        return {path: number for number, (path, _) in enumerate(leaves(self.all[-1].content))}

    @cached_property
    def lost(self) -> Mapping[FieldPath, Sequence[tuple[int, Sequence[FieldVersion]]]]:
        """Return the changes of the fields that it lost, numbered, by field."""
        lost: defaultdict[FieldPath, list[tuple[int, Sequence[FieldVersion]]]] = defaultdict(list)
        for number, changes in enumerate(_losses(self.all)):
            lost[changes[-1].field].append((number, changes))
        return lost

    @cached_property
    def below(self) -> Mapping[tuple[Segment, ...], AbstractSet[FieldPath]]:
        """Return the fields of ``present`` and ``lost`` at and below each field."""
        below: defaultdict[tuple[Segment, ...], set[FieldPath]] = defaultdict(set)
        for path in (*self.present, *self.lost):
            for depth in range(len(path.segments) + 1):
                below[path.segments[:depth]].add(path)
        return below

    @cached_property
    def confidential(self) -> ConfidentialFields:
        """Return what is confidential in any of them."""
        return ConfidentialFields(self.resource.kind, [version.content for version in self.all])


class Historian:
    """The histories of fields in an overlay that was rendered with ``trace``."""

    def __init__(self, trace: Trace, overlay: Overlay) -> None:
        self._trace = trace
        self._composed = tuple(trace.composed(overlay))
        self._known: dict[int, _Versions] = {}

    def fields(self, resource: Resource) -> tuple[FieldPath, ...]:
        """Return every scalar and empty section that the resource has, then the ones that it lost."""
        versions = self._versions(resource)
        return (*versions.present, *versions.lost)

    def fields_at(self, resource: Resource, field: FieldPath) -> AbstractSet[FieldPath]:
        """Return the ones of its ``fields`` that are ``field`` or below it."""
        return self._versions(resource).below.get(field.segments, frozenset())

    def histories(self, resource: Resource, selected: AbstractSet[FieldPath]) -> tuple[FieldHistory, ...]:
        """Return the histories of the ``selected`` ones of its ``fields``, in their order."""
        versions = self._versions(resource)
        present = sorted(selected & versions.present.keys(), key=versions.present.__getitem__)
        lost = sorted(each for path in selected & versions.lost.keys() for each in versions.lost[path])
        found = (
            *((path, field_changes(versions.all, path)) for path in present),
            *((changes[-1].field, changes) for _, changes in lost),
        )
        return tuple(
            FieldHistory(resource.current_id, path, self._steps(versions.confidential, changes))
            for path, changes in found
        )

    def _versions(self, resource: Resource) -> _Versions:
        known = self._known.get(id(resource))
        if known is None:
            known = self._known[id(resource)] = _Versions(resource, self._trace.versions(resource))
        return known

    def _steps(
        self, confidential: ConfidentialFields, changes: Sequence[FieldVersion], depth: int = 0
    ) -> tuple[Step, ...]:
        return tuple(self._step(confidential, change, depth) for change in changes)

    def _step(self, confidential: ConfidentialFields, change: FieldVersion, depth: int) -> Step:
        maker, field = change.version.maker, change.field
        masked = confidential.without_secrets(FieldChange(field, change.before, change.after))
        is_followed = depth < _FARTHEST and change.after is not NoValue.ABSENT
        found = maker.sources(field, self._composed) if is_followed else ()
        sources = tuple(self._source_history(source, depth + 1) for source in found)
        copied = sources[0].steps[-1:] if maker.act in _COPYING and sources else ()
        return Step(
            act=maker.act,
            by=maker.display_name(field),
            before=masked.before,
            after=masked.after,
            sites=copied[0].sites if copied else maker.sites(field),
            sources=sources,
        )

    def _source_history(self, source: FieldSource, depth: int) -> FieldHistory:
        """Return the history of a field, or of its nearest ancestor that has one."""
        versions, field = self._versions(source.resource), source.field
        while not (changes := field_changes(versions.all, field)) and field.segments:
            field = field.parent
        steps = self._steps(versions.confidential, changes, depth)
        return FieldHistory(source.resource.current_id, field, steps)


def field_changes(versions: Sequence[Version], path: FieldPath) -> tuple[FieldVersion, ...]:
    """Return the changes that made the field at ``path`` of the last version, oldest first."""
    changes: list[FieldVersion] = []
    spend(_STEPS_PER_PART * len(versions) * (1 + len(path.segments)), _FOLLOWING)
    for index in range(len(versions) - 1, -1, -1):
        version = versions[index]
        earlier = versions[index - 1].content if index else EMPTY
        earlier_path = counterpart(path, version.content, earlier)
        before, after = field_value(earlier, earlier_path), field_value(version.content, path)
        if not _is_equal(before, after):
            field = earlier_path if after is NoValue.ABSENT else path
            changes.append(FieldVersion(version, field, before, after))
        path = earlier_path
    return tuple(reversed(changes))


def _losses(versions: Sequence[Version]) -> Iterator[tuple[FieldVersion, ...]]:
    """Yield each field that only earlier versions had, with the changes that made and removed it."""
    for index, (version, following) in enumerate(pairwise(versions)):
        for path, value in leaves(version.content):
            spend(_STEPS_PER_PART * (1 + len(path.segments)), _FOLLOWING)
            next_path = counterpart(path, version.content, following.content)
            if field_value(following.content, next_path) is not NoValue.ABSENT:
                continue
            if not _is_restored(path, versions[index + 2 :]):
                removal = FieldVersion(following, path, value, NoValue.ABSENT)
                yield (*field_changes(versions[: index + 1], path), removal)


def _is_restored(path: FieldPath, versions: Sequence[Version]) -> bool:
    spend(2 * len(versions) * (1 + len(path.segments)), _FOLLOWING)
    return any(field_value(version.content, path) is not NoValue.ABSENT for version in versions)


def _is_equal(before: Value, after: Value) -> bool:
    """Return True if both are equal as JSON, where 1 is not true."""
    return before == after and isinstance(before, bool) is isinstance(after, bool)
