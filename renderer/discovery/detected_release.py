"""The release of KubeVirt, or of the product that brings it, that a repository installs.

What says so: the image of KubeVirt's operator or its ``KubeVirt`` object, a Subscription of Operator
Lifecycle Manager (also inside a policy of Open Cluster Management), the index image of its CatalogSource, the
chart of Harvester, Cozystack, SUSE Edge or the KubeVirt Community Stack, and Cozystack's own images.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from renderer.discovery.manifests import Manifests
from renderer.kubevirt.facts.products import target_release
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.release import Release, snapshot_of

_IMAGE = re.compile(
    rb"(?P<kubevirt>virt-operator:v(?P<release>\d+\.\d+(?:\.\d+)?))"
    rb"|cozystack/(?:installer|cozystack-operator):v(?P<cozystack>\d+\.\d+\.\d+)\b"
)
#: The ClusterServiceVersion of the HyperConverged operator, upstream (1.16.0) or of OpenShift (4.16.3).
_OPERATOR = re.compile(r"kubevirt-hyperconverged-operator\.v(?P<major>\d+)\.(?P<minor>\d+)\.\d+")
_PACKAGES = ("kubevirt-hyperconverged", "community-kubevirt-hyperconverged")
#: The index image of Red Hat's operators: its tag is the minor of OpenShift, and so of its operators.
_INDEX = re.compile(r"/redhat-operator-index:v(?P<minor>\d+\.\d+)")
_CHART_VERSION = re.compile(r"v?(?:[\w.]+[+_]up)?(?P<version>\d+\.\d+\.\d+)")
#: What a file says that can name a release.
_SIGNS = re.compile(
    rb"kubevirt-hyperconverged|redhat-operator-index:|imageTag|harvester|cozy|kubevirt-community|suse"
)


class _Chart(NamedTuple):
    """A chart that installs a product: patterns of its name, and of what else says where it is from."""

    product: str
    name: re.Pattern[str]
    source: re.Pattern[str]


_CHARTS = (
    _Chart("harvester", re.compile(r"(?:.*/)?harvester"), re.compile("")),
    _Chart("cozystack", re.compile(r"(?:.*/)?(?:cozystack|cozy-installer)"), re.compile("")),
    _Chart("suse-edge", re.compile(r"(?:.*/)?kubevirt"), re.compile(r"suse[.-]|/edge/charts")),
    _Chart(
        "kubevirt-community-stack", re.compile(r"(?:.*/)?kubevirt"), re.compile("kubevirt-community-stack")
    ),
)


class DetectedRelease(NamedTuple):
    """A release that a file says is installed, or None if it installs a product without saying which release.

    ``reason`` says what in the file does. ``upgrades``: the cluster may have a newer one by now.
    """

    release: Release | None
    path: str
    reason: str
    upgrades: bool = False

    def __str__(self) -> str:
        return f"{self.reason} in {self.path}"


def detected_releases(manifests: Manifests) -> tuple[DetectedRelease, ...]:
    """Return the releases that the files of the repository name, the most exact first."""
    objects = [
        (path, each.content)
        for path, content in manifests.contents.items()
        if _SIGNS.search(content)
        for each in manifests.read(path)
    ]
    indexes = dict(_indexes(content for _, content in objects))
    found = [
        *_of_kubevirt_objects(objects),
        *_of_images(manifests),
        *(each for path, content in objects for each in _of_subscriptions(path, content, indexes)),
        *(each for path, content in objects for each in _of_charts(path, content)),
    ]
    return tuple(found)


def agreed(found: Iterable[DetectedRelease]) -> DetectedRelease | None:
    """Return the first of the releases; None if there is none, or products contradict each other or it."""
    known = [each for each in found if each.release is not None]
    products = {each.release.product for each in known if each.release}
    return known[0] if len(products) == 1 else None


def _of_kubevirt_objects(objects: Iterable[tuple[str, JsonObject]]) -> Iterator[DetectedRelease]:
    for path, content in objects:
        if content.get("kind") == "KubeVirt" and text_at(content, "apiVersion").startswith("kubevirt.io/"):
            tag = text_at(content, "spec", "imageTag").lstrip("v")
            yield from _detected(path, tag.partition("-")[0], "imageTag of the KubeVirt object")


def _of_images(manifests: Manifests) -> Iterator[DetectedRelease]:
    for path, content in manifests.contents.items():
        for match in _IMAGE.finditer(content):
            text = (match["release"] or b"cozystack-" + (match["cozystack"] or b"")).decode()
            yield from _detected(path, text, f"the image {match[0].decode()}")


def _of_subscriptions(path: str, content: JsonObject, indexes: dict[str, str]) -> Iterator[DetectedRelease]:
    for spec in _subscriptions(content):
        source = text_at(spec, "source")
        named = _operator_release(text_at(spec, "startingCSV"))
        upgrades = text_at(spec, "installPlanApproval") != "Manual"
        if source in indexes and text_at(spec, "name") == _PACKAGES[0]:
            reason = f"the Subscription of {_PACKAGES[0]} from an index of OpenShift {indexes[source]}"
            yield from _detected(path, f"openshift-virtualization-{indexes[source]}", reason)
        elif named:
            reason = f"startingCSV {text_at(spec, 'startingCSV')}"
            yield from _detected(path, named, reason, upgrades=upgrades) or (
                DetectedRelease(None, path, reason),
            )
        elif text_at(spec, "name") in _PACKAGES:
            yield DetectedRelease(None, path, f"the Subscription of {text_at(spec, 'name')}")


def _subscriptions(value: Json) -> Iterator[JsonObject]:
    """Yield ``spec`` of each Subscription of the operator, also of those inside a policy."""
    for each in _mappings(value):
        kind, spec = text_at(each, "kind"), object_at(each, "spec")
        if kind == "OperatorPolicy":
            subscription = object_at(spec, "subscription")
            versions = [text for text in array_at(spec, "versions") if isinstance(text, str)]
            approval = "Manual" if text_at(spec, "upgradeApproval") == "None" or versions else ""
            csv = text_at(subscription, "startingCSV") or (versions[0] if len(versions) == 1 else "")
            spec = {**subscription, "startingCSV": csv, "installPlanApproval": approval}
        if kind in ("Subscription", "OperatorPolicy") and (
            text_at(spec, "name") in _PACKAGES or _OPERATOR.fullmatch(text_at(spec, "startingCSV"))
        ):
            yield spec


def _operator_release(version: str) -> str:
    """Return the minor of the product that a ClusterServiceVersion is of; empty for another operator."""
    match = _OPERATOR.fullmatch(version)
    if match is None:
        return ""
    product = "hco" if match["major"] == "1" else "openshift-virtualization"
    return f"{product}-{match['major']}.{match['minor']}"


def _indexes(contents: Iterable[JsonObject]) -> Iterator[tuple[str, str]]:
    """Yield the names of CatalogSources with Red Hat's operators, and the minor of OpenShift of each."""
    for each in (each for content in contents for each in _mappings(content)):
        match = _INDEX.search(text_at(each, "spec", "image")) if each.get("kind") == "CatalogSource" else None
        if match:
            yield text_at(each, "metadata", "name"), match["minor"]


