"""The folder that an overlay is written to, and the checks that vmrender may write there."""

from __future__ import annotations

import errno
import os
import posixpath
import stat
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path, PurePosixPath, PureWindowsPath

from renderer.emit.ownership import LONGEST_PATH
from renderer.files.disk import is_valid_on_windows, opened_folder, same_path_key
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.location import Site
from renderer.model.pattern import pattern
from renderer.model.record import Record

#: Holds unfinished work, at the root of the repository; Git ignores its content.
STAGING_FOLDER = ".vmrender"

#: Git's folder and the staging folder: neither is a place for manifests.
KEPT_NAMES = frozenset({".git", STAGING_FOLDER})
#: Other names of Git's folder where each file has a short name as well.
_SHORT_NAMES = pattern(r"(?i)git~[0-9]+")
_JUNCTION = 0xA0000003  # Windows' IO_REPARSE_TAG_MOUNT_POINT; S_ISLNK says no to it


class OutputFolder(Record):
    """The folder of one rendered tree; ``path`` is relative to ``root``, normal, and crosses no link."""

    root: Path
    path: str

    @classmethod
    def locate(cls, root: Path, output: str) -> OutputFolder:
        """Return the folder ``output`` below ``root``; it need not exist.

        Raises ``DiagnosticError``: output-invalid for a path that leaves the repository, is all of it, or
        leads through a symbolic link, a file or a Git folder. Links are rejected wherever they lead: a pull
        request may add one that points to Git's hooks or to the sources.
        """
        return cls.below(root.resolve(), output)

    @classmethod
    def below(cls, root: Path, output: str) -> OutputFolder:
        """Do the same as ``locate`` for a ``root`` whose path is known to contain no link."""
        path = posixpath.normpath(output)
        if not output or path == ".":
            raise _refused(output, "is the whole repository", "give it its own folder: rendered/{name}")
        windows = PureWindowsPath(path)
        is_absolute = bool(windows.drive or windows.root)
        if is_absolute or path == ".." or path.startswith("../"):
            raise _refused(
                path, "lies outside the repository", "give a path relative to the repository's root"
            )
        if "\\" in path:
            problem = "has a backslash, which separates folders on Windows"
            raise _refused(path, problem, "write / between folders, and name none with a backslash")
        if "\0" in path:
            raise _refused(path, "has a NUL character, which no file system accepts")
        if len(path) > LONGEST_PATH:
            problem = f"has {len(path)} characters; the maximum is {LONGEST_PATH}"
            raise _refused(path, problem, "give it a shorter one")
        if not is_valid_on_windows(path):
            invalid = next(part for part in path.split("/") if not is_valid_on_windows(part))
            raise _refused(path, f"leads through {invalid!r}, a name that Windows does not allow")
        hidden = next((part for part in path.split("/") if part.startswith(".") or is_kept(part)), None)
        if hidden:  # .git, .vmrender, .github and the like: tools give a meaning to files in them
            raise _refused(path, f"leads through {hidden}, which is not a place for manifests")
        folder = cls(root, path)
        folder.check_links()
        return folder

    @property
    def folder(self) -> Path:
        return self.root / self.path

    @contextmanager
    def pinned(self) -> Iterator[Path]:
        """Yield a path of the folder that stays valid even if a folder above is replaced by a link.

        Missing folders above it are created. Raises ``OSError``.
        """
        path = PurePosixPath(self.path)
        with opened_folder(self.root, path.parent, make=True) as above:
            yield above / path.name

    def check_links(self) -> None:
        """Raise ``DiagnosticError`` (output-invalid) unless every part is a folder or does not exist yet."""
        root, names = str(self.root), self.path.split("/")
        for part in accumulate(names, "{}/{}".format):
            try:
                status = os.lstat(f"{root}/{part}")
            except FileNotFoundError:
                return
            except OSError as error:
                if error.errno != errno.ENAMETOOLONG:
                    raise
                raise _refused(self.path, "has a name that is too long", "give it a shorter one") from None
            if is_link(status):
                raise _refused(self.path, f"leads through the symbolic link {part}", "name the real folder")
            if not stat.S_ISDIR(status.st_mode):
                raise _refused(self.path, f"leads through {part}, which is not a folder")


def is_kept(name: str) -> bool:
    """Return True if no file of the user can be in a folder of this name, on any file system."""
    return name.lower().rstrip(". ") in KEPT_NAMES or _SHORT_NAMES.fullmatch(name) is not None


def check_outputs(
    outputs: Mapping[str, tuple[Site, ...]], inputs: Collection[str]
) -> Mapping[str, tuple[Diagnostic, ...]]:
    """Return the problems of rendering from folders ``inputs``, for each output that has any.

    All paths are relative to the root. Each of ``outputs`` has the sites where the project names it.

    The code is output-invalid. An output may not be an input, be inside one or hold one (a build might read
    the output of the last one, and pruning might remove sources), and it may not be inside another output.
    The root does not count as an input, as everything is inside it. Two paths are the same if some file
    system takes them to be one (``same_path_key``).
    """
    sources = {f"{same_path_key(path)}/": path for path in inputs if posixpath.normpath(path) != "."}
    trees: dict[str, list[str]] = {}
    for path in sorted(outputs):
        trees.setdefault(f"{same_path_key(path)}/", []).append(path)
    ordered = sorted(sources)
    hint = "give each overlay its own output folder, outside the sources"
    found: dict[str, tuple[Diagnostic, ...]] = {}
    around: list[tuple[str, str, str]] = [("", "", "")]  # folders, each with the outermost input and output
    for key in sorted({*sources, *trees}):  # what is inside a folder follows it
        while not key.startswith(around[-1][0]):
            around.pop()
        _, source, tree = around[-1]
        around.append((key, source or sources.get(key, ""), tree or trees.get(key, [""])[0]))
        problems = [
            *([f"is inside the input folder {source}"] if source else ()),
            *_clashes(key, sources, ordered),
            *([f"is inside the output {tree}"] if tree else ()),
        ]
        same = trees.get(key, [])
        for path in same:
            other = next((each for each in same if each != path), "")
            beside = [f"is the same folder as the output {other} on some systems"] if other else []
            if problems or beside:
                found[path] = tuple(
                    Diagnostic(
                        Code.OUTPUT_INVALID, f"the output {path} {problem}", hint=hint, sites=outputs[path]
                    )
                    for problem in (*problems, *beside)
                )
    return found


def is_link(status: os.stat_result) -> bool:
    """Return True if an ``lstat`` found a symbolic link or, on Windows, a junction."""
    return stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) == _JUNCTION


def _clashes(output: str, sources: Mapping[str, str], ordered: Sequence[str]) -> Iterator[str]:
    """Yield how ``output`` clashes with inputs in it; ``ordered`` are the keys of ``sources``, sorted."""
    if output in sources:
        yield "is an input folder"
    first = bisect_right(ordered, output)
    count = bisect_left(ordered, f"{output[:-1]}0") - first  # 0 is the character after the slash
    if count:
        number = "the input folder" if count == 1 else f"{count} input folders, one of which is"
        yield f"holds {number} {sources[ordered[first]]}"


def _refused(output: str, problem: str, hint: str = "render into another folder") -> DiagnosticError:
    return Diagnostic(Code.OUTPUT_INVALID, f"the output {output} {problem}", hint=hint).error()
