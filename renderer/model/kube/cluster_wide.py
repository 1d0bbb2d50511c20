"""The cluster-wide kinds, whose objects have no namespace.

A kind's ``CustomResourceDefinition`` says its scope (``spec.scope``), but most repositories do not have it.
The table has Kubernetes' own kinds, and kinds that repositories have beside virtual machines, as their
projects define them. The versions of a kind never differ in scope.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from renderer.model.kube.encryption import is_encrypted
from renderer.model.kube.json import JsonObject, object_at, text_at, without
from renderer.model.kube.resource import Resource, ResourceSet

CRD = "CustomResourceDefinition"

_BY_GROUP: Mapping[str, str] = {
    # Kubernetes
    "": "ComponentStatus Namespace Node PersistentVolume",
    "admissionregistration.k8s.io": "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding"
    " MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding"
    " ValidatingWebhookConfiguration",
    "apiextensions.k8s.io": "CustomResourceDefinition",
    "apiregistration.k8s.io": "APIService",
    "certificates.k8s.io": "CertificateSigningRequest ClusterTrustBundle",
    "flowcontrol.apiserver.k8s.io": "FlowSchema PriorityLevelConfiguration",
    "networking.k8s.io": "IPAddress IngressClass ServiceCIDR",
    "node.k8s.io": "RuntimeClass",
    "policy": "PodSecurityPolicy",
    "rbac.authorization.k8s.io": "ClusterRole ClusterRoleBinding",
    "resource.k8s.io": "DeviceClass DeviceTaintRule ResourceSlice",
    "scheduling.k8s.io": "PriorityClass",
    "storage.k8s.io": "CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass",
    "storagemigration.k8s.io": "StorageVersionMigration",
    # KubeVirt and its operators
    "instancetype.kubevirt.io": "VirtualMachineClusterInstancetype VirtualMachineClusterPreference",
    "migrations.kubevirt.io": "MigrationPolicy",
    "cdi.kubevirt.io": "CDI CDIConfig ObjectTransfer StorageProfile",
    "aaq.kubevirt.io": "AAQ AAQConfig ApplicationAwareClusterResourceQuota",
    "hostpathprovisioner.kubevirt.io": "HostPathProvisioner",
    "mtq.kubevirt.io": "MTQ",
    "networkaddonsoperator.network.kubevirt.io": "NetworkAddonsConfig",
    "nodemaintenance.kubevirt.io": "NodeMaintenance",
    # Storage
    "cbt.storage.k8s.io": "SnapshotMetadataService",
    "groupsnapshot.storage.k8s.io": "VolumeGroupSnapshotClass VolumeGroupSnapshotContent",
    "objectbucket.io": "ObjectBucket",
    "piraeus.io": "LinstorCluster LinstorNodeConnection LinstorSatellite LinstorSatelliteConfiguration",
    "populator.storage.k8s.io": "VolumePopulator",
    "replication.storage.openshift.io": "VolumeGroupReplicationClass VolumeGroupReplicationContent"
    " VolumeReplicationClass",
    "snapshot.storage.k8s.io": "VolumeSnapshotClass VolumeSnapshotContent",
    "topolvm.io": "LogicalVolume",
    # Networks
    "cilium.io": "CiliumBGPAdvertisement CiliumBGPClusterConfig CiliumBGPNodeConfig"
    " CiliumBGPNodeConfigOverride CiliumBGPPeerConfig CiliumBGPPeeringPolicy CiliumCIDRGroup"
    " CiliumClusterwideEnvoyConfig CiliumClusterwideNetworkPolicy CiliumEgressGatewayPolicy"
    " CiliumEndpointSlice CiliumExternalWorkload CiliumIdentity CiliumL2AnnouncementPolicy"
    " CiliumLoadBalancerIPPool CiliumNode CiliumPodIPPool",
    "crd.projectcalico.org": "BGPConfiguration BGPFilter BGPPeer BlockAffinity CalicoNodeStatus"
    " ClusterInformation FelixConfiguration GlobalNetworkPolicy GlobalNetworkSet HostEndpoint IPAMBlock"
    " IPAMConfig IPAMHandle IPPool IPReservation KubeControllersConfiguration Tier",
    "frrk8s.metallb.io": "FRRNodeState",
    "gateway.networking.k8s.io": "GatewayClass",
    "k8s.ovn.org": "AdminPolicyBasedExternalRoute ClusterUserDefinedNetwork EgressIP RouteAdvertisements",
    "kubeovn.io": "IP IPPool IptablesDnatRule IptablesEIP IptablesFIPRule IptablesSnatRule OvnDnatRule OvnEip"
    " OvnFip OvnSnatRule ProviderNetwork QoSPolicy SecurityGroup Subnet SwitchLBRule Vip Vlan Vpc VpcDns"
    " VpcNatGateway",
    "mellanox.com": "HostDeviceNetwork IPoIBNetwork MacvlanNetwork NicClusterPolicy",
    "nmstate.io": "NMState NodeNetworkConfigurationEnactment NodeNetworkConfigurationPolicy NodeNetworkState",
    "operator.tigera.io": "APIServer ImageSet Installation TigeraStatus",
    "policy.networking.k8s.io": "AdminNetworkPolicy BaselineAdminNetworkPolicy ClusterNetworkPolicy",
    "projectcalico.org": "BGPConfiguration BGPFilter BGPPeer CalicoNodeStatus ClusterInformation"
    " FelixConfiguration GlobalNetworkPolicy GlobalNetworkSet HostEndpoint IPPool IPReservation"
    " KubeControllersConfiguration Tier",
    # Nodes and devices
    "nfd.k8s-sigs.io": "NodeFeatureRule",
    "nodemaintenance.medik8s.io": "NodeMaintenance",
    "nvidia.com": "ClusterPolicy NVIDIADriver",
    "remediation.medik8s.io": "NodeHealthCheck",
    "topology.node.k8s.io": "NodeResourceTopology",
    # Certificates, secrets and policies
    "cert-manager.io": "ClusterIssuer",
    "external-secrets.io": "ClusterExternalSecret ClusterPushSecret ClusterSecretStore",
    "generators.external-secrets.io": "ClusterGenerator",
    "kyverno.io": "ClusterCleanupPolicy ClusterPolicy GlobalContextEntry",
    "policies.kyverno.io": "DeletingPolicy GeneratingPolicy ImageValidatingPolicy MutatingPolicy"
    " ValidatingPolicy",
    "templates.gatekeeper.sh": "ConstraintTemplate",
    "trust.cert-manager.io": "Bundle",
    "trust-manager.io": "ClusterBundle",
    "wgpolicyk8s.io": "ClusterPolicyReport",
    # OpenShift
    "config.openshift.io": "APIServer Authentication Build ClusterImagePolicy ClusterOperator ClusterVersion"
    " Console DNS FeatureGate Image ImageContentPolicy ImageDigestMirrorSet ImageTagMirrorSet Infrastructure"
    " Ingress Network Node OAuth OperatorHub Project Proxy Scheduler",
    "console.openshift.io": "ConsoleCLIDownload ConsoleExternalLogLink ConsoleLink ConsoleNotification"
    " ConsolePlugin ConsoleQuickStart ConsoleSample ConsoleYAMLSample",
    "imageregistry.operator.openshift.io": "Config ImagePruner",
    "machineconfiguration.openshift.io": "ContainerRuntimeConfig ControllerConfig KubeletConfig MachineConfig"
    " MachineConfigPool",
    "oauth.openshift.io": "OAuthClient",
    "operator.openshift.io": "ClusterCSIDriver Console ImageContentSourcePolicy KubeAPIServer Network"
    " Storage",
    "operators.coreos.com": "OLMConfig Operator",
    "performance.openshift.io": "PerformanceProfile",
    "project.openshift.io": "Project ProjectRequest",
    "quota.openshift.io": "ClusterResourceQuota",
    "samples.operator.openshift.io": "Config",
    "security.openshift.io": "SecurityContextConstraints",
    "template.openshift.io": "BrokerTemplateInstance",
    "user.openshift.io": "Group Identity User",
    # Fleets and Harvester
    "cluster.open-cluster-management.io": "ManagedCluster ManagedClusterSet",
    "devices.harvesterhci.io": "PCIDevice PCIDeviceClaim SRIOVGPUDevice SRIOVNetworkDevice USBDevice"
    " USBDeviceClaim VGPUDevice",
    "loadbalancer.harvesterhci.io": "IPPool",
    "network.harvesterhci.io": "ClusterNetwork LinkMonitor VlanConfig VlanStatus",
    "operator.open-cluster-management.io": "ClusterManager Klusterlet",
    "ramendr.openshift.io": "DRCluster DRClusterConfig DRPolicy",
}
#: Groups whose kinds users define, all of them cluster-wide.
_USERS_KINDS = ("constraints.gatekeeper.sh",)
#: Groups whose other kinds have namespaces: Kubernetes' own, and those whose cluster-wide kinds are all here.
_WITH_NAMESPACES = frozenset(
    [
        "",
        "apps",
        "autoscaling",
        "batch",
        "bitnami.com",
        "cert-manager.io",
        "coordination.k8s.io",
        "discovery.k8s.io",
        "events.k8s.io",
        "extensions",
        "external-secrets.io",
        "forklift.konveyor.io",
        "gateway.networking.k8s.io",
        "helm.toolkit.fluxcd.io",
        "image.toolkit.fluxcd.io",
        "k8s.cni.cncf.io",
        "k8s.ovn.org",
        "kustomize.toolkit.fluxcd.io",
        "metallb.io",
        "monitoring.coreos.com",
        "networking.k8s.io",
        "notification.toolkit.fluxcd.io",
        "policy",
        "rbac.authorization.k8s.io",
        "resource.k8s.io",
        "route.openshift.io",
        "snapshot.storage.k8s.io",
        "source.toolkit.fluxcd.io",
        "sriovnetwork.openshift.io",
        "storage.k8s.io",
        "template.openshift.io",
    ]
)
_KUBEVIRT = "kubevirt.io"
_KINDS: Mapping[str, frozenset[str]] = {group: frozenset(kinds.split()) for group, kinds in _BY_GROUP.items()}


#: Returns True for a cluster-wide kind, by group and kind, False for any other, and None for an unknown one.
ScopeOf = Callable[[str, str], bool | None]


def unknown_scope(_group: str, _kind: str) -> bool | None:
    """Return None: no definitions are known."""
    return None


class ClusterWideKinds:
    """The cluster-wide kinds, as far as they are known.

    A definition counts before the table: first one among ``resources``, then ``scope_elsewhere``.
    """

    def __init__(self, resources: Iterable[Resource] = (), scope_elsewhere: ScopeOf = unknown_scope) -> None:
        self._declared = declared_scopes(each.content for each in resources if each.kind == CRD)
        self._scope_elsewhere = scope_elsewhere
        self._known: dict[tuple[str, str], bool | None] = {}

    def __contains__(self, resource: Resource) -> bool:
        return self.scope(resource) is True

    def scope(self, resource: Resource) -> bool | None:
        """Return True for a cluster-wide kind, False for one with namespaces, and None for an unknown one."""
        key = resource.api_version, resource.kind
        if key not in self._known:
            self._known[key] = self._scope_of(resource.gvk.group, resource.kind)
        return self._known[key]

    def _scope_of(self, group: str, kind: str) -> bool | None:
        declared = self._declared.get((group, kind))
        if declared is None:
            declared = self._scope_elsewhere(group, kind)
        if declared is not None:
            return declared
        if kind in _KINDS.get(group, ()) or group in _USERS_KINDS:
            return True
        has_namespaces = group in _WITH_NAMESPACES or f".{group}".endswith(f".{_KUBEVIRT}")
        return False if has_namespaces else None


def declared_scopes(contents: Iterable[JsonObject]) -> Mapping[tuple[str, str], bool]:
    """Return True for each cluster-wide kind that CustomResourceDefinitions define, False for each other."""
    found: dict[tuple[str, str], bool] = {}
    for content in contents:
        scope = text_at(content, "spec", "scope") if content.get("kind") == CRD else ""
        if scope:
            kind = text_at(content, "spec", "group"), text_at(content, "spec", "names", "kind")
            found[kind] = scope == "Cluster"
    return found


def with_default_namespace(resources: ResourceSet, namespace: str) -> ResourceSet:
    """Set ``namespace`` on objects without a namespace; remove it from cluster-wide ones."""
    cluster_wide = ClusterWideKinds(resources)

    def placed(resource: Resource) -> Resource:
        if resource in cluster_wide:
            content = without(resource.content, "metadata", "namespace")
            return resource if content is resource.content else resource._replace(content=content)
        if not namespace or resource.namespace:
            return resource
        metadata = {**object_at(resource.content, "metadata"), "namespace": namespace}
        return resource._replace(content={**resource.content, "metadata": metadata})

    return resources.map(placed)


def without_needless_namespaces(
    resources: ResourceSet, scope_elsewhere: ScopeOf = unknown_scope
) -> ResourceSet:
    """Return the resources, the cluster-wide ones without a namespace: an API server ignores it.

    Of cluster-wide objects that are equal without their namespaces, the first one stays. An encrypted object
    is not changed: its MAC covers the namespace.
    """
    cluster_wide = ClusterWideKinds(resources, scope_elsewhere)

    def is_needless(resource: Resource) -> bool:
        return bool(resource.namespace) and resource in cluster_wide and not is_encrypted(resource)

    if not any(map(is_needless, resources)):
        return resources
    kept: list[Resource] = []
    changed: dict[tuple[str, str, str], list[JsonObject]] = {}
    for each in resources:
        if is_needless(each):
            content = without(each.content, "metadata", "namespace")
            same_name = changed.setdefault((each.api_version, each.kind, each.name), [])
            if content not in same_name:
                same_name.append(content)
                kept.append(each.with_content(content))
        else:
            kept.append(each)
    return ResourceSet(tuple(kept))
