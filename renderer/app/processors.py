"""How many processors this run may use."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def processors() -> int:
    """Those that the system gives this process, and no more than the container's share, rounded up."""
    affinity = getattr(os, "sched_getaffinity", None)  # macOS and Windows do not have it
    available = len(affinity(0)) if affinity else os.cpu_count() or 1
    with suppress(OSError, ValueError):
        quota, period = _QUOTA.read_text(encoding="ascii").split()
        available = min(available, -(-int(quota) // int(period)))
    return max(available, 1)
