"""The resources of one kustomization while it is composed, and the limits on their growth.

kustomize ``api/resmap``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from renderer.kubevirt.facts.confidential.secret_values import removed_values
from renderer.kustomize.identity import Identity, current_identity, identities
from renderer.kustomize.scalar_nodes import with_shared_change
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Related
from renderer.model.kube.json import EMPTY, Json
from renderer.model.kube.resource import Resource
from renderer.model.run.limits import limits, over_limit
from renderer.model.run.taint import taint
from renderer.model.run.work import spend

#: Characters of a number, and of the characters around a value when it is written.
_NUMBER_SIZE, _PUNCTUATION_SIZE = 4, 2


#: Steps to replace a resource with another one (``model.run.work``).
_STEPS_PER_REPLACEMENT = 120
#: Keys per step. Changed mappings and lists were copied, and are compared with the previous ones.
_KEYS_PER_STEP = 2
#: Steps for the id of a resource, and for a new value.
_STEPS_PER_ID, _STEPS_PER_VALUE = 15, 3


#: Approximate characters added, and the deepest nesting reached.
Growth: TypeAlias = tuple[int, int]

_NO_GROWTH: Growth = (0, 0)
#: Marks a key that a mapping does not have.
_MISSING = object()


def growth(before: Json, after: Json) -> Growth:
    """Return the parts of ``after`` that it does not share with ``before``, as a size and a depth."""
    return _growth(before, after, {})


def _growth(before: Json, after: Json, memo: dict[int, Growth]) -> Growth:
    if before is after:
        return _NO_GROWTH
    if isinstance(after, dict):
        spend(len(after) // _KEYS_PER_STEP, "changing resources")
        old = before if isinstance(before, dict) else {}
        size = depth = 0
        for key, child in after.items():
            earlier = old.get(key, _MISSING)
            if earlier is child:
                continue
            if earlier is _MISSING:
                more, deep = _size_and_depth(child, memo)
                size += len(key) + _PUNCTUATION_SIZE
            else:
                more, deep = _growth(earlier, child, memo)
            size += more
            depth = max(depth, deep)
        return size, depth + 1
    if isinstance(after, list):
        return _element_growth(before if isinstance(before, list) else [], after, memo)
    return _scalar_size(after), 0


def _element_growth(before: list[Json], after: list[Json], memo: dict[int, Growth]) -> Growth:
    """Return the growth of a list; a changed element is most likely at its previous position."""
    spend(len(after) // _KEYS_PER_STEP, "changing resources")
    previous = set(map(id, before))
    same_length = len(before) == len(after)
    size = depth = 0
    for index, child in enumerate(after):
        if id(child) in previous:
            continue
        more, deep = _growth(before[index], child, memo) if same_length else _size_and_depth(child, memo)
        size += more + (0 if same_length else _PUNCTUATION_SIZE)
        depth = max(depth, deep)
    return size, depth + 1


def _size_and_depth(value: Json, memo: dict[int, Growth]) -> Growth:
    """Return the size and depth of a whole tree."""
    if not isinstance(value, dict | list):
        return _scalar_size(value), 0
    if id(value) not in memo:
        spend(_STEPS_PER_VALUE * len(value), "changing resources")
        size, depth = _PUNCTUATION_SIZE * len(value), 0
        if isinstance(value, dict):
            size += sum(map(len, value))
        for child in value.values() if isinstance(value, dict) else value:
            if type(child) is str:
                size += len(child)
                continue
            more, deep = _size_and_depth(child, memo)
            size += more
            depth = max(depth, deep)
        memo[id(value)] = size, depth + 1
    return memo[id(value)]


def _scalar_size(value: Json) -> int:
    return len(value) if isinstance(value, str) else _NUMBER_SIZE


class ResMap:
    """Resources in order, found by id. The one mutable value of composition, never shared between roots.

    Every resource has a key, a number that does not change if the resource is replaced. The map enforces the
    limits: the number of resources, and the amount that patches and other changes may add to them.
    """

    def __init__(self, resources: Iterable[Resource] = ()) -> None:
        self._resources = dict(enumerate(resources))
        self._next_key = len(self._resources)
        self._added = 0
        #: A patch is checked before more work is done on its result, and again when the result is stored.
        self._last_growth: tuple[Json, Json, Growth] | None = None
        self._rounded_contents: dict[int, Json] = {}
        self._by_current: dict[Identity, int] | None = None
        self._by_any: dict[Identity, list[int]] | None = None
        self._by_name: dict[str, set[int]] | None = None

    def __iter__(self) -> Iterator[Resource]:
        return iter(self._resources.values())

    def __len__(self) -> int:
        return len(self._resources)

    def __getitem__(self, key: int) -> Resource:
        return self._resources[key]

    def get(self, key: int) -> Resource | None:
        """Return the resource with the key; None if it was removed."""
        return self._resources.get(key)

    def items(self) -> tuple[tuple[int, Resource], ...]:
        return tuple(self._resources.items())

    def extend(self, resources: Iterable[Resource]) -> None:
        """Append the resources.

        Raises ``DiagnosticError``: duplicate-id if two have the same id now, build-limit if there are too
        many.
        """
        by_current, most = self._current_identities(), limits().resources
        for resource in resources:
            spend(2 * _STEPS_PER_ID, "gathering resources")
            identity = current_identity(resource)
            if identity in by_current:
                raise duplicate_id_error(self._resources[by_current[identity]], resource)
            if len(self._resources) >= most:
                raise over_limit("resources", f"there are more than {most} resources", *resource.sites())
            by_current[identity] = self._next_key
            self._resources[self._next_key] = resource
            self._add_to_indices(self._next_key, resource)
            self._next_key += 1

    def keys_of(self, identity: Identity) -> tuple[int, ...]:
        """Return the keys of the resources that have the id now or had it before."""
        if self._by_any is None:
            self._by_any = {}
            spend(2 * _STEPS_PER_ID * len(self._resources), "identifying resources")
            for key, resource in self._resources.items():
                _add_identities(self._by_any, key, resource)
        return tuple(key for key in self._by_any.get(identity, ()) if key in self._resources)

    def named(self, name: str | None) -> tuple[tuple[int, Resource], ...]:
        """Return the resources that have or had the name, each with its key; all resources for None.

        It may include a resource that had the name only before it was replaced.
        """
        if name is None:
            return self.items()
        if self._by_name is None:
            self._by_name = {}
            spend(_STEPS_PER_ID * len(self._resources), "identifying resources")
            for key, resource in self._resources.items():
                _add_names(self._by_name, key, resource)
        keys = sorted(self._by_name.get(name, ()))
        return tuple((key, self._resources[key]) for key in keys if key in self._resources)

    def replace(self, key: int, resource: Resource) -> None:
        """Replace the resource with the key; the new one is still found by the ids of the old one.

        Raises: build-limit.
        """
        spend(_STEPS_PER_REPLACEMENT, "changing resources")
        if resource.shared_fields:
            resource = with_shared_change(self._resources[key], resource)
        self._added += self.check_growth(key, resource)
        before = self._resources[key]
        if self._by_current is not None and not _has_same_identity(before, resource):
            self._by_current = None
        _taint_lost_values(before, resource)
        self._resources[key] = resource
        self._add_to_indices(key, resource)

    def check_growth(self, key: int, changed: Resource) -> int:
        """Return the number of characters that are added if ``changed`` replaces the resource with the key.

        Raises: build-limit if it is too large or nested too deeply.
        """
        most = limits()
        before, after = self._resources[key].content, changed.content
        if (
            self._last_growth is None
            or self._last_growth[0] is not before
            or self._last_growth[1] is not after
        ):
            self._last_growth = before, after, growth(before, after)
        size, depth = self._last_growth[2]
        if self._added + size > most.added_size:
            message = f"more than {most.added_size} characters are added, the last to {changed.current_id}"
            raise over_limit("added_size", message, resource=changed)
        if depth > most.nesting:
            message = f"{changed.current_id} would have more than {most.nesting} levels of nesting"
            raise over_limit("nesting", message, resource=changed)
        return size

    def note_rounded(self, key: int) -> None:
        """Record that the numbers of the resource with the key have been rounded to floats."""
        self._rounded_contents[key] = self._resources[key].content

    def rounded_content(self, key: int) -> Json:
        """Return the content of the resource when its numbers were rounded; None if they were not."""
        return self._rounded_contents.get(key)

    def remove(self, key: int) -> None:
        _taint_lost_values(self._resources.pop(key))
        self._by_current = None

    def update(self, change: Callable[[Resource], Resource]) -> None:
        """Change every resource."""
        resources: dict[int, Resource] = {}
        for key, resource in self._resources.items():
            changed = change(resource)
            if changed.shared_fields and changed is not resource:
                changed = with_shared_change(resource, changed)
            resources[key] = changed
        self._resources = resources
        self._by_current = self._by_any = self._by_name = None

    def check_ids(self) -> None:
        """Check that current ids are unique. Raises: duplicate-id."""
        self._current_identities()

    def _add_to_indices(self, key: int, resource: Resource) -> None:
        """Add the ids and names of the resource to the indices."""
        if self._by_any is not None:
            _add_identities(self._by_any, key, resource)
        if self._by_name is not None:
            _add_names(self._by_name, key, resource)

    def _current_identities(self) -> dict[Identity, int]:
        if self._by_current is None:
            self._by_current = {}
            spend(_STEPS_PER_ID * len(self._resources), "identifying resources")
            for key, resource in self._resources.items():
                other = self._by_current.setdefault(current_identity(resource), key)
                if other != key:
                    raise duplicate_id_error(self._resources[other], resource)
        return self._by_current


def _has_same_identity(one: Resource, other: Resource) -> bool:
    """Return True if kustomize considers the ids equal; few changes touch any part of them."""
    before, after = one.content, other.content
    return (
        before.get("metadata") is after.get("metadata")
        and before.get("kind") == after.get("kind")
        and before.get("apiVersion") == after.get("apiVersion")
    ) or current_identity(one) == current_identity(other)


def _taint_lost_values(before: Resource, after: Resource | None = None) -> None:
    """Record the values that a Secret has lost, because they may be elsewhere by now."""
    if before.kind == "Secret":
        taint(removed_values(before.content, after.content if after else EMPTY))


def _add_identities(index: dict[Identity, list[int]], key: int, resource: Resource) -> None:
    for identity in identities(resource):
        keys = index.setdefault(identity, [])
        if key not in keys:
            keys.append(key)


def _add_names(index: dict[str, set[int]], key: int, resource: Resource) -> None:
    for name in {resource.name, *(previous.name for previous in resource.previous_ids)}:
        index.setdefault(name, set()).add(key)


def duplicate_id_error(present: Resource, added: Resource) -> DiagnosticError:
    """Return the error for two resources with the same id."""
    return Diagnostic.about(
        added,
        None,
        Code.DUPLICATE_ID,
        f"there are two resources {added.current_id}",
        "rename one of them, or change it with a patch instead of listing it again",
        related=(Related("the other one", present.sites()),),
    ).error()
