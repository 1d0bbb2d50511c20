"""Branches that change different machines merge without a conflict; what Git cannot merge, a render resolves.

Each example is a repository with machines, two branches with random changes, and real Git between them. A
machine has a source of two fields, and a rendered file with both and whether both are large. If one branch
enlarges the one field and the other the other, Git merges the files into what vmrender would never write.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from renderer.emit.check import check_tree
from renderer.emit.write import Written, write_tree
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import JsonObject
from renderer.model.render_config import OWNERSHIP_FILE
from renderer.yamlio.encode import encode
from tests.properties.examples import examples

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="needs git")

OUTPUT = "rendered/prod"
OWNED = f"{OUTPUT}/{OWNERSHIP_FILE}"
ATTRIBUTES = f"{OWNERSHIP_FILE} merge=union\n"

#: Cores and memory of each machine, by name.
Machines: TypeAlias = dict[str, tuple[int, int]]
#: A new value of a machine; None removes it.
Changes: TypeAlias = Mapping[str, tuple[int, int] | None]

SIZES = st.tuples(st.integers(1, 9), st.integers(1, 9))
LARGE = 4
#: The names that people give: the next number.
NAMES = [f"{role}-{number}" for number in range(1, 26) for role in ("db", "web")]


@st.composite
def branches(draw: st.DrawFn, *, disjoint: bool) -> tuple[Machines, Changes, Changes]:
    """Return machines, and what each of two branches makes of them."""
    count = draw(st.integers(5, len(NAMES)))
    machines = {name: (index % 9 + 1, index % 7 + 1) for index, name in enumerate(NAMES[:count])}
    known = NAMES[:count] if disjoint else NAMES[:2]
    names = st.sampled_from([*known, *(f"web-{number}" for number in range(90, 96))])
    sizes = SIZES if disjoint else st.sampled_from([(1, 1), (1, LARGE), (LARGE, 1)])
    changes = st.dictionaries(names, st.one_of(sizes, sizes, st.none()), max_size=4)
    ours, theirs = draw(changes), draw(changes)
    if disjoint:
        theirs = {name: size for name, size in theirs.items() if name not in ours}
    return machines, ours, theirs


@dataclass(frozen=True)
class Repository:
    """A repository whose sources and rendered tree are those of some machines."""

    root: Path

    def git(self, *command: str, fails: bool = False) -> str:
        identity = ("-c", "user.name=Someone", "-c", "user.email=someone@example.com")
        run = subprocess.run(
            ["git", *identity, *command], cwd=self.root, capture_output=True, text=True, check=False
        )
        assert fails or run.returncode == 0, f"{command}: {run.stdout}{run.stderr}"
        return run.stdout

    def change(self, changes: Changes) -> None:
        """Change the sources, and render."""
        for name, size in changes.items():
            file = self.root / "sources" / name
            if size is None:
                file.unlink(missing_ok=True)
            else:
                file.write_text(f"name: {name}\ncores: {size[0]}\n{name}\nmemory: {size[1]}\n")
        self.render()

    def machines(self) -> Machines:
        files = sorted((self.root / "sources").iterdir())
        lines = {file.name: file.read_text().split("\n") for file in files}
        return {name: (int(text[1][7:]), int(text[3][8:])) for name, text in lines.items()}

    def wanted(self) -> dict[str, str]:
        return {f"vm_{name}.yaml": rendered(name, *size) for name, size in self.machines().items()}

    def render(self) -> Written:
        return write_tree(self.root, OUTPUT, self.wanted())

    def commit(self, message: str) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)

    def conflicts(self) -> set[str]:
        return set(self.git("diff", "--name-only", "--diff-filter=U").splitlines())

    def is_current(self) -> bool:
        return not check_tree(self.root, OUTPUT, self.wanted()).diagnostics

    def resolve_sources(self) -> None:
        """Keep our side of each source in conflict, or remove it if we did."""
        for path in self.conflicts():
            if path.startswith("sources/"):
                ours = self.git("ls-files", "--stage", "--", path)
                if " 2\t" in ours:
                    self.git("checkout", "--ours", "--", path)
                else:
                    (self.root / path).unlink(missing_ok=True)

    def tree(self) -> dict[str, str]:
        files = (file for file in (self.root / OUTPUT).iterdir() if file.name != OWNERSHIP_FILE)
        return {file.name: file.read_text() for file in files}


def rendered(name: str, cores: int, memory: int) -> str:
    values: JsonObject = {"cores": cores, "memory": memory, "xlarge": min(cores, memory) >= LARGE}
    between: JsonObject = dict.fromkeys(("between-cores", "m-between", "n-between"), name)
    return encode([{"kind": "VirtualMachine", "spec": {**values, **between}}])


@pytest.fixture(autouse=True, scope="module")
def _no_waiting() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", lambda _: None)
        patched.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        patched.setenv("GIT_CONFIG_SYSTEM", os.devnull)
        yield


def repository_of(
    folder: str, attributes: str, machines: Machines, ours: Changes, theirs: Changes
) -> Repository:
    """Return a repository on the branch ``main`` with ``ours``, and with ``theirs`` on ``other``."""
    repository = Repository(Path(folder))
    repository.git("init", "--quiet", "--initial-branch=main")
    (repository.root / "sources").mkdir()
    (repository.root / ".gitattributes").write_text(attributes)
    repository.change(machines)
    repository.commit("machines")
    repository.git("checkout", "--quiet", "-b", "other")
    repository.change(theirs)
    repository.commit("theirs")
    repository.git("checkout", "--quiet", "main")
    repository.change(ours)
    repository.commit("ours")
    return repository


@examples(0.5)
@given(changed=branches(disjoint=True))
def test_changes_of_different_machines_merge(changed: tuple[Machines, Changes, Changes]) -> None:
    with TemporaryDirectory() as folder:
        repository = repository_of(folder, ATTRIBUTES, *changed)

        repository.git("merge", "--quiet", "--no-edit", "other")

        assert repository.is_current()
        written = repository.render()
        assert (written.created, written.updated, written.removed) == ((), (), ())
        assert repository.tree() == repository.wanted()


BOTH_ENLARGE = {"db-1": (1, 1)}, {"db-1": (LARGE, 1)}, {"db-1": (1, LARGE)}


@examples(0.5)
@given(
    changed=branches(disjoint=False),
    attributes=st.sampled_from([ATTRIBUTES, ""]),
    command=st.sampled_from(["merge", "rebase", "cherry-pick", "revert"]),
)
@example(changed=BOTH_ENLARGE, attributes=ATTRIBUTES, command="merge")
@example(changed=BOTH_ENLARGE, attributes="", command="rebase")
@example(changed=BOTH_ENLARGE, attributes="", command="revert")
def test_a_render_resolves_the_tree(
    changed: tuple[Machines, Changes, Changes], attributes: str, command: str
) -> None:
    with TemporaryDirectory() as folder:
        repository = repository_of(folder, attributes, *changed)
        commit = "other"
        if command == "revert":
            repository.change(changed[2])
            repository.commit("more")
            commit = "HEAD^"

        repository.git(command, commit, fails=True)
        repository.resolve_sources()
        repository.render()

        assert repository.tree() == repository.wanted()
        assert repository.is_current()
        repository.git("add", "--all")
        assert not repository.conflicts()


@examples(0.2)
@given(changed=branches(disjoint=True), data=st.data())
def test_an_edit_is_not_lost_in_a_merge(
    changed: tuple[Machines, Changes, Changes], data: st.DataObject
) -> None:
    machines, ours, theirs = changed
    with TemporaryDirectory() as folder:
        repository = repository_of(folder, ATTRIBUTES, machines, ours, theirs)
        unchanged = sorted(repository.machines().keys() - ours.keys() - theirs.keys())
        edited = data.draw(st.sampled_from(unchanged))
        file = repository.root / OUTPUT / f"vm_{edited}.yaml"
        file.write_text("edited\n")
        repository.commit("edited by hand")

        repository.git("merge", "--quiet", "--no-edit", "other")

        with pytest.raises(DiagnosticError, match="was edited after vmrender wrote it"):
            repository.render()
        assert file.read_text() == "edited\n"
