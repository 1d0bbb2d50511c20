"""Evaluate nodes to text (``text/template`` ``exec.go``), with limits on steps, output and depth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from renderer.golang.template.cost import ACTIVITY, MAX_DEPTH, charge, charge_text, charge_value
from renderer.golang.template.errors import GoTemplateError
from renderer.golang.template.nodes import (
    Action,
    Branch,
    Call,
    Chain,
    CommandNode,
    Dot,
    FieldNode,
    IdentifierNode,
    Jump,
    Literal,
    Node,
    Operand,
    PipeNode,
    TemplateTree,
    VariableNode,
)
from renderer.golang.template.values import (
    ABSENT,
    TextMap,
    format_value,
    is_nil,
    is_true,
    type_name,
)
from renderer.model.run.limits import limits
from renderer.model.run.work import spend

_MAX_CALL_DEPTH = 40
#: Steps of the run for each step of a template (``model.run.work``).
_STEPS_OF_RUN = 4
_KINDS: dict[str, tuple[type, ...]] = {
    "s": (str,),
    "i": (int,),
    "f": (float, int),
    "b": (bool,),
    "m": (dict,),
    "l": (list, range),
}
_KIND_NAMES = {
    "s": "string",
    "i": "int",
    "f": "float64",
    "b": "bool",
    "m": "map[string]interface {}",
    "l": "list",
}


class GoFunction(NamedTuple):
    """A function and its parameters, a letter each: string, int, float, bool, map, list or any (``a``).

    ``rest`` is the letter for any number of further parameters. ``lazy``: it receives its arguments
    unevaluated. The evaluation charges for the arguments; a function charges for what it makes of them, if
    that may be larger.
    """

    call: Callable[..., object]
    parameters: str = ""
    rest: str = ""
    lazy: bool = False


class _JumpOut(Exception):  # noqa: N818 - no error: how break and continue leave a block
    def __init__(self, kind: str) -> None:
        self.kind = kind


class _Variables:
    """The variables of a template, by name: the value of each declaration that is in scope."""

    def __init__(self) -> None:
        self._values: dict[str, list[object]] = {}
        self._declared: list[str] = []

    def declare(self, name: str, value: object) -> None:
        self._values.setdefault(name, []).append(value)
        self._declared.append(name)

    def assign(self, name: str, value: object) -> None:
        self._values[name][-1] = value

    def value(self, name: str) -> object:
        return self._values[name][-1]

    def mark(self) -> int:
        """Return the number of declarations, for ``leave``."""
        return len(self._declared)

    def leave(self, mark: int) -> None:
        """End the scope of the declarations since ``mark``."""
        while len(self._declared) > mark:
            self._values[self._declared.pop()].pop()


class Evaluation:
    """Evaluates one template."""

    def __init__(self, template: TemplateTree, functions: Mapping[str, GoFunction], missing_key: str) -> None:
        self._template = template
        self._functions = functions
        self._missing_key = missing_key
        self._variables = _Variables()
        self._output: list[str] = []
        self._characters = 0
        self._steps = 0
        self._depth = 0
        self._calls = 0

    def render(self, values: object) -> str:
        """Return the output of the template for ``values``. Raises ``GoTemplateError``."""
        self._variables.declare("$", values)
        self._walk(self._template.body, values)
        return "".join(self._output)

    def _walk(self, nodes: Iterable[Node], dot: object) -> None:
        for node in nodes:
            self._step()
            match node:
                case str():
                    self._write(node)
                case Action(pipeline):
                    value = self._pipeline(pipeline, dot)
                    if not pipeline.variables:
                        self._write(format_value(value))
                case Branch():
                    self._branch(node, dot)
                case Call():
                    self._call(node, dot)
                case Jump(kind):
                    raise _JumpOut(kind)

    def _branch(self, branch: Branch, dot: object) -> None:
        self._enter()
        mark = self._variables.mark()
        if branch.kind == "range":
            self._range(branch, dot)
        else:
            value = self._pipeline(branch.pipeline, dot)
            inner = value if branch.kind == "with" and is_true(value) else dot
            self._walk(branch.body if is_true(value) else branch.otherwise, inner)
        self._variables.leave(mark)
        self._depth -= 1

    def _range(self, branch: Branch, dot: object) -> None:
        names = branch.pipeline.variables
        values = self._pipeline(branch.pipeline, dot)
        if isinstance(values, int) and len(names) > 1:
            raise GoTemplateError("range can't use a number to iterate over more than one variable")
        count, pairs = _pairs(values)
        depth = self._depth
        for key, value in pairs:
            self._step()
            mark = self._variables.mark()
            for name, each in zip(names, (key, value) if len(names) > 1 else (value,), strict=False):
                self._variables.assign(name, each)
            try:
                self._walk(branch.body, value)
            except _JumpOut as jump:
                self._depth = depth
                if jump.kind == "break":
                    break
            finally:
                self._variables.leave(mark)
        if not count:
            self._walk(branch.otherwise, dot)

    def _call(self, call: Call, dot: object) -> None:
        body = self._template.defined.get(call.name)
        if body is None:
            raise GoTemplateError(f"template {call.name!r} not defined")
        self._enter()
        self._calls += 1
        if self._calls > _MAX_CALL_DEPTH:
            raise GoTemplateError(f"template calls are nested more than {_MAX_CALL_DEPTH} deep")
        value = self._pipeline(call.pipeline, dot) if call.pipeline else None
        outside, self._variables = self._variables, _Variables()
        self._variables.declare("$", value)
        self._walk(body, value)
        self._variables = outside
        self._calls -= 1
        self._depth -= 1

    def _pipeline(self, pipeline: PipeNode, dot: object) -> object:
        self._enter()
        self._step()
        final: tuple[object, ...] = ()
        for command in pipeline.commands:
            final = (self._command(command, dot, final),)
        set_variable = self._variables.assign if pipeline.assigns else self._variables.declare
        for name in pipeline.variables:
            set_variable(name, final[0])
        self._depth -= 1
        return final[0]

    def _command(self, command: CommandNode, dot: object, final: tuple[object, ...]) -> object:
        first, *others = command.operands
        if isinstance(first, IdentifierNode):
            return self._function(first.name, others, dot, final)
        if others or final:
            raise GoTemplateError("can't give argument to non-function")
        if isinstance(first, Literal) and first.is_nil:
            raise GoTemplateError("nil is not a command")
        return self._operand(first, dot)

    def _operand(self, operand: Operand, dot: object) -> object:
        match operand:
            case Dot():
                return dot
            case Literal(value):
                return value
            case FieldNode(names):
                return self._fields(dot, names)
            case VariableNode(name, names):
                return self._fields(self._variables.value(name), names)
            case IdentifierNode(name):
                return self._function(name, [], dot, ())
            case Chain(inner, names):
                return self._fields(self._operand(inner, dot), names)
            case PipeNode():
                return self._pipeline(operand, dot)

    def _function(self, name: str, operands: list[Operand], dot: object, final: tuple[object, ...]) -> object:
        self._step()
        function = self._functions[name]
        if function.lazy:
            arguments = [lambda each=each: self._operand(each, dot) for each in operands]
            return function.call(*arguments, *(lambda value=value: value for value in final))
        values = [*(self._operand(each, dot) for each in operands), *final]
        least = len(function.parameters)
        if len(values) < least or (len(values) > least and not function.rest):
            raise GoTemplateError(f"wrong number of args for {name}: want {least} got {len(values)}")
        kinds = function.parameters + function.rest * (len(values) - least)
        checked = [_argument(name, kind, value) for kind, value in zip(kinds, values, strict=True)]
        for value in checked:
            charge_value(value)
        try:
            return function.call(*checked)
        except (ArithmeticError, UnicodeError) as error:
            raise GoTemplateError(f"error calling {name}: {error}") from None

    def _fields(self, value: object, names: tuple[str, ...]) -> object:
        for name in names:
            value = self._field(value, name)
        return value

    def _field(self, value: object, name: str) -> object:
        if value is ABSENT:
            if self._missing_key == "error":
                raise GoTemplateError(f"nil data; no entry for key {name!r}")
            return ABSENT
        if value is None:
            raise GoTemplateError(f"nil pointer evaluating interface {{}}.{name}")
        if not isinstance(value, dict):
            raise GoTemplateError(f"can't evaluate field {name} in type {type_name(value)}")
        if name in value:
            return value[name]
        if self._missing_key == "error":
            raise GoTemplateError(f"map has no entry for key {name!r}")
        if self._missing_key == "zero":
            return "" if isinstance(value, TextMap) else None
        return ABSENT

    def _write(self, text: str) -> None:
        charge_text(len(text))
        self._output.append(text)
        self._characters += len(text)
        if self._characters > limits().template_output:
            raise GoTemplateError(
                f"the output of the template has more than {limits().template_output} characters"
            )

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise GoTemplateError(f"blocks, brackets and calls are nested more than {MAX_DEPTH} deep")

    def _step(self) -> None:
        self._steps += 1
        spend(_STEPS_OF_RUN, ACTIVITY)
        if self._steps > limits().template_steps:
            raise GoTemplateError(f"the template needs more than {limits().template_steps} steps")


def _argument(name: str, kind: str, value: object) -> object:
    """Return ``value`` as the function receives it: nil becomes an empty map or list if one is expected.

    Raises ``GoTemplateError`` for a value of another type than the function accepts.
    """
    if kind == "a":
        return None if value is ABSENT else value
    if is_nil(value):
        if kind in "ml":
            return {} if kind == "m" else []
        raise GoTemplateError(f"invalid value; expected {_KIND_NAMES[kind]} in {name}")
    fits = isinstance(value, _KINDS[kind]) and (kind == "b" or not isinstance(value, bool))
    if not fits or (kind == "m" and isinstance(value, TextMap)):
        expected = _KIND_NAMES[kind]
        raise GoTemplateError(f"wrong type for value of {name}; expected {expected}; got {type_name(value)}")
    return value


def _pairs(value: object) -> tuple[int, Iterable[tuple[object, object]]]:
    """Return how many items ``range`` iterates over, and the items. Raises ``GoTemplateError``."""
    if is_nil(value):
        return 0, ()
    if isinstance(value, dict):
        charge(len(value))
        return len(value), [(key, value[key]) for key in sorted(value)]
    if isinstance(value, list | range):
        return len(value), enumerate(value)
    if isinstance(value, int) and not isinstance(value, bool):
        numbers = range(min(value, limits().template_steps + 1))
        return len(numbers), enumerate(numbers)
    raise GoTemplateError(f"range can't iterate over {type_name(value)}")
