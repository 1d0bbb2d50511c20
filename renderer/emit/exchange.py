"""Two folders change places in one step, where the system can do that."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

#: What systems and file systems answer that cannot: no such call, no such flag, a mount, an image layer.
_CANNOT = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EXDEV, errno.EBUSY})


def exchange(one: Path, other: Path) -> bool:
    """Exchanges two paths atomically: at every moment each name stands for one of the two folders.

    False, and nothing done, where that is not possible. Raises ``OSError`` for every other failure.
    """
    error = _exchange(os.fsencode(one), os.fsencode(other))
    if error and error not in _CANNOT:
        raise OSError(error, os.strerror(error), str(one), None, str(other))
    return not error


def _exchange(one: bytes, other: bytes) -> int:
    """Zero or the error number. The standard library has no function for it, but the C library does."""
    import ctypes  # noqa: PLC0415 - only runs that change something pay for it

    at_current_folder, exchange_flag = -100, 2
    if sys.platform == "win32":
        return errno.ENOSYS
    library = ctypes.CDLL(None, use_errno=True)
    if hasattr(library, "renameat2"):  # Linux
        status = library.renameat2(at_current_folder, one, at_current_folder, other, exchange_flag)
    elif hasattr(library, "renamex_np"):  # macOS
        status = library.renamex_np(one, other, exchange_flag)
    else:
        return errno.ENOSYS
    return ctypes.get_errno() if status else 0
