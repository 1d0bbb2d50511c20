"""The command ``vmrender``: its table of commands, loaded on use, and the single handler of errors."""

from __future__ import annotations

import atexit
import errno
import gc
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from contextvars import copy_context
from io import StringIO
from typing import Any

import click

from renderer import __version__
from renderer.cli import COLLECT_AFTER
from renderer.cli.command import LazyGroup

#: Every command and its line in ``--help``. Its module has its name, so that ``--help`` imports no command.
COMMANDS = {
    "argocd": "Run as a config management plugin of Argo CD.",
    "build": "Compose one overlay or catalog folder and print it.",
    "cache": "Show or remove the results of earlier runs.",
    "catalog": "List, show, compare, export and import instance types and preferences.",
    "completion": "Print a script that lets a shell complete commands, options and overlays.",
    "customize": "Make a customised copy of an instance type or preference.",
    "diff": "Compare rendered overlays with a Git revision, and say what changes for virtual machines.",
    "expand": "Expand the virtual machines in files.",
    "explain": "Say what a diagnostic code means, or where a rendered field comes from.",
    "fix": "Apply the one right answer of each finding to the sources.",
    "fn": "Run as a KRM function.",
    "help": "Print the help of a command.",
    "import": "Make sources in Git from the objects of a cluster.",
    "init": "Start a project: its file, a first overlay, hooks and a pipeline.",
    "migrate": "Rewrite deprecated fields, values and API versions in source files.",
    "pin": "Keep instance types and preferences of virtual machines as they are now.",
    "plan": "Distribute the overlays among several workers.",
    "render": "Render every overlay of the project into its folder.",
    "schema": "List, export and import the JSON Schemas that manifests are validated against.",
    "unpin": "Let pinned virtual machines follow the catalog again.",
    "validate": "Check files, folders or the whole project.",
    "version": "Print the version.",
}

#: The name under which flux starts us (fluxcd/flux2 ``rfcs/0013-cli-plugin-system``).
_FLUX_PLUGIN = "flux-vmrender"
#: The value of ``ExitCode.UNUSABLE``, which ``--version`` does not import.
_UNREADABLE = 2
#: The file descriptor of standard error.
_STANDARD_ERROR = 2
_RAISE = "raise the limit of this process"
#: What shells and containers limit, by the error of the system.
_LIMITS = {
    errno.EMFILE: "ulimit -n",
    errno.ENFILE: "fs.file-max",
    errno.EFBIG: "ulimit -f",
    errno.ENOMEM: "ulimit -v, or the limit of the container",
    errno.EAGAIN: "ulimit -u; or a standard stream does not wait for its reader",
}
_CRASH = """\
vmrender {version}: this is a bug in vmrender, not in your repository. Please report it with the lines above
{where}
"""


class Vmrender(LazyGroup):
    """The root command; turns any exception of a command into an exit code."""

    summaries = COMMANDS
    _context: click.Context | None = None

    # click's own signature does not type the other arguments.
    def main(self, args: Sequence[str] | None = None, *_args: Any, **extra: Any) -> Any:  # noqa: ANN401
        gc.set_threshold(COLLECT_AFTER)
        _replace_closed_streams()
        _write_whole()
        _write_utf8()
        # Settings of a run, such as limits, end with it.
        code = copy_context().run(self._exit_code, args, extra.get("prog_name") or _program_name())
        if args is None:  # this process is ours
            atexit.register(_end_process, code)
        sys.exit(code)

    def _main_shell_completion(self, *args: Any, **extra: Any) -> None:  # noqa: ANN401 - click's own
        shell, _, action = os.environ.get("_VMRENDER_COMPLETE", "").partition("_")
        if shell == "powershell":
            from renderer.cli import powershell  # noqa: PLC0415 - only the shell asks

            powershell.register()
        if action == "complete":
            self._check_typed_words(shell)
        super()._main_shell_completion(*args, **extra)

    def _check_typed_words(self, shell: str) -> None:
        """Refuse variables that no completion script sets. Raises ``click.UsageError``."""
        from click.shell_completion import get_completion_class  # noqa: PLC0415 - only the shell asks

        protocol = get_completion_class(shell)
        try:
            if protocol is not None:
                protocol(self, {}, "", "").get_completion_args()
        except (KeyError, ValueError, IndexError):
            raise click.UsageError(
                "COMP_WORDS and COMP_CWORD are not what the script of vmrender completion sets"
            ) from None

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - as below
        self._context = ctx  # its choices, such as the format, also apply to errors
        if os.environ.get("VMRENDER_LIMITS"):
            from renderer.cli.options import apply_limits  # noqa: PLC0415 - not for --version

            apply_limits(os.environ["VMRENDER_LIMITS"])
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # its reader closed the pipe, as `head` does; click would exit with 1
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0

    def _exit_code(self, args: Sequence[str] | None, prog_name: str) -> int:
        try:
            return super().main(args, prog_name=prog_name, standalone_mode=False) or 0
        except click.FileError as error:  # standard output, as on a full disk
            _write_error(f"Error: cannot write to {error.ui_filename}: {error.message}")
            return _UNREADABLE
        except click.ClickException as error:
            from renderer.model.run.taint import noted_masking  # noqa: PLC0415 - not for --version

            shown = StringIO()
            error.show(shown)
            _write_error(noted_masking().mask(shown.getvalue()))  # it may name what the run has read
            return error.exit_code
        except (click.Abort, KeyboardInterrupt):
            _write_error("interrupted")
            return 130
        except Exception as error:  # noqa: BLE001 - the one door
            if isinstance(error, FileNotFoundError) and not _has_working_directory():
                _write_error("Error: the working directory was deleted; change to another one\n")
                return _UNREADABLE
            exhausted = _exhausted(error)
            if exhausted:
                _write_error(f"Error: {exhausted}\n")
                return _UNREADABLE
            if isinstance(error, OSError) and error.filename is None:  # a stream, as on a full disk
                _write_error(f"Error: cannot write to standard output or error: {error.strerror or error}\n")
                return _UNREADABLE
            return _report_error(error, self._context)


