"""Filters that make the names of Kubernetes of any text."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from renderer.templates.errors import TemplateError
from renderer.templates.words import as_text

#: RFC 1123 labels, and the values of labels.
_MAX_LABEL = 63
_MAX_SUBDOMAIN = 253
_DIGEST_LENGTH = 8


def slug(value: object) -> str:
    """Lower case letters and digits, with one ``-`` for all that stands between; ``é`` becomes ``e``."""
    return re.sub("[^a-z0-9]+", "-", _ascii(value).lower()).strip("-")


def dns_label(value: object) -> str:
    """The name of a service, volume or the like; what is too long ends in a digest, and stays unique."""
    return _named(_shortened(slug(value), _MAX_LABEL), value, "name")


def dns_subdomain(value: object) -> str:
    """The name of an object: labels with dots between them."""
    labels = (slug(part) for part in as_text(value).split("."))
    return _named(_shortened(".".join(filter(None, labels)), _MAX_SUBDOMAIN), value, "name")


def label_value(value: object) -> str:
    """The value of a label, which may be empty and keeps its case, dots and underscores."""
    text = re.sub("[^A-Za-z0-9._-]+", "-", _ascii(value)).strip("-._")
    return _shortened(text, _MAX_LABEL)


def _ascii(value: object) -> str:
    return unicodedata.normalize("NFKD", as_text(value)).encode("ascii", "ignore").decode()


def _shortened(text: str, length: int) -> str:
    if len(text) <= length:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_LENGTH]
    return f"{text[: length - _DIGEST_LENGTH - 1].rstrip('-._')}-{digest}"


def _named(name: str, value: object, wanted: str) -> str:
    if not name:
        hint = f"a {wanted} needs a letter or digit of ASCII"
        raise TemplateError(f"no {wanted} can be made of {_shown(as_text(value))}", hint)
    return name


def _shown(text: str) -> str:
    return "an empty text" if not text else "this text"
