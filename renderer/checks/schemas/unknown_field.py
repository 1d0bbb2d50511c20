"""Findings about unknown fields: the release that has the field, or the field that was probably meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from renderer.checks.schemas.finding import SchemaFinding, SchemaTarget
from renderer.checks.schemas.kind_schema import ELEMENT, KEY, SchemaPlace, SchemaTree, schema_place
from renderer.checks.schemas.kubernetes_formats import PRESERVED
from renderer.checks.schemas.wording import NO_SUCH_FIELD, nearest
from renderer.kubevirt.facts.kinds import HYPERCONVERGED
from renderer.model.codes import Code
from renderer.model.diagnostic import Severity
from renderer.model.field_edit import Edit, MoveField, RemoveField, RenameField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, Json, JsonObject, array_at, object_at

_NEAR = 2  # steps from the mapping that holds the field to the one that should
_RARE = 3
_MOST_PLACES = 3
#: The kinds of values for which places are searched; a value of any other kind is a scalar.
_KINDS: Mapping[type[Json], str] = {dict: "object", list: "array", type(None): "null"}
_SCALAR = "scalar"
_SHORT_LIST = 12
#: The number of findings about unknown fields that are cached.
_MOST_KNOWN = 1_000

#: Fields that users write when they think of another kind, with the hint for each.
_HABITS: Mapping[SchemaPlace, str] = {
    ("spec", "selector"): "a VirtualMachine needs none, only a VirtualMachinePool has a selector",
    ("spec", "replicas"): "only a VirtualMachinePool has replicas",
    ("spec", "template", "spec", "containers"): "a virtual machine boots from one of its volumes",
}
#: Feature gates of HyperConverged before 1.10, each with the last release that has it; what they turn on is
#: always on since (CRDs in ``deploy/olm-catalog`` of kubevirt/hyperconverged-cluster-operator).
_FORMER_GATES: Mapping[SchemaPlace, str] = {
    ("spec", "featureGates", "hotplugVolumes"): "1.3",
    ("spec", "featureGates", "sriovLiveMigration"): "1.7",
}
#: What is requested, in ``resources.requests``.
_AMOUNTS = ("cpu", "memory", "storage")
#: What a strategic merge patch does with an element, and why it is still there after the build.
_DIRECTIVE = "$patch"
_REPLACED = (
    "the patch replaces the list, as kustomize does not know its merge key: write mergeKeys: kubevirt in "
    "vmrender.yaml, or a JSON patch"
)
_NOT_MERGED = "it has a meaning in a strategic merge patch only"
_SOURCE = (ELEMENT, "spec", "source")
_SIZE = "the size of a volume is storage.resources.requests.storage, next to source"


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
    last = _FORMER_GATES.get(schema_place(field)) if target.gvk.kind == HYPERCONVERGED else None
    if last:
        message = (
            f"the feature gate {field.segments[-1]} has no effect: the operator knows it up to {last} only"
        )
        return SchemaFinding(
            field, message, "drop it", Code.DEPRECATED, Severity.WARNING, fix=RemoveField(field)
        )
    elsewhere = target.known_elsewhere(lambda tree: tree.at(field) is not None)
    if elsewhere:
        message = f"{field} {elsewhere}"
        return SchemaFinding(
            field, message, _rejection_text(field, target), Code.UNKNOWN_FIELD, target=target.judging_release
        )
    suggestion, fix = _suggestion(field, kind, siblings, target)
    hint = f"{suggestion}{_rejection_text(field, target)}"
    message = f"{field} is not a field of {target.gvk.kind}"
    return SchemaFinding(field, message, hint, Code.UNKNOWN_FIELD, fix=fix)


def misnamed_field(field: FieldPath, missing: FieldPath, target: SchemaTarget) -> SchemaFinding:
    """Return the finding for ``field``, written instead of ``missing``, which is in the same mapping."""
    message = f"{field} is not a field of {target.gvk.kind}, and {missing.segments[-1]} is missing"
    hint = f"did you mean {missing}? {_rejection_text(field, target)}"
    fix = RenameField(field, str(missing.segments[-1]))
    return SchemaFinding(field, message, hint, Code.UNKNOWN_FIELD, fix=fix)


def likely_sibling(field: FieldPath, target: SchemaTarget) -> str | None:
    """Return the field at the same place that was probably meant."""
    parent = target.schema.tree.at(field.parent)
    known = tuple(object_at(parent or EMPTY, "properties"))
    return nearest(str(field.segments[-1]), known)


def _suggestion(
    field: FieldPath, kind: str, siblings: AbstractSet[str], target: SchemaTarget
) -> tuple[str, Edit | None]:
    """Return the beginning of a hint, and its edit if it names one field that is not written yet."""
    place = schema_place(field)
    if place[-1] == "size" and _SOURCE in (place[-4:-1], place[-5:-2]):  # in a source, or in its kind
        return f"{_SIZE}; ", None
    if place[-1] == _DIRECTIVE:
        return f"{_REPLACED if place[-2:-1] == (ELEMENT,) else _NOT_MERGED}; ", None
    known = tuple(object_at(target.schema.tree.at(field.parent) or EMPTY, "properties"))
    if place[-1] in _AMOUNTS and kind == _SCALAR and "requests" in known:
        return f"did you mean {field.parent.child('requests', place[-1])}? ", None
    if place in _HABITS:
        return f"{_HABITS[place]}; ", None
    sibling = likely_sibling(field, target)
    places = right_places(field, kind, siblings, target.schema.tree, anywhere=sibling is None)
    if sibling and (not places or sibling.lower() == place[-1].lower()):
        rename = None if sibling in siblings else RenameField(field, sibling)
        return f"did you mean {field.parent.child(sibling)}? ", rename
    if places:
        *others, last = (_path_text(there, field, relative=len(places) > 1) for there in places)
        if others:
            return f"did you mean {', '.join(others)} or {last}? ", None
        return f"did you mean {last}? ", _move(field, places[0])
    if not known:
        return f"{field.parent} has no fields; ", None
    return (f"known here: {', '.join(known)}; " if len(known) <= _SHORT_LIST else ""), None


def _rejection_text(field: FieldPath, target: SchemaTarget) -> str:
    parent = target.schema.tree.at(field.parent) or EMPTY
    if parent.get(PRESERVED):
        return "KubeVirt refuses it"
    return NO_SUCH_FIELD


def right_places(
    field: FieldPath, kind: str, siblings: AbstractSet[str], tree: SchemaTree, *, anywhere: bool
) -> Sequence[SchemaPlace]:
    """Return the nearest places for ``field`` with a value of that ``kind`` and with these ``siblings``.

    ``anywhere``: if only one place has the name, it may be far away.
    """
    place = schema_place(field)
    of_name = [
        there for there in tree.places(place[-1]) if KEY not in there and _accepts_kind(there, kind, tree)
    ]
    only = of_name if anywhere and len(of_name) == 1 else []
    near = only or [there for there in of_name if _is_near(place, there, len(of_name))]
    # Below an existing mapping: disk.bus for a bus next to disk.
    mappings = {(*place[:-1], name) for name in siblings}
    candidates = [there for there in near if there[: len(place)] in mappings] or near
    closest = min((_distance(place, there) for there in candidates), default=0)
    return [there for there in candidates if _distance(place, there) == closest][:_MOST_PLACES]


def _move(field: FieldPath, there: SchemaPlace) -> MoveField | None:
    """Return the move of the field; None if it would be into an element of another list."""
    shared = _common_length(schema_place(field.parent), there[:-1])
    if ELEMENT in there[shared:]:
        return None
    return MoveField(field, FieldPath((*field.segments[:shared], *there[shared:])))


def _is_near(place: SchemaPlace, there: SchemaPlace, count: int) -> bool:
    """Return True if ``there`` is near enough to be the intended place.

    If more than three places (``count``) have the name, one of the two parents must contain the other.
    """
    contains = _common_length(place[:-1], there[:-1]) in (len(place) - 1, len(there) - 1)
    return _distance(place, there) <= _NEAR and (contains or count <= _RARE)


def _accepts_kind(there: SchemaPlace, kind: str, tree: SchemaTree) -> bool:
    """Return True if a value of that kind is allowed ``there``; nothing (``null``) is allowed anywhere."""
    segments = (0 if name == ELEMENT else name for name in there)
    schema = tree.at(FieldPath(tuple(segments))) or EMPTY
    types = set(array_at(schema, "type") or (schema.get("type"),))
    return kind == "null" or (bool(types - {"object", "array"}) if kind == _SCALAR else kind in types)


def _distance(place: SchemaPlace, there: SchemaPlace) -> int:
    """Return the steps up and down from the mapping of ``place`` to the mapping of ``there``."""
    return len(place) + len(there) - 2 - 2 * _common_length(place[:-1], there[:-1])


def _common_length(place: SchemaPlace, there: SchemaPlace) -> int:
    pairs = enumerate(zip(place, there, strict=False))
    return next((index for index, (one, other) in pairs if one != other), min(len(place), len(there)))


def _path_text(there: SchemaPlace, field: FieldPath, *, relative: bool) -> str:
    """Return the path, with the indices of ``field`` on the common part; ``relative``: without that part."""
    shared = _common_length(schema_place(field.parent), there[:-1])
    text = (
        "" if relative and shared == len(field.parent.segments) else str(FieldPath(field.segments[:shared]))
    )
    for name in there[shared:]:
        text += name if name == ELEMENT else f".{name}" if text else name
    return text
