"""Why a template is not processed, or not admitted: field errors of the API, in codes of our own."""

from __future__ import annotations

from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, JsonObject
from renderer.model.record import Record
from renderer.model.text_enum import TextEnum


class RefusalCode(TextEnum):
    """What is wrong with a template, a parameter, or the machine that it makes."""

    TEMPLATE_DOES_NOT_DECODE = "templateDoesNotDecode"
    UNKNOWN_PARAMETER = "unknownParameter"
    UNDEFINED_PARAMETER = "undefinedParameter"
    EMPTY_PARAMETER_NAME = "emptyParameterName"
    DUPLICATE_PARAMETER = "duplicateParameter"
    UNKNOWN_GENERATOR = "unknownGenerator"
    EMPTY_FROM = "emptyFrom"
    BAD_EXPRESSION = "badExpression"
    REQUIRED_PARAMETER = "requiredParameterWithoutValue"
    MACHINE_MISSING = "virtualMachineMissing"
    MACHINE_NOT_OBJECT = "virtualMachineIsNoObject"
    NON_STRING_FORM = "nonStringForm"
    DOES_NOT_FIT = "doesNotFitVirtualMachine"
    EMPTY_SOURCE_NAMESPACE = "emptySourceNamespace"
    NO_SOURCE_TEMPLATE = "sourceHasNoTemplate"
    SCHEMA_REQUIRED = "schema.required"
    SCHEMA_TYPE = "schema.type"
    SCHEMA_ENUM = "schema.enum"
    SCHEMA_PATTERN = "schema.pattern"


#: The reason why a machine with a number does not fit that is too large for Go's ``float64``.
TOO_LARGE = "tooLarge"


class FieldErrorType(TextEnum):
    """``field.ErrorType`` of apimachinery."""

    INVALID = "Invalid"
    REQUIRED = "Required"
    DUPLICATE = "Duplicate"


class Refusal(Record):
    """One error: its field in the template, and what else there is to say.

    ``in_machine`` is the field below the machine that it is about, and ``parameter`` the parameter that made
    the value, where these are known.
    """

    code: RefusalCode
    at: FieldPath | None = None
    type: FieldErrorType | None = None
    details: JsonObject = EMPTY
    in_machine: FieldPath | None = None
    parameter: str = ""


class TemplateRefusedError(Exception):
    """A template that is not processed."""

    def __init__(self, *refusals: Refusal) -> None:
        super().__init__(", ".join(str(each.code) for each in refusals))
        self.refusals = refusals


def invalid(
    code: RefusalCode,
    at: FieldPath,
    details: JsonObject = EMPTY,
    *,
    in_machine: FieldPath | None = None,
    parameter: str = "",
) -> TemplateRefusedError:
    """Return the error of an invalid field."""
    return TemplateRefusedError(Refusal(code, at, FieldErrorType.INVALID, details, in_machine, parameter))
