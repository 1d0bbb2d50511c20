"""JSON 6902 patches as kustomize applies them (``gopkg.in/evanphx/json-patch.v4``).

Its ways: ``replace`` adds a missing key, a missing value is null, indices may be negative and count from the
end, null stands for nothing on the way to a field.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

from renderer.model.json import Json, object_at, text_at
from renderer.model.limits import limits

#: Changes the value that stands for the container of a key, which it is given.
Edit: TypeAlias = Callable[["dict[str, Json] | list[Json]", str], "dict[str, Json] | list[Json]"]

_INDEX = re.compile(r"[+-]?[0-9]{1,18}")


class OperationError(Exception):
    """An operation does not apply; says why."""


def apply_operation(document: Json, operation: Json) -> Json:
    """The document after ``op`` of ``operation``. Raises ``OperationError``."""
    name = text_at(operation, "op")
    apply = _OPERATIONS.get(name)
    if apply is None:
        raise OperationError(f"{name or 'nothing'} is no operation; there are {', '.join(_OPERATIONS)}")
    return apply(document, _pointer(operation, "path"), operation)


def _add(document: Json, path: str, operation: Json) -> Json:
    return _inserted(document, path, _value(operation))


def _remove(document: Json, path: str, operation: Json) -> Json:
    del operation
    return _edited(document, path, _without)


def _replace(document: Json, path: str, operation: Json) -> Json:
    value = _value(operation)
    if not path:
        if not isinstance(value, dict | list):
            raise OperationError("the whole object can only be replaced by a mapping")
        return value
    return _edited(document, path, lambda container, key: _with(container, key, value))


def _move(document: Json, path: str, operation: Json) -> Json:
    source = _pointer(operation, "from")
    value = _get(document, source)
    return _inserted(_edited(document, source, _without), path, value)


def _copy(document: Json, path: str, operation: Json) -> Json:
    return _inserted(document, path, _get(document, _pointer(operation, "from")))


def _test(document: Json, path: str, operation: Json) -> Json:
    actual = _get(document, path) if path else document
    if not _equal(actual, _value(operation)):
        raise OperationError(f"the test fails, {path} holds something else")
    return document


_OPERATIONS: dict[str, Callable[[Json, str, Json], Json]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "copy": _copy,
    "test": _test,
}


def _pointer(operation: Json, field: str) -> str:
    pointer = object_at(operation).get(field)
    if not isinstance(pointer, str):
        raise OperationError(f"the operation has no {field}")
    return pointer


def _value(operation: Json) -> Json:
    return object_at(operation).get("value")


def _inserted(document: Json, path: str, value: Json) -> Json:
    def insert(container: dict[str, Json] | list[Json], key: str) -> dict[str, Json] | list[Json]:
        if isinstance(container, dict):
            return {**container, key: value}
        index = len(container) if key == "-" else _index(key, len(container) + 1)
        return [*container[:index], value, *container[index:]]

    return _edited(document, path, insert)


def _with(container: dict[str, Json] | list[Json], key: str, value: Json) -> dict[str, Json] | list[Json]:
    if isinstance(container, dict):
        return {**container, key: value}
    index = _index(key, len(container))
    return [*container[:index], value, *container[index + 1 :]]


def _without(container: dict[str, Json] | list[Json], key: str) -> dict[str, Json] | list[Json]:
    if isinstance(container, list):
        index = _index(key, len(container))
        return [*container[:index], *container[index + 1 :]]
    if key not in container:
        raise OperationError(f"there is no {key}")
    return {name: value for name, value in container.items() if name != key}


def _get(document: Json, path: str) -> Json:
    keys = _keys(path)
    for key in keys[:-1]:
        document = _child(_container(document, path), key)
    container = _container(document, path)
    return _child(container, keys[-1])


def _edited(document: Json, path: str, edit: Edit) -> Json:
    """The document with the container of the last key in ``path`` edited; shares what it does not touch."""
    return _edited_below(document, _keys(path), path, edit)


def _edited_below(value: Json, keys: list[str], path: str, edit: Edit) -> Json:
    container = _container(value, path)
    if len(keys) == 1:
        return edit(container, keys[0])
    child = _edited_below(_child(container, keys[0]), keys[1:], path, edit)
    return _with(container, keys[0], child)


def _container(value: Json, path: str) -> dict[str, Json] | list[Json]:
    if not isinstance(value, dict | list):
        raise OperationError(f"the object has no {path}")
    return value


def _child(container: dict[str, Json] | list[Json], key: str) -> Json:
    if isinstance(container, dict):
        return container.get(key)
    return container[_index(key, len(container))]


def _index(key: str, length: int) -> int:
    """The position that ``key`` means in a list of ``length``; negative ones count from the end."""
    if not _INDEX.fullmatch(key):
        raise OperationError(f"{key or 'nothing'} is no index of a list")
    index = int(key)
    if not -length <= index < length:
        raise OperationError(f"the list has no index {index}")
    return index + length if index < 0 else index


def _keys(path: str) -> list[str]:
    if "/" not in path:
        raise OperationError(f"{path or 'an empty path'} does not begin with /")
    if path.count("/") > limits().nesting:
        raise OperationError(f"the path has more than {limits().nesting} names")
    return [key.replace("~1", "/").replace("~0", "~") for key in path.split("/")[1:]]


def _equal(left: Json, right: Json) -> bool:
    """Equal as JSON: 1 is not true."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_equal(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_equal, left, right))
    return isinstance(left, bool) == isinstance(right, bool) and left == right


def apply_operations(document: Json, operations: Iterable[Json]) -> Json:
    for operation in operations:
        document = apply_operation(document, operation)
    return document
