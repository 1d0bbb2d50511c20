"""The revisions of KubeVirt 0.56 and 0.57: an ``apiVersion``, and the spec's JSON in base64.

KubeVirt ``pkg/instancetype/compatibility`` (``decodeSpecRevision``), last in 1.6. Releases up to 1.2 take
such a revision for what the matcher asks for; from 1.3 on its fields tell what it is.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from typing import NoReturn

from renderer.instancetype.api.old_versions import (
    OLD_INSTANCETYPE_SPEC,
    V1ALPHA1_PREFERENCE_SPEC,
    upgraded_instancetype,
    upgraded_preference,
)
from renderer.instancetype.api.types import DecodeError, Decoding
from renderer.instancetype.behaviour import Behaviour, SpecRevisions
from renderer.instancetype.matcher import INSTANCETYPE, PREFERENCE, MatcherType
from renderer.model.field_path import FieldPath
from renderer.model.json import EMPTY, Json, JsonObject, object_at
from renderer.model.record import Record

_FIELDS = frozenset({"apiVersion", "spec"})


class SpecRevision(Record):
    """A spec as v1beta1, and what it is the spec of."""

    matcher_type: MatcherType
    spec: JsonObject


def decode_spec_revision(
    data: JsonObject, asked_for: MatcherType, behaviour: Behaviour
) -> SpecRevision | None:
    """From the ``data`` of a ControllerRevision; None when it has another encoding.

    Raises ``DecodeError`` when it has this one, and the spec is not right.
    """
    match behaviour.spec_revisions:
        case SpecRevisions.BY_MATCHER:
            encoded = _encoded_spec(data)
            how = Decoding(release=behaviour.release)
            return None if encoded is None else _decode(encoded, asked_for, how)
        case SpecRevisions.BY_CONTENT:
            return _decode_by_content(data, Decoding(strict=True, release=behaviour.release))
        case SpecRevisions.NONE:
            return None


def _decode_by_content(data: JsonObject, how: Decoding) -> SpecRevision | None:
    encoded = _encoded_spec(data) if data.keys() <= _FIELDS else None
    if encoded is None:
        return None
    for matcher_type in (PREFERENCE, INSTANCETYPE):
        try:
            return _decode(encoded, matcher_type, how)
        except DecodeError:
            continue
    return None


def _encoded_spec(data: JsonObject) -> bytes | None:
    """What the base64 stands for; None when ``data`` is no spec revision."""
    encoded = data.get("spec")
    if not isinstance(data.get("apiVersion"), str | None):
        return None
    if encoded is None:
        return b""
    if not isinstance(encoded, str):
        return None
    try:
        return base64.b64decode(encoded.replace("\r", "").replace("\n", ""), validate=True)
    except (binascii.Error, ValueError):
        return None


def _decode(encoded: bytes, matcher_type: MatcherType, how: Decoding) -> SpecRevision:
    content = _parse_json(encoded.decode(errors="replace"), how)
    content = EMPTY if content is None else content
    if matcher_type is INSTANCETYPE:
        spec = OLD_INSTANCETYPE_SPEC.decode(content, how)
        return SpecRevision(matcher_type, upgraded_instancetype(object_at(spec)))
    spec = V1ALPHA1_PREFERENCE_SPEC.decode(content, how)
    return SpecRevision(matcher_type, upgraded_preference(object_at(spec)))


def _parse_json(text: str, how: Decoding) -> Json:
    def object_of(pairs: Sequence[tuple[str, Json]]) -> JsonObject:
        if how.strict and len(dict(pairs)) < len(pairs):
            raise DecodeError("has a field twice", FieldPath())
        return dict(pairs)

    try:
        parsed: Json = json.loads(text, object_pairs_hook=object_of, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise DecodeError("is not JSON", FieldPath()) from error
    return parsed


def _refuse_constant(name: str) -> NoReturn:
    """NaN and Infinity are JSON to Python only."""
    raise DecodeError(f"has {name}", FieldPath())
