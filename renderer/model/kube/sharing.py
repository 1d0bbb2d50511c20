"""Intern equal JSON subtrees; share their key tables and memoised results.

Trees are read-only, and the virtual machines of a fleet are mostly alike: without sharing, a third of their
content would be stored for each of them. A subtree is compared only with recent ones, so that nothing is kept
for long, and only if all of its own subtrees were found: a mapping with the name of a machine is never looked
up. Each tree has such mappings, and two thirds of the memory of one is its key table. Python shares key
tables among the dictionaries of the objects of a class, and a dictionary keeps its table when ``|`` or
``copy`` makes another one from it (``json.with_entries``); ``{**mapping}`` makes a new table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, TypeVar, TypeVarTuple

from renderer.model.kube.json import Json, JsonObject

Value = TypeVar("Value")
T = TypeVar("T", bound=Mapping[str, Any] | list[Any])  # `typing` would compile a text
Args = TypeVarTuple("Args")
Result = TypeVar("Result")

#: The maximum number of known subtrees; then the table is cleared.
_CAPACITY = 4096
#: The maximum number of keys and values of a known subtree.
_MOST = 32

#: The number of mappings with the same keys before they share a table, because making one takes the time of a
#: hundred; the maximum number of known tables, and of keys in a table.
_ALIKE, _MOST_TABLES, _MOST_KEYS = 50, 1000, 20
#: The number of objects of a class after which Python reserves space for only one further key.
_OBJECTS = 40

#: Subtrees by their kind and content: texts, and the identity of all else, as 1 is equal to 1.0 and true.
_known: dict[tuple[object, ...], Any] = {}
#: A mapping with the shared table for each sequence of keys, and the number of mappings seen before it.
_tables: dict[tuple[str, ...], dict[str, Json]] = {}
_seen: dict[tuple[str, ...], int] = {}
#: The empty mapping and the empty list; ``json.EMPTY`` is used for a missing mapping.
_EMPTY: dict[type, Any] = {dict: {}, list: []}
#: The caches of functions that are called once for the same arguments.
_results: list[dict[Any, Any]] = []


def share(tree: T) -> T:
    """Return a tree that is not shared yet, with equal known subtrees in place of its own."""
    shared: T = _shared_tree(tree)[0]
    return shared


def share_part(part: T) -> T:
    """Return the known subtree with the same keys, texts and subtrees; itself if none is known."""
    keys, values = (part, part.values()) if isinstance(part, dict) else ((list,), part)
    key = (*keys, *[each if type(each) is str else id(each) for each in values])
    known: T | None = _known.get(key)
    if known is None:
        _remember(key, part)
        return part
    return known


def share_keys(mapping: JsonObject) -> JsonObject:
    """Return the mapping with the key table of mappings that have the same keys in the same order."""
    keys = tuple(mapping)
    table = _tables.get(keys)
    if table is not None:
        return table | mapping  # type: ignore[operator, no-any-return]  # every mapping of a tree is a dict
    seen = _seen.get(keys, 0)
    if seen >= _ALIKE:
        _tables[keys] = _table_of(keys)
    elif seen or (len(keys) <= _MOST_KEYS and len(_seen) < _MOST_TABLES):
        _seen[keys] = seen + 1
    return mapping


def forget_shared() -> None:
    """Forget all subtrees and results; only their other users keep them alive."""
    _known.clear()
    for results in _results:
        results.clear()


def once_for_same(function: Callable[[*Args], Result]) -> Callable[[*Args], Result]:
    """Return ``function``, called once for identical arguments.

    It is for subtrees, which are read-only, and whose equals are mostly the same object. The result must not
    depend on anything else, and is shared as well. The last arguments and results are kept alive.
    """
    results: dict[tuple[int, ...], tuple[Result, tuple[*Args]]] = {}
    _results.append(results)

    @wraps(function)
    def once(*args: *Args) -> Result:
        key = tuple(map(id, args))
        known = results.get(key)
        if known is None:
            if len(results) >= _CAPACITY:
                results.clear()
            known = results[key] = function(*args), args  # kept alive, so that their ids stay unique
        return known[0]

    return once


class Memo(dict[str, Value]):
    """A bounded cache of values that belong to short texts.

    ``memo[text]`` is ``function(text)``, computed on first use. It is a dict, because a lookup that hits
    must cost nothing else. Long texts are not stored, and a full cache is emptied.
    """

    CAPACITY = 20_000
    LONGEST = 100

    def __init__(self, function: Callable[[str], Value]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, text: str) -> Value:
        value = self._function(text)
        if len(text) <= self.LONGEST:
            if len(self) >= self.CAPACITY:
                self.clear()
            self[text] = value
        return value


@once_for_same
def extended(items: tuple[Any, ...], item: object) -> tuple[Any, ...]:
    """Return the items and one more: one shared tuple for all resources that get the same item."""
    return (*items, item)


def _shared_tree(tree: Any) -> tuple[Any, bool]:  # noqa: ANN401 - a mapping or a list
    """Return the known tree and True; False for a new one, in which known subtrees replace equal ones."""
    # A plain loop and exact types, because this goes through everything that is read.
    is_mapping, is_new, is_text = type(tree) is dict, False, True
    for place, child in tree.items() if is_mapping else enumerate(tree):
        kind = type(child)
        if kind is str:
            continue
        is_text = False
        if kind is dict or kind is list:
            if child:
                known, is_known = _shared_tree(child)
                is_new = is_new or not is_known
            else:
                known = _EMPTY[kind]
            if known is not child:
                tree[place] = known
    if is_new:
        return (share_keys(tree) if is_mapping else tree), False
    return _known_or_new(tree, is_text=is_text)


def _known_or_new(tree: Any, *, is_text: bool) -> tuple[Any, bool]:  # noqa: ANN401 - as above
    """Return the known tree with the same texts and subtrees and True, or the tree, which is now known."""
    is_mapping = type(tree) is dict
    if is_mapping:
        key = (*tree, *tree.values()) if is_text else (*tree, *map(id, tree.values()))
    else:
        key = (list, *tree) if is_text else (list, *map(id, tree))
    known = _known.get(key)
    if known is not None:
        return known, True
    new = share_keys(tree) if is_mapping else tree
    _remember(key, new)
    return new, False


def _remember(key: tuple[object, ...], part: Any) -> None:  # noqa: ANN401 - a mapping or a list
    """Add a subtree to the known ones if it is small."""
    if len(key) <= _MOST:
        if len(_known) >= _CAPACITY:
            _known.clear()
        _known[key] = part


def _table_of(keys: Iterable[str]) -> dict[str, Json]:
    """Return a mapping with these keys whose table its copies share."""
    holder: Any = type("Holder", (), {})
    table: dict[str, Json] = {}
    for _ in range(_OBJECTS):
        table = vars(holder())
        for key in keys:
            table[key] = None
    return table
