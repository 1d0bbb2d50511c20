"""The fingerprint of this vmrender and its libraries; results of other versions are not used."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from renderer import __version__
from renderer.files.bundled import data_folder
from renderer.model.digest import sha256

_PACKAGE = Path(__file__).resolve().parents[1]
#: The suffix of the long forms of codes, which are not part of any result.
_PAGE = ".md"
_LIBRARIES = (".dist-info", ".egg-info")


def tool_fingerprint() -> str:
    """Return a digest that changes with any code that is run, and any data that ships with it.

    An installed vmrender has a list of its files with their digests. In a checkout, where files change in
    place, their times and sizes are used.
    """
    record = _PACKAGE.parent / f"vmrender-{__version__}.dist-info" / "RECORD"
    try:
        own = record.read_bytes()
    except OSError:
        folders = (_PACKAGE, data_folder("schemas"), data_folder("catalog"))
        own = "\n".join(_signs(*map(str, folders))).encode()
    found = (sys.version, sys.platform, *_libraries())
    return sha256(own + "\n".join(found).encode("utf-8", "surrogateescape"))


def _libraries() -> list[str]:
    """Return ``click-8.2.1.dist-info`` and so on, for all installed libraries."""
    names: list[str] = []
    for folder in sys.path:
        if folder.endswith("-packages"):
            with suppress(OSError):
                names += os.listdir(folder)  # noqa: PTH208 - only the names are needed
    return sorted(name for name in names if name.endswith(_LIBRARIES))


def _signs(*folders: str) -> list[str]:
    """Return the path, time and size of each file in the folders that is executed or read."""
    signs, waiting = [], [*folders]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir():
                    if entry.name != "__pycache__":
                        waiting.append(entry.path)
                elif not entry.name.endswith(_PAGE):
                    status = entry.stat()
                    signs.append(f"{entry.path} {status.st_mtime_ns} {status.st_size}")
    return sorted(signs)
