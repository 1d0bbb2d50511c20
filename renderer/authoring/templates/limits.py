"""Limits on the output of a template, counted in steps and characters and not by a clock.

Everything that a template creates or examines is weighed: a value costs a step, a list or mapping one step
for each value in it, and text one step for every few characters. A value is weighed again at each use, so a
value with many shared parts costs as much as it would when written out. Limits that a project or a run can
set are in ``model.run.limits``.
"""

from __future__ import annotations

from renderer.authoring.templates.errors import TemplateError, TemplateLimitError
from renderer.model.run.limits import limit_hint, limits
from renderer.model.run.work import spend

#: Expressions, blocks and pieces of text, in total; compiling them takes a second or two.
MAX_NODES = 10_000

#: Nested expressions and blocks.
MAX_DEPTH = 80

#: Nested brackets: Jinja's parser makes a dozen calls for each, and the stack must suffice wherever it is
#: called from.
MAX_BRACKETS = 30

#: ``elif``, in total: Python nests each in the previous one, and its versions have different maximum depths.
MAX_BRANCHES = 1000

#: Comparisons of one chain (``a < b < c`` has two), which Python also nests.
MAX_COMPARISONS = 100

#: Nested macro calls.
MAX_CALLS = 40

#: Characters of one text.
MAX_TEXT = 1024 * 1024

#: Values of one list that an operator or ``range`` creates.
MAX_ITEMS = 100_000

#: Bits of a whole number.
MAX_BITS = 128

_CHARACTERS_PER_STEP = 8
#: Number of template steps after which they are reported to the run (``model.run.work``).
_REPORTED_AT_ONCE = 500
_STEPS_OF_CALL = 50
_SPLIT_HINT = "make fewer or smaller resources in one Template, or split it; {}"


def check_text(length: int) -> None:
    """Check a length before a text of that length is created. Raises ``TemplateLimitError``."""
    if length > MAX_TEXT:
        raise TemplateLimitError(f"a text would have more than {MAX_TEXT} characters")


def check_items(length: int) -> None:
    """Check a length before a list of that length is created. Raises ``TemplateLimitError``."""
    if length > MAX_ITEMS:
        raise TemplateLimitError(f"a list would have more than {MAX_ITEMS} values")


class Meter:
    """Counts; every method raises ``TemplateLimitError`` if a limit is exceeded."""

    def __init__(self) -> None:
        self._steps = limits().template_steps
        self._output = limits().template_output
        self._calls = 0
        self._unreported = 0

    def steps(self, count: int) -> None:
        self._steps -= count
        self._unreported += count
        if self._unreported > _REPORTED_AT_ONCE:
            spend(self._unreported * 2 // 3, "rendering Templates")
            self._unreported = 0
        if self._steps < 0:
            message = f"the template needs more than {limits().template_steps} steps"
            raise TemplateLimitError(message, _SPLIT_HINT.format(limit_hint("template_steps")))

    def output(self, length: int, line: int) -> None:
        """Count characters that ``line`` of the template produced."""
        self._output -= length
        if self._output < 0:
            message = f"the template produces more than {limits().template_output} characters"
            raise TemplateLimitError(message, _SPLIT_HINT.format(limit_hint("template_output")), line)

    def enter_call(self) -> None:
        self.steps(_STEPS_OF_CALL)
        self._calls += 1
        if self._calls > MAX_CALLS:
            hint = "a macro that calls itself has to end"
            raise TemplateLimitError(f"more than {MAX_CALLS} macros call each other", hint)

    def leave_call(self) -> None:
        self._calls -= 1

    def weigh(self, *values: object) -> None:
        """Count a value. Also raises ``TemplateError`` for a number that is too large."""
        waiting = list(values)
        while waiting:
            value = waiting.pop()
            if isinstance(value, str):
                check_text(len(value))
                self.steps(1 + len(value) // _CHARACTERS_PER_STEP)
            elif isinstance(value, list | tuple):
                self.steps(1 + len(value))
                waiting += value
            elif isinstance(value, dict):
                self.steps(1 + len(value))
                waiting += [*value.keys(), *value.values()]
            elif isinstance(value, range):
                self.steps(1 + len(value))
            elif isinstance(value, int) and value.bit_length() > MAX_BITS:
                raise TemplateError(f"a number has more than {MAX_BITS} bits")
            else:
                self.steps(1)
