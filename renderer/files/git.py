"""Run git in an untrusted repository, and read its objects.

No command that runs a filter is used, and every setting that could start a program is disabled.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from threading import Event, Thread
from typing import NamedTuple

from renderer.files.checkout import top_of_checkout
from renderer.files.disk import file_exists, folder_exists, path_exists
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.render_config import PROJECT_FILE
from renderer.model.run.limits import limit_hint, limits

_OPTIONS = (
    "--no-pager",
    "--no-replace-objects",  # replacement refs would show other content than was committed
    *("-c", "core.fsmonitor=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", f"core.attributesFile={os.devnull}"),
    *("-c", "protocol.allow=never"),
)

#: Git's variables for trusted owners and the location of objects; any other one may point to another
#: repository, such as the variables that git sets for its hooks.
_KEPT = ("GIT_CONFIG", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH")
_KEPT_OF_A_HOOK = ("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH")

_SET = {
    "GIT_GRAFT_FILE": f"{os.devnull}/none",  # nor do grafts change its parents
    "GIT_ALLOW_PROTOCOL": "none",  # missing objects of a partial clone are never fetched
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


_BARE_REPOSITORY = ("HEAD", "objects", "refs")
#: What git reads of any repository.
_PARTS = (*_BARE_REPOSITORY, "config")
_GIT_FILE = b"gitdir: "
_LONGEST_GIT_FILE = 8192

_DUBIOUS_OWNER = "dubious ownership in repository at"
TREE_MODE = "40000"
LINK_MODE = "120000"
SUBMODULE_MODE = "160000"
PARTIAL_CLONE_HINT = "in a partial clone, fetch the rest: git fetch --refetch --no-filter"


#: The seconds that a command may take, and that git may take for an answer in a conversation.
RUN_SECONDS, ANSWER_SECONDS = 60, 60
#: The seconds for a command that matches patterns of the tree: with a few stars, one keeps git busy for ever.
PATTERN_SECONDS = 5
_CHECK_SECONDS = 0.1
_SETTINGS = r"^core\.(autocrlf|eol|sparsecheckout)$"
#: Values by which a setting is on, as git-config(1) has them.
TRUE = ("true", "yes", "on", "1")


_SLOW_HINTS = {
    "check-attr": "a pattern in .gitattributes has too many stars: write the names of folders instead",
    "ls-files": "a pattern in .gitignore may have too many stars: write the names of folders instead",
}


class Answer(NamedTuple):
    """The exit code and the output of git."""

    code: int
    output: str
    error_output: str


class GitProcess:
    """Runs git in a folder, in the repository whose work tree contains that folder.

    Git itself treats any folder with ``HEAD``, ``objects`` and ``refs`` as a bare repository, and anyone can
    commit such a folder. Therefore this class looks for the nearest ``.git``, which no commit can contain,
    and tells git to use it. ``environment`` is the environment of the command line. ``top`` is the top of the
    work tree; None in a bare repository.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        """Find git and the repository of ``folder``. Raises ``DiagnosticError``: git-unavailable."""
        self._binary = _binary(environment)
        self._command: tuple[str, ...] = ()
        self.folder = folder
        kept = {
            name: value
            for name, value in environment.items()
            if not name.startswith("GIT_") or name.startswith(_KEPT) or name in _KEPT_OF_A_HOOK
        }
        self._environment = kept | _SET
        self.top = top_of_checkout(folder, environment)
        if self.top is None:
            self._use_bare_repository(folder)
        else:
            self._use_checkout(self.top)
        self._command = (self._binary, "-C", str(folder), *_OPTIONS)

    def _use_checkout(self, top: Path) -> None:
        expected = _git_folder(top)
        # Git searches for the folder as well, because only then does it check the owner.
        self._command = (self._binary, "-C", str(top), *_OPTIONS, "-c", "safe.bareRepository=explicit")
        self._check_discovered(expected)
        self._environment |= {"GIT_DIR": str(expected), "GIT_WORK_TREE": str(top)}

    def _use_bare_repository(self, folder: Path) -> None:
        """Use ``folder``, unless it has a project file: a bare repository tracks no files of a folder."""
        if not all(path_exists(folder / name) for name in _BARE_REPOSITORY) or path_exists(
            folder / PROJECT_FILE
        ):
            raise _not_in_repository(folder)
        self._command = (self._binary, "-C", str(folder), *_OPTIONS)
        self._check_discovered(folder)
        self._environment |= {"GIT_DIR": str(folder)}

    def _check_discovered(self, expected: Path) -> None:
        answer = self.run("rev-parse", "--absolute-git-dir")
        if answer.code:
            raise not_usable(self.folder, answer)
        found = answer.output.removesuffix("\n")
        if os.path.realpath(found) != os.path.realpath(expected):
            message = f"git would use {found} as the repository of {self.folder}, and not {expected}"
            raise Diagnostic(Code.GIT_UNAVAILABLE, message, hint="repair or remove the latter").error()

    def run(self, *arguments: str, allowance: Allowance | None = None) -> Answer:
        """Run a git command and wait for its end. Raises ``DiagnosticError``: git-unavailable."""
        allowance, start = allowance or Allowance(RUN_SECONDS), time.monotonic()
        process = subprocess.Popen(  # noqa: S603 - the command is fixed, and there is no shell
            (*self._command, *arguments),
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            output, error_output = process.communicate(timeout=max(0, allowance.left))
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise _too_slow(arguments, allowance.seconds) from None
        finally:
            allowance.take(time.monotonic() - start)
        return Answer(process.returncode, os.fsdecode(output), os.fsdecode(error_output))

    @cached_property
    def settings(self) -> Mapping[str, str]:
        """What Git is told about the files of a checkout, by name, in small letters; ``TRUE`` if it is on."""
        lines = self.run("config", "--get-regexp", _SETTINGS).output.lower().splitlines()
        parts = (line.partition(" ") for line in lines)
        return {name: value if has_value else TRUE[0] for name, has_value, value in parts}

    def id_of(self, revision: str) -> str:
        """Return the id of a revision, whose object may be missing; empty if there is none."""
        return self.run("rev-parse", "--verify", "--quiet", revision).output.strip()

    def origin(self) -> str:
        """Return the URL of the remote ``origin``; empty if there is none."""
        return self.run("remote", "get-url", "origin").output.rstrip("\n")

    def start(self, *arguments: str, allowance: Allowance | None = None, **variables: str) -> Conversation:
        """Start a git command that answers line by line, with ``variables`` in its environment."""
        allowance = allowance or Allowance(ANSWER_SECONDS)
        return Conversation((*self._command, *arguments), self._environment | variables, arguments, allowance)


class Allowance:
    """The seconds that all answers of one or more conversations may take, and a little more for each answer.

    A pattern in ``.gitattributes`` can keep git busy for ever, or for a while for each file of each commit.
    An answer usually takes a hundredth of what each adds.
    """

    _MORE_FOR_EACH = 0.001

    def __init__(self, seconds: float) -> None:
        self.seconds = self.left = seconds

    def take(self, seconds: float) -> None:
        self.left = min(self.seconds, self.left - seconds + self._MORE_FOR_EACH)


class Conversation:
    """A program that reads requests and writes answers until it is closed, or until it takes too long.

    ``named`` are the words that name it in a message.
    """

    def __init__(
        self,
        command: tuple[str, ...],
        environment: Mapping[str, str],
        named: tuple[str, ...],
        allowance: Allowance,
    ) -> None:
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
        self._named, self._allowance = named, allowance
        self._watch: _Watch | None = None

    def ask(self, request: bytes, lines: int = 1) -> bytes:
        """Send a request; return the first lines of the answer, empty if the program has ended.

        Raises ``DiagnosticError`` (git-unavailable) if it takes too long.
        """
        with self._waiting():
            try:
                os.write(self._requests, request + b"\n")
            except BrokenPipeError:
                return b""
            return b"".join(self._answers.readline() for _ in range(lines)).rstrip(b"\n")

    def read(self, size: int) -> bytes:
        """Return the next bytes of the answer. Raises ``DiagnosticError``, as ``ask`` does."""
        with self._waiting():
            return self._answers.read(size)

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        if self._watch is None:
            self._watch = _Watch(self._process)
        start = time.monotonic()
        self._watch.deadline = start + self._allowance.left
        yield
        self._watch.deadline = None
        self._allowance.take(time.monotonic() - start)
        if self._watch.has_ended_it:
            raise _too_slow(self._named, self._allowance.seconds)

    def close(self) -> None:
        os.close(self._requests)
        self._answers.close()
        if self._watch is not None:
            self._watch.end()
        try:
            self._process.wait(timeout=_CHECK_SECONDS)
        except subprocess.TimeoutExpired:  # it is busy with a request
            self._process.kill()
            self._process.wait()


class _Watch:
    """A thread that ends a program at a deadline; on some systems, no call reads a pipe with a time limit."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.deadline: float | None = None
        self.has_ended_it = False
        self._process = process
        self._ended = Event()
        self._thread = Thread(target=self._watch, daemon=True)
        self._thread.start()

    def end(self) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(_CHECK_SECONDS):
            deadline = self.deadline
            if deadline is not None and time.monotonic() > deadline:
                self.has_ended_it = True
                self._process.kill()
                return


def _too_slow(arguments: tuple[str, ...], seconds: float) -> DiagnosticError:
    command = next((each for each in arguments if not each.startswith("-")), "")
    return Diagnostic(
        Code.GIT_UNAVAILABLE,
        f"git {command} takes more than {seconds:g} seconds",
        hint=_SLOW_HINTS.get(command, "try it by hand; git fsck and git gc may help"),
    ).error()


def _git_folder(top: Path) -> Path:
    """Return the folder ``.git``, or the folder that it names if it is a file (gitrepository-layout(5))."""
    place = top / ".git"
    if not file_exists(place):
        return place
    with place.open("rb") as file:
        content = file.read(_LONGEST_GIT_FILE)
    return top / os.fsdecode(content.removeprefix(_GIT_FILE).rstrip(b"\r\n"))


def _not_in_repository(folder: Path) -> DiagnosticError:
    return Diagnostic(
        Code.GIT_UNAVAILABLE, f"{folder} is not in a Git repository", hint="run it in a clone, or git init"
    ).error()


def not_usable(folder: Path, answer: Answer) -> DiagnosticError:
    """Return the error git-unavailable for a failure of git in a folder, with a hint."""
    error_output = answer.error_output.partition("\n")[0].removeprefix("fatal: ")
    if unreadable := _unreadable_part(folder):
        message = f"git cannot use the repository of {folder}: {unreadable} cannot be read"
        return Diagnostic(Code.GIT_UNAVAILABLE, message, hint="give this user access to it").error()
    if "not a git repository" in error_output:
        return _not_in_repository(folder)
    _, dubious, place = error_output.partition(_DUBIOUS_OWNER)
    hint = f"git config --global --add safe.directory {place.strip()}" if dubious else None
    return Diagnostic(
        Code.GIT_UNAVAILABLE, f"git cannot use the repository of {folder}: {error_output}", hint=hint
    ).error()


def _unreadable_part(folder: Path) -> Path | None:
    """Return what cannot be read of the repository of a folder; git says that there is no repository then."""
    top = top_of_checkout(folder, {})
    if top is None:
        return None
    places = [top / ".git"]
    if os.access(places[0], os.R_OK):
        found = _git_folder(top)
        places += [found, *(found / name for name in _PARTS)]
    for place in places:
        needed = os.R_OK | os.X_OK if folder_exists(place) else os.R_OK
        if os.path.lexists(place) and not os.access(place, needed):
            return place
    return None


def _binary(environment: Mapping[str, str]) -> str:
    """Return the path of git; never in the working directory, which may be an untrusted repository."""
    folders = [
        folder for folder in environment.get("PATH", "").split(os.pathsep) if Path(folder).is_absolute()
    ]
    found = shutil.which("git", path=os.pathsep.join(folders)) if folders else None
    if found is None or not Path(found).is_absolute():
        hint = "install git; only revisions and --tracked need it"
        raise Diagnostic(Code.GIT_UNAVAILABLE, "there is no git on the PATH", hint=hint).error()
    return found


class TreeEntry(NamedTuple):
    """An entry of a tree: the mode as Git writes it, and the object's id in hexadecimal."""

    mode: str
    oid: str


class GitObject(NamedTuple):
    """``kind`` is ``commit``, ``tree``, ``blob`` or ``tag``."""

    oid: str
    kind: str
    content: bytes


#: Bytes of blobs that are kept: most revisions have most files in common, and many overlays read a base.
_KEPT_BYTES = 16 << 20


class GitObjects:
    """Reads objects. One process answers all requests; it starts with the first one."""

    def __init__(self, git: GitProcess) -> None:
        self._git = git
        self._conversation: Conversation | None = None
        self._trees: dict[str, dict[str, TreeEntry]] = {}
        #: The symbolic links in trees and below, relative to each, by its id: revisions share most trees.
        self.links: dict[str, tuple[str, ...]] = {}
        self._blobs: dict[str, GitObject] = {}
        self._bytes_of_blobs = 0

    def find(self, name: str) -> GitObject | None:
        """Return the object for an id or a name such as ``main``; None if there is none.

        Raises ``DiagnosticError``: git-revision for an ambiguous name, yaml-limit for an object that is too
        large, git-unavailable if git does not answer.
        """
        if self._conversation is None:
            self._conversation = self._git.start("cat-file", "--batch")
        header = self._conversation.ask(os.fsencode(name)).decode(errors="replace")
        subject, _, last = header.rpartition(" ")
        if last in ("missing", "submodule"):
            return None
        if not header:  # git before 2.45 exits if a partial clone lacks an object
            self.close()
            return None
        if last == "ambiguous":
            raise Diagnostic(
                Code.GIT_REVISION,
                f"{subject} is the beginning of several names",
                hint="write more characters of the name",
            ).error()
        if not last.isdigit():
            raise Diagnostic(Code.GIT_UNAVAILABLE, f"git cat-file does not answer: {header}").error()
        oid, kind = subject.split(" ")
        if int(last) > limits().file_size:
            self.close()  # otherwise the whole object would have to be read
            raise Diagnostic(
                Code.YAML_LIMIT,
                f"the {kind} {oid} is larger than {limits().file_size} bytes",
                hint=limit_hint("file_size"),
            ).error()
        content = self._conversation.read(int(last))
        self._conversation.read(1)  # the line end after it
        return GitObject(oid, kind, content)

    def blob(self, oid: str) -> GitObject | None:
        """Return the object for an id, as ``find`` does, and keep it while there is room."""
        known = self._blobs.get(oid)
        if known is not None:
            return known
        found = self.find(oid)
        if found is None or len(found.content) > _KEPT_BYTES:
            return found
        self._blobs[oid] = found
        self._bytes_of_blobs += len(found.content)
        while self._bytes_of_blobs > _KEPT_BYTES:
            oldest = self._blobs.pop(next(iter(self._blobs)))
            self._bytes_of_blobs -= len(oldest.content)
        return found

    def tree(self, oid: str) -> dict[str, TreeEntry]:
        """Return the entries of a tree, which is read once. Raises ``DiagnosticError``: git-revision."""
        if oid not in self._trees:
            found = self.find(oid)
            if found is None:
                raise Diagnostic(
                    Code.GIT_REVISION, f"tree {oid} is not in this clone", hint=PARTIAL_CLONE_HINT
                ).error()
            self._trees[oid] = parse_tree(found.content, len(oid) // 2)
        return self._trees[oid]

    def close(self) -> None:
        if self._conversation is not None:
            self._conversation.close()
            self._conversation = None


def parse_tree(content: bytes, oid_size: int) -> dict[str, TreeEntry]:
    """Parse a tree object: entries ``<mode> <name> NUL <id>``, the id ``oid_size`` raw bytes long.

    Raises ``DiagnosticError``: git-revision for any other form.
    """
    entries: dict[str, TreeEntry] = {}
    position = 0
    while position < len(content):
        end = content.find(b"\0", position)
        mode, space, name = content[position:end].partition(b" ")
        position = end + 1 + oid_size
        if end < 0 or not space or position > len(content):
            raise Diagnostic(
                Code.GIT_REVISION, "a tree of this revision is damaged", hint="git fsck says more"
            ).error()
        oid = content[end + 1 : position].hex()
        entries[os.fsdecode(name)] = TreeEntry(mode.decode(errors="replace").lstrip("0"), oid)
    return entries
