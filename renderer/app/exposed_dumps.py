"""Files of a dump with the values of Secrets that would be committed."""

from __future__ import annotations

from collections.abc import Sequence

from renderer.adopt.dump.files import STDIN
from renderer.app.project import Project
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.project.project_root import path_as_written


def exposed_dumps(project: Project, files: Sequence[str]) -> tuple[Diagnostic, ...]:
    """Return a finding for each file or folder of the dump that Git tracks or would add.

    Outside a Git repository, the result is empty.
    """
    # It starts git: only for files in the project.
    from renderer.files.git import PATTERN_SECONDS, Allowance, GitProcess  # noqa: PLC0415 - as above

    places = (path_as_written(project.root, file) for file in files if file != STDIN)
    inside = [each for each in places if each is not None]
    if not inside:
        return ()
    listing = ("ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", *inside)
    try:
        git = GitProcess(project.root, project.environment)
        answer = git.run("--literal-pathspecs", *listing, allowance=Allowance(PATTERN_SECONDS))
    except DiagnosticError:
        return ()
    found = [] if answer.code else answer.output.split("\0")[:-1]
    named = (name for name in inside if any(f"{path}/".startswith(f"{name}/") for path in found))
    return tuple(
        Diagnostic.in_file(
            name,
            Code.DUMP_EXPOSED,
            f"do not commit {name}: it holds values of Secrets, and Git does not ignore it",
            "move it out of the repository, or list it in .gitignore until you remove it",
            severity=Severity.WARNING,
        )
        for name in named
    )
