"""What generators make: ConfigMaps, Secrets, service accounts, and what the kinds of a table ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from renderer.compose.generation import data_object, iam_policy
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.generated import Generated, ListedFiles
from renderer.model.json import JsonObject
from renderer.model.kustomization import Behavior, DataGenerator, IamPolicyGenerator
from renderer.model.location import Site
from renderer.model.provenance import ConfiguredBy
from renderer.model.res_id import Gvk
from renderer.model.resource import Resource
from renderer.model.source_tree import GeneratorPlugin, KustomizationRoot

#: What each kind of configuration, which stands at a site, makes of the files it lists.
#: Raises ``DiagnosticError``.
GeneratorTable: TypeAlias = Mapping[Gvk, Callable[[JsonObject, Site, ListedFiles], tuple[Generated, ...]]]


def generator_plugins(root: KustomizationRoot) -> Iterator[GeneratorPlugin]:
    """The generators of a kustomization in the order in which they run."""
    for generator in root.data_generators:
        kind = f"{generator.args.kind}Generator"
        yield GeneratorPlugin(ConfiguredBy(root.kustomization.site.path, kind), generator)
    yield from root.generators


def generate(plugin: GeneratorPlugin, generators: GeneratorTable) -> Iterator[tuple[Resource, Behavior]]:
    """The resources that ``plugin`` asks for, which come from where it stands, and what to do with them.

    Raises: unsupported-field for a kind that no generator is known for, and what the generator raises.
    """
    config = plugin.config
    if isinstance(config, DataGenerator):
        yield data_object.generate(config), config.args.behavior
    elif isinstance(config, IamPolicyGenerator):
        yield iam_policy.generate(config), Behavior.UNSPECIFIED
    else:
        generator = generators.get(config.gvk)
        if generator is None:
            raise _unknown(config, generators)
        for made in generator(config.content, config.origin, plugin.files):
            layers = () if made.shared is None else (made.shared,)
            yield Resource(made.content, made.site, layers), Behavior.UNSPECIFIED


def _unknown(configuration: Resource, generators: GeneratorTable) -> DiagnosticError:
    known = ", ".join(sorted(f"{gvk.api_version} {gvk.kind}" for gvk in generators))
    return DiagnosticError(
        Diagnostic(
            code=Code.UNSUPPORTED_FIELD,
            message=f"no generator {configuration.api_version} {configuration.kind} is built in",
            sites=(configuration.origin,),
            hint=f"run it first and list its output under resources; built in are: {known}",
        )
    )
