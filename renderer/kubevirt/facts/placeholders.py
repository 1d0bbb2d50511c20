"""Variables that another tool fills in after rendering.

``${NAME}`` is Flux's (``postBuild``) and, as ``${{NAME}}`` too, OpenShift's. In Flux it may have a default,
and a second ``$`` before it keeps it as it is. ``{{ name }}`` is Helm's and Jinja's.
"""

from __future__ import annotations

from renderer.model.json import Json
from renderer.model.pattern import pattern

#: The length is bounded, and all ``$`` before a brace are taken at once. Otherwise a text of braces or of
#: ``$`` would be searched again from each of them.
_PLACEHOLDER = pattern(r"(?<!\$)\$++(?:\{\{[^{}]{0,500}\}\}|\{[^}]{1,500}\})|\{\{[^}]{0,500}\}\}")


def has_placeholder(value: Json) -> bool:
    """Return True if ``value`` is a text that holds a placeholder."""
    return isinstance(value, str) and "{" in value and placeholder_in(value) is not None


def placeholder_in(value: Json) -> str | None:
    """Return the first placeholder in ``value`` as it is written; None without any."""
    if not isinstance(value, str) or "{" not in value:
        return None
    found = _PLACEHOLDER.search(value)
    return found[0] if found else None
