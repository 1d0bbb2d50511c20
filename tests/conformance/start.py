"""The suite ``start``: the instance that virt-controller makes of a VM, and of its rendered form.

For each record ``start(vm)`` is compared with the recorded instance, and so is ``start(render(vm))``, unless
the renderer refuses the VM. As in the records, KubeVirt's own annotations are omitted, and so are firmware
UUID and serial unless the VM sets them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.instancetype.catalog import Catalog, CatalogSource
from renderer.kubevirt.instancetype.cause import CauseError
from renderer.kubevirt.instancetype.expand import expand
from renderer.kubevirt.instancetype.stored_vm import read_cluster_config, start
from renderer.model.diagnostic import DiagnosticError, Severity
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at, without
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode
from tests.conformance.case_result import CaseResult
from tests.conformance.go_objects import written_instance_spec
from tests.conformance.kubevirt.case import sibling_catalog
from tests.conformance.kubevirt.cluster import read_catalog
from tests.conformance.lines import read_lines

_OWN_ANNOTATIONS = ("kubevirt.io/", "alpha.kubevirt.io/")
_FIRMWARE = ("domain", "firmware")


def run(paths: Iterable[Path]) -> Iterator[CaseResult]:
    """Yield the results of all records in the files ``paths``."""
    for path in paths:
        shared = sibling_catalog(path)
        catalog = read_catalog(shared) if shared.exists() else Catalog()
        for line in read_lines(path):
            yield _result(json.loads(line), catalog)


def _result(record: JsonObject, catalog: Catalog) -> CaseResult:
    release = text_at(record, "release")
    contents = [object_at(record, "vm"), *map(object_at, array_at(record, "objects"))]
    resources = ResourceSet(tuple(Resource(each, Site("case", at)) for at, each in enumerate(contents)))
    expected = object_at(record, "expect", "start")
    started = _started(resources, contents[0], catalog, release)
    outcome = expand(resources, catalog, Release.parse(release), ExpandMode.APPLIED)
    refused = [each.code.value for each in outcome.diagnostics if each.severity is Severity.ERROR]
    rendered: JsonObject = (
        {"refused": list(dict.fromkeys(refused))}
        if refused
        else {"start": _started(outcome.value, contents[0], catalog, release)}
    )
    fields = {"start": started == expected, "rendered": bool(refused) or rendered["start"] == expected}
    return CaseResult(
        id=text_at(record, "id"),
        group=text_at(record, "group"),
        passed=all(fields.values()),
        detail="; ".join(
            f"{name} {difference}"
            for name, actual in (("start", started), ("rendered", rendered.get("start", expected)))
            for difference in _differences(actual, expected)
        ),
        actual={"start": started, "rendered": rendered},
        release=release,
        fields=fields,
    )


def _differences(actual: Json, expected: Json, at: FieldPath = ROOT) -> Iterator[str]:
    if isinstance(actual, dict) and isinstance(expected, dict):
        for key in sorted({*actual, *expected}):
            yield from _differences(actual.get(key), expected.get(key), at.child(key))
    elif isinstance(actual, list) and isinstance(expected, list) and len(actual) == len(expected):
        for index, (one, other) in enumerate(zip(actual, expected, strict=True)):
            yield from _differences(one, other, at.child(index))
    elif actual != expected:
        yield f"{at}: {json.dumps(actual)} instead of {json.dumps(expected)}"


def _started(resources: ResourceSet, written: JsonObject, catalog: Catalog, release: str) -> Json:
    """Return the instance of the first resource as in the records; the error if there is none."""
    vm = next(iter(resources))
    objects = catalog.after(CatalogSource("objects", resources))
    target = Release.parse(release)
    cluster = Cluster(target, read_cluster_config(resources, catalog, target))
    try:
        instance = start(vm, objects, cluster)
    except (CauseError, DiagnosticError) as error:
        return {"error": str(error)}
    spec = object_at(instance, "spec")
    given = object_at(written, "spec", "template", "spec", *_FIRMWARE)
    for key in ("uuid", "serial"):
        if not given.get(key):
            spec = without(spec, *_FIRMWARE, key)
    spec = spec if object_at(spec, *_FIRMWARE) else without(spec, *_FIRMWARE)
    metadata = object_at(instance, "metadata")
    annotations = {
        key: value
        for key, value in object_at(metadata, "annotations").items()
        if not key.startswith(_OWN_ANNOTATIONS)
    }
    return {
        "spec": written_instance_spec(spec, release),
        "labels": object_at(metadata, "labels"),
        "annotations": annotations,
    }
