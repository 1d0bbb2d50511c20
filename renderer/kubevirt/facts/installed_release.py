"""The release of KubeVirt, or of the product that brings it, that a manifest installs.

What says so: the image of KubeVirt's operator or its ``KubeVirt`` object, the URL by which a kustomization,
GitRepository or Application takes KubeVirt's manifests from its own repository, a Subscription of Operator
Lifecycle Manager (also inside a policy of Open Cluster Management), the index image of its CatalogSource, the
chart of Harvester, Cozystack, SUSE Edge or the KubeVirt Community Stack, and Cozystack's own images.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from enum import IntEnum

from renderer.kubevirt.facts.products import target_release
from renderer.model.kube.json import Json, JsonObject, array_at, mappings_in, object_at, text_at
from renderer.model.pattern import pattern
from renderer.model.record import Record
from renderer.model.release import Release, snapshot_of

#: The images of operators, and the variables of virt-operator by which it chooses those of KubeVirt: its own
#: image, and the release if that is named by its digest (``pkg/virt-operator/util/config.go`` ``getConfig``).
_IMAGE = pattern(
    rb"name: (?:VIRT_)?OPERATOR_IMAGE\n {0,40}value: \S{0,200}virt-operator:(?P<own>v\d+\.\d+(?:\.\d+)?)"
    rb"|name: KUBEVIRT_VERSION\n {0,40}value: [\"']?(?P<variable>v\d+\.\d+\.\d+)"
    rb"|virt-operator:(?P<image>v\d+\.\d+(?:\.\d+)?)"
    rb"|kubevirt/hyperconverged-cluster-operator:v?(?P<hco>\d+\.\d+)\.\d+\b(?![.-])"
    rb"|cozystack/(?:installer|cozystack-operator):v(?P<cozystack>\d+\.\d+\.\d+)\b"
)
#: The image of KubeVirt's operator, apart from its tag: an entry of ``images``, or values of a chart.
_IMAGE_KEYS = (("name", "newTag"), ("repository", "tag"), ("image", "tag"))
_OPERATOR_IMAGE = pattern(r"(?:.*/)?virt-operator")
#: Repositories whose manifests install KubeVirt, by the prefix of a release.
_REPOSITORIES = {"kubevirt": "", "hyperconverged-cluster-operator": "hco-"}
_GITHUB = pattern(
    r"(?:git::)?(?:\w{1,8}://)?(?:\w{1,40}@)?(?:github\.com[/:]|raw\.githubusercontent\.com/)kubevirt/(?P<repository>[\w-]+)"
    r"(?:\.git)?(?P<rest>(?:[/?].*)?)"
)
#: What of a URL names a tag or branch: of kustomize's, of a file at GitHub, and of a file as it is.
_REFS = (
    pattern(r"/releases/download/(?P<ref>[^/?#]+)/(?P<path>[^?#]+\.ya?ml)"),
    pattern(r"/archive/(?:refs/(?:tags|heads)/)?(?P<ref>[^/?#]+?)(?:\.tar\.gz|\.tgz|\.zip)(?P<path>)"),
    pattern(r"(?P<path>[^?]*)\?(?:[^#]*&)?(?:ref|version)=(?:refs/(?:tags|heads)/)?(?P<ref>[^&#]+).*"),
    pattern(r"/(?:raw/)?(?:refs/(?:tags|heads)/)?(?P<ref>(?:v\d|release-)[^/?#]*)/(?P<path>[^?#]+\.ya?ml)"),
)
_REF = pattern(r"(?:v|release-)?(?P<version>\d+\.\d+(?:\.\d+)?)(?:-.*)?")
#: The file with the ``KubeVirt`` object alone, which any release of the operator accepts.
_OBJECT_FILE = pattern(r"(?:.*/)?[\w-]*-cr\.ya?ml(?:\.in)?")
#: Folders of the repositories that install nothing.
_NOT_INSTALLED = frozenset(("example", "examples", "docs", "tests", "tools"))
#: The ClusterServiceVersion of the HyperConverged operator, upstream (1.16.0) or of OpenShift (4.16.3).
_OPERATOR = pattern(r"kubevirt-hyperconverged-operator\.v(?P<major>\d+)\.(?P<minor>\d+)\.\d+")
_REPOSITORY_KEYS = ("repo", "repoURL", "repoName", "repository", "repositoryName")
CLUSTER_EXTENSION = "ClusterExtension"
_APPROVAL, _MANUAL = "installPlanApproval", "Manual"
_PACKAGES = ("kubevirt-hyperconverged", "community-kubevirt-hyperconverged")
#: The index image of Red Hat's operators: its tag is the minor of OpenShift, and so of its operators.
_INDEX = pattern(r"/redhat-operator-index:v(?P<minor>\d+\.\d+)")
_CHART_VERSION = pattern(r"v?(?:[\w.]+[+_]up)?(?P<version>\d+\.\d+\.\d+)")
#: The names that charts give to values with an image or a part of it, and a line of YAML with one.
_IMAGE_VALUES = ("digest", "image", "imageRegistry", "imageTag", "registry", "repository", "tag", "version")
_IMAGE_LINE = pattern(
    rf"(?m)^[ \t-]*[\"']?(?P<key>{'|'.join(_IMAGE_VALUES)})[\"']?:[ \t]*(?P<value>[^\s#][^\n#]*)"
)
#: What a file says that can name a release in its fields.
_SIGNS = pattern(
    rb"kubevirt-hyperconverged|redhat-operator-index:|harvester|cozy|kubevirt-community|suse"
    rb"|imageTag[\"']?: {0,8}[\"']?v?\d|chart[\"']?: {0,8}[\"']?kubevirt"
    rb"|github(?:usercontent)?\.com[/:]kubevirt/(?:kubevirt|hyperconverged-cluster-operator)\b"
)
_TAG_SIGNS = pattern(rb"\b(?:newTag|tag)[\"']?:")


class _Chart(Record):
    """A chart that installs a product: patterns of its name, and of what else says where it is from."""

    product: str
    name: re.Pattern[str]
    source: re.Pattern[str]


_CHARTS = (
    _Chart("harvester", pattern(r"(?:.*/)?harvester"), pattern("")),
    _Chart("cozystack", pattern(r"(?:.*/)?(?:cozystack|cozy-installer)"), pattern("")),
    _Chart("suse-edge", pattern(r"(?:.*/)?kubevirt"), pattern(r"suse[.-]|/edge/charts")),
    _Chart("kubevirt-community-stack", pattern(r"(?:.*/)?kubevirt"), pattern("kubevirt-community-stack")),
    _Chart("", pattern(r"(?:.*/)?kubevirt(?:-operator)?"), pattern("")),  # somebody's own
)


class Certainty(IntEnum):
    """What a release is read from, the most certain first: what is after another counts only without it."""

    OBJECT = 0  # the KubeVirt object, whose images replace those of its operator
    OPERATOR = 1  # the operator, or what brings it
    IMAGE = 2  # the image of virt-operator, whose variables may name another
    OBJECT_FILE = 3  # a release's file with the KubeVirt object


class InstalledRelease(Record):
    """A release that a manifest installs.

    ``release`` is None if it installs KubeVirt without saying which release, or one that is not supported.
    ``reason`` says what in the manifest does; ``text`` is in the line that says it, ``version`` is what that
    names. ``upgrades``: the cluster may have a newer one by now.
    """

    release: Release | None
    reason: str
    text: str
    version: str = ""
    certainty: Certainty = Certainty.OPERATOR
    upgrades: bool = False

    @property
    def number(self) -> str:
        """The number of KubeVirt's release; what the manifest names if that is not known."""
        return self.release.number if self.release else self.version


