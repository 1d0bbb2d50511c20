"""The metadata of a customised instance type or preference."""

from __future__ import annotations

import re
from collections.abc import Mapping

from renderer.model.json import EMPTY, Json, JsonObject, object_at
from renderer.sizes.customize.request import Copy
from renderer.sizes.customize.switch import Target
from renderer.sizes.names import is_size_name
from renderer.sizes.size_labels import DERIVED_LABELS, PREFIX, size_labels

_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
#: Says which release of the bundle an object is from, and no copy is.
_BUNDLE_VERSION = f"{PREFIX}common-instancetypes-version"
_REQUIREMENT_LABELS = {
    "required-cpu": ("requirements", "cpu", "guest"),
    "required-memory": ("requirements", "memory", "guest"),
    "required-architecture": ("requirements", "architecture"),
    "preferred-architecture": ("preferredArchitecture",),
    "arch": ("preferredArchitecture",),
}
_LABEL_VALUE = re.compile(r"[0-9A-Za-z]([0-9A-Za-z._-]{0,61}[0-9A-Za-z])?")


def customized_metadata(source: JsonObject, spec: JsonObject, target: Target, copy: Copy) -> JsonObject:
    """The metadata of the copy with ``spec``; what a cluster wrote into the source's stays behind.

    Labels and annotations of ``instancetype.kubevirt.io`` go, or, where they are kept, are made to fit.
    """
    labels, annotations = object_at(source, "labels"), object_at(source, "annotations")
    if copy.keep_labels:
        labels = _fitting(labels, spec, target, copy.name)
    else:
        labels, annotations = _others(labels), _others(annotations)
    annotations = {key: value for key, value in annotations.items() if key != _LAST_APPLIED}
    said: dict[str, Json] = {
        "name": copy.name,
        "namespace": copy.namespace,
        "labels": labels,
        "annotations": annotations,
    }
    return {key: value for key, value in said.items() if value}


def _others(pairs: JsonObject) -> JsonObject:
    return {key: value for key, value in pairs.items() if not key.startswith(PREFIX)}


def _fitting(labels: JsonObject, spec: JsonObject, target: Target, name: str) -> JsonObject:
    derives = _derived_size if target is Target.INSTANCETYPE else _derived_requirements
    own = DERIVED_LABELS if target is Target.INSTANCETYPE else {PREFIX + key for key in _REQUIREMENT_LABELS}
    kept = {key: value for key, value in labels.items() if key not in own and key != _BUNDLE_VERSION}
    return {**kept, **(derives(spec, name) if own & labels.keys() else EMPTY)}


def _derived_size(spec: JsonObject, name: str) -> Mapping[str, str]:
    """A size is what follows the series in a name: mysize in u1.mysize."""
    derived = size_labels(spec, name.partition(".")[2] or name)
    return {key: value for key, value in derived.items() if key != f"{PREFIX}size" or is_size_name(value)}


def _derived_requirements(spec: JsonObject, name: str) -> Mapping[str, str]:
    del name
    values = {key: object_at(spec, *path[:-1]).get(path[-1]) for key, path in _REQUIREMENT_LABELS.items()}
    texts = {key: str(value) for key, value in values.items() if value is not None}
    return {f"{PREFIX}{key}": text for key, text in texts.items() if _LABEL_VALUE.fullmatch(text)}
