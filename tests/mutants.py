"""Change single expressions of a module, and see whether a test fails: ``python -m tests.mutants FILE…``.

A mutant is the module with one change: a comparison, a logical operator, a number, a key, a condition, a
returned value or an omitted statement. A sample of them is tried, each in a copy of the repository with the
tests that run the changed line. A mutant that no test detects is printed: either it is equivalent, or a test
is missing. Tests that start separate processes do not count, as their lines are not traced.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, TypeAlias

import pytest

ROOT = Path(__file__).parents[1]
#: Seconds after which a mutant counts as noticed: it does not end.
LONGEST = 180
#: Environment variables of the run that notes lines: the files, a line for each, and the folder for notes.
_FILES, _NOTES = "MUTANTS_FILES", "MUTANTS_NOTES"

_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}


#: A file, and the number of a line in it.
Line: TypeAlias = tuple[str, int]


class Mutant(NamedTuple):
    """``file`` with ``new`` in place of the text from ``start`` to ``end`` (offsets in its UTF-8 bytes)."""

    file: str
    line: int
    start: int
    end: int
    old: str
    new: str

    def source(self, original: bytes) -> bytes:
        return original[: self.start] + self.new.encode() + original[self.end :]


class _Mutants(ast.NodeVisitor):
    """Collects all mutants of a file."""

    def __init__(self, file: str, source: bytes) -> None:
        self.found: list[Mutant] = []
        self._file, self._source = file, source
        starts = [0]
        for line in source.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        self._starts = starts

    def _add(self, node: ast.expr | ast.stmt, new: str) -> None:
        start, end = self._start(node), self._end(node)
        old = self._source[start:end].decode()
        if old != new:
            self.found.append(Mutant(self._file, node.lineno, start, end, old, new))

    def _start(self, node: ast.expr | ast.stmt) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr | ast.stmt) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._starts[node.end_lineno - 1] + node.end_col_offset

    def _text(self, node: ast.expr | ast.stmt) -> str:
        return self._source[self._start(node) : self._end(node)].decode()

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) == 1:
            operator = _COMPARISONS[type(node.ops[0])]
            self._add(node, f"({self._text(node.left)}) {operator} ({self._text(node.comparators[0])})")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        operator = " or " if isinstance(node.op, ast.And) else " and "
        self._add(node, f"({operator.join(f'({self._text(each)})' for each in node.values)})")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self._add(node, f"bool({self._text(node.operand)})")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self._add(node, str(not node.value))
        elif isinstance(node.value, int):
            self._add(node, str(node.value + 1))
        elif isinstance(node.value, str) and node.value and " " not in node.value:
            self._add(node, repr(f"{node.value}_"))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Leave texts with values alone: they are messages."""

    def visit_If(self, node: ast.If) -> None:
        self._force(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._force(node.test)
        self.generic_visit(node)

    def _force(self, condition: ast.expr) -> None:
        if not (isinstance(condition, ast.Name) and condition.id == "TYPE_CHECKING"):
            self._add(condition, "True")
            self._add(condition, "False")

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None:
            self._add(node, "return None")
            self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        self._add(node, "pass")

    def visit_Continue(self, node: ast.Continue) -> None:
        self._add(node, "pass")

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._add(node, "pass")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return  # a docstring
        is_generator = isinstance(node.value, ast.Yield | ast.YieldFrom)
        self._add(node, "yield from ()" if is_generator else "pass")
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for part in (*node.args.defaults, *filter(None, node.args.kw_defaults), *node.body):
            self.visit(part)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)


def mutants(file: str) -> Sequence[Mutant]:
    """Return all mutants of a file, named from the top of the repository."""
    source = (ROOT / file).read_bytes()
    visitor = _Mutants(file, source)
    visitor.visit(ast.parse(source))
    return visitor.found


