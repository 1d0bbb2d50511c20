"""Schemas of what is read: those of a release, with what exists at render time only.

That is ``v1beta2`` of instance types and preferences and ``domain.cpu.guest`` of VirtualMachines, as
KubeVirt's customisation proposal has them. What is written is never judged by these.
"""

from __future__ import annotations

from renderer.model.gvk import Gvk
from renderer.model.json import JsonObject, array_at, object_at, with_value
from renderer.model.project_schemas import NO_SCHEMAS, ProjectSchemas
from renderer.model.release import Release
from renderer.validation.kind_schema import KindSchema
from renderer.validation.kubevirt_kinds import INSTANCETYPE
from renderer.validation.registry import SchemaRegistry

V1BETA2 = "v1beta2"

_SPEC = ("properties", "spec")
_VMI_SPEC = (*_SPEC, "properties", "template", "properties", "spec")
_VM_OF_POOL = (*_SPEC, "properties", "virtualMachineTemplate")
#: Where the spec of a VirtualMachineInstance stands in the schema of a kind.
_VMI_SPECS = {"VirtualMachine": _VMI_SPEC, "VirtualMachinePool": (*_VM_OF_POOL, *_VMI_SPEC)}
_GUEST = ("properties", "domain", "properties", "cpu", "properties", "guest")
_VCPUS: JsonObject = {"type": "integer", "minimum": 1, "maximum": (1 << 32) - 1}


class InputSchemaRegistry(SchemaRegistry):
    """As ``SchemaRegistry``, and beside it v1beta2, whatever the release."""

    def __init__(self, project: ProjectSchemas = NO_SCHEMAS) -> None:
        super().__init__(project=project)
        self._input_schemas: dict[tuple[Release, Gvk], KindSchema] = {}

    def schema(self, release: Release, gvk: Gvk) -> KindSchema:
        """The schema by which a document of ``gvk`` is judged that is to be rendered for ``release``.

        Raises ``DiagnosticError`` as ``SchemaRegistry.schema`` does.
        """
        found = self._input_schemas.get((release, gvk))
        if found is None:
            written = super().schema(release, gvk)
            found = KindSchema(input_schema(written.document, gvk))
            self._input_schemas[release, gvk] = found
        return found


def input_schema(written: JsonObject, gvk: Gvk) -> JsonObject:
    """The schema of what is read as ``gvk``, from that of what is ``written`` of its kind."""
    if gvk.group == INSTANCETYPE:
        return _v1beta2(written, gvk.kind) if gvk.version == V1BETA2 else written
    vmi_spec = _VMI_SPECS.get(gvk.kind)
    return written if vmi_spec is None else with_value(written, (*vmi_spec, *_GUEST), _VCPUS)


def _v1beta2(written: JsonObject, kind: str) -> JsonObject:
    schema = with_value(written, ("properties", "apiVersion"), {"enum": [f"{INSTANCETYPE}/{V1BETA2}"]})
    schema = {**schema, "title": f"{kind} ({V1BETA2}, at render time only)"}
    if not kind.endswith("Instancetype"):
        return schema
    schema = _without_required(schema, _SPEC, "cpu", "memory")
    for section in ("cpu", "memory"):
        schema = _without_required(schema, (*_SPEC, "properties", section), "guest")
    return schema


def _without_required(schema: JsonObject, path: tuple[str, ...], *optional: str) -> JsonObject:
    part = object_at(schema, *path)
    required = [name for name in array_at(part, "required") if name not in optional]
    rest = {key: value for key, value in part.items() if key != "required"}
    return with_value(schema, path, {**rest, "required": required} if required else rest)
