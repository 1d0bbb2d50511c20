"""Look for regular expressions of the package that take more than linear time on a hostile text.

``python -m tests.security.patterns [NAME…]`` prints each pattern that does, with the text and its time;
names are parts of `module:name`. `test_patterns.py` runs the same for all patterns.

A text is hostile if an automaton of the pattern can read a word ``v`` in two ways again and again: it is
in the loop ``p`` while it reads ``v``, or goes from ``p`` to another loop ``q``, or is in ``q``. A
matcher that goes back tries both for each of ``vvvv…``. The search for the start of a match is such a
loop as well. (Weber and Seidl, *On the degree of ambiguity of finite automata*, 1991.) The automaton
here reads too much where a pattern looks around or refers to a group; the time that the text takes
decides.
"""

from __future__ import annotations

import ast
import importlib
import re
import sys
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

PACKAGE = Path(__file__).parents[2] / "renderer"
METHODS = ("search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn")
SCAN = "scan"
"""Of `match` with a position: it is called at the end of each match, until there is none."""
SEARCHING = {"search", "scan", "split", "findall", "finditer", "sub", "subn"}
STAGES = ((8, 0), (24, 0), (100, 0), (800, 1e-7), (3000, 3e-7), (6000, 4e-7))
"""How often a word is repeated, and the CPU seconds a character that are suspicious then.

The first find an exponential time while it can still be waited for.
"""
GROWTH = 1.5
"""A character takes twice as long in the last stage as in the stage before if the whole is quadratic."""
STEADY = 1.5
"""The least growth of that time to the last stage but one, whose text is 3.75 times as long."""
SLOW, SHORT = 2e-5, 5e-3
"""CPU seconds a character, and a text, that are too long at any stage."""
MANY = 256
"""A part that may be repeated more often than this is taken for a loop without an end."""
LEAST_OF_ONE = 40
"""So many characters are needed at most, of `{40,}` and the like."""
CHARACTERS = {"LITERAL", "NOT_LITERAL", "ANY", "IN"}
MAX_STEPS = 4000
"""Steps of the search for one word; longer words are of no use."""


OTHERWISE_USED = {
    "renderer.model.project_schemas": frozenset(["fullmatch"]),
    "renderer.kubevirt.facts.installed_release": frozenset(["fullmatch"]),
}
"""Methods of patterns in tuples."""
_MENTION = re.compile(r"\bre\.\w|\bpattern\(")


class Pattern(NamedTuple):
    """A regular expression, where it is written, and the methods that are called."""

    name: str
    text: str | bytes
    flags: int
    methods: frozenset[str]


class Slow(NamedTuple):
    """A text on which a method takes too long."""

    pattern: Pattern
    method: str
    text: str
    seconds: float

    def __str__(self) -> str:
        return (
            f"{self.pattern.name} {self.method} {self.pattern.text!r:.200}: {self.seconds:.3f} s for"
            f" {len(self.text)} characters {self.text[:60]!r} and {self.text[-8:]!r}"
        )


class Found(NamedTuple):
    patterns: list[Pattern]
    unknown: list[str]
    """Calls whose pattern is known only at run time."""


# ------------------------------------------------------------------ what the package has


def patterns_of_the_package() -> Found:
    """Return the patterns in all calls of `re` and of `pattern`, in the order of their modules."""
    sources = {_module(path): path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))}
    found = Found([], [])
    for module, source in sources.items():
        if not _MENTION.search(source):
            continue
        tree = _parsed(source)
        names = _names_of_calls(tree)
        methods_of_calls = {
            node.value: node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Call) and node.attr in METHODS
        }
        namespace = vars(importlib.import_module(module))
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call) and _makes_pattern(node)):
            name = names.get(call)
            try:
                text, flags = _arguments(call, namespace)
            except NameError:
                found.unknown.append(f"{module}: {ast.unparse(call)}")
                continue
            used = methods_of_calls.get(call)
            if used:
                methods = frozenset([used])
            elif name:
                word = re.compile(rf"\b{name}\b")
                others = sources.values() if not name.startswith("_") else ()
                using = [source, *(each for each in others if each is not source and word.search(each))]
                methods = _methods_called(name, using)
            else:
                method = call.func.attr if isinstance(call.func, ast.Attribute) else "compile"
                methods = OTHERWISE_USED.get(module) or frozenset([method] if method in METHODS else METHODS)
            found.patterns.append(Pattern(f"{module}:{name or repr(text)[:60]}", text, flags, methods))
    return found


@cache
def _parsed(source: str) -> ast.Module:
    return ast.parse(source)


