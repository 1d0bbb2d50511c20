"""Patches of the objects that the operator makes, in annotations of HyperConverged.

``applyAnnotationPatch`` in ``controllers/operands/operand.go``: the object is written as JSON, patched, and
read over the object again. So a field that a patch removes stays.
"""

from __future__ import annotations

from renderer.golang.go_types import GoTypeError
from renderer.golang.json_patch import OperationError, apply_operation, apply_operation_v5
from renderer.golang.json_text import read_json
from renderer.kubevirt.hyperconverged.cannot_make import CannotMakeCode, CannotMakeError, Reason
from renderer.kubevirt.hyperconverged.release import OperatorRelease, operator_types
from renderer.kubevirt.hyperconverged.settings import Settings
from renderer.model.kube.json import Json, JsonObject, object_at, text_at
from renderer.model.record import Record

_VERSION_5_SINCE = OperatorRelease(1, 11)


class Patching(Record):
    """How the operator makes an object: its Go type, and the annotation that patches it if there is one."""

    type: str
    annotation: str = ""


KUBEVIRT = Patching("kubevirt.KubeVirtSpec", "kubevirt.kubevirt.io/jsonpatch")
CDI = Patching("cdi.CDISpec", "containerizeddataimporter.kubevirt.io/jsonpatch")
NETWORK_ADDONS = Patching("network.NetworkAddonsConfigSpec", "networkaddonsconfigs.kubevirt.io/jsonpatch")
SSP = Patching("ssp.SSPSpec", "ssp.kubevirt.io/jsonpatch")
AAQ = Patching("aaq.AAQSpec")


def as_written(spec: JsonObject, patching: Patching, settings: Settings) -> JsonObject:
    """Return a spec as the operator writes it, after its patch. Raises ``CannotMakeError``."""
    types = operator_types(settings.release)
    try:
        made = types.decode(patching.type, spec)
    except GoTypeError as error:
        raise CannotMakeError(CannotMakeCode.SPEC, f"spec.{error}") from None
    written = settings.annotation(patching.annotation)
    if written is None:
        return object_at(types.encode(patching.type, made))
    text: Json = {
        "metadata": {"name": settings.name},
        "spec": types.encode(patching.type, made),
    }
    patched = _patched(text, written, patching.annotation, settings.release)
    try:
        over = types.decode(patching.type, object_at(patched).get("spec"), made)
    except GoTypeError as error:
        raise _invalid(patching.annotation, Reason.RESULT, f"spec.{error}") from None
    return object_at(types.encode(patching.type, over))


def _patched(text: Json, written: str, annotation: str, release: OperatorRelease) -> Json:
    """Return the text of an object after the operations in an annotation."""
    apply = apply_operation_v5 if release >= _VERSION_5_SINCE else apply_operation
    for operation in _operations(written, annotation):
        try:
            text = apply(text, operation)
        except OperationError as error:
            raise _invalid(annotation, Reason.PATH, str(error)) from None
    return text


def _operations(written: str, annotation: str) -> list[Json]:
    """Return the operations of a patch, which must all change the spec."""
    try:
        operations = read_json(written)
    except ValueError as error:
        raise _invalid(annotation, Reason.NOT_JSON, f"it is not JSON: {error}") from None
    if operations is None:
        return []
    if not isinstance(operations, list) or not all(isinstance(each, dict) for each in operations):
        raise _invalid(annotation, Reason.SYNTAX, "it is not a list of operations")
    for operation in operations:
        if "path" not in operation:
            raise _invalid(annotation, Reason.SYNTAX, "an operation has no path")
        if not text_at(operation, "path").startswith("/spec/"):
            raise _invalid(annotation, Reason.NOT_A_SPEC_FIELD, "an operation can only change /spec/…")
    return operations


def _invalid(annotation: str, reason: Reason, message: str) -> CannotMakeError:
    return CannotMakeError(CannotMakeCode.JSON_PATCH, message, reason, annotation=annotation)
