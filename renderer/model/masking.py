"""The search for confidential values in texts for output, in time linear in the text.

There may be tens of thousands of values, all of them from a pull request: a regular expression with a branch
for each would try all of them at each character.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from renderer.model.log_line import log_line
from renderer.model.pattern import pattern

MASK = "***"

#: The minimum length of a value that is masked inside words, too.
_LONG = 4
#: The numbers of first characters by which values are looked up, in two steps.
_START, _SHOWN = 6, 24
#: Up to this many different prefixes are searched for one by one before a text is scanned.
_FEW = 32
#: The maximum number of comparisons with values of the same prefix; after that whole texts are masked.
_MOST_COMPARISONS = 2_000_000
#: The mark that messages use for an omitted rest of a text.
_CUT = "…"
#: Places are looked up in windows of this many characters. A text with more is a long one.
_WINDOW = 4096
#: The part of the places in a long text that may look like the beginning of a value; the rest of a text with
#: more is masked.
_MOST_ALIKE = 4
#: The number of long texts whose masked form is kept, as aliases repeat them, and the length of the longest.
_MOST_KEPT, _LONGEST_KEPT = 16, 1 << 20
#: Lines of confidential texts that say nothing, and that hints tell people to write.
_PUBLIC = frozenset({"#cloud-config"})
#: Texts that every format writes unchanged, except for a slash in JSON and all but these in an address.
_PLAIN = pattern(r"[\w ./+=:@,;-]*", re.ASCII)
_NOT_IN_ADDRESSES = pattern(r"[^\w.~-]", re.ASCII)
#: A longer value is no part of an address.
_LONGEST_IN_ADDRESSES = 200
#: What Go's ``encoding/json`` writes otherwise, and XML.
_IN_GO, _IN_XML = (
    str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}),
    str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}),
)


def _stars(_value: str) -> str:
    return MASK


class Masking:
    """Values that no output may repeat, and the search for them in texts.

    A value is found as it is, as formats write it (``_forms``), and where a message truncates it.
    ``inside_words``: values of fewer than four characters are found inside words, too. What ``others`` find
    is found as well: the values of a run are searched for beside those of each overlay.
    """

    def __init__(
        self, values: Iterable[str] = (), *, inside_words: bool = False, others: Sequence[Masking] = ()
    ) -> None:
        self._others = tuple(others)
        self._shortest_in_words = 0 if inside_words else _LONG
        self._known: set[str] = set()
        self._short: set[str] = set()
        self._alike: dict[str, list[str]] = {}
        self._long: dict[str, list[str]] = {}
        self._lengths: dict[str, set[int]] = {}
        self._sizes: set[int] = set()  # of the keys of _lengths
        self._comparisons = 0
        #: Masked forms of long texts, and the number of values that they are for.
        self._masked: dict[str, str] = {}
        self._masked_for = 0
        self.add(values)

    def __bool__(self) -> bool:
        return bool(self._known) or any(self._others)

    def __len__(self) -> int:
        return len(self._known) + sum(map(len, self._others))

    def add(self, values: Iterable[str]) -> None:
        """Search for these values, too. Blank values are ignored."""
        for value in values:
            if value in self._known or not value.strip() or value in _PUBLIC:
                continue
            self._known.add(value)
            for form in _forms(value):
                length = min(len(form), _SHOWN + 1)
                self._lengths.setdefault(form[:_START], set()).add(length)
                self._sizes.add(min(length, _START))
                self._alike.setdefault(form[:_START], []).append(form)
                if length <= _SHOWN:
                    self._short.add(form)
                else:
                    self._long.setdefault(form[:_SHOWN], []).append(form)

    def is_in(self, text: str) -> bool:
        """Return True if the text contains one of the values."""
        if _WINDOW <= len(text) <= _LONGEST_KEPT:
            return self.mask(text) != text
        return any(True for _ in self.spans(text))

    def values_in(self, text: str) -> Iterator[str]:
        """Yield the values in the text."""
        return (text[start:end] for start, end in self.spans(text))

    def mask(self, text: str, mask: Callable[[str], str] = _stars) -> str:
        """Return the text with each of the values replaced by ``***``, or by what ``mask`` makes of it."""
        if mask is not _stars or not _WINDOW <= len(text) <= _LONGEST_KEPT:
            return self._without_values(text, mask)
        if len(self._masked) >= _MOST_KEPT or self._masked_for != len(self):
            self._masked.clear()
            self._masked_for = len(self)
        if text not in self._masked:
            self._masked[text] = self._without_values(text, mask)
        return self._masked[text]

    def _without_values(self, text: str, mask: Callable[[str], str]) -> str:
        parts: list[str] = []
        done = 0
        for start, end in self.spans(text):
            parts += (text[done:start], mask(text[start:end]))
            done = end
        return "".join((*parts, text[done:])) if parts else text

    def spans(self, text: str) -> Iterable[tuple[int, int]]:
        """Return the start and end of each value in the text; one for values that overlap."""
        if not self._others:
            return self._own_spans(text)
        found: list[tuple[int, int]] = []
        for start, end in sorted(chain(self._own_spans(text), *(each.spans(text) for each in self._others))):
            if found and start < found[-1][1]:
                found[-1] = found[-1][0], max(end, found[-1][1])
            else:
                found.append((start, end))
        return found

    def _own_spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each value in the text, the longest first if several start there."""
        if len(self._lengths) <= _FEW and not any(start in text for start in self._lengths):
            return
        sizes = sorted(self._sizes, reverse=True)
        done = alike = 0
        most_alike = _WINDOW + len(text) // _MOST_ALIKE
        for position in self._places(text, sizes):
            if position < done:
                continue
            alike += 1
            if self._comparisons > _MOST_COMPARISONS or alike > most_alike:
                yield position, len(text)
                return
            end = max(self._end(text, position, size) for size in sizes)
            if end:
                yield position, end
                done = end

    def _places(self, text: str, sizes: Sequence[int]) -> Iterator[int]:
        """Yield the places that have the first characters of a value, ``sizes`` of them."""
        starts = self._lengths
        for window in range(0, len(text), _WINDOW):
            places = range(window, min(window + _WINDOW, len(text)))
            found = [[place for place in places if text[place : place + size] in starts] for size in sizes]
            yield from found[0] if len(found) == 1 else sorted(set().union(*found))

    def _end(self, text: str, position: int, size: int) -> int:
        """Return the end of the longest value here, looked up by its first ``size`` characters; 0 if none."""
        lengths = self._lengths.get(text[position : position + size])
        if not lengths:
            return 0
        if max(lengths) > _SHOWN and (end := self._end_of_long(text, position)):
            return end
        for length in sorted(lengths, reverse=True):
            end = position + length
            if text[position:end] in self._short and (
                length >= self._shortest_in_words or _is_word(text, position, end)
            ):
                return end
        return self._end_of_cut(text, position)

    def _end_of_cut(self, text: str, position: int) -> int:
        """Return the end of the start of a value here, if a message truncates it; 0 if there is none."""
        cut = text.find(_CUT, position, position + _SHOWN + 1)
        alike = self._alike.get(text[position : position + _START]) if cut >= 0 else None
        if not alike:
            return 0
        begun = text[position:cut].removesuffix(" ")
        self._comparisons += len(alike)
        return cut + 1 if any(form.startswith(begun) for form in alike) else 0

    def _end_of_long(self, text: str, position: int) -> int:
        alike = self._long.get(text[position : position + _SHOWN])
        if not alike:
            return 0
        self._comparisons += len(alike)
        end = max((position + len(form) for form in alike if text.startswith(form, position)), default=0)
        if end:
            return end
        self._comparisons += (len(text) - position) // _START
        cut, line_end = text.find(_CUT, position), text.find("\n", position)
        return cut + 1 if cut >= 0 and not 0 <= line_end < cut else 0


#: No values.
NOTHING = Masking()


def _is_word(text: str, start: int, end: int) -> bool:
    around = text[start - 1 : start] + text[end : end + 1]
    return not any(character.isalnum() or character == "_" for character in around)


def _forms(value: str) -> set[str]:
    """Return the value as it is, as JSON, Python, YAML and XML quote it, and as addresses encode it."""
    forms = {value, value.replace("/", "\\/")}
    if len(value) <= _LONGEST_IN_ADDRESSES:
        forms.add(_NOT_IN_ADDRESSES.sub(_percent_encoded, value))
    if _PLAIN.fullmatch(value):
        return forms
    import json  # noqa: PLC0415 - few values need it

    as_json = json.dumps(value, ensure_ascii=False)[1:-1]
    return forms | {
        as_json,
        as_json.translate(_IN_GO),
        value.translate(_IN_XML),
        json.dumps(value)[1:-1],
        repr(value)[1:-1],
        value.replace("'", "''"),
        log_line(value),
    }


def _percent_encoded(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "surrogatepass"))
