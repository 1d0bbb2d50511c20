"""Names that are probably mistyped: how far one name is from another, and whether a typo explains it."""

from __future__ import annotations

from renderer.model.pattern import pattern
from renderer.model.run.work import spend

_SEPARATORS = pattern(r"[-._]")
_DIGITS = pattern(r"\d+")
_VOWELS = pattern(r"[aeiou]")
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


def is_slip(written: str, intended: str) -> bool:
    """Return True if ``written`` is ``intended`` with a letter missing or doubled, or two letters swapped.

    Such names are hardly ever different on purpose, even if the intended name has other users.
    """
    words, intended_words = _SEPARATORS.split(written), _SEPARATORS.split(intended)
    pairs = [pair for pair in zip(words, intended_words, strict=False) if pair[0] != pair[1]]
    if not is_near_miss(written, intended) or len(words) != len(intended_words) or len(pairs) != 1:
        return False
    word, other = pairs[0]
    if sorted(word) == sorted(other):
        return len(word) >= _SHORTEST_WORD
    is_letter_off = abs(len(word) - len(other)) == 1 and _distance(word, other) == 1
    is_plural = f"{word}s" == other or word == f"{other}s"
    return is_letter_off and not is_plural and min(len(word), len(other)) >= _SHORTEST_WORD


def _is_mistyped(word: str, intended: str) -> bool:
    if word in (f"{intended}s", intended.removesuffix("s")) and len(intended) > 1:
        return True
    shorter = min(len(word), len(intended))
    if shorter >= _SHORTEST_SWAPPED and sorted(word) == sorted(intended):
        return _distance(word, intended) == 1
    if max(len(word), len(intended)) > _LONGEST_WORD:
        return False
    if shorter < _SHORTEST_WORD:
        return shorter >= _SHORTEST_SWAPPED and _has_lost_letter(word, intended)
    return _distance(word, intended) <= (1 if shorter < _LONG_WORD else 2)


def _has_lost_letter(word: str, intended: str) -> bool:
    """Return True if a letter of a short word is missing: dta for data.

    A word without all its vowels is an abbreviation: prd for prod.
    """
    short, long = sorted((word, intended), key=len)
    if len(long) != len(short) + 1 or short == _VOWELS.sub("", long):
        return False
    return _distance(short, long) == 1


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
