"""JSON 6902 patches as kustomize applies them (``api/filters/patchjson6902``).

Behaviour of its library, ``gopkg.in/evanphx/json-patch.v4``: ``replace`` adds a missing key, a missing value
is null, negative indices count from the end, and null is treated as missing on the way to a field.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import zip_longest
from operator import is_
from typing import TypeAlias

from renderer.kubevirt.facts.confidential_parts import ConfidentialFields, secret_values
from renderer.kustomize.annotations import with_annotations_for_build, with_text_annotations
from renderer.kustomize.identity import with_previous_id
from renderer.kustomize.res_map import ResMap
from renderer.kustomize.scalar_nodes import without_nodes
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.field_edit import SetField
from renderer.model.kube.field_path import FieldPath, Segment, format_pointer, parse_pointer
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, scalar_text, text_at, with_value
from renderer.model.kube.list_elements import child_at, value_at
from renderer.model.kube.res_id import Gvk
from renderer.model.kube.resource import Resource
from renderer.model.pattern import pattern
from renderer.model.run.limits import limits
from renderer.model.run.taint import taint
from renderer.model.run.work import spend
from renderer.model.source_tree import JsonPatch
from renderer.model.suggest import did_you_mean, suggest
from renderer.model.whole_number import whole_number
from renderer.yamlio.go_numbers import format_float, json_number

#: Returns the container after an operation on one of its keys. Arguments: the container and the key.
Edit: TypeAlias = Callable[["dict[str, Json] | list[Json]", str], "dict[str, Json] | list[Json]"]

#: Steps for an operation and for a key on its path; keys copied or compared in one step (``model.run.work``).
_OPERATION, _KEY, _COPIED_PER_STEP, _KEYS_PER_STEP = 20, 4, 16, 3

_INDEX = pattern(r"[+-]?[0-9]{1,18}")
#: kustomize converts the patched object through floats; larger integers than this one are rounded.
_EXACT = 1 << 53


class OperationError(Exception):
    """An operation cannot be applied; the message says why, ``field`` which of its fields is wrong."""

    def __init__(self, message: str, field: str = "path") -> None:
        super().__init__(message)
        self.field = field


def apply_operation(document: Json, operation: Json) -> Json:
    """Return the document after ``op`` of ``operation``. Raises ``OperationError``."""
    name = text_at(operation, "op")
    apply = _OPERATIONS.get(name)
    spend(_OPERATION, "applying patches")
    if apply is None:
        raise OperationError(f"invalid operation {name!r}; the operations are {', '.join(_OPERATIONS)}", "op")
    return apply(document, _pointer_in(operation, "path"), operation)


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


_OPERATIONS: dict[str, Callable[[Json, str, Json], Json]] = {
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


def slashless_paths(patch: JsonPatch) -> Iterator[Diagnostic]:
    """Yield a warning for each path that does not begin with a slash: kustomize drops its first name."""
    for index, operation in enumerate(patch.operations):
        for field in ("path", "from"):
            path = text_at(operation, field)
            dropped, slash, rest = path.partition("/")
            if not dropped or not slash:
                continue
            site = patch.site.below(index, field)
            yield Diagnostic.at(
                site,
                Code.PATCH_INVALID,
                f"{field} does not begin with /: kustomize drops {dropped}, and patches /{rest}",
                f"write /{path}",
                severity=Severity.WARNING,
                fix=SetField(site.field, f"/{path}"),
            )


class JsonPatching:
    """The operations of one patch, applied to resources.

    ``stores_previous_ids``: the id of a resource before the patch is stored with it.
    """

    def __init__(self, patch: JsonPatch, *, stores_previous_ids: bool) -> None:
        self._patch = patch
        self._stores_previous_ids = stores_previous_ids

    def apply(self, resources: ResMap, keys: Iterable[int]) -> None:
        """Patch the resources with the given keys. Raises: patch-invalid, build-limit."""
        for key in keys:
            patched = self._patched(key, resources)
            if patched.content:
                resources.replace(key, patched)
                resources.note_rounded(key)
            else:
                resources.remove(key)

    def _patched(self, key: int, resources: ResMap) -> Resource:
        resource = resources[key]
        if self._stores_previous_ids:
            resource = with_previous_id(resource)

        def check_growth(grown: Json) -> None:
            resources.check_growth(key, resource.with_content(object_at(grown), self._patch.site))

        document = self._apply_operations(_as_json(resource), resource, check_growth)
        content = self._rounded_object(document, resource, resources.rounded_content(key))
        patched = without_nodes(resource.with_content(content, self._patch.site))
        patched = with_text_annotations(patched, _float_text)
        if patched.api_version == resource.api_version:
            return patched
        # Previous ids are compared with the API version of the resource, not with one of their own.
        group, version = patched.gvk.group, patched.gvk.version
        previous = (id_._replace(gvk=Gvk(group, version, id_.gvk.kind)) for id_ in patched.previous_ids)
        return patched._replace(previous_ids=tuple(previous))

    def _apply_operations(
        self, document: Json, resource: Resource, check_growth: Callable[[Json], None]
    ) -> Json:
        """Return the document after all operations; values that Secrets in it lose are noted.

        Copies double a document with each operation: ``check_growth`` comes before anything that visits it.
        """
        secrets = secret_values([document])
        for index, operation in enumerate(self._patch.operations):
            if text_at(operation, "op") == "move" or text_at(document, "kind") == "Secret":
                check_growth(document)
                secrets |= _values_at_risk(document, operation)
            try:
                document = apply_operation(document, operation)
            except OperationError as error:
                wrong = text_at(operation, error.field)
                hint = None
                if error.field == "op":
                    hint = did_you_mean(wrong, _OPERATIONS, most=1)
                elif error.field != "value":
                    hint = _path_hint(document, wrong)
                raise self._invalid(str(error), (index, error.field), operation, resource, hint) from None
        check_growth(document)
        if secrets:  # an operation may move what another one added
            taint(secrets - secret_values([document]))
        return document

    def _rounded_object(self, document: Json, resource: Resource, exact: Json) -> JsonObject:
        try:
            rounded = document if _is_exact(document, exact) else _rounded(document)
        except OverflowError:  # from a patch in JSON: YAML reads such numbers as texts
            raise self._invalid("a number is too large", (0,), None, resource) from None
        if not isinstance(rounded, dict):
            raise self._invalid("the patch does not result in an object", (0,), None, resource)
        return rounded

    def _invalid(
        self,
        problem: str,
        place: tuple[Segment, ...],
        operation: Json,
        resource: Resource,
        hint: str | None = None,
    ) -> DiagnosticError:
        """Return the error about ``place`` in the patch: an operation, or a field of it."""
        fields = object_at(operation)
        where = f" ({fields.get('op')} {fields.get('path')})" if fields else ""
        return Diagnostic.at(
            self._patch.site.below(*place),
            Code.PATCH_INVALID,
            f"the patch does not apply to {resource.current_id}: {problem}{where}",
            hint,
            resource=resource,
        ).error()


def _values_at_risk(document: Json, operation: Json) -> frozenset[str]:
    """Return values of Secrets that an operation may move, or that it may take the kind from."""
    if text_at(document, "kind") == "Secret":
        return secret_values([document])
    segments: list[Segment] = []
    value = document
    for key in parse_pointer(text_at(operation, "from")):
        segments.append(int(key) if isinstance(value, list) and key.isdecimal() else key)
        value = child_at(value, segments[-1], None)
    if not segments:
        return frozenset()
    fields = ConfidentialFields(text_at(document, "kind"), (document,))
    return fields.secret_values(FieldPath(tuple(segments)))


def _path_hint(document: Json, path: str) -> str | None:
    """Return a hint about the first key of ``path`` that the object does not have; None if it has all.

    A path that does not begin with a slash gets one.
    """
    if not path.startswith("/"):
        return f"write /{path.replace('.', '/')}" if "/" not in path and "." in path else f"write /{path}"
    keys = parse_pointer(path)
    for index, key in enumerate(keys):
        if not isinstance(document, dict):
            return None
        if key not in document:
            nearest = suggest(key, document, most=1)
            if nearest:
                return f"did you mean {format_pointer((*keys[:index], *nearest, *keys[index + 1 :]))}?"
            if index == len(keys) - 1:
                return "drop the operation, or correct its path"
            there = format_pointer(keys[:index]) or "the top"
            return f"there is no {key} at {there}: add it first, with the fields below it"
        document = document[key]
    return None


def _as_json(resource: Resource) -> JsonObject:
    """Return the content to patch, in which annotations may be numbers."""
    content = with_annotations_for_build(resource)
    for each in resource.spellings:
        names = tuple(segment for segment in each.field.segments if isinstance(segment, str))
        if names[:-1] == ("metadata", "annotations") and value_at(content, names) == each.text:
            content = with_value(content, names, each.value)
    return content


def _is_exact(value: Json, exact: Json) -> bool:
    """Return True if a float can represent every integer in a tree exactly.

    Parts shared with the tree ``exact`` are skipped; otherwise every operation would go through the whole
    object.
    """
    # A plain loop and exact types, because this goes through whole objects.
    steps, waiting = 0, [(value, exact)]
    while waiting:
        node, old = waiting.pop()
        if isinstance(node, dict):
            before = object_at(old)
            new = [(child, before.get(key)) for key, child in node.items() if type(child) is not str]
        elif isinstance(node, list):
            new = [*zip_longest(node, array_at(old)[: len(node)])]
        elif type(node) is int and not -_EXACT <= node <= _EXACT:
            return False
        else:
            continue
        steps += len(node) // _KEYS_PER_STEP
        waiting += [each for each in new if each[0] is not each[1]]
    spend(steps, "applying patches")
    return True


def _rounded(value: Json) -> Json:
    """Return the value with integers rounded to floats; the same object if that changes nothing."""
    if isinstance(value, dict):
        spend(len(value) // _KEYS_PER_STEP, "applying patches")
        fields = {key: rounded for key, child in value.items() if (rounded := _rounded(child)) is not child}
        return {**value, **fields} if fields else value
    if isinstance(value, list):
        spend(len(value) // _KEYS_PER_STEP, "applying patches")
        elements = [*map(_rounded, value)]
        return value if all(map(is_, elements, value)) else elements
    if type(value) is int and not -_EXACT <= value <= _EXACT:
        return json_number(float(value))
    return value


def _float_text(value: Json) -> str:
    """Return the text of a scalar that was converted through floats."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return format_float(float(value))
    return scalar_text(value)
