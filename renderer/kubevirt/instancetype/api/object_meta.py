"""``ObjectMeta`` of ``k8s.io/apimachinery/pkg/apis/meta/v1``, which an object needs to be decoded."""

from __future__ import annotations

import re

from renderer.kubevirt.instancetype.api.types import (
    BOOL,
    INT64,
    STRING,
    STRING_MAP,
    DecodeError,
    Decoding,
    ListOf,
    Struct,
    pointer,
)
from renderer.model.fields import describe_value
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json
from renderer.model.pattern import pattern

_RFC_3339 = pattern(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII)


class _Time:
    """``metav1.Time``: RFC 3339."""

    def decode(self, value: Json, decoding: Decoding) -> Json:  # noqa: ARG002 - as every GoType
        if not isinstance(value, str) or not _is_time(value):
            raise DecodeError(f"must be a time as in RFC 3339, not {describe_value(value)}", FieldPath())
        return value

    def normal(self, value: Json) -> Json:
        return value


_TIME = _Time()
_OWNER_REFERENCE = Struct(
    {
        "apiVersion": STRING,
        "kind": STRING,
        "name": STRING,
        "uid": STRING,
        "controller": pointer(BOOL),
        "blockOwnerDeletion": pointer(BOOL),
    }
)
_MANAGED_FIELDS = Struct(
    {
        "manager": STRING,
        "operation": STRING,
        "apiVersion": STRING,
        "time": _TIME,
        "fieldsType": STRING,
        "subresource": STRING,
    }
)
OBJECT_META = Struct(
    {
        "name": STRING,
        "generateName": STRING,
        "namespace": STRING,
        "selfLink": STRING,
        "uid": STRING,
        "resourceVersion": STRING,
        "generation": INT64,
        "creationTimestamp": _TIME,
        "deletionTimestamp": _TIME,
        "deletionGracePeriodSeconds": pointer(INT64),
        "labels": STRING_MAP,
        "annotations": STRING_MAP,
        "ownerReferences": ListOf(_OWNER_REFERENCE),
        "finalizers": ListOf(STRING),
        "managedFields": ListOf(_MANAGED_FIELDS),
    }
)


def _is_time(text: str) -> bool:
    if not _RFC_3339.fullmatch(text):
        return False
    from datetime import datetime  # noqa: PLC0415 - few objects have a time

    try:
        datetime.fromisoformat(text)
    except ValueError:  # the 30th of February
        return False
    return True
