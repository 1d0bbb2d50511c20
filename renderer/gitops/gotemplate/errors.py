"""Why a template cannot be parsed or evaluated."""

from __future__ import annotations


class GoTemplateError(ValueError):
    """The text says what is wrong, without a value of the template's input."""
