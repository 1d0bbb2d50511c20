"""The configuration of kustomize's ``ValueAddTransformer.go``."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.source_tree import AddValue, TransformerConfig, ValueTarget
from renderer.source.caseless_fields import CaselessFields, LenientFields
from renderer.source.entries import Entries
from renderer.source.entry_fields import read_selector


def read_value_add(fields: CaselessFields, entries: Entries) -> tuple[TransformerConfig, ...]:
    """The value, which is the name of the kustomization's folder unless one is given, and where it goes."""
    fields.only("value", "targets", "targetFilePath")
    value = fields.text_or_empty("value").strip() or posixpath.basename(entries.folder)
    targets = (*_targets(fields), *_targets_in_file(fields, entries))
    if not targets:
        fields.reject(None, "there are no targets to add the value to", "list them under targets")
    return (AddValue(value, targets),)


def _targets_in_file(fields: CaselessFields, entries: Entries) -> Iterator[ValueTarget]:
    path = fields.text("targetFilePath")
    if not path:
        return
    file = entries.document(path, fields.site_of("targetFilePath"))
    findings: list[Diagnostic] = []
    in_file = LenientFields(file.content, file.site, findings, Code.KUSTOMIZATION_FIELD)
    in_file.only("targets")
    targets = tuple(_targets(in_file))
    if findings:
        raise DiagnosticError(*findings)
    yield from targets


def _targets(fields: CaselessFields) -> Iterator[ValueTarget]:
    for target in fields.elements("targets"):
        target.only("selector", "fieldPath", "filePathPosition")
        path = target.text_or_empty("fieldPath")
        position = target.integer("filePathPosition") or 0
        if not path:
            target.reject(None, "the target has no fieldPath", "write the path of the field to change")
        if position < 0:
            target.reject(
                "filePathPosition", "filePathPosition cannot be negative", "1 is before the first name"
            )
        yield ValueTarget(
            site=target.site,
            selector=read_selector(target.child("selector")) if "selector" in target else None,
            field_path=path,
            position=position,
        )
