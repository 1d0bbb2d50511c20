"""Fields that are written otherwise, and say the same to whatever reads the object.

The API server stores the ``stringData`` of a Secret in its ``data`` (Kubernetes
``pkg/apis/core/v1/conversion.go`` ``Convert_v1_Secret_To_core_Secret``). The files of a ConfigMap are in
``data`` or ``binaryData`` (``pkg/volume/configmap/configmap.go`` ``MakePayload``). Multus reads the
``config`` of a NetworkAttachmentDefinition as JSON (``containernetworking/cni`` ``libcni/conf.go``
``ConfFromBytes``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from renderer.kubevirt.facts.kinds import CONFIG_MAP, SECRET
from renderer.model.base64_text import decoded_base64
from renderer.model.difference import Effect, FieldChange, Impact
from renderer.model.kube.json import Json, object_at, text_at
from renderer.model.kube.resource import Resource

_NETWORK, _CONFIG = "NetworkAttachmentDefinition", ("spec", "config")
_SAME = Impact(Effect.NONE, "it is written otherwise, and its content is the same")
#: The fields with the files of an object, and whether they are in base64; a later field counts.
_FILES: Mapping[str, Mapping[str, bool]] = {
    SECRET: {"data": True, "stringData": False},
    CONFIG_MAP: {"binaryData": True, "data": False},
}


def with_same_content(
    changes: Sequence[FieldChange], before: Resource, after: Resource
) -> tuple[FieldChange, ...]:
    """Return the changed fields of an object, with an impact for those whose content is the same."""
    same: set[tuple[str, ...]]
    if after.kind == _NETWORK:
        same = {_CONFIG} if _config(before) == _config(after) is not None else set()
    elif after.kind in _FILES and not after.gvk.group:
        old, new = _files(before), _files(after)
        keys = {key for key in {*old, *new} if old.get(key) == new.get(key)}
        same = {(field, key) for field in _FILES[after.kind] for key in keys}
        same |= {(field,) for field in _FILES[after.kind] if old == new}
    else:
        return tuple(changes)
    return tuple(each._replace(impact=_SAME) if each.field.segments in same else each for each in changes)


def impact_of_fields(changes: Sequence[FieldChange]) -> Impact | None:
    """Return that an object has the same content; None if it has another one."""
    return _SAME if changes and all(each.impact is _SAME for each in changes) else None


def _config(network: Resource) -> str | None:
    """Return the configuration of a network in one form; None if it is not JSON."""
    try:
        return json.dumps(json.loads(text_at(network.content, *_CONFIG)), sort_keys=True)
    except (ValueError, RecursionError):
        return None


def _files(resource: Resource) -> Mapping[str, bytes | Json]:
    """Return the files of an object; one that cannot be read as it is written."""
    return {
        key: _content(written, is_encoded=is_encoded)
        for field, is_encoded in _FILES[resource.kind].items()
        for key, written in object_at(resource.content, field).items()
    }


def _content(written: Json, *, is_encoded: bool) -> bytes | Json:
    if not isinstance(written, str):
        return written
    try:
        return decoded_base64(written) if is_encoded else written.encode()
    except ValueError:
        return written
