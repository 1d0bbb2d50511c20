"""Whether a name is another one mistyped, and not simply another one."""

from __future__ import annotations

import re

_SEPARATORS = re.compile(r"[-._]")
_DIGITS = re.compile(r"\d+")
_SHORTEST_WORD = 4  # shorter words are as likely to be meant: prod and prd, a and b
_LONG_WORD = 6
_MOST = 3  # letters that a slip adds or drops


def numbers_of(name: str) -> tuple[str, ...]:
    """What two names have to share to be mistaken for each other: those of others differ on purpose."""
    return tuple(_DIGITS.findall(name))


def is_near_miss(written: str, meant: str) -> bool:
    """``web-cloud-init`` for web-cloudinit, ``databse-root`` for database-root.

    Names that differ in a number or a short word are different on purpose.
    """
    if written == meant or abs(len(written) - len(meant)) > _MOST or numbers_of(written) != numbers_of(meant):
        return False
    words, meant_words = _SEPARATORS.split(written), _SEPARATORS.split(meant)
    if len(words) != len(meant_words):
        return "".join(words) == "".join(meant_words)
    pairs = [(one, other) for one, other in zip(words, meant_words, strict=True) if one != other]
    return not pairs or (len(pairs) == 1 and _is_mistyped(*pairs[0]))


def _is_mistyped(word: str, meant: str) -> bool:
    shorter = min(len(word), len(meant))
    return shorter >= _SHORTEST_WORD and _distance(word, meant) <= (1 if shorter < _LONG_WORD else 2)


def _distance(word: str, other: str) -> int:
    """Letters to insert, remove, change or swap with their neighbour (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(word, 1):
        before, last, row = row, before, [i]
        for j, other_letter in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other_letter))
            if i > 1 and j > 1 and letter == other[j - 2] and word[i - 2] == other_letter:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]
