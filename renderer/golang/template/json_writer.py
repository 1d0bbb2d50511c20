"""JSON as ``encoding/json`` writes it, and values for the YAML writer, which Go makes from that JSON."""

from __future__ import annotations

import math
from decimal import Decimal
from json.encoder import encode_basestring as quote_json

from renderer.golang.template.cost import charge, charge_text, check_depth
from renderer.golang.template.errors import GoTemplateError
from renderer.golang.template.strconv import well_formed
from renderer.golang.template.values import go_float
from renderer.model.kube.json import Json
from renderer.yamlio.go_numbers import json_number

#: Steps for a value, besides its text.
_STEPS_FOR_JSON, _STEPS_FOR_YAML = 4, 40
#: Floats outside this range are written with an exponent.
_LARGEST_WHOLE, _SMALLEST_FRACTION = 1e21, 1e-6
_HTML = str.maketrans({character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"})
_LINE_SEPARATORS = str.maketrans({character: f"\\u{ord(character):04x}" for character in "\u2028\u2029"})


class NotJsonError(GoTemplateError):
    """``json.UnsupportedValueError``: NaN and infinity cannot be written."""


def to_json(value: object, *, escape_html: bool = True, pretty: bool = False) -> str:
    """Return the value as JSON. Raises ``NotJsonError``."""
    parts: list[str] = []
    _write(value, "\n" if pretty else "", parts, 0)
    text = "".join(parts)
    charge(len(text))
    return text.translate(_HTML if escape_html else _LINE_SEPARATORS)


def _write(value: object, line: str, parts: list[str], depth: int) -> None:
    """Append the parts of a value. ``line`` begins its lines, with their indentation; empty without lines."""
    charge(_STEPS_FOR_JSON)
    if not isinstance(value, dict | list | range) or not value:
        parts.append(_scalar(value))
        return
    check_depth(depth)
    inner = f"{line}  " if line else ""
    charge((len(inner) + 1) * len(value))
    is_mapping = isinstance(value, dict)
    before = "{" if is_mapping else "["
    for each in sorted(value) if isinstance(value, dict) else value:
        parts.append(f"{before}{inner}")
        if isinstance(value, dict):
            parts.append(f"{_scalar(each)}:{' ' if line else ''}")
        _write(value[each] if isinstance(value, dict) else each, inner, parts, depth + 1)
        before = ","
    parts.append(f"{line}{'}' if is_mapping else ']'}")


def _scalar(value: object) -> str:
    if isinstance(value, str):
        charge_text(len(value))
        return quote_json(well_formed(value))
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _json_float(value)
    if isinstance(value, dict):
        return "{}"
    return "[]" if isinstance(value, list | range) else "null"


def _json_float(value: float) -> str:
    if not math.isfinite(value):
        raise NotJsonError(f"json: unsupported value: {go_float(value)}")
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else "0"
    if not _SMALLEST_FRACTION <= abs(value) < _LARGEST_WHOLE:
        return repr(value).replace("e-0", "e-")
    text = f"{Decimal(repr(value)):f}"
    return text.removesuffix(".0")


def yaml_tree(value: object, depth: int = 0) -> Json:
    """Return the value as the YAML writer accepts it: Go writes JSON first. Raises ``NotJsonError``."""
    charge(_STEPS_FOR_YAML + depth)
    if isinstance(value, dict | list | range):
        check_depth(depth)
        if isinstance(value, dict):
            return {key: yaml_tree(each, depth + 1) for key, each in value.items()}
        return [yaml_tree(each, depth + 1) for each in value]
    if isinstance(value, str):
        charge(len(value))
        return well_formed(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise NotJsonError(f"json: unsupported value: {go_float(value)}")
        return json_number(value)
    return value if isinstance(value, int) else None
