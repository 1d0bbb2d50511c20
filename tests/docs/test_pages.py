"""The pages in ``docs/`` are true: their blocks are executed, in order, in an empty repository.

The words after the fence tell the kind of a block. ``yaml PATH`` is written to that file, in any language. In
``console``, each line that begins with ``$`` is a command for bash, and the lines below it are its output on
both streams; a line ``…`` matches any number of lines. ``console exit=1`` has commands that fail. ``pytest
--update-cases`` writes the output of commands into the pages, except where lines are omitted.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests import warm_program

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
ANYTHING = "…"

_BLOCK = re.compile(r"^```(?P<info>[a-z]+ ?[^\n`]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(
    r"^\$ (?P<command>(?:[^\n]*\\\n)*[^\n]*)\n(?P<output>(?:(?!\$ )[^\n]*\n)*)", re.MULTILINE
)

pytestmark = pytest.mark.skipif(not shutil.which("bash"), reason="commands in the pages are for bash")


@dataclass
class Reader:
    """A reader who follows a page in ``repository``; ``differences`` are where the page is wrong."""

    repository: Path
    programs: Path
    differences: list[str] = field(default_factory=list)

    @classmethod
    def sits_down(cls, folder: Path) -> Reader:
        repository, programs = folder / "repository", folder / "bin"
        (repository / ".git").mkdir(parents=True)
        programs.mkdir()
        warm_program.install(programs / "vmrender")
        python = programs / "python"
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
        python.chmod(0o755)
        return cls(repository, programs)

    def reads(self, page: str) -> str:
        """Execute the page; return it with the actual output."""
        return _BLOCK.sub(self._block, page)

    def _block(self, block: re.Match[str]) -> str:
        language, _, rest = block["info"].partition(" ")
        if language == "console":
            code = int(rest.removeprefix("exit=") or 0)
            text = _COMMAND.sub(lambda command: self._command(command, code), block["text"])
            return f"```{block['info']}\n{text}```"
        if rest:
            file = self.repository / rest
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block["text"], encoding="utf-8")
        return block[0]

    def _command(self, shown: re.Match[str], code: int) -> str:
        run = subprocess.run(
            ["bash", "-c", shown["command"]],
            cwd=self.repository,
            env=self._environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            check=False,
        )
        if run.returncode != code:
            self.differences.append(f"$ {shown['command']}\nexits with {run.returncode}:\n{run.stdout}")
        if matches(shown["output"], run.stdout):
            return shown[0]
        self.differences.append(f"$ {shown['command']}\nprints:\n{run.stdout}instead of:\n{shown['output']}")
        return f"$ {shown['command']}\n{run.stdout}"

    def _environment(self) -> dict[str, str]:
        path = os.pathsep.join((str(self.programs), os.environ["PATH"]))
        return {
            "PATH": path,
            "PYTHONPATH": str(DOCS.parent),
            "COLUMNS": "100",
            "NO_COLOR": "1",
            "VMRENDER_SOURCE": os.environ["VMRENDER_SOURCE"],
            "LC_ALL": "C.UTF-8",
        }


def matches(shown: str, printed: str) -> bool:
    """Return True if ``printed`` matches ``shown``, where a line ``…`` matches any lines."""
    lines = (".*" if line == ANYTHING else re.escape(line) for line in shown.splitlines())
    pattern = "\n".join(lines).replace("\n.*\n", "\n(?:.*\n)?").replace("\n.*", "(?:\n.*)?")
    return re.fullmatch(pattern, printed.rstrip("\n"), re.DOTALL) is not None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_page_shows_what_its_commands_print(
    page: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    reader = Reader.sits_down(tmp_path)
    text = reader.reads(page.read_text(encoding="utf-8"))
    if request.config.getoption("--update-cases"):
        page.write_text(text, encoding="utf-8")
    assert not reader.differences, "\n\n".join(reader.differences)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_links_are_not_broken(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize(
    ("shown", "printed", "is_same"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\nc\n", False),
        ("a\n…\nd\n", "a\nb\nc\nd\n", True),
        ("a\n…\nd\n", "a\nd\n", True),
        ("a\n…\n", "a\nb\n", True),
        ("a\n…\n", "b\nb\n", False),
        ("a.c\n", "abc\n", False),
        ("", "a\n", False),
        ("", "", True),
    ],
)
def test_output_is_compared(shown: str, printed: str, *, is_same: bool) -> None:
    assert matches(shown, printed) is is_same


def test_wrong_page_is_detected(tmp_path: Path) -> None:
    reader = Reader.sits_down(tmp_path)
    page = "```yaml a/b.yaml\nx: 1\n```\n\n```console\n$ cat a/b.yaml\nx: 2\n$ false\n```\n"
    assert reader.reads(page) == page.replace("x: 2", "x: 1")
    assert len(reader.differences) == 2
