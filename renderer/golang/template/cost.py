"""What the evaluation of a template costs.

Everything charges before it works, by the size of what it gets and of what it makes: to the budget of the run
(``model.run.work``), in steps of about half a microsecond.
"""

from __future__ import annotations

from renderer.golang.template.errors import GoTemplateError
from renderer.model.run.limits import limits
from renderer.model.run.work import spend

ACTIVITY = "evaluating templates"
#: The depth of values, and of blocks, brackets and template calls that are evaluated at the same time.
MAX_DEPTH = 100
#: Characters that Python copies, compares or searches in one step, with a large margin.
_CHARACTERS_PER_STEP = 8


def charge(values: int) -> None:
    """Count the work for so many values, or characters that are handled one by one.

    Raises ``GoTemplateError`` if no template may make so many, ``WorkLimitError`` if the run may not.
    """
    if values > limits().template_output:
        raise GoTemplateError(f"a function gets or makes more than {limits().template_output} values")
    spend(values, ACTIVITY)


def charge_text(characters: int) -> None:
    """Count the work for a text that Python handles as a whole. Raises as ``charge`` does."""
    if characters > limits().template_output:
        raise GoTemplateError(f"a function makes a text of more than {limits().template_output} characters")
    spend(1 + characters // _CHARACTERS_PER_STEP, ACTIVITY)


def check_depth(depth: int) -> None:
    """Raise ``GoTemplateError`` for a value inside too many others."""
    if depth > MAX_DEPTH:
        raise GoTemplateError(f"values are nested more than {MAX_DEPTH} deep")


def charge_value(value: object) -> None:
    """Count the work for an argument of a function: a text, the elements of a list or mapping, or nothing."""
    if isinstance(value, str):
        charge_text(len(value))
    elif isinstance(value, dict | list | range):
        charge(len(value))
