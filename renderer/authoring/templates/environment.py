"""Jinja's sandbox, with every uncounted operation removed or counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from inspect import signature
from typing import Final

from jinja2 import pass_context
from jinja2.lexer import Token, TokenStream
from jinja2.runtime import Context, LoopContext, Macro, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from renderer.authoring.templates.attributes import FUNCTIONS, LOOP_FIELDS, Function, method_of, methods_of
from renderer.authoring.templates.errors import TemplateError, TemplateLimitError
from renderer.authoring.templates.filters.table import ACCEPTS_UNDEFINED, FILTERS, TESTS
from renderer.authoring.templates.instrument import instruments
from renderer.authoring.templates.limits import MAX_BRACKETS, Meter
from renderer.authoring.templates.operators import OPERATORS, operate
from renderer.authoring.templates.values import UndefinedValue, describe, fail_if_undefined

_OPENING: Final = ("lbrace", "lbracket", "lparen")
_CLOSING: Final = ("rbrace", "rbracket", "rparen")
#: The arguments that Jinja adds to each call in a loop or block.
_JINJA_ARGUMENTS = ("_loop_vars", "_block_vars")


def read_tokens(stream: Iterable[Token]) -> list[Token]:
    """Return all tokens of the stream. Raises ``TemplateLimitError`` with its line."""
    tokens, depth = [], 0
    for token in stream:
        if token.type in _OPENING:
            depth += 1
        elif token.type in _CLOSING:
            depth -= 1
        if depth > MAX_BRACKETS:
            raise nesting_error(token.lineno)
        tokens.append(token)
    return tokens


def nesting_error(line: int) -> TemplateLimitError:
    """Return the error for a template whose brackets or blocks are nested too deeply."""
    return TemplateLimitError("the template is nested too deeply", "split it up with {% set %}", line)


class Sandbox(ImmutableSandboxedEnvironment):
    """The environment of one Template; ``meter`` counts over all of its rows.

    Templates can reach only data, macros and ``Function``: attributes come from ``attributes``, filters and
    tests from ``filters.table``. Lines that contain only a block produce no output.
    """

    intercepted_binops = OPERATORS

    def __init__(self, meter: Meter) -> None:
        # Not optimized: constant expressions would be evaluated at compile time, before anything is counted.
        super().__init__(
            undefined=UndefinedValue,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            optimized=False,
        )
        self.meter = meter
        self.filters = {name: _metered(name, function, meter) for name, function in FILTERS.items()}
        self.offered_filters = tuple(self.filters)
        self.filters |= instruments(meter)
        self.tests = {name: _metered_test(name, test, meter) for name, test in TESTS.items()}
        self.globals = dict(FUNCTIONS)

    def _tokenize(
        self, source: str, name: str | None, filename: str | None = None, state: str | None = None
    ) -> TokenStream:
        # A half-consumed lexer makes Python 3.12 complain on standard error when the stack is full.
        tokens = read_tokens(super()._tokenize(source, name, filename, state))
        return TokenStream(iter(tokens), name, filename)

    def getattr(self, obj: object, attribute: str) -> object:
        """Return the value after a dot: a method, or else a key."""
        fail_if_undefined(obj)
        return method_of(obj, attribute) or self._value_in(obj, attribute)

    def getitem(self, obj: object, argument: object) -> object:
        """Return the value for a subscript: a key or index, or else a method."""
        fail_if_undefined(obj, argument)
        self.meter.weigh(argument)
        if isinstance(argument, int) and isinstance(obj, list | tuple | str | range):
            return (
                obj[argument]
                if -len(obj) <= argument < len(obj)
                else self.undefined(obj=obj, name=str(argument))
            )
        if isinstance(obj, dict) and argument in obj:
            return obj[argument]
        method = method_of(obj, argument) if isinstance(argument, str) else None
        return method or self._value_in(obj, argument)

    def _value_in(self, obj: object, key: object) -> object:
        name = key if isinstance(key, str) else str(key) if isinstance(key, int) else describe(key)
        if isinstance(obj, dict):
            return obj[key] if key in obj else self.undefined(obj=obj, name=name)
        if name.startswith("_"):
            raise TemplateError(f"templates cannot use {name}")
        if isinstance(obj, Namespace):
            return getattr(obj, name, self.undefined(obj=obj, name=name))
        if isinstance(obj, LoopContext) and name in LOOP_FIELDS:
            return getattr(obj, name)
        if isinstance(obj, tuple) and name in getattr(obj, "_fields", ()):  # the result of groupby
            return getattr(obj, name)
        raise TemplateError(f"{describe(obj)} has no {name} in templates", _method_hint(obj, name))

    def call(self, context: Context, obj: object, /, *args: object, **kwargs: object) -> object:
        """Call a function or macro and return its result; nothing else can be called."""
        fail_if_undefined(obj)
        if not isinstance(obj, Macro):
            kwargs = {name: value for name, value in kwargs.items() if name not in _JINJA_ARGUMENTS}
        meter = self.meter
        meter.weigh(*args, *kwargs.values())
        if isinstance(obj, Function):
            fail_if_undefined(*args, *kwargs.values())
            meter.weigh(obj.owner)
            try:
                return _weighed(obj(*args, **kwargs), meter)
            except (AttributeError, TypeError) as error:
                raise _argument_error(obj.name, obj.run, args, kwargs, error) from None
        if not isinstance(obj, Macro):
            raise TemplateError(f"{describe(obj)} cannot be called")
        meter.enter_call()
        text: object = context.call(obj, *args, **kwargs)
        meter.leave_call()
        return _weighed(text, meter)

    def call_binop(self, context: Context, operator: str, left: object, right: object) -> object:  # noqa: ARG002 - Jinja's signature
        fail_if_undefined(left, right)
        self.meter.weigh(left, right)
        return _weighed(operate(operator, left, right), self.meter)


def _method_hint(obj: object, name: str) -> str | None:
    """Return a hint with the methods of a value that lacks ``name``."""
    if isinstance(obj, str) and name.startswith("format"):
        return "write '%s-%02d' % (name, number)"
    methods = methods_of(obj)
    return f"it has {', '.join(methods)}" if methods else None


def _metered(name: str, function: Callable[..., object], meter: Meter) -> Callable[..., object]:
    accepts_undefined = name in ACCEPTS_UNDEFINED

    @pass_context  # a filter that gets the context is never run while Jinja compiles
    def run(context: Context, *args: object, **kwargs: object) -> object:
        if not accepts_undefined:
            fail_if_undefined(*args, *kwargs.values())
        meter.weigh(*args, *kwargs.values())
        passed = _jinja_arguments(function, context)
        try:
            return _weighed(function(*passed, *args, **kwargs), meter)
        except (AttributeError, TypeError) as error:
            raise _argument_error(f"the filter {name}", function, (*passed, *args), kwargs, error) from None

    return run


def _jinja_arguments(function: Callable[..., object], context: Context) -> tuple[object, ...]:
    """Return the first argument that one of Jinja's filters gets (``jinja2.utils.pass_context``), if any."""
    kind = getattr(function, "jinja_pass_arg", None)
    if kind is None:
        return ()
    by_name = {"context": context, "eval_context": context.eval_ctx, "environment": context.environment}
    return (by_name[kind.name],)


def _argument_error(
    subject: str,
    function: Callable[..., object],
    args: tuple[object, ...],
    kwargs: Mapping[str, object],
    error: Exception,
) -> TemplateError:
    """Return the error for arguments that do not match: in number or name, or else in type."""
    try:
        signature(function).bind(*args, **kwargs)
    except (TypeError, ValueError) as mismatch:
        return TemplateError(f"wrong arguments for {subject}: {mismatch}")
    return TemplateError(f"{subject} cannot process this value: {error}")


def _metered_test(name: str, test: Callable[..., object], meter: Meter) -> Callable[..., object]:
    def run(*args: object, **kwargs: object) -> object:
        meter.weigh(*args, *kwargs.values())
        try:
            return test(*args, **kwargs)
        except (AttributeError, TypeError) as error:
            raise _argument_error(f"the test {name}", test, args, kwargs, error) from None

    return run


def _weighed(value: object, meter: Meter) -> object:
    """Return the value, weighed; a generator becomes a list, since its later work would not be counted."""
    result = list(value) if isinstance(value, Iterator) and not isinstance(value, Undefined) else value
    meter.weigh(result)
    return result
