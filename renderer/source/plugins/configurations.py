"""Objects under ``generators``, ``transformers`` and ``validators`` to what they configure.

kustomize ``api/internal/plugins/loader``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Related
from renderer.model.fields import nearest_hint
from renderer.model.provenance import BUILTIN, ConfiguredBy
from renderer.model.resource import Resource
from renderer.model.source_tree import GeneratorPlugin, TransformerPlugin
from renderer.source.caseless_fields import LenientFields
from renderer.source.entries import Entries
from renderer.source.plugins.generators import GENERATORS
from renderer.source.plugins.listed_files import listed_files
from renderer.source.plugins.transformers import TRANSFORMERS

Reader = TypeVar("Reader")
_HELM = "HelmChartInflationGenerator"
_RUN_FIRST = "run it first and list what it makes under resources"


def read_generators(configurations: Iterable[Resource], entries: Entries) -> tuple[GeneratorPlugin, ...]:
    """The generators; one of another API stays the object it is. Raises ``DiagnosticError``."""
    return tuple(_generator(configuration, entries) for configuration in _unique(configurations))


def read_transformers(configurations: Iterable[Resource], entries: Entries) -> tuple[TransformerPlugin, ...]:
    """The transformers. Raises ``DiagnosticError``."""
    return tuple(_transformer(configuration, entries) for configuration in _unique(configurations))


def _generator(configuration: Resource, entries: Entries) -> GeneratorPlugin:
    if configuration.api_version != BUILTIN:
        files = listed_files(configuration, entries)
        return GeneratorPlugin(_configured_by(configuration), configuration, files)
    kind = configuration.kind
    if kind == _HELM:
        hint = "render the chart first (helm template) and list its output under resources"
        raise _unsupported(configuration, "charts cannot be rendered here", hint)
    if kind in TRANSFORMERS:
        raise _unsupported(configuration, f"{kind} is no generator", "list it under transformers")
    read = _known(GENERATORS.get(kind), configuration, tuple(GENERATORS))
    findings: list[Diagnostic] = []
    config = read(_fields(configuration, findings), entries)
    if findings:
        raise DiagnosticError(*findings)
    return GeneratorPlugin(_configured_by(configuration), config)


def _transformer(configuration: Resource, entries: Entries) -> TransformerPlugin:
    kind = configuration.kind
    if configuration.api_version != BUILTIN:
        message = f"the transformer {configuration.api_version} {kind} is not built in"
        raise _unsupported(configuration, message, _RUN_FIRST)
    if kind in GENERATORS:
        raise _unsupported(configuration, f"{kind} is no transformer", "list it under generators")
    read = _known(TRANSFORMERS.get(kind), configuration, tuple(TRANSFORMERS))
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


def _known(reader: Reader | None, configuration: Resource, known: tuple[str, ...]) -> Reader:
    if reader is None:
        message = f"nothing built in is called {configuration.kind}"
        raise _unsupported(configuration, message, nearest_hint(configuration.kind, known))
    return reader


def _unique(configurations: Iterable[Resource]) -> Iterable[Resource]:
    """Raises: duplicate-id, as kustomize keeps configurations as it keeps resources."""
    seen: dict[tuple[str, ...], Resource] = {}
    for found in configurations:
        key = (found.api_version, found.kind, found.namespace or "default", found.name)
        other = seen.setdefault(key, found)
        if other is not found:
            raise DiagnosticError(
                Diagnostic(
                    code=Code.DUPLICATE_ID,
                    message=f"there are two configurations {found.current_id}",
                    sites=(found.origin,),
                    hint="give one of them another metadata.name",
                    related=(Related("the other one", (other.origin,)),),
                )
            )
    return seen.values()


def _unsupported(configuration: Resource, message: str, hint: str) -> DiagnosticError:
    return DiagnosticError(
        Diagnostic(code=Code.UNSUPPORTED_FIELD, message=message, sites=(configuration.origin,), hint=hint)
    )