def may_name_release(content: bytes) -> bool:
    """Return True if a file may name a release in its fields, so that it is worth parsing."""
    return bool(_SIGNS.search(content) or (b"virt-operator" in content and _TAG_SIGNS.search(content)))


def names_release(content: bytes) -> bool:
    """Return True if a file may name a release in its text or its fields."""
    return bool(_IMAGE.search(content)) or may_name_release(content)


def releases_in_text(content: bytes) -> Iterator[InstalledRelease]:
    """Yield the releases of the images that a file names."""
    has_own = False
    for match in _IMAGE.finditer(content):
        text = match[0].decode(errors="replace")
        if match["own"]:
            has_own = True
            image = f"virt-operator:{match['own'].decode()}"
            yield _installed(match["own"].decode()[1:], f"the image {image}", image)
        elif match["image"]:
            yield _installed(match["image"].decode()[1:], f"the image {text}", text, Certainty.IMAGE)
        elif match["variable"] and not has_own:
            version = match["variable"].decode()
            yield _installed(version[1:], f"KUBEVIRT_VERSION {version}", text)
        elif match["hco"] or match["cozystack"]:
            version = (
                f"hco-{match['hco'].decode()}" if match["hco"] else f"cozystack-{match['cozystack'].decode()}"
            )
            yield _installed(version, f"the image {text}", text)


