"""A template's text and rows of values to text, with the line that each line of it comes from."""

from __future__ import annotations

from difflib import get_close_matches
from types import TracebackType

from jinja2 import Template as JinjaTemplate
from jinja2 import TemplateError as JinjaError
from jinja2 import TemplateSyntaxError
from jinja2.utils import missing

from renderer.model.json import JsonObject
from renderer.templates.environment import Sandbox
from renderer.templates.errors import TemplateError, TemplateLimitError
from renderer.templates.meter import Meter
from renderer.templates.output import Output, OutputBuilder
from renderer.templates.syntax import parse
from renderer.templates.undefined import UndefinedValueError

#: What templates cause by what they do, besides the errors of Jinja and of our own filters.
_CAUSED_BY_TEMPLATES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


class Renderer:
    """One template, compiled once; all that it renders counts towards the same limits."""

    def __init__(self, content: bytes) -> None:
        """Raises ``TemplateError`` with its line."""
        self._meter = Meter()
        self._environment = Sandbox(self._meter)
        tree = parse(self._environment, content)
        try:
            code = self._environment.compile(tree)
        except TemplateSyntaxError as error:
            raise TemplateError(str(error.message), line=error.lineno) from None
        except SyntaxError as error:  # a limit of Python's, or an argument that is given twice
            raise TemplateError(f"the template cannot be compiled: {error.msg}", line=1) from None
        except (MemoryError, RecursionError):  # how Python says that its parser's stack is full
            raise TemplateLimitError("the template is nested too deeply", line=1) from None
        self._namespace: dict[str, object] = {}
        self._template = JinjaTemplate.from_code(self._environment, code, self._namespace)

    def render(self, values: JsonObject) -> Output:
        """Raises ``TemplateError`` with its line."""
        output = OutputBuilder(self._meter)
        context = self._template.new_context({**self._environment.globals, **values})
        try:
            for piece in self._template.root_render_func(context):
                output.add(piece)
        except (TemplateError, JinjaError, RecursionError, *_CAUSED_BY_TEMPLATES) as error:
            raise self._located(error, values) from None
        return output.finish()

    def _located(self, error: Exception, values: JsonObject) -> TemplateError:
        line = self._line(error.__traceback__)
        if isinstance(error, TemplateError):
            return type(error)(error.message, error.hint, error.line or line)
        if isinstance(error, UndefinedValueError):
            return TemplateError(str(error), _nearest(error, tuple(values)), line)
        if isinstance(error, RecursionError):
            return TemplateLimitError("values are nested too deeply", line=line)
        return TemplateError(f"{error}", line=line)

    def _line(self, traceback: TracebackType | None) -> int:
        """The line of the template that was at work; the innermost, in a macro."""
        line = 0
        while traceback:
            if traceback.tb_frame.f_code.co_filename == "<template>":
                line = self._template.get_corresponding_lineno(traceback.tb_lineno)
            traceback = traceback.tb_next
        return line


def _nearest(error: UndefinedValueError, names: tuple[str, ...]) -> str | None:
    if error.owner is missing:
        known = names
    elif isinstance(error.owner, dict):
        known = tuple(key for key in error.owner if isinstance(key, str))
    else:
        return None
    nearest = get_close_matches(error.name, known, n=1)
    if nearest:
        return f"did you mean {nearest[0]}?"
    return f"there are: {', '.join(known)}" if known else None
