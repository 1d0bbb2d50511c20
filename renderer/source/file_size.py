"""Files that are too large, refused before all of them is read."""

from __future__ import annotations

from typing import BinaryIO

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.limits import limit_hint, limits
from renderer.model.location import Location


def read_limited(file: BinaryIO, path: str) -> bytes:
    """What is left of an open file, such as standard input. Raises: yaml-limit."""
    content = file.read(limits().file_size + 1)
    check_size(len(content), path)
    return content


def check_size(size: int, path: str) -> None:
    """``size`` is in bytes, of the file or of as much of it as was read. Raises: yaml-limit."""
    most = limits().file_size
    if size > most:
        raise DiagnosticError(
            Diagnostic(
                code=Code.YAML_LIMIT,
                message=f"the file is larger than {most} bytes",
                location=Location(path),
                hint=limit_hint("file_size"),
            )
        )
