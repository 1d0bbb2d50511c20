"""The changes that a rendered tree needs, computed from its present and expected content. Pure."""

from __future__ import annotations

from collections.abc import Collection

from renderer.emit.ownership import EncodedFiles, has_conflict, is_ours
from renderer.emit.tree import OBSTACLE, Tree
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.digest import sha256
from renderer.model.record import Record


class TreePlan(Record):
    """Sorted relative paths by planned action; vmrender may not touch the ``blocked`` ones.

    ``ownership`` is the content that the ownership file should have. ``is_recorded``: what it has says the
    same, though perhaps in the order in which Git merged it.
    """

    created: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()
    ownership: bytes = b""
    ownership_changes: bool = False
    is_recorded: bool = True

    @property
    def changes(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """What is created, updated, removed and unchanged."""
        return self.created, self.updated, self.removed, self.unchanged

    @property
    def is_done(self) -> bool:
        """True if the tree is already as it should be, to the last byte."""
        return self.is_current and not self.ownership_changes

    @property
    def is_current(self) -> bool:
        """True if no manifest differs, and all are recorded as vmrender's."""
        return self.is_recorded and not (self.created or self.updated or self.removed or self.blocked)


def plan_tree(tree: Tree, wanted: EncodedFiles, force: Collection[str] = ()) -> TreePlan:
    """Return the plan that turns ``tree``, read with the paths of ``wanted``, into ``wanted``.

    vmrender may touch a file if the ownership file says that it is ours (``is_ours``), or if ``force`` names
    it. A file that already has the wanted content is taken over, whoever wrote it: this repairs a tree
    whose ownership file was lost.
    """
    # A missing file differs; its bytes need not be encoded to know this.
    differing = sorted(
        path for path in wanted if (there := tree.files[path]) is None or there != wanted[path]
    )
    occupied = [path for path in differing if tree.files[path] is not None]
    left_over = sorted(path for path in tree.owned if path not in wanted and _is_file(tree, path))
    ours = {
        path
        for path in (*occupied, *left_over)
        if _is_owned(tree, path) or (path in force and _is_file(tree, path))
    }
    ownership_changes = tree.ownership != wanted.ownership
    return TreePlan(
        created=tuple(path for path in differing if tree.files[path] is None),
        updated=tuple(path for path in occupied if path in ours),
        removed=tuple(path for path in left_over if path in ours),
        unchanged=tuple(sorted(wanted.keys() - set(differing))),
        blocked=tuple(sorted({*occupied, *left_over} - ours)),
        ownership=wanted.ownership,
        ownership_changes=ownership_changes,
        is_recorded=not ownership_changes or _is_recorded(tree, wanted),
    )


def refusals(output: str, tree: Tree, plan: TreePlan) -> tuple[Diagnostic, ...]:
    """Return foreign-file for everything that prevents the plan for the tree in ``output``."""
    from shlex import quote  # noqa: PLC0415 - compiles an expression, for what is refused

    found: list[Diagnostic] = []
    for path in plan.blocked:
        place = f"{output}/{path}"
        if tree.files[path] is OBSTACLE:
            message = f"{path} cannot be written: a folder or link is in its way"
            hint = "move it out of the rendered tree, then render again"
        elif _has_other_line_ends(tree, path):
            message = f"{path} has other line ends than vmrender wrote"
            hint = (
                "git config core.autocrlf false, then check it out again; extras: [gitattributes] prevents it"
            )
        elif path in tree.owned:
            message = f"{path} was edited after vmrender wrote it"
            hint = (
                f"make the change in the overlay; --force {quote(place)} then overwrites or removes the file"
            )
        else:
            message = f"{path} is in the way, and vmrender did not write it"
            hint = f"move it away; --force {quote(place)} overwrites it"
        found.append(Diagnostic.in_file(place, Code.FOREIGN_FILE, message, hint))
    return tuple(found)


def _is_recorded(tree: Tree, wanted: EncodedFiles) -> bool:
    """Return True if the ownership file lists each of ``wanted``, each with its one digest."""
    return (
        tree.ownership is not None
        and not has_conflict(tree.ownership)
        and all(tree.owned.get(path) == {sha256(content)} for path, content in wanted.items())
    )


def _is_file(tree: Tree, path: str) -> bool:
    return isinstance(tree.files[path], bytes)


def _is_owned(tree: Tree, path: str) -> bool:
    content = tree.files[path]
    return isinstance(content, bytes) and is_ours(content, path, tree.owned)


def _has_other_line_ends(tree: Tree, path: str) -> bool:
    """Return True if only CRLF line ends differ, as Git for Windows makes them by default."""
    content = tree.files[path]
    listed = tree.owned.get(path, frozenset())
    return isinstance(content, bytes) and sha256(content.replace(b"\r\n", b"\n")) in listed
