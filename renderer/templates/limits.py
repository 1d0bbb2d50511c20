"""How much a template may make; far more than any Kubernetes object needs.

What a project or a run can set is in ``model.limits``.
"""

from __future__ import annotations

from renderer.templates.errors import TemplateLimitError

#: Expressions, blocks and pieces of text, all told; compiling them takes a second or two.
MAX_NODES = 10_000

#: Expressions and blocks within each other.
MAX_DEPTH = 80

#: Brackets within each other: Jinja's parser calls a dozen functions for each, and from wherever it is called
#: the stack has to hold.
MAX_BRACKETS = 30

#: ``elif``, all told: Python nests each in the one before, and its versions end at different depths.
MAX_BRANCHES = 1000

#: Macros that call each other.
MAX_CALLS = 40

#: Characters of one text.
MAX_TEXT = 1024 * 1024

#: Values of one list that an operator or ``range`` makes.
MAX_ITEMS = 100_000

#: Bits of a whole number.
MAX_BITS = 128


def check_text(length: int) -> None:
    """To be asked before a text of that length is made. Raises ``TemplateLimitError``."""
    if length > MAX_TEXT:
        raise TemplateLimitError(f"a text would have more than {MAX_TEXT} characters")


def check_items(length: int) -> None:
    """To be asked before a list of that length is made. Raises ``TemplateLimitError``."""
    if length > MAX_ITEMS:
        raise TemplateLimitError(f"a list would have more than {MAX_ITEMS} values")
