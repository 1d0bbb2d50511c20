"""A VirtualMachineTemplate as its API's Go types hold it."""

from __future__ import annotations

from renderer.kubevirt.vm_template.refusal import Refusal, RefusalCode, TemplateRefusedError
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject
from renderer.model.record import Record
from renderer.model.release import Release

#: The API versions, the newest first, and the release whose virt-template first serves them.
SERVED_SINCE = {"v1beta1": Release(1, 9), "v1alpha1": Release(1, 8)}
MACHINE = FieldPath.of("spec", "virtualMachine")
PARAMETERS = FieldPath.of("spec", "parameters")

_PARAMETER_TEXTS = ("name", "displayName", "description", "value", "generate", "from")


class Parameter(Record):
    """A parameter: an empty value counts as none."""

    name: str
    value: str = ""
    generate: str = ""
    expression: str = ""
    required: bool = False

    @property
    def is_drawn(self) -> bool:
        """True if a generator makes its value."""
        return not self.value and bool(self.generate)


class Template(Record):
    """The spec of a template; ``machine`` is None if there is none."""

    machine: Json
    parameters: tuple[Parameter, ...]
    message: str


def read_template(content: JsonObject) -> Template:
    """Return the template in an object. Raises ``TemplateRefusedError`` for one that Go cannot decode."""
    spec = _object(content.get("spec"))
    written = spec.get("parameters")
    if not isinstance(written, list | None):
        raise _undecodable()
    return Template(
        machine=spec.get("virtualMachine"),
        parameters=tuple(_parameter(_object(each)) for each in written or ()),
        message=_text(spec.get("message")),
    )


def _parameter(written: JsonObject) -> Parameter:
    texts = {name: _text(written.get(name)) for name in _PARAMETER_TEXTS}
    required = written.get("required")
    if not isinstance(required, bool | None):
        raise _undecodable()
    return Parameter(texts["name"], texts["value"], texts["generate"], texts["from"], bool(required))


def _object(value: Json) -> JsonObject:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _undecodable()
    return value


def _text(value: Json) -> str:
    if not isinstance(value, str | None):
        raise _undecodable()
    return value or ""


def _undecodable() -> TemplateRefusedError:
    return TemplateRefusedError(Refusal(RefusalCode.TEMPLATE_DOES_NOT_DECODE))
