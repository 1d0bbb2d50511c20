"""Files of field specs, listed under ``configurations`` (``builtinconfig/transformerconfig.go``)."""

from __future__ import annotations

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kustomization import FieldSpecFile, NameReferenceSpec
from renderer.model.res_id import Gvk
from renderer.model.source_tree import Document
from renderer.source.caseless_fields import CaselessFields, ConvertingFields
from renderer.source.entry_fields import read_field_specs

_SPECS = (
    "namePrefix",
    "nameSuffix",
    "namespace",
    "commonLabels",
    "labels",
    "templateLabels",
    "commonAnnotations",
    "varReference",
    "images",
    "replicas",
)


def read_field_spec_file(file: Document) -> FieldSpecFile:
    """The field specs in the file, by the field that they are for. Raises: kustomization-field."""
    findings: list[Diagnostic] = []
    content = {} if file.content is None else file.content
    fields = ConvertingFields(content, file.site, findings, Code.KUSTOMIZATION_FIELD)
    fields.only(*_SPECS, "nameReference")
    read = FieldSpecFile(
        site=file.site,
        field_specs={name: read_field_specs(fields, name) for name in _SPECS},
        name_references=tuple(_name_reference(entry) for entry in fields.elements("nameReference")),
    )
    if findings:
        raise DiagnosticError(*findings)
    return read


def _name_reference(fields: CaselessFields) -> NameReferenceSpec:
    fields.only("group", "version", "kind", "fieldSpecs")
    gvk = Gvk(fields.text_or_empty("group"), fields.text_or_empty("version"), fields.text_or_empty("kind"))
    return NameReferenceSpec(gvk, read_field_specs(fields, "fieldSpecs"))
