"""A field that is the instance type's if it sets it, and then may not be the VM's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from renderer.instancetype.conflict import Conflict, Conflicts
from renderer.instancetype.selection import Selection
from renderer.instancetype.vmi_template import with_section
from renderer.instancetype.zero_value import is_null
from renderer.model.json import Json, JsonObject, object_at


@dataclass(frozen=True, slots=True)
class ExclusiveField:
    """Copies ``source`` of the instance type's spec to ``target`` of the VMI's spec.

    ``is_absent`` says of either side when it does not set the field; with ``drops_empty`` an empty mapping
    counts as set, but is not written.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    is_absent: Callable[[Json], bool] = is_null
    drops_empty: bool = False

    def __call__(self, selection: Selection, template: JsonObject) -> JsonObject | Conflicts:
        """The changed template, or the conflict."""
        if self.source[0] not in selection.instancetype:
            return template
        value = _at(selection.instancetype, self.source)
        if self.is_absent(value):
            return template
        if not self.is_absent(_at(object_at(template, "spec"), self.target)):
            return (Conflict.of_vmi_spec(self.target, self.source),)
        if self.drops_empty and not value:
            return template
        return with_section(template, ("spec", *self.target), value)


def _at(value: JsonObject, path: tuple[str, ...]) -> Json:
    return object_at(value, *path[:-1]).get(path[-1])
