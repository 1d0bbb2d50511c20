"""Denies the network to the tests and to every program that they start.

On Linux the kernel refuses (``seccomp(2)``), for this process and all its descendants, including git and
bash, and this cannot be undone. Only sockets between local processes are left. Elsewhere, Python reports
the calls of this process (``sys.addaudithook``), which costs time for each call of any kind.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import socket
import struct
import sys

_LOCAL = getattr(socket, "AF_UNIX", -1)

#: By ``platform.machine()``: the numbers of ``socket(2)``, ``seccomp(2)`` and, for ``audit(8)``, the machine.
_SYSTEM_CALLS = {"x86_64": (41, 317, 0xC000003E), "aarch64": (198, 277, 0xC00000B7)}
_SET_NO_NEW_PRIVILEGES = 38
_SET_MODE_FILTER = 1
#: All threads (TSYNC), and none slower for it (SPEC_ALLOW).
_FLAGS = 1 | 4

# BPF, as linux/bpf_common.h has it: load a word, jump if equal, return.
_LOAD, _IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.EACCES
# Where in struct seccomp_data, of a machine whose low word comes first.
_NUMBER, _MACHINE, _FIRST_ARGUMENT = 0, 4, 16


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def forbid_network() -> None:
    """For the rest of this process's life."""
    if not _is_refused():  # otherwise the parent process has done it
        _refuse_by_kernel()
    if not _is_refused():
        sys.addaudithook(_refuse)


def _is_refused() -> bool:
    try:
        socket.socket(socket.AF_INET).close()
    except PermissionError:
        return True
    return False


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    if not event.startswith("socket."):
        return
    is_local = event == "socket.__new__" and arguments[1] in (_LOCAL, -1)
    is_looked_up = event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")
    if is_looked_up or (event == "socket.__new__" and not is_local):
        raise PermissionError(errno.EACCES, "the tests may not use the network")


def _refuse_by_kernel() -> None:
    """Do nothing where the kernel is another or does not let us."""
    numbers = _SYSTEM_CALLS.get(platform.machine())
    if sys.platform != "linux" or numbers is None:
        return
    call, seccomp, machine = numbers
    instructions = b"".join(
        struct.pack("=HBBI", *instruction)
        for instruction in (
            (_LOAD, 0, 0, _MACHINE),
            (_IF_EQUAL, 0, 5, machine),
            (_LOAD, 0, 0, _NUMBER),
            (_IF_EQUAL, 0, 3, call),
            (_LOAD, 0, 0, _FIRST_ARGUMENT),
            (_IF_EQUAL, 1, 0, _LOCAL),
            (_RETURN, 0, 0, _REFUSE),
            (_RETURN, 0, 0, _ALLOW),
        )
    )
    program = _Program(len(instructions) // 8, instructions)
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0:
        library.syscall(seccomp, _SET_MODE_FILTER, _FLAGS, ctypes.byref(program))
