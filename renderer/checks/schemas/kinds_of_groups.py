"""The kinds of API groups whose kinds are all known, to find a mistyped kind for which there is no schema.

The groups of Kubernetes (``staging/src/k8s.io/api/*/register.go``) are closed: a cluster serves no other kind
in them. The groups of operators may get kinds that are not here.
"""

from __future__ import annotations

from collections.abc import Mapping

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.engines import ARGOCD_GROUP, FLUX_KUSTOMIZE_GROUP, FLUX_SOURCE_GROUP
from renderer.model.field_edit import SetField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.res_id import Gvk
from renderer.model.kube.resource import Resource
from renderer.model.suggest import suggest

_KIND = FieldPath.of("kind")
#: Kinds that differ by a word differ in more than this.
_CUTOFF = 0.8
_LIST = "List"

_KUBERNETES: Mapping[str, str] = {
    "": (
        "Binding ComponentStatus ConfigMap Endpoints Event LimitRange List Namespace Node PersistentVolume"
        " PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service"
        " ServiceAccount Status"
    ),
    "admissionregistration.k8s.io": (
        "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration"
        " ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration"
    ),
    "apiextensions.k8s.io": "CustomResourceDefinition",
    "apiregistration.k8s.io": "APIService",
    "apps": "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet",
    "autoscaling": "HorizontalPodAutoscaler Scale",
    "batch": "CronJob Job",
    "certificates.k8s.io": "CertificateSigningRequest ClusterTrustBundle PodCertificateRequest",
    "coordination.k8s.io": "Lease LeaseCandidate",
    "discovery.k8s.io": "EndpointSlice",
    "flowcontrol.apiserver.k8s.io": "FlowSchema PriorityLevelConfiguration",
    "networking.k8s.io": "IPAddress Ingress IngressClass NetworkPolicy ServiceCIDR",
    "node.k8s.io": "RuntimeClass",
    "policy": "Eviction PodDisruptionBudget PodSecurityPolicy",
    "rbac.authorization.k8s.io": "ClusterRole ClusterRoleBinding Role RoleBinding",
    "resource.k8s.io": (
        "DeviceClass DeviceTaintRule ResourceClaim ResourceClaimTemplate ResourcePoolStatusRequest"
        " ResourceSlice"
    ),
    "scheduling.k8s.io": "PodGroup PriorityClass Workload",
    "storage.k8s.io": (
        "CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment VolumeAttributesClass"
    ),
}
_OPERATORS: Mapping[str, str] = {
    ARGOCD_GROUP: (
        "AnalysisRun AnalysisTemplate AppProject Application ApplicationSet ArgoCD ClusterAnalysisTemplate"
        " ClusterWorkflowTemplate CronWorkflow EventBus EventSource Experiment Rollout Sensor Workflow"
        " WorkflowTemplate"
    ),
    "bitnami.com": "SealedSecret",
    "external-secrets.io": (
        "ClusterExternalSecret ClusterPushSecret ClusterSecretStore ExternalSecret PushSecret SecretStore"
    ),
    "forklift.konveyor.io": (
        "Conversion ForkliftController Hook Host HyperVProviderServer Migration NetworkMap OVAProviderServer"
        " OpenstackVolumePopulator OvirtVolumePopulator Plan Provider StorageMap VSphereXcopyVolumePopulator"
    ),
    "gateway.networking.k8s.io": (
        "BackendTLSPolicy GRPCRoute Gateway GatewayClass HTTPRoute ListenerSet ReferenceGrant TCPRoute"
        " TLSRoute UDPRoute"
    ),
    "helm.toolkit.fluxcd.io": "HelmRelease",
    "k8s.cni.cncf.io": "IPAMClaim MultiNetworkPolicy NetworkAttachmentDefinition",
    "k8s.ovn.org": (
        "AdminPolicyBasedExternalRoute ClusterNetworkConnect ClusterUserDefinedNetwork EgressFirewall"
        " EgressIP EgressQoS EgressService NetworkQoS RouteAdvertisements UserDefinedNetwork VTEP"
    ),
    FLUX_KUSTOMIZE_GROUP: "Kustomization",
    "metallb.io": (
        "AddressPool BFDProfile BGPAdvertisement BGPPeer Community ConfigurationState IPAddressPool"
        " L2Advertisement ServiceBGPStatus ServiceL2Status"
    ),
    "nmstate.io": (
        "NMState NodeNetworkConfigurationEnactment NodeNetworkConfigurationPolicy NodeNetworkState"
    ),
    "snapshot.storage.k8s.io": "VolumeSnapshot VolumeSnapshotClass VolumeSnapshotContent",
    FLUX_SOURCE_GROUP: ("Bucket ExternalArtifact GitRepository HelmChart HelmRepository OCIRepository"),
    "sriovnetwork.openshift.io": (
        "OVSNetwork SriovIBNetwork SriovNetwork SriovNetworkNodePolicy SriovNetworkNodeState"
        " SriovNetworkPoolConfig SriovOperatorConfig"
    ),
}


def meant_kind(gvk: Gvk) -> str | None:
    """Return the kind of the group that a kind resembles; None for a known kind, and for any other."""
    kinds = (_KUBERNETES.get(gvk.group) or _OPERATORS.get(gvk.group) or "").split()
    if gvk.kind in kinds or gvk.kind.endswith(_LIST):
        return None
    return next(iter(suggest(gvk.kind, kinds, most=1, cutoff=_CUTOFF)), None)


def mistyped_kind(resource: Resource) -> Diagnostic | None:
    """Return the finding about a kind that its group does not have, if it is nearly one that it has."""
    gvk = resource.gvk
    meant = meant_kind(gvk)
    if meant is None:
        return None
    is_closed = gvk.group in _KUBERNETES
    where = f"in the group {gvk.group}" if gvk.group else f"with the apiVersion {gvk.version}"
    message = f"Kubernetes has no kind {gvk.kind} {where}"
    if not is_closed:
        message = f"no kind {gvk.kind} {where} is known"
    return Diagnostic.about(
        resource,
        _KIND,
        Code.SCHEMA_MISSING,
        message,
        f"did you mean {meant}?",
        severity=Severity.ERROR if is_closed else Severity.WARNING,
        fix=SetField(_KIND, meant),
    )
