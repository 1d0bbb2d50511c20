"""The measures of the code: ``python -m tests.house`` prints them, and fails where one is over its limit.

``tests/test_architecture.py`` holds them.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
RENDERER = ROOT / "renderer"
MODULES = tuple(sorted(RENDERER.rglob("*.py")))
TESTS = tuple(sorted((ROOT / "tests").rglob("*.py")))

#: First words that make a docstring a riddle: it says neither what is returned nor what is done.
_RIDDLES = re.compile(
    r"(What|Whether|How|Where|Of|Those|Whatever|Whoever|Whose|Which|When|That|And|As|By|With|In|On)\b"
)


class Measure(NamedTuple):
    """``found`` names what counts, the worst first."""

    name: str
    value: float
    limit: float
    found: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        return self.value <= self.limit


class Outline(NamedTuple):
    """The parts of a module that are measured; its whole tree is too large to be kept.

    ``docstrings`` come with the line of what they describe, ``classes`` are the public ones with their line,
    ``functions`` have length, line and name, ``imported`` are names that may be modules.
    """

    lines: int
    is_described: bool
    docstrings: tuple[tuple[int, str], ...]
    classes: tuple[tuple[str, int], ...]
    functions: tuple[tuple[int, int, str], ...]
    imported: frozenset[str]


def parse(module: Path) -> ast.Module:
    return ast.parse(module.read_text(encoding="utf-8"))


@cache
def outline(module: Path) -> Outline:
    tree = parse(module)
    docstrings, functions, imported = [], [], set()
    for node in (tree, *_statements(tree)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                docstrings.append((getattr(node, "lineno", 1), text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            functions.append((length, node.lineno, node.name))
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return Outline(
        lines=len(module.read_text(encoding="utf-8").splitlines()),
        is_described=not tree.body or bool(ast.get_docstring(tree)),
        docstrings=tuple(docstrings),
        classes=tuple(
            (node.name, node.lineno)
            for node in tree.body
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
        ),
        functions=tuple(functions),
        imported=frozenset(imported),
    )


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """The statements below ``node`` at any depth, without the expressions, which are most of a tree."""
    for block in ("body", "handlers", "orelse", "finalbody", "cases"):
        for child in getattr(node, block, ()):
            if isinstance(child, ast.stmt):
                yield child
            yield from _statements(child)


def lines_of(module: Path) -> int:
    return outline(module).lines


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def dotted(module: Path) -> str:
    parts = module.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def importers() -> Mapping[str, frozenset[str]]:
    """The modules that import each module of the renderer, at any level."""
    known = {dotted(module) for module in MODULES}
    found: dict[str, set[str]] = defaultdict(set)
    for module in MODULES:
        for name in outline(module).imported & known:
            found[name].add(dotted(module))
    return {name: frozenset(users) for name, users in found.items()}


def _code() -> tuple[Path, ...]:
    return tuple(module for module in MODULES if module.name != "__init__.py")


def _lone_helpers() -> tuple[str, ...]:
    """Modules with one importer, in the same folder; those that a table lists do not count."""
    tables = _imports_within_folders()
    found = []
    for module in _code():
        users = importers().get(dotted(module), frozenset())
        if len(users) != 1:
            continue
        (user,) = users
        same_folder = user.rpartition(".")[0] == dotted(module).rpartition(".")[0]
        if same_folder and tables[user] < _TABLE and not _is_command(module):
            found.append(shown(module))
    return tuple(found)


def _imports_within_folders() -> Counter[str]:
    """The number of modules below its own folder that each module imports."""
    return Counter(
        user
        for name, users in importers().items()
        for user in users
        if name.startswith(f"{user.rpartition('.')[0]}.")
    )


def _is_command(module: Path) -> bool:
    """True for the modules that the table of commands in ``cli/app.py`` lists by name."""
    return module.is_relative_to(RENDERER / "cli/commands")


#: A module that imports so many others of its folder is a table of them.
_TABLE = 12
#: One that imports so many, and does little else, is a small table.
_LISTED = 3


def _long_functions() -> Iterator[tuple[int, str]]:
    for module in (*MODULES, *TESTS):
        for length, line, name in outline(module).functions:
            yield length, f"{shown(module)}:{line} {name}"


def _riddles() -> Iterator[str]:
    for module in MODULES:
        for line, text in outline(module).docstrings:
            if _RIDDLES.match(text):
                yield f"{shown(module)}:{line} {text.splitlines()[0]}"


def _namesakes() -> tuple[str, ...]:
    """Public classes that share a name with another one."""
    places = defaultdict(list)
    for module in MODULES:
        for name, line in outline(module).classes:
            places[name].append(f"{shown(module)}:{line}")
    return tuple(f"{name}: {', '.join(found)}" for name, found in sorted(places.items()) if len(found) > 1)


def _tiny_modules() -> tuple[str, ...]:
    """Modules under 40 lines with less than two importers that no table lists."""
    tables = _imports_within_folders()
    found = []
    for module in _code():
        users = importers().get(dotted(module), frozenset())
        is_table = tables[dotted(module)] >= _LISTED
        if is_table or _is_command(module) or module.name == "__main__.py":
            continue
        if lines_of(module) < 40 and len(users) < 2 and not any(tables[user] >= _TABLE for user in users):
            found.append(f"{shown(module)} ({lines_of(module)})")
    return tuple(found)


def measures() -> tuple[Measure, ...]:
    """Return every measure with its limit."""
    modules, counts = _code(), sorted(map(lines_of, _code()))
    longest = sorted(_long_functions(), reverse=True)
    over = tuple(f"{count} {name}" for count, name in longest if count > 50)
    listed: tuple[tuple[str, float, Callable[[], tuple[str, ...]]], ...] = (
        ("public classes that share a name", 0, _namesakes),
        ("docstrings that begin with a riddle", 0, lambda: tuple(_riddles())),
        ("modules that one module of the same folder imports", 60, _lone_helpers),
        ("modules under 40 lines with one importer", 0, _tiny_modules),
    )
    return (
        Measure("modules", len(modules), 518),
        Measure("lines", sum(map(lines_of, MODULES)), 84_900),
        Measure("median lines of a module", median(counts), 145),
        Measure(
            "lines of the longest module",
            counts[-1],
            450,
            tuple(shown(m) for m in modules if lines_of(m) > 450),
        ),
        Measure("lines of the longest function", longest[0][0], 50, over),
        *(Measure(name, len(found := tuple(find())), limit, found) for name, limit, find in listed),
    )


def main() -> int:
    every = measures()
    for measure in every:
        mark = "  " if measure.holds else "! "
        print(f"{mark}{measure.name}: {measure.value:g} (limit {measure.limit:g})")
        if not measure.holds or "--all" in sys.argv:
            print(*(f"      {each}" for each in measure.found), sep="\n")
    return 0 if all(measure.holds for measure in every) else 1


if __name__ == "__main__":
    sys.exit(main())