def releases_in_object(content: Json, indexes: Mapping[str, str]) -> Iterator[InstalledRelease]:
    """Yield the releases that a manifest names in its fields: an object, a kustomization, or another file.

    ``indexes`` are the CatalogSources with Red Hat's operators (``operator_indexes``).
    """
    for each in mappings_in(content):
        if each.get("kind") == "KubeVirt" and text_at(each, "apiVersion").startswith("kubevirt.io/"):
            tag = text_at(each, "spec", "imageTag")
            if tag:
                version = tag.lstrip("v").partition("-")[0]
                yield _installed(version, "imageTag of the KubeVirt object", tag, Certainty.OBJECT)
    yield from _of_subscriptions(content, indexes)
    yield from _of_operators(content)


def installs_operator(content: JsonObject) -> bool:
    """Return True if a manifest installs KubeVirt's operator by a URL, an image with a tag, or a chart."""
    return any(each.certainty is not Certainty.OBJECT_FILE for each in _of_operators(content))


def installing_entries(kustomization: JsonObject) -> tuple[JsonObject, JsonObject]:
    """Return the entries of a kustomization that install KubeVirt's operator, in lists, and the rest."""
    installing: dict[str, Json] = {}
    rest = dict(kustomization)
    for key, entries in kustomization.items():
        found = [each for each in array_at(kustomization, key) if installs_operator({key: [each]})]
        if found and isinstance(entries, list):
            installing[key] = found
            rest[key] = [each for each in entries if each not in found]
    return installing, rest


def lost_manifests(before: JsonObject, after: JsonObject) -> bool:
    """Return True if a kustomization no longer lists manifests that install the operator.

    An entry of ``images`` installs nothing: it says which image of the operator is used.
    """
    old, new = (any(key != "images" for key in installing_entries(each)[0]) for each in (before, after))
    return old and not new


def replaced_release(before: JsonObject, after: JsonObject) -> tuple[str, str] | None:
    """Return the releases of KubeVirt's operator that a manifest installs before and after a change.

    None if it installs the same one, or is not known to install one on both sides. A Subscription is not
    asked: once the operator is installed, ``startingCSV`` is not read again.
    """
    old, new = (
        dict.fromkeys(
            each.number
            for each in _of_operators(side)
            if each.number and each.certainty is not Certainty.OBJECT_FILE
        )
        for side in (before, after)
    )
    if not old or not new or old.keys() == new.keys():
        return None
    return " and ".join(old), " and ".join(new)


def installed_otherwise(before: JsonObject, after: JsonObject) -> str:
    """Return what differs of a chart with the operator, apart from its version: its origin, or images.

    It is empty if neither differs. Images are those in its values, as far as their fields have usual names.
    """
    if not installs_operator(before) or not installs_operator(after):
        return ""
    if [*_origins_of_charts(before)] != [*_origins_of_charts(after)]:
        return "another repository"
    return "another image in the values" if _images_in_values(before) != _images_in_values(after) else ""


def is_chart_from(content: JsonObject, kind: str, name: str) -> bool:
    """Return True if a manifest installs the operator by a chart that a source of Flux has."""
    sources = [(text_at(each, "kind"), text_at(each, "name")) for _, each, _ in _origins_of_charts(content)]
    return (kind, name) in sources


def _origins_of_charts(content: JsonObject) -> Iterator[tuple[str, JsonObject, tuple[str, ...]]]:
    """Yield the address, source and repositories of each chart with the operator."""
    for each in mappings_in(content):
        if any(True for _ in _of_charts(each)):
            repositories = tuple(text_at(each, key) for key in _REPOSITORY_KEYS)
            yield text_at(each, "url"), object_at(each, "sourceRef"), repositories


