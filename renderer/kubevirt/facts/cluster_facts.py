"""What is known of a cluster from a dump of it: its releases, its nodes, and some fields of some objects.

Only fields that something looks up are kept. A Secret is never one of the objects, and an address is kept
without the password in it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from contextlib import suppress

from renderer.kubevirt.facts.claims import DEFAULT_CLASS_ANNOTATIONS
from renderer.kubevirt.facts.kinds import (
    CDI_GROUP,
    CLAIM,
    DATA_IMPORT_CRON,
    DATA_SOURCE,
    HYPERCONVERGED,
    HYPERCONVERGED_GROUP,
    INSTANCETYPE_GROUP,
    KUBEVIRT,
    KUBEVIRT_GROUP,
    MATCHER_TYPE_OF,
    MATCHER_TYPES,
    NETWORK,
    SNAPSHOT_STORAGE_GROUP,
    SSP,
    SSP_GROUP,
    STORAGE_CLASS,
    STORAGE_PROFILE,
    VOLUME_SNAPSHOT,
)
from renderer.kubevirt.facts.products import target_release
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at, text_at, with_value
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.res_id import Gvk
from renderer.model.kube.resource import Resource
from renderer.model.record import Record
from renderer.model.release import LATEST, LATEST_KUBERNETES, OLDEST, OLDEST_KUBERNETES, Release

#: The programs whose releases are facts.
PROGRAMS = ("kubernetes", "kubevirt", "hyperconverged", "cdi", "flux", "argocd")
_DEFAULT_ARCHITECTURE = ("status", "defaultArchitecture")
#: The fields of each kind that are kept, next to its name.
_FIELDS: Mapping[tuple[str, str], tuple[tuple[str, ...], ...]] = {
    ("", CLAIM): (),
    (SNAPSHOT_STORAGE_GROUP, VOLUME_SNAPSHOT): (),
    ("k8s.cni.cncf.io", NETWORK): (),
    ("storage.k8s.io", STORAGE_CLASS): (("allowVolumeExpansion",),),
    (CDI_GROUP, DATA_SOURCE): (("spec", "source"),),
    (CDI_GROUP, DATA_IMPORT_CRON): (
        ("spec", "managedDataSource"),
        ("spec", "template", "spec", "source", "registry", "url"),
        ("spec", "template", "spec", "source", "registry", "imageStream"),
    ),
    (CDI_GROUP, STORAGE_PROFILE): (("spec", "claimPropertySets"), ("status", "claimPropertySets")),
    (SSP_GROUP, SSP): (("spec", "commonTemplates"),),
    (HYPERCONVERGED_GROUP, HYPERCONVERGED): (("spec",),),
    (KUBEVIRT_GROUP, KUBEVIRT): (
        ("spec", "configuration"),
        ("spec", "workloadUpdateStrategy"),
        _DEFAULT_ARCHITECTURE,
    ),
    **{(INSTANCETYPE_GROUP, kind): (("spec",),) for kind in MATCHER_TYPE_OF},
}
#: The labels of volumes and DataSources from which an instance type and a preference are inferred.
_LABELS = frozenset(label for each in MATCHER_TYPES for label in (each.name_label, each.kind_label))
#: Annotations with which HyperConverged's operator changes the objects that it makes.
_PATCHES = "/jsonpatch"
_USER_IN_ADDRESS = re.compile(r"(?<=://)[^/\s@]*@")


class ClusterFacts(Record):
    """The facts of a cluster; ``versions`` are the releases of programs, ``nodes`` counts by architecture."""

    versions: Mapping[str, str] = EMPTY
    nodes: Mapping[str, int] = EMPTY
    objects: tuple[Resource, ...] = ()

    @property
    def kubevirt(self) -> Release | None:
        """The target release: that of the product, or of its minor, if it is known, or else KubeVirt's.

        A release that is not known is replaced by the nearest known one; None if the dump did not say.
        """
        operator = self.versions.get("hyperconverged", "")
        if operator:
            # OpenShift Virtualization counts its own releases, as OpenShift's; the operator has 1.x.
            product = "hco" if operator.startswith("1.") else "openshift-virtualization"
            for version in (operator, ".".join(operator.split(".")[:2])):
                with suppress(ValueError):
                    return target_release(f"{product}-{version}")
        release = _release(self.versions.get("kubevirt", ""))
        return None if release is None else nearest_release(release)

    @property
    def kubernetes(self) -> Release | None:
        """The minor of Kubernetes, or the nearest known one; None if the dump did not say."""
        release = _release(self.versions.get("kubernetes", ""))
        if release is None:
            return None
        return min(max(release.minor_release, OLDEST_KUBERNETES), LATEST_KUBERNETES)

    @property
    def flux(self) -> Release | None:
        """The release of Flux; None if the dump did not say."""
        return _release(self.versions.get("flux", ""))


def nearest_release(release: Release) -> Release:
    """Return the release of KubeVirt, or the nearest one that is known and released."""
    return release if OLDEST <= release <= LATEST else min(max(release, OLDEST.minor_release), LATEST)


def _release(text: str) -> Release | None:
    try:
        return Release.parse(text) if text else None
    except ValueError:
        return None


def fact_of(content: JsonObject) -> JsonObject | None:
    """Return the fields of an object that are facts; None for a kind that has none.

    What it returns is a fact as it is: the result for that is equal.
    """
    api_version, kind = text_at(content, "apiVersion"), text_at(content, "kind")
    group = Gvk.parse(api_version, kind).group
    fields = _FIELDS.get((group, kind))
    if fields is None:
        return None
    fact: JsonObject = {"apiVersion": api_version, "kind": kind, "metadata": _metadata(content, kind)}
    for path in fields:
        value = value_at(content, path)
        if value is not None and value not in ({}, []):
            fact = with_value(fact, path, _without_users(value))
    return fact


def with_architecture(fact: JsonObject, nodes: Collection[str]) -> JsonObject:
    """Return the fact; a ``KubeVirt`` object that does not say the default architecture has the nodes'."""
    if text_at(fact, "kind") != KUBEVIRT or len(nodes) != 1 or text_at(fact, *_DEFAULT_ARCHITECTURE):
        return fact
    return with_value(fact, _DEFAULT_ARCHITECTURE, next(iter(nodes)))


