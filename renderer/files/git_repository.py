"""The revisions of a Git repository, each as a file system."""

from __future__ import annotations

import hashlib
import os
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from renderer.files.checkout import ATTRIBUTES_FILE, CONVERTING, check_unconverted
from renderer.files.file_system import ROOT_HINT, SubmoduleError, check_depth
from renderer.files.git import (
    LINK_MODE,
    PARTIAL_CLONE_HINT,
    PATTERN_SECONDS,
    SUBMODULE_MODE,
    TREE_MODE,
    TRUE,
    Allowance,
    Conversation,
    GitObject,
    GitObjects,
    GitProcess,
    TreeEntry,
    not_usable,
)
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.location import Location
from renderer.model.run.work import note_read, spend

#: The number of symbolic links that Linux follows in one path (``path_resolution(7)``).
_MAX_LINKS = 40
#: The maximum length of a target on Linux (``PATH_MAX``).
_LONGEST_TARGET = 4095

#: The file that says where submodules are fetched from.
_MODULES_FILE = ".gitmodules"
_LFS_POINTER = b"version https://git-lfs.github.com/spec/v1\n"
#: Bytes by which Git detects a binary file, and line feeds that it checks out with a carriage return.
_UNPRINTABLE = re.compile(rb"[\x00-\x07\x0b\x0e-\x1a\x1c-\x1f\x7f]")
_LINE_FEED = re.compile(rb"(?<!\r)\n")
#: The number of answers about attributes that are kept, and of programs for them that run at a time.
_MOST_ANSWERS, _MOST_RUNNING = 20_000, 4
#: Steps for a name in a folder (``model.run.work``).
_STEPS_PER_NAME = 12
_LISTING = "listing the files of a revision"
#: Names that a damaged or malicious tree may have, and that Git refuses to check out.
_NO_NAMES = frozenset(("", ".", "..", ".git"))
_SHA1_LENGTH = 40
_SHALLOW_HINT = (
    "this clone is shallow: fetch its history (fetch-depth: 0 in actions/checkout, git fetch --unshallow)"
)
_UNKNOWN_HINT = (
    "git branch --all, git tag and git log list what there is; a branch of a remote is origin/NAME"
)
_INCOMPLETE_HINT = (
    "git fsck says what else is missing; .git/objects/info/alternates may name a repository that is gone"
)
_NO_COMMIT_HINT = "this repository has no commit yet: git commit makes the first"


