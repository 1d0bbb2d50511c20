"""``{{ name }}`` in the templates of ApplicationSets without ``goTemplate``.

argo-cd ``applicationset/utils``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_TEMPLATED = re.compile(r"\{\{.*\}\}")
_TAG = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)


class UnclosedTagError(ValueError):
    """The text has ``{{`` without ``}}`` behind it."""


def render(text: str, values: Mapping[str, object]) -> str:
    """``text`` with the values of known names; everything else stays as it is.

    Raises ``UnclosedTagError``.
    """
    if not _TEMPLATED.search(text):
        return text
    end = text.rfind("}}")
    if text.find("{{", end) >= 0:
        raise UnclosedTagError("a {{ is never closed")

    def value(match: re.Match[str]) -> str:
        found = values.get(match[1].strip())
        return found if isinstance(found, str) and match[1].strip() else match[0]

    return _TAG.sub(value, text)