def _metadata(content: JsonObject, kind: str) -> JsonObject:
    metadata = object_at(content, "metadata")
    kept: dict[str, Json] = {"name": text_at(metadata, "name")}
    if text_at(metadata, "namespace"):
        kept["namespace"] = text_at(metadata, "namespace")
    labels = {
        name: value
        for name, value in object_at(metadata, "labels").items()
        if name in _LABELS and isinstance(value, str)
    }
    annotations = {
        name: value
        for name, value in object_at(metadata, "annotations").items()
        if isinstance(value, str) and _is_kept_annotation(kind, name)
    }
    if kind == STORAGE_CLASS and annotations and text_at(metadata, "creationTimestamp"):
        kept["creationTimestamp"] = text_at(metadata, "creationTimestamp")  # the newest default one counts
    if labels:
        kept["labels"] = labels
    if annotations:
        kept["annotations"] = {name: _without_users(value) for name, value in annotations.items()}
    return kept


def _is_kept_annotation(kind: str, name: str) -> bool:
    if kind == HYPERCONVERGED:
        return name.endswith(_PATCHES)
    return kind == STORAGE_CLASS and name in DEFAULT_CLASS_ANNOTATIONS


def _without_users(value: Json) -> Json:
    """Return the value with every address in it without user name and password."""
    if isinstance(value, str):
        return _USER_IN_ADDRESS.sub("", value)
    if isinstance(value, dict):
        return {key: _without_users(child) for key, child in value.items()}
    return [_without_users(child) for child in value] if isinstance(value, list) else value
