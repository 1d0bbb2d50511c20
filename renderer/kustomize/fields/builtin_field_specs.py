"""The builtin field specs of kustomize (facts of ``api/internal/konfig/builtinpluginconsts``)."""

from __future__ import annotations

from renderer.kustomize.fields.field_spec_set import FieldSpecSet, NameReference
from renderer.model.kube.res_id import Gvk
from renderer.model.kustomization import FieldSpec

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


_RBAC = "rbac.authorization.k8s.io"
_ADMISSION = "admissionregistration.k8s.io"

#: The path of the pod spec in the kinds that have one.
POD_SPECS = {
    "Pod": "spec",
    "PodTemplate": "template/spec",
    "Deployment": "spec/template/spec",
    "ReplicaSet": "spec/template/spec",
    "DaemonSet": "spec/template/spec",
    "StatefulSet": "spec/template/spec",
    "ReplicationController": "spec/template/spec",
    "Job": "spec/template/spec",
    "CronJob": "spec/jobTemplate/spec/template/spec",
}
_CONFIGURED = tuple(kind for kind in POD_SPECS if kind != "ReplicationController")
_RUNNING = tuple(kind for kind in POD_SPECS if kind not in ("PodTemplate", "ReplicaSet"))


def _in_pods(kinds: tuple[str, ...], *paths: str, pod_version: str = "") -> tuple[FieldSpec, ...]:
    return tuple(
        FieldSpec(f"{POD_SPECS[kind]}/{path}", version=pod_version if kind == "Pod" else "", kind=kind)
        for kind in kinds
        for path in paths
    )


def _environment(reference: str) -> tuple[str, ...]:
    return (
        f"containers/env/valueFrom/{reference}KeyRef/name",
        f"initContainers/env/valueFrom/{reference}KeyRef/name",
        f"containers/envFrom/{reference}Ref/name",
        f"initContainers/envFrom/{reference}Ref/name",
    )


_SCALED = tuple(
    NameReference(Gvk("", "", kind), (FieldSpec("spec/scaleTargetRef/name", kind="HorizontalPodAutoscaler"),))
    for kind in ("Deployment", "ReplicationController", "ReplicaSet", "StatefulSet")
)

_CONFIG_MAP = NameReference(
    Gvk("", "v1", "ConfigMap"),
    (
        *_in_pods(
            _CONFIGURED,
            "volumes/configMap/name",
            *_environment("configMap"),
            "volumes/projected/sources/configMap/name",
            pod_version="v1",
        ),
        FieldSpec("spec/configSource/configMap", kind="Node"),
        FieldSpec("rules/resourceNames", kind="Role"),
        FieldSpec("rules/resourceNames", kind="ClusterRole"),
        FieldSpec(
            r"metadata/annotations/nginx.ingress.kubernetes.io\/fastcgi-params-configmap", kind="Ingress"
        ),
    ),
)

_SECRET = NameReference(
    Gvk("", "v1", "Secret"),
    (
        *_in_pods(
            _CONFIGURED,
            "volumes/secret/secretName",
            *_environment("secret"),
            "imagePullSecrets/name",
            "volumes/projected/sources/secret/name",
            pod_version="v1",
        ),
        FieldSpec("spec/tls/secretName", kind="Ingress"),
        FieldSpec(r"metadata/annotations/ingress.kubernetes.io\/auth-secret", kind="Ingress"),
        FieldSpec(r"metadata/annotations/nginx.ingress.kubernetes.io\/auth-secret", kind="Ingress"),
        FieldSpec(r"metadata/annotations/nginx.ingress.kubernetes.io\/auth-tls-secret", kind="Ingress"),
        FieldSpec("imagePullSecrets/name", kind="ServiceAccount"),
        FieldSpec("parameters/secretName", kind="StorageClass"),
        FieldSpec("parameters/adminSecretName", kind="StorageClass"),
        FieldSpec("parameters/userSecretName", kind="StorageClass"),
        FieldSpec("parameters/secretRef", kind="StorageClass"),
        FieldSpec("rules/resourceNames", kind="Role"),
        FieldSpec("rules/resourceNames", kind="ClusterRole"),
        FieldSpec(
            "spec/template/spec/containers/env/valueFrom/secretKeyRef/name",
            group="serving.knative.dev",
            version="v1",
            kind="Service",
        ),
        FieldSpec("spec/azureFile/secretName", kind="PersistentVolume"),
    ),
)

