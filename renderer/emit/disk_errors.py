"""What the disk refuses becomes a diagnostic."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.location import Location


@contextmanager
def disk_errors(code: Code, verb: str, output: str, hint: str) -> Iterator[None]:
    """Turns an ``OSError`` inside into a ``DiagnosticError`` with what was tried and the system's reason."""
    try:
        yield
    except OSError as error:
        place = f" ({error.filename})" if error.filename else ""
        message = f"cannot {verb} the rendered tree: {error.strerror or error}{place}"
        finding = Diagnostic(code=code, message=message, location=Location(output), hint=hint)
        raise DiagnosticError(finding) from error
