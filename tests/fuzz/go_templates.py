"""Random Go templates: ``python -m tests.fuzz.go_templates``.

Each is a text, an error of the template, or the end of the budget, within the time and memory that the budget
stands for. A run makes 100,000 calls of functions: with arguments that fit their parameters, mostly; in
pipelines, blocks, loops and variables; and as texts in which a few characters or words have changed.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
from collections.abc import Sequence

from renderer.golang.template import GoTemplateError, render
from renderer.golang.template.functions import FUNCTIONS
from renderer.golang.template.values import TextMap
from renderer.model.run.limits import lowered
from renderer.model.run.work import WorkLimitError, begin_run
from tests.fuzz.bounds import bounds

CALLS = 100_000
#: The steps of a template here, and the seconds that they may take: ten times the usual, on a busy machine.
WORK, MAX_SECONDS = 100_000, 2.0

_TEXTS = (
    *(
        '""',
        '"a"',
        '"08"',
        '"-1"',
        '"0x1F"',
        '"1_0"',
        '"nan"',
        '"-inf"',
        '"1e999"',
        '"é"',
        '"\\u2028"',
        '"%c%d"',
    ),
    *(
        '"9223372036854775808"',
        '"x-y.z"',
        '"a\\nb\\n"',
        '"${1}$$"',
        '"%5000000d"',
        '"%*.*f"',
        '"[1, {a: b}]"',
    ),
    *('"{\\"a\\": [1, null]}"', '"&x [*x]"', '"(a|b)*c"', '"(?i)x{1000}"', '"a.*b|a"', '"/a/../b"', '"YQ=="'),
    *('(fromJson "\\"\\\\udfff\\"")', '(repeat 3000 "ab")', '"🦄"', '"\\x00"', f'"{"9" * 4400}"', "`{{`"),
)
_NUMBERS = (
    *(
        "0",
        "1",
        "-1",
        "2",
        "7",
        "64",
        "1000",
        "100000",
        "4000001",
        "9223372036854775807",
        "-9223372036854775808",
    ),
    *("0x7f", "'a'", "55296", "1114112", "-2147483649", "(len .name)"),
)
_FLOATS = ("0.5", "-0.0", "1e308", "5e-324", '(float64 "nan")', '(float64 "inf")', "3.0", ".num")
_LISTS = (
    "list",
    "(list 1 1.0 `1`)",
    "(until 5)",
    "(until 3000)",
    "(list .tree .tree)",
    ".list",
    "(list (list))",
)
_MAPS = ("dict", '(dict "x" 1)', ".tree", "(dict `a` (dict `b` .tree))", "(deepCopy .tree)", "$d")
_OTHERS = ("nil", ".", "$", ".absent", ".texts", "true", "false", "$a", "$l")
_BY_KIND = {"s": _TEXTS, "i": _NUMBERS, "f": _FLOATS, "b": ("true", "false"), "m": _MAPS, "l": _LISTS}
_ANY = (*_TEXTS, *_NUMBERS, *_FLOATS, *_LISTS, *_MAPS, *_OTHERS)
_NAMES = tuple(FUNCTIONS)
#: What a changed text gets or loses.
_PIECES = (
    *(
        "{{",
        "}}",
        "{{-",
        "-}}",
        "(",
        ")",
        "|",
        ":=",
        "=",
        "$",
        ".",
        '"',
        "`",
        "'",
        "\\",
        "/*",
        "*/",
        ",",
        "\n",
        "-",
    ),
    *(
        "end",
        "else",
        "range",
        "with",
        "break",
        "continue",
        "define",
        "template",
        "block",
        "nil",
        "0x",
        "1e",
        "$x",
    ),
    *("\ud800", "\0", "é", "٣", "9" * 30, "{{ end }}", "{{ else }}", "{{ break }}", "\\u", "\\x", "%"),
)
_OPTIONS = ((), ("missingkey=zero",), ("missingkey=error",))


def values() -> dict[str, object]:
    """Return the input of a template."""
    return {
        "name": "Big_Barn",
        "num": 7.0,
        "nothing": None,
        "list": ["p", "", "\ud800", 1.5, True, None, ["x"]],
        "tree": {"x": {"y": "leaf"}, "z": [1.0, {"w": "v"}]},
        "texts": TextMap(env="live"),
    }


class Generator:
    """Makes templates; ``calls`` counts the functions in them."""

    def __init__(self, chosen: random.Random) -> None:
        self._random = chosen
        self.calls = 0

    def template(self) -> str:
        """Return a template; every fourth one is changed in a few places."""
        text = "{{ $a := 1 }}{{ $l := list 1 }}{{ $d := dict }}" + self._nodes(
            self._random.choice((1, 1, 1, 2, 4)), 0
        )
        return self._changed(text) if self._random.random() < 0.25 else text

    def _nodes(self, count: int, depth: int) -> str:
        return "".join(self._node(depth) for _ in range(count))

    def _node(self, depth: int) -> str:
        kind = self._random.randrange(14 if depth < 3 else 9)
        one = self._pipeline(0)
        match kind:
            case 0:
                return f"{{{{ $a = {one} }}}}"
            case 1:
                return "{{ $l = list $l $l }}" * self._random.randint(1, 30)
            case 2:
                return '{{ $d = dict "x" $d "y" $d }}' * self._random.randint(1, 30)
            case 3:
                return f'{{{{ $_ := set $d "k" {one} }}}}'
            case 9:
                return f"{{{{ if {one} }}}}{self._nodes(2, depth + 1)}{{{{ else }}}}x{{{{ end }}}}"
            case 10:
                return f"{{{{ with {one} }}}}{self._nodes(2, depth + 1)}{{{{ end }}}}"
            case 11 | 12:
                names = self._random.choice(("", "$i := ", "$i, $e := ", "$a = "))
                inside = self._nodes(2, depth + 1)
                return f"{{{{ range {names}{one} }}}}{inside}{{{{ else }}}}-{{{{ end }}}}"
            case 13:
                body = self._nodes(1, depth + 1).replace("$a", ".").replace("$l", ".").replace("$d", ".")
                return f'{{{{ define "t" }}}}{body}{{{{ end }}}}{{{{ template "t" {one} }}}}'
            case _:
                return f"{{{{ {one} }}}}"

    def _pipeline(self, depth: int) -> str:
        commands = [self._call(depth)]
        while self._random.random() < 0.2:
            commands.append(self._call(depth, given=1))
        return " | ".join(commands)

    def _call(self, depth: int, given: int = 0) -> str:
        name = self._random.choice(_NAMES)
        function = FUNCTIONS[name]
        self.calls += 1
        kinds = function.parameters + (function.rest or "a") * self._random.randint(0, 3)
        if not function.rest and not function.lazy:
            kinds = function.parameters
        count = max(0, len(kinds) - given)
        return " ".join((name, *(self._argument(kind, depth) for kind in kinds[:count])))

    def _argument(self, kind: str, depth: int) -> str:
        if depth < 3 and self._random.random() < 0.3:
            return f"({self._pipeline(depth + 1)})"
        fits = self._random.random() < 0.9
        return self._random.choice(_BY_KIND.get(kind, _ANY) if fits else _ANY)

    def _changed(self, text: str) -> str:
        for _ in range(self._random.randint(1, 4)):
            at = self._random.randrange(len(text) + 1)
            end = at + self._random.choice((0, 0, 1, 2, 10))
            piece = self._random.choice((*_PIECES, "", text[end : end + 20]))
            text = text[:at] + piece + text[end:]
        return text


class Failure(AssertionError):  # noqa: N818 - of the program, as pytest shows it
    """A template that ends otherwise than by a text, an error or the budget."""


def check(text: str, options: Sequence[str] = ()) -> None:
    """Raise ``Failure`` if the template crashes, or takes longer than its budget."""
    begin_run()
    start = time.process_time()
    try:
        with lowered({"work": WORK, "template_output": WORK * 4}):
            written = render(text, values(), options)
            assert isinstance(written, str)
    except (GoTemplateError, WorkLimitError) as ended:
        str(ended).encode(errors="surrogatepass")
    except BaseException as error:
        raise Failure(f"{type(error).__name__}: {error}\n{text!r} {options}") from error
    took = time.process_time() - start
    if took > MAX_SECONDS:
        raise Failure(f"it took {took:.1f} s\n{text!r} {options}")


def run(calls: int, seed: int, seconds: float = float("inf")) -> tuple[int, int]:
    """Check templates with so many calls of functions. Return the numbers of templates and of calls.

    Raises ``Failure``.
    """
    chosen = random.Random(seed)
    generator = Generator(chosen)
    templates = 0
    start = time.monotonic()
    while generator.calls < calls and time.monotonic() - start < seconds:
        text = generator.template()
        with bounds():
            check(text, chosen.choice(_OPTIONS))
        templates += 1
    return templates, generator.calls


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.go_templates")
    parser.add_argument("--calls", type=int, default=CALLS, help=f"calls of functions [default: {CALLS}]")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end after this time")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    arguments = parser.parse_args()
    try:
        templates, calls = run(arguments.calls, arguments.seed, arguments.seconds)
    except Failure:
        traceback.print_exc(file=sys.stdout)
        print(f"failed; the seed is {arguments.seed}")
        return 1
    print(f"{calls} calls in {templates} templates; the seed is {arguments.seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
