"""When a result is the same as KubeVirt's.

What the user wrote may stay as it was written, where it means the same: a quantity that is not canonical, an
explicit zero or empty value. Empty structures that Go always writes may be missing. Everything else is equal,
types included.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import Json, JsonObject, array_at, text_at
from renderer.model.quantity import Quantity

#: The ends of the paths that Go always writes, and the empty values that it writes there.
_ALWAYS_WRITTEN: dict[tuple[str, str], Json] = {
    ("template", "metadata"): {},
    ("domain", "devices"): {},
    ("domain", "resources"): {},
    ("features", "acpi"): {},
    ("pvc", "resources"): {},
    ("storage", "resources"): {},
    ("hostDisk", "capacity"): "0",
    ("machine", "type"): "",
    ("inputs", "type"): "",
}


def differences(actual: Json, expected: Json, written: Json, at: FieldPath = ROOT) -> Iterator[str]:
    """Yield the differences with their paths. ``written`` is the user's value at this path."""
    if isinstance(actual, dict) and isinstance(expected, dict):
        yield from _object_differences(actual, expected, written, at)
    elif isinstance(actual, list) and isinstance(expected, list) and len(actual) == len(expected):
        for index, (ours, theirs) in enumerate(zip(actual, expected, strict=True)):
            yield from differences(ours, theirs, _element(written, index), at.child(index))
    elif not _is_same(actual, expected, written):
        yield f"{at}: {actual!r} is not {expected!r}"


def _object_differences(
    actual: JsonObject, expected: JsonObject, written: Json, at: FieldPath
) -> Iterator[str]:
    user = written if isinstance(written, dict) else {}
    for key in sorted({*actual, *expected}):
        field = at.child(key)
        if key in actual and key in expected:
            yield from differences(actual[key], expected[key], user.get(key), field)
        elif key in actual:
            if not (key in user and _is_empty(actual[key]) and actual[key] == user[key]):
                yield f"{field}: {actual[key]!r} should not be there"
        elif not _may_be_missing(field, expected[key]):
            yield f"{field}: {expected[key]!r} is missing"


def _is_same(actual: Json, expected: Json, written: Json) -> bool:
    if type(actual) is type(expected) and actual == expected:
        return True
    as_written = type(actual) is type(written) and actual == written
    return as_written and isinstance(expected, str) and _is_same_quantity(actual, expected)


def _is_same_quantity(one: Json, other: Json) -> bool:
    try:
        return Quantity.of(one).compare(Quantity.of(other)) == 0
    except DiagnosticError:
        return False


def _is_empty(value: Json) -> bool:
    return not value


def _may_be_missing(field: FieldPath, expected: Json) -> bool:
    names = [segment for segment in field.segments if isinstance(segment, str)]
    if len(names) < len(("parent", "name")):
        return False
    end = (names[-2], names[-1])
    return end in _ALWAYS_WRITTEN and _ALWAYS_WRITTEN[end] == expected


def _element(written: Json, index: int) -> Json:
    return written[index] if isinstance(written, list) and index < len(written) else None


def vm_differences(actual: Json, expected: Json, vm: Json) -> Iterator[str]:
    """Of results that are a VM, conflicts or an error. A crash of KubeVirt is an error of our own."""
    theirs, ours = _answer(expected), _answer(actual)
    if theirs in ("panic", "error"):
        theirs = "error"
    if ours != theirs:
        yield f"{ours} in place of {theirs}: {_shortened(actual)}"
    elif theirs == "vm" and isinstance(actual, dict) and isinstance(expected, dict):
        yield from differences(actual["vm"], expected["vm"], vm)
    elif theirs == "conflicts" and array_at(actual, "conflicts") != array_at(expected, "conflicts"):
        yield f"conflicts {array_at(actual, 'conflicts')} in place of {array_at(expected, 'conflicts')}"


def cause_differences(actual: Json, expected: Json) -> Iterator[str]:
    """Of results with causes, which are compared by their fields."""
    ours, theirs = _cause_fields(actual), _cause_fields(expected)
    if isinstance(expected, dict) and "panic" in expected:
        if not ours and not _has_error(actual):
            yield "no error where KubeVirt crashes"
        return
    if ours != theirs:
        yield f"causes {ours} in place of {theirs}"
    if _has_error(actual) != _has_error(expected):
        yield f"{_shortened(actual)} in place of {_shortened(expected)}"


def refusal_differences(actual: Json, expected: Json) -> Iterator[str]:
    """Of the webhook's causes, which are compared by type and field; their order counts."""
    ours, theirs = _cause_types(actual), _cause_types(expected)
    if bool(ours) != bool(theirs):
        yield f"{'refused' if ours else 'admitted'} in place of {'refused' if theirs else 'admitted'}"
    if ours != theirs:
        yield f"causes {ours} in place of {theirs}"


def _answer(result: Json) -> str:
    if result is None:
        return "null"
    names = ("vm", "conflicts", "panic", "error")
    return next((name for name in names if isinstance(result, dict) and name in result), "nothing")


def _cause_fields(result: Json) -> list[str]:
    return [text_at(cause, "field") for cause in array_at(result, "causes")]


def _cause_types(result: Json) -> list[tuple[str, str]]:
    return [(text_at(cause, "type"), text_at(cause, "field")) for cause in array_at(result, "causes")]


def _has_error(result: Json) -> bool:
    return isinstance(result, dict) and "error" in result


def _shortened(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= 200 else text[:197] + "..."
