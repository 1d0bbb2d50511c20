"""``vmrender render`` in a forked process, so that a kill hits its work and not its imports."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from pathlib import Path
from unittest import mock

from click.testing import CliRunner

from renderer.cli.app import main


def started(root: Path, log: Path | None = None, *, replaces: bool = False) -> int:
    """The process that renders the repository at ``root``; its standard error goes to ``log``.

    ``replaces``: file by file, as on systems that cannot exchange folders.
    """
    process = os.fork()
    if process:
        return process
    status = 70
    try:
        os.chdir(root)
        for descriptor, name in ((1, os.devnull), (2, str(log or os.devnull))):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), descriptor)
        if replaces:
            mock.patch("renderer.emit.write.exchange", return_value=False).start()
        sys.argv = ["vmrender", "render"]
        main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0
    except BaseException:  # noqa: BLE001 - the process ends here, whatever it was
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def render_here(root: Path) -> None:
    """In this process, which then has imported what those to come use."""
    os.chdir(root)
    run = CliRunner().invoke(main, ["render"], prog_name="vmrender", catch_exceptions=False)
    assert run.exit_code == 0, run.stderr


def wait(process: int) -> int:
    """The exit code, negative after a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def is_running(process: int) -> bool:
    """Does not take its status away."""
    return os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None


def kill(process: int) -> bool:
    """Return True if it was still running."""
    os.kill(process, signal.SIGKILL)
    return wait(process) == -signal.SIGKILL
