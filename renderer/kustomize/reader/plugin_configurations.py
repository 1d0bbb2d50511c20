"""Read the configurations of generators and transformers (kustomize ``api/internal/plugins/loader``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TypeAlias, TypeVar

from renderer.kustomize.reader.caseless_fields import CaselessFields, LenientFields
from renderer.kustomize.reader.entry_loader import EntryLoader
from renderer.kustomize.reader.generator_data import read_data
from renderer.kustomize.reader.kustomization_entries import read_generator_args
from renderer.kustomize.reader.listed_files import listed_files
from renderer.kustomize.reader.plugin_transformers import TRANSFORMERS
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Related
from renderer.model.fields import nearest_hint
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import GeneratorOptions, IamPolicyGenerator
from renderer.model.provenance import BUILTIN, ConfiguredBy
from renderer.model.source_tree import GeneratorConfig, GeneratorPlugin, TransformerPlugin

#: Reads a configuration. Reports errors in its fields; raises ``DiagnosticError`` for files.
ReadGenerator: TypeAlias = Callable[[CaselessFields, EntryLoader], GeneratorConfig]
Reader = TypeVar("Reader")
_HELM = "HelmChartInflationGenerator"
_RUN_FIRST = "run it first and list its output under resources"


def _data(fields: CaselessFields, entries: EntryLoader, *, kind: str) -> GeneratorConfig:
    """Read the data of a ConfigMap or Secret; ``env`` is ignored.

    Name and namespace default to the name and namespace of the configuration.
    """
    metadata = fields.child("metadata")
    metadata.only("name", "namespace")
    args = read_generator_args(fields, kind, GeneratorOptions())
    args = args._replace(
        name=args.name or metadata.text_or_empty("name"),
        namespace=args.namespace or metadata.text_or_empty("namespace"),
        envs=fields.lines("envs"),
    )
    return read_data(args, partial(entries.file, is_of_secret=True), is_secret=True)


def _iam_policy(fields: CaselessFields, _entries: EntryLoader) -> GeneratorConfig:
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


#: Readers by kind.
GENERATORS: Mapping[str, ReadGenerator] = {
    "ConfigMapGenerator": partial(_data, kind="ConfigMap"),
    "IAMPolicyGenerator": _iam_policy,
    "SecretGenerator": partial(_data, kind="Secret"),
}


def read_generators(configurations: Iterable[Resource], entries: EntryLoader) -> tuple[GeneratorPlugin, ...]:
    """Return the generators; a generator of another API is left as an object. Raises ``DiagnosticError``."""
    return tuple(_generator(configuration, entries) for configuration in _checked_unique(configurations))


def read_transformers(
    configurations: Iterable[Resource], entries: EntryLoader
) -> tuple[TransformerPlugin, ...]:
    """Return the transformers. Raises ``DiagnosticError``."""
    return tuple(_transformer(configuration, entries) for configuration in _checked_unique(configurations))


def _generator(configuration: Resource, entries: EntryLoader) -> GeneratorPlugin:
    if configuration.api_version != BUILTIN:
        files = listed_files(configuration, entries)
        return GeneratorPlugin(_configured_by(configuration), configuration, files)
    kind = configuration.kind
    if kind == _HELM:
        hint = "render the chart first (helm template) and list its output under resources"
        raise Diagnostic.at(
            configuration.origin, Code.UNSUPPORTED_FIELD, "charts cannot be rendered here", hint
        ).error()
    if kind in TRANSFORMERS:
        raise Diagnostic.at(
            configuration.origin,
            Code.UNSUPPORTED_FIELD,
            f"{kind} is not a generator",
            "list it under transformers",
        ).error()
    read = _required_reader(GENERATORS.get(kind), configuration, tuple(GENERATORS))
    findings: list[Diagnostic] = []
    config = read(_fields(configuration, findings), entries)
    if findings:
        raise DiagnosticError(*findings)
    return GeneratorPlugin(_configured_by(configuration), config)


def _transformer(configuration: Resource, entries: EntryLoader) -> TransformerPlugin:
    kind = configuration.kind
    if configuration.api_version != BUILTIN:
        message = f"the transformer {configuration.api_version} {kind} is not built in"
        raise Diagnostic.at(configuration.origin, Code.UNSUPPORTED_FIELD, message, _RUN_FIRST).error()
    if kind in GENERATORS:
        raise Diagnostic.at(
            configuration.origin,
            Code.UNSUPPORTED_FIELD,
            f"{kind} is not a transformer",
            "list it under generators",
        ).error()
    read = _required_reader(TRANSFORMERS.get(kind), configuration, tuple(TRANSFORMERS))
    findings: list[Diagnostic] = []
    configs = read(_fields(configuration, findings), entries)
    if findings:
        raise DiagnosticError(*findings)
    return TransformerPlugin(configuration.origin, _configured_by(configuration), configs)


def _fields(configuration: Resource, findings: list[Diagnostic]) -> LenientFields:
    return LenientFields(configuration.content, configuration.origin, findings, Code.KUSTOMIZATION_FIELD)


def _configured_by(configuration: Resource) -> ConfiguredBy:
    return ConfiguredBy(
        configuration.origin.path,
        configuration.kind,
        configuration.api_version,
        configuration.name,
        configuration.namespace,
    )


def _required_reader(reader: Reader | None, configuration: Resource, known: tuple[str, ...]) -> Reader:
    if reader is None:
        message = f"{configuration.kind} is not built in"
        raise Diagnostic.at(
            configuration.origin, Code.UNSUPPORTED_FIELD, message, nearest_hint(configuration.kind, known)
        ).error()
    return reader


def _checked_unique(configurations: Iterable[Resource]) -> Iterable[Resource]:
    """Return the configurations, whose ids kustomize requires to be unique. Raises: duplicate-id."""
    seen: dict[tuple[str, ...], Resource] = {}
    for configuration in configurations:
        key = (
            configuration.api_version,
            configuration.kind,
            configuration.namespace or "default",
            configuration.name,
        )
        other = seen.setdefault(key, configuration)
        if other is not configuration:
            raise Diagnostic.at(
                configuration.origin,
                Code.DUPLICATE_ID,
                f"there are two configurations {configuration.current_id}",
                "give one of them another metadata.name",
                related=(Related("the other one", (other.origin,)),),
            ).error()
    return seen.values()
