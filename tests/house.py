"""Figures of the code: ``python -m tests.house`` prints them, and with ``--all`` the places of each.

They describe the code and are not limits: a change for the sake of a figure is a bad change. What can be true
or false is in ``tests/test_architecture.py``.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
RENDERER = ROOT / "renderer"
MODULES = tuple(sorted(RENDERER.rglob("*.py")))

#: The page with the words that we avoid.
STYLE = ROOT / "docs/style.md"
_FOLDERS = (
    *(".", ".ci", ".ci/release", ".github", "catalog", "docs", "docs/decisions", "overlays", "schemas"),
    "renderer/explanations",
)
#: The pages that are searched for phrases.
PAGES = tuple(page for folder in _FOLDERS for page in sorted((ROOT / folder).glob("*.md")) if page != STYLE)
_ROW = re.compile(r"^\| (`[^|]+) \| ([^|]+) \|", re.MULTILINE)
_RIGHT = re.compile(r"^These are right: (.+)$", re.MULTILINE)
_CODE = re.compile(r"`([^`]+)`")
_BLOCK = re.compile(r"^( *```)[^\n]*\n.*?^\1$", re.MULTILINE | re.DOTALL)

#: A private function with one use and so few lines may say no more than its expression would.
_FEW_LINES = 6


class Figure(NamedTuple):
    """``places`` are the counted ones, or the largest in descending order."""

    name: str
    value: float
    places: tuple[str, ...] = ()


class Function(NamedTuple):
    name: str
    line: int
    lines: int


class Outline(NamedTuple):
    """The parts of a module that are examined; its whole tree is too large to be kept.

    ``docstrings`` come with the line of what they describe. ``classes`` are the public ones, with their line.
    ``undescribed`` are the public functions and classes at the top level without a docstring, as ``line
    name``. ``imported`` are the modules of the renderer that an import statement names, anywhere. ``used``
    counts the names that are read.
    """

    lines: int
    is_described: bool
    docstrings: tuple[tuple[int, str], ...]
    classes: tuple[tuple[str, int], ...]
    undescribed: tuple[str, ...]
    functions: tuple[Function, ...]
    imported: frozenset[str]
    used: Counter[str]


def parse(module: Path) -> ast.Module:
    return ast.parse(module.read_text(encoding="utf-8"))


@cache
def outline(module: Path) -> Outline:
    tree = parse(module)
    docstrings, functions, imported, used = [], [], set(), Counter[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                docstrings.append((getattr(node, "lineno", 1), text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            functions.append(Function(node.name, node.lineno, lines))
        elif isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names} & _NAMES
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                imported |= {name if name in _NAMES else str(node.module)} & _NAMES
        elif isinstance(node, ast.Name):
            used[node.id] += 1
        elif isinstance(node, ast.Attribute):
            used[node.attr] += 1
    public = [
        node
        for node in tree.body
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
        and not node.name.startswith("_")
        and [ast.unparse(decorator) for decorator in node.decorator_list] != ["overload"]
    ]
    return Outline(
        lines=len(module.read_text(encoding="utf-8").splitlines()),
        is_described=not tree.body or bool(ast.get_docstring(tree)),
        docstrings=tuple(docstrings),
        classes=tuple((node.name, node.lineno) for node in public if isinstance(node, ast.ClassDef)),
        undescribed=tuple(f"{node.lineno} {node.name}" for node in public if not ast.get_docstring(node)),
        functions=tuple(functions),
        imported=frozenset(imported),
        used=used,
    )


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def dotted(module: Path) -> str:
    parts = module.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


_NAMES = frozenset(map(dotted, MODULES))


def imports() -> Mapping[str, frozenset[str]]:
    """The modules of the renderer that each of them imports: at the top, in functions, and for types only."""
    return {dotted(module): outline(module).imported - {dotted(module)} for module in MODULES}


def circles(graph: Mapping[str, frozenset[str]]) -> list[frozenset[str]]:
    """The largest sets of two and more modules of which each imports each other, directly or not."""
    number: dict[str, int] = {}
    least: dict[str, int] = {}
    path: list[str] = []
    found = []

    def visit(name: str) -> None:  # Tarjan's algorithm
        number[name] = least[name] = len(number)
        path.append(name)
        for other in sorted(graph[name]):
            if other not in number:
                visit(other)
            if other in path:
                least[name] = min(least[name], least[other])
        if least[name] == number[name]:
            start = path.index(name)
            if len(path) - start > 1:
                found.append(frozenset(path[start:]))
            del path[start:]

    for name in graph:
        if name not in number:
            visit(name)
    return found


def of_parts(graph: Mapping[str, frozenset[str]], package: str) -> Mapping[str, frozenset[str]]:
    """The modules and packages right below ``package``, each with the others that its modules import."""

    def part(module: str) -> str | None:
        inner = module.removeprefix(f"{package}.")
        return None if inner == module else f"{package}.{inner.partition('.')[0]}"

    found = defaultdict[str, set[str | None]](set)
    for module, others in graph.items():
        importer = part(module)
        if importer is not None:
            found[importer] |= {part(other) for other in others} - {importer, None}
    return {name: frozenset(map(str, others)) for name, others in found.items()}


def figures() -> Iterator[Figure]:
    modules = [module for module in MODULES if module.name != "__init__.py"]
    lengths = sorted(((outline(module).lines, shown(module)) for module in modules), reverse=True)
    functions = sorted(
        (
            (function.lines, f"{shown(module)}:{function.line} {function.name}")
            for module in MODULES
            for function in outline(module).functions
        ),
        reverse=True,
    )
    yield Figure("modules", len(modules))
    yield Figure("lines", sum(outline(module).lines for module in MODULES))
    yield Figure("median lines of a module", median(length for length, _ in lengths))
    yield Figure("lines of the longest module", lengths[0][0], _largest(lengths))
    yield Figure("functions", len(functions))
    yield Figure("median lines of a function", median(length for length, _ in functions))
    yield Figure("lines of the longest function", functions[0][0], _largest(functions))
    for name, places in (
        ("private functions of few lines with one use", _used_once()),
        ("public classes that share a name", _namesakes()),
        ("phrases in docstrings that may be said plainly", _phrases_in_docstrings()),
        ("phrases in pages that may be said plainly", _phrases_in_pages()),
    ):
        found = tuple(places)
        yield Figure(name, len(found), found)


def _largest(lengths: list[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(f"{length} {name}" for length, name in lengths[:20])


def _used_once() -> Iterator[str]:
    for module in MODULES:
        seen = outline(module)
        for function in seen.functions:
            is_private = function.name.startswith("_") and not function.name.endswith("__")
            if is_private and function.lines <= _FEW_LINES and seen.used[function.name] == 1:
                yield f"{shown(module)}:{function.line} {function.name}"


def _namesakes() -> Iterator[str]:
    places = defaultdict(list)
    for module in MODULES:
        for name, line in outline(module).classes:
            places[name].append(f"{shown(module)}:{line}")
    yield from (f"{name}: {', '.join(found)}" for name, found in sorted(places.items()) if len(found) > 1)


@cache
def phrases() -> Mapping[str, str]:
    """What to write instead of each phrase that the table of ``docs/style.md`` has in code type."""
    rows = _ROW.findall(STYLE.read_text(encoding="utf-8"))
    return {phrase: instead for cell, instead in rows for phrase in _CODE.findall(cell)}


@cache
def _pattern() -> re.Pattern[str]:
    """The only group is a phrase; longer expressions around one that are right match without a group."""
    right = _CODE.findall(" ".join(_RIGHT.findall(STYLE.read_text(encoding="utf-8"))))
    either = ("|".join(map(re.escape, words)).replace(r"\ ", r"\s+") for words in (right, phrases()))
    return re.compile(r"\b(?:{}|({}))\b".format(*either), re.IGNORECASE)


def phrases_in(text: str) -> Iterator[tuple[int, str]]:
    """The phrases in ``text`` that are in the list, each with its line, counted from 1."""
    for match in _pattern().finditer(text):
        if match[1] and not match[1].endswith("None"):  # Python's, not the word
            yield text.count("\n", 0, match.start()) + 1, " ".join(match[1].lower().split())


def _phrases_in_docstrings() -> Iterator[str]:
    for module in MODULES:
        for line, text in outline(module).docstrings:
            for _, phrase in phrases_in(text):
                yield f"{shown(module)}:{line} {phrase}: {phrases()[phrase]}"


def _phrases_in_pages() -> Iterator[str]:
    for page in PAGES:
        prose = _BLOCK.sub(lambda block: "\n" * block[0].count("\n"), page.read_text(encoding="utf-8"))
        for line, phrase in phrases_in(prose):
            yield f"{shown(page)}:{line} {phrase}: {phrases()[phrase]}"


def main() -> None:
    for figure in figures():
        print(f"{figure.name}: {figure.value:g}")
        if "--all" in sys.argv:
            print(*(f"    {place}" for place in figure.places), sep="\n")


if __name__ == "__main__":
    main()
