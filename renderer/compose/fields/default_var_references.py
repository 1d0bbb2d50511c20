"""The fields where variables are replaced, as kustomize has them built in (facts of ``varreference.go``)."""

from __future__ import annotations

from renderer.model.selection import FieldSpec

_WORKLOADS = {
    "CronJob": "spec/jobTemplate/spec/template/spec",
    "DaemonSet": "spec/template/spec",
    "Deployment": "spec/template/spec",
    "Job": "spec/template/spec",
    "Pod": "spec",
    "ReplicaSet": "spec/template/spec",
    "StatefulSet": "spec/template/spec",
}
_IN_CONTAINERS = ("args", "command", "env/value", "volumeMounts/mountPath")

VAR_REFERENCES = (
    *(
        FieldSpec(f"{pod_spec}/{containers}/{path}", kind=kind)
        for kind, pod_spec in _WORKLOADS.items()
        for containers in ("containers", "initContainers")
        for path in _IN_CONTAINERS
    ),
    FieldSpec("spec/jobTemplate/spec/template/volumes/nfs/server", kind="CronJob"),
    *(
        FieldSpec(f"{_WORKLOADS[kind]}/volumes/nfs/server", kind=kind)
        for kind in ("DaemonSet", "Deployment", "Job", "Pod", "ReplicaSet")
    ),
    FieldSpec("spec/volumeClaimTemplates/spec/nfs/server", kind="StatefulSet"),
    FieldSpec("spec/nfs/server", kind="PersistentVolume"),
    FieldSpec("spec/template/metadata/annotations", kind="Deployment"),
    FieldSpec("spec/rules/host", kind="Ingress"),
    FieldSpec("spec/tls/hosts", kind="Ingress"),
    FieldSpec("spec/tls/secretName", kind="Ingress"),
    FieldSpec("spec/ports/port", kind="Service"),
    FieldSpec("spec/ports/targetPort", kind="Service"),
    FieldSpec("metadata/labels"),
    FieldSpec("metadata/annotations"),
)
