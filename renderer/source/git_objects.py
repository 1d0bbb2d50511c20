"""Git's objects by name, from one ``git cat-file`` that runs as long as it is asked."""

from __future__ import annotations

import os
from typing import NamedTuple

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.limits import limit_hint, limits
from renderer.source.git_process import Conversation, GitProcess

TREE_MODE = "40000"
LINK_MODE = "120000"
SUBMODULE_MODE = "160000"

PARTIAL_CLONE_HINT = "in a partial clone, fetch the rest: git fetch --refetch --no-filter"


class TreeEntry(NamedTuple):
    """What a tree says of one name: the mode as Git writes it, and the object's id in hexadecimal."""

    mode: str
    oid: str


class GitObject(NamedTuple):
    """``kind`` is ``commit``, ``tree``, ``blob`` or ``tag``."""

    oid: str
    kind: str
    content: bytes


class GitObjects:
    """Reads objects. One process serves all questions; it starts with the first."""

    def __init__(self, git: GitProcess) -> None:
        self._git = git
        self._conversation: Conversation | None = None
        self._trees: dict[str, dict[str, TreeEntry]] = {}

    def find(self, name: str) -> GitObject | None:
        """What a name such as ``main`` or an id means; None when it means nothing here.

        Raises ``DiagnosticError``: git-revision for a name that several objects have, yaml-limit for one that
        is too large, git-unavailable when git does not answer.
        """
        if self._conversation is None:
            self._conversation = self._git.start("cat-file", "--batch")
        header = self._conversation.ask(os.fsencode(name)).decode(errors="replace")
        subject, _, last = header.rpartition(" ")
        if last in ("missing", "submodule"):
            return None
        if not header:  # it ended, as git before 2.45 does where a partial clone lacks an object
            self.close()
            return None
        if last == "ambiguous":
            raise _error(
                Code.GIT_REVISION, f"{subject} is the beginning of several names", "write more of it"
            )
        if not last.isdigit():
            raise _error(Code.GIT_UNAVAILABLE, f"git cat-file does not answer: {header}")
        oid, kind = subject.split(" ")
        if int(last) > limits().file_size:
            self.close()  # or all of it would have to be read
            raise _error(
                Code.YAML_LIMIT,
                f"the {kind} {oid} is larger than {limits().file_size} bytes",
                limit_hint("file_size"),
            )
        content = self._conversation.read(int(last))
        self._conversation.read(1)  # the line end after it
        return GitObject(oid, kind, content)

    def tree(self, oid: str) -> dict[str, TreeEntry]:
        """The names in a tree, which is read once. Raises ``DiagnosticError``: git-revision."""
        if oid not in self._trees:
            found = self.find(oid)
            if found is None:
                raise _error(Code.GIT_REVISION, f"tree {oid} is not in this clone", PARTIAL_CLONE_HINT)
            self._trees[oid] = parse_tree(found.content, len(oid) // 2)
        return self._trees[oid]

    def close(self) -> None:
        if self._conversation is not None:
            self._conversation.close()
            self._conversation = None


def parse_tree(content: bytes, oid_size: int) -> dict[str, TreeEntry]:
    """The entries of a tree object: ``<mode> <name> NUL <id>`` each, the id ``oid_size`` raw bytes long.

    Raises ``DiagnosticError``: git-revision for what has another form.
    """
    entries: dict[str, TreeEntry] = {}
    position = 0
    while position < len(content):
        end = content.find(b"\0", position)
        mode, space, name = content[position:end].partition(b" ")
        position = end + 1 + oid_size
        if end < 0 or not space or position > len(content):
            raise _error(Code.GIT_REVISION, "a tree of this revision is damaged", "git fsck tells more")
        oid = content[end + 1 : position].hex()
        entries[os.fsdecode(name)] = TreeEntry(mode.decode(errors="replace").lstrip("0"), oid)
    return entries


def _error(code: Code, message: str, hint: str | None = None) -> DiagnosticError:
    return DiagnosticError(Diagnostic(code=code, message=message, hint=hint))
