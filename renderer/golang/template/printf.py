"""``fmt.Sprintf`` with the verbs that are useful in manifests (``fmt/print.go``, ``fmt/format.go``)."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from renderer.golang.template.cost import charge, charge_text
from renderer.golang.template.strconv import quote, rune
from renderer.golang.template.values import format_value, go_float, type_name

#: A larger width or precision is an error in Go.
_MAX_WIDTH, _MOST_DIGITS = 1_000_000, 7
_VERB = re.compile(
    r"%(?P<flags>[-+# 0]*)(?P<width>\*|[0-9]*)(?P<precision>\.(?:\*|[0-9]*))?(?P<verb>.)?", re.DOTALL
)
_NO_VERB = "%!(NOVERB)"
_INTEGER_VERBS = {"v": "d", "d": "d", "x": "x", "X": "X", "o": "o", "b": "b"}


class _Format(NamedTuple):
    """What stands between ``%`` and the verb."""

    flags: str
    width: int
    precision: int | None

    def padded(self, text: str, *, zeros: bool) -> str:
        charge_text(max(self.width, len(text)))
        if "-" in self.flags:
            return text.ljust(self.width)
        return text.zfill(self.width) if zeros and "0" in self.flags else text.rjust(self.width)


def sprintf(text: str, *values: object) -> str:
    """Return ``text`` with its verbs replaced by the values."""
    arguments = _Arguments(values)
    parts, end = list[str](), 0
    for match in _VERB.finditer(text):
        parts.append(text[end : match.start()])
        end = match.end()
        parts.append(_verb(match, arguments))
        if parts[-1] == _NO_VERB:
            end = len(text)
            break
    parts += [text[end:], arguments.extra()]
    charge_text(sum(map(len, parts)))
    return "".join(parts)


class _Arguments:
    def __init__(self, values: tuple[object, ...]) -> None:
        self._values = values
        self._used = 0

    def is_empty(self) -> bool:
        return self._used >= len(self._values)

    def take(self) -> object:
        self._used += 1
        return self._values[self._used - 1]

    def extra(self) -> str:
        if self.is_empty():
            return ""
        texts = [
            "<nil>" if each is None else f"{type_name(each)}={format_value(each, nested=True)}"
            for each in self._values[self._used :]
        ]
        charge_text(sum(map(len, texts)))
        return f"%!(EXTRA {', '.join(texts)})"


def _verb(match: re.Match[str], arguments: _Arguments) -> str:
    problems: list[str] = []
    flags = match["flags"]
    width = _number(match["width"], arguments, problems, "%!(BADWIDTH)")
    if width is not None and width < 0:
        flags, width = f"{flags}-", -width
    precision = None
    if match["precision"] is not None:
        precision = _number(match["precision"][1:], arguments, problems, "%!(BADPREC)")
        precision = 0 if precision is None and match["precision"] != ".*" else precision
    verb = match["verb"]
    if verb is None or _NO_VERB in problems:
        return _NO_VERB
    if verb == "%":
        return "".join([*problems, "%"])
    if arguments.is_empty():
        return "".join([*problems, f"%!{verb}(MISSING)"])
    value = arguments.take()
    form = _Format(flags, width or 0, precision)
    text = _formatted(verb, value, form)
    if text is None:
        text = f"%!{verb}({_described(value)})"
    return "".join([*problems, text])


def _described(value: object) -> str:
    return "<nil>" if value is None else f"{type_name(value)}={format_value(value, nested=True)}"


def _number(text: str, arguments: _Arguments, problems: list[str], problem: str) -> int | None:
    """Return a width or precision, which may be the next argument."""
    if text != "*":
        digits = text.lstrip("0")
        if len(digits) > _MOST_DIGITS or int(digits or 0) > _MAX_WIDTH:
            problems.append(_NO_VERB)
            return None
        return int(digits or 0) if text else None
    value = None if arguments.is_empty() else arguments.take()
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > _MAX_WIDTH:
        problems.append(problem)
        return None
    if problem == "%!(BADPREC)" and value < 0:
        problems.append(problem)
        return None
    return value


def _formatted(verb: str, value: object, form: _Format) -> str | None:
    """Return the value as the verb writes it; None if the verb does not support its type."""
    if verb == "T":
        return form.padded(type_name(value), zeros=False)
    if (verb == "v" and not isinstance(value, float | int | str)) or value is None:
        return None if verb != "v" else form.padded(format_value(value, nested=True), zeros=False)
    if isinstance(value, bool):
        return form.padded(format_value(value), zeros=False) if verb in "tv" else None
    if isinstance(value, str):
        return _formatted_text(verb, value, form)
    if isinstance(value, int):
        return _formatted_integer(verb, value, form)
    if isinstance(value, float):
        return _formatted_float(verb, value, form)
    if verb == "s":
        return form.padded(format_value(value, nested=True), zeros=False)
    return None


def _formatted_text(verb: str, value: str, form: _Format) -> str | None:
    kept = value if form.precision is None else value[: form.precision]
    if verb in "sv":
        return form.padded(kept, zeros=False)
    if verb == "q":
        charge(len(kept))
        return form.padded(quote(kept), zeros=False)
    if verb in "xX":
        digits = kept.encode(errors="replace").hex()
        return form.padded(digits.upper() if verb == "X" else digits, zeros=False)
    return None


def _formatted_integer(verb: str, value: int, form: _Format) -> str | None:
    if verb == "c":
        return form.padded(rune(value), zeros=False)
    if verb == "U":
        return form.padded(f"U+{value % (1 << 64):04X}", zeros=False)
    if verb not in _INTEGER_VERBS:
        return None
    sign = "-" if value < 0 else "+" if "+" in form.flags else " " if " " in form.flags else ""
    digits = f"{abs(value):{_INTEGER_VERBS[verb]}}"
    if form.precision is not None:
        charge_text(form.precision)
        digits = "" if form.precision == 0 and value == 0 else digits.zfill(form.precision)
    return form.padded(sign + digits, zeros=form.precision is None)


def _formatted_float(verb: str, value: float, form: _Format) -> str | None:
    if verb not in "veEfFgG":
        return None
    sign = "+" if "+" in form.flags else " " if " " in form.flags else ""
    if not math.isfinite(value):
        text = go_float(value)
        if sign and value < 0:
            return form.padded(text, zeros=False)
        return form.padded(f"{sign}{text.removeprefix('+')}" if sign else text, zeros=False)
    if verb in "vgG" and form.precision is None:
        text = go_float(value)
        text = text if value < 0 else sign + text
    else:
        precision = 6 if form.precision is None else form.precision
        charge_text(precision)
        text = f"{value:{sign}.{precision}{'g' if verb == 'v' else verb}}"
    return form.padded(text.upper() if verb == "G" else text, zeros=True)