class LineEnds:
    """Gives files the line ends of a checkout (``text`` and ``eol`` of gitattributes(5)); runs no filter.

    The attributes are read from ``tree``; before Git 2.43, from the work tree. ``prefix`` is the path of the
    project in it. ``known`` is shared by all trees of a repository.
    """

    def __init__(
        self, git: GitProcess, objects: GitObjects, tree: str, prefix: str, known: _KnownAttributes
    ) -> None:
        self._git = git
        self._objects = objects
        self._tree = tree
        self._prefix = prefix
        self._known = known
        self._folders: dict[str, tuple[str, ...]] = {}

    @cached_property
    def _attributes(self) -> Conversation:
        return self._git.start(
            *("check-attr", "--stdin", "text", "eol", *CONVERTING),
            allowance=self._known.allowance,
            GIT_ATTR_SOURCE=self._tree,
        )

    @cached_property
    def _defaults(self) -> tuple[bool, bool]:
        """Two flags: any file gets carriage returns; a file with the ``text`` attribute gets them."""
        settings = self._git.settings
        convert, eol = settings.get("core.autocrlf", "false"), settings.get("core.eol", "native")
        is_crlf = eol == "crlf" or (eol == "native" and os.name == "nt")
        return convert in TRUE, convert in TRUE or (is_crlf and convert != "input")

    def checked_out(self, path: str, content: bytes) -> bytes:
        """Return the content of a file as a checkout writes it (``crlf_to_worktree``).

        Raises ``DiagnosticError``: file-unreadable, if Git converts more of it than its line ends.
        """
        if not content or "\n" in path:
            return content
        answer = self._answer(path)
        text, eol, *others = (line.rpartition(b": ")[2] for line in (answer + b"\n" * 4).split(b"\n")[:5])
        if answer:
            check_unconverted(path, content, dict(zip(CONVERTING, map(os.fsdecode, others), strict=True)))
        any_file, any_text = self._defaults
        is_set, is_known = text in (b"set", b"auto"), eol in (b"lf", b"crlf")
        wanted = eol == b"crlf" if is_known else any_text if is_set else any_file and text != b"input"
        is_guess = text == b"auto" or not (is_known or is_set)
        if not wanted or text == b"unset" or (is_guess and (b"\r" in content or _is_binary(content))):
            return content
        return _LINE_FEED.sub(b"\r\n", content)

    def _answer(self, path: str) -> bytes:
        """Return what Git says about a file; about equal files of attributes, it is asked once."""
        key = path, self.attributes_of(path)
        answer = self._known.answers.get(key)
        if answer is None:
            self._known.open(self)
            answer = self._attributes.ask(b"./" + os.fsencode(path), lines=2 + len(CONVERTING))
            if len(self._known.answers) >= _MOST_ANSWERS:
                self._known.answers.clear()
            self._known.answers[key] = answer
        return answer

    def attributes_of(self, path: str) -> tuple[str, ...]:
        """Return the ids of the files of attributes that count for a file of the project."""
        return self._sources(posixpath.dirname(posixpath.normpath(self._prefix + path)))

    def _sources(self, path: str) -> tuple[str, ...]:
        """Return the ids of the files of attributes in a folder and in those above it."""
        if path not in self._folders:
            folder: TreeEntry | None = TreeEntry(TREE_MODE, self._tree)
            found = self._entries(folder).get(".gitattributes")
            sources = [f"{found.mode} {found.oid}" if found else ""]
            for name in path.split("/") if path else ():
                folder = self._entries(folder).get(name)
                found = self._entries(folder).get(".gitattributes")
                sources.append(f"{found.mode} {found.oid}" if found else "")
            self._folders[path] = tuple(sources)
        return self._folders[path]

    def _entries(self, folder: TreeEntry | None) -> Mapping[str, TreeEntry]:
        return self._objects.tree(folder.oid) if folder and folder.mode == TREE_MODE else {}

    def close(self) -> None:
        if "_attributes" in vars(self):
            self._attributes.close()
            del self._attributes


class _KnownAttributes:
    """What Git has said about attributes, and the trees whose program runs, the last used one at the end.

    An answer depends on the path and the files of attributes, which most commits have in common. Few programs
    run at the same time, however many commits are compared. ``allowance`` is shared by all of them.
    """

    def __init__(self) -> None:
        self.allowance = Allowance(PATTERN_SECONDS)
        self.answers: dict[tuple[str, tuple[str, ...]], bytes] = {}
        self._running: list[LineEnds] = []

    def open(self, tree: LineEnds) -> None:
        """Note that the program of a tree is about to be asked, and end that of another one if many run."""
        if tree in self._running:
            self._running.remove(tree)
        self._running.append(tree)
        if len(self._running) > _MOST_RUNNING:
            self._running.pop(0).close()

    def close(self) -> None:
        for each in self._running:
            each.close()
        self._running.clear()


def _is_binary(content: bytes) -> bool:
    """``convert_is_binary`` of a file without carriage returns."""
    odd = len(_UNPRINTABLE.findall(content.removesuffix(b"\x1a")))
    return b"\0" in content or (len(content) - odd - content.count(b"\n")) >> 7 < odd


class _Place(NamedTuple):
    """A path without symbolic links, and the entry there; None if there is none."""

    path: str
    entry: TreeEntry | None