def _program_name() -> str:
    """Return what the user typed: as a plugin, the program is started by ``flux vmrender``."""
    name, _ = os.path.splitext(os.path.basename(sys.argv[0]))  # noqa: PTH119, PTH122 - without pathlib
    return "flux vmrender" if name == _FLUX_PLUGIN else "vmrender"


def _exhausted(error: Exception) -> str:
    """Say which limit of the system ended the command, and at which file; empty for any other error."""
    if isinstance(error, MemoryError):
        return f"vmrender ran out of memory; {_RAISE} (ulimit -v, or the limit of the container)"
    if isinstance(error, RuntimeError) and "start new thread" in str(error):
        return f"the system starts no more threads; {_RAISE} (ulimit -u or -v)"
    if not isinstance(error, OSError) or error.errno not in _LIMITS:
        return ""
    written = "standard output or error" if error.errno == errno.EFBIG else ""
    file = f"{error.filename or written}: " if error.filename or written else ""
    return f"{file}{error.strerror}; {_RAISE} ({_LIMITS[error.errno]})"


def _end_process(code: int) -> None:
    """End the process at once: freeing every object first would take a tenth of the time of a short run."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:  # its reader closed the pipe
        pass
    except OSError as error:
        if code != _UNREADABLE:  # else the command has said so
            _write_error(f"Error: cannot write to standard output: {error.strerror}\n")
        code = _UNREADABLE
    os._exit(code)


class _ClosedOutput(io.TextIOBase):
    """Standard output of a program that was started without one (``>&-``): every write fails."""

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        if text:
            raise click.FileError("standard output", "it is closed")
        return 0


def _replace_closed_streams() -> None:
    """Replace closed standard streams, for which Python has None.

    Their descriptors are occupied as well: otherwise one of our files could get such a descriptor, and output
    to the stream would go into the file.
    """
    if None not in (sys.stdin, sys.stdout, sys.stderr):
        return
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= _STANDARD_ERROR:
        pass
    os.close(descriptor)
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115 - until the end
    sys.stdout = sys.stdout or _ClosedOutput()
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - as above


def _write_whole() -> None:
    """Buffer standard output if Python does not (``PYTHONUNBUFFERED``, as in many containers).

    Python without a buffer loses what the system does not write at once, as on a full disk, and goes on.
    """
    stream = sys.stdout
    if isinstance(stream, io.TextIOWrapper) and isinstance(stream.buffer, io.RawIOBase):
        sys.stdout = open(  # noqa: SIM115 - the descriptor, until the end
            stream.fileno(), "w", encoding=stream.encoding, errors=stream.errors, closefd=False
        )


def _write_utf8() -> None:
    """Make standard output accept every character and keep line feeds, as on Linux.

    On Windows, a console or pipe has the encoding of the locale, which cannot encode most manifests, and
    another line ending. Standard error escapes characters that its encoding lacks.
    """
    stream = sys.stdout
    if isinstance(stream, io.TextIOWrapper) and (stream.encoding.lower() != "utf-8" or os.linesep != "\n"):
        stream.reconfigure(encoding="utf-8", errors=stream.errors, newline="\n")


def _has_working_directory() -> bool:
    try:
        os.getcwd()  # noqa: PTH109 - only whether there is one
    except FileNotFoundError:
        return False
    return True


def _write_error(text: str) -> None:
    from renderer.cli.terminal import write_text  # noqa: PLC0415 - not for --version

    with suppress(OSError):  # there is nowhere else to report it
        write_text(text, err=True)


def _report_error(error: Exception, context: click.Context | None) -> int:
    """Report diagnostics, in the format chosen in ``context``, or a crash; return the exit code."""
    from renderer.findings.located import LocatedError  # noqa: PLC0415 - not for --version
    from renderer.model.diagnostic import DiagnosticError  # noqa: PLC0415 - as above
    from renderer.model.run.work import WorkLimitError  # noqa: PLC0415 - as above

    if isinstance(error, DiagnosticError | LocatedError | WorkLimitError) and context:
        from renderer.cli.console import ExitCode, ReportTarget, report  # noqa: PLC0415 - as above
        from renderer.findings.run_findings import locate  # noqa: PLC0415 - as above
        from renderer.model.run.taint import learn_nothing  # noqa: PLC0415 - as above

        with context.scope(cleanup=False):
            fs = ReportTarget.current().fs
            try:
                if isinstance(error, DiagnosticError):
                    return report(fs, locate(fs, error.diagnostics))
                if isinstance(error, LocatedError):
                    return report(fs, error.diagnostics)
            except WorkLimitError as limit:
                error = limit
            learn_nothing()
            report(fs, locate(fs, [error.diagnostic]))
            return ExitCode.UNUSABLE
    from traceback import format_exception  # noqa: PLC0415 - as above

    _write_error("".join(format_exception(error)))
    from renderer.files.installation import published_addresses  # noqa: PLC0415 - as above

    issues = published_addresses().issues
    where = f"at {issues}" if issues else "where you got vmrender from."
    _write_error(_CRASH.format(version=__version__, where=where) + "\n")
    return 3


@click.group(cls=Vmrender, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="vmrender")
def main() -> None:
    """Render KubeVirt virtual machines from Git: composed, expanded, validated, without a cluster."""
