"""Names that are probably mistyped: how far one name is from another, and whether a typo explains it."""

from __future__ import annotations

from renderer.model.pattern import pattern
from renderer.model.run.work import spend

_SEPARATORS = pattern(r"[-._]")
_DIGITS = pattern(r"\d+")
_SHORTEST_SWAPPED = 3
_SHORTEST_WORD = 4  # shorter words may well be different on purpose: prod and prd, a and b
_LONG_WORD = 6
_FAR = 3  # a distance that is too large for a typo
_LONGEST_WORD = 253  # the maximum length of a name in a cluster
_STEPS_PER_LETTER = 12  # of ``model.run.work``
_MOST_LETTERS = 3  # that a typo adds or drops


def numbers_of(name: str) -> tuple[str, ...]:
    """Return the numbers in a name: names with different numbers differ on purpose, and are not a mistake."""
    return tuple(_DIGITS.findall(name))


def is_near_miss(written: str, intended: str) -> bool:
    """Return True if ``written`` is probably a typo of ``intended``: databse-root for database-root.

    Names that differ in a number or a short word differ on purpose.
    """
    if written == intended or abs(len(written) - len(intended)) > _MOST_LETTERS:
        return False
    if numbers_of(written) != numbers_of(intended):
        return False
    words, intended_words = _SEPARATORS.split(written), _SEPARATORS.split(intended)
    if len(words) != len(intended_words):
        return "".join(words) == "".join(intended_words)
    pairs = [(one, other) for one, other in zip(words, intended_words, strict=True) if one != other]
    return not pairs or (len(pairs) == 1 and _is_mistyped(*pairs[0]))


def _is_mistyped(word: str, intended: str) -> bool:
    if word in (f"{intended}s", intended.removesuffix("s")) and len(intended) > 1:
        return True
    shorter = min(len(word), len(intended))
    if shorter >= _SHORTEST_SWAPPED and sorted(word) == sorted(intended):
        return _distance(word, intended) == 1
    if max(len(word), len(intended)) > _LONGEST_WORD:
        return False
    return shorter >= _SHORTEST_WORD and _distance(word, intended) <= (1 if shorter < _LONG_WORD else 2)


def _distance(word: str, other: str) -> int:
    """Return the number of letters to insert, remove, change or swap with their neighbour, up to ``_FAR``.

    This is the optimal string alignment distance. Only the cells near the diagonal of its table are filled:
    beyond them the distance is at least ``_FAR``.
    """
    if abs(len(word) - len(other)) >= _FAR:
        return _FAR
    spend(len(word) * _STEPS_PER_LETTER, "comparing names that may be mistyped")
    last, before = [_FAR] * (len(other) + 1), [min(j, _FAR) for j in range(len(other) + 1)]
    for i, letter in enumerate(word, 1):
        row = [_FAR] * (len(other) + 1)
        row[0] = min(i, _FAR)
        for j in range(max(1, i - _FAR + 1), min(len(other), i + _FAR - 1) + 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other[j - 1]), _FAR)
            if i > 1 and j > 1 and letter == other[j - 2] and word[i - 2] == other[j - 1]:
                cost = min(cost, last[j - 2] + 1)
            row[j] = cost
        if (
            min(row[max(0, i - _FAR + 1) : i + _FAR]) == _FAR
            and min(before[max(0, i - _FAR) : i + _FAR]) == _FAR
        ):
            return _FAR
        last, before = before, row
    return before[-1]
