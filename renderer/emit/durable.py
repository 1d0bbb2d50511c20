"""Writing so that a power cut, too, leaves what was there or what was written."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

_BINARY = getattr(os, "O_BINARY", 0)
#: Disks take many files at once; below this number threads cost more than they save.
_MANY = 16
_AT_ONCE = 8


def write_new_file(file: Path, content: bytes) -> None:
    """Writes a file that is not there yet and waits until it is on the disk. Raises ``OSError``."""
    _write(file, content, sync=True)


def write_new_file_unsynced(file: Path, content: bytes) -> None:
    """Writes a file that is not there yet; ``sync_files`` has to follow. Raises ``OSError``."""
    _write(file, content, sync=False)


def sync_files(files: Sequence[Path]) -> None:
    """Waits until files that were written are on the disk. Raises ``OSError``."""
    if len(files) < _MANY:
        for file in files:
            _sync(file, os.O_RDWR)
        return
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - only large changes pay for it

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for _ in pool.map(lambda file: _sync(file, os.O_RDWR), files):
            pass


def sync_folder(folder: Path) -> None:
    """Waits until the names in ``folder`` are on the disk. Raises ``OSError``."""
    if sys.platform == "win32":  # which cannot, and does not need to
        return
    _sync(folder, os.O_RDONLY | os.O_DIRECTORY)


def _write(file: Path, content: bytes, *, sync: bool) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        if sync:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