class GitFileSystem:
    """One tree of a repository, as a ``FileSystem``.

    ``root`` is the id of the tree, ``revision`` the user's name for it. Symbolic links are followed only if
    they stay inside that tree, as on disk; absolute links are never followed.
    """

    def __init__(self, objects: GitObjects, root: str, revision: str, line_ends: LineEnds) -> None:
        self.revision = revision
        self._line_ends = line_ends
        self._objects = objects
        self._root = _Place(".", TreeEntry(TREE_MODE, root))
        self._folders: dict[str, _Place] = {}

    def read(self, path: str) -> bytes:
        place = self._find(path)
        if place.entry is None:
            raise Diagnostic.in_file(
                path, Code.FILE_NOT_FOUND, f"no such file in {self.revision}: {path}"
            ).error()
        if place.entry.mode == SUBMODULE_MODE:
            raise self._submodule(place.path)
        if place.entry.mode == TREE_MODE:
            raise Diagnostic.in_file(path, Code.FILE_UNREADABLE, f"not a regular file: {path}").error()
        found = self._object(place.entry.oid, path)
        if found is None:
            message = f"{path} of {self.revision} is not in this clone"
            raise Diagnostic.in_file(path, Code.FILE_UNREADABLE, message, PARTIAL_CLONE_HINT).error()
        if found.content.startswith(_LFS_POINTER):
            message = f"{path} of {self.revision} is a pointer to a file in Git LFS"
            raise Diagnostic.in_file(
                path, Code.FILE_UNREADABLE, message, "keep manifests out of LFS: see .gitattributes"
            ).error()
        note_read(f"{place.path} of a revision", len(found.content))  # all its versions count once
        return self._line_ends.checked_out(place.path, found.content)

    def content_id(self, path: str) -> str:
        """Return an id that two revisions share only if they check out the file with the same content.

        It is empty if there is no file. Raises ``DiagnosticError``: file-outside-root.
        """
        place = self._find(path)
        if place.entry is None or place.entry.mode in (TREE_MODE, SUBMODULE_MODE):
            return ""
        return f"{place.entry.oid} {self._line_ends.attributes_of(place.path)}"

    def blob_id(self, path: str) -> str:
        """Return the id of the content of a file, which is not read; empty if there is no file.

        Raises ``DiagnosticError``: file-outside-root.
        """
        entry = self._find(path).entry
        return "" if entry is None or entry.mode in (TREE_MODE, SUBMODULE_MODE) else entry.oid

    def is_file(self, path: str) -> bool:
        entry = self._find(path).entry
        return entry is not None and entry.mode not in (TREE_MODE, SUBMODULE_MODE)

    def is_folder(self, path: str) -> bool:
        entry = self._find(path).entry
        return entry is not None and entry.mode in (TREE_MODE, SUBMODULE_MODE)

    def list(self, path: str) -> tuple[str, ...]:
        check_depth(path)
        place = self._find(path)
        if place.entry is None or place.entry.mode not in (TREE_MODE, SUBMODULE_MODE):
            return ()
        return tuple(sorted(self._names(place)))

    def resolve(self, path: str) -> str:
        return self._find(path).path

    def files(self) -> Iterator[str]:
        """Yield all files, links too, except for the files of submodules."""
        return (path for path, entry in self._walk_down() if entry.mode != SUBMODULE_MODE)

    def submodules(self) -> Mapping[str, str]:
        """Return the commits of the submodules, by their paths. Without ``.gitmodules``, there are none."""
        if not self.is_file(_MODULES_FILE):
            return {}
        return {path: entry.oid for path, entry in self._walk_down() if entry.mode == SUBMODULE_MODE}

    def links(self) -> Sequence[str]:
        """Return all symbolic links. A folder is searched once for all revisions with its id."""
        return self._links_in(".", self._root.entry) if self._root.entry else ()

    def _links_in(self, folder: str, entry: TreeEntry) -> tuple[str, ...]:
        known = self._objects.links
        if entry.oid not in known:
            found: list[str] = []
            for name, each in self._listed(folder, entry):
                if each.mode == LINK_MODE:
                    found.append(name)
                elif each.mode == TREE_MODE:
                    path = name if folder == "." else f"{folder}/{name}"
                    found += (f"{name}/{link}" for link in self._links_in(path, each))
            spend(_STEPS_PER_NAME * len(found), _LISTING)
            known[entry.oid] = tuple(found)
        return known[entry.oid]

    def _walk_down(self) -> Iterator[tuple[str, TreeEntry]]:
        waiting = [(".", self._root.entry)]
        while waiting:
            folder, entry = waiting.pop()
            for name, each in self._listed(folder, entry):
                path = name if folder == "." else f"{folder}/{name}"
                if each.mode == TREE_MODE:
                    waiting.append((path, each))
                else:
                    yield path, each

    def differing(self, other: GitFileSystem) -> Iterator[str]:
        """Yield the files that only one of two revisions has, or that they may check out with other contents.

        A link counts as a file. Folders with the same id are not looked into, unless their line ends differ.
        """
        own, others = self._line_ends.attributes_of("x"), other._line_ends.attributes_of("x")
        waiting = [(".", self._root.entry, other._root.entry, own == others)]
        while waiting:
            folder, one, another, has_same_ends = waiting.pop()
            old, new = (dict(self._listed(folder, each)) for each in (one, another))
            has_same_ends = has_same_ends and old.get(ATTRIBUTES_FILE) == new.get(ATTRIBUTES_FILE)
            for name in {**old, **new}:
                pair = old.get(name), new.get(name)
                if has_same_ends and pair[0] == pair[1]:
                    continue
                path = name if folder == "." else f"{folder}/{name}"
                files = [each for each in pair if each and each.mode not in (TREE_MODE, SUBMODULE_MODE)]
                if len(files) == 1 or (files and (not has_same_ends or not _is_same_file(*files))):
                    yield path
                one, another = (each if each and each.mode == TREE_MODE else None for each in pair)
                if one or another:
                    waiting.append((path, one, another, has_same_ends))

    def _listed(self, folder: str, entry: TreeEntry | None) -> Iterator[tuple[str, TreeEntry]]:
        """Yield what a tree lists, without the names that no checkout writes."""
        check_depth(folder)
        listed = self._objects.tree(entry.oid) if entry else {}
        spend(_STEPS_PER_NAME * len(listed), _LISTING)
        yield from (each for each in listed.items() if each[0] not in _NO_NAMES and "/" not in each[0])

    def below(self, folder: str) -> GitFileSystem:
        """Return a file system with the folder as its root. Raises ``DiagnosticError``: file-not-found."""
        place = self._find(folder)
        if place.entry is None or place.entry.mode != TREE_MODE:
            message = f"{self.revision} has no folder {folder.rstrip('/.') or folder}"
            raise Diagnostic.in_file(place.path, Code.FILE_NOT_FOUND, message).error()
        return GitFileSystem(self._objects, place.entry.oid, self.revision, self._line_ends)

    def _object(self, oid: str, path: str) -> GitObject | None:
        """Find an object, and report its problems as problems of the file."""
        try:
            return self._objects.blob(oid)
        except DiagnosticError as error:
            raise DiagnosticError(
                *(found._replace(location=Location(path)) for found in error.diagnostics)
            ) from None

    def _find(self, path: str) -> _Place:
        """Find the place of a path; the path to each folder is resolved once."""
        folder, name = posixpath.split(posixpath.normpath(path))
        if folder not in self._folders:
            self._folders[folder] = self._walk(self._root, folder, path, _links())
        return self._walk(self._folders[folder], name, path, _links())

    def _walk(self, start: _Place, path: str, wanted: str, links: Iterator[int]) -> _Place:
        """Return the place that ``path`` leads to from ``start``; ``wanted`` is the path for messages.

        ``links`` has an item for each symbolic link that may still be followed.
        """
        if path.startswith("/"):
            raise self._outside(wanted)
        place = start
        for name in path.split("/"):
            if name == "..":
                if place.path == ".":
                    raise self._outside(wanted)
                parent = posixpath.dirname(place.path)
                place = self._walk(self._root, parent, wanted, iter(()))  # it contains no links
            elif name not in ("", "."):
                place = self._step(place, name, wanted, links)
        return place

    def _step(self, folder: _Place, name: str, wanted: str, links: Iterator[int]) -> _Place:
        path = posixpath.normpath(posixpath.join(folder.path, name))
        entry = self._names(folder).get(name)
        if entry is None or entry.mode != LINK_MODE:
            return _Place(path, entry)
        target = self._objects.find(entry.oid)
        if target is None or len(target.content) > _LONGEST_TARGET or next(links, None) is None:
            return _Place(path, None)  # probably a loop
        return self._walk(folder, os.fsdecode(target.content), wanted, links)

    def _names(self, folder: _Place) -> dict[str, TreeEntry]:
        if folder.entry is None:
            return {}
        if folder.entry.mode == SUBMODULE_MODE:
            raise self._submodule(folder.path)
        return self._objects.tree(folder.entry.oid) if folder.entry.mode == TREE_MODE else {}

    def _submodule(self, path: str) -> SubmoduleError:
        message = (
            f"{path} of {self.revision} is a submodule, whose files are not in this repository's revisions"
        )
        hint = "vendor it: copy it into this repository"
        return SubmoduleError(Diagnostic.in_file(path, Code.FILE_UNREADABLE, message, hint))

    def _outside(self, path: str) -> DiagnosticError:
        message = f"{path} of {self.revision} leads outside the repository"
        return Diagnostic.in_file(path, Code.FILE_OUTSIDE_ROOT, message, ROOT_HINT).error()


