"""What is written into a repository, and what is left to its owner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from renderer.model.release import Release
from renderer.scaffold.ci_system import CiSystem
from renderer.scaffold.github import GITHUB, github_file
from renderer.scaffold.gitlab import GITLAB, gitlab_file
from renderer.scaffold.pre_commit import PRE_COMMIT, pre_commit_entry, pre_commit_file
from renderer.scaffold.project_files import overlay_files, project_files

#: What a file of other tools has in it when we have been added.
_OURS = "vmrender"


class Choices(NamedTuple):
    """What a new project is to be like. ``version`` is vmrender's, for hooks and pipelines to use."""

    release: Release
    ci: CiSystem
    version: str


class Plan(NamedTuple):
    """Text by path: ``files`` are to be written, ``additions`` to be put by hand into files that are there.

    ``in_the_way`` are files that are there and would have to be overwritten.
    """

    files: Mapping[str, str]
    additions: Mapping[str, str]
    in_the_way: tuple[str, ...]


def plan(choices: Choices, read: Callable[[str], str | None], *, has_overlays: bool) -> Plan:
    """``read`` knows what stands at a path, None for nothing. A first overlay is for those without any.

    What is there already as it would be written is in nobody's way, so that ``init`` can be run again.
    """
    files = project_files(choices.release) | ({} if has_overlays else overlay_files())
    files[PRE_COMMIT] = pre_commit_file(choices.version)
    entries = {PRE_COMMIT: pre_commit_entry(choices.version)}
    if choices.ci is CiSystem.GITHUB:
        files[GITHUB] = github_file(choices.version)
    elif choices.ci is CiSystem.GITLAB:
        files[GITLAB] = entries[GITLAB] = gitlab_file(choices.version)
    present = {path: text for path in files if (text := read(path)) is not None}
    different = {path: text for path, text in present.items() if text != files[path]}
    return Plan(
        files={path: text for path, text in files.items() if path not in present},
        additions={
            path: entries[path] for path, text in different.items() if path in entries and _OURS not in text
        },
        in_the_way=tuple(path for path in different if path not in entries),
    )
