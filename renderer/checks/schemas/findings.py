"""Convert violations of a schema to findings in the user's words: one for each problem.

For an unknown field, a finding names the release that has it, or the field that was probably meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from renderer.checks.schemas.finding import SchemaFinding, SchemaTarget
from renderer.checks.schemas.kind_schema import ELEMENT, KEY, SchemaPlace, SchemaTree, Violation, schema_place
from renderer.checks.schemas.kubernetes_formats import PRESERVED
from renderer.checks.schemas.wording import nearest
from renderer.checks.schemas.wrong_value import missing_field, wrong_value
from renderer.model.codes import Code
from renderer.model.field_path import FieldPath
from renderer.model.json import EMPTY, Json, JsonObject, array_at, object_at
from renderer.model.work import spend

_ABOUT_FIELDS = ("additionalProperties", "required")
_TELLING = {"type": 0, "pattern": 1}
_MOST = 100
#: Steps for finding a field in a schema (``model.work``).
_LOOKING = 16


def findings(violations: Iterable[Violation], target: SchemaTarget) -> Sequence[SchemaFinding]:
    """Return one finding for each of the first hundred fields in order, and one for all others."""
    violations = tuple(violations)
    unknown, missing = _unknown(violations), _missing(violations)
    wrong = {violation.place: violation for violation in _about_values(violations)}
    fields = sorted(unknown.keys() | missing | wrong.keys(), key=_order)
    shown, others = fields[:_MOST], fields[_MOST:]
    misspelled = {_likely_place(field, target) for field in shown if field in unknown} if missing else set()
    other_names = _other_names(unknown, missing - misspelled, target)
    misspelled |= set(other_names.values()) | _indented_too_little(unknown, wrong, target)

    def finding(field: FieldPath) -> SchemaFinding | None:
        if field in other_names:
            return misnamed_field(field, other_names[field], target)
        if field in unknown:
            return unknown_field(field, unknown[field], target)
        if field in wrong:
            return wrong_value(wrong[field], target)
        return missing_field(field, target)

    found = filter(None, [finding(field) for field in shown if field not in misspelled])
    return [*found, *(SchemaFinding(field, f"{len(others)} more fields are wrong") for field in others[:1])]


def _likely_place(field: FieldPath, target: SchemaTarget) -> FieldPath | None:
    """Return the field that was misspelled: one problem instead of an unknown field and a missing one."""
    sibling = likely_sibling(field, target)
    return field.parent.child(sibling) if sibling else None


def _other_names(
    unknown: Mapping[FieldPath, JsonObject], missing: AbstractSet[FieldPath], target: SchemaTarget
) -> Mapping[FieldPath, FieldPath]:
    """Return the missing field by the unknown scalar that replaces it: the only unknown field next to it."""
    found: dict[FieldPath, FieldPath] = {}
    by_mapping = _by_mapping(unknown)
    for field in missing:
        beside = by_mapping.get(field.parent, [])
        if len(beside) == 1 and _fits_scalar(unknown[beside[0]], beside[0], target.schema.tree.at(field)):
            found[beside[0]] = field
    return found if len(found) == len(set(found.values())) else {}


def _fits_scalar(siblings: JsonObject, field: FieldPath, schema: JsonObject | None) -> bool:
    """Return True if the schema accepts the type of the text or whole number at ``field``."""
    value = siblings.get(str(field.segments[-1]))
    types = object_at(schema or EMPTY).get("type")
    wanted = "string" if isinstance(value, str) else "integer" if type(value) is int else None
    return wanted is not None and wanted in (types if isinstance(types, list) else [types])


def _indented_too_little(
    unknown: Mapping[FieldPath, JsonObject], wrong: Mapping[FieldPath, Violation], target: SchemaTarget
) -> AbstractSet[FieldPath]:
    """Return the empty fields whose content is next to them: ``image`` below ``containerDisk:``."""
    by_mapping = _by_mapping(unknown)
    empty = [field for field, violation in wrong.items() if violation.value is None]
    spend(sum(_LOOKING * len(by_mapping.get(field.parent, ())) for field in empty), "looking for indentation")
    return {
        field
        for field in empty
        for other in by_mapping.get(field.parent, ())
        if target.schema.tree.at(field.child(other.segments[-1])) is not None
    }


def _by_mapping(fields: Iterable[FieldPath]) -> Mapping[FieldPath, list[FieldPath]]:
    """Sort fields by the mapping that they are in."""
    found: dict[FieldPath, list[FieldPath]] = {}
    for field in fields:
        found.setdefault(field.parent, []).append(field)
    return found


def _unknown(violations: Iterable[Violation]) -> dict[FieldPath, JsonObject]:
    """Return the unknown fields, each with the mapping that it is in."""
    return {
        violation.field.child(name): violation.value
        for violation in violations
        if violation.keyword == "additionalProperties" and isinstance(violation.value, dict)
        for name in violation.value.keys() - object_at(violation.schema, "properties").keys()
    }


def _missing(violations: Iterable[Violation]) -> set[FieldPath]:
    return {
        violation.field.child(str(name))
        for violation in violations
        if violation.keyword == "required" and isinstance(violation.value, dict)
        for name in array_at(violation.expected)
        if name not in violation.value
    }


def _about_values(violations: Sequence[Violation]) -> Iterable[Violation]:
    """Return the most informative violation of each value, in the order of ``_TELLING``."""
    first: dict[FieldPath, Violation] = {}
    for violation in sorted(violations, key=lambda violation: _TELLING.get(violation.keyword, len(_TELLING))):
        if violation.keyword not in _ABOUT_FIELDS:
            first.setdefault(violation.place, violation)
    return first.values()


def _order(field: FieldPath) -> tuple[tuple[bool, int, str], ...]:
    return tuple(
        (True, segment, "") if isinstance(segment, int) else (False, 0, str(segment))
        for segment in field.segments
    )


_NEAR = 2  # steps from the mapping that holds the field to the one that should
_RARE = 3
_MOST_PLACES = 3


def right_places(
    field: FieldPath, kind: str, siblings: AbstractSet[str], tree: SchemaTree, *, anywhere: bool
) -> Sequence[str]:
    """Return the nearest places for ``field`` with a value of that ``kind`` and with these ``siblings``.

    ``anywhere``: if only one place has the name, it may be far away.
    """
    place = schema_place(field)
    named_so = [there for there in tree.places(place[-1]) if KEY not in there and _holds(there, kind, tree)]
    only = named_so if anywhere and len(named_so) == 1 else []
    near = only or [there for there in named_so if _is_near(place, there, len(named_so))]
    # Below an existing mapping: disk.bus for a bus next to disk.
    candidates = [there for there in near if there[: len(place)] in _below(place, siblings)] or near
    closest = min((_distance(place, there) for there in candidates), default=0)
    found = [there for there in candidates if _distance(place, there) == closest][:_MOST_PLACES]
    return [_written(there, field, relative=len(found) > 1) for there in found]


def _is_near(place: SchemaPlace, there: SchemaPlace, count: int) -> bool:
    """Return True if ``there`` is near enough to be meant.

    If more than three places (``count``) have the name, one of the two parents must contain the other.
    """
    is_on_the_way = _shared(place[:-1], there[:-1]) in (len(place) - 1, len(there) - 1)
    return _distance(place, there) <= _NEAR and (is_on_the_way or count <= _RARE)


def _below(place: SchemaPlace, siblings: AbstractSet[str]) -> set[SchemaPlace]:
    return {(*place[:-1], name) for name in siblings}


#: The kinds of values for which places are searched; a value of any other kind is a scalar.
_KINDS: Mapping[type[Json], str] = {dict: "object", list: "array", type(None): "null"}
_SCALAR = "scalar"


def _holds(there: SchemaPlace, kind: str, tree: SchemaTree) -> bool:
    """Return True if a value of that kind is allowed ``there``; nothing (``null``) is allowed anywhere."""
    segments = (0 if name == ELEMENT else name for name in there)
    schema = tree.at(FieldPath(tuple(segments))) or EMPTY
    types = set(array_at(schema, "type") or (schema.get("type"),))
    return kind == "null" or (bool(types - {"object", "array"}) if kind == _SCALAR else kind in types)


def _distance(place: SchemaPlace, there: SchemaPlace) -> int:
    """Return the steps up and down from the mapping of ``place`` to the mapping of ``there``."""
    return len(place) + len(there) - 2 - 2 * _shared(place[:-1], there[:-1])


def _shared(place: SchemaPlace, there: SchemaPlace) -> int:
    pairs = enumerate(zip(place, there, strict=False))
    return next((index for index, (one, other) in pairs if one != other), min(len(place), len(there)))


def _written(there: SchemaPlace, field: FieldPath, *, relative: bool) -> str:
    """Return the path, with the indices of ``field`` on the common part; ``relative``: without that part."""
    shared = _shared(schema_place(field.parent), there[:-1])
    text = (
        "" if relative and shared == len(field.parent.segments) else str(FieldPath(field.segments[:shared]))
    )
    for name in there[shared:]:
        text += name if name == ELEMENT else f".{name}" if text else name
    return text


_SHORT_LIST = 12
#: The number of findings about unknown fields that are cached.
_MOST_KNOWN = 1_000

#: Fields that users write when they think of another kind, with the hint for each.
_HABITS: Mapping[SchemaPlace, str] = {
    ("spec", "selector"): "a VirtualMachine needs none, only a VirtualMachinePool has a selector",
    ("spec", "replicas"): "only a VirtualMachinePool has replicas",
    ("spec", "template", "spec", "containers"): "what a virtual machine boots from is among its volumes",
}
_SOURCE = (ELEMENT, "spec", "source")
_SIZE = "the size of a volume is storage.resources.requests.storage, beside source"


def unknown_field(field: FieldPath, siblings: JsonObject, target: SchemaTarget) -> SchemaFinding:
    """Return the finding for ``field`` with these ``siblings``; the machines of a fleet share it."""
    kind = _KINDS.get(type(siblings[str(field.segments[-1])]), _SCALAR)
    known, key = target.unknown_fields, (field, kind, frozenset(siblings))
    if key not in known:
        if len(known) >= _MOST_KNOWN:
            known.clear()
        known[key] = _unknown_field(*key, target)
    return known[key]


def _unknown_field(
    field: FieldPath, kind: str, siblings: AbstractSet[str], target: SchemaTarget
) -> SchemaFinding:
    elsewhere = target.known_elsewhere(lambda tree: tree.at(field) is not None)
    if elsewhere:
        message = f"{field} {elsewhere}"
        return SchemaFinding(
            field, message, _rejection_text(field, target), Code.UNKNOWN_FIELD, target=target.judging_release
        )
    hint = f"{_suggestion(field, kind, siblings, target)}{_rejection_text(field, target)}"
    return SchemaFinding(field, f"{field} is not a field of {target.gvk.kind}", hint, Code.UNKNOWN_FIELD)


def misnamed_field(field: FieldPath, meant: FieldPath, target: SchemaTarget) -> SchemaFinding:
    """Return the finding for ``field``, written instead of ``meant``, which is missing next to it."""
    message = f"{field} is not a field of {target.gvk.kind}, and {meant.segments[-1]} is missing"
    hint = f"did you mean {meant}? {_rejection_text(field, target)}"
    return SchemaFinding(field, message, hint, Code.UNKNOWN_FIELD)


def likely_sibling(field: FieldPath, target: SchemaTarget) -> str | None:
    """Return the field at the same place that was probably meant."""
    parent = target.schema.tree.at(field.parent)
    known = tuple(object_at(parent or EMPTY, "properties"))
    return nearest(str(field.segments[-1]), known)


def _suggestion(field: FieldPath, kind: str, siblings: AbstractSet[str], target: SchemaTarget) -> str:
    place = schema_place(field)
    habit = _SIZE if _is_size_of_source(place) else _HABITS.get(place)
    if habit:
        return f"{habit}; "
    sibling = likely_sibling(field, target)
    places = right_places(field, kind, siblings, target.schema.tree, anywhere=sibling is None)
    if sibling and (not places or sibling.lower() == place[-1].lower()):
        return f"did you mean {field.parent.child(sibling)}? "
    if places:
        return f"did you mean {_one_of(places)}? "
    known = tuple(object_at(target.schema.tree.at(field.parent) or EMPTY, "properties"))
    if not known:
        return f"{field.parent} takes no fields; "
    return f"known here: {', '.join(known)}; " if len(known) <= _SHORT_LIST else ""


def _is_size_of_source(place: SchemaPlace) -> bool:
    """Return True if the place is ``size`` of a DataVolume's source, or of a kind of source in it."""
    return place[-1] == "size" and _SOURCE in (place[-4:-1], place[-5:-2])


def _one_of(fields: Sequence[str]) -> str:
    *others, last = fields
    return f"{', '.join(others)} or {last}" if others else last


def _rejection_text(field: FieldPath, target: SchemaTarget) -> str:
    parent = target.schema.tree.at(field.parent) or EMPTY
    if parent.get(PRESERVED):
        return "KubeVirt refuses it"
    if target.is_of_kubernetes:
        return "kubectl refuses it, and the API server would drop it"
    return "the API server would drop it silently"
