"""Plan the files of a new project: files to write, additions to existing files, and conflicting files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from renderer.authoring.new_project.ci_files import (
    GITHUB,
    GITLAB,
    PRE_COMMIT,
    CiSystem,
    github_file,
    gitlab_file,
    pre_commit_entry,
    pre_commit_file,
    without_rendering,
)
from renderer.authoring.new_project.install_source import InstallSource, Unknown, is_local
from renderer.model.release import Release

PROJECT = "vmrender.yaml"
OVERLAY = "overlays/dev"
ATTRIBUTES = ".gitattributes"

#: As in ``emit.ownership``: branches that add machines then merge without a conflict.
MERGE_ATTRIBUTE = ".vmrender-owned merge=union\n"

_PROJECT = """\
apiVersion: vmrender.io/v1alpha1
kind: RenderConfig

# The release that the cluster runs. What it refuses is refused here, too.
kubevirt: "{release}"

# Where instance types and preferences are looked up; the first hit wins.
catalogs:
  - builtin: common-instancetypes

# Each folder here that has a kustomization is rendered into a folder of its own.
overlays:
  - path: overlays/*
output: rendered/{{name}}
"""

# Not for existing overlays: their output must not change.
_MERGE_KEYS = """
# Patches merge disks, volumes, networks and interfaces by name. kustomize build would replace each list.
mergeKeys: kubevirt
"""

_KUSTOMIZATION = """\
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization

namespace: dev

resources:
  - web.yaml
"""

# It must be correct for every release that can be rendered for.
_VIRTUAL_MACHINE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: web
spec:
  runStrategy: Always
  instancetype:
    name: u1.small
  preference:
    name: fedora
  template:
    spec:
      domain:
        devices:
          disks:
            - name: root
              disk: {}
          interfaces:
            - name: default
              masquerade: {}
      networks:
        - name: default
          pod: {}
      volumes:
        - name: root
          containerDisk:
            image: quay.io/containerdisks/fedora:42
"""

#: The word by which a file of another tool is recognised as already containing vmrender.
_OUR_NAME = "vmrender"


class Choices(NamedTuple):
    """The choices for a new project. ``source`` is the place that hooks and pipelines install vmrender from.

    ``servers`` are the GitHub hosts that the repository is on. A pipeline is written only for a source that
    other machines can reach. Both run render, so a project that lists nothing yet gets neither.
    """

    release: Release
    ci: CiSystem
    source: InstallSource
    servers: tuple[str, ...] = ()
    renders: bool = True


class PlannedFiles(NamedTuple):
    """Text by path: ``files`` are to be written, ``additions`` to be inserted by hand into existing files.

    ``in_the_way`` are existing files that would have to be overwritten.
    """

    files: Mapping[str, str]
    additions: Mapping[str, str]
    in_the_way: tuple[str, ...]


def project_files(release: Release, *, merge_keys: bool = True) -> dict[str, str]:
    """Return ``vmrender.yaml``, text by path."""
    return {PROJECT: _PROJECT.format(release=release.as_target) + (_MERGE_KEYS if merge_keys else "")}


def overlay_files() -> dict[str, str]:
    """Return an overlay with one virtual machine, text by path."""
    return {f"{OVERLAY}/kustomization.yaml": _KUSTOMIZATION, f"{OVERLAY}/web.yaml": _VIRTUAL_MACHINE}


def plan_project_files(
    choices: Choices, read: Callable[[str], str | None], *, has_overlays: bool, project: str | None = None
) -> PlannedFiles:
    """Return the plan for a repository in which ``read`` returns the text at a path, or None.

    A first overlay is only for repositories without any. A file that already has the planned content is not a
    conflict, so that ``init`` can be run again. ``project`` is the project file of a repository that has
    virtual machines; an existing one stays unchanged.
    """
    merge_keys = not has_overlays or (read(PROJECT) or "").endswith(_MERGE_KEYS)
    files = project_files(choices.release, merge_keys=merge_keys)
    files |= {} if has_overlays or project else overlay_files()
    if project is not None:
        files[PROJECT] = read(PROJECT) or project
    hooks = (pre_commit_file(choices.source), pre_commit_entry(choices.source))
    files[PRE_COMMIT], entry = hooks if choices.renders else map(without_rendering, hooks)
    entries = {PRE_COMMIT: entry}
    if choices.renders:
        files[ATTRIBUTES] = entries[ATTRIBUTES] = MERGE_ATTRIBUTE
    if choices.renders and not isinstance(choices.source, Unknown) and not is_local(choices.source):
        if choices.ci is CiSystem.GITHUB:
            files[GITHUB] = github_file(choices.source, choices.servers)
        elif choices.ci is CiSystem.GITLAB:
            files[GITLAB] = entries[GITLAB] = gitlab_file(choices.source)
    present = {path: text for path in files if (text := read(path)) is not None}
    different = {path: text for path, text in present.items() if text != files[path]}
    return PlannedFiles(
        files={path: text for path, text in files.items() if path not in present},
        additions={
            path: entries[path]
            for path, text in different.items()
            if path in entries and _OUR_NAME not in text
        },
        in_the_way=tuple(path for path in different if path not in entries),
    )