def _module(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _makes_pattern(call: ast.Call) -> bool:
    match call.func:
        case ast.Attribute(value=ast.Name(id="re"), attr=attr):
            return attr == "compile" or attr in METHODS
        case ast.Name(id="pattern"):
            return True
        case _:
            return False


def _arguments(call: ast.Call, namespace: dict[str, Any]) -> tuple[str | bytes, int]:
    def value(node: ast.expr) -> Any:  # noqa: ANN401 - what the module says
        return eval(ast.unparse(node), namespace)  # noqa: S307 - our own module

    is_compile = not (isinstance(call.func, ast.Attribute) and call.func.attr in METHODS)
    named = {each.arg: each.value for each in call.keywords}
    written = named.get("flags") or (call.args[1] if is_compile and len(call.args) > 1 else None)
    if not is_compile and len(call.args) > 2 and "re." in ast.unparse(call.args[-1]):
        written = call.args[-1]
    text = value(call.args[0])
    if isinstance(text, re.Pattern):
        return text.pattern, text.flags
    return text, int(value(written)) if written else 0


def _names_of_calls(tree: ast.Module) -> dict[ast.Call, str]:
    """Return the names of the calls that are assigned to one."""
    names: dict[ast.Call, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                names[call] = name
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Call() as call):
                names[call] = name
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if not any(
                isinstance(each, ast.Starred) for each in (*targets, *values)
            ):
                for target, value in zip(targets, values, strict=True):
                    if isinstance(target, ast.Name) and isinstance(value, ast.Call):
                        names[value] = target.id
            case _:
                pass
    return names


@cache
def _uses_of_names(source: str) -> Mapping[str, frozenset[str]]:
    """Return the methods that a module calls of each name; "" is among them if it is used in another way.

    A call with a position is one of many that read a text piece by piece.
    """
    found: dict[str, set[str]] = defaultdict(set)
    called: set[ast.AST] = set()
    # A walk comes to each node before those within it.
    for node in ast.walk(_parsed(source)):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="match"), args=[_, _, *_]):
                found[name].add(SCAN)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="search"), args=[_, _, *_]):
                found[name].add("finditer")
            case ast.Attribute(value=ast.Name(id=name) as used, attr=method):
                called.add(used)
                found[name].add(method)
            case ast.Name(id=name, ctx=ast.Load()) if node not in called:
                found[name].add("")
            case _:
                pass
    return {name: frozenset(uses) for name, uses in found.items()}


def _methods_called(name: str, sources: Iterable[str]) -> frozenset[str]:
    """Return the methods that are called of a pattern; all, if it is also used in another way."""
    found = frozenset[str]().union(*(_uses_of_names(each).get(name, ()) for each in sources))
    return frozenset(METHODS) if not found or "" in found else found & {*METHODS, SCAN}


# ------------------------------------------------------------------ the automaton of a pattern


SEARCH = -1
"""The loop in which `search` is before a match."""


class Edge(NamedTuple):
    target: int
    conditions: tuple[Callable[[str, str], bool], ...]
    """What must hold for the characters before and after this place."""


