"""The configurations of builtin generators (``api/internal/builtins``), one function for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from renderer.model.kustomization import GeneratorOptions, IamPolicyGenerator
from renderer.model.source_tree import GeneratorConfig
from renderer.source.caseless_fields import CaselessFields
from renderer.source.entries import Entries
from renderer.source.generator_data import read_data
from renderer.source.generator_fields import read_generator_args

#: What a configuration asks for. Notes what is wrong with a field; raises ``DiagnosticError`` for files.
ReadGenerator: TypeAlias = Callable[[CaselessFields, Entries], GeneratorConfig]


def _config_map(fields: CaselessFields, entries: Entries) -> GeneratorConfig:
    return _data(fields, entries, "ConfigMap")


def _secret(fields: CaselessFields, entries: Entries) -> GeneratorConfig:
    return _data(fields, entries, "Secret")


def _data(fields: CaselessFields, entries: Entries, kind: str) -> GeneratorConfig:
    """Name and namespace are those of the configuration, unless it says others; ``env`` is passed over."""
    metadata = fields.child("metadata")
    metadata.only("name", "namespace")
    args = read_generator_args(fields, kind, GeneratorOptions())
    args = args._replace(
        name=args.name or metadata.text_or_empty("name"),
        namespace=args.namespace or metadata.text_or_empty("namespace"),
        envs=fields.lines("envs"),
    )
    return read_data(args, entries.content)


def _iam_policy(fields: CaselessFields, _entries: Entries) -> GeneratorConfig:
    fields.only("cloud", "kubernetesService", "serviceAccount")
    kubernetes, account = fields.child("kubernetesService"), fields.child("serviceAccount")
    kubernetes.only("name", "namespace")
    account.only("name", "projectId")
    return IamPolicyGenerator(
        site=fields.site,
        cloud=fields.text_or_empty("cloud"),
        kubernetes_name=kubernetes.text_or_empty("name"),
        kubernetes_namespace=kubernetes.text_or_empty("namespace"),
        account_name=account.text_or_empty("name"),
        project_id=account.text_or_empty("projectId"),
    )


#: By kind.
GENERATORS: Mapping[str, ReadGenerator] = {
    "ConfigMapGenerator": _config_map,
    "IAMPolicyGenerator": _iam_policy,
    "SecretGenerator": _secret,
}
