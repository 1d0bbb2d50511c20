"""The field specs that kustomize has built in (facts of ``api/internal/konfig/builtinpluginconsts``)."""

from __future__ import annotations

from renderer.compose.fields.default_name_references import NAME_REFERENCES
from renderer.compose.fields.default_var_references import VAR_REFERENCES
from renderer.compose.fields.field_spec_set import FieldSpecSet
from renderer.model.selection import FieldSpec

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
