"""The form of a rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from renderer.model.codes import Code
from renderer.model.record import Record
from renderer.model.rule_settings import Level
from renderer.rules.context import Context
from renderer.rules.finding import Finding

Check = Callable[[Context], Iterable[Finding]]


class Rule(Record):
    """What to look for, and how it is reported where the project does not say.

    ``documentation`` is the docstring of the rule's module, which ``vmrender explain CODE`` prints: a
    heading, what the rule finds and why, an example that is wrong and one that is right. ``strict`` looks
    for more than ``check``, in projects that ask for it.
    """

    code: Code
    level: Level
    check: Check
    documentation: str | None
    strict: Check | None = None
