"""ConfigMaps and Secrets from key-value pairs (``api/internal/generators``, ``kyaml/yaml/datamap.go``)."""

from __future__ import annotations

from base64 import b64encode

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Related
from renderer.model.json import Json
from renderer.model.kustomization import DataGenerator, GeneratorArgs, KeyValue
from renderer.model.resource import Resource
from renderer.yamlio.dialects import rewritten
from renderer.yamlio.errors import UnusableError

#: Base64 text that is not shorter is broken into lines of this length.
_LINE_LENGTH = 70
_OPAQUE = "Opaque"


def generate(generator: DataGenerator) -> Resource:
    """The ConfigMap or Secret that ``generator`` describes. Raises: kustomization-field."""
    args = generator.args
    if not args.name:
        raise _invalid(f"the generated {args.kind} has no name", generator)
    _check_keys(generator)
    content: dict[str, Json] = {"apiVersion": "v1", "kind": args.kind, "metadata": _metadata(args)}
    if args.kind == "Secret":
        content["type"] = args.type or _OPAQUE
        content["data"] = {pair.key: _base64(pair.value) for pair in generator.data}
    else:
        content |= _config_map_data(generator)
    if args.options.immutable:
        content["immutable"] = True
    return Resource(content, args.site, needs_hash=not args.options.disable_name_suffix_hash)


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
    """What is UTF-8 text goes to ``data``, all else to ``binaryData``; an empty one is left out."""
    data: dict[str, Json] = {}
    binary_data: dict[str, Json] = {}
    for pair in generator.data:
        try:
            data[pair.key] = _text(pair)
        except UnicodeDecodeError:
            binary_data[pair.key] = _base64(pair.value)
    named: dict[str, Json] = {"data": data, "binaryData": binary_data}
    return {field: pairs for field, pairs in named.items() if pairs}


def _text(pair: KeyValue) -> str:
    text = pair.value.decode()
    if "\n" not in text:
        return text
    try:
        return rewritten(text, "|")
    except UnusableError as error:
        raise DiagnosticError(
            Diagnostic(
                code=Code.KUSTOMIZATION_FIELD,
                message=f"the value of {pair.key} cannot be written: {error}",
                sites=(pair.site,),
                hint="begin it with a line break or another character",
            )
        ) from None


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
            message = f"{generator.args.kind} {generator.args.name} gets the key {pair.key} twice"
            raise DiagnosticError(
                Diagnostic(
                    code=Code.KUSTOMIZATION_FIELD,
                    message=message,
                    sites=(pair.site,),
                    hint="rename one of them",
                    related=(Related("the other one is listed here", (first.site,)),),
                )
            )


def _invalid(message: str, generator: DataGenerator) -> DiagnosticError:
    return DiagnosticError(
        Diagnostic(code=Code.KUSTOMIZATION_FIELD, message=message, sites=(generator.args.site,))
    )
