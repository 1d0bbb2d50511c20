"""The workflow for GitHub Actions."""

from __future__ import annotations

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
