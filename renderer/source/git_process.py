"""The git binary, started with fixed arguments: the only other program that vmrender ever runs.

What git is told about a repository is read from that repository's own configuration too, which may have been
made by someone else. So nothing is asked that runs a filter, and what could start a program is switched off.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError

_OPTIONS = (
    "--no-pager",
    "--no-replace-objects",  # a revision is what was committed
    *("-c", "core.fsmonitor=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", f"core.attributesFile={os.devnull}"),
    *("-c", "protocol.allow=never"),
)

#: Variables of git that say whom to trust and where objects are; any other may point to another repository,
#: as those do that git sets for its hooks.
_KEPT = ("GIT_CONFIG", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH")
_KEPT_OF_A_HOOK = ("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH")

_SET = {
    "GIT_ALLOW_PROTOCOL": "none",  # what a partial clone lacks is not fetched, whatever it is told
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


class Answer(NamedTuple):
    """How git ended and what it wrote."""

    code: int
    output: str
    complaint: str


class GitProcess:
    """Runs git in one folder. ``environment`` is that of the command line."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        """Raises ``DiagnosticError``: git-unavailable when there is no git on the PATH."""
        self._command = (_binary(environment), "-C", str(folder), *_OPTIONS)
        kept = {
            name: value
            for name, value in environment.items()
            if not name.startswith("GIT_") or name.startswith(_KEPT) or name in _KEPT_OF_A_HOOK
        }
        self._environment = kept | _SET

    def run(self, *arguments: str) -> Answer:
        """Runs a git command to its end."""
        process = subprocess.Popen(  # noqa: S603 - the command is fixed, and there is no shell
            (*self._command, *arguments),
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        output, complaint = process.communicate()
        return Answer(process.returncode, os.fsdecode(output), os.fsdecode(complaint))

    def start(self, *arguments: str) -> Conversation:
        """Starts a git command that answers line by line."""
        return Conversation((*self._command, *arguments), self._environment)


class Conversation:
    """A program that reads requests and writes answers until it is closed."""

    def __init__(self, command: tuple[str, ...], environment: Mapping[str, str]) -> None:
        to_read, requests = os.pipe()
        answers, to_write = os.pipe()
        try:
            self._process = subprocess.Popen(  # noqa: S603 - as above
                command, env=environment, stdin=to_read, stdout=to_write, stderr=subprocess.DEVNULL
            )
        finally:
            os.close(to_read)
            os.close(to_write)
        self._requests = requests
        self._answers = os.fdopen(answers, "rb", buffering=1 << 16)

    def ask(self, request: bytes) -> bytes:
        """The first line of the answer, without its end; empty when the program has ended."""
        try:
            os.write(self._requests, request + b"\n")
        except BrokenPipeError:
            return b""
        return self._answers.readline().rstrip(b"\n")

    def read(self, size: int) -> bytes:
        """The next bytes of the answer."""
        return self._answers.read(size)

    def close(self) -> None:
        os.close(self._requests)
        self._answers.close()
        self._process.wait()


def _binary(environment: Mapping[str, str]) -> str:
    """Where git is; never in the folder one happens to stand in, which may be anybody's repository."""
    folders = [
        folder for folder in environment.get("PATH", "").split(os.pathsep) if Path(folder).is_absolute()
    ]
    found = shutil.which("git", path=os.pathsep.join(folders)) if folders else None
    if found is None or not Path(found).is_absolute():
        hint = "install git; only revisions and --tracked need it"
        raise DiagnosticError(
            Diagnostic(code=Code.GIT_UNAVAILABLE, message="there is no git on the PATH", hint=hint)
        )
    return found
