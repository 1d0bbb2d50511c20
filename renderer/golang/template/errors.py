"""The error of a template."""

from __future__ import annotations


class GoTemplateError(ValueError):
    """The message says what is wrong, without a value of the template's input."""
