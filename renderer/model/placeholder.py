"""Variables that a GitOps tool substitutes after rendering, as in Flux's ``postBuild``."""

from __future__ import annotations

from renderer.model.json import Json


def has_placeholder(value: Json) -> bool:
    """Whether ``value`` is a text that holds ``${NAME}``."""
    return isinstance(value, str) and "${" in value