def _images_in_values(content: JsonObject) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for each in mappings_in(content):
        for values in map(each.get, ("values", "valuesObject")):
            fields = (item for one in mappings_in(values) for item in one.items())
            found += [(key, str(value)) for key, value in fields if key in _IMAGE_VALUES]
        for text in (text_at(each, "values"), text_at(each, "valuesContent")):
            found += [(match["key"], match["value"]) for match in _IMAGE_LINE.finditer(text)]
        for parameter in map(object_at, array_at(each, "parameters")):
            key = text_at(parameter, "name").rpartition(".")[2]
            found += [(key, str(parameter.get("value")))] if key in _IMAGE_VALUES else []
    return sorted(found)


def subscribes(content: JsonObject) -> bool:
    """Return True for a Subscription or ClusterExtension of the HyperConverged operator."""
    return any(True for _ in _subscriptions(content))


def upgrades_by_itself(content: JsonObject) -> bool:
    """Return True for such a Subscription without manual approval."""
    return any(text_at(each, _APPROVAL) != _MANUAL for each in _subscriptions(content))


def followed_otherwise(before: JsonObject, after: JsonObject) -> str:
    """Return the field by which a Subscription may install another release; empty without one.

    ``startingCSV`` is read only while nothing is installed (operator-lifecycle-manager
    ``pkg/controller/registry/resolver/resolver.go``).
    """
    for old, new in zip(_subscriptions(before), _subscriptions(after), strict=False):
        for field in ("name", "channel", "source", "sourceNamespace", "version", "channels", "selector"):
            if old.get(field) != new.get(field):
                return field
        if text_at(old, _APPROVAL) == _MANUAL != text_at(new, _APPROVAL):
            return _APPROVAL
    return ""


def _of_operators(content: Json) -> Iterator[InstalledRelease]:
    """Yield what installs the operator, of the fields of a manifest: URLs, images with a tag, charts."""
    if _is_chart_index(content):
        return
    for each in mappings_in(content):
        yield from _of_tags(each)
        yield from _of_sources(each)
        yield from _of_charts(each)
        for value in each.values():
            for text in value if isinstance(value, list) else (value,):
                found = _of_url(text) if isinstance(text, str) else None
                if found:
                    yield found


def _is_chart_index(content: Json) -> bool:
    """Return True for ``index.yaml`` of a chart repository: all charts that can be had there, none installed.

    Helm ``pkg/repo/v1/index.go`` IndexFile.
    """
    index = object_at(content)
    return (
        "kind" not in index and bool(text_at(index, "apiVersion")) and isinstance(index.get("entries"), dict)
    )


def _of_tags(image: JsonObject) -> Iterator[InstalledRelease]:
    for name, tag in ((text_at(image, name), text_at(image, tag)) for name, tag in _IMAGE_KEYS):
        if tag and _OPERATOR_IMAGE.fullmatch(name):
            yield _of_ref("", tag, f"the tag {tag} of the image {name}", tag, Certainty.IMAGE)


def _of_sources(source: JsonObject) -> Iterator[InstalledRelease]:
    """Yield what a GitRepository or the source of an Application takes from a repository of KubeVirt."""
    match = _GITHUB.fullmatch(text_at(source, "url") or text_at(source, "repoURL"))
    prefix = _REPOSITORIES.get(match["repository"]) if match and match["rest"] in ("", "/") else None
    if match is None or prefix is None or not _NOT_INSTALLED.isdisjoint(text_at(source, "path").split("/")):
        return
    refs = (text_at(source, "ref", key) for key in ("commit", "name", "semver", "tag", "branch"))
    ref = text_at(source, "targetRevision") or next(filter(None, refs), "")
    if ref:
        yield _of_ref(prefix, ref, f"{ref} of github.com/kubevirt/{match['repository']}", ref)


def _of_url(text: str) -> InstalledRelease | None:
    match = _GITHUB.fullmatch(text)
    prefix = _REPOSITORIES.get(match["repository"]) if match else None
    if match is None or prefix is None:
        return None
    found = next(filter(None, (each.fullmatch(match["rest"]) for each in _REFS)), None)
    if found is None or not _NOT_INSTALLED.isdisjoint(found["path"].split("/")):
        return None
    is_object = _OBJECT_FILE.fullmatch(found["path"])
    certainty = Certainty.OBJECT_FILE if is_object else Certainty.OPERATOR
    address, query, _ = text.partition("?")  # which may have more than the ref
    shown = f"{address}?ref={found['ref']}" if query else address
    return _of_ref(prefix, found["ref"], f"the URL {shown}", text, certainty)


