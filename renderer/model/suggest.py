"""Suggestions for a mistyped word: the nearest known words."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable
from itertools import islice
from typing import TypeVar

from renderer.model.run.work import may_suggest
from renderer.model.text_enum import TextEnum

E = TypeVar("E", bound=TextEnum)

#: Longer words are compared only for equality, and further words are skipped: the cost of a suggestion is
#: bounded for any repository. The cost of all suggestions of a run is bounded, too (``model.run.work``).
_LONGEST_WORD = 200
_MOST_WORDS = 2_000
#: Words that are less similar than the nearest by more than this are not suggested.
_AS_NEAR = 0.06


def suggest(word: str, known: Iterable[str], *, most: int = 3, cutoff: float = 0.6) -> tuple[str, ...]:
    """Return up to ``most`` words of ``known`` that resemble ``word``, the nearest first.

    A word that differs only in upper and lower case is the only suggestion; so is the only word that goes on
    where several words joined by dashes end: ``duplicate-mac-address`` for ``duplicate-mac``.
    """
    words = list(islice(known, _MOST_WORDS))
    if not may_suggest(len(words)):
        return ()
    same = [each for each in words if each.lower() == word.lower()]
    if same:
        return tuple(same[:most])
    longer = [each for each in words if each.startswith(f"{word}-")]
    if len(longer) == 1 and "-" in word:
        return tuple(longer)
    if len(word) > _LONGEST_WORD:
        return ()
    from difflib import SequenceMatcher, get_close_matches  # noqa: PLC0415 - only needed when something is wrong

    short = [each for each in words if len(each) <= _LONGEST_WORD]
    # difflib compares every character of a word with every one of the other, and again the remaining ones.
    if not may_suggest(sum(1 + len(word) * len(each) // 5 for each in short)):
        return ()
    nearest = get_close_matches(word, short, n=most, cutoff=cutoff)
    if len(nearest) <= 1:
        return tuple(nearest)
    matcher = SequenceMatcher(b=word)
    ratios: list[float] = []
    for each in nearest:
        matcher.set_seq1(each)
        ratios.append(matcher.ratio())
    return tuple(each for each, ratio in zip(nearest, ratios, strict=True) if ratio >= ratios[0] - _AS_NEAR)


def did_you_mean(
    word: str, known: Iterable[str], *, most: int = 3, otherwise: str | None = None
) -> str | None:
    """Return the hint ``did you mean a or b?``, or ``otherwise`` if no known word resembles ``word``."""
    nearest = suggest(word, known, most=most)
    return f"did you mean {' or '.join(nearest)}?" if nearest else otherwise


def member_named(enum: type[E], text: str, noun: str, otherwise: str | None = None) -> E:
    """Return the member of ``enum`` with the value ``text``.

    Raises ``ValueError`` with the nearest values. If no value resembles ``text``, the message ends with
    ``otherwise``, by default a list of all values.
    """
    values = [each.value for each in enum]
    if text not in values:
        otherwise = otherwise or f"the {noun}s are {', '.join(values)}"
        raise ValueError(f"there is no {noun} {text!r}; {did_you_mean(text, values, otherwise=otherwise)}")
    return enum(text)


def suggest_paths(path: str, names: Callable[[str], Iterable[str]]) -> tuple[str, ...]:
    """Return the paths that resemble ``path``, which does not exist; ``names`` lists a folder.

    Each folder on the path may be mistyped as well; a path whose rest does not exist there has no suggestion.
    """
    folder = "/" if path.startswith("/") else ""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    for index, part in enumerate(parts):
        if part == "..":
            folder = posixpath.join(folder, part)
            continue
        known = tuple(names(folder or "."))
        is_last = index == len(parts) - 1
        near = (part,) if part in known else suggest(part, known, most=3 if is_last else 1)
        if is_last or not near:
            return tuple(posixpath.join(folder, each) for each in near)
        folder = posixpath.join(folder, near[0])
    return ()