_SERVICE = NameReference(
    Gvk("", "v1", "Service"),
    (
        FieldSpec("spec/serviceName", group="apps", kind="StatefulSet"),
        FieldSpec("spec/rules/http/paths/backend/serviceName", kind="Ingress"),
        FieldSpec("spec/backend/serviceName", kind="Ingress"),
        FieldSpec("spec/rules/http/paths/backend/service/name", kind="Ingress"),
        FieldSpec("spec/defaultBackend/service/name", kind="Ingress"),
        FieldSpec("spec/service/name", group="apiregistration.k8s.io", kind="APIService"),
        FieldSpec("webhooks/clientConfig/service", group=_ADMISSION, kind="ValidatingWebhookConfiguration"),
        FieldSpec("webhooks/clientConfig/service", group=_ADMISSION, kind="MutatingWebhookConfiguration"),
    ),
)

_ROLES = (
    NameReference(Gvk(_RBAC, "", "Role"), (FieldSpec("roleRef/name", group=_RBAC, kind="RoleBinding"),)),
    NameReference(
        Gvk(_RBAC, "", "ClusterRole"),
        (
            FieldSpec("roleRef/name", group=_RBAC, kind="RoleBinding"),
            FieldSpec("roleRef/name", group=_RBAC, kind="ClusterRoleBinding"),
        ),
    ),
)

_SERVICE_ACCOUNT = NameReference(
    Gvk("", "v1", "ServiceAccount"),
    (
        FieldSpec("subjects", group=_RBAC, kind="RoleBinding"),
        FieldSpec("subjects", group=_RBAC, kind="ClusterRoleBinding"),
        *_in_pods(_RUNNING, "serviceAccountName"),
    ),
)

_STORAGE = (
    NameReference(
        Gvk("", "v1", "PersistentVolumeClaim"),
        _in_pods(_RUNNING, "volumes/persistentVolumeClaim/claimName"),
    ),
    NameReference(
        Gvk("", "v1", "PersistentVolume"),
        (
            FieldSpec("spec/volumeName", kind="PersistentVolumeClaim"),
            FieldSpec("rules/resourceNames", kind="ClusterRole"),
        ),
    ),
    NameReference(
        Gvk("storage.k8s.io", "v1", "StorageClass"),
        (
            FieldSpec("spec/storageClassName", kind="PersistentVolume"),
            FieldSpec("spec/storageClassName", kind="PersistentVolumeClaim"),
            FieldSpec("spec/volumeClaimTemplates/spec/storageClassName", kind="StatefulSet"),
        ),
    ),
)

NAME_REFERENCES = (
    *_SCALED,
    _CONFIG_MAP,
    _SECRET,
    _SERVICE,
    *_ROLES,
    _SERVICE_ACCOUNT,
    *_STORAGE,
    NameReference(Gvk("scheduling.k8s.io", "v1", "PriorityClass"), _in_pods(_RUNNING, "priorityClassName")),
    NameReference(
        Gvk("networking.k8s.io/v1", "v1", "IngressClass"),  # upstream's group, which no object has
        (FieldSpec("spec/ingressClassName", kind="Ingress"),),
    ),
    NameReference(
        Gvk(_ADMISSION, "", "ValidatingAdmissionPolicy"),
        (FieldSpec("spec/policyName", group=_ADMISSION, kind="ValidatingAdmissionPolicyBinding"),),
    ),
)


_METADATA_LABELS = (
    FieldSpec("metadata/labels", create=True),
    FieldSpec("spec/template/metadata/labels", version="v1", kind="ReplicationController", create=True),
    FieldSpec("spec/template/metadata/labels", kind="Deployment", create=True),
    FieldSpec("spec/template/metadata/labels", kind="ReplicaSet", create=True),
    FieldSpec("spec/template/metadata/labels", kind="DaemonSet", create=True),
    FieldSpec("spec/template/metadata/labels", group="apps", kind="StatefulSet", create=True),
    FieldSpec("spec/volumeClaimTemplates[]/metadata/labels", group="apps", kind="StatefulSet", create=True),
    FieldSpec("spec/template/metadata/labels", group="batch", kind="Job", create=True),
    FieldSpec("spec/jobTemplate/metadata/labels", group="batch", kind="CronJob", create=True),
    FieldSpec("spec/jobTemplate/spec/template/metadata/labels", group="batch", kind="CronJob", create=True),
)

