"""Recognise the keys of confidential values, also misspelt: what was meant decides.

Two words are taken for the same if they are equal once a letter or two is left out of each. This finds
letters that are missing, added, swapped or wrong. Case, dashes, dots and underscores are ignored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from renderer.kubevirt.facts.confidential.fields import (
    CONFIDENTIAL_KEYS_OF_TEXT,
    EXTRA_HEADERS,
    SECRET_GENERATOR,
    SECTIONS,
)
from renderer.kubevirt.facts.confidential.meant_kinds import means_secret, without_letters
from renderer.model.kube.json import Json
from renderer.model.record import Record

#: The field of a generator whose entries are values: ``key=value``.
LITERALS = "literals"
_IGNORED = str.maketrans("", "", "-_.")
#: Names of other fields that differ by a letter or two from a confidential key.
_OTHER_FIELDS = frozenset({"date", "internal", "interval"})
#: A key of at least this many letters is recognised with two letters left out; a shorter one with one.
_LONG = 8
_LONGEST = 60
#: The last part of an annotation that is long enough to be recognised without its domain.
_SHORTEST_PART = 10


@lru_cache(maxsize=8192)  # several rules ask for each key
def meant_key(word: str | None) -> str | None:
    """Return the confidential key that a key of a text is, or that it is probably meant to be."""
    if word is None or len(word) > _LONGEST:
        return None
    part = word.rpartition("/")[2]
    return _meant_key(word) or (_meant_key(part) if _SHORTEST_PART <= len(part) < len(word) else None)


def means_generator(kind: Json) -> bool:
    """Return True for the kind ``SecretGenerator``, which may be misspelt as the key of such generators."""
    return isinstance(kind, str) and meant_key(kind) == SECRET_GENERATOR


def has_values_of_secret(kind: Json) -> bool:
    """Return True for the kind of an object that holds the values of a Secret: it, or its generator."""
    return means_secret(kind) or means_generator(kind)


def _meant_key(word: str) -> str | None:
    plain = _plain(word)
    if plain in _OTHER_FIELDS:
        return None
    letters, shortened = frozenset(plain), frozenset[str]()
    for known in _known_words().get(len(plain), ()):
        if plain == known.plain:
            return known.key
        most = known.most_left_out
        if len(known.letters - letters) <= most and len(letters - known.letters) <= most:
            shortened = shortened or without_letters(plain, 2)
            if any(len(plain) - len(form) <= most for form in shortened & without_letters(known.plain, most)):
                return known.key
    return None


class _Known(Record):
    """A word that means a confidential key: ``plain`` without case and signs."""

    key: str
    plain: str
    letters: frozenset[str]

    @property
    def most_left_out(self) -> int:
        return 2 if len(self.plain) >= _LONG else 1


@lru_cache(maxsize=1)
def _known_words() -> Mapping[int, Sequence[_Known]]:
    """Return what a word of each length may mean."""
    keys = (*CONFIDENTIAL_KEYS_OF_TEXT, *SECTIONS, LITERALS, EXTRA_HEADERS)
    parts = [(part, key) for key in keys for part in [key.rpartition("/")[2]] if len(part) >= _SHORTEST_PART]
    words = dict([*parts, *((key, key) for key in keys)])
    by_length: dict[int, list[_Known]] = {}
    for word, key in words.items():
        known = _Known(key, _plain(word), frozenset(_plain(word)))
        length, most = len(known.plain), known.most_left_out
        for near in range(length - most, length + most + 1):
            by_length.setdefault(near, []).append(known)
    return by_length


def _plain(word: str) -> str:
    return word.lower().translate(_IGNORED)
