"""The files that ``vmrender init`` writes: a project, its first overlay, a pre-commit hook and a pipeline."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import NamedTuple

from renderer.model.release import Release

_HOST = re.compile(r"(?:[a-z][a-z0-9+.-]*://)?(?:[^@/]*@)?(?P<host>[^/:]+)[/:]", re.IGNORECASE)


class CiSystem(StrEnum):
    """The CI systems that ``--ci`` takes."""

    GITHUB = "github"
    GITLAB = "gitlab"
    NONE = "none"


def ci_system_of(remote: str) -> CiSystem:
    """Return the system that a Git remote's host is named after: ``git@gitlab.example.com:team/vms.git``."""
    match = _HOST.match(remote)
    labels = re.split(r"[.-]", match["host"].lower()) if match else []
    return next((system for system in (CiSystem.GITHUB, CiSystem.GITLAB) if system in labels), CiSystem.NONE)


PROJECT = "vmrender.yaml"
OVERLAY = "overlays/dev"

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

# Not for overlays that are there: what they build must not change.
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

# It has to be right for every release that can be rendered for.
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


def project_files(release: Release, *, merge_keys: bool = True) -> dict[str, str]:
    """``vmrender.yaml``, text by path."""
    return {PROJECT: _PROJECT.format(release=release) + (_MERGE_KEYS if merge_keys else "")}


def overlay_files() -> dict[str, str]:
    """An overlay with one virtual machine, text by path."""
    return {f"{OVERLAY}/kustomization.yaml": _KUSTOMIZATION, f"{OVERLAY}/web.yaml": _VIRTUAL_MACHINE}


PRE_COMMIT = ".pre-commit-config.yaml"

_HEAD = """\
# pre-commit install: from then on each commit is checked, and rendered/ follows it.
repos:
"""


def pre_commit_file(version: str) -> str:
    """The whole file."""
    return _HEAD + pre_commit_entry(version)


def pre_commit_entry(version: str) -> str:
    """An entry of its list ``repos``."""
    return f"""\
  - repo: https://github.com/vmrender/vmrender
    rev: v{version}
    hooks:
      - id: vmrender-validate
      - id: vmrender-render
"""


GITHUB = ".github/workflows/vmrender.yml"

_CHECKOUT = "actions/checkout@df4cb1c069e1874edd31b4311f1884172cec0e10 # v6.0.3"


def github_file(version: str) -> str:
    """The whole file. Its token may write comments and nothing else; a fork's pull request not even those."""
    return f"""\
# Names what is wrong at its line, refuses a stale rendered/, and comments on pull requests what they would do
# to which virtual machine. https://github.com/vmrender/vmrender/blob/v{version}/docs/github.md
name: vmrender

on:
  push:
    branches: [main, master]
  pull_request:

permissions: {{}}

jobs:
  check:
    runs-on: ubuntu-latest
    timeout-minutes: 10
    permissions:
      contents: read
      pull-requests: write # for the comment
    steps:
      - uses: {_CHECKOUT}
        with:
          fetch-depth: 2 # the commit, and the one that it is compared with
          persist-credentials: false
      # To pin it to a commit: git ls-remote https://github.com/vmrender/vmrender v{version}
      - uses: vmrender/vmrender@v{version}
        with:
          comment: true
"""


GITLAB = ".gitlab-ci.yml"


def gitlab_file(version: str) -> str:
    """The whole file, or what is added to another. Reports are written before the commands that may fail."""
    return f"""\
# Shows what is wrong in the merge request, refuses a stale rendered/, and has a page with what it would do
# to which virtual machine. https://github.com/vmrender/vmrender/blob/v{version}/docs/gitlab.md
vmrender:
  image: python:3.13
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  variables:
    GIT_DEPTH: "0" # the commit that a merge request is compared with may be an old one
  before_script:
    # Not in the checkout: `python -m` would run a venv.py or a pip/ that a merge request brings.
    - cd / && python -I -m venv /tmp/vmrender
    - /tmp/vmrender/bin/python -I -m pip install --quiet vmrender=={version}
    - export PATH="/tmp/vmrender/bin:$PATH"
    - cd "$CI_PROJECT_DIR"
  script:
    # A merge request may have put links where the reports are written to.
    - rm -rf gl-code-quality-report.json vmrender-junit.xml vmrender-diff.html
    - vmrender validate --format gitlab > gl-code-quality-report.json || true
    - vmrender validate --format junit > vmrender-junit.xml || true
    - vmrender diff "${{CI_MERGE_REQUEST_DIFF_BASE_SHA:-HEAD^}}" --format html > vmrender-diff.html || true
    - test -s vmrender-diff.html || rm vmrender-diff.html
    - vmrender validate
    - vmrender render --check
  artifacts:
    when: always
    expose_as: virtual machines
    paths: [vmrender-diff.html]
    reports:
      codequality: gl-code-quality-report.json
      junit: vmrender-junit.xml
"""


#: The word that a file of other tools holds once vmrender has been added to it.
_OURS = "vmrender"


class Choices(NamedTuple):
    """The choices for a new project. ``version`` is vmrender's, for hooks and pipelines to use."""

    release: Release
    ci: CiSystem
    version: str


class Scaffold(NamedTuple):
    """Text by path: ``files`` are to be written, ``additions`` to be put by hand into files that are there.

    ``in_the_way`` are files that are there and would have to be overwritten.
    """

    files: Mapping[str, str]
    additions: Mapping[str, str]
    in_the_way: tuple[str, ...]


def plan_scaffold(
    choices: Choices, read: Callable[[str], str | None], *, has_overlays: bool, project: str | None = None
) -> Scaffold:
    """``read`` knows what stands at a path, None for nothing. A first overlay is for those without any.

    What is there already as it would be written is in nobody's way, so that ``init`` can be run again.
    ``project`` is the project file of a repository that has virtual machines; one that is there stays as it
    is.
    """
    merge_keys = not has_overlays or (read(PROJECT) or "").endswith(_MERGE_KEYS)
    files = project_files(choices.release, merge_keys=merge_keys)
    files |= {} if has_overlays or project else overlay_files()
    if project is not None:
        files[PROJECT] = read(PROJECT) or project
    files[PRE_COMMIT] = pre_commit_file(choices.version)
    entries = {PRE_COMMIT: pre_commit_entry(choices.version)}
    if choices.ci is CiSystem.GITHUB:
        files[GITHUB] = github_file(choices.version)
    elif choices.ci is CiSystem.GITLAB:
        files[GITLAB] = entries[GITLAB] = gitlab_file(choices.version)
    present = {path: text for path in files if (text := read(path)) is not None}
    different = {path: text for path, text in present.items() if text != files[path]}
    return Scaffold(
        files={path: text for path, text in files.items() if path not in present},
        additions={
            path: entries[path] for path, text in different.items() if path in entries and _OURS not in text
        },
        in_the_way=tuple(path for path in different if path not in entries),
    )
