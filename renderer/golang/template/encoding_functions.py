"""sprig's encodings and digests (``strings.go``, ``crypto.go``), and Argo CD's YAML functions."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
import zlib
from collections.abc import Callable, Mapping

from renderer.golang.template.cost import charge
from renderer.golang.template.errors import GoTemplateError
from renderer.golang.template.evaluate import GoFunction
from renderer.golang.template.json_writer import NotJsonError, to_json, yaml_tree
from renderer.golang.template.strconv import well_formed
from renderer.golang.template.values import go_value
from renderer.model.base64_text import decoded_base64
from renderer.model.diagnostic import DiagnosticError
from renderer.yamlio.decode import decode_yaml11
from renderer.yamlio.encode import encode


def _to_json(value: object) -> str:
    """Return JSON; empty if the value cannot be written as JSON, as ``toJson`` ignores the error."""
    try:
        return to_json(value)
    except NotJsonError:
        return ""


def _to_pretty_json(value: object) -> str:
    try:
        return to_json(value, pretty=True)
    except NotJsonError:
        return ""


def _from_json(text: str) -> object:
    try:
        return _must_from_json(text)
    except GoTemplateError:
        return None


def _must_from_json(text: str) -> object:
    try:
        return go_value(json.loads(text, parse_int=_finite, parse_float=_finite, parse_constant=_refuse))
    except (ValueError, RecursionError) as error:
        raise GoTemplateError(f"fromJson: {error}") from None


def _finite(digits: str) -> float:
    """Return the number as Go decodes it."""
    return _refuse(digits) if math.isinf(float(digits)) else float(digits)


def _refuse(_text: str) -> float:
    raise ValueError("a number is too large")


def _to_yaml(value: object) -> str:
    tree = yaml_tree(value)
    if isinstance(tree, dict) and tree:
        return encode([tree]).removesuffix("\n")
    if isinstance(tree, list) and tree:
        return encode([{"list": tree}]).removeprefix("list:\n").removesuffix("\n")
    return encode([{"value": tree}]).removeprefix("value: ").removesuffix("\n")


def _from_yaml(kind: type) -> Callable[[str], object]:
    def read(text: str) -> object:
        charge(_STEPS_PER_YAML_CHARACTER * len(text))
        try:
            value = go_value(decode_yaml11(well_formed(text).encode(), "the text"))
        except DiagnosticError as error:
            raise GoTemplateError(f"fromYaml: {error}") from None
        if value is None:
            return kind()
        if not isinstance(value, kind):
            raise GoTemplateError(f"fromYaml: the text is not a {'mapping' if kind is dict else 'list'}")
        return value

    return read


def _text_decoder(decode: Callable[[str], bytes]) -> Callable[[str], str]:
    def read(text: str) -> str:
        try:
            return decode(text).decode()
        except UnicodeDecodeError:
            raise GoTemplateError("the decoded bytes are not UTF-8, which is not supported") from None
        except (binascii.Error, ValueError):
            return "illegal base64 data at input byte 0"

    return read


def _encoder(encode_bytes: Callable[[bytes], bytes]) -> Callable[[str], str]:
    return lambda text: encode_bytes(_bytes(text)).decode()


def _bytes(text: str) -> bytes:
    return text.encode(errors="replace")


_STEPS_PER_YAML_CHARACTER = 8

ENCODING_FUNCTIONS: Mapping[str, GoFunction] = {
    "toJson": GoFunction(_to_json, "a"),
    "mustToJson": GoFunction(to_json, "a"),
    "toRawJson": GoFunction(lambda value: to_json(value, escape_html=False), "a"),
    "mustToRawJson": GoFunction(lambda value: to_json(value, escape_html=False), "a"),
    "toPrettyJson": GoFunction(_to_pretty_json, "a"),
    "mustToPrettyJson": GoFunction(lambda value: to_json(value, pretty=True), "a"),
    "fromJson": GoFunction(_from_json, "s"),
    "mustFromJson": GoFunction(_must_from_json, "s"),
    "toYaml": GoFunction(_to_yaml, "a"),
    "fromYaml": GoFunction(_from_yaml(dict), "s"),
    "fromYamlArray": GoFunction(_from_yaml(list), "s"),
    "b64enc": GoFunction(_encoder(base64.b64encode), "s"),
    "b64dec": GoFunction(_text_decoder(decoded_base64), "s"),
    "b32enc": GoFunction(_encoder(base64.b32encode), "s"),
    "b32dec": GoFunction(_text_decoder(base64.b32decode), "s"),
    "sha1sum": GoFunction(lambda text: hashlib.sha1(_bytes(text)).hexdigest(), "s"),  # noqa: S324 - sprig's
    "sha256sum": GoFunction(lambda text: hashlib.sha256(_bytes(text)).hexdigest(), "s"),
    "sha512sum": GoFunction(lambda text: hashlib.sha512(_bytes(text)).hexdigest(), "s"),
    "adler32sum": GoFunction(lambda text: str(zlib.adler32(_bytes(text))), "s"),
}
