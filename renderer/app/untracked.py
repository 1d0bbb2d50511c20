"""Rendered files that no commit would take along, as Git does not know them yet."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from renderer.cli.repository import Repository
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.location import Location
from renderer.source.git import GitProcess
from renderer.source.git_repository import not_usable


def untracked_outputs(repository: Repository, outputs: Iterable[str]) -> Iterator[Diagnostic]:
    """A finding for each output folder with files that Git neither tracks nor is told to ignore.

    Raises ``DiagnosticError``: git-unavailable, also where there is no Git repository.
    """
    git = GitProcess(repository.root, os.environ)
    for output in outputs:
        listing = ("ls-files", "--others", "--exclude-standard", "-z", "--", output)
        answer = git.run("--literal-pathspecs", *listing)
        if answer.code:
            raise not_usable(repository.root, answer)
        paths = answer.output.split("\0")[:-1]
        if paths:
            files = f"{len(paths)} rendered file{'' if len(paths) == 1 else 's'}"
            yield Diagnostic(
                code=Code.STALE,
                message=f"Git does not track {files} in {output}: a commit would leave them out",
                location=Location(paths[0]),
                hint=f"git add {output}",
            )
