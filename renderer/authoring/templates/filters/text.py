"""Filters that return text: from text, Kubernetes names from any text, and YAML or JSON from values."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
import unicodedata
from collections.abc import Callable

from renderer.authoring.templates.errors import TemplateError
from renderer.authoring.templates.filters.collections import elements
from renderer.authoring.templates.limits import check_text
from renderer.authoring.templates.operators import printf
from renderer.authoring.templates.values import as_text, describe
from renderer.kubevirt.facts.kubernetes_names import LABEL_LENGTH, SUBDOMAIN_LENGTH
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json
from renderer.yamlio.encode import encode

_DIGEST_LENGTH = 8
_MAX_INDENT = 8


def slug(value: object) -> str:
    """Return lower case letters and digits, with one ``-`` for anything between; ``é`` becomes ``e``."""
    return re.sub("[^a-z0-9]+", "-", _ascii(value).lower()).strip("-")


def dns_label(value: object) -> str:
    """Return a name for a service, volume etc.; a long one ends in a digest, and stays unique."""
    return _checked_name(_shortened(slug(value), LABEL_LENGTH), value)


def dns_subdomain(value: object) -> str:
    """Return a name for an object: labels separated by dots."""
    labels = (slug(part) for part in as_text(value).split("."))
    return _checked_name(_shortened(".".join(filter(None, labels)), SUBDOMAIN_LENGTH), value)


def label_value(value: object) -> str:
    """Return the value of a label, which may be empty and keeps its case, dots and underscores."""
    text = re.sub("[^A-Za-z0-9._-]+", "-", _ascii(value)).strip("-._")
    return _shortened(text, LABEL_LENGTH)


def _ascii(value: object) -> str:
    return unicodedata.normalize("NFKD", as_text(value)).encode("ascii", "ignore").decode()


def _shortened(text: str, length: int) -> str:
    if len(text) <= length:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_LENGTH]
    return f"{text[: length - _DIGEST_LENGTH - 1].rstrip('-._')}-{digest}"


def _checked_name(name: str, value: object) -> str:
    if not name:
        text = "this text" if as_text(value) else "an empty text"
        raise TemplateError(f"{text} cannot become a name", "a name needs a letter or digit of ASCII")
    return name


def to_yaml(value: object) -> str:
    """Return the value as YAML in block style, without a line break at the end."""
    try:
        return encode([_tree(value)]).rstrip("\n")
    except DiagnosticError as error:
        raise TemplateError(error.diagnostics[0].message) from None


def to_json(value: object, indent: int | None = None) -> str:
    """Return the value as JSON, with keys in the order of writing. It is valid YAML as well."""
    width = None if indent is None else min(indent, _MAX_INDENT)
    try:
        return json.dumps(_tree(value), ensure_ascii=False, allow_nan=False, indent=width)
    except ValueError:
        raise TemplateError("JSON cannot represent a number that is not finite") from None


def quote(value: object) -> str:
    """Return a scalar as quoted text, for any content."""
    return json.dumps(as_text(value), ensure_ascii=False)


def _tree(value: object) -> Json:
    """Return the value as a JSON tree. Raises ``TemplateError`` for a value that JSON cannot represent."""
    if isinstance(value, dict):
        return {_text_key(key): _tree(child) for key, child in value.items()}
    if isinstance(value, list | tuple | range):
        return [_tree(child) for child in value]
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise TemplateError(f"{describe(value)} cannot be written as YAML")


def _text_key(key: object) -> str:
    if isinstance(key, str):
        return key
    raise TemplateError(f"{describe(key)} is the key of a mapping", "the keys of a mapping have to be text")


def upper(value: object) -> str:
    """Return the text in upper case."""
    return as_text(value).upper()


def lower(value: object) -> str:
    """Return the text in lower case."""
    return as_text(value).lower()


def capitalize(value: object) -> str:
    """Return the text with its first letter in upper case and the rest in lower case."""
    return as_text(value).capitalize()


def title(value: object) -> str:
    """Return the text with a capital first letter in each word."""
    return as_text(value).title()


def trim(value: object, characters: str | None = None) -> str:
    """Return the text without whitespace, or the given characters, at both ends."""
    return as_text(value).strip(characters)


def join(values: object, separator: str = "", attribute: str | None = None) -> str:
    """Return the values joined to one text, or the values of each mapping's key ``attribute``."""
    texts = [as_text(_attribute(value, attribute) if attribute else value) for value in elements(values)]
    check_text(sum(map(len, texts)) + len(separator) * len(texts))
    return separator.join(texts)


def replace(value: str, old: str, new: str, count: int = -1) -> str:
    """Return the text with ``old`` replaced by ``new``, at most ``count`` times if that is not negative."""
    text = as_text(value)
    found = text.count(old) if count < 0 else min(count, text.count(old))
    check_text(len(text) + found * (len(new) - len(old)))
    return text.replace(old, new, count)


def split(value: str, separator: str | None = None, maximum: int = -1) -> list[str]:
    """Return the parts of a text between separators, by default whitespace."""
    return as_text(value).split(separator, maximum)


def indent(value: str, width: int | str = 4, first: bool = False, blank: bool = False) -> str:  # noqa: FBT001, FBT002 - Jinja's own arguments
    """Return the text with every line indented except the first and blank ones."""
    text = as_text(value)
    lines = text.split("\n")
    check_text(len(text) + len(lines) * (len(width) if isinstance(width, str) else width))
    pad = width if isinstance(width, str) else " " * width
    return "\n".join(
        pad + line if (line.strip() or blank) and (index or first) else line
        for index, line in enumerate(lines)
    )


def nindent(value: str, width: int | str = 4) -> str:
    """Return a line break, then every line indented, as in Helm."""
    return "\n" + indent(value, width, first=True)


def formatted(value: str, *args: object, **kwargs: object) -> str:
    """Format values: ``"%s-%02d" | format(name, index)``."""
    return printf(as_text(value), kwargs or args)


def center(value: str, width: int = 80) -> str:
    """Return the text centered with blanks, ``width`` characters in total."""
    check_text(width)
    return as_text(value).center(width)


def truncate(value: str, length: int = 255, killwords: bool = True, end: str = "", leeway: int = 0) -> str:  # noqa: ARG001, FBT001, FBT002 - Jinja's own arguments
    """Return at most ``length`` characters; they end with ``end`` if something is left out."""
    text = as_text(value)
    return text if len(text) <= length + leeway else text[: max(0, length - len(end))] + end


def b64encode(value: str) -> str:
    """Return a text in Base64."""
    return base64.b64encode(as_text(value).encode()).decode()


def b64decode(value: str) -> str:
    """Return the decoded Base64 text. Raises ``TemplateError`` for invalid input."""
    try:
        return base64.b64decode(as_text(value), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        raise TemplateError("this is not text in base64") from None


def sha256(value: str) -> str:
    """Return the SHA-256 digest of a text, in hexadecimal."""
    return hashlib.sha256(as_text(value).encode()).hexdigest()


def integer(value: object, default: object = None, base: int = 10) -> object:
    """Return an integer, truncated at the decimal point. Unlike Jinja's, an error for invalid input."""
    return _number(value, lambda text: int(text.strip(), base), int, default)


def real(value: object, default: object = None) -> object:
    """Return a floating-point number; an error for anything else, as ``integer``."""
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
        raise TemplateError(f"{describe(value)} is not a number", "or give a default, as in | int(0)")
    return default


def _attribute(value: object, key: str) -> object:
    if isinstance(value, dict) and key in value:
        return value[key]
    raise TemplateError(f"{describe(value)} in the list has no {key}")
