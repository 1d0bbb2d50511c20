"""JSON texts as Go's ``encoding/json`` reads them."""

from __future__ import annotations

from typing import NoReturn

from renderer.model.kube.json import Json
from renderer.model.whole_number import json_integer


def read_json(text: str, *, floats: bool = False) -> Json:
    """Return the value of a JSON text. Raises ``ValueError`` for one that is not JSON, or too deep.

    With ``floats`` all numbers are floats, as Go reads them without a type.
    """
    import json  # noqa: PLC0415 - few inputs contain JSON texts

    try:
        value: Json = json.loads(text, parse_int=float if floats else json_integer, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("the text is nested too deeply") from None
    return value


def _refuse(name: str) -> NoReturn:
    """Refuse NaN and Infinity, which only Python accepts as JSON."""
    raise ValueError(f"{name} is not JSON")
