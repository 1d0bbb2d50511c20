"""Filters that make text of text."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Callable

from renderer.templates.errors import TemplateError
from renderer.templates.filters.collections import elements
from renderer.templates.limits import check_text
from renderer.templates.operators import printf
from renderer.templates.words import as_text, describe


def upper(value: object) -> str:
    return as_text(value).upper()


def lower(value: object) -> str:
    return as_text(value).lower()


def capitalize(value: object) -> str:
    return as_text(value).capitalize()


def title(value: object) -> str:
    return as_text(value).title()


def trim(value: object, characters: str | None = None) -> str:
    return as_text(value).strip(characters)


def join(values: object, separator: str = "", attribute: str | None = None) -> str:
    """The values in one text, or what each mapping holds under the key ``attribute``."""
    texts = [as_text(_held(value, attribute) if attribute else value) for value in elements(values)]
    check_text(sum(map(len, texts)) + len(separator) * len(texts))
    return separator.join(texts)


def replace(value: str, old: str, new: str, count: int = -1) -> str:
    text = as_text(value)
    found = text.count(old) if count < 0 else min(count, text.count(old))
    check_text(len(text) + found * (len(new) - len(old)))
    return text.replace(old, new, count)


def split(value: str, separator: str | None = None, maximum: int = -1) -> list[str]:
    """Return the parts of a text between separators, by default between blanks."""
    return as_text(value).split(separator, maximum)


def indent(value: str, width: int | str = 4, first: bool = False, blank: bool = False) -> str:  # noqa: FBT001, FBT002 - Jinja's own arguments
    """Every line but the first and blank ones pushed in."""
    text = as_text(value)
    lines = text.split("\n")
    pad = _pad(width, len(text), len(lines))
    return "\n".join(
        pad + line if (line.strip() or blank) and (index or first) else line
        for index, line in enumerate(lines)
    )


def nindent(value: str, width: int | str = 4) -> str:
    """A line break, then every line pushed in, as Helm has it."""
    return "\n" + indent(value, width, first=True)


def formatted(value: str, *args: object, **kwargs: object) -> str:
    """``"%s-%02d" | format(name, index)``."""
    return printf(as_text(value), kwargs or args)


def center(value: str, width: int = 80) -> str:
    check_text(width)
    return as_text(value).center(width)


def truncate(value: str, length: int = 255, killwords: bool = True, end: str = "", leeway: int = 0) -> str:  # noqa: ARG001, FBT001, FBT002 - Jinja's own arguments
    """No more than ``length`` characters, the last of which are ``end`` if something is left out."""
    text = as_text(value)
    return text if len(text) <= length + leeway else text[: max(0, length - len(end))] + end


def b64encode(value: str) -> str:
    """Return a text in Base64."""
    return base64.b64encode(as_text(value).encode()).decode()


def b64decode(value: str) -> str:
    """Return the text that is in Base64. Raises ``TemplateError`` for what is not."""
    try:
        return base64.b64decode(as_text(value), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        raise TemplateError("this is not the base64 of a text") from None


def sha256(value: str) -> str:
    """Return the SHA-256 digest of a text, in hexadecimal."""
    return hashlib.sha256(as_text(value).encode()).hexdigest()


def integer(value: object, default: object = None, base: int = 10) -> object:
    """A whole number of text or a number, cut at the point. Unlike Jinja's, an error for anything else."""
    return _number(value, lambda text: int(text.strip(), base), int, default)


def real(value: object, default: object = None) -> object:
    """A number with a fraction; an error for anything else, as ``integer``."""
    return _number(value, float, float, default)


def _number(
    value: object, of_text: Callable[[str], object], of_number: Callable[[float], object], default: object
) -> object:
    try:
        if isinstance(value, str):
            return of_text(value)
        if isinstance(value, int | float):
            return of_number(value)
    except (ValueError, OverflowError):
        pass
    if default is None:
        raise TemplateError(
            f"{describe(value)} is not the number it should be", "or say what to take: | int(0)"
        )
    return default


def _held(value: object, key: str) -> object:
    if isinstance(value, dict) and key in value:
        return value[key]
    raise TemplateError(f"{describe(value)} in the list has no {key}")


def _pad(width: int | str, length: int, lines: int) -> str:
    size = len(width) if isinstance(width, str) else width
    check_text(length + size * lines)
    return width if isinstance(width, str) else " " * width
