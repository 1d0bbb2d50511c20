"""``fmt.Sprintf`` (``fmt/print.go``, ``fmt/format.go``).

Memory addresses (``%p`` of a list or map), Go syntax (``%#v``) and floats in hexadecimal are refused.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from renderer.golang.template.cost import charge, charge_text, check_depth
from renderer.golang.template.errors import GoTemplateError
from renderer.golang.template.strconv import quote, quote_rune, rune
from renderer.golang.template.values import go_float, is_nil, type_name

#: A larger width or precision is an error in Go.
_TOO_LARGE = 1_000_000
_FLAGS = "#0+- "
_DIGITS = frozenset("0123456789")
_BASES = {"v": "d", "d": "d", "b": "b", "o": "o", "O": "o", "x": "x", "X": "X"}
_PREFIXES = {"b": "0b", "x": "0x", "X": "0X", "o": "0", "O": "0o"}
_PREFIXED_WITHOUT_SHARP = "O"
_SHORTEST_INDEX = 3
_SHORTEST_UNICODE = 4


class _Format(NamedTuple):
    """What is between ``%`` and the verb."""

    flags: str
    width: int | None = None
    precision: int | None = None

    def pad(self, text: str, *, zeros: bool = True) -> str:
        """Return the text in the width; zeros are allowed to the left only."""
        width = self.width or 0
        charge_text(max(width, len(text)))
        if "-" in self.flags:
            return text.ljust(width)
        return text.rjust(width, "0" if zeros and "0" in self.flags else " ")

    def truncate(self, text: str) -> str:
        return text if self.precision is None else text[: self.precision]

    def truncate_bytes(self, text: str) -> bytes:
        return text.encode(errors="replace")[: self.precision]

    @property
    def sign(self) -> str:
        """The sign of numbers that are not negative."""
        return "+" if "+" in self.flags else " " if " " in self.flags else ""


def sprintf(text: str, *values: object) -> str:
    """Return ``text`` with its verbs replaced by the values."""
    return "".join(_Printer(text, values).parts())


class _Printer:
    """``doPrintf``; ``at`` is the place in the text, ``next`` the argument for the next verb."""

    def __init__(self, text: str, values: tuple[object, ...]) -> None:
        self._text = text
        self._values = values
        self._at = 0
        self._next = 0
        self._bracket = -1
        self._is_reordered = False
        self._is_good_index = True

    def parts(self) -> list[str]:
        parts: list[str] = []
        while self._at < len(self._text):
            start = self._text.find("%", self._at)
            if start < 0:
                parts.append(self._text[self._at :])
                break
            parts.append(self._text[self._at : start])
            self._at = start + 1
            self._verb(parts)
        if not self._is_reordered and self._next < len(self._values):
            extra = (_typed(value, _Format("")) for value in self._values[self._next :])
            parts.append(f"%!(EXTRA {', '.join(extra)})")
        charge_text(sum(map(len, parts)))
        return parts

    def _verb(self, parts: list[str]) -> None:
        charge(1)
        self._is_good_index = True
        start = self._at
        while self._at < len(self._text) and self._text[self._at] in _FLAGS:
            self._at += 1
        flags = self._text[start : self._at]
        after_index = self._index()
        if self._accept("*"):
            width = self._integer_argument()
            if width is None:
                parts.append("%!(BADWIDTH)")
            elif width < 0:
                flags, width = f"{flags}-", -width
            after_index = False
        else:
            width = self._number(len(self._text))
            self._is_good_index &= not (after_index and width is not None)
        precision = None
        if self._at + 1 < len(self._text) and self._accept("."):
            self._is_good_index &= not after_index
            after_index = self._index()
            if self._accept("*"):
                precision = self._integer_argument()
                if precision is None or precision < 0:
                    precision = None
                    parts.append("%!(BADPREC)")
                after_index = False
            else:
                precision = self._number(len(self._text)) or 0
        if not after_index:
            self._index()
        if self._at >= len(self._text):
            parts.append("%!(NOVERB)")
            return
        verb = self._text[self._at]
        self._at += 1
        parts.append(self._written(verb, _Format(flags, width, precision)))

    def _written(self, verb: str, form: _Format) -> str:
        if verb == "%":
            return "%"
        if not self._is_good_index:
            return f"%!{verb}(BADINDEX)"
        if self._next >= len(self._values):
            return f"%!{verb}(MISSING)"
        value = self._values[self._next]
        self._next += 1
        if verb in "vw":
            if "#" in form.flags:
                raise GoTemplateError(f"the format %#{verb} is not supported")
            form = form._replace(flags=form.flags.replace("+", ""))
        if verb == "w":  # for errors, which templates do not have
            return f"%!w({_typed(value, form)})"
        return _formatted(verb, value, form, 0)

    def _accept(self, character: str) -> bool:
        found = self._text.startswith(character, self._at)
        self._at += found
        return found

    def _number(self, end: int) -> int | None:
        """Return the digits at this place as a number (``parsenum``); one that is too large ends the text."""
        number = None
        while self._at < end and self._text[self._at] in _DIGITS:
            if (number or 0) > _TOO_LARGE:
                self._at = end
                return None
            number = 10 * (number or 0) + int(self._text[self._at])
            self._at += 1
        return number

    def _index(self) -> bool:
        """Read an index as in ``%[1]d``; return False if there is none (``argNumber``)."""
        if not self._text.startswith("[", self._at):
            return False
        self._is_reordered = True
        start = self._at
        if self._bracket <= start:
            found = self._text.find("]", start)
            self._bracket = found if found >= 0 else len(self._text)
        if self._bracket == len(self._text) or len(self._text) - start < _SHORTEST_INDEX:
            self._at, self._is_good_index = start + 1, False
            return False
        self._at = start + 1
        number = self._number(self._bracket)
        is_number = number is not None and self._at == self._bracket
        self._at = self._bracket + 1
        if number is None or not is_number or not 1 <= number <= len(self._values):
            self._is_good_index = False
            return is_number
        self._next = number - 1
        return True

    def _integer_argument(self) -> int | None:
        """Return the next argument as a width or precision (``intFromArg``)."""
        if self._next >= len(self._values):
            return None
        value = self._values[self._next]
        self._next += 1
        is_integer = isinstance(value, int) and not isinstance(value, bool)
        return value if is_integer and isinstance(value, int) and abs(value) <= _TOO_LARGE else None


def _formatted(verb: str, value: object, form: _Format, depth: int) -> str:
    """Return the value as the verb writes it (``printArg``, ``printValue``)."""
    if is_nil(value):
        if depth:
            return "<nil>"
        return form.pad("<nil>") if verb in "vT" else f"%!{verb}(<nil>)"
    if verb == "T":
        return form.pad(form.truncate(type_name(value)))
    if isinstance(value, dict | list | range):
        return _formatted_elements(verb, value, form, depth)
    if isinstance(value, bool):
        text = form.pad("true" if value else "false") if verb in "tv" else None
    elif isinstance(value, str):
        text = _formatted_text(verb, value, form)
    elif isinstance(value, int):
        text = _formatted_integer(verb, value, form)
    else:
        text = _formatted_float(verb, value, form) if isinstance(value, float) else None
    return f"%!{verb}({_typed(value, form)})" if text is None else text


def _typed(value: object, form: _Format) -> str:
    """Return the value with its type, as errors of a format show it."""
    return "<nil>" if is_nil(value) else f"{type_name(value)}={_formatted('v', value, form, 0)}"


def _formatted_elements(
    verb: str, value: dict[str, object] | list[object] | range, form: _Format, depth: int
) -> str:
    if verb == "p":
        raise GoTemplateError("the format %p is not supported: it writes the address of a value")
    check_depth(depth)
    charge(4 * len(value))
    if isinstance(value, dict):
        texts = [
            f"{_formatted(verb, key, form, depth + 1)}:{_formatted(verb, value[key], form, depth + 1)}"
            for key in sorted(value)
        ]
    else:
        texts = [_formatted(verb, each, form, depth + 1) for each in value]
    charge_text(sum(map(len, texts)))
    return f"{'map' if isinstance(value, dict) else ''}[{' '.join(texts)}]"


def _formatted_text(verb: str, value: str, form: _Format) -> str | None:
    """``fmtString``: None for a verb that texts do not have."""
    charge_text(len(value))
    if verb in "sv":
        return form.pad(form.truncate(value))
    if verb == "q":
        kept = form.truncate(value)
        charge(len(kept))
        _refuse_flags(verb, form, "#+")
        return form.pad(quote(kept))
    if verb in "xX":
        _refuse_flags(verb, form, "# ")
        digits = form.truncate_bytes(value).hex()
        return form.pad(digits.upper() if verb == "X" else digits)
    return None


def _formatted_integer(verb: str, value: int, form: _Format) -> str | None:
    """``fmtInteger``, ``fmtC``, ``fmtQc`` and ``fmtUnicode``."""
    if verb == "c":
        return form.pad(rune(value))
    if verb == "q":
        _refuse_flags(verb, form, "+")
        return form.pad(quote_rune(rune(value)))
    if verb == "U":
        charge_text(form.precision or 0)
        digits = f"{value % (1 << 64):X}".zfill(max(form.precision or 0, _SHORTEST_UNICODE))
        _refuse_flags(verb, form, "#")
        return form.pad(f"U+{digits}", zeros=False)
    if verb not in _BASES:
        return None
    if form.precision == 0 and value == 0:
        return form.pad("", zeros=False)
    sign = "-" if value < 0 else form.sign
    length = form.precision
    if length is None:
        is_filled = "0" in form.flags and "-" not in form.flags
        length = (form.width or 0) - len(sign) if is_filled else 0
    charge_text(max(length, 0))
    digits = f"{abs(value):{_BASES[verb]}}".zfill(length)
    if ("#" in form.flags or verb == _PREFIXED_WITHOUT_SHARP) and verb in _PREFIXES:
        prefix = _PREFIXES[verb]
        digits = digits if prefix == "0" and digits.startswith("0") else prefix + digits
    return form.pad(sign + digits, zeros=False)


def _formatted_float(verb: str, value: float, form: _Format) -> str | None:
    """``fmtFloat``."""
    if verb in "bxX":
        raise GoTemplateError(f"the format %{verb} of a float is not supported")
    if verb not in "veEfFgG":
        return None
    if not math.isfinite(value):
        text = go_float(value)
        unsigned = text.lstrip("+-")
        sign = "-" if value < 0 else form.sign or ("+" if math.isinf(value) else "")
        return form.pad(sign + unsigned, zeros=False)
    _refuse_flags(verb, form, "#")
    if verb in "vgG" and form.precision is None:
        digits = go_float(abs(value))
    else:
        precision = 6 if form.precision is None else form.precision
        charge_text(precision)
        digits = f"{abs(value):.{precision}{'g' if verb == 'v' else verb}}"
    sign = "-" if math.copysign(1, value) < 0 else form.sign
    digits = digits.upper() if verb == "G" else digits
    if sign and "0" in form.flags and "-" not in form.flags:
        charge_text(form.width or 0)
        digits = digits.zfill((form.width or 0) - len(sign))
    return form.pad(sign + digits)


def _refuse_flags(verb: str, form: _Format, flags: str) -> None:
    for flag in flags:
        if flag in form.flags:
            raise GoTemplateError(f"the format %{flag}{verb} is not supported")
