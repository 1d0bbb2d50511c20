"""Writing so that a power cut, too, leaves what was there or what was written."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def write_new_file(file: Path, content: bytes) -> None:
    """Writes a file that is not there yet and waits until it is on the disk. Raises ``OSError``."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Waits until the names in ``folder`` are on the disk. Raises ``OSError``."""
    if sys.platform == "win32":  # which cannot, and does not need to
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
