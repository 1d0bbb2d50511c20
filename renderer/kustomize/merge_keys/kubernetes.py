"""The lists of Kubernetes' own kinds that are merged, and their keys.

Facts of the OpenAPI document of Kubernetes 1.21.2, which is built into kustomize. Types without such lists
are omitted; for the notation see ``merge_schema``.
"""

from __future__ import annotations

TYPES = {
    "CSINode": "metadata:ObjectMeta spec:CSINodeSpec",
    "CSINodeSpec": "drivers[name]",
    "ComponentStatus": "conditions[type] metadata:ObjectMeta",
    "Conditions": "conditions[type]",
    "Container": "env[name] ports[containerPort,protocol] volumeDevices[devicePath] volumeMounts[mountPath]",
    "ControllerRevision": "data:RawExtension metadata:ObjectMeta",
    "CronJob": "metadata:ObjectMeta spec:CronJobSpec",
    "CronJobSpec": "jobTemplate:JobTemplateSpec",
    "EphemeralContainer": "env[name] volumeDevices[devicePath] volumeMounts[mountPath]",
    "EphemeralVolumeSource": "volumeClaimTemplate:Object",
    "JobTemplateSpec": "metadata:ObjectMeta spec:WorkloadSpec",
    "Node": "metadata:ObjectMeta spec:NodeSpec status:NodeStatus",
    "NodeSpec": "podCIDRs[]",
    "NodeStatus": "addresses[type] conditions[type]",
    "Object": "metadata:ObjectMeta",
    "ObjectMeta": "finalizers[] ownerReferences[uid]",
    "ObjectWithConditions": "metadata:ObjectMeta status:Conditions",
    "Pod": "metadata:ObjectMeta spec:PodSpec status:PodStatus",
    "PodSpec": (
        "containers[name]:Container ephemeralContainers[name]:EphemeralContainer hostAliases[ip]"
        " imagePullSecrets[name] initContainers[name]:Container"
        " topologySpreadConstraints[topologyKey,whenUnsatisfiable] volumes[name]:Volume"
    ),
    "PodStatus": "conditions[type] podIPs[ip]",
    "PodTemplate": "metadata:ObjectMeta template:PodTemplateSpec",
    "PodTemplateSpec": "metadata:ObjectMeta spec:PodSpec",
    "RawExtension": "",
    "Service": "metadata:ObjectMeta spec:ServiceSpec status:Conditions",
    "ServiceAccount": "metadata:ObjectMeta secrets[name]",
    "ServiceSpec": "ports[port,protocol]",
    "Volume": "ephemeral:EphemeralVolumeSource",
    "WebhookConfiguration": "metadata:ObjectMeta webhooks[name]",
    "Workload": "metadata:ObjectMeta spec:WorkloadSpec status:Conditions",
    "WorkloadSpec": "template:PodTemplateSpec",
}

#: By API version: the type of each kind.
KINDS = {
    "admissionregistration.k8s.io/v1": {
        "WebhookConfiguration": "MutatingWebhookConfiguration ValidatingWebhookConfiguration",
    },
    "admissionregistration.k8s.io/v1beta1": {
        "WebhookConfiguration": "MutatingWebhookConfiguration ValidatingWebhookConfiguration",
    },
    "apiextensions.k8s.io/v1": {
        "Object": "CustomResourceDefinition",
    },
    "apiextensions.k8s.io/v1beta1": {
        "Object": "CustomResourceDefinition",
    },
    "apiregistration.k8s.io/v1": {
        "ObjectWithConditions": "APIService",
    },
    "apiregistration.k8s.io/v1beta1": {
        "ObjectWithConditions": "APIService",
    },
    "apps/v1": {
        "ControllerRevision": "ControllerRevision",
        "Workload": "DaemonSet Deployment ReplicaSet StatefulSet",
    },
    "authentication.k8s.io/v1": {
        "Object": "TokenRequest TokenReview",
    },
    "authentication.k8s.io/v1beta1": {
        "Object": "TokenReview",
    },
    "authorization.k8s.io/v1": {
        "Object": (
            "LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview"
        ),
    },
    "authorization.k8s.io/v1beta1": {
        "Object": (
            "LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview"
        ),
    },
    "autoscaling/v1": {
        "Object": "HorizontalPodAutoscaler Scale",
    },
    "autoscaling/v2beta1": {
        "Object": "HorizontalPodAutoscaler",
    },
    "autoscaling/v2beta2": {
        "Object": "HorizontalPodAutoscaler",
    },
    "batch/v1": {
        "CronJob": "CronJob",
        "Workload": "Job",
    },
    "batch/v1beta1": {
        "CronJob": "CronJob",
    },
    "certificates.k8s.io/v1": {
        "Object": "CertificateSigningRequest",
    },
    "certificates.k8s.io/v1beta1": {
        "Object": "CertificateSigningRequest",
    },
    "coordination.k8s.io/v1": {
        "Object": "Lease",
    },
    "coordination.k8s.io/v1beta1": {
        "Object": "Lease",
    },
    "discovery.k8s.io/v1": {
        "Object": "EndpointSlice",
    },
    "discovery.k8s.io/v1beta1": {
        "Object": "EndpointSlice",
    },
    "events.k8s.io/v1": {
        "Object": "Event",
    },
    "events.k8s.io/v1beta1": {
        "Object": "Event",
    },
    "extensions/v1beta1": {
        "Object": "Ingress",
    },
    "flowcontrol.apiserver.k8s.io/v1beta1": {
        "Object": "FlowSchema PriorityLevelConfiguration",
    },
    "networking.k8s.io/v1": {
        "Object": "Ingress IngressClass NetworkPolicy",
    },
    "networking.k8s.io/v1beta1": {
        "Object": "Ingress IngressClass",
    },
    "node.k8s.io/v1": {
        "Object": "RuntimeClass",
    },
    "node.k8s.io/v1beta1": {
        "Object": "RuntimeClass",
    },
    "policy/v1": {
        "ObjectWithConditions": "PodDisruptionBudget",
    },
    "policy/v1beta1": {
        "Object": "Eviction PodSecurityPolicy",
        "ObjectWithConditions": "PodDisruptionBudget",
    },
    "rbac.authorization.k8s.io/v1": {
        "Object": "ClusterRole ClusterRoleBinding Role RoleBinding",
    },
    "rbac.authorization.k8s.io/v1beta1": {
        "Object": "ClusterRole ClusterRoleBinding Role RoleBinding",
    },
    "scheduling.k8s.io/v1": {
        "Object": "PriorityClass",
    },
    "scheduling.k8s.io/v1beta1": {
        "Object": "PriorityClass",
    },
    "storage.k8s.io/v1": {
        "CSINode": "CSINode",
        "Object": "CSIDriver StorageClass VolumeAttachment",
    },
    "storage.k8s.io/v1beta1": {
        "CSINode": "CSINode",
        "Object": "CSIDriver CSIStorageCapacity StorageClass VolumeAttachment",
    },
    "v1": {
        "ComponentStatus": "ComponentStatus",
        "Node": "Node",
        "Object": "Binding ConfigMap Endpoints Event LimitRange PersistentVolume ResourceQuota Secret",
        "ObjectWithConditions": "Namespace PersistentVolumeClaim",
        "Pod": "Pod",
        "PodTemplate": "PodTemplate",
        "Service": "Service",
        "ServiceAccount": "ServiceAccount",
        "Workload": "ReplicationController",
    },
}
