"""Process a VirtualMachineTemplate, as its subresource does.

``parameters.go``, ``processor.go`` and ``visit.go`` of virt-template-engine: given values, references, values
of parameters, substitution, types. Nothing is drawn: the caller says what a generator gives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from renderer.golang.go_types import GoTypeError, GoTypes, MisfitReason
from renderer.kubevirt.vm_template.expression import BadExpressionError, Expression, read_expression
from renderer.kubevirt.vm_template.references import (
    TEXT_REFERENCE,
    VALUE_REFERENCE,
    as_float64,
    json_or_text,
    names_in,
    names_in_tree,
    substituted_text,
)
from renderer.kubevirt.vm_template.refusal import (
    TOO_LARGE,
    FieldErrorType,
    Refusal,
    RefusalCode,
    TemplateRefusedError,
    invalid,
)
from renderer.kubevirt.vm_template.template import MACHINE, PARAMETERS, Parameter, Template
from renderer.kubevirt.vm_template.typed_machine import (
    UnknownFieldsError,
    typed_machine,
    written_path,
)
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, object_at, text_at, without
from renderer.model.record import Record

#: The only generator.
_EXPRESSION = "expression"

#: What a generator gives for a parameter.
Draw: TypeAlias = Callable[[str, Expression], str]


class Processed(Record):
    """What processing makes: the machine as substitution leaves it, as Go types it, and the message."""

    substituted: JsonObject
    machine: JsonObject
    message: str


class UnusedParameter(Record):
    """A parameter that nothing refers to."""

    at: FieldPath
    name: str


def example_value(_name: str, expression: Expression) -> str:
    """Return the same value each time, one that the generator could give."""
    return expression.example


def with_given(template: Template, given: Mapping[str, str]) -> Template:
    """Return a template with given values. Raises ``TemplateRefusedError`` for names that it does not have.

    An empty given value empties the default. Of two parameters with one name the first gets it.
    """
    known = {parameter.name for parameter in template.parameters}
    unknown = sorted(given.keys() - known)
    if unknown:
        raise TemplateRefusedError(
            *(Refusal(RefusalCode.UNKNOWN_PARAMETER, details={"parameter": name}) for name in unknown)
        )
    parameters, waiting = [], dict(given)
    for parameter in template.parameters:
        value = waiting.pop(parameter.name, None)
        parameters.append(parameter if value is None else parameter._replace(value=value))
    return template._replace(parameters=tuple(parameters))


def check_references(template: Template) -> tuple[UnusedParameter, ...]:
    """Return the parameters that nothing refers to.

    Raises ``TemplateRefusedError`` for references without a parameter, and for a template without a machine.
    """
    machine = _machine(template)
    referred = dict.fromkeys((*names_in_tree(machine), *names_in(template.message)))
    defined = {parameter.name: index for index, parameter in enumerate(template.parameters)}
    undefined = sorted(referred.keys() - defined.keys())
    unused = tuple(
        UnusedParameter(PARAMETERS.child(index, "name"), name)
        for name, index in defined.items()
        if name not in referred
    )
    if undefined:
        raise UndefinedParametersError(undefined, unused)
    return unused


class UndefinedParametersError(TemplateRefusedError):
    """References without a parameter, and the parameters that nothing refers to."""

    def __init__(self, names: list[str], unused: tuple[UnusedParameter, ...]) -> None:
        code, type_ = RefusalCode.UNDEFINED_PARAMETER, FieldErrorType.INVALID
        super().__init__(*(Refusal(code, MACHINE, type_, {"parameter": name}) for name in names))
        self.unused = unused


def process(template: Template, types: GoTypes, draw: Draw = example_value) -> Processed:
    """Return what a template makes, whose references are checked. Raises ``TemplateRefusedError``."""
    values = parameter_values(template, draw)
    substituted = substituted_machine(_machine(template), values)
    return Processed(
        substituted=substituted,
        machine=_typed(substituted, types),
        message=substituted_message(template.message, values),
    )


def parameter_values(template: Template, draw: Draw = example_value) -> dict[str, str]:
    """Return the value of each parameter. Raises ``TemplateRefusedError`` for the first that is wrong."""
    values: dict[str, str] = {}
    for index, parameter in enumerate(template.parameters):
        at = PARAMETERS.child(index)
        if not parameter.name:
            raise invalid(RefusalCode.EMPTY_PARAMETER_NAME, at.child("name"))
        if parameter.name in values:
            details: JsonObject = {"parameter": parameter.name}
            refusal = Refusal(
                RefusalCode.DUPLICATE_PARAMETER, at.child("name"), FieldErrorType.DUPLICATE, details
            )
            raise TemplateRefusedError(refusal)
        value = _drawn(parameter, index, draw) if parameter.is_drawn else parameter.value
        if not value and parameter.required:
            refusal = Refusal(
                RefusalCode.REQUIRED_PARAMETER,
                at.child("value"),
                FieldErrorType.REQUIRED,
                {"parameter": parameter.name},
            )
            raise TemplateRefusedError(refusal)
        values[parameter.name] = value
    return values


def _drawn(parameter: Parameter, index: int, draw: Draw) -> str:
    at = PARAMETERS.child(index)
    if parameter.generate != _EXPRESSION:
        raise invalid(RefusalCode.UNKNOWN_GENERATOR, at.child("generate"), {"value": parameter.generate})
    if not parameter.expression:
        raise invalid(RefusalCode.EMPTY_FROM, at.child("from"))
    try:
        expression = read_expression(parameter.expression)
    except BadExpressionError as error:
        raise invalid(RefusalCode.BAD_EXPRESSION, at.child("from"), {"reason": str(error.reason)}) from None
    return draw(parameter.name, expression)


def _machine(template: Template) -> JsonObject:
    if template.machine is None:
        raise invalid(RefusalCode.MACHINE_MISSING, MACHINE)
    if not isinstance(template.machine, dict):
        raise invalid(RefusalCode.MACHINE_NOT_OBJECT, MACHINE.child("raw"))
    return template.machine


def with_own_namespace(machine: JsonObject) -> JsonObject:
    """Return a machine without its namespace if that is a text without ``${NAME}``: it has no effect."""
    namespace = text_at(machine, "metadata", "namespace")
    if namespace and not TEXT_REFERENCE.search(namespace):
        return without(machine, "metadata", "namespace")
    return machine


def substituted_machine(machine: JsonObject, values: Mapping[str, str]) -> JsonObject:
    """Return a machine with the values of parameters; references to others stay.

    Raises ``TemplateRefusedError``.
    """
    try:
        return object_at(_substituted(with_own_namespace(machine), values))
    except ValueError:
        details: JsonObject = {"reason": TOO_LARGE}
        raise invalid(RefusalCode.DOES_NOT_FIT, MACHINE, details) from None


def substituted_message(message: str, values: Mapping[str, str]) -> str:
    """Return the message with the values of parameters; ``${{NAME}}`` is text there, too."""
    whole = VALUE_REFERENCE.fullmatch(message)
    return values[whole[1]] if whole is not None else substituted_text(message, values)


def _substituted(value: Json, values: Mapping[str, str]) -> Json:
    if isinstance(value, str):
        return _substituted_value(value, values)
    if isinstance(value, dict):
        return {_substituted_key(key, values): _substituted(each, values) for key, each in value.items()}
    if isinstance(value, list):
        return [_substituted(each, values) for each in value]
    return as_float64(value)


def _substituted_key(key: str, values: Mapping[str, str]) -> str:
    made = _substituted_value(key, values)
    if not isinstance(made, str):
        whole = VALUE_REFERENCE.fullmatch(key)
        name = whole[1] if whole is not None else ""
        details = {"reason": "keyMustBeString"}
        raise invalid(RefusalCode.NON_STRING_FORM, PARAMETERS, details, parameter=name)
    return made


def _substituted_value(text: str, values: Mapping[str, str]) -> Json:
    whole = VALUE_REFERENCE.fullmatch(text)
    if whole is None or whole[1] not in values:
        return substituted_text(text, values)
    read = json_or_text(values[whole[1]])
    if read is None:
        raise invalid(RefusalCode.NON_STRING_FORM, PARAMETERS, {"reason": "null"}, parameter=whole[1])
    return read


def _typed(substituted: JsonObject, types: GoTypes) -> JsonObject:
    try:
        return typed_machine(substituted, types)
    except GoTypeError as error:
        details: dict[str, Json] = {"reason": str(error.reason)}
        if error.reason is MisfitReason.TYPE and error.got:
            details |= {"got": error.got, "want": error.want}
        if error.path:
            details["at"] = written_path(error.path)
        where = FieldPath(error.path)
        raise invalid(RefusalCode.DOES_NOT_FIT, MACHINE, details, in_machine=where) from None
    except UnknownFieldsError as error:
        fields: list[Json] = [*map(written_path, error.fields)]
        details = {"reason": "unknownField", "fields": fields}
        where = FieldPath(error.fields[0])
        raise invalid(RefusalCode.DOES_NOT_FIT, MACHINE, details, in_machine=where) from None
