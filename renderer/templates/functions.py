"""What templates can call by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from jinja2.utils import Namespace

from renderer.templates.attributes import Function
from renderer.templates.errors import TemplateError
from renderer.templates.limits import check_items
from renderer.templates.words import written


def _range(*bounds: int) -> range:
    numbers = range(*bounds)
    step = numbers.step
    check_items((numbers.stop - numbers.start + step - (1 if step > 0 else -1)) // step)  # len() may overflow
    return numbers


def _fail(message: object) -> NoReturn:
    """For what a template cannot make anything of: ``{{ fail("no zone " ~ zone) }}``."""
    raise TemplateError(written(message))


FUNCTIONS: Mapping[str, Function] = {
    "dict": Function("dict", dict),
    "fail": Function("fail", _fail),
    "namespace": Function("namespace", Namespace),
    "range": Function("range", _range),
}
