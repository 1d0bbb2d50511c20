"""What to say of a field that its kind does not have: the release that has it, or what was meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from renderer.model.codes import Code
from renderer.model.field_path import FieldPath
from renderer.model.json import EMPTY, JsonObject, object_at
from renderer.validation.finding import Finding
from renderer.validation.gating import Target
from renderer.validation.moved_field import right_places
from renderer.validation.schema_keywords import PRESERVED
from renderer.validation.schema_tree import ELEMENT, Place, place_of
from renderer.validation.wording import nearest

_SHORT_LIST = 12

#: What people write who think of another kind.
_HABITS: Mapping[Place, str] = {
    ("spec", "selector"): "a VirtualMachine needs none, only a VirtualMachinePool has a selector",
    ("spec", "replicas"): "only a VirtualMachinePool has replicas",
    ("spec", "template", "spec", "containers"): "what a virtual machine boots from is among its volumes",
}
_SOURCE = (ELEMENT, "spec", "source")
_SIZE = "the size of a volume is storage.resources.requests.storage, beside source"


def unknown_field(field: FieldPath, siblings: JsonObject, target: Target) -> Finding:
    """The finding for ``field``, which stands among ``siblings``."""
    elsewhere = target.known_elsewhere(lambda tree: tree.at(field) is not None)
    if elsewhere:
        message = f"{field} {elsewhere}"
        return Finding(field, message, _fate(field, target), Code.UNKNOWN_FIELD, target=target.release)
    hint = f"{_meant(field, siblings, target)}{_fate(field, target)}"
    return Finding(field, f"{field} is not a field of {target.gvk.kind}", hint, Code.UNKNOWN_FIELD)


def meant_sibling(field: FieldPath, target: Target) -> str | None:
    """The field at the same place for which this one was probably written."""
    parent = target.schema.tree.at(field.parent)
    known = tuple(object_at(parent or EMPTY, "properties"))
    return nearest(str(field.segments[-1]), known)


def _meant(field: FieldPath, siblings: JsonObject, target: Target) -> str:
    place = place_of(field)
    habit = _SIZE if _is_size_of_source(place) else _HABITS.get(place)
    if habit:
        return f"{habit}; "
    sibling = meant_sibling(field, target)
    places = right_places(field, siblings, target.schema.tree, anywhere=sibling is None)
    if sibling and (not places or sibling.lower() == place[-1].lower()):
        return f"did you mean {field.parent.child(sibling)}? "
    if places:
        return f"did you mean {_one_of(places)}? "
    known = tuple(object_at(target.schema.tree.at(field.parent) or EMPTY, "properties"))
    if not known:
        return f"{field.parent} takes no fields; "
    return f"known here: {', '.join(known)}; " if len(known) <= _SHORT_LIST else ""


def _is_size_of_source(place: Place) -> bool:
    """Whether it is ``size`` of a DataVolume's source, or of one of the kinds of sources in it."""
    return place[-1] == "size" and _SOURCE in (place[-4:-1], place[-5:-2])


def _one_of(fields: Sequence[str]) -> str:
    *others, last = fields
    return f"{', '.join(others)} or {last}" if others else last


def _fate(field: FieldPath, target: Target) -> str:
    parent = target.schema.tree.at(field.parent) or EMPTY
    if parent.get(PRESERVED):
        return "KubeVirt refuses it"
    return "the API server would drop it silently"
