"""Where a HyperConverged object has a setting: the two API versions have the same ones in other places."""

from __future__ import annotations

from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, text_at
from renderer.model.record import Record

V1, V1BETA1 = "v1", "v1beta1"
_SPEC = FieldPath.of("spec")


class ObjectFields(Record):
    """The fields of one API version. ``infra`` and ``workloads`` are node placements."""

    certificates: FieldPath
    tls_profile: FieldPath
    workload_update: FieldPath
    live_migration: FieldPath
    live_update: FieldPath
    log_verbosity: FieldPath
    eviction_strategy: FieldPath
    ksm: FieldPath
    mediated_devices: FieldPath
    tuning_policy: FieldPath
    import_templates: FieldPath
    infra: FieldPath
    workloads: FieldPath


_V1BETA1_FIELDS = ObjectFields(
    certificates=_SPEC.child("certConfig"),
    tls_profile=_SPEC.child("tlsSecurityProfile"),
    workload_update=_SPEC.child("workloadUpdateStrategy"),
    live_migration=_SPEC.child("liveMigrationConfig"),
    live_update=_SPEC.child("liveUpdateConfiguration"),
    log_verbosity=_SPEC.child("logVerbosityConfig"),
    eviction_strategy=_SPEC.child("evictionStrategy"),
    ksm=_SPEC.child("ksmConfiguration"),
    mediated_devices=_SPEC.child("mediatedDevicesConfiguration"),
    tuning_policy=_SPEC.child("tuningPolicy"),
    import_templates=_SPEC.child("dataImportCronTemplates"),
    infra=_SPEC.child("infra", "nodePlacement"),
    workloads=_SPEC.child("workloads", "nodePlacement"),
)
_VIRTUALIZATION, _DEPLOYMENT = _SPEC.child("virtualization"), _SPEC.child("deployment")
_V1_FIELDS = ObjectFields(
    certificates=_SPEC.child("security", "certConfig"),
    tls_profile=_SPEC.child("security", "tlsSecurityProfile"),
    workload_update=_VIRTUALIZATION.child("workloadUpdateStrategy"),
    live_migration=_VIRTUALIZATION.child("liveMigrationConfig"),
    live_update=_VIRTUALIZATION.child("liveUpdateConfiguration"),
    log_verbosity=_DEPLOYMENT.child("logVerbosityConfig"),
    eviction_strategy=_VIRTUALIZATION.child("evictionStrategy"),
    ksm=_VIRTUALIZATION.child("ksmConfiguration"),
    mediated_devices=_VIRTUALIZATION.child("mediatedDevicesConfiguration"),
    tuning_policy=_VIRTUALIZATION.child("tuningPolicy"),
    import_templates=_SPEC.child("workloadSources", "dataImportCronTemplates"),
    infra=_DEPLOYMENT.child("nodePlacements", "infra"),
    workloads=_DEPLOYMENT.child("nodePlacements", "workload"),
)


def version_of(content: JsonObject) -> str:
    """Return the API version of an object without its group: ``v1`` or ``v1beta1``."""
    return text_at(content, "apiVersion").rpartition("/")[2]


def fields_of(content: JsonObject) -> ObjectFields:
    """Return the fields of an object by its API version."""
    return _V1_FIELDS if version_of(content) == V1 else _V1BETA1_FIELDS
