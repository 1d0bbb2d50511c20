"""Other kinds of Kubernetes, and of what comes with many clusters."""

from __future__ import annotations

from operator import ne

from renderer.kubevirt.impact.immutable.row import (
    API_SERVER,
    APIS,
    SPEC,
    STAYS,
    Condition,
    ImmutableRow,
    ObjectUpdate,
    if_kept,
    if_other,
)
from renderer.model.difference import FieldChange
from renderer.model.kube.encryption import is_encrypted
from renderer.model.kube.json import JsonObject, array_at, object_at, scalar_text, text_at
from renderer.model.kube.list_elements import value_at

_CORE = f"{APIS}/core/validation/validation.go"
_APIEXTENSIONS = "apiextensions-apiserver pkg/apis/apiextensions/validation/validation.go"
_NETWORKS = "ovn-kubernetes go-controller/pkg/crd/userdefinednetwork/v1"
_NETWORK_FIELDS = ("topology", "layer2", "layer3.role", "layer3.mtu", "layer3.joinSubnets")
_OF_NETWORK = tuple(f"spec.{field}" for field in _NETWORK_FIELDS)
_OF_CLUSTER_NETWORK = (
    *(f"spec.network.{field}" for field in (*_NETWORK_FIELDS, "localnet", "transport", "noOverlay")),
    "spec.uplinks",
)
_EXTERNAL_NAME = "ExternalName"
_LOAD_BALANCER = ["LoadBalancer", "LoadBalancer"]
_HEADLESS = "None"
#: Filled in by the webhook of a controller for Services without a class.
_FILLED_IN_CLASSES = ("service.k8s.aws/nlb",)


def _if_marked(update: ObjectUpdate, _change: FieldChange) -> str:
    """Refuse other data of a Secret or ConfigMap that is marked immutable, and the removal of the mark."""
    if update.before.content.get("immutable") is not True or is_encrypted(update.before):
        return ""
    if update.after.content.get("immutable") is not True:
        return "the object is immutable: true, which stays"
    fields = ("data", "binaryData")
    if all(object_at(update.before.content, key) == object_at(update.after.content, key) for key in fields):
        return ""
    return "the object is immutable: true; give it another name, as a generator with a hash does"


def _if_other_address(update: ObjectUpdate, _change: FieldChange) -> str:
    """Refuse another cluster IP, and None for a Service that has an address."""
    before, after = update.specs
    if _is_external(update):
        return ""
    old, new = _address(before), _address(after)
    if not new or old == new or (not old and new != _HEADLESS):
        return ""
    return "a Service keeps the address that it has"


def _if_other_families(update: ObjectUpdate, _change: FieldChange) -> str:
    """Refuse another primary family of addresses, and another secondary one; one may be added or removed."""
    if _is_external(update) or _HEADLESS in map(_address, update.specs):
        return ""
    before, after = (array_at(spec, "ipFamilies") for spec in update.specs)
    return "a Service keeps the families that it has" if any(map(ne, before, after)) else ""


def _is_external(update: ObjectUpdate) -> bool:
    return _EXTERNAL_NAME in _types(update)


def _types(update: ObjectUpdate) -> list[str]:
    return [text_at(spec, "type") for spec in update.specs]


def _address(spec: JsonObject) -> str:
    addresses = array_at(spec, "clusterIPs")
    return text_at(spec, "clusterIP") or (scalar_text(addresses[0]) if addresses else "")


def _if_other_class(update: ObjectUpdate, _change: FieldChange) -> str:
    """Refuse another class, also for a Service without one; AWS fills in its own."""
    before, after = update.values("spec", "loadBalancerClass")
    if (
        _types(update) != _LOAD_BALANCER
        or before == after
        or (before is None and after in _FILLED_IN_CLASSES)
    ):
        return ""
    return f"{STAYS}, also that it has none" if before is None else STAYS


def _if_other_health_check(update: ObjectUpdate, _change: FieldChange) -> str:
    """Refuse another port while the Service needs one; a missing one stays what it is."""
    before, after = update.values("spec", "healthCheckNodePort")
    policies = [text_at(spec, "externalTrafficPolicy") for spec in update.specs]
    if not before or not after or before == after or _types(update) != _LOAD_BALANCER:
        return ""
    return STAYS if policies == ["Local", "Local"] else ""


def _if_other_scopes(update: ObjectUpdate, _change: FieldChange) -> str:
    before, after = ({*map(str, array_at(spec, "scopes"))} for spec in update.specs)
    return "" if before == after else STAYS


def _if_subnet_leaves(*parents: str) -> Condition:
    """Admit further subnets of a primary network of layer 3; the others stay."""

    def condition(update: ObjectUpdate, _change: FieldChange) -> str:
        networks = map(object_at, update.values(*parents, "layer3"))
        before, after = ([object_at(each) for each in array_at(network, "subnets")] for network in networks)
        if before == after:
            return ""
        is_secondary = value_at(update.after.content, (*parents, "layer3", "role")) == "Secondary"
        if is_secondary:
            return "the subnets of a secondary network stay"
        return "" if all(subnet in after for subnet in before) else "a network keeps the subnets that it has"

    return condition


def _if_stored(update: ObjectUpdate, _change: FieldChange) -> str:
    """Refuse to leave out a version in which the cluster may still store objects, as its status says."""
    kept = {text_at(object_at(each), "name") for each in array_at(update.after.content, "spec", "versions")}
    stored = map(scalar_text, array_at(update.status, "storedVersions"))
    lost = [version for version in stored if version not in kept]
    return f"the cluster may store objects as {' and '.join(lost)}" if lost else ""


