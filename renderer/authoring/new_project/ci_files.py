"""Files that run vmrender on commit and in CI: pre-commit hooks, a GitHub workflow and a GitLab job."""

from __future__ import annotations

import json
import re

from renderer.authoring.new_project.install_source import (
    Archive,
    IndexRelease,
    InstallSource,
    Repository,
    Unknown,
    requirement,
)
from renderer.model.text_enum import TextEnum

PRE_COMMIT = ".pre-commit-config.yaml"
GITHUB = ".github/workflows/vmrender.yml"
GITLAB = ".gitlab-ci.yml"

_HOST = re.compile(r"(?:[a-z][a-z0-9+.-]*://)?(?:[^@/]*@)?(?P<host>[^/:]+)[/:]", re.IGNORECASE)
_PLAIN = re.compile(r"[A-Za-z0-9/][A-Za-z0-9/._~+%=,@:\\-]*[A-Za-z0-9/._~+%=,@\\-]")

_PRE_COMMIT_HEAD = """\
# pre-commit install: from then on each commit is checked, and rendered/ follows it.
repos:
"""
_REPOSITORY_HOOKS = """\
  - repo: {url}
    rev: {revision}{comment}
    hooks:
      - id: vmrender-validate
      - id: vmrender-render
"""
#: The two hooks as in .pre-commit-hooks.yaml, for use without a repository to install them from.
_LOCAL_HOOKS = """\
  - repo: local
    hooks:
      - id: vmrender-validate
        name: vmrender validate
        entry: vmrender validate
        types_or: [yaml, json]
        require_serial: true
{language}\
      - id: vmrender-render
        name: vmrender render
        entry: vmrender render --prune --tracked
        always_run: true
        pass_filenames: false
        require_serial: true
{language}"""

_CHECKOUT = "actions/checkout@df4cb1c069e1874edd31b4311f1884172cec0e10 # v6.0.3"
_SETUP_PYTHON = "actions/setup-python@a309ff8b426b58ec0e2a45f0f869d46889d02405 # v6.2.0"

_GITHUB_HEAD = """\
# Names what is wrong at its line, refuses a stale rendered/, and comments on pull requests what they would do
# to which virtual machine. {page}
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
      - uses: {checkout}
        with:
{path}\
          fetch-depth: 2 # the commit, and the one that it is compared with
          persist-credentials: false
"""
_ACTION_STEP = """\
{pin}\
      - uses: {action}
        with:
          comment: true
"""
#: For repositories that cannot be named after `uses`. The checkout is next to the clone.
_CLONED_ACTION_STEPS = """\
      # Nothing of a pull request is in the folder vmrender. A private repository needs a login here.
      - run: |
          git clone --quiet --no-checkout "$SOURCE" vmrender
          git -C vmrender checkout --quiet --detach "$REVISION"
        env:
          SOURCE: {url}
          REVISION: {revision}
      - uses: ./vmrender
        with:
          path: repository
          comment: true
"""
_PIP_INSTALL_STEPS = """\
      - id: python
        uses: {setup}
        with:
          python-version: "3.13"
      # Not in the checkout: `python -m` would run a venv.py or a pip/ that a pull request brings.
      - working-directory: ${{{{ runner.temp }}}}
        run: |
          "$PYTHON" -I -m venv vmrender
          vmrender/bin/python -I -m pip install --quiet "$REQUIREMENT"
        env:
          PYTHON: ${{{{ steps.python.outputs.python-path }}}}
          REQUIREMENT: {requirement}
      - run: |
          unset PYTHONPATH PYTHONHOME
          "$RUNNER_TEMP/vmrender/bin/vmrender" validate --format github
          "$RUNNER_TEMP/vmrender/bin/vmrender" render --check --format github
"""

