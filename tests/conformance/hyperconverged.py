"""The suite ``hyperconverged``: the objects that the HyperConverged operator makes.

The objects of each record that the operator admits are made of its admitted spec, and compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from renderer.kubevirt.hyperconverged.cannot_make import CannotMakeError
from renderer.kubevirt.hyperconverged.objects import MadeObject, make_objects
from renderer.kubevirt.hyperconverged.release import (
    ClusterFacts,
    OperatorEnvironment,
    OperatorRelease,
    Platform,
)
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at, with_value
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
#: Lists of an object in which the order does not count.
_SETS = (
    ("spec", "configuration", "developerConfiguration", "featureGates"),
    ("spec", "configuration", "developerConfiguration", "disabledFeatureGates"),
)
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
            record = json.loads(line)
            if "admitted" in object_at(record, "expect"):
                yield _result(record)


def _result(record: dict[str, Any]) -> CaseResult:
    expect = record["expect"]
    try:
        actual: JsonObject = _made(record)
    except CannotMakeError as error:
        actual = {
            "refused": {"annotation": error.annotation, "reason": str(error.reason), "message": str(error)}
        }
    fields, differences = {}, []
    for name in _OBJECTS:
        expected, made = _comparable(expect.get(name)), _comparable(actual.get(name))
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


def _made(record: dict[str, Any]) -> JsonObject:
    release = OperatorRelease.parse(record["release"])
    made = make_objects(
        record["hyperconverged"], record["expect"]["admitted"], release, _facts(record, release)
    )
    objects = {name: _written(getattr(made, attribute)) for name, attribute in _OBJECTS.items()}
    if object_at(record, "expect", "ssp").get("dataImportCronTemplatesShortened"):
        objects["ssp"] = _shortened(object_at(objects["ssp"]))
    return {name: each for name, each in objects.items() if each is not None or name == "ssp"}


def _facts(record: dict[str, Any], release: OperatorRelease) -> ClusterFacts:
    topology, architectures = record["topology"], record["architectures"]
    return ClusterFacts(
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
