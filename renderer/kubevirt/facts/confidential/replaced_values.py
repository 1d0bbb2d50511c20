"""Which fields a reference to a Secret replaces: their values are most likely what the Secret has now.

To move a password into a Secret, people write ``valueFrom`` in place of ``value``, ``envFrom`` in place of
``env``, ``substituteFrom`` in place of ``substitute``, or ``passwordSecretRef`` in place of ``password``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from renderer.kubevirt.facts.confidential.fields import is_reference_to_secret, is_value_key
from renderer.kubevirt.facts.kinds import SECRET
from renderer.model.kube.json import Json, JsonObject
from renderer.model.pattern import pattern

#: The levels below a field on which it may refer to a Secret: ``valueFrom`` has a ``secretKeyRef``, ``pin``
#: a ``valueFrom`` with one.
_DEEPEST = 3
#: What the name of a reference has more than the name of a value.
_OF_REFERENCE = pattern(r"(?i)(?:[-_]?(?:from|key|name|ref|reference|secret|selector|value))+")


def new_references(versions: Iterable[Json]) -> Collection[str]:
    """Return the keys of a mapping that refer to a Secret in some of its versions, and not in all."""
    known = [_references(each) if isinstance(each, dict) else {} for each in versions]
    keys = {key for each in known for key in each}
    return [key for key in keys if any(each.get(key) != known[0].get(key) for each in known)]


def may_replace(reference: str, key: str, *, is_value: bool) -> bool:
    """Return True if the field ``reference`` may be there in place of the field ``key`` beside it.

    ``is_value``: the key is that of the value itself, not of a mapping or list around it.
    """
    if is_value and is_value_key(key):
        return True
    is_longer = reference.lower().startswith(key.lower())
    return is_longer and _OF_REFERENCE.fullmatch(reference[len(key) :]) is not None


def _references(mapping: JsonObject) -> Mapping[str, Sequence[JsonObject]]:
    """Return the references to Secrets in each entry of a mapping that has one."""
    found = {
        key: [*_references_in(key, child, _DEEPEST)]
        for key, child in mapping.items()
        if isinstance(child, dict | list)
    }
    return {key: references for key, references in found.items() if references}


def _references_in(key: str, value: Json, depth: int) -> Iterator[JsonObject]:
    if isinstance(value, list):
        for each in value:
            yield from _references_in(key, each, depth - 1) if depth and isinstance(each, dict) else ()
    elif isinstance(value, dict):
        if is_reference_to_secret(key) or value.get("kind") == SECRET:
            yield value
        elif depth:
            for name, child in value.items():
                yield from _references_in(name, child, depth - 1)
