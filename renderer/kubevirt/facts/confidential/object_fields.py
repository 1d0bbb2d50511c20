"""What is confidential in the fields of an object that are asked for one by one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from renderer.kubevirt.facts.confidential.fields import COPIES, IGNITION, SECTIONS, START_DATA
from renderer.kubevirt.facts.confidential.masked import masked, shown_path
from renderer.kubevirt.facts.confidential.parts import LOOKING, STEPS_PER_VALUE, hides, opened, parts_of
from renderer.kubevirt.facts.confidential.replaced_values import may_replace, new_references
from renderer.kubevirt.facts.confidential.scope import Area, Scope, ScopeOf, root_scope
from renderer.kubevirt.facts.confidential.secret_values import readings_of_secrets
from renderer.model.credential_text.form import is_credential_value
from renderer.model.kube.encryption import SOPS
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import (
    Json,
    JsonObject,
    count_values,
    scalar_text,
    text_at,
)
from renderer.model.kube.list_elements import FieldLookup
from renderer.model.kube.sharing import once_for_same
from renderer.model.masking import MASK, NOTHING, Masking
from renderer.model.pattern import pattern
from renderer.model.run.taint import keys_of, texts_of
from renderer.model.run.work import spend

if TYPE_CHECKING:
    from renderer.model.difference import FieldChange, Value


#: Fields with start data or a copy of an object, and what SOPS has encrypted.
_WITH_OWN_RULES = frozenset({*START_DATA, *SECTIONS, *COPIES, IGNITION, SOPS})
#: Steps for a changed field of which both values may be shown (``model.run.work``).
_STEPS_PER_CHANGE = 30
#: The characters of a change that are searched, and written in JSON, in one step: aliases may repeat a text.
_CHARACTERS_PER_STEP = 16
_WORD = pattern(r"\w+")
#: Scalars that are looked for in a text in one step.
_QUOTES_PER_STEP = 8


class ConfidentialFields:
    """What is confidential in fields of an object, of which there may be several versions."""

    def __init__(self, kind: str, contents: Iterable[Json] = (), secrets: Masking = NOTHING) -> None:
        self._secrets = secrets
        self._lookups = [(content, FieldLookup(content)) for content in contents or ({"kind": kind},)]
        self._roots = [_Place(content, root_scope(kind)) for content, _ in self._lookups]
        self._references: dict[tuple[Segment, ...], Collection[str]] = {}

    def hides(self, field: FieldPath) -> bool:
        """Return True if the value of the field is confidential as a whole, or each of its entries is."""
        return any(
            hides(value, scope) or scope.area in (Area.ENTRIES, Area.REFERENCES)
            for scope, value in self._found(field)
        )

    def secret_values(self, field: FieldPath) -> frozenset[str]:
        """Return the values of Secrets at and below the field, as ``secret_values`` does for objects."""
        return readings_of_secrets(
            part for scope, value in self._found(field) for part in parts_of(value, scope)
        )

    def confidential_values(self, field: FieldPath) -> frozenset[str]:
        """Return the values that are confidential in the field, with their readings, and its credentials."""
        parts = (
            part._replace(is_secret=True)
            for scope, value in self._found(field)
            for part in parts_of(value, scope)
        )
        return readings_of_secrets(parts) | self.credentials(field)

    def credentials(self, field: FieldPath) -> frozenset[str]:
        """Return what outputs mask in the text of the field: a password in a URL, the value of a header."""
        found: set[str] = set()

        def noted(value: Json) -> str:
            found.add(scalar_text(value))
            return MASK

        for scope, value in self._found(field):
            if isinstance(value, str) and not hides(value, scope):
                masked(value, scope, mask=noted)
        return frozenset(found)

    def unshown_texts(self, field: FieldPath, is_quoted: Callable[[str], bool]) -> frozenset[str]:
        """Return what no output shows of the value of the field, or of the nearest field around it.

        These are the confidential scalars as texts, however short, and the credentials in others. Of a
        mapping or list, only the scalars count of which ``is_quoted`` says that a text may repeat them.
        """
        found: set[str] = set()

        def noted(value: Json) -> str:
            found.update(texts_of(value))
            return MASK

        for content, lookup in self._lookups:
            at, value = _nearest(content, lookup, field)
            spend(1 + count_values(value) // _QUOTES_PER_STEP, LOOKING)
            for place in _scalar_places(value, is_quoted if isinstance(value, dict | list) else None):
                for scope, scalar in self._found(FieldPath((*at, *place))):
                    masked(scalar, scope, mask=noted)
                    if isinstance(scalar, str):
                        found.update(
                            text for part in parts_of(scalar, scope) for text in texts_of(part.value)
                        )
        return frozenset(found)

    def without_secrets(self, change: FieldChange) -> FieldChange:
        """Return the change with ``NoValue.WITHHELD`` for each confidential value, and ``***`` in its path.

        If the value of one side is confidential, so is the other: most likely, it is a value of the same
        Secret. If only a part of one side is, the other side may have the same part in another form: it is
        shown if all of its words are public on the first side. What a reference to a Secret replaces is
        confidential, and so is what replaces a reference.
        """
        from renderer.model.difference import NoValue  # noqa: PLC0415 - few commands compare

        values = [each for each in (change.before, change.after) if not isinstance(each, NoValue)]
        characters = sum(len(text) for value in values for text in texts_of(value))
        steps = STEPS_PER_VALUE * sum(map(count_values, values)) + characters // _CHARACTERS_PER_STEP
        spend(_STEPS_PER_CHANGE + steps, LOOKING)
        scopes = [scope for scope, _ in self._found(change.field)]
        before, after = (self._shown(value, scopes) for value in (change.before, change.after))
        is_hidden = NoValue.WITHHELD in (before, after) or self.is_replaced(change)
        if not isinstance(before, NoValue) and not isinstance(after, NoValue):
            is_before_masked, is_after_masked = before != change.before, after != change.after
            is_hidden |= (
                is_before_masked and not is_after_masked and not _words_in(after) <= _words_in(before)
            )
            is_hidden |= (
                is_after_masked and not is_before_masked and not _words_in(before) <= _words_in(after)
            )
        if is_hidden or (before == after and change.before != change.after):
            before, after = (each if each is NoValue.ABSENT else NoValue.WITHHELD for each in (before, after))
        return change._replace(field=shown_path(change.field, self._secrets), before=before, after=after)

    def is_replaced(self, change: FieldChange) -> bool:
        """Return True if one version has a value, and another one a reference to a Secret in its place."""
        from renderer.model.difference import NoValue  # noqa: PLC0415 - as above

        segments, last = change.field.segments, len(change.field.segments) - 1
        is_one_sided = NoValue.ABSENT in (change.before, change.after)
        if not is_one_sided and isinstance(change.before, dict) is isinstance(change.after, dict):
            return False
        for depth, key in enumerate(segments):
            references = self._new_references(segments[:depth]) if isinstance(key, str) else ()
            if depth == last and key in references:  # the reference itself, or a mapping with one
                return not is_one_sided
            if any(may_replace(each, str(key), is_value=depth == last) for each in references if each != key):
                return True
        return False

    def _new_references(self, at: tuple[Segment, ...]) -> Collection[str]:
        if at not in self._references:
            self._references[at] = new_references(value for _, value in self._found(FieldPath(at)))
        return self._references[at]

    def _shown(self, value: Value, scopes: Iterable[Scope]) -> Value:
        from renderer.model.difference import NoValue  # noqa: PLC0415 - as above

        if isinstance(value, NoValue):
            return value
        for scope in scopes:
            if hides(value, scope):
                return NoValue.WITHHELD
            value = masked(value, scope, self._secrets)
        return NoValue.WITHHELD if value == MASK else value

    def _found(self, field: FieldPath) -> Iterator[tuple[Scope, Json]]:
        """Yield the scope and value of the field in each version of the object."""
        for (_, lookup), root in zip(self._lookups, self._roots, strict=True):
            place = root
            for segment in field.segments:
                place = place.child(segment, lookup)
            yield place.scope, place.value


class _Place:
    """A value of an object, with its scope. The ones below it are kept: each is judged by all beside it."""

    __slots__ = ("_children", "_scope_of", "scope", "value")

    def __init__(self, value: Json, scope: Scope) -> None:
        self.value, self.scope = value, scope
        self._scope_of: ScopeOf | None = None
        self._children: dict[Segment, _Place] = {}

    def child(self, segment: Segment, lookup: FieldLookup) -> _Place:
        if segment not in self._children:
            self._scope_of = self._scope_of or opened(self.value, self.scope)
            value = lookup.child(self.value, segment)
            self._children[segment] = _Place(value, self._scope_of(segment))
        return self._children[segment]


def _words_in(value: Json) -> frozenset[str]:
    """Return the words of the keys and texts of a tree."""
    return frozenset(word for text in (*keys_of(value), *texts_of(value)) for word in _WORD.findall(text))


def _nearest(content: Json, lookup: FieldLookup, field: FieldPath) -> tuple[tuple[Segment, ...], Json]:
    """Return the path to the field, or to the nearest one around it that there is, with the value there."""
    value = content
    for depth, segment in enumerate(field.segments):
        child = lookup.child(value, segment)
        if child is None:
            return field.segments[:depth], value
        value = child
    return field.segments, value


def _scalar_places(value: Json, is_wanted: Callable[[str], bool] | None) -> Iterator[tuple[Segment, ...]]:
    """Yield the paths from a value to the scalars in it, or only to the wanted ones."""
    if isinstance(value, dict | list):
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            yield from ((key, *rest) for rest in _scalar_places(child, is_wanted))
    elif value is not None and (is_wanted is None or is_wanted(scalar_text(value))):
        yield ()


def withheld_fields(content: JsonObject, secrets: Masking = NOTHING) -> Iterator[FieldPath]:
    """Yield the fields that no output shows, or shows with a mask, except start data and copies of objects.

    A field with one of ``secrets`` is masked. Start data, and an annotation with a copy of an object, may be
    public: they have rules of their own.
    """
    spend(STEPS_PER_VALUE * count_values(content), LOOKING)
    yield from map(FieldPath, _withheld(content, root_scope(), (), secrets))


def _withheld(
    value: Json, scope: Scope, at: tuple[Segment, ...], secrets: Masking
) -> Iterator[tuple[Segment, ...]]:
    if isinstance(value, dict | list) and not scope.hides(value):
        scope_of = opened(value, scope)
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            if key not in _WITH_OWN_RULES:
                yield from _withheld(child, scope_of(key), (*at, key), secrets)
    elif any(map(is_credential_value, texts_of(value))) and masked(value, scope, secrets) != value:
        yield at


@once_for_same
def fields_of(content: JsonObject) -> ConfidentialFields:
    """Return what is confidential in the fields of an object, whose values may be asked for one by one."""
    return ConfidentialFields(text_at(content, "kind"), (content,))
