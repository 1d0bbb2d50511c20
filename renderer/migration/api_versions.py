"""API versions of KubeVirt's groups that have a successor with the same fields, and since when it is served.

Read from ``pkg/virt-operator/resource/generate/components/crds.go`` and the types of both versions in
``staging/src/kubevirt.io/api`` at each release tag.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from renderer.migration.change import Finding, Subject, new_value
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject, text_at
from renderer.model.release import OLDEST, Release

_FIELD = FieldPath.of("apiVersion")

_SUCCESSORS: Mapping[str, tuple[str, Release]] = {
    "kubevirt.io/v1alpha3": ("kubevirt.io/v1", OLDEST),
    "instancetype.kubevirt.io/v1alpha1": ("instancetype.kubevirt.io/v1beta1", OLDEST),
    "instancetype.kubevirt.io/v1alpha2": ("instancetype.kubevirt.io/v1beta1", OLDEST),
    "snapshot.kubevirt.io/v1alpha1": ("snapshot.kubevirt.io/v1beta1", Release(1, 3)),
    "export.kubevirt.io/v1alpha1": ("export.kubevirt.io/v1beta1", Release(1, 3)),
    "clone.kubevirt.io/v1alpha1": ("clone.kubevirt.io/v1beta1", Release(1, 5)),
    "pool.kubevirt.io/v1alpha1": ("pool.kubevirt.io/v1beta1", Release(1, 7)),
}


def of_object(content: JsonObject) -> Iterator[Finding]:
    old = text_at(content, "apiVersion")
    if old in _SUCCESSORS:
        new, since = _SUCCESSORS[old]
        yield new_value(Subject.API_VERSION, _FIELD, old, new, since)


def of_selector(selector: JsonObject) -> Finding | None:
    """The version by which a kustomization picks objects, which these will not have any more."""
    old = f"{text_at(selector, 'group')}/{text_at(selector, 'version')}"
    if old not in _SUCCESSORS:
        return None
    new, since = _SUCCESSORS[old]
    old, new = old.rpartition("/")[2], new.rpartition("/")[2]
    return new_value(Subject.API_VERSION, FieldPath.of("version"), old, new, since)
