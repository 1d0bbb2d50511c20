"""Two versions of a file as a unified diff: bounded, and safe to print."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import islice, takewhile
from typing import TypeAlias

from renderer.model.log_line import log_line
from renderer.model.masking import MASK

#: An opcode of ``SequenceMatcher``: tag, start and end before, start and end after.
_Change: TypeAlias = tuple[str, int, int, int, int]

_CONTEXT = 3
_LONGEST = 300  # lines
#: With more differing lines, the comparison would take too long.
_COMPARABLE = 2000
#: The text before a value in a line of YAML.
_KEY = re.compile(r"\s*(?:- )*[A-Za-z0-9._/-]+:(?=\s|$)")
#: Lines of an object that hold no value.
_PUBLIC = re.compile(r"---|(apiVersion|kind|type): [\w./-]+|(data|metadata|spec|stringData):")
_NO_NEWLINE = "\n\\ No newline at end of file"


def unified_diff(
    path: str, before: bytes | None, after: bytes | None, shown: Callable[[str], str] = str
) -> str:
    """Return the diff that turns ``before`` into ``after`` (None for no file); empty if they are equal.

    They have no confidential values. ``shown`` returns a line as it is shown. Of lines that change together
    with a masked one, only the keys are shown.
    """
    if before == after:
        return ""
    old, new = _lines(before or b""), _lines(after or b"")
    old_shown, new_shown = _printable(map(shown, old)), _printable(map(shown, new))
    diff = list(islice(_hunks(old, new, old_shown, new_shown), _LONGEST + 1))
    if len(diff) > _LONGEST:
        diff[_LONGEST:] = ["(the rest is left out)"]
    old_name, new_name = ("/dev/null" if content is None else log_line(path) for content in (before, after))
    return "".join(f"{line}\n" for line in (f"--- {old_name}", f"+++ {new_name}", *diff))


def first_difference(before: bytes, after: bytes) -> int:
    """Return the number, from 1, of the first line that differs."""
    return _common(_lines(before), _lines(after)) + 1


def _lines(content: bytes) -> list[str]:
    *lines, last = content.decode("utf-8", "backslashreplace").split("\n")
    return [*lines, f"{last}{_NO_NEWLINE}"] if last else lines


def _printable(lines: Iterable[str]) -> list[str]:
    """Return the lines made printable; ``_NO_NEWLINE`` is on a line of its own."""
    return ["\n".join(map(log_line, line.split("\n"))) for line in lines]


def _hunks(
    old: Sequence[str], new: Sequence[str], old_shown: Sequence[str], new_shown: Sequence[str]
) -> Iterator[str]:
    """Yield the lines of the hunks; ``old_shown`` and ``new_shown`` are ``old`` and ``new`` after masking."""
    for hunk in _changes(old, new):
        (_, old_start, _, new_start, _), (_, _, old_end, _, new_end) = hunk[0], hunk[-1]
        yield f"@@ -{_range(old_start, old_end)} +{_range(new_start, new_end)} @@"
        for tag, old_from, old_to, new_from, new_to in hunk:
            if tag == "equal":
                yield from (f" {line}" for line in new_shown[new_from:new_to])
            else:
                removed, added = old_shown[old_from:old_to], new_shown[new_from:new_to]
                was_masked, is_masked = (any(MASK in line for line in side) for side in (removed, added))
                if was_masked or is_masked:  # an old value is as confidential as what it was next to
                    shown = _without_values(removed, added)
                    added = _without_values(added, removed) if was_masked else added
                    removed = shown
                yield from (f"-{line}" for line in removed)
                yield from (f"+{line}" for line in added)


def _without_values(lines: Sequence[str], other: Sequence[str]) -> list[str]:
    """Return the lines with only their keys, if ``other`` has them too: a value may look like a key."""
    known = {key[0] for key in map(_KEY.match, other) if key}
    masked = {key[0] for line in other if MASK in line and (key := _KEY.match(line))}

    def without_value(line: str) -> str:
        key = _KEY.match(line)
        if line == MASK or (_PUBLIC.fullmatch(line) and not (key and key[0] in masked)):
            return line
        return f"{key[0]} {MASK}" if key and key[0] in known else MASK

    return list(map(without_value, lines))


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[list[_Change]]:
    """Yield hunks as ``SequenceMatcher.get_grouped_opcodes`` does, comparing only what differs."""
    skipped = max(0, _common(old, new) - _CONTEXT)
    left_out = max(0, _common(old[:skipped:-1], new[:skipped:-1]) - _CONTEXT)
    old, new = old[skipped : len(old) - left_out], new[skipped : len(new) - left_out]
    if max(len(old), len(new)) > _COMPARABLE:
        hunks: Iterator[list[_Change]] = iter([[("replace", 0, len(old), 0, len(new))]])
    else:
        hunks = iter(SequenceMatcher(None, old, new).get_grouped_opcodes(_CONTEXT))
    for hunk in hunks:
        yield [
            (tag, old_from + skipped, old_to + skipped, new_from + skipped, new_to + skipped)
            for tag, old_from, old_to, new_from, new_to in hunk
        ]


def _range(start: int, end: int) -> str:
    length = end - start
    first = start + 1 if length else start
    return str(first) if length == 1 else f"{first},{length}"


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the number of equal lines at the beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
