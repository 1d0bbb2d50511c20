"""The suite ``hyperconverged``: the objects that the HyperConverged operator makes.

Each object of a record is admitted, and the objects of the operator are made of what is stored. Compared are
who refuses it and why, the dropped fields, the warnings, the admitted spec and the objects. A record with
``from`` has an admitted object, and expects it in the API version that the release stores.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from renderer.kubevirt.hyperconverged.admission import Refusal, Refuser, admit
from renderer.kubevirt.hyperconverged.cannot_make import Reason
from renderer.kubevirt.hyperconverged.conversion import as_stored
from renderer.kubevirt.hyperconverged.objects import MadeObject
from renderer.kubevirt.hyperconverged.release import (
    OperatorEnvironment,
    OperatorFacts,
    OperatorRelease,
    Platform,
)
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at, with_value, without
from tests.conformance.case_result import CaseResult
from tests.conformance.lines import read_lines

#: The objects in a record, and the attributes of ``MadeObjects``.
_OBJECTS = {
    "kubevirt": "kubevirt",
    "cdi": "cdi",
    "ssp": "ssp",
    "networkAddons": "network_addons",
    "aaq": "aaq",
}
#: What a record says about the admission.
_ADMISSION = ("refused", "pruned", "warnings", "admitted")
#: Lists of an object in which the order does not count.
_SETS = (
    ("spec", "configuration", "developerConfiguration", "featureGates"),
    ("spec", "configuration", "developerConfiguration", "disabledFeatureGates"),
)
#: The kind that the operator fails on, by annotation or code; KubeVirt for others.
_STAGES = {
    "containerizeddataimporter.kubevirt.io/jsonpatch": "CDI",
    "networkaddonsconfigs.kubevirt.io/jsonpatch": "NetworkAddonsConfig",
    "notIPv4": "NetworkAddonsConfig",
    "ssp.kubevirt.io/jsonpatch": "SSP",
    "dataImportCronTemplate": "SSP",
}
_RHEL_MACHINE = OperatorEnvironment(
    smbios={
        "family": "Plant",
        "manufacturer": "Example Works",
        "product": "Virtual Hall",
        "sku": "4",
        "version": "4.20.1",
    },
    machine_types={
        "amd64": "pc-q35-rhel9.6.0",
        "arm64": "virt-rhel9.6.0",
        "s390x": "s390-ccw-virtio-rhel9.6.0",
    },
)


def run(paths: Iterable[Path]) -> Iterator[CaseResult]:
    """Yield the results of all records in the files ``paths``."""
    for path in paths:
        for line in read_lines(path):
            yield _result(json.loads(line))


def _result(record: dict[str, Any]) -> CaseResult:
    if "from" in record:
        return _conversion_result(record)
    actual, expect = _actual(record), record["expect"]
    fields, differences = {}, []
    for name in (*_ADMISSION, *_OBJECTS):
        expected, made = _comparable(expect.get(name)), _comparable(actual.get(name))
        if name == "refused":
            expected = without(object_at(expected), "note") or None  # for people
        found = [f"{name}{difference}" for difference in _differences(made, expected)]
        fields[name] = not found
        differences += found
    return CaseResult(
        id=record["id"],
        group=record["release"],
        passed=not differences,
        detail="; ".join(differences),
        actual=actual,
        release=record["release"],
        fields=fields,
    )


def _conversion_result(record: dict[str, Any]) -> CaseResult:
    stored = as_stored(record["from"], OperatorRelease.parse(record["release"]))
    actual: JsonObject = {name: stored[name] for name in ("apiVersion", "spec")}
    differences = list(_differences(actual, record["expect"]))
    return CaseResult(
        id=record["id"],
        group=f"conversion {record['release']}",
        passed=not differences,
        detail="; ".join(differences),
        actual=actual,
        release=record["release"],
        fields={"stored": not differences},
    )


def _actual(record: dict[str, Any]) -> JsonObject:
    """Return what we make of the object in a record, in the form of its expectation."""
    release = OperatorRelease.parse(record["release"])
    facts = _facts(record, release)
    admission = admit(record["hyperconverged"], release, facts)
    answer: dict[str, Json] = {
        "pruned": [str(field) for field in admission.pruned],
        "warnings": [{"about": each.about, "code": str(each.code)} for each in admission.warnings],
    }
    answer = {name: each for name, each in answer.items() if each}
    if admission.refusal is not None:
        return {**answer, "refused": _refused(admission.refusal, release)}
    objects = {name: _written(getattr(admission.made, attribute)) for name, attribute in _OBJECTS.items()}
    if object_at(record, "expect", "ssp").get("dataImportCronTemplatesShortened"):
        objects["ssp"] = _shortened(object_at(objects["ssp"]))
    answer |= {name: each for name, each in objects.items() if each is not None or name == "ssp"}
    return {**answer, "admitted": admission.spec}


def _refused(refusal: Refusal, release: OperatorRelease) -> JsonObject:
    if refusal.by is Refuser.SCHEMA:
        problems = [{"code": str(each.code), "field": str(each.at)} for each in refusal.problems]
        return {"by": str(refusal.by), "errors": problems}
    refused: dict[str, Json] = {"by": str(refusal.by), "code": str(refusal.code), **refusal.details}
    if refusal.field is not None:
        refused["field"] = str(refusal.field)
    if refused.get("reason") == Reason.NOT_JSON:
        # The recordings name the texts of errors, and the library had another text for it up to 1.11.
        refused["reason"] = "syntax" if release >= (1, 12) else "result"
    if refusal.by is Refuser.OPERATOR:
        refused["stage"] = _STAGES.get(refusal.details.get("annotation", refusal.code), "KubeVirt")
    return refused


def _facts(record: dict[str, Any], release: OperatorRelease) -> OperatorFacts:
    topology, architectures = record["topology"], record["architectures"]
    return OperatorFacts(
        platform=Platform(record["platform"]),
        control_plane_multi_node=topology["controlPlaneMultiNode"],
        control_plane_node_exists=topology["controlPlaneNodeExists"],
        infrastructure_highly_available=topology["infrastructureHighlyAvailable"],
        control_plane_architectures=tuple(architectures["controlPlane"]),
        workload_architectures=tuple(architectures["workloads"]),
        base_domain="cluster.example",
        environment=_environment(record["operatorEnvironment"], release),
    )


def _environment(name: str, release: OperatorRelease) -> OperatorEnvironment:
    usual = OperatorEnvironment.of(release)
    passt = usual.passt_image
    match name:
        case "emulation":
            return usual._replace(kvm_emulation=True)
        case "rhel-machine":
            return _RHEL_MACHINE._replace(passt_image=passt)
        case "machinetype-all":
            return usual._replace(machine_type="pc-q35-9.9")
        case "nothing":
            return OperatorEnvironment(passt_image=passt)
        case _:
            return usual


def _written(made: MadeObject | None) -> Json:
    if made is None:
        return None
    annotations = {"annotations": made.annotations} if made.annotations else {}
    return {"name": made.name, **annotations, "spec": made.spec}


def _shortened(ssp: JsonObject) -> JsonObject:
    """Return an SSP object with the names and data sources of its templates alone."""
    path = ("spec", "commonTemplates", "dataImportCronTemplates")
    templates = []
    for each in array_at(ssp, *path):
        metadata = object_at(each, "metadata")
        names = {name: metadata[name] for name in ("name", "namespace") if name in metadata}
        templates.append({**names, "managedDataSource": text_at(each, "spec", "managedDataSource")})
    return {**with_value(ssp, path, templates), "dataImportCronTemplatesShortened": True}


def _comparable(value: Json) -> Json:
    """Return an object with its sets in order."""
    for path in _SETS:
        gates = array_at(value, *path)
        if gates:
            value = with_value(object_at(value), path, sorted(map(str, gates)))
    return value


def _differences(actual: Json, expected: Json, at: FieldPath = ROOT) -> Iterator[str]:
    if isinstance(actual, dict) and isinstance(expected, dict):
        for key in sorted({*actual, *expected}):
            if (key in actual) is not (key in expected):
                word = "missing" if key in expected else "more"
                yield f" {at.child(key)}: {word} {json.dumps(expected.get(key, actual.get(key)))}"
            else:
                yield from _differences(actual[key], expected[key], at.child(key))
    elif isinstance(actual, list) and isinstance(expected, list) and len(actual) == len(expected):
        for index, (one, other) in enumerate(zip(actual, expected, strict=True)):
            yield from _differences(one, other, at.child(index))
    elif actual != expected or type(actual) is not type(expected):
        yield f" {at}: {json.dumps(actual)} instead of {json.dumps(expected)}"
