"""The fields in which two JSON objects differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from renderer.diff.alignment import Aligned, Alignment
from renderer.model.difference import FieldChange, NoValue, Value
from renderer.model.field_path import FieldPath
from renderer.model.json import Json, JsonObject

if TYPE_CHECKING:
    from deepdiff import DeepDiff

#: The kinds of change of which deepdiff tells that one side has nothing.
_ADDED = ("dictionary_item_added", "iterable_item_added")
_REMOVED = ("dictionary_item_removed", "iterable_item_removed")
_MOST_KEPT = 4096


class FieldComparer:
    """Compares many pairs: a fleet changes alike, and what was compared once is not compared again."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[FieldChange, ...]] = {}

    @property
    def known(self) -> int:
        """How many different pairs were compared."""
        return len(self._known)

    def changes(self, before: JsonObject, after: JsonObject) -> tuple[FieldChange, ...]:
        """The deepest fields that differ, in the order of their paths.

        Mappings are compared by key, lists whose elements have names by those, others by index, quantities
        by what they amount to. A named list in another order is a change of its own.
        """
        alignment = Alignment()
        old, new = alignment.align(before, after)
        reordered = [
            FieldChange(each.field, list(each.before), list(each.after), reordered=True)
            for each in alignment.reordered
        ]
        return tuple(sorted((*self._compared(old, new), *reordered), key=lambda change: str(change.field)))

    def _compared(self, before: Aligned, after: Aligned) -> tuple[FieldChange, ...]:
        if before == after == {}:
            return ()
        key = repr((before, after))
        if key not in self._known:
            if len(self._known) >= _MOST_KEPT:
                self._known.clear()
            self._known[key] = tuple(_compared(before, after))
        return self._known[key]


def _compared(before: Aligned, after: Aligned) -> Iterator[FieldChange]:
    differences = _deepdiff()(
        before,
        after,
        view="tree",
        ignore_private_variables=False,  # or keys that begin with __ are not seen
        threshold_to_diff_deeper=0,  # or mappings with little in common are told as a whole
    )
    for change_type, levels in differences.items():
        for level in levels:
            yield FieldChange(
                FieldPath(tuple(level.path(output_format="list"))),
                NoValue.ABSENT if change_type in _ADDED else _value(level.t1),
                NoValue.ABSENT if change_type in _REMOVED else _value(level.t2),
            )


# deepdiff has no types; what comes out is what went in.
def _value(value: Any) -> Value:  # noqa: ANN401 - as above
    found: Json = value
    return found


@cache
def _deepdiff() -> Callable[..., DeepDiff]:
    """Imported when something differs: it takes as long as a small repository to render."""
    from deepdiff import DeepDiff  # noqa: PLC0415 - as above

    return DeepDiff