def _of_charts(path: str, content: JsonObject) -> Iterator[DetectedRelease]:
    for each in _mappings(content):
        version = text_at(each, "version") or text_at(each, "targetRevision") or text_at(each, "ref", "tag")
        name = text_at(each, "chart") or text_at(each, "url") or text_at(each, "name")
        match = _CHART_VERSION.fullmatch(version)
        if match is None or not name:
            continue
        repositories = ("repo", "repoURL", "repoName", "repository", "repositoryName")
        where = " ".join(
            (name, text_at(each, "sourceRef", "name"), *(text_at(each, key) for key in repositories))
        )
        for chart in _CHARTS:
            if chart.name.fullmatch(name) and chart.source.search(where):
                text = f"{chart.product}-{match['version']}"
                yield from _detected(path, text, f"version {version} of the chart {name}")


def _detected(path: str, text: str, reason: str, *, upgrades: bool = False) -> tuple[DetectedRelease, ...]:
    """Return the release that the text names; none if it is not known, or not released yet."""
    try:
        release = target_release(text)
    except ValueError:
        return ()
    return () if snapshot_of(release) else (DetectedRelease(release, path, reason, upgrades),)


def _mappings(value: Json) -> Iterator[JsonObject]:
    """Yield the value and all mappings in it, in the order of the file."""
    left = [value]
    while left:
        each = left.pop()
        if isinstance(each, dict):
            yield each
            left += reversed(each.values())
        elif isinstance(each, list):
            left += reversed(each)
