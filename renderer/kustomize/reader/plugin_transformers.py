"""Read the configurations of kustomize's built-in transformers."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from renderer.kustomize.reader.caseless_fields import CaselessFields, LenientFields
from renderer.kustomize.reader.entry_loader import EntryLoader, load_replacements
from renderer.kustomize.reader.kustomization_entries import (
    read_field_specs,
    read_image,
    read_patch_entry,
    read_replacement_entry,
    read_replica,
    read_selector,
)
from renderer.kustomize.reader.resources import read_resources
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kustomization import FieldSpec, Patch
from renderer.model.source_tree import (
    AddNameHash,
    AddPrefix,
    AddSuffix,
    AddValue,
    ApplyJson6902,
    ApplyPatch,
    ApplyStrategicMerge,
    Replace,
    SetAnnotations,
    SetImage,
    SetLabels,
    SetNamespace,
    SetReplicas,
    StrategicMergePatches,
    Subjects,
    TransformerConfig,
    ValueTarget,
)

#: Reads a configuration into transformers, in order. Reports errors in fields; raises errors of files.
ReadTransformer: TypeAlias = Callable[[CaselessFields, EntryLoader], tuple[TransformerConfig, ...]]


def _value_add(fields: CaselessFields, entries: EntryLoader) -> tuple[TransformerConfig, ...]:
    """Read the value, by default the name of the kustomization's folder, and its targets."""
    fields.only("value", "targets", "targetFilePath")
    value = fields.text_or_empty("value").strip() or posixpath.basename(entries.folder)
    targets = (*_targets(fields), *_targets_in_file(fields, entries))
    if not targets:
        fields.reject(None, "there are no targets to add the value to", "list them under targets")
    return (AddValue(value, targets),)


def _targets_in_file(fields: CaselessFields, entries: EntryLoader) -> Iterator[ValueTarget]:
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


def _patch(fields: CaselessFields, entries: EntryLoader) -> tuple[TransformerConfig, ...]:
    """Read a patch in the form of an entry of ``patches`` (``PatchTransformer.go``)."""
    return (ApplyPatch(entries.patch(read_patch_entry(fields), fields.site)),)


def _json6902(fields: CaselessFields, entries: EntryLoader) -> tuple[TransformerConfig, ...]:
    """Read operations from a file, or from ``jsonOp`` (``PatchJson6902Transformer.go``)."""
    fields.only("target", "path", "jsonOp")
    listed = Patch(
        site=fields.site,
        path=fields.text_or_empty("path"),
        patch=fields.text_or_empty("jsonOp"),
        target=read_selector(fields.child("target")) if "target" in fields else None,
    )
    return (ApplyJson6902(entries.json6902(listed, fields.site)),)


def _strategic_merge(fields: CaselessFields, entries: EntryLoader) -> tuple[TransformerConfig, ...]:
    """Read the patches in ``paths`` and ``patches`` (``PatchStrategicMergeTransformer.go``)."""
    fields.only("paths", "patches")
    listed = [
        entries.strategic_merge(path, fields.site_of("paths", index))
        for index, path in enumerate(fields.lines("paths"))
    ]
    text = fields.text("patches")
    if text:
        site = fields.site_of("patches")
        listed.append(StrategicMergePatches(site, read_resources(text.encode(), site)))
    if not any(patches.documents for patches in listed):
        fields.reject(None, "there is no patch", "list files under paths, or write it as patches: |")
    return (ApplyStrategicMerge(tuple(listed)),)


def _annotations(fields: CaselessFields, _entries: EntryLoader) -> tuple[TransformerConfig, ...]:
    fields.only("annotations", "fieldSpecs")
    return (SetAnnotations(fields.pairs("annotations"), read_field_specs(fields, "fieldSpecs")),)


def _labels(fields: CaselessFields, _entries: EntryLoader) -> tuple[TransformerConfig, ...]:
    fields.only("labels", "fieldSpecs")
    return (SetLabels(fields.pairs("labels"), read_field_specs(fields, "fieldSpecs")),)


def _hash(_fields: CaselessFields, _entries: EntryLoader) -> tuple[TransformerConfig, ...]:
    return (AddNameHash(),)


def _image(fields: CaselessFields, _entries: EntryLoader) -> tuple[TransformerConfig, ...]:
    fields.only("imageTag", "fieldSpecs")
    return (SetImage(read_image(fields.child("imageTag")), read_field_specs(fields, "fieldSpecs")),)


def _replicas(fields: CaselessFields, _entries: EntryLoader) -> tuple[TransformerConfig, ...]:
    fields.only("replica", "fieldSpecs")
    return (SetReplicas(read_replica(fields.child("replica")), read_field_specs(fields, "fieldSpecs")),)


def _replacements(fields: CaselessFields, entries: EntryLoader) -> tuple[TransformerConfig, ...]:
    fields.only("replacements")
    listed = tuple(read_replacement_entry(entry) for entry in fields.elements("replacements"))
    return (Replace(load_replacements(listed, entries)),)


def _namespace(fields: CaselessFields, _entries: EntryLoader) -> tuple[TransformerConfig, ...]:
    fields.only("metadata", "fieldSpecs", "unsetOnly", "setRoleBindingSubjects")
    metadata = fields.child("metadata")
    metadata.only("namespace")
    subjects = (
        fields.choice("setRoleBindingSubjects", Subjects) if fields.text("setRoleBindingSubjects") else None
    )
    return (
        SetNamespace(
            metadata.text_or_empty("namespace"),
            read_field_specs(fields, "fieldSpecs"),
            unset_only=fields.flag("unsetOnly") or False,
            subjects=subjects or Subjects.DEFAULT_ONLY,
        ),
    )


def _prefix(fields: CaselessFields, _entries: EntryLoader) -> tuple[TransformerConfig, ...]:
    fields.only("prefix", "suffix", "fieldSpecs")
    return (AddPrefix(fields.text_or_empty("prefix"), _required_field_specs(fields)),)


def _suffix(fields: CaselessFields, _entries: EntryLoader) -> tuple[TransformerConfig, ...]:
    fields.only("prefix", "suffix", "fieldSpecs")
    return (AddSuffix(fields.text_or_empty("suffix"), _required_field_specs(fields)),)


def _prefix_and_suffix(fields: CaselessFields, entries: EntryLoader) -> tuple[TransformerConfig, ...]:
    return (*_prefix(fields, entries), *_suffix(fields, entries))


def _required_field_specs(fields: CaselessFields) -> tuple[FieldSpec, ...]:
    if "fieldSpecs" not in fields:
        fields.reject(None, "fieldSpecs is missing", "write fieldSpecs: [{path: metadata/name}]")
    return read_field_specs(fields, "fieldSpecs")


#: Readers by kind.
TRANSFORMERS: Mapping[str, ReadTransformer] = {
    "AnnotationsTransformer": _annotations,
    "HashTransformer": _hash,
    "ImageTagTransformer": _image,
    "LabelTransformer": _labels,
    "NamespaceTransformer": _namespace,
    "PatchJson6902Transformer": _json6902,
    "PatchStrategicMergeTransformer": _strategic_merge,
    "PatchTransformer": _patch,
    "PrefixSuffixTransformer": _prefix_and_suffix,
    "PrefixTransformer": _prefix,
    "ReplacementTransformer": _replacements,
    "ReplicaCountTransformer": _replicas,
    "SuffixTransformer": _suffix,
    "ValueAddTransformer": _value_add,
}
