"""The search for confidential values in texts for output, in time linear in the text.

There may be tens of thousands of values, all of them from a pull request: a regular expression with a branch
for each would try all of them at each character.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from renderer.model.encoded_text import bytes_of_base64, text_in
from renderer.model.escaped_text import Unescaped, unescaped
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
#: The length of a value that may be sent as a part of an address.
_LONGEST_SENT = 256
#: The mark that messages use for an omitted rest of a text.
_CUT = "…"
#: Places are looked up in windows of this many characters. A text with more is a long one.
_WINDOW = 4096
#: The part of the places in a long text that may look like the beginning of a value; the rest of a text with
#: more is masked.
_MOST_ALIKE = 4
#: The number of long texts whose masked form is kept, as aliases repeat them, and the length of the longest.
_MOST_KEPT, _LONGEST_KEPT = 16, 1 << 20
#: What may be base64 of a text with a value, also on several lines. Base64 in base64 is read, and no more.
_BASE64 = pattern(r"(?:[A-Za-z0-9+/]{60,76}\s{1,20}+)++[A-Za-z0-9+/]{4,}+={0,2}|[A-Za-z0-9+/_-]{10,}+={0,2}")
_DEEPEST = 2
#: The number of short texts of which is kept whether they have a value, as the variables of many objects are
#: the same, and the length of the longest.
_MOST_ASKED, _LONGEST_ASKED = 8192, 256
#: Lines of confidential texts that say nothing, and that hints tell people to write.
_PUBLIC = frozenset({"#cloud-config"})


def _stars(_value: str) -> str:
    return MASK


class Masking:
    """Values that no output may repeat, and the search for them in texts.

    A value is found as it is, with any escapes (``escaped_text``), and where a message truncates it. Base64
    of a text with a value is one as a whole.
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
        #: Short texts that have one of the values or none, and the number of values that this is for.
        self._asked: dict[str, bool] = {}
        self._asked_for = 0
        self.add(values)

    def __bool__(self) -> bool:
        return bool(self._known) or (bool(self._others) and any(self._others))

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
        if len(text) > _LONGEST_ASKED:
            return any(True for _ in self.spans(text))
        if self._asked_for != len(self) or len(self._asked) >= _MOST_ASKED:
            self._asked, self._asked_for = {}, len(self)
        known = self._asked.get(text)
        if known is None:
            known = self._asked[text] = any(True for _ in self.spans(text))
        return known

    def values_in(self, text: str) -> Iterator[str]:
        """Yield the values in the text."""
        return (text[start:end] for start, end in self._spans(text))

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
        merged: list[tuple[int, int]] = []
        for start, end in self._spans(text):
            if merged and start < merged[-1][1]:
                merged[-1] = merged[-1][0], max(end, merged[-1][1])
            else:
                merged.append((start, end))
        return merged

    def _spans(self, text: str, depth: int = _DEEPEST) -> Sequence[tuple[int, int]]:
        """Return the start and end of each value in the text, in order; they may overlap."""
        if not self:
            return ()
        found = {*self._spans_as_written(text), *self._spans_of_base64(text, depth)}
        levels: list[Unescaped] = []
        for level in unescaped(text):
            levels.insert(0, level)
            for start, end in (
                *self._spans_as_written(level.text),
                *self._spans_of_base64(level.text, depth),
            ):
                written = start, end
                for each in levels:
                    written = each.span(*written)
                found.add(written)
        return sorted(found)

    def _spans_of_base64(self, text: str, depth: int) -> Iterator[tuple[int, int]]:
        """Yield the start and end of what is base64 of a text with a value."""
        for encoded in _BASE64.finditer(text) if depth else ():
            if self._spans(text_in(bytes_of_base64(encoded[0])), depth - 1):
                yield encoded.span()

    def _spans_as_written(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each value that the text has without escapes."""
        yield from self._own_spans(text)
        for each in self._others:
            yield from each._spans_as_written(text)  # noqa: SLF001 - of the same class

    def _own_spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each value in the text; the longest one if several start there.

        A value that begins inside of another one is one if it ends after it. In a long row of dashes, or
        another text that repeats itself, it is not looked for at each of them.
        """
        if len(self._lengths) <= _FEW and not any(start in text for start in self._lengths):
            return
        sizes = sorted(self._sizes, reverse=True)
        begin = done = alike = 0
        most_alike = _WINDOW + len(text) // _MOST_ALIKE
        for position in self._places(text, sizes):
            if position >= done:
                alike += 1
            elif text[position : position + _SHOWN] == text[begin : begin + _SHOWN]:
                continue
            if self._comparisons > _MOST_COMPARISONS or alike > most_alike:
                yield position, len(text)
                return
            end = max(self._end(text, position, size) for size in sizes)
            if end > done:
                yield position, end
                begin, done = position, end

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
        return self._end_of_cut(
            text, position, self._alike.get(text[position : position + _START], ()), _SHOWN
        )

    def _end_of_long(self, text: str, position: int) -> int:
        """Return the end of the longest value here, looked up by its first characters; 0 if none."""
        alike = self._long.get(text[position : position + _SHOWN])
        if not alike:
            return 0
        self._comparisons += len(alike)
        end = max((position + len(form) for form in alike if text.startswith(form, position)), default=0)
        return end or self._end_of_cut(text, position, alike, max(map(len, alike)))

    def _end_of_cut(self, text: str, position: int, alike: Sequence[str], most: int) -> int:
        """Return the end of the start of a value here, if a message truncates it; 0 if there is none."""
        end = min(position + most + 2, len(text))
        cut = text.find(_CUT, position, end) if alike else -1
        self._comparisons += len(alike) + (end - position) // _START
        if cut < 0:
            return 0
        begun = text[position:cut].removesuffix(" ")
        return cut + 1 if any(form.startswith(begun) for form in alike) else 0


#: No values.
NOTHING = Masking()


def _is_word(text: str, start: int, end: int) -> bool:
    around = text[start - 1 : start] + text[end : end + 1]
    return not any(character.isalnum() or character == "_" for character in around)


def _forms(value: str) -> set[str]:
    """Return the value as it is, without what is an escape in some format, and as a form is sent."""
    sent = value.replace(" ", "+") if len(value) <= _LONGEST_SENT else value
    return {value, sent, *(form for level in unescaped(value) if len(form := level.text.strip()) >= _LONG)}
