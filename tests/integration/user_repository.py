"""A repository as a user has it: a folder with the real git, and vmrender on the PATH."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests import warm_program

ROOT = Path(__file__).parents[2]
BASH = ["bash", "-eo", "pipefail"]  # as CI systems start it


@dataclass(frozen=True)
class Run:
    """How a command ended. ``output`` is what it wrote to both streams."""

    code: int
    output: str


@dataclass
class UserRepository:
    """``environment`` comes on top of ours, without what would tie git to another repository."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    @classmethod
    def created(cls, folder: Path, remote: str = "") -> UserRepository:
        """Create an empty one in ``folder/repository``, with its programs and home next to it."""
        new = cls.opened(folder)
        new.folder.mkdir()
        new.does("git", "init", "--quiet", "--initial-branch=main")
        new.does("git", "config", "user.name", "Someone")
        new.does("git", "config", "user.email", "someone@example.com")
        if remote:
            new.does("git", "remote", "add", "origin", remote)
        return new

    @classmethod
    def opened(cls, folder: Path) -> UserRepository:
        """Open the one in ``folder/repository``, with a vmrender next to it."""
        programs = folder / "programs"
        programs.mkdir()
        warm_program.install(programs / "vmrender")
        path = os.pathsep.join((str(programs), str(Path(sys.executable).parent), os.environ["PATH"]))
        environment = {
            "PATH": path,
            "PYTHONPATH": str(ROOT),
            "HOME": str(folder),
            "PRE_COMMIT_HOME": str(folder / "pre-commit"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            "NO_COLOR": "1",
        }
        return cls(folder / "repository", environment)

    def run(self, *command: str, **environment: str) -> Run:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_"))}
        run = subprocess.run(
            command,
            cwd=self.folder,
            env=kept | self.environment | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            check=False,
        )
        return Run(run.returncode, run.stdout)

    def does(self, *command: str, **environment: str) -> str:
        """Run a command that has to succeed; return what it prints."""
        run = self.run(*command, **environment)
        assert run.code == 0, f"{command}:\n{run.output}"
        return run.output

    def commit(self, message: str) -> str:
        """Commit everything, without hooks; return the commit's id."""
        self.does("git", "add", "--all")
        self.does("git", "commit", "--quiet", "--no-verify", "--message", message)
        return self.does("git", "rev-parse", "HEAD").strip()

    def write(self, path: str, text: str) -> None:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text, encoding="utf-8")

    def read(self, path: str) -> str:
        return (self.folder / path).read_text(encoding="utf-8")

    def replace(self, path: str, old: str, new: str) -> None:
        text = self.read(path)
        assert old in text
        self.write(path, text.replace(old, new))

    def status(self) -> str:
        return self.does("git", "status", "--short")


def program(file: Path, script: str) -> None:
    """Write a program for the shell."""
    file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    file.chmod(0o755)