_GITLAB_FILE = """\
# Shows what is wrong in the merge request, refuses a stale rendered/, and has a page with what it would do
# to which virtual machine. docs/gitlab.md of vmrender says more.
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
    - /tmp/vmrender/bin/python -I -m pip install --quiet "{requirement}"
    - export PATH="/tmp/vmrender/bin:$PATH" && unset PYTHONPATH PYTHONHOME
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


class CiSystem(TextEnum):
    """The CI systems that ``--ci`` accepts."""

    GITHUB = "github"
    GITLAB = "gitlab"
    NONE = "none"


def host_of(remote: str) -> str:
    """Return the host of a Git remote in lower case; empty for a folder."""
    match = _HOST.match(remote)
    return match["host"].lower() if match else ""


def ci_system_of(remote: str) -> CiSystem:
    """Return the CI system, guessed from a Git remote's host: ``git@gitlab.example.com:team/vms.git``."""
    labels = re.split(r"[.-]", host_of(remote))
    return next((system for system in (CiSystem.GITHUB, CiSystem.GITLAB) if system in labels), CiSystem.NONE)


def pre_commit_file(source: InstallSource) -> str:
    """Return the content of the whole file."""
    return _PRE_COMMIT_HEAD + pre_commit_entry(source)


def without_rendering(hooks: str) -> str:
    """Return hooks with the ``render`` hook commented out: it fails until the project lists an overlay."""
    before, start, rest = hooks.partition("      - id: vmrender-render")
    lines = "".join(f"      # {line[6:]}\n" for line in f"{start}{rest}".splitlines())
    return f"{before}      # once vmrender.yaml lists overlays:\n{lines}"


def pre_commit_entry(source: InstallSource) -> str:
    """Return an entry for its list ``repos``."""
    if isinstance(source, Repository):
        comment = f" # frozen: {source.name}" if source.is_commit and source.name else ""
        return _REPOSITORY_HOOKS.format(
            url=_scalar(source.url), revision=_scalar(source.revision), comment=comment
        )
    if isinstance(source, Unknown):
        return _LOCAL_HOOKS.format(language="        language: system # the vmrender on the PATH\n")
    needed = json.dumps(requirement(source), ensure_ascii=False)
    language = f"        language: python\n        additional_dependencies: [{needed}]\n"
    return _LOCAL_HOOKS.format(language=language)


def _scalar(text: str) -> str:
    """Return a string as YAML; it is quoted if YAML would not read it as a string, such as digits alone."""
    plain = _PLAIN.fullmatch(text) and not re.fullmatch(r"[0-9._+-]+(?:[eE][0-9]+)?|[0-9:]+|0[xo].*", text)
    return text if plain else json.dumps(text, ensure_ascii=False)


def github_file(source: Repository | Archive | IndexRelease, servers: tuple[str, ...] = ()) -> str:
    """Return the whole workflow; ``servers`` are the GitHub hosts that the project itself is on.

    Its token may write comments and nothing else; for a fork's pull request not even comments.
    """
    if not isinstance(source, Repository):
        head = _github_head(path="", page="A comment takes the action: see docs/github.md of vmrender.")
        head = head.replace("      pull-requests: write # for the comment\n", "")
        return head + _PIP_INSTALL_STEPS.format(setup=_SETUP_PYTHON, requirement=f'"{requirement(source)}"')
    action = source.on_server(servers)
    if action is None:
        head = _github_head(path="          path: repository\n", page="docs/github.md of vmrender says more.")
        return head + _CLONED_ACTION_STEPS.format(url=source.url, revision=f'"{source.revision}"')
    host = host_of(source.url)
    page = f"https://{host}/{action}/blob/{source.revision}/docs/github.md"
    pin = f"      # To pin it to a commit: git ls-remote {source.url} {source.revision}\n"
    name = f" # {source.name}" if source.is_commit and source.name else ""
    return _github_head(path="", page=page) + _ACTION_STEP.format(
        pin="" if source.is_commit else pin, action=f"{action}@{source.revision}{name}"
    )


def _github_head(*, path: str, page: str) -> str:
    return _GITHUB_HEAD.format(checkout=_CHECKOUT, path=path, page=page)


def gitlab_file(source: Repository | Archive | IndexRelease) -> str:
    """Return the whole file, or the part to add to another. Reports precede commands that may fail."""
    return _GITLAB_FILE.format(requirement=requirement(source))