def _is_same_file(one: TreeEntry, other: TreeEntry) -> bool:
    """Return True if two entries have one content; whether a file is executable does not count."""
    return one.oid == other.oid and (one.mode == LINK_MODE) is (other.mode == LINK_MODE)


def id_of_blob(content: bytes, other: str) -> str:
    """Return the id that Git gives to a content, made by the hash that made the id ``other``."""
    algorithm = "sha1" if len(other) == _SHA1_LENGTH else "sha256"
    return hashlib.new(algorithm, b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _links() -> Iterator[int]:
    return iter(range(_MAX_LINKS))


class GitRepository:
    """A Git repository as a context manager; the process that reads objects ends with the block.

    ``prefix`` is the path from ``top``, the top of the Git work tree, to ``folder``, empty or ending in
    ``/``: a project may be a folder of a bigger repository. A bare repository has revisions, and no ``top``.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        """``environment`` is the command line's. Raises ``DiagnosticError``: git-unavailable."""
        self._git = GitProcess(folder, environment)
        answer = self._git.run("rev-parse", "--is-shallow-repository", "--show-prefix")
        if answer.code:
            raise not_usable(folder, answer)
        shallow, self.prefix, *_ = answer.output.split("\n")
        self.top = self._git.top
        self.is_bare = self.top is None
        self._shallow = shallow == "true"
        self._objects = GitObjects(self._git)
        self._line_ends: dict[str, LineEnds] = {}
        self._attributes = _KnownAttributes()

    def commit(self, revision: str) -> str:
        """Return the id of the commit that a revision names. Raises ``DiagnosticError``: git-revision."""
        if not revision or revision.startswith("-") or not revision.isprintable():
            raise Diagnostic(Code.GIT_REVISION, f"{revision!r} is not the name of a revision").error()
        found = self._objects.find(revision)
        if found is None:
            oid = self._git.id_of(revision)
            is_name = oid and oid != revision.lower()
            lost = f"commit {oid} of {revision} is not in this clone"
            raise self._unknown(lost if is_name else f"no such revision: {revision}")
        commit = self._objects.find(f"{found.oid}^{{commit}}")
        if commit is None:
            raise Diagnostic(Code.GIT_REVISION, f"{revision} is a {found.kind}, not a commit").error()
        return commit.oid

    def references(self) -> tuple[str, ...]:
        """Return the names of branches, remote ones too, and of tags."""
        names = self._git.run("for-each-ref", "--format=%(refname)").output.split("\n")
        prefixes = ("refs/heads/", "refs/remotes/", "refs/tags/")
        return tuple(
            name.removeprefix(prefix) for name in names for prefix in prefixes if name.startswith(prefix)
        )

    def merge_base(self, one: str, other: str) -> str:
        """Return the id of the merge base of two revisions. Raises: git-revision."""
        answer = self._git.run("merge-base", "--end-of-options", self.commit(one), self.commit(other))
        if answer.code:
            raise self._unknown(f"{one} and {other} have no commit in common")
        return answer.output.strip()

    def commits_between(self, one: str, other: str) -> tuple[tuple[str, str], ...]:
        """Return the ids and subjects of the commits after ``one`` up to ``other``, the oldest first.

        Only first parents are followed. Raises ``DiagnosticError``: git-revision.
        """
        known, last = self.commit(one), self.commit(other)
        # Not git log, which may be configured to run gpg for each signed commit.
        options = ("--first-parent", "--reverse", "--format=%H %s")
        answer = self._git.run("rev-list", *options, f"{known}..{last}")
        if answer.code:
            raise self._unknown(f"the commits from {one} to {other} are not in this clone")
        # Before each commit, rev-list writes a line "commit ID".
        lines = (line.partition(" ") for line in answer.output.split("\n")[1::2])
        return tuple((oid, subject) for oid, _, subject in lines)

    def tree(self, revision: str) -> GitFileSystem:
        """Return the project's folder at a revision.

        Raises ``DiagnosticError``: git-revision; file-not-found if the folder did not exist then.
        """
        root = self._objects.find(f"{self.commit(revision)}^{{tree}}")
        if root is None:
            raise self._unknown(f"the files of {revision} are not in this clone")
        if root.oid not in self._line_ends:
            self._line_ends[root.oid] = LineEnds(
                self._git, self._objects, root.oid, self.prefix, self._attributes
            )
        line_ends = self._line_ends[root.oid]
        return GitFileSystem(self._objects, root.oid, revision, line_ends).below(self.prefix)

    def close(self) -> None:
        self._objects.close()
        self._attributes.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def left_out(self) -> frozenset[str]:
        """Return the files of the project that the sparse checkout of the work tree leaves out."""
        if self._git.settings.get("core.sparsecheckout") not in TRUE:
            return frozenset()
        listed = self._git.run("ls-files", "-t", "-z").output.split("\0")
        return frozenset(each.removeprefix("S ") for each in listed if each.startswith("S "))

    def work_tree_files(self) -> frozenset[str]:
        """Return the files of the project in the work tree that Git tracks or would add.

        Raises ``DiagnosticError``: git-unavailable, if Git cannot say so.
        """
        listing = ("ls-files", "--cached", "--others", "--exclude-standard", "-z")
        answer = self._git.run(*listing, allowance=Allowance(PATTERN_SECONDS))
        if answer.code:
            raise not_usable(self._git.folder, answer)
        return frozenset(each for each in answer.output.split("\0") if each and not each.endswith("/"))

    def staged_submodules(self) -> Mapping[str, str]:
        """Return the commits of the submodules in the index, by their paths."""
        listed = (
            each.partition("\t") for each in self._git.run("ls-files", "--stage", "-z").output.split("\0")
        )
        staged = ((entry.split(" "), path) for entry, _, path in listed)
        return {path: entry[1] for entry, path in staged if entry[0] == SUBMODULE_MODE}

    def _unknown(self, message: str) -> DiagnosticError:
        if self._objects.find("HEAD") is None and (head := self._git.id_of("HEAD")):
            lost = f"commit {head} of HEAD is not in this clone"
            return Diagnostic(Code.GIT_REVISION, lost, hint=_INCOMPLETE_HINT).error()
        if self._shallow:
            return Diagnostic(Code.GIT_REVISION, message, hint=_SHALLOW_HINT).error()
        has_commits = self._objects.find("HEAD") or self._git.run("for-each-ref", "--count=1").output
        return Diagnostic(
            Code.GIT_REVISION, message, hint=_UNKNOWN_HINT if has_commits else _NO_COMMIT_HINT
        ).error()
