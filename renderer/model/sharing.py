"""Equal parts of JSON trees as one object, with tables of keys and results of functions that they share.

Trees are read-only, and the virtual machines of a fleet are mostly alike: a third of what they hold would be
there for each of them. A part is looked for among the last ones only, so that nothing is held for long, and
only where its own parts were found: what holds the name of a machine is never looked for. Such a mapping
is in each tree, and its table of keys is two thirds of it. Python shares tables among the dictionaries of the
objects of a class, and a dictionary keeps its table when ``|`` or ``copy`` makes another one of it
(``json.with_entries``); ``{**mapping}`` makes a new table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, TypeVar, TypeVarTuple

from renderer.model.json import Json, JsonObject

Value = TypeVar("Value")
T = TypeVar("T", bound=Mapping[str, Any] | list[Any])  # `typing` would compile a text
Args = TypeVarTuple("Args")
Result = TypeVar("Result")

#: Parts that are known at a time; then it begins anew.
_CAPACITY = 4096
#: Keys and values of the largest part that is known.
_MOST = 32

#: Mappings with the same keys before they share a table, as making one takes the time of a hundred; the
#: tables that are known at a time, and the keys of the largest.
_ALIKE, _MOST_TABLES, _MOST_KEYS = 50, 1000, 20
#: Objects of a class after which Python keeps room for a single further key.
_OBJECTS = 40

#: Parts by their kind and content: texts, and of all else the identity, as 1 is equal to 1.0 and to true.
_known: dict[tuple[object, ...], Any] = {}
#: A mapping with the table for each sequence of keys, and how many had them before there was one.
_tables: dict[tuple[str, ...], dict[str, Json]] = {}
_seen: dict[tuple[str, ...], int] = {}
#: The mapping and the list with nothing in them; ``json.EMPTY`` stands for a mapping that is not there.
_EMPTY: dict[type, Any] = {dict: {}, list: []}
#: Results of functions that are called once for the same arguments.
_results: list[dict[Any, Any]] = []


def share(tree: T) -> T:
    """Return a tree that nobody else has yet, with known parts in place of those that are equal to them."""
    shared: T = _shared_tree(tree)[0]
    return shared


def share_part(part: T) -> T:
    """Return the known part that has the same keys, texts and parts; itself if none is known."""
    keys, values = (part, part.values()) if isinstance(part, dict) else ((list,), part)
    key = (*keys, *[each if type(each) is str else id(each) for each in values])
    known: T | None = _known.get(key)
    if known is None:
        _remember(key, part)
        return part
    return known


def share_keys(mapping: JsonObject) -> JsonObject:
    """Return the mapping with the table of others that have the same keys in the same order."""
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
    """Forget all parts and results, which are then held only by those who have them."""
    _known.clear()
    for results in _results:
        results.clear()


def once_for_same(function: Callable[[*Args], Result]) -> Callable[[*Args], Result]:
    """Return ``function``, called once for the same objects as arguments.

    It is for parts of trees, which are read-only, and of which equal ones are mostly one object. The result
    may depend on nothing else, and is shared as they are. The last arguments and results are held.
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
            known = results[key] = function(*args), args  # whose ids are theirs for as long as they are held
        return known[0]

    return once


class Memo(dict[str, Value]):
    """A bounded cache of values that belong to short texts.

    ``memo[text]`` is ``function(text)``, computed when it is first asked for. It is a dict, because a lookup
    that hits must cost nothing else. Long texts are not kept, and a full cache is emptied.
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
    """Return the items and one more: one tuple for all resources that a transformer adds the same to."""
    return (*items, item)


def _shared_tree(tree: Any) -> tuple[Any, bool]:  # noqa: ANN401 - a mapping or a list
    """Return the known tree and True; False for a new one, in which known parts replace equal ones."""
    # A plain loop and exact types, as this goes through everything that is read.
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
    """Return the known tree that has the same texts and parts and True, or the tree, known from now on."""
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
    """Have a part known from now on if it is small."""
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