class Automaton:
    """The positions of a pattern's characters, and which may follow which; 0 is the start."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        tree = _parser.parse(text, flags)
        self._state = tree.state
        self._reader = _reader_of_bytes if isinstance(text, bytes) else _reader
        self._groups: dict[int, Any] = {}
        self.flags = tree.state.flags
        self._samples = _samples(tree, is_bytes=isinstance(text, bytes))
        self._sets: list[frozenset[str]] = [frozenset()]
        self._free: dict[int, list[Edge]] = {}
        self._looked_at: list[frozenset[str]] = []
        self._nodes = 0
        start = self._node()
        self._position_of: dict[int, int] = {start: 0}
        self._build(tree, start, self.flags)
        self._steps: dict[tuple[int, str, str], frozenset[int]] = {}
        self._ways: dict[int, str] = {}
        self.reads = [frozenset(each) for each in self._sets]
        self.alphabet = self._alphabet()
        position_nodes = {position: node for node, position in self._position_of.items()}
        self.next = [self._closure(position_nodes[each]) for each in range(len(self._sets))]
        self._has_conditions = [any(each.conditions for each in edges) for edges in self.next]

    def _node(self) -> int:
        self._nodes += 1
        self._free[self._nodes] = []
        return self._nodes

    def _skip(self, source: int, target: int, *conditions: Callable[[str, str], bool]) -> None:
        self._free[source].append(Edge(target, conditions))

    def _build(self, items: Iterable[tuple[Any, Any]], node: int, flags: int) -> int:
        for op, value in items:
            name = str(op)
            if name in CHARACTERS:
                node = self._character(node, (op, value), flags)
            elif name == "BRANCH":
                end = self._node()
                for each in value[1]:
                    self._skip(self._build(each, node, flags), end)
                node = end
            elif name == "SUBPATTERN":
                group, added, removed, inner = value
                self._groups[group] = inner
                node = self._build(inner, node, (flags | added) & ~removed)
            elif name == "ATOMIC_GROUP":
                node = self._build(value, node, flags)
            elif name in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}:
                node = self._repeat(value, node, flags)
            elif name in {"ASSERT", "ASSERT_NOT"}:
                node = self._look(value, node, flags, negative=name == "ASSERT_NOT")
            elif name == "AT":
                after = self._node()
                self._skip(node, after, _condition(str(value), flags))
                node = after
            elif name == "GROUPREF":
                node = self._build(self._groups.get(value, ()), node, flags)
            elif name == "GROUPREF_EXISTS":
                end = self._node()
                for each in filter(None, value[1:]):
                    self._skip(self._build(each, node, flags), end)
                self._skip(node, end)
                node = end
            else:
                raise NotImplementedError(name)
        return node

    def _character(self, node: int, item: tuple[Any, Any], flags: int) -> int:
        after = self._node()
        self._position_of[after] = len(self._sets)
        accepted = self._reader(self._state, item, flags)
        self._sets.append(frozenset(each for each in self._samples if accepted(each)))
        self._skip(node, after)
        return after

    def _repeat(self, value: Any, node: int, flags: int) -> int:  # noqa: ANN401 - of sre
        least, most, inner = value
        for _ in range(min(least, LEAST_OF_ONE if len(inner) == 1 and str(inner[0][0]) in CHARACTERS else 2)):
            node = self._build(inner, node, flags)
        if most > MANY:
            start = self._node()
            self._skip(node, start)
            self._skip(self._build(inner, start, flags), start)
            return start
        end = self._node()
        self._skip(node, end)
        for _ in range(min(most - least, 2)):
            node = self._build(inner, node, flags)
            self._skip(node, end)
        return end

    def _look(self, value: Any, node: int, flags: int, *, negative: bool) -> int:  # noqa: ANN401 - of sre
        direction, inner = value
        after = self._node()
        if len(inner) == 1 and str(inner[0][0]) in CHARACTERS:
            accepted = self._reader(self._state, inner[0], flags)

            self._looked_at.append(frozenset(each for each in self._samples if accepted(each)))

            def holds(before: str, following: str) -> bool:
                character = before if direction < 0 else following
                return (character != "" and accepted(character)) is not negative

            self._skip(node, after, holds)
            return after
        self._skip(node, after)
        if direction > 0:  # what is read ahead is read again: in a loop of its own
            self._skip(self._build(inner, node, flags), after)
        return after

    def _alphabet(self) -> list[str]:
        """Return one sample for all that the pattern does not tell apart."""
        kinds: dict[object, str] = {}
        for each in self._samples:
            kind = (
                tuple(each in read for read in (*self.reads, *self._looked_at)),
                each == "\n",
                each.isalnum() or each == "_",
            )
            kinds.setdefault(kind, each)
        return list(kinds.values())

    def _closure(self, node: int) -> list[Edge]:
        found: list[Edge] = []
        waiting: deque[Edge] = deque([Edge(node, ())])
        seen = set()
        while waiting:
            at, conditions = waiting.popleft()
            if at in seen:
                continue
            seen.add(at)
            for target, more in self._free[at]:
                both = (*conditions, *more)
                if target in self._position_of:
                    found.append(Edge(self._position_of[target], both))
                elif more:
                    waiting.append(Edge(target, both))
                else:
                    waiting.appendleft(Edge(target, both))
        return found

    def step(self, position: int, before: str, character: str) -> frozenset[int]:
        """Return the positions that read a character after another one."""
        key = position, before if self._has_conditions[max(position, 0)] else "", character
        if key not in self._steps:
            self._steps[key] = frozenset([SEARCH] if position == SEARCH else []).union(
                target
                for target, conditions in self.next[max(position, 0)]
                if character in self.reads[target] and all(each(before, character) for each in conditions)
            )
        return self._steps[key]

    def way_to(self, position: int) -> str:
        """Return the shortest text before a position; an empty one if there is none."""
        if not self._ways:
            waiting: deque[tuple[int, str]] = deque([(0, "")])
            seen = {(0, "")}
            while waiting:
                at, text = waiting.popleft()
                self._ways.setdefault(at, text[:-1])
                for character in self.alphabet:
                    for target in self.step(at, text[-1:], character):
                        if (target, character) not in seen:
                            seen.add((target, character))
                            waiting.append((target, text + character))
        return self._ways.get(position, "")


def _reader(state: Any, item: tuple[Any, Any], flags: int) -> Callable[[str], bool]:  # noqa: ANN401 - of sre
    """Return whether a part of a pattern reads a character, as `re` has it."""
    if item[0] is _constants.ANY and flags & re.DOTALL:
        return lambda _character: True
    part = _compiler.compile(_parser.SubPattern(state, [item]), flags)
    return lambda character: part.fullmatch(character) is not None


def _reader_of_bytes(state: Any, item: tuple[Any, Any], flags: int) -> Callable[[str], bool]:  # noqa: ANN401 - of sre
    return _reader(state, item, flags | re.ASCII)


def _samples(tree: Any, *, is_bytes: bool) -> list[str]:  # noqa: ANN401 - of sre
    """Return characters of each kind: all that the pattern names, and some that it does not."""
    found = dict.fromkeys([*"\n aZ0_-!\t\r\x00/.é", "\u2003", "字"])

    def add(items: Any) -> None:  # noqa: ANN401 - of sre
        for item in items:
            if isinstance(item, tuple):
                op, value = item
                if op in (_constants.LITERAL, _constants.NOT_LITERAL):
                    found.update(dict.fromkeys([chr(value)]))
                elif op is _constants.RANGE:
                    found.update(dict.fromkeys([chr(value[0]), chr(value[1])]))
                elif isinstance(value, (tuple, list, _parser.SubPattern)):
                    add([item for item in value if item is not None])
            elif isinstance(item, (list, _parser.SubPattern)):
                add(item)

    add(tree)
    return [each for each in found if not is_bytes or ord(each) < 256]


def _condition(code: str, flags: int) -> Callable[[str, str], bool]:
    def is_word(character: str) -> bool:
        return character.isalnum() or character == "_"

    if code == "AT_BOUNDARY":
        return lambda before, following: is_word(before) != is_word(following)
    if code == "AT_NON_BOUNDARY":
        return lambda before, following: is_word(before) == is_word(following)
    is_line = code == "AT_BEGINNING" and bool(flags & re.MULTILINE)
    if code in {"AT_BEGINNING", "AT_BEGINNING_STRING"}:
        return lambda before, _following: before == "" or (is_line and before == "\n")
    return lambda _before, following: code == "AT_END" and following == "\n"


# ------------------------------------------------------------------ hostile texts


class Word(NamedTuple):
    prefix: str
    repeated: str


def hostile_words(automaton: Automaton, *, searching: bool) -> set[Word]:
    """Return the words that can be read in two ways, again and again, and what is read before."""
    reachable, loops = _loops(automaton)
    read = {
        each: frozenset().union(*(automaton.reads[other] for other in loop)) for each, loop in loops.items()
    }
    words: set[Word] = set()
    for second in loops:
        before = {each for each, seen in reachable.items() if second in seen}
        firsts = [each for each in loops if each != second and each in before]
        for first in ([SEARCH] if searching else []) + firsts:
            both = [
                each for each in automaton.alphabet if first == SEARCH or each in read[first] & read[second]
            ]
            prefix = "" if first == SEARCH else automaton.way_to(first)
            for alphabet in (both, both[::-1]):
                word = _read_in_two_ways(automaton, (first, second), loops, before, alphabet)
                if word is None:
                    break
                words.add(Word(prefix, word))
    for each in loops:  # each loop alone, for what the automaton cannot know
        words.update(
            Word(automaton.way_to(each), character) for character in sorted(automaton.reads[each])[:1]
        )
    return words


def ends(automaton: Automaton) -> list[str]:
    """Return what may end a text: nothing, and a character of each kind that the loops tell apart."""
    _, loops = _loops(automaton)
    kinds = {tuple(each in automaton.reads[loop] for loop in loops): each for each in automaton.alphabet}
    unread = [each for each in automaton.alphabet if not any(each in read for read in automaton.reads)]
    return ["", *dict.fromkeys([*unread[:1], *kinds.values()])]


def _loops(automaton: Automaton) -> tuple[dict[int, set[int]], dict[int, frozenset[int]]]:
    """Return what can be reached from each position, and the loop that it is in."""
    follow = {
        position: {edge.target for edge in edges if automaton.reads[edge.target]}
        for position, edges in enumerate(automaton.next)
    }
    reachable: dict[int, set[int]] = {}
    for position in follow:
        seen: set[int] = set()
        waiting = [position]
        while waiting:
            for target in follow[waiting.pop()] - seen:
                seen.add(target)
                waiting.append(target)
        reachable[position] = seen
    return reachable, {
        each: frozenset(other for other in seen if each in reachable[other])
        for each, seen in reachable.items()
        if each in seen
    }


def _read_in_two_ways(
    automaton: Automaton,
    pair: tuple[int, int],
    loops: Mapping[int, frozenset[int]],
    before_second: set[int],
    alphabet: list[str],
) -> str | None:
    """Return a word that leads from the first to itself and to the second, and from there to itself."""
    first, second = pair
    around_first = frozenset([SEARCH]) if first == SEARCH else loops[first]
    around_second = loops[second]
    on_the_way = before_second | around_second | {SEARCH}
    reads = automaton.reads[second] if first == SEARCH else automaton.reads[first] & automaton.reads[second]
    waiting = deque(((first, first, second, begun), "", begun) for begun in alphabet if begun in reads)
    seen = {each[0] for each in waiting}
    for _ in range(MAX_STEPS):
        if not waiting:
            return None
        (one, way, two, before), word, begun = waiting.popleft()
        for character in alphabet:
            ones = around_first.intersection(automaton.step(one, before, character))
            twos = around_second.intersection(automaton.step(two, before, character)) if ones else ()
            ways = on_the_way.intersection(automaton.step(way, before, character)) if twos else ()
            for state in ((a, b, c, character) for a in ones for b in ways for c in twos):
                if state[:3] == (first, second, second) and character == begun:
                    return word + character
                if state not in seen:
                    seen.add(state)
                    waiting.append((state, word + character, begun))
    return None


# ------------------------------------------------------------------ their time


def slow_texts(pattern: Pattern, run: Callable[[str], object] | None = None) -> Iterator[Slow]:
    """Yield a text for each method that takes too long, or for ``run``, which uses the pattern."""
    automaton = Automaton(pattern.text, pattern.flags)
    all_ends = ends(automaton)
    methods = pattern.methods
    if methods & {"split", "findall", "finditer", "sub", "subn"}:
        methods = methods - {"search", "split", "findall", "sub", "subn", SCAN} | {"finditer"}
    if "fullmatch" in methods:
        methods -= {"match"}
    for method in sorted(methods):
        words = sorted(hostile_words(automaton, searching=method in SEARCHING))
        tried = run or _use(pattern, method)
        found = (_slow(pattern, method, tried, word, end) for word in words for end in all_ends)
        first = next(filter(None, found), None)
        if first:
            yield first


def _use(pattern: Pattern, method: str) -> Callable[[str], object]:
    compiled = re.compile(pattern.text, pattern.flags)

    def use(text: str) -> None:
        given: Any = text if isinstance(pattern.text, str) else text.encode("latin-1")
        if method == "finditer":
            deque(compiled.finditer(given), 0)
        elif method == SCAN:
            end = 0
            while (found := compiled.match(given, end)) and found.end() > end:
                end = found.end()
        else:
            getattr(compiled, method)(given)

    return use


def _slow(pattern: Pattern, method: str, use: Callable[[str], object], word: Word, end: str) -> Slow | None:
    text, seconds, rate, before, shorter = "", 0.0, 0.0, 0.0, ""
    for count, suspicious in STAGES:
        text, shorter, before = word.prefix + word.repeated * count + end, text, rate
        seconds = _seconds(use, text)
        rate = seconds / len(text)
        if rate > SLOW and seconds > SHORT:
            break
        if rate < suspicious or (count == STAGES[-2][0] and rate < STEADY * before):
            return None
    else:
        if rate < GROWTH * before:
            return None
        # Another program may have slowed the last one down: the shortest of several times counts.
        last, before = (min(_seconds(use, each) for _ in range(5)) / len(each) for each in (text, shorter))
        if last < GROWTH * before:
            return None
    return Slow(pattern, method, text, seconds)


def _seconds(use: Callable[[str], object], text: str) -> float:
    start = time.thread_time()
    use(text)
    return time.thread_time() - start


def main(names: list[str]) -> int:
    found = patterns_of_the_package()
    for call in found.unknown:
        print("at run time:", call)
    for pattern in found.patterns:
        if not names or any(name in pattern.name for name in names):
            start = time.thread_time()
            for slow in slow_texts(pattern):
                print(slow, flush=True)
            if time.thread_time() - start > 1:
                print(f"{pattern.name}: {time.thread_time() - start:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
