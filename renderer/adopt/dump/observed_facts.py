"""Gather the facts of a cluster from a dump of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from renderer.adopt.dump.consistency import Consistency
from renderer.adopt.dump.credentials import withhold
from renderer.kubevirt.facts.cluster_facts import PROGRAMS, ClusterFacts, fact_of
from renderer.kubevirt.facts.kinds import (
    CDI,
    CDI_GROUP,
    CLAIM,
    DATA_SOURCE,
    HYPERCONVERGED,
    HYPERCONVERGED_GROUP,
    KUBEVIRT,
    KUBEVIRT_GROUP,
    VOLUME_SNAPSHOT,
)
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.kube.json import JsonObject, array_at, object_at, text_at
from renderer.model.kube.live_object import LiveObject
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import ObjectKey
from renderer.model.kube.resource import Resource
from renderer.model.record import Record
from renderer.model.run.limits import limits, over_limit
from renderer.model.whole_number import version_numbers

_VERSION = re.compile(r"v?([0-9]{1,6}\.[0-9]{1,6}(?:\.[0-9]{1,6})?)(?![0-9])")
_ARCHITECTURE = re.compile(r"[a-z0-9_]{1,20}")
_PART_OF, _APP_VERSION = "app.kubernetes.io/part-of", "app.kubernetes.io/version"
#: The volumes that a DataSource refers to, by the field of its ``spec.source``.
_SOURCES = {"pvc": CLAIM, "snapshot": VOLUME_SNAPSHOT}


class ObservedFacts(Record):
    """The facts in a dump, the findings about them, and whether the dump ``has_secrets``."""

    facts: ClusterFacts
    findings: tuple[Diagnostic, ...] = ()
    has_secrets: bool = False


def observe_facts(dump: Iterable[LiveObject]) -> ObservedFacts:
    """Return the facts in a dump, in an order that does not depend on that of the dump.

    Raises ``DiagnosticError``: all errors of reading a dump, and build-limit.
    """
    seen = Consistency()
    found: dict[ObjectKey, JsonObject] = {}
    withheld: dict[ObjectKey, Diagnostic] = {}
    nodes: dict[ObjectKey, str] = {}
    versions: dict[str, str] = {}
    has_secrets = False
    for live in dump:
        if not seen.add(live) or text_at(live.metadata, "deletionTimestamp"):
            continue
        identity = live.id.object_key
        has_secrets = has_secrets or identity[:2] == ("", "Secret")
        for program, text in _versions(live):
            version = _VERSION.match(text)
            if version is not None:
                versions[program] = max(versions.get(program, ""), version[1], key=version_numbers)
        if identity[:2] == ("", "Node"):
            architecture = text_at(live.content, "status", "nodeInfo", "architecture")
            nodes[identity] = architecture if _ARCHITECTURE.fullmatch(architecture) else ""
        fact = fact_of(live.content)
        if fact is None or (_is_volume(fact) and "labels" not in object_at(fact, "metadata")):
            continue
        withheld.pop(identity, None)
        found[identity] = fact
        if len(found) > limits().resources:
            raise over_limit("resources", f"the dump holds more than {limits().resources} objects")
        without_credentials = withhold(fact)
        if without_credentials.fields or without_credentials.placeholders:
            field = str(next(iter(without_credentials.fields), ""))
            withheld[identity] = Diagnostic(
                Code.CREDENTIALS_WITHHELD,
                f"{live.id} is left out: {field or 'it'} seems to hold credentials",
                hint="remove them from the object, and import the facts again",
                severity=Severity.WARNING,
                location=live.location,
                resource=live.id,
            )
    if any(key[:2] == (HYPERCONVERGED_GROUP, HYPERCONVERGED) for key in found):  # which KubeVirt is made of
        found = {key: fact for key, fact in found.items() if key[:2] != (KUBEVIRT_GROUP, KUBEVIRT)}
    referenced = set(_volumes_of_data_sources(found))
    objects = tuple(
        Resource(found[identity], Site(""))
        for identity in sorted(found)
        if identity not in withheld and (not _is_volume(found[identity]) or identity[1:] in referenced)
    )
    return ObservedFacts(
        ClusterFacts(
            {program: versions[program] for program in PROGRAMS if program in versions},
            dict(sorted(Counter(filter(None, nodes.values())).items())),
            objects,
        ),
        (*seen.findings(), *withheld.values()),
        has_secrets,
    )


def _is_volume(fact: JsonObject) -> bool:
    return text_at(fact, "kind") in _SOURCES.values()


def _volumes_of_data_sources(found: dict[ObjectKey, JsonObject]) -> Iterator[tuple[str, str, str]]:
    """Yield kind, namespace and name of the volumes that DataSources refer to."""
    for (group, kind, _, _), fact in found.items():
        for field, volume_kind in _SOURCES.items() if (group, kind) == (CDI_GROUP, DATA_SOURCE) else ():
            volume = object_at(fact, "spec", "source", field)
            yield volume_kind, text_at(volume, "namespace"), text_at(volume, "name")


def _versions(live: LiveObject) -> Iterator[tuple[str, str]]:
    """Yield the programs whose releases an object tells, with what it says."""
    group, kind, content = live.id.gvk.group, live.kind, live.content
    if (group, kind) == ("", "Node"):
        yield "kubernetes", text_at(content, "status", "nodeInfo", "kubeletVersion")
    elif (group, kind) == (KUBEVIRT_GROUP, KUBEVIRT):
        yield "kubevirt", text_at(content, "status", "observedKubeVirtVersion")
    elif (group, kind) == (CDI_GROUP, CDI):
        yield "cdi", text_at(content, "status", "observedVersion")
    elif (group, kind) == (HYPERCONVERGED_GROUP, HYPERCONVERGED):
        for each in array_at(content, "status", "versions"):
            if text_at(each, "name") == "operator":
                yield "hyperconverged", text_at(each, "version")
    labels = object_at(live.metadata, "labels")
    if text_at(labels, _PART_OF) == "flux" and kind in ("Deployment", "Namespace"):
        yield "flux", text_at(labels, _APP_VERSION)
    if text_at(labels, _PART_OF) == "argocd" and kind in ("Deployment", "StatefulSet"):
        for container in array_at(content, "spec", "template", "spec", "containers"):
            image, _, tag = text_at(container, "image").partition("@")[0].rpartition(":")
            if image.endswith("/argocd"):
                yield "argocd", tag
