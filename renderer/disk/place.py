"""Where an open file stands."""

from __future__ import annotations

import os
import sys

#: ``F_GETPATH`` of macOS' ``fcntl(2)``, and the length of what it fills (``MAXPATHLEN``).
_GET_PATH, _LONGEST = 50, 1024


def place_of(descriptor: int) -> str | None:
    """The path without links that leads to what is open, as the system has it; None where it does not say.

    Linux (``proc_pid_fd(5)``) and macOS say it.
    """
    if sys.platform == "darwin":
        import fcntl  # noqa: PLC0415 - Windows has no such module

        return os.fsdecode(fcntl.fcntl(descriptor, _GET_PATH, bytes(_LONGEST)).rstrip(b"\0"))
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")  # noqa: PTH115 - texts, for speed
    except OSError:
        return None
