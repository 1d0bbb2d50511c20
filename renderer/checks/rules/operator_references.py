"""The objects that routes, secrets, networks and migrations of other operators refer to by name.

Read from the CustomResourceDefinitions in ``schemas/beside``, and for what they leave open from gateway-api
``apis/v1/object_reference_types.go``, MetalLB ``internal/config/config.go``, the SR-IOV operator
``api/v1/helper.go`` and Forklift ``pkg/apis/forklift/v1beta1``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from renderer.kubevirt.facts.kinds import CLAIM, SECRET, SNAPSHOT_STORAGE_GROUP, VOLUME_SNAPSHOT
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import Json, JsonObject, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.record import Record

SERVICE = "Service"
GATEWAY = "Gateway"
SECRET_STORE, CLUSTER_SECRET_STORE = "SecretStore", "ClusterSecretStore"
ADDRESS_POOL = "IPAddressPool"
BGP_PEER, BFD_PROFILE = "BGPPeer", "BFDProfile"
SNAPSHOT_CLASS = "VolumeSnapshotClass"
PROVIDER, NETWORK_MAP, STORAGE_MAP, PLAN, HOOK = "Provider", "NetworkMap", "StorageMap", "Plan", "Hook"
#: The name by which a network asks for the virtual functions of a node policy.
SRIOV_RESOURCE = "SR-IOV resource"

GATEWAY_GROUP = "gateway.networking.k8s.io"
_ROUTES = ("GRPCRoute", "HTTPRoute", "TCPRoute", "TLSRoute", "UDPRoute")
_SECRETS_GROUP = "external-secrets.io"
_METALLB_GROUP = "metallb.io"
_FORKLIFT_GROUP = "forklift.konveyor.io"
SRIOV_GROUP = "sriovnetwork.openshift.io"
#: The groups of the kinds that are looked up.
GROUPS_OF_NAMED: Mapping[str, str] = {
    SERVICE: "",
    GATEWAY: GATEWAY_GROUP,
    SECRET_STORE: _SECRETS_GROUP,
    CLUSTER_SECRET_STORE: _SECRETS_GROUP,
    **dict.fromkeys((ADDRESS_POOL, BGP_PEER, BFD_PROFILE), _METALLB_GROUP),
    **dict.fromkeys((VOLUME_SNAPSHOT, SNAPSHOT_CLASS), SNAPSHOT_STORAGE_GROUP),
    **dict.fromkeys((PROVIDER, NETWORK_MAP, STORAGE_MAP, PLAN, HOOK), _FORKLIFT_GROUP),
}
#: Kinds whose objects count in any namespace: cluster-wide ones, and the pools for all Services.
FOUND_ANYWHERE = frozenset({CLUSTER_SECRET_STORE, SNAPSHOT_CLASS, ADDRESS_POOL})
#: The provider of the cluster itself, which Forklift's operator creates.
_OWN_PROVIDER = "host"
#: The annotations of a Service that choose a pool; MetalLB's former name counts, too.
_POOL_ANNOTATIONS = ("metallb.io/address-pool", "metallb.universe.tf/address-pool")
_MADE_BY_CERT_MANAGER = "cert-manager.io/"


class _Field(Record):
    """A field with the name of an object, or with a list of names, in each mapping at ``path``.

    ``kinds`` are the kinds that the mapping may name, the default first. ``has_namespace``: the mapping may
    name a namespace.
    """

    path: tuple[str, ...]
    kinds: tuple[str, ...]
    name: str = "name"
    has_namespace: bool = False


def _provider(*path: str) -> _Field:
    return _Field(path, (PROVIDER,), has_namespace=True)


_STORES = (SECRET_STORE, CLUSTER_SECRET_STORE)


def _external_secret(*spec: str) -> tuple[_Field, ...]:
    return (
        _Field((*spec, "secretStoreRef"), _STORES),
        _Field((*spec, "data", "sourceRef", "storeRef"), _STORES),
        _Field((*spec, "dataFrom", "sourceRef", "storeRef"), _STORES),
    )


_BACKENDS = (
    _Field(("spec", "rules", "backendRefs"), (SERVICE,), has_namespace=True),
    _Field(("spec", "rules", "filters", "requestMirror", "backendRef"), (SERVICE,), has_namespace=True),
)
_MAPPED = (_provider("spec", "provider", "source"), _provider("spec", "provider", "destination"))
_FIELDS: Mapping[tuple[str, str], tuple[_Field, ...]] = {
    **{
        (GATEWAY_GROUP, kind): (*_BACKENDS, _Field(("spec", "parentRefs"), (GATEWAY,), has_namespace=True))
        for kind in _ROUTES
    },
    (GATEWAY_GROUP, GATEWAY): (
        _Field(("spec", "listeners", "tls", "certificateRefs"), (SECRET,), has_namespace=True),
    ),
    ("networking.k8s.io", "Ingress"): (
        _Field(("spec", "defaultBackend", "service"), (SERVICE,)),
        _Field(("spec", "rules", "http", "paths", "backend", "service"), (SERVICE,)),
    ),
    (_SECRETS_GROUP, "ExternalSecret"): _external_secret("spec"),
    (_SECRETS_GROUP, "ClusterExternalSecret"): _external_secret("spec", "externalSecretSpec"),
    (_SECRETS_GROUP, "PushSecret"): (_Field(("spec", "secretStoreRefs"), _STORES),),
    (_METALLB_GROUP, "L2Advertisement"): (_Field(("spec",), (ADDRESS_POOL,), "ipAddressPools"),),
    (_METALLB_GROUP, "BGPAdvertisement"): (
        _Field(("spec",), (ADDRESS_POOL,), "ipAddressPools"),
        _Field(("spec",), (BGP_PEER,), "peers"),
    ),
    (_METALLB_GROUP, BGP_PEER): (_Field(("spec",), (BFD_PROFILE,), "bfdProfile"),),
    ("", SERVICE): tuple(
        _Field(("metadata", "annotations"), (ADDRESS_POOL,), annotation) for annotation in _POOL_ANNOTATIONS
    ),
    **{
        (SRIOV_GROUP, kind): (_Field(("spec",), (SRIOV_RESOURCE,), "resourceName"),)
        for kind in ("SriovNetwork", "SriovIBNetwork", "OVSNetwork")
    },
    (SNAPSHOT_STORAGE_GROUP, VOLUME_SNAPSHOT): (
        _Field(("spec", "source"), (CLAIM,), "persistentVolumeClaimName"),
        _Field(("spec",), (SNAPSHOT_CLASS,), "volumeSnapshotClassName"),
    ),
    (_FORKLIFT_GROUP, PROVIDER): (_Field(("spec", "secret"), (SECRET,), has_namespace=True),),
    (_FORKLIFT_GROUP, "Host"): (
        _provider("spec", "provider"),
        _Field(("spec", "secret"), (SECRET,), has_namespace=True),
    ),
    (_FORKLIFT_GROUP, "Migration"): (_Field(("spec", "plan"), (PLAN,), has_namespace=True),),
    (_FORKLIFT_GROUP, NETWORK_MAP): _MAPPED,
    (_FORKLIFT_GROUP, STORAGE_MAP): _MAPPED,
    (_FORKLIFT_GROUP, PLAN): (
        *_MAPPED,
        _Field(("spec", "map", "network"), (NETWORK_MAP,), has_namespace=True),
        _Field(("spec", "map", "storage"), (STORAGE_MAP,), has_namespace=True),
        _Field(("spec", "vms", "hooks", "hook"), (HOOK,), has_namespace=True),
    ),
}
#: The kinds of objects whose references are read here.
OPERATOR_KINDS = tuple(dict.fromkeys(kind for _, kind in _FIELDS))


class Named(Record):
    """An object that is named in a field; ``mapping`` is what the field is in."""

    field: FieldPath
    kind: str
    name: str
    namespace: str
    mapping: JsonObject


def operator_references(resource: Resource) -> Iterator[Named]:
    """Yield the objects that an object of another operator names; the namespace is empty if any will do."""
    gvk = resource.gvk
    for field in _FIELDS.get((gvk.group, gvk.kind), ()):
        default = field.kinds[0]
        for at, mapping in mappings_at(resource.content, field.path):
            kind = text_at(mapping, "kind") or default
            group = mapping.get("group", GROUPS_OF_NAMED.get(default, ""))
            if kind not in field.kinds or group != GROUPS_OF_NAMED.get(kind, ""):
                continue
            written = text_at(mapping, "namespace") if field.has_namespace else ""
            namespace = "" if kind in FOUND_ANYWHERE else written or resource.namespace
            for below, name in _names(mapping.get(field.name)):
                if not _is_made_by_operator(resource, kind, name):
                    yield Named(at.child(field.name, *below), kind, name, namespace, mapping)


def mappings_at(
    content: Json, path: tuple[str, ...], at: FieldPath = ROOT
) -> Iterator[tuple[FieldPath, JsonObject]]:
    """Yield the mappings at a path of keys, in each element of the lists on the way."""
    if isinstance(content, list):
        for index, element in enumerate(content):
            yield from mappings_at(element, path, at.child(index))
    elif isinstance(content, dict) and path:
        yield from mappings_at(content.get(path[0]), path[1:], at.child(path[0]))
    elif isinstance(content, dict):
        yield at, content


def sriov_resource(resource: Resource) -> str:
    """Return the name of the virtual functions that a node policy makes; empty for any other object."""
    is_policy = (resource.gvk.group, resource.kind) == (SRIOV_GROUP, "SriovNetworkNodePolicy")
    return text_at(resource.content, "spec", "resourceName") if is_policy else ""


def _names(value: Json) -> Iterator[tuple[tuple[int, ...], str]]:
    """Yield the name in a field, or each name in its list after the index."""
    if isinstance(value, str) and value:
        yield (), value
    elif isinstance(value, list):
        yield from (((index,), each) for index, each in enumerate(value) if isinstance(each, str) and each)


def _is_made_by_operator(resource: Resource, kind: str, name: str) -> bool:
    if kind == SECRET and resource.kind == GATEWAY:
        annotations = object_at(resource.content, "metadata", "annotations")
        return any(key.startswith(_MADE_BY_CERT_MANAGER) for key in annotations)
    return kind == PROVIDER and name == _OWN_PROVIDER
