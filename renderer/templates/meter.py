"""What the rendering of one Template may cost, counted in steps and characters and not by a clock.

Whatever a template makes or looks at is weighed: a value costs a step, a list or mapping one for each value
in it, and text one for every few characters. A value is weighed again wherever it is used, so that one that
shares its parts many times over costs what it would when written out.
"""

from __future__ import annotations

from renderer.model.limits import limits, way_out
from renderer.templates.errors import TemplateError, TemplateLimitError
from renderer.templates.limits import MAX_BITS, MAX_CALLS, check_text

_CHARACTERS_PER_STEP = 8
_STEPS_OF_CALL = 50
_SPLIT = "make fewer or smaller resources in one Template, or split it; {}"


class Meter:
    """Counts; every method raises ``TemplateLimitError`` when that was too much."""

    def __init__(self) -> None:
        self._steps = limits().template_steps
        self._output = limits().template_output
        self._calls = 0

    def steps(self, count: int) -> None:
        self._steps -= count
        if self._steps < 0:
            message = f"the template takes more than {limits().template_steps} steps"
            raise TemplateLimitError(message, _SPLIT.format(way_out("template_steps")))

    def output(self, length: int, line: int) -> None:
        """``line`` of the template made so many characters."""
        self._output -= length
        if self._output < 0:
            message = f"the template makes more than {limits().template_output} characters"
            raise TemplateLimitError(message, _SPLIT.format(way_out("template_output")), line)

    def enter_call(self) -> None:
        self.steps(_STEPS_OF_CALL)
        self._calls += 1
        if self._calls > MAX_CALLS:
            hint = "a macro that calls itself has to end"
            raise TemplateLimitError(f"more than {MAX_CALLS} macros call each other", hint)

    def leave_call(self) -> None:
        self._calls -= 1

    def weigh(self, *values: object) -> None:
        """Raises ``TemplateError`` for a number that is too large, too."""
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
