"""The configurations of builtin transformers (``api/internal/builtins``), one function for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from renderer.model.kustomization import FieldSpec
from renderer.model.source_tree import (
    AddNameHash,
    AddPrefix,
    AddSuffix,
    Replace,
    SetAnnotations,
    SetImage,
    SetLabels,
    SetNamespace,
    SetReplicas,
    Subjects,
    TransformerConfig,
)
from renderer.source.caseless_fields import CaselessFields
from renderer.source.entries import Entries
from renderer.source.entry_fields import read_field_specs
from renderer.source.plugins.add_value import read_value_add
from renderer.source.plugins.patches import read_json6902, read_patch, read_strategic_merge
from renderer.source.replacement_files import load_replacements
from renderer.source.transformer_fields import read_image, read_replacement_entry, read_replica

#: What a configuration asks for, in order. Notes what is wrong with fields, raises what is with files.
ReadTransformer: TypeAlias = Callable[[CaselessFields, Entries], tuple[TransformerConfig, ...]]


def _annotations(fields: CaselessFields, _entries: Entries) -> tuple[TransformerConfig, ...]:
    fields.only("annotations", "fieldSpecs")
    return (SetAnnotations(fields.pairs("annotations"), read_field_specs(fields, "fieldSpecs")),)


def _labels(fields: CaselessFields, _entries: Entries) -> tuple[TransformerConfig, ...]:
    fields.only("labels", "fieldSpecs")
    return (SetLabels(fields.pairs("labels"), read_field_specs(fields, "fieldSpecs")),)


def _hash(_fields: CaselessFields, _entries: Entries) -> tuple[TransformerConfig, ...]:
    return (AddNameHash(),)


def _image(fields: CaselessFields, _entries: Entries) -> tuple[TransformerConfig, ...]:
    fields.only("imageTag", "fieldSpecs")
    return (SetImage(read_image(fields.child("imageTag")), read_field_specs(fields, "fieldSpecs")),)


def _replicas(fields: CaselessFields, _entries: Entries) -> tuple[TransformerConfig, ...]:
    fields.only("replica", "fieldSpecs")
    return (SetReplicas(read_replica(fields.child("replica")), read_field_specs(fields, "fieldSpecs")),)


def _replacements(fields: CaselessFields, entries: Entries) -> tuple[TransformerConfig, ...]:
    fields.only("replacements")
    listed = tuple(read_replacement_entry(entry) for entry in fields.elements("replacements"))
    return (Replace(load_replacements(listed, entries)),)


def _namespace(fields: CaselessFields, _entries: Entries) -> tuple[TransformerConfig, ...]:
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


def _prefix(fields: CaselessFields, _entries: Entries) -> tuple[TransformerConfig, ...]:
    fields.only("prefix", "suffix", "fieldSpecs")
    return (AddPrefix(fields.text_or_empty("prefix"), _required_field_specs(fields)),)


def _suffix(fields: CaselessFields, _entries: Entries) -> tuple[TransformerConfig, ...]:
    fields.only("prefix", "suffix", "fieldSpecs")
    return (AddSuffix(fields.text_or_empty("suffix"), _required_field_specs(fields)),)


def _prefix_and_suffix(fields: CaselessFields, entries: Entries) -> tuple[TransformerConfig, ...]:
    return (*_prefix(fields, entries), *_suffix(fields, entries))


def _required_field_specs(fields: CaselessFields) -> tuple[FieldSpec, ...]:
    if "fieldSpecs" not in fields:
        fields.reject(None, "the names to change are not given", "write fieldSpecs: [{path: metadata/name}]")
    return read_field_specs(fields, "fieldSpecs")


#: By kind.
TRANSFORMERS: Mapping[str, ReadTransformer] = {
    "AnnotationsTransformer": _annotations,
    "HashTransformer": _hash,
    "ImageTagTransformer": _image,
    "LabelTransformer": _labels,
    "NamespaceTransformer": _namespace,
    "PatchJson6902Transformer": read_json6902,
    "PatchStrategicMergeTransformer": read_strategic_merge,
    "PatchTransformer": read_patch,
    "PrefixSuffixTransformer": _prefix_and_suffix,
    "PrefixTransformer": _prefix,
    "ReplacementTransformer": _replacements,
    "ReplicaCountTransformer": _replicas,
    "SuffixTransformer": _suffix,
    "ValueAddTransformer": read_value_add,
}
