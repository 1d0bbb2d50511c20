"""Decode the instance type or preference in a ControllerRevision, in every encoding that KubeVirt ever wrote.

KubeVirt ``pkg/instancetype/compatibility``; ``behaviour`` says which encodings a release reads. Revisions of
KubeVirt 0.56 and 0.57 contain an ``apiVersion`` and the spec's JSON in base64 (``decodeSpecRevision``, last
in 1.6): releases up to 1.2 decode it as the type of the matcher; since 1.3 its fields decide the type.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NoReturn

from renderer.kubevirt.facts.kinds import (
    INSTANCETYPE,
    INSTANCETYPE_GROUP,
    INSTANCETYPE_VERSION,
    MATCHER_TYPE_OF,
    PREFERENCE,
    MatcherType,
)
from renderer.kubevirt.instancetype.api.instancetype import INSTANCETYPE_SPEC
from renderer.kubevirt.instancetype.api.object_meta import OBJECT_META
from renderer.kubevirt.instancetype.api.old_versions import (
    OLD_INSTANCETYPE_SPEC,
    V1ALPHA1_PREFERENCE_SPEC,
    V1ALPHA2_PREFERENCE_SPEC,
    upgraded_instancetype,
    upgraded_preference,
)
from renderer.kubevirt.instancetype.api.preference import PREFERENCE_SPEC
from renderer.kubevirt.instancetype.api.types import DecodeError, Decoding
from renderer.kubevirt.instancetype.behaviour import Behaviour, SpecRevisions
from renderer.model.base64_text import decoded_base64
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at, text_at
from renderer.model.kube.res_id import Gvk
from renderer.model.record import Record

_FIELDS = frozenset({"apiVersion", "spec"})
_SPECS = {
    (INSTANCETYPE_VERSION, INSTANCETYPE): INSTANCETYPE_SPEC,
    (INSTANCETYPE_VERSION, PREFERENCE): PREFERENCE_SPEC,
    ("v1alpha2", INSTANCETYPE): OLD_INSTANCETYPE_SPEC,
    ("v1alpha2", PREFERENCE): V1ALPHA2_PREFERENCE_SPEC,
    ("v1alpha1", INSTANCETYPE): OLD_INSTANCETYPE_SPEC,
    ("v1alpha1", PREFERENCE): V1ALPHA1_PREFERENCE_SPEC,
}
_DATA_SPEC = FieldPath.of("data", "spec")


class SpecRevision(Record):
    """A decoded spec, as v1beta1, and the type of its object."""

    matcher_type: MatcherType
    spec: JsonObject


class RevisionError(Exception):
    """The content of a ControllerRevision is unusable; the text describes the content."""

    def __init__(self, reason: str, *, outdated: bool = False) -> None:
        super().__init__(reason)
        self.outdated = outdated


class DecodedRevision(Record):
    """A decoded ControllerRevision: a v1beta1 ``spec``, and its path in the revision."""

    matcher_type: MatcherType
    spec: JsonObject
    field: FieldPath = _DATA_SPEC


def decode_spec_revision(
    data: JsonObject, matcher_type: MatcherType, behaviour: Behaviour
) -> SpecRevision | None:
    """Decode a base64 spec in the ``data`` of a ControllerRevision; None for another encoding.

    Raises ``DecodeError`` for this encoding with a wrong spec.
    """
    match behaviour.spec_revisions:
        case SpecRevisions.BY_MATCHER:
            encoded = _encoded_spec(data)
            decoding = Decoding(release=behaviour.release)
            return None if encoded is None else _decode_encoded_spec(encoded, matcher_type, decoding)
        case SpecRevisions.BY_CONTENT:
            return _decode_by_content(data, Decoding(strict=True, release=behaviour.release))
        case SpecRevisions.NONE:
            return None


def _decode_by_content(data: JsonObject, decoding: Decoding) -> SpecRevision | None:
    encoded = _encoded_spec(data) if data.keys() <= _FIELDS else None
    if encoded is None:
        return None
    for matcher_type in (PREFERENCE, INSTANCETYPE):
        try:
            return _decode_encoded_spec(encoded, matcher_type, decoding)
        except DecodeError:
            continue
    return None


def _encoded_spec(data: JsonObject) -> bytes | None:
    """Return the decoded base64 bytes; None if ``data`` is not a spec revision."""
    encoded = data.get("spec")
    if not isinstance(data.get("apiVersion"), str | None):
        return None
    if encoded is None:
        return b""
    if not isinstance(encoded, str):
        return None
    try:
        return decoded_base64(encoded)
    except ValueError:
        return None


def _decode_encoded_spec(encoded: bytes, matcher_type: MatcherType, decoding: Decoding) -> SpecRevision:
    content = _parse_json(encoded.decode(errors="replace"), decoding)
    content = EMPTY if content is None else content
    if matcher_type is INSTANCETYPE:
        spec = OLD_INSTANCETYPE_SPEC.decode(content, decoding)
        return SpecRevision(matcher_type, upgraded_instancetype(object_at(spec)))
    spec = V1ALPHA1_PREFERENCE_SPEC.decode(content, decoding)
    return SpecRevision(matcher_type, upgraded_preference(object_at(spec)))


def _parse_json(text: str, decoding: Decoding) -> Json:
    def object_of(pairs: Sequence[tuple[str, Json]]) -> JsonObject:
        if decoding.strict and len(dict(pairs)) < len(pairs):
            raise DecodeError("has a field twice", FieldPath())
        return dict(pairs)

    try:
        parsed: Json = json.loads(text, object_pairs_hook=object_of, parse_constant=_reject_constant)
    except (ValueError, RecursionError) as error:
        raise DecodeError("is not JSON", FieldPath()) from error
    return parsed


def _reject_constant(name: str) -> NoReturn:
    """Reject NaN and Infinity, which only Python accepts as JSON."""
    raise DecodeError(f"has {name}", FieldPath())


def decode_revision(revision: JsonObject, matcher_type: MatcherType, behaviour: Behaviour) -> DecodedRevision:
    """Return the object in the ControllerRevision for a matcher of that type. Raises ``RevisionError``."""
    stored = _decode(revision.get("data"), matcher_type, behaviour)
    if stored.matcher_type is not matcher_type:
        raise RevisionError(f"holds {_a(stored.matcher_type.noun)}, not {_a(matcher_type.noun)}")
    return stored


def _decode(data: Json, matcher_type: MatcherType, behaviour: Behaviour) -> DecodedRevision:
    if not isinstance(data, dict):
        raise RevisionError("holds nothing")
    try:
        old = decode_spec_revision(data, matcher_type, behaviour)
    except DecodeError as error:
        raise RevisionError(f"holds a spec that cannot be decoded: {error}") from None
    if old is not None:
        return DecodedRevision(old.matcher_type, old.spec)
    return _decode_object(data, behaviour)


def _decode_object(data: JsonObject, behaviour: Behaviour) -> DecodedRevision:
    if isinstance(data.get("spec"), str) and "kind" not in data:
        message = f"holds a spec without its kind, which KubeVirt {behaviour.release} does not decode"
        raise RevisionError(message, outdated=behaviour.spec_revisions is SpecRevisions.NONE)
    gvk = Gvk.parse(text_at(data, "apiVersion"), text_at(data, "kind"))
    matcher_type = MATCHER_TYPE_OF.get(gvk.kind)
    if matcher_type is None or gvk.group != INSTANCETYPE_GROUP:
        raise RevisionError(f"holds {_description(data)}, not an instance type or preference")
    spec_type = _SPECS.get((gvk.version, matcher_type))
    if spec_type is None or (gvk.version != INSTANCETYPE_VERSION and not behaviour.decodes_alpha_revisions):
        message = f"holds {_description(data)}, which KubeVirt {behaviour.release} does not decode"
        raise RevisionError(message, outdated=spec_type is not None)
    decoding = Decoding(release=behaviour.release)
    try:
        OBJECT_META.decode(EMPTY if data.get("metadata") is None else data["metadata"], decoding)
        spec = spec_type.decode(EMPTY if data.get("spec") is None else data["spec"], decoding)
    except DecodeError as error:
        raise RevisionError(f"holds {_description(data)} that cannot be decoded: {error}") from None
    if gvk.version == INSTANCETYPE_VERSION:
        return DecodedRevision(matcher_type, object_at(spec))
    upgrade = upgraded_instancetype if matcher_type is INSTANCETYPE else upgraded_preference
    return DecodedRevision(matcher_type, upgrade(object_at(spec)))


def _description(data: JsonObject) -> str:
    api_version, kind = text_at(data, "apiVersion"), text_at(data, "kind")
    return f"a {kind} of {api_version or 'no version'}" if kind else "an object without a kind"


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"
