"""Runs commands of vmrender, one after the other, while Python reports what they ask of the system.

``python forbidding.py < COMMANDS``: one command a line, as typed after ``vmrender``. Prints the exit codes,
and what was asked for that no command may: a socket, a program that is not git, a file written elsewhere.
"""

from __future__ import annotations

import io
import json
import os
import shlex
import sys
from contextlib import redirect_stderr, redirect_stdout

FORBIDDEN = (
    *("socket.", "http.", "urllib.", "ssl.", "ftplib.", "smtplib.", "telnetlib.", "webbrowser."),
    *("os.exec", "os.fork", "os.forkpty", "os.spawn", "os.startfile", "os.system", "pty."),
)
#: From Python 3.13 on, subprocess reports both.
STARTING = ("subprocess.Popen", "os.posix_spawn")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
HERE = os.path.realpath(".")  # noqa: PTH114, RUF100 - before anything is watched
CACHE = os.path.realpath(os.environ.get("XDG_CACHE_HOME", "."))
attempts: list[str] = []


def hook(event: str, arguments: tuple[object, ...]) -> None:
    if is_forbidden(event, arguments):
        attempts.append(f"{event} {arguments!r}"[:300])
        raise PermissionError(f"forbidden: {event}")


def is_forbidden(event: str, arguments: tuple[object, ...]) -> bool:
    if event in STARTING:
        return os.path.basename(str(arguments[0])) != "git"  # noqa: PTH119 - no imports while watching
    if event == "open":
        return is_write_elsewhere(*arguments)
    return event.startswith(FORBIDDEN)


def is_write_elsewhere(path: object, _mode: object, flags: object) -> bool:
    if not isinstance(path, str | bytes) or not isinstance(flags, int) or not flags & WRITING:
        return False
    place = os.path.realpath(os.fsdecode(path))
    return place != os.devnull and not (place + "/").startswith((HERE + "/", CACHE + "/"))


def run(command: str) -> int:
    from renderer.cli.app import main  # noqa: PLC0415 - watched, too

    given = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(os.environb.get(b"GIVEN", b"")))
    sys.argv = ["vmrender", *shlex.split(command)]
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    finally:
        sys.stdin = given
    return 0


if __name__ == "__main__":
    wanted = [line.strip() for line in sys.stdin if line.strip()]
    sys.dont_write_bytecode = True
    sys.addaudithook(hook)
    codes = {command: run(command) for command in wanted}
    print(json.dumps({"codes": codes, "attempts": attempts}))
