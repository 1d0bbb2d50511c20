"""The paths that a project excludes: its patterns as a tree of names, along which paths are followed."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator

from renderer.files.file_system import folder_of
from renderer.golang.glob import Glob, shell_glob
from renderer.model.run.work import spend

#: Folders of manifests that are for people to read, and that no engine applies.
EXAMPLE_FOLDERS = frozenset(("example", "examples", "sample", "samples", "doc", "docs", "testdata"))

_ANY_FOLDERS = "**"
#: Steps for a name that is compared with a pattern (``model.run.work``).
_STEPS_PER_GLOB = 2


class _Node:
    """A place in the tree of patterns; ``is_end``: a pattern ends here. ``repeats`` after ``**``."""

    def __init__(self, *, repeats: bool = False) -> None:
        self.repeats = repeats
        self.is_end = False
        self.names: dict[str, _Node] = {}
        self.globs: dict[str, tuple[Glob, _Node]] = {}
        self.any_folders: _Node | None = None

    def below(self, part: str) -> _Node:
        """Return the node for the next part of a pattern."""
        if part == _ANY_FOLDERS:
            self.any_folders = self.any_folders or (self if self.repeats else _Node(repeats=True))
            return self.any_folders
        if not any(character in part for character in "*?["):
            return self.names.setdefault(part, _Node())
        if part not in self.globs:
            self.globs[part] = shell_glob(part), _Node()
        return self.globs[part][1]

    def after(self, name: str) -> Iterator[_Node]:
        """Yield the nodes that a path reaches by ``name``."""
        if self.repeats:
            yield self
        if name in self.names:
            yield self.names[name]
        spend(_STEPS_PER_GLOB * len(self.globs), "looking for excluded paths")
        yield from (node for glob, node in self.globs.values() if glob.matches(name))


class ExcludedPaths:
    """Paths and shell patterns of files and folders; ``**`` matches any folders.

    A pattern is compared with the names of a folder only if it matches the folder so far, and what is reached
    by a folder is remembered.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        top = _Node()
        for pattern in patterns:
            node = top
            for part in pattern.split("/"):
                node = node.below(part)
            node.is_end = True
        self._reached: dict[str, tuple[_Node, ...]] = {".": tuple(_with_any_folders([top]))}

    def has(self, path: str) -> bool:
        """Return True if a pattern matches the path, which is normal, or a folder above it."""
        folder = folder_of(path)
        nodes = self._at(folder)
        if path != "." and not any(node.is_end for node in nodes):
            nodes = _next(nodes, posixpath.basename(path))
        return any(node.is_end for node in nodes)

    def _at(self, folder: str) -> tuple[_Node, ...]:
        waiting: list[str] = []
        while folder not in self._reached:
            waiting.append(folder)
            folder = folder_of(folder)
        nodes = self._reached[folder]
        for each in reversed(waiting):
            if not any(node.is_end for node in nodes):
                nodes = _next(nodes, posixpath.basename(each))
            self._reached[each] = nodes
        return nodes


def _next(nodes: Iterable[_Node], name: str) -> tuple[_Node, ...]:
    return tuple(_with_any_folders(dict.fromkeys(after for node in nodes for after in node.after(name))))


def _with_any_folders(nodes: Iterable[_Node]) -> dict[_Node, None]:
    """Return the nodes and what follows them without a name: ``**`` matches no folder, too."""
    found = dict.fromkeys(nodes)
    found.update((node.any_folders, None) for node in [*found] if node.any_folders)
    return found
