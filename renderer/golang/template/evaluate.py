"""Evaluate nodes to text (``text/template`` ``exec.go``), with limits on steps, output and calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

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
    GoTemplateError,
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
#: Steps of the run for each character or element that a function accepts or returns.
_STEPS_PER_CHARACTER = 2
_KINDS: dict[str, tuple[type, ...]] = {
    "s": (str,),
    "i": (int,),
    "f": (float, int),
    "b": (bool,),
    "m": (dict,),
    "l": (list, tuple),
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
    unevaluated.
    """

    call: Callable[..., object]
    parameters: str = ""
    rest: str = ""
    lazy: bool = False


class _JumpOut(Exception):  # noqa: N818 - no error: how break and continue leave a block
    def __init__(self, kind: str) -> None:
        self.kind = kind


class Evaluation:
    """Evaluates one template."""

    def __init__(self, template: TemplateTree, functions: Mapping[str, GoFunction], missing_key: str) -> None:
        self._template = template
        self._functions = functions
        self._missing_key = missing_key
        self._variables: list[tuple[str, object]] = []
        self._output: list[str] = []
        self._characters = 0
        self._steps = 0
        self._calls = 0

    def render(self, values: object) -> str:
        """Return the output of the template for ``values``. Raises ``GoTemplateError``."""
        self._variables = [("$", values)]
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
        mark = len(self._variables)
        if branch.kind == "range":
            self._range(branch, dot)
        else:
            value = self._pipeline(branch.pipeline, dot)
            inner = value if branch.kind == "with" and is_true(value) else dot
            self._walk(branch.body if is_true(value) else branch.otherwise, inner)
        del self._variables[mark:]

    def _range(self, branch: Branch, dot: object) -> None:
        pipeline = branch.pipeline._replace(variables=())
        pairs = _pairs(self._pipeline(pipeline, dot))
        names, assigns = branch.pipeline.variables, branch.pipeline.assigns
        for key, value in pairs:
            mark = len(self._variables)
            for name, each in zip(names, (key, value) if len(names) > 1 else (value,), strict=False):
                self._set(name, each, assigns=assigns)
            try:
                self._walk(branch.body, value)
            except _JumpOut as jump:
                if jump.kind == "break":
                    break
            finally:
                del self._variables[mark:]
        if not pairs:
            self._walk(branch.otherwise, dot)

    def _call(self, call: Call, dot: object) -> None:
        body = self._template.defined.get(call.name)
        if body is None:
            raise GoTemplateError(f"template {call.name!r} not defined")
        self._calls += 1
        if self._calls > _MAX_CALL_DEPTH:
            raise GoTemplateError(f"template calls are nested more than {_MAX_CALL_DEPTH} deep")
        value = self._pipeline(call.pipeline, dot) if call.pipeline else None
        outside, self._variables = self._variables, [("$", value)]
        self._walk(body, value)
        self._variables = outside
        self._calls -= 1

    def _pipeline(self, pipeline: PipeNode, dot: object) -> object:
        self._step()
        final: tuple[object, ...] = ()
        for command in pipeline.commands:
            final = (self._command(command, dot, final),)
        for name in pipeline.variables:
            self._set(name, final[0], assigns=pipeline.assigns)
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
                variable = next(value for known, value in reversed(self._variables) if known == name)
                return self._fields(variable, names)
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
            arguments = (*((lambda each=each: self._operand(each, dot)) for each in operands),)
            return function.call(*arguments, *((lambda value=value: value) for value in final))
        values = [*(self._operand(each, dot) for each in operands), *final]
        least = len(function.parameters)
        if len(values) < least or (len(values) > least and not function.rest):
            raise GoTemplateError(f"wrong number of args for {name}: want {least} got {len(values)}")
        kinds = function.parameters + function.rest * (len(values) - least)
        checked = [_argument(name, kind, value) for kind, value in zip(kinds, values, strict=True)]
        result = function.call(*checked)
        # The size of a result may double with every call. The run counts the arguments as well.
        self._steps += len(result) // 16 if isinstance(result, str | list | dict) else 0
        sized = (each for each in (result, *checked) if isinstance(each, str | list | dict))
        spend(_STEPS_PER_CHARACTER * sum(map(len, sized)), "evaluating templates")
        self._step()
        return result

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

    def _set(self, name: str, value: object, *, assigns: bool) -> None:
        if not assigns:
            self._variables.append((name, value))
            return
        for index in reversed(range(len(self._variables))):
            if self._variables[index][0] == name:
                self._variables[index] = (name, value)
                return

    def _write(self, text: str) -> None:
        self._output.append(text)
        self._characters += len(text)
        if self._characters > limits().template_output:
            raise GoTemplateError(
                f"the output of the template has more than {limits().template_output} characters"
            )

    def _step(self) -> None:
        self._steps += 1
        spend(_STEPS_OF_RUN, "evaluating templates")
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


def _pairs(value: object) -> list[tuple[object, object]]:
    """Return the items that ``range`` iterates over. Raises ``GoTemplateError``."""
    if is_nil(value):
        return []
    if isinstance(value, dict):
        return [(key, value[key]) for key in sorted(value)]
    if isinstance(value, list | tuple):
        return list(enumerate(value))
    if isinstance(value, int) and not isinstance(value, bool):
        most = limits().template_steps
        if value > most:
            raise GoTemplateError(f"range iterates over more than {most} values")
        return [(index, index) for index in range(value)]
    raise GoTemplateError(f"range can't iterate over {type_name(value)}")