KUBERNETES_ROWS = (
    ImmutableRow(
        "",
        ("Secret", "ConfigMap"),
        ("data", "binaryData", "stringData", "immutable"),
        API_SERVER,
        f"{_CORE} ValidateSecretUpdate, ValidateConfigMapUpdate",
        _if_marked,
        "everything, unless the object is immutable: true",
    ),
    ImmutableRow(
        "",
        ("Secret",),
        ("type",),
        API_SERVER,
        f"{_CORE} ValidateSecretUpdate",
        if_other("Opaque", "the type of a Secret stays", "type"),
        "Opaque for none",
    ),
    ImmutableRow(
        "",
        ("Service",),
        ("spec.clusterIP", "spec.clusterIPs"),
        API_SERVER,
        f"{_CORE} ValidateServiceUpdate; pkg/registry/core/service/strategy.go patchAllocatedValues",
        _if_other_address,
        "no address, and any with type: ExternalName",
        is_chosen=True,
    ),
    ImmutableRow(
        "",
        ("Service",),
        ("spec.ipFamilies",),
        API_SERVER,
        f"{_CORE} validateUpgradeDowngradeIPFamilies",
        _if_other_families,
        "a second family that is added or removed",
        is_chosen=True,
    ),
    ImmutableRow(
        "",
        ("Service",),
        ("spec.loadBalancerClass",),
        API_SERVER,
        f"{_CORE} validateLoadBalancerClassField",
        _if_other_class,
        "any with another type, and the class of AWS, which it fills in",
    ),
    ImmutableRow(
        "",
        ("Service",),
        ("spec.healthCheckNodePort",),
        API_SERVER,
        f"{_CORE} validateServiceExternalTrafficFieldsUpdate",
        _if_other_health_check,
        "no port, and any without externalTrafficPolicy: Local",
        is_chosen=True,
    ),
    ImmutableRow(
        "",
        ("ResourceQuota",),
        ("spec.scopes",),
        API_SERVER,
        f"{_CORE} ValidateResourceQuotaUpdate",
        _if_other_scopes,
        "another order",
    ),
    ImmutableRow(
        "rbac.authorization.k8s.io",
        ("RoleBinding", "ClusterRoleBinding"),
        ("roleRef",),
        API_SERVER,
        f"{APIS}/rbac/validation/validation.go ValidateRoleBindingUpdate, ValidateClusterRoleBindingUpdate",
    ),
    ImmutableRow(
        "scheduling.k8s.io",
        ("PriorityClass",),
        ("value", "preemptionPolicy"),
        API_SERVER,
        f"{APIS}/scheduling/validation/validation.go ValidatePriorityClassUpdate",
    ),
    ImmutableRow(
        "networking.k8s.io",
        ("IngressClass",),
        ("spec.controller",),
        API_SERVER,
        f"{APIS}/networking/validation/validation.go ValidateIngressClassUpdate",
    ),
    ImmutableRow(
        "node.k8s.io",
        ("RuntimeClass",),
        ("handler",),
        API_SERVER,
        f"{APIS}/node/validation/validation.go ValidateRuntimeClassUpdate",
    ),
    ImmutableRow(
        "discovery.k8s.io",
        ("EndpointSlice",),
        ("addressType",),
        API_SERVER,
        f"{APIS}/discovery/validation/validation.go ValidateEndpointSliceUpdate",
    ),
    ImmutableRow(
        "resource.k8s.io",
        ("ResourceClaim", "ResourceClaimTemplate"),
        SPEC,
        API_SERVER,
        f"{APIS}/resource/validation/validation.go ValidateResourceClaimUpdate,"
        " ValidateResourceClaimTemplateUpdate",
    ),
    ImmutableRow(
        "apiextensions.k8s.io",
        ("CustomResourceDefinition",),
        ("spec.scope", "spec.group", "spec.names.plural", "spec.names.kind"),
        API_SERVER,
        f"{_APIEXTENSIONS} validateCustomResourceDefinitionSpecUpdate",
    ),
    ImmutableRow(
        "apiextensions.k8s.io",
        ("CustomResourceDefinition",),
        ("spec.versions",),
        API_SERVER,
        f"{_APIEXTENSIONS} ValidateCustomResourceDefinitionStoredVersions",
        _if_stored,
        "everything, unless a version goes that status.storedVersions names",
    ),
    ImmutableRow(
        "k8s.ovn.org",
        ("UserDefinedNetwork",),
        _OF_NETWORK,
        API_SERVER,
        f"{_NETWORKS}/udn.go UserDefinedNetworkSpec; {_NETWORKS}/shared.go Layer3Config",
        if_kept(*_OF_NETWORK),
        "fields where there were none",
    ),
    ImmutableRow(
        "k8s.ovn.org",
        ("UserDefinedNetwork",),
        ("spec.layer3.subnets",),
        API_SERVER,
        f"{_NETWORKS}/shared.go Layer3Config",
        _if_subnet_leaves("spec"),
        "further subnets of a primary network",
    ),
    ImmutableRow(
        "k8s.ovn.org",
        ("ClusterUserDefinedNetwork",),
        _OF_CLUSTER_NETWORK,
        API_SERVER,
        f"{_NETWORKS}/cudn.go NetworkSpec, ClusterUserDefinedNetworkSpec; {_NETWORKS}/shared.go Layer3Config",
        if_kept(*_OF_CLUSTER_NETWORK),
        "fields where there were none, evpn, namespaceSelector",
    ),
    ImmutableRow(
        "k8s.ovn.org",
        ("ClusterUserDefinedNetwork",),
        ("spec.network.layer3.subnets",),
        API_SERVER,
        f"{_NETWORKS}/shared.go Layer3Config",
        _if_subnet_leaves("spec", "network"),
        "further subnets of a primary network",
    ),
)
