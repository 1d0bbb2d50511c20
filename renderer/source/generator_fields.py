"""Generators of ConfigMaps and Secrets as they are written (kustomize ``api/types/generatorargs.go``)."""

from __future__ import annotations

from renderer.model.kustomization import Behavior, GeneratorArgs, GeneratorOptions
from renderer.source.caseless_fields import CaselessFields

_FIELDS = ("name", "namespace", "behavior", "literals", "files", "envs", "env", "options")


def read_generator_args(fields: CaselessFields, kind: str, common: GeneratorOptions) -> GeneratorArgs:
    """An entry of the field for ``kind``; ``common`` is ``generatorOptions``.

    The older ``env`` counts as the last of ``envs``.
    """
    fields.only(*_FIELDS, *(("type",) if kind == "Secret" else ()))
    env = fields.text_or_empty("env")
    return GeneratorArgs(
        site=fields.site,
        kind=kind,
        name=fields.text_or_empty("name"),
        namespace=fields.text_or_empty("namespace"),
        behavior=read_behavior(fields),
        literals=fields.lines("literals"),
        files=fields.lines("files"),
        envs=(*fields.lines("envs"), *((env,) if env else ())),
        type=fields.text_or_empty("type") if kind == "Secret" else "",
        options=read_generator_options(fields.child("options")).over(common),
    )


def read_behavior(fields: CaselessFields) -> Behavior:
    """Words that are none of the behaviors mean the default."""
    behavior = fields.text_or_empty("behavior")
    return Behavior(behavior) if behavior in set(Behavior) else Behavior.UNSPECIFIED


def read_generator_options(fields: CaselessFields) -> GeneratorOptions:
    """``generatoroptions.go``"""
    fields.only("labels", "annotations", "disableNameSuffixHash", "immutable")
    return GeneratorOptions(
        labels=fields.pairs("labels"),
        annotations=fields.pairs("annotations"),
        disable_name_suffix_hash=fields.flag("disableNameSuffixHash") or False,
        immutable=fields.flag("immutable") or False,
    )
