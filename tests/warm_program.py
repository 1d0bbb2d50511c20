"""A ``vmrender`` that starts in milliseconds, for tests that run it as hooks, pipelines and people do.

``install`` writes a program that hands its arguments, environment, working directory and streams to a server,
which has imported all of vmrender, and which forks to run them. A test of start-up, of imports, of signals or
of closed streams needs the real program: ``python -m renderer``.
"""

from __future__ import annotations

import atexit
import gc
import io
import marshal
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from pkgutil import walk_packages

import renderer
from renderer.cli.app import main

ROOT = Path(__file__).parents[1]
#: Descriptors passed with a request: the three streams and the working directory.
_DESCRIPTORS = 4
#: How long a server waits before it looks whether the tests still run, in seconds.
_PATIENCE = 2.0

# Written without slow modules; it becomes the real program if there is no server.
_CLIENT = """\
#!{python} -IS
import _socket, marshal, posix, resource, sys
try:
    server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    server.connect({address!r})
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    request = marshal.dumps((sys.argv[1:], dict(posix.environ), limit))
    streams = b"".join(n.to_bytes(4, sys.byteorder) for n in (0, 1, 2, posix.open(".", posix.O_RDONLY)))
    head = len(request).to_bytes(4, "big")
    server.sendmsg([head], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
    server.sendall(request)
except OSError:
    posix.execve({python!r}, [{python!r}, "-m", "renderer", *sys.argv[1:]], posix.environ)
posix._exit((server.recv(1) or b"\\x46")[0])
"""


def install(program: Path) -> None:
    """Write ``program``, which does what ``python -m renderer`` does."""
    program.write_text(_CLIENT.format(python=sys.executable, address=_server()), encoding="utf-8")
    program.chmod(0o755)


@cache
def command() -> str:
    """Return the path of a program of this test run."""
    program = Path(_server()).with_name("vmrender")
    install(program)
    return str(program)


@cache
def _server() -> str:
    """Start the server of this test run; return the address that it listens at."""
    folder = tempfile.TemporaryDirectory(prefix="vmrender-")
    address = f"{folder.name}/socket"
    server = subprocess.Popen([sys.executable, "-m", "tests.warm_program", address], cwd=ROOT)
    for end in (folder.cleanup, server.wait, server.terminate):  # called in the opposite order
        atexit.register(end)
    while not Path(address).exists():
        assert server.poll() is None, "the server ended"
        time.sleep(0.01)
    return address


def serve(address: str) -> None:
    """Run each request in a fork of this process, while its parent process exists."""
    for module in walk_packages(renderer.__path__, "renderer."):
        if not module.name.endswith("__main__"):
            __import__(module.name)
    gc.freeze()
    parent = os.getppid()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(f"{address}.new")
        listening.listen(64)
        Path(f"{address}.new").rename(address)
        listening.settimeout(_PATIENCE)
        while os.getppid() == parent:
            try:
                client, _ = listening.accept()
            except TimeoutError:
                continue
            if os.fork() == 0:
                listening.close()
                _serve_one(client)
            client.close()


def _serve_one(client: socket.socket) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    client.settimeout(None)
    head, streams, _, _ = socket.recv_fds(client, 4, _DESCRIPTORS)
    with client.makefile("rb") as requests:
        arguments, environment, limit = marshal.loads(  # noqa: S302 - from the client above
            requests.read(int.from_bytes(head, "big"))
        )
    for number, stream in enumerate(streams[:3]):
        os.dup2(stream, number)
        os.close(stream)
    os.fchdir(streams[3])
    os.close(streams[3])
    os.environ.clear()
    os.environ.update({os.fsdecode(name): os.fsdecode(value) for name, value in environment.items()})
    resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    code = _run(arguments)
    client.send(bytes([code & 0xFF]))
    os._exit(code)


def _run(arguments: list[str]) -> int:
    """Run the command line as the interpreter would; return its exit code."""
    sys.argv = ["vmrender", *arguments]
    sys.stdin = _stream(0, "rb", "surrogateescape")
    sys.stdout = _stream(1, "wb", "strict")
    sys.stderr = _stream(2, "wb", "backslashreplace")
    try:
        main(prog_name="vmrender")
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    else:
        code = 0
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        code = code or 120
    return code


def _stream(descriptor: int, mode: str, errors: str) -> io.TextIOWrapper:
    raw = os.fdopen(descriptor, mode, closefd=False)
    return io.TextIOWrapper(
        raw, encoding="utf-8", errors=errors, line_buffering=raw.isatty(), write_through=descriptor == 2
    )


if __name__ == "__main__":
    serve(sys.argv[1])