class LinesOfTests:
    """A plugin of pytest that notes which lines of the files each test runs."""

    def __init__(self, files: Sequence[str], notes: str) -> None:
        self._files = {str(ROOT / file): file for file in files}
        self._notes = Path(notes)
        self._found: dict[str, dict[str, set[int]]] = {}
        self._lines: dict[str, set[int]] = {}

    def _trace(self, frame: FrameType, _event: str, _argument: object) -> Any:  # noqa: ANN401 - or None
        file = self._files.get(frame.f_code.co_filename)
        if file is None:
            return None
        lines = self._lines.setdefault(file, set())

        def trace_line(frame: FrameType, _event: str, _argument: object) -> Any:  # noqa: ANN401 - itself
            lines.add(frame.f_lineno)
            return trace_line

        return trace_line

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        self._lines = {}
        sys.settrace(self._trace)
        threading.settrace(self._trace)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)
            if self._lines:
                self._found[item.nodeid] = self._lines

    def pytest_sessionfinish(self) -> None:
        found = {test: {file: [*lines] for file, lines in by.items()} for test, by in self._found.items()}
        (self._notes / f"{os.getpid()}.json").write_text(json.dumps(found))


def pytest_configure(config: pytest.Config) -> None:
    """Note lines where ``-p tests.mutants`` asks for it."""
    if _FILES in os.environ:
        config.pluginmanager.register(LinesOfTests(os.environ[_FILES].split("\n"), os.environ[_NOTES]))


def tests_by_line(files: Sequence[str], tests: Sequence[str], jobs: int) -> dict[Line, set[str]]:
    """Return the tests that run each line of the files."""
    found: dict[Line, set[str]] = defaultdict(set)
    with tempfile.TemporaryDirectory() as notes:
        asked = os.environ | {_FILES: "\n".join(files), _NOTES: notes}
        command = ("-m", "pytest", "-q", "-n", str(jobs), "-p", "tests.mutants", "-p", "no:cacheprovider")
        subprocess.run([sys.executable, *command, *tests], cwd=ROOT, env=asked, check=False)
        for note in Path(notes).iterdir():
            for test, by_file in json.loads(note.read_text()).items():
                for file, lines in by_file.items():
                    for line in lines:
                        found[file, line].add(test)
    return found


def try_mutant(mutant: Mutant, tests: Sequence[str], copy: Path) -> bool:
    """Return True if one of the tests, run in a copy of the repository, fails with the mutant."""
    file = copy / mutant.file
    original = file.read_bytes()
    file.write_bytes(mutant.source(original))
    listed = copy.parent / f"{copy.name}.tests"
    listed.write_text("\n".join(tests))
    command = ("-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-p", "no:randomly")
    environment = os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        ended = subprocess.run(
            [sys.executable, *command, f"@{listed}"],
            cwd=copy,
            env=environment,
            capture_output=True,
            timeout=LONGEST,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return True
    finally:
        file.write_bytes(original)
    return ended.returncode != 0


def copy_repository(to: Path) -> Path:
    """Copy the files that Git tracks from the work tree."""
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in filter(None, tracked.decode().split("\0")):
        if (ROOT / name).exists():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name, follow_symlinks=False)
    return to


def tried(sample: Sequence[Mutant], tests_of: Mapping[Line, set[str]], jobs: int) -> Iterator[bool]:
    """Yield True for each mutant that a test notices."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        free = [copy_repository(Path(folder, str(number), "copy")) for number in range(jobs)]

        def is_noticed(mutant: Mutant) -> bool:
            lines = [(mutant.file, mutant.line)]
            if lines[0] not in tests_of:  # it is run at import, for no test in particular
                lines = [line for line in tests_of if line[0] == mutant.file]
            tests, copy = sorted(set().union(*map(tests_of.__getitem__, lines))), free.pop()
            try:
                return bool(tests) and try_mutant(mutant, tests, copy)
            finally:
                free.append(copy)

        yield from pool.map(is_noticed, sample)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE[,FILE]", help="a sample is drawn of each of these")
    parser.add_argument("--sample", type=int, default=30, help="mutants in a sample")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--tests", nargs="+", default=["tests"], metavar="PATH")
    asked = parser.parse_args()
    groups = [group.split(",") for group in asked.files]
    by_line = tests_by_line([file for group in groups for file in group], asked.tests, asked.jobs)
    for group in groups:
        every = [mutant for file in group for mutant in mutants(file)]
        sample = random.Random(asked.seed).sample(every, min(asked.sample, len(every)))
        noticed = 0
        for mutant, is_noticed in zip(sample, tried(sample, by_line, asked.jobs), strict=True):
            noticed += is_noticed
            if not is_noticed:
                print(f"survived {mutant.file}:{mutant.line}: {mutant.old!r} -> {mutant.new!r}", flush=True)
        print(f"{noticed} of {len(sample)} noticed, of {len(every)} mutants of {' '.join(group)}", flush=True)


if __name__ == "__main__":
    main()