_POD_SELECTORS = (
    "affinity/podAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels",
    "affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels",
    "affinity/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels",
    "affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels",
    "topologySpreadConstraints/labelSelector/matchLabels",
)

_SELECTORS = (
    FieldSpec("spec/selector", version="v1", kind="Service", create=True),
    FieldSpec("spec/selector", version="v1", kind="ReplicationController", create=True),
    FieldSpec("spec/selector/matchLabels", kind="Deployment", create=True),
    FieldSpec("spec/selector/matchLabels", kind="ReplicaSet", create=True),
    FieldSpec("spec/selector/matchLabels", kind="DaemonSet", create=True),
    FieldSpec("spec/selector/matchLabels", group="apps", kind="StatefulSet", create=True),
    *(
        FieldSpec(f"spec/template/spec/{path}", group="apps", kind=kind)
        for kind in ("Deployment", "StatefulSet")
        for path in _POD_SELECTORS
    ),
    FieldSpec("spec/selector/matchLabels", group="batch", kind="Job"),
    FieldSpec("spec/jobTemplate/spec/selector/matchLabels", group="batch", kind="CronJob"),
    FieldSpec("spec/selector/matchLabels", group="policy", kind="PodDisruptionBudget"),
    FieldSpec("spec/podSelector/matchLabels", group="networking.k8s.io", kind="NetworkPolicy"),
    FieldSpec("spec/ingress/from/podSelector/matchLabels", group="networking.k8s.io", kind="NetworkPolicy"),
    FieldSpec("spec/egress/to/podSelector/matchLabels", group="networking.k8s.io", kind="NetworkPolicy"),
)

_ANNOTATIONS = (
    FieldSpec("metadata/annotations", create=True),
    FieldSpec("spec/template/metadata/annotations", version="v1", kind="ReplicationController", create=True),
    FieldSpec("spec/template/metadata/annotations", kind="Deployment", create=True),
    FieldSpec("spec/template/metadata/annotations", kind="ReplicaSet", create=True),
    FieldSpec("spec/template/metadata/annotations", kind="DaemonSet", create=True),
    FieldSpec("spec/template/metadata/annotations", kind="StatefulSet", create=True),
    FieldSpec("spec/template/metadata/annotations", group="batch", kind="Job", create=True),
    FieldSpec("spec/jobTemplate/metadata/annotations", group="batch", kind="CronJob", create=True),
    FieldSpec(
        "spec/jobTemplate/spec/template/metadata/annotations", group="batch", kind="CronJob", create=True
    ),
)

_NAMESPACE = (
    FieldSpec("metadata/name", kind="Namespace", create=True),
    FieldSpec("spec/service/namespace", group="apiregistration.k8s.io", kind="APIService", create=True),
    FieldSpec(
        "spec/conversion/webhook/clientConfig/service/namespace",
        group="apiextensions.k8s.io",
        kind="CustomResourceDefinition",
    ),
)

_IMAGES = tuple(
    FieldSpec(f"{pod_spec}/{path}", create=True)
    for pod_spec in ("spec", "spec/template/spec")
    for path in ("containers[]/image", "initContainers[]/image", "volumes[]/image/reference")
)

_REPLICAS = tuple(
    FieldSpec("spec/replicas", kind=kind, create=True)
    for kind in ("Deployment", "ReplicationController", "ReplicaSet", "StatefulSet")
)

DEFAULT_FIELD_SPECS = FieldSpecSet().merged(
    FieldSpecSet(
        name_prefix=(FieldSpec("metadata/name"),),
        name_suffix=(FieldSpec("metadata/name"),),
        namespace=_NAMESPACE,
        common_labels=(*_SELECTORS, *_METADATA_LABELS),
        template_labels=_METADATA_LABELS,
        common_annotations=_ANNOTATIONS,
        name_reference=NAME_REFERENCES,
        var_reference=VAR_REFERENCES,
        images=_IMAGES,
        replicas=_REPLICAS,
    )
)
