"""Errors that stop the rendering of a template, raised before the line is known."""

from __future__ import annotations

from typing import ClassVar

from renderer.model.codes import Code


class TemplateError(Exception):
    """The message and hint of a diagnostic; ``line`` is the template's line, from 1, if it is known."""

    code: ClassVar[Code] = Code.TEMPLATE_FAILED

    def __init__(self, message: str, hint: str | None = None, line: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.line = line


class TemplateLimitError(TemplateError):
    """The template needs more work or text than any reasonable template."""

    code = Code.TEMPLATE_LIMIT
