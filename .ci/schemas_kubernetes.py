"""Make `schemas/kubernetes/definitions.json`: the fields of Kubernetes' own kinds, for several minors.

    python .ci/schemas_kubernetes.py 1.35=swagger.json 1.36=swagger.json …

Each file is `api/openapi-spec/swagger.json` of Kubernetes at that minor, which its clients keep as well (in
`kubernetes-client/python` the tags v29 to v36 have `kubernetes/swagger.json.unprocessed`). Field names, types
and required fields are taken; descriptions and `status` are not. Values of enums, which that document does
not list, are constants of `k8s.io/api`. For the notation see `renderer/checks/schemas/kubernetes_kinds.py`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from renderer.model.digest_list import checksums  # noqa: E402 - as above

SCHEMAS = ROOT / "schemas"
KINDS = {
    "v1": "ConfigMap LimitRange Namespace PersistentVolume PersistentVolumeClaim Pod ResourceQuota Secret"
    " Service ServiceAccount",
    "apps/v1": "DaemonSet Deployment ReplicaSet StatefulSet",
    "autoscaling/v2": "HorizontalPodAutoscaler",
    "autoscaling/v1": "HorizontalPodAutoscaler",
    "batch/v1": "CronJob Job",
    "networking.k8s.io/v1": "Ingress NetworkPolicy",
    "policy/v1": "PodDisruptionBudget",
    "rbac.authorization.k8s.io/v1": "ClusterRole ClusterRoleBinding Role RoleBinding",
    "scheduling.k8s.io/v1": "PriorityClass",
    "storage.k8s.io/v1": "StorageClass",
}
_PROTOCOLS = "TCP UDP SCTP"
_POLICIES = "Cluster Local"
#: Of `types.go` in `core/v1`, `apps/v1`, `batch/v1`, `networking/v1`, `policy/v1`, `storage/v1`, `meta/v1`.
VALUES = {
    "apps.v1.DaemonSetUpdateStrategy.type": "OnDelete RollingUpdate",
    "apps.v1.DeploymentStrategy.type": "Recreate RollingUpdate",
    "apps.v1.StatefulSetSpec.podManagementPolicy": "OrderedReady Parallel",
    "apps.v1.StatefulSetUpdateStrategy.type": "OnDelete RollingUpdate",
    "batch.v1.CronJobSpec.concurrencyPolicy": "Allow Forbid Replace",
    "batch.v1.JobSpec.completionMode": "NonIndexed Indexed",
    "core.v1.Container.imagePullPolicy": "Always Never IfNotPresent",
    "core.v1.Container.terminationMessagePolicy": "File FallbackToLogsOnError",
    "core.v1.ContainerPort.protocol": _PROTOCOLS,
    "core.v1.HTTPGetAction.scheme": "HTTP HTTPS",
    "core.v1.PersistentVolumeClaimSpec.accessModes": (
        "ReadWriteOnce ReadOnlyMany ReadWriteMany ReadWriteOncePod"
    ),
    "core.v1.PersistentVolumeClaimSpec.volumeMode": "Block Filesystem",
    "core.v1.PersistentVolumeSpec.accessModes": "ReadWriteOnce ReadOnlyMany ReadWriteMany ReadWriteOncePod",
    "core.v1.PersistentVolumeSpec.persistentVolumeReclaimPolicy": "Delete Recycle Retain",
    "core.v1.PersistentVolumeSpec.volumeMode": "Block Filesystem",
    "core.v1.PodSpec.dnsPolicy": "ClusterFirst ClusterFirstWithHostNet Default None",
    "core.v1.PodSpec.restartPolicy": "Always OnFailure Never",
    "core.v1.ServicePort.protocol": _PROTOCOLS,
    "core.v1.ServiceSpec.externalTrafficPolicy": _POLICIES,
    "core.v1.ServiceSpec.internalTrafficPolicy": _POLICIES,
    "core.v1.ServiceSpec.ipFamilies": "IPv4 IPv6",
    "core.v1.ServiceSpec.ipFamilyPolicy": "SingleStack PreferDualStack RequireDualStack",
    "core.v1.ServiceSpec.sessionAffinity": "ClientIP None",
    "core.v1.ServiceSpec.type": "ClusterIP ExternalName LoadBalancer NodePort",
    "core.v1.Toleration.effect": "NoSchedule PreferNoSchedule NoExecute",
    "core.v1.TopologySpreadConstraint.whenUnsatisfiable": "DoNotSchedule ScheduleAnyway",
    "meta.v1.LabelSelectorRequirement.operator": "In NotIn Exists DoesNotExist",
    "networking.v1.HTTPIngressPath.pathType": "Exact ImplementationSpecific Prefix",
    "networking.v1.NetworkPolicyPort.protocol": _PROTOCOLS,
    "networking.v1.NetworkPolicySpec.policyTypes": "Egress Ingress",
    "policy.v1.PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy": "AlwaysAllow IfHealthyBudget",
    "rbac.v1.Subject.kind": "Group ServiceAccount User",
    "storage.v1.StorageClass.reclaimPolicy": "Delete Recycle Retain",
    "storage.v1.StorageClass.volumeBindingMode": "Immediate WaitForFirstConsumer",
}
_META = "meta.v1.ObjectMeta"
_SCALARS = {
    "byte": "base64",
    "int32": "int32",
    "int64": "int64",
    "double": "number",
    "int-or-string": "int-or-string",
}
_QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"
_INT_OR_STRING = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"


def short(name: str) -> str:
    """``core.v1.Service`` for ``io.k8s.api.core.v1.Service``."""
    return ".".join(name.split(".")[-3:])


def package(api_version: str) -> str:
    """``rbac`` for ``rbac.authorization.k8s.io/v1``, and ``core`` for ``v1``."""
    return api_version.partition("/")[0].partition(".")[0] if "/" in api_version else "core"


def type_of(schema: Mapping[str, object]) -> str:
    reference = str(schema.get("$ref", "")).removeprefix("#/definitions/")
    if reference in (_QUANTITY, _INT_OR_STRING):
        return "quantity" if reference == _QUANTITY else "int-or-string"
    if reference:
        return "string" if reference.endswith(("Time", "MicroTime")) else short(reference)
    if schema.get("type") == "array":
        return f"[{type_of(schema['items'])}]"
    if schema.get("type") == "object":
        return f"{{{type_of(schema.get('additionalProperties') or {})}}}"
    return _SCALARS.get(str(schema.get("format")), str(schema.get("type", "any")))


def fields_of(definition: Mapping[str, object], name: str) -> Iterator[tuple[str, str, bool]]:
    """Yield name, type and whether it is required, of each field but ``status`` of a kind."""
    required = definition.get("required", ())
    for field, schema in definition.get("properties", {}).items():
        is_of_kind = "x-kubernetes-group-version-kind" in definition
        if is_of_kind and field in ("apiVersion", "kind", "status"):
            continue
        values = VALUES.get(f"{name}.{field}")
        text = type_of(schema) + (f"={values.replace(' ', '|')}" if values else "")
        yield field, text, field in required


def reached(documents: Mapping[str, Mapping[str, object]], roots: list[str]) -> list[str]:
    """Return the names of all definitions that the kinds use, in any minor."""
    found, waiting = [], roots
    while waiting:
        name = waiting.pop()
        if name in found or name == _META:
            continue
        found.append(name)
        for definitions in documents.values():
            for _, text, _ in fields_of(definitions.get(name, {}), name):
                inner = text.partition("=")[0].strip("[]{}")
                waiting += [inner] if "." in inner else []
    return sorted(found)


def written(documents: Mapping[str, Mapping[str, object]], name: str) -> str:
    """Return the fields of a definition in all minors."""
    minors = list(documents)
    known: dict[str, dict[str, tuple[str, bool]]] = {}
    for minor, definitions in documents.items():
        for field, text, required in fields_of(definitions.get(name, {}), name):
            known.setdefault(field, {})[minor] = (text, required)
    there = [minor for minor in minors if name in documents[minor]]
    parts = []
    for field, by_minor in known.items():
        since, until = min(by_minor, key=minors.index), max(by_minor, key=minors.index)
        text = by_minor[until][0]
        # What one minor lets go is not refused by the others either: their servers never asked for it.
        is_required = all(required for _, required in by_minor.values()) and set(by_minor) >= set(there)
        span = f"@{since if since != there[0] else ''}-{until if until != there[-1] else ''}"
        parts.append(f"{field}:{'!' if is_required else ''}{text}{span if span != '@-' else ''}")
    return " ".join(sorted(parts))


def main(*arguments: str) -> None:
    documents = {}
    for argument in arguments:
        minor, _, path = argument.partition("=")
        swagger = json.loads(Path(path).read_text())["definitions"]
        documents[minor] = {short(name): definition for name, definition in swagger.items()}
    kinds = {
        f"{version}/{kind}": f"{package(version)}.{version.rpartition('/')[2]}.{kind}"
        for version, names in KINDS.items()
        for kind in names.split()
    }
    names = reached(documents, list(kinds.values()))
    document = {
        "minors": list(documents),
        "kinds": kinds,
        "definitions": {name: written(documents, name) for name in names},
    }
    target = SCHEMAS / "kubernetes" / "definitions.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(document, indent=0, separators=(",", ":")) + "\n")
    files = {file.relative_to(SCHEMAS).as_posix(): file.read_bytes() for file in SCHEMAS.rglob("*.json")}
    (SCHEMAS / "SHA256SUMS").write_text(checksums(files))


if __name__ == "__main__":
    main(*sys.argv[1:])
