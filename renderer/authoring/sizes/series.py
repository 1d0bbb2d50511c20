"""``kind: InstancetypeSeries``: instance types from one table of sizes.

A series is listed in a kustomization's ``generators``:

    apiVersion: vmrender.io/v1alpha1
    kind: InstancetypeSeries
    metadata:
      name: db1
    spec:
      scopes: [Cluster, Namespaced]     # which kinds to write; only Cluster by default
      namePattern: "{series}.{size}"    # the default; {series} is metadata.name
      template:                         # shared by all sizes
        metadata:
          labels:
            instancetype.kubevirt.io/class: database
          annotations:
            instancetype.kubevirt.io/displayName: Databases
        spec:                           # as in a VirtualMachineInstancetype, except for the fields below
          cpu:
            dedicatedCPUPlacement: true
      hugepages:                        # optional: every size once for each page size
        - pageSize: 2Mi
        - pageSize: 1Gi
          suffix: 1gi                   # db1.large1gi
      memoryPerVCPU: 8Gi                # completes the sizes that give only vcpus, or only memory
      maxSocketsPerVCPU: 2              # optional: cpu.maxSockets, how far vCPUs can be hot-plugged
      sizes:
        - name: medium                  # db1.medium: 1 vCPU, 8Gi, up to 2 sockets
          vcpus: 1
        - name: large
          vcpus: 2
          memory: 12Gi                  # a size's own value overrides the ratio
          maxSockets: 8
        - name: custom                  # db1.custom: each VirtualMachine gives its own vCPUs, in
          vcpus: custom                 # domain.cpu.guest, and its own memory; one of the two may also
          memory: custom                # be fixed. In v1beta2, for expansion only: it is never written

The labels ``instancetype.kubevirt.io/cpu``, ``memory``, ``size``, ``hugepages``, ``dedicatedCPUPlacement``,
``isolateEmulatorThread``, ``numa``, ``realtime`` and ``gpus`` are derived from each size's spec, and so
always match it.
"""

from __future__ import annotations

from renderer.authoring.sizes.definition import Hugepages, InstancetypeScope, Series, SeriesSize
from renderer.authoring.sizes.names import size_labels
from renderer.authoring.sizes.read_series import read_series
from renderer.kubevirt.facts.kinds import INSTANCETYPE_API_VERSION, PROPOSED_INSTANCETYPE_API_VERSION
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.fields import Fields
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, object_at
from renderer.model.kube.location import Site
from renderer.model.source_tree import Generated

#: The fields that the row of a size sets itself.
_ROW_KEYS = {
    FieldPath.of("metadata", "name"): "name",
    FieldPath.of("spec", "cpu", "guest"): "vcpus",
    FieldPath.of("spec", "cpu", "maxSockets"): "maxSockets",
    FieldPath.of("spec", "memory", "guest"): "memory",
}
#: The fields that the series sets for sizes that do not.
_SERIES_KEYS = {
    FieldPath.of("spec", "cpu", "guest"): "memoryPerVCPU",
    FieldPath.of("spec", "cpu", "maxSockets"): "maxSocketsPerVCPU",
    FieldPath.of("spec", "memory", "guest"): "memoryPerVCPU",
    FieldPath.of("spec", "memory", "hugepages", "pageSize"): "hugepages",
}


def generate(content: JsonObject, site: Site) -> tuple[Generated, ...]:
    """Return the instance types of the series ``content``, written at ``site``; each is located at its row.

    They are in the order of ``scopes``, then of ``sizes``, then of ``hugepages``. Raises ``DiagnosticError``:
    series-invalid, with all errors at once.
    """
    findings: list[Diagnostic] = []
    series = read_series(Fields(content, site, findings, Code.SERIES_INVALID))
    if findings:
        raise DiagnosticError(*findings)
    shared = site.below("spec", "template")
    return tuple(
        Generated(_instancetype(series, scope, size, pages), size.site, shared)
        for scope in series.scopes
        for size in series.sizes
        for pages in series.hugepages or (None,)
    )


def _instancetype(
    series: Series, scope: InstancetypeScope, size: SeriesSize, pages: Hugepages | None
) -> JsonObject:
    spec = _spec(series.template.spec, size, pages)
    full_size = size.name + (pages.suffix if pages else "")
    metadata: dict[str, Json] = {
        "name": series.name_pattern.name(full_size),
        "labels": {**series.template.labels, **size_labels(spec, full_size)},
    }
    if series.template.annotations:
        metadata["annotations"] = series.template.annotations
    api_version = PROPOSED_INSTANCETYPE_API_VERSION if size.is_custom else INSTANCETYPE_API_VERSION
    return {"apiVersion": api_version, "kind": scope.kind, "metadata": metadata, "spec": spec}


def _spec(template: JsonObject, size: SeriesSize, pages: Hugepages | None) -> JsonObject:
    cpu: dict[str, Json] = {**object_at(template, "cpu"), "guest": size.vcpus}
    if size.max_sockets is not None:
        cpu["maxSockets"] = size.max_sockets
    memory: dict[str, Json] = {**object_at(template, "memory"), "guest": size.memory}
    if pages:
        memory["hugepages"] = {"pageSize": pages.text}
    return {**template, **_section("cpu", cpu), **_section("memory", memory)}


def _section(name: str, content: dict[str, Json]) -> JsonObject:
    """Return the section without a size that is left to the VM; empty if it has no other field."""
    written = {key: value for key, value in content.items() if value is not None}
    return {name: written} if written else {}


def row_sites(row: Site, series: Site, field: FieldPath) -> tuple[Site, ...]:
    """Return the places that may set it, most specific first: row, shared settings, the row as a whole.

    ``row`` is the place of the size, ``series`` the series' document; derived values come from the row.
    """
    sites = [row.below(_ROW_KEYS[field])] if field in _ROW_KEYS else []
    if field in _SERIES_KEYS:
        sites.append(series.below("spec", _SERIES_KEYS[field]))
    return (*sites, series.below("spec", "template").child(field), row)