def _of_ref(
    prefix: str, ref: str, reason: str, text: str, certainty: Certainty = Certainty.OPERATOR
) -> InstalledRelease:
    """Return the release of a tag or branch: ``v1.8.3``, ``release-1.8``."""
    match = _REF.fullmatch(ref.removeprefix("refs/tags/").removeprefix("refs/heads/"))
    if match is None:
        return InstalledRelease(None, reason, text, ref, certainty)
    version = match["version"]
    if prefix:  # of a product, the minor
        version = prefix + ".".join(version.split(".")[:2])
    return _installed(version, reason, text, certainty)


def _of_subscriptions(content: Json, indexes: Mapping[str, str]) -> Iterator[InstalledRelease]:
    for spec in _subscriptions(content):
        source = text_at(spec, "source")
        named = _operator_release(text_at(spec, "startingCSV"))
        upgrades = text_at(spec, "installPlanApproval") != "Manual"
        if source in indexes and text_at(spec, "name") == _PACKAGES[0]:
            reason = f"the Subscription of {_PACKAGES[0]} from an index of OpenShift {indexes[source]}"
            yield _installed(f"openshift-virtualization-{indexes[source]}", reason, source)
        elif named:
            text = text_at(spec, "startingCSV")
            yield _installed(named, f"startingCSV {text}", text)._replace(upgrades=upgrades)
        elif text_at(spec, "name") in _PACKAGES:
            name = text_at(spec, "name")
            yield InstalledRelease(None, f"the Subscription of {name}", name)


def _subscriptions(value: Json) -> Iterator[JsonObject]:
    """Yield ``spec`` of each Subscription of the operator, also of those inside a policy.

    A ClusterExtension of OLM 1 has a version or a range of versions, and follows that by itself
    (operator-controller ``api/v1/clusterextension_types.go`` ``CatalogFilter``).
    """
    for each in mappings_in(value):
        kind, spec = text_at(each, "kind"), object_at(each, "spec")
        if kind == CLUSTER_EXTENSION:
            catalog = object_at(spec, "source", "catalog")
            kind, spec = "Subscription", {**catalog, "name": text_at(catalog, "packageName")}
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


def operator_indexes(contents: Iterable[Json]) -> Iterator[tuple[str, str]]:
    """Yield the names of CatalogSources with Red Hat's operators, and the minor of OpenShift of each."""
    for each in (each for content in contents for each in mappings_in(content)):
        match = _INDEX.search(text_at(each, "spec", "image")) if each.get("kind") == "CatalogSource" else None
        if match:
            yield text_at(each, "metadata", "name"), match["minor"]


def _of_charts(each: JsonObject) -> Iterator[InstalledRelease]:
    version = text_at(each, "version") or text_at(each, "targetRevision") or text_at(each, "ref", "tag")
    name = text_at(each, "chart") or text_at(each, "url") or text_at(each, "name")
    match = _CHART_VERSION.fullmatch(version)
    if match is None or not name:
        return
    repositories = [text_at(each, key) for key in _REPOSITORY_KEYS]
    where = " ".join((name, text_at(each, "sourceRef", "name"), *repositories))
    reason = f"version {version} of the chart {name}"
    for chart in _CHARTS:
        if chart.name.fullmatch(name) and chart.source.search(where):
            if chart.product:
                yield _installed(f"{chart.product}-{match['version']}", reason, version)
            elif text_at(each, "chart") or any(repositories) or name.startswith("oci:"):
                yield InstalledRelease(None, reason, version, version)
            return


def _installed(
    named: str, reason: str, text: str, certainty: Certainty = Certainty.OPERATOR
) -> InstalledRelease:
    """Return what installs the release that is named; it may be unknown, or not released yet."""
    release = None
    with suppress(ValueError):
        release = target_release(named)
    if release and snapshot_of(release):
        release = None
    return InstalledRelease(release, reason, text, named, certainty)
