"""Messages that would repeat a password: what is said of a confidential field does not say its value."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from renderer.model.diagnostic import Diagnostic
from renderer.yamlio.public_lines import is_confidential_key

MASK = "***"
_SECRET = "Secret"  # noqa: S105 - a kind


def is_confidential(diagnostic: Diagnostic) -> bool:
    """Whether it is about cloud-init data, a Secret, or what one is made of."""
    if diagnostic.resource and diagnostic.resource.gvk.kind == _SECRET:
        return True
    fields = (diagnostic.field, *(site.field for site in diagnostic.sites))
    return any(is_confidential_key(segment) for field in fields if field for segment in field.segments)


def masked(diagnostic: Diagnostic, values: Iterable[str]) -> Diagnostic:
    """The diagnostic without the ``values`` in its message and hint."""
    words = "|".join(re.escape(value) for value in sorted(values, key=len, reverse=True) if value)
    if not words:
        return diagnostic
    value = re.compile(rf"(?<!\w)(?:{words})(?!\w)")
    return replace(
        diagnostic,
        message=value.sub(MASK, diagnostic.message),
        hint=diagnostic.hint and value.sub(MASK, diagnostic.hint),
    )
