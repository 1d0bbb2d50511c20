"""``generators``, ``configMapGenerator``, ``secretGenerator``: the resources that generators create.

ConfigMaps and Secrets are made from key-value pairs (kustomize ``api/internal/generators``,
``kyaml/yaml/datamap.go``), service accounts of Google's cloud from their names
(``api/filters/iampolicygenerator``), all others by the table of generators that the composer receives.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Related
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import Gvk
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import Behavior, DataGenerator, GeneratorArgs, IamPolicyGenerator, KeyValue
from renderer.model.provenance import ConfiguredBy
from renderer.model.run.work import spend
from renderer.model.source_tree import Generated, GeneratorPlugin, KustomizationRoot, ListedFiles
from renderer.model.suggest import did_you_mean, suggest
from renderer.yamlio.dialects import rewritten
from renderer.yamlio.errors import UnusableError

#: The generator of each kind of configuration: accepts its content, its site and the files that it lists.
#: Raises ``DiagnosticError``.
GeneratorTable: TypeAlias = Mapping[Gvk, Callable[[JsonObject, Site, ListedFiles], tuple[Generated, ...]]]
#: Base64 text of this length or more is broken into lines of this length.
_LINE_LENGTH = 70
_OPAQUE = "Opaque"
#: Steps to add a pair to a ConfigMap or Secret (``model.run.work``).
_STEPS_PER_PAIR = 4
_GKE = "gke"


def generator_plugins(root: KustomizationRoot) -> Iterator[GeneratorPlugin]:
    """Yield the generators of a kustomization in the order in which they run."""
    for generator in root.data_generators:
        kind = f"{generator.args.kind}Generator"
        yield GeneratorPlugin(ConfiguredBy(root.kustomization.site.path, kind), generator)
    yield from root.generators


def generate(plugin: GeneratorPlugin, generators: GeneratorTable) -> Iterator[tuple[Resource, Behavior]]:
    """Yield the resources that ``plugin`` creates, each with its behavior.

    Raises: unsupported-field for a kind without a known generator, and the errors of the generator.
    """
    config = plugin.config
    if isinstance(config, DataGenerator):
        yield config_map_or_secret(config), config.args.behavior
    elif isinstance(config, IamPolicyGenerator):
        yield service_account(config), Behavior.UNSPECIFIED
    else:
        generator = generators.get(config.gvk)
        if generator is None:
            built_in = sorted(f"{gvk.api_version} {gvk.kind}" for gvk in generators)
            listed = f"run it first and list its output under resources; built in are: {', '.join(built_in)}"
            written = f"{config.api_version} {config.kind}"
            is_near = bool(suggest(written, built_in, most=1, cutoff=0.9))
            raise Diagnostic.at(
                config.origin,
                Code.UNSUPPORTED_FIELD,
                f"no generator {config.api_version} {config.kind} is built in",
                did_you_mean(written, built_in, most=1) if is_near else listed,
            ).error()
        for generated in generator(config.content, config.origin, plugin.files):
            layers = () if generated.shared is None else (generated.shared,)
            yield Resource(generated.content, generated.site, layers), Behavior.UNSPECIFIED


def config_map_or_secret(generator: DataGenerator) -> Resource:
    """Return the ConfigMap or Secret that ``generator`` describes. Raises: kustomization-field."""
    args = generator.args
    if not args.name:
        raise Diagnostic.at(
            generator.args.site, Code.KUSTOMIZATION_FIELD, f"the generated {args.kind} has no name"
        ).error()
    spend(_STEPS_PER_PAIR * len(generator.data), "generating data")
    _check_keys(generator)
    content: dict[str, Json] = {"apiVersion": "v1", "kind": args.kind, "metadata": _metadata(args)}
    if args.kind == "Secret":
        content["type"] = args.type or _OPAQUE
        content["data"] = {pair.key: _base64(pair.value) for pair in generator.data}
    else:
        content |= _config_map_data(generator)
    if args.options.immutable:
        content["immutable"] = True
    return Resource(
        content,
        args.site,
        needs_hash=not args.options.disable_name_suffix_hash,
        data_places=tuple(pair.place for pair in generator.data),
    )


def _metadata(args: GeneratorArgs) -> dict[str, Json]:
    metadata: dict[str, Json] = {"name": args.name}
    if args.namespace:
        metadata["namespace"] = args.namespace
    if args.options.labels:
        metadata["labels"] = dict(args.options.labels)
    if args.options.annotations:
        metadata["annotations"] = dict(args.options.annotations)
    return metadata


def _config_map_data(generator: DataGenerator) -> dict[str, Json]:
    """Return UTF-8 texts as ``data`` and other bytes as ``binaryData``; an empty field is omitted."""
    data: dict[str, Json] = {}
    binary_data: dict[str, Json] = {}
    for pair in generator.data:
        try:
            data[pair.key] = _writable_text(pair)
        except UnicodeDecodeError:
            binary_data[pair.key] = _base64(pair.value)
    named: dict[str, Json] = {"data": data, "binaryData": binary_data}
    return {field: pairs for field, pairs in named.items() if pairs}


def _writable_text(pair: KeyValue) -> str:
    text = pair.value.decode()
    if "\n" not in text:
        return text
    try:
        return rewritten(text, "|")
    except UnusableError as error:
        raise Diagnostic.at(
            pair.site,
            Code.KUSTOMIZATION_FIELD,
            f"the value of {pair.key} cannot be written: {error}",
            "begin it with a line break or another character",
        ).error() from None


def _base64(value: bytes) -> str:
    text = b64encode(value).decode()
    if len(text) < _LINE_LENGTH:
        return text
    lines = (text[start : start + _LINE_LENGTH] for start in range(0, len(text), _LINE_LENGTH))
    return "".join(f"{line}\n" for line in lines)


def _check_keys(generator: DataGenerator) -> None:
    seen: dict[str, KeyValue] = {}
    for pair in generator.data:
        first = seen.setdefault(pair.key, pair)
        if first is not pair:
            message = f"{generator.args.kind} {generator.args.name} has the key {pair.key} twice"
            raise Diagnostic.at(
                pair.site,
                Code.KUSTOMIZATION_FIELD,
                message,
                "rename one of them",
                related=(Related("the other one is listed here", (first.site,)),),
            ).error()


def service_account(generator: IamPolicyGenerator) -> Resource:
    """Return the ServiceAccount. Raises: kustomization-field if the cloud is not ``gke``."""
    if generator.cloud != _GKE:
        raise Diagnostic.at(
            generator.site.below("cloud"),
            Code.KUSTOMIZATION_FIELD,
            f"cloud cannot be {generator.cloud!r}",
            f"{_GKE} is the only one that kustomize knows",
        ).error()
    account = f"{generator.account_name}@{generator.project_id}.iam.gserviceaccount.com"
    metadata: dict[str, Json] = {
        "annotations": {"iam.gke.io/gcp-service-account": account},
        "name": generator.kubernetes_name,
    }
    if generator.kubernetes_namespace:
        metadata["namespace"] = generator.kubernetes_namespace
    return Resource({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}, generator.site)
