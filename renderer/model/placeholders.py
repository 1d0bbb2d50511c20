"""Variables that another tool fills in after rendering.

``${NAME}`` is Flux's syntax (``postBuild``) and OpenShift's, which also has ``${{NAME}}``. In Flux it may
have a default, and a second ``$`` before it escapes it. ``{{ name }}`` is the syntax of Helm and Jinja.
"""

from __future__ import annotations

from renderer.model.kube.json import Json
from renderer.model.pattern import pattern

#: The length is bounded, and all ``$`` before a brace match at once. Otherwise the search would start again
#: at each character of a text that consists of braces or of ``$``.
_PLACEHOLDER = pattern(r"(?<!\$)\$++(?:\{\{[^{}]{0,500}\}\}|\{[^}]{1,500}\})|\{\{[^}]{0,500}\}\}")

#: A word for a value that another tool fills in later.
PLACEHOLDER_WORD = "vmrender-placeholder"


def has_placeholder(value: Json) -> bool:
    """Return True if ``value`` is a text that contains a placeholder."""
    return isinstance(value, str) and "{" in value and placeholder_in(value) is not None


def placeholder_in(value: Json) -> str | None:
    """Return the first placeholder in ``value`` as written; None if it has no placeholder."""
    if not isinstance(value, str) or "{" not in value:
        return None
    found = _PLACEHOLDER.search(value)
    return found[0] if found else None


def has_placeholder_word(value: Json) -> bool:
    """Return True if ``value`` is a text in which ``without_placeholders`` replaced a placeholder."""
    return isinstance(value, str) and PLACEHOLDER_WORD in value


def without_placeholders(text: str, word: str = PLACEHOLDER_WORD) -> str:
    """Return the text with ``word`` in place of each placeholder: what stands around them can be read."""
    return _PLACEHOLDER.sub(word, text) if "{" in text else text
