"""JSON 6902 patches as Go's library applies them: ``evanphx/json-patch``, versions 4 and 5.

A missing value is null, negative indices count from the end, and null is treated as missing on the way to a
field. In version 4, which kustomize uses, ``replace`` adds a missing key, and ``copy`` copies null for one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from renderer.model.kube.field_path import parse_pointer
from renderer.model.kube.json import Json, object_at, text_at
from renderer.model.pattern import pattern
from renderer.model.run.limits import limits
from renderer.model.run.work import spend
from renderer.model.whole_number import whole_number

#: Returns the container after an operation on one of its keys. Arguments: the container and the key.
Edit: TypeAlias = Callable[["dict[str, Json] | list[Json]", str], "dict[str, Json] | list[Json]"]

#: Steps for an operation and for a key on its path; keys copied in one step (``model.run.work``).
_OPERATION, _KEY, _COPIED_PER_STEP = 20, 4, 16

_INDEX = pattern(r"[+-]?[0-9]{1,18}")


class OperationError(Exception):
    """An operation cannot be applied; the message says why, ``field`` which of its fields is wrong."""

    def __init__(self, message: str, field: str = "path") -> None:
        super().__init__(message)
        self.field = field


def apply_operation(document: Json, operation: Json) -> Json:
    """Return the document after ``op`` of ``operation``, as in version 4. Raises ``OperationError``."""
    name = text_at(operation, "op")
    apply = OPERATIONS.get(name)
    spend(_OPERATION, "applying patches")
    if apply is None:
        raise OperationError(f"invalid operation {name!r}; the operations are {', '.join(OPERATIONS)}", "op")
    return apply(document, _pointer_in(operation, "path"), operation)


def apply_operation_v5(document: Json, operation: Json) -> Json:
    """Return the same, as in version 5: what is replaced or copied must exist."""
    field = {"replace": "path", "copy": "from"}.get(text_at(operation, "op"))
    if field is not None and text_at(operation, field):
        with _errors_about(field):
            _require(document, text_at(operation, field))
    return apply_operation(document, operation)


def _add(document: Json, path: str, operation: Json) -> Json:
    return _insert(document, path, _value(operation))


def _remove(document: Json, path: str, operation: Json) -> Json:
    del operation
    return _edit(document, path, _without_child)


def _replace(document: Json, path: str, operation: Json) -> Json:
    value = _value(operation)
    if not path:
        if not isinstance(value, dict | list):
            raise OperationError("the whole object can only be replaced by a mapping", "value")
        return value
    return _edit(document, path, lambda container, key: _with_child(container, key, value))


def _move(document: Json, path: str, operation: Json) -> Json:
    with _errors_about("from"):
        source = _pointer_in(operation, "from")
        value = _value_at_path(document, source)
        document = _edit(document, source, _without_child)
    return _insert(document, path, value)


def _copy(document: Json, path: str, operation: Json) -> Json:
    with _errors_about("from"):
        value = _value_at_path(document, _pointer_in(operation, "from"))
    return _insert(document, path, value)


@contextmanager
def _errors_about(field: str) -> Iterator[None]:
    """Report errors about ``path`` as errors about ``field``, which holds the pointer that was followed."""
    try:
        yield
    except OperationError as error:
        raise OperationError(str(error), field) from None


def _test(document: Json, path: str, operation: Json) -> Json:
    actual = _value_at_path(document, path) if path else document
    if not _equal(actual, _value(operation)):
        raise OperationError(f"the test fails, {path} has another value", "value")
    return document


OPERATIONS: dict[str, Callable[[Json, str, Json], Json]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "copy": _copy,
    "test": _test,
}


def _pointer_in(operation: Json, field: str) -> str:
    pointer = object_at(operation).get(field)
    if not isinstance(pointer, str):
        raise OperationError(f"the operation has no {field}")
    return pointer


def _value(operation: Json) -> Json:
    return object_at(operation).get("value")


def _insert(document: Json, path: str, value: Json) -> Json:
    def insert(container: dict[str, Json] | list[Json], key: str) -> dict[str, Json] | list[Json]:
        if isinstance(container, dict):
            return container | {key: value}
        index = len(container) if key == "-" else _index(key, len(container) + 1)
        return [*container[:index], value, *container[index:]]

    return _edit(document, path, insert)


def _with_child(
    container: dict[str, Json] | list[Json], key: str, value: Json
) -> dict[str, Json] | list[Json]:
    if isinstance(container, dict):
        return container | {key: value}
    index = _index(key, len(container))
    return [*container[:index], value, *container[index + 1 :]]


def _without_child(container: dict[str, Json] | list[Json], key: str) -> dict[str, Json] | list[Json]:
    if isinstance(container, list):
        index = _index(key, len(container))
        return [*container[:index], *container[index + 1 :]]
    if key not in container:
        raise OperationError(f"there is no {key}")
    return {name: value for name, value in container.items() if name != key}


def _value_at_path(document: Json, path: str) -> Json:
    keys = _keys(path)
    for key in keys[:-1]:
        document = _child(_container(document, path), key)
    container = _container(document, path)
    return _child(container, keys[-1])


def _require(document: Json, path: str) -> None:
    """Raise ``OperationError`` unless the last key of ``path`` exists."""
    *above, key = _keys(path)
    for each in above:
        document = _child(_container(document, path), each)
    if isinstance(document, dict) and key not in document:
        raise OperationError(f"there is no {key}")


def _edit(document: Json, path: str, edit: Edit) -> Json:
    """Return the document with the container of the last key in ``path`` edited.

    Untouched parts are shared.
    """
    return _edit_below(document, _keys(path), path, edit)


def _edit_below(value: Json, keys: list[str], path: str, edit: Edit) -> Json:
    container = _container(value, path)
    spend(_KEY + len(container) // _COPIED_PER_STEP, "applying patches")
    if len(keys) == 1:
        return edit(container, keys[0])
    child = _edit_below(_child(container, keys[0]), keys[1:], path, edit)
    return _with_child(container, keys[0], child)


def _container(value: Json, path: str) -> dict[str, Json] | list[Json]:
    if not isinstance(value, dict | list):
        raise OperationError(f"the object has no {path}")
    return value


def _child(container: dict[str, Json] | list[Json], key: str) -> Json:
    if isinstance(container, dict):
        return container.get(key)
    return container[_index(key, len(container))]


def _index(key: str, length: int) -> int:
    """Return the position of ``key`` in a list of ``length``; negative indices count from the end."""
    if not _INDEX.fullmatch(key):
        raise OperationError(f"invalid list index {key!r}")
    index = whole_number(key)
    if not -length <= index < length:
        raise OperationError(f"the list has no index {index}")
    return index + length if index < 0 else index


def _keys(path: str) -> list[str]:
    if "/" not in path:
        raise OperationError(f"{path or 'an empty path'} does not begin with /")
    if path.count("/") > limits().nesting:
        raise OperationError(f"the path has more than {limits().nesting} names")
    return parse_pointer(path)


def _equal(left: Json, right: Json) -> bool:
    """Return True if both are equal as JSON: 1 is not equal to true."""
    if isinstance(left, dict | list):
        spend(len(left), "applying patches")
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_equal(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_equal, left, right))
    return isinstance(left, bool) == isinstance(right, bool) and left == right
