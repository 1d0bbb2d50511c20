"""sprig's encodings and digests (``strings.go``, ``crypto.go``), and Argo CD's YAML functions."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import zlib
from collections.abc import Callable, Mapping

from renderer.golang.template.evaluate import GoFunction
from renderer.golang.template.values import ABSENT, GoTemplateError, go_value
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json
from renderer.yamlio.decode import decode_yaml11
from renderer.yamlio.encode import encode


def _json_value(value: object) -> Json:
    """Return a value as in JSON: whole floats are integers."""
    if isinstance(value, dict):
        return {key: _json_value(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_json_value(each) for each in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return None if value is ABSENT or not isinstance(value, str | int | float | bool) else value


def _to_json(value: object) -> str:
    text = _to_raw_json(value)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _to_raw_json(value: object) -> str:
    return json.dumps(_json_value(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _to_pretty_json(value: object) -> str:
    return json.dumps(_json_value(value), ensure_ascii=False, sort_keys=True, indent=2)


def _from_json(text: str) -> object:
    try:
        return go_value(json.loads(text))
    except (ValueError, RecursionError):
        return None


def _must_from_json(text: str) -> object:
    try:
        return go_value(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise GoTemplateError(f"fromJson: {error}") from None


def _to_yaml(value: object) -> str:
    tree = _json_value(value)
    if isinstance(tree, dict) and tree:
        return encode([tree]).removesuffix("\n")
    if isinstance(tree, list) and tree:
        return encode([{"list": tree}]).removeprefix("list:\n").removesuffix("\n")
    return encode([{"value": tree}]).removeprefix("value: ").removesuffix("\n")


def _from_yaml(kind: type) -> Callable[[str], object]:
    def read(text: str) -> object:
        try:
            value = go_value(decode_yaml11(text.encode(), "the text"))
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
        except (binascii.Error, ValueError):
            return "illegal base64 data at input byte 0"

    return read


def _decode_base64(text: str) -> bytes:
    return base64.b64decode(text.replace("\n", "").replace("\r", ""), validate=True)


ENCODING_FUNCTIONS: Mapping[str, GoFunction] = {
    "toJson": GoFunction(_to_json, "a"),
    "mustToJson": GoFunction(_to_json, "a"),
    "toRawJson": GoFunction(_to_raw_json, "a"),
    "mustToRawJson": GoFunction(_to_raw_json, "a"),
    "toPrettyJson": GoFunction(_to_pretty_json, "a"),
    "mustToPrettyJson": GoFunction(_to_pretty_json, "a"),
    "fromJson": GoFunction(_from_json, "s"),
    "mustFromJson": GoFunction(_must_from_json, "s"),
    "toYaml": GoFunction(_to_yaml, "a"),
    "fromYaml": GoFunction(_from_yaml(dict), "s"),
    "fromYamlArray": GoFunction(_from_yaml(list), "s"),
    "b64enc": GoFunction(lambda text: base64.b64encode(text.encode()).decode(), "s"),
    "b64dec": GoFunction(_text_decoder(_decode_base64), "s"),
    "b32enc": GoFunction(lambda text: base64.b32encode(text.encode()).decode(), "s"),
    "b32dec": GoFunction(_text_decoder(base64.b32decode), "s"),
    "sha1sum": GoFunction(lambda text: hashlib.sha1(text.encode()).hexdigest(), "s"),  # noqa: S324 - sprig's
    "sha256sum": GoFunction(lambda text: hashlib.sha256(text.encode()).hexdigest(), "s"),
    "sha512sum": GoFunction(lambda text: hashlib.sha512(text.encode()).hexdigest(), "s"),
    "adler32sum": GoFunction(lambda text: str(zlib.adler32(text.encode())), "s"),
}
