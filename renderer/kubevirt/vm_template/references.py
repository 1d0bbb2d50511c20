"""References to parameters in texts: ``${NAME}`` and ``${{NAME}}``.

``template.go`` and ``visit.go`` of virt-template-engine. OpenShift's Templates have the same references.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from decimal import Decimal

from renderer.golang.json_text import read_json
from renderer.model.kube.json import Json
from renderer.model.pattern import pattern
from renderer.model.run.limits import limits
from renderer.model.run.taint import noted_masking, taint_new_parts
from renderer.model.run.work import spend

#: ``${NAME}``, anywhere in a text.
TEXT_REFERENCE = pattern(r"\$\{([a-zA-Z0-9_]+)\}")
#: ``${{NAME}}``, which must be the whole text.
VALUE_REFERENCE = pattern(r"\$\{\{([a-zA-Z0-9_]+)\}\}")

#: A parameter may be long, and used often (``model.run.work``).
_CHARACTERS_PER_STEP = 16

#: From here on Go writes a float with an exponent.
_LARGEST_PLAIN_FLOAT = 1e21


def names_in(text: str) -> Iterator[str]:
    """Yield the names of the parameters that a text refers to."""
    if "${" not in text:
        return
    whole = VALUE_REFERENCE.fullmatch(text)
    if whole is not None:
        yield whole[1]
    for found in TEXT_REFERENCE.finditer(text):
        yield found[1]


def names_in_tree(value: Json) -> Iterator[str]:
    """Yield the names in all texts of a tree, and in all keys of its mappings."""
    if isinstance(value, str):
        yield from names_in(value)
    elif isinstance(value, dict):
        for key, child in value.items():
            yield from names_in(key)
            yield from names_in_tree(child)
    elif isinstance(value, list):
        for child in value:
            yield from names_in_tree(child)


def substituted_text(text: str, values: Mapping[str, str]) -> str:
    """Return a text with the values of the parameters that it refers to; unknown references stay.

    Values are not searched for references. But each reference of the written text, from left to right,
    replaces its first occurrence in the text as it is by then: with A=``${B}`` and B=``x``, ``${A}-${B}``
    becomes ``x-${B}``.
    """
    if "${" not in text:
        return text
    for reference in TEXT_REFERENCE.finditer(text):
        value = values.get(reference[1])
        if value is not None:
            text = text.replace(reference[0], value, 1)
            spend(1 + len(text) // _CHARACTERS_PER_STEP, "processing templates")
    return text


def json_or_text(value: str) -> Json:
    """Return what a parameter gives as ``${{NAME}}``: the value of the JSON, or the text if it is not JSON.

    The parts of a confidential value are confidential, too. JSON that is nested deeper than a file may be
    stays a text.
    """
    spend(1 + len(value) // _CHARACTERS_PER_STEP, "processing templates")
    try:
        written = read_json(value, floats=True)
        read = value if _is_deeper(written, limits().nesting) else as_float64(written)
    except ValueError:
        return value
    if noted_masking().is_in(value):
        taint_new_parts(read, None)
    return read


def _is_deeper(value: Json, most: int) -> bool:
    """Return True if the collections in a tree are nested in more than ``most`` levels."""
    level = [value]
    for _ in range(most + 1):
        inner: list[Json] = []
        for node in level:
            if isinstance(node, dict):
                inner += node.values()
            elif isinstance(node, list):
                inner += node
        if not inner:
            return False
        level = inner
    return True


def as_float64(value: Json) -> Json:
    """Return a tree with its numbers as floats of 64 bits. Raises ``ValueError`` for too large ones."""
    if isinstance(value, dict):
        return {as_utf8(key): as_float64(each) for key, each in value.items()}
    if isinstance(value, list):
        return [as_float64(each) for each in value]
    if isinstance(value, str):
        return as_utf8(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    try:
        number = float(value)
    except OverflowError:
        raise ValueError("a number is too large") from None
    if math.isinf(number):
        raise ValueError("a number is too large")
    is_plain = number.is_integer() and abs(number) < _LARGEST_PLAIN_FLOAT
    is_negative_zero = number == 0 and math.copysign(1, number) < 0
    return int(Decimal(repr(number))) if is_plain and not is_negative_zero else number


def as_utf8(text: str) -> str:
    """Return a text in which a half of a surrogate pair is U+FFFD, as Go reads it."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
