"""The fields whose values a cluster chooses or allocates where nobody writes them, by kind.

``vmrender import`` leaves out those that have no meaning in another cluster (``dump.clean``); for ``diff
--live`` none of them is drift where only the cluster has it (``diff.server_defaults``). What an import keeps
identifies a machine or its data: MAC addresses, the firmware's UUID and serial, the machine type, a storage
class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from renderer.kubevirt.confidential import COPIES
from renderer.kubevirt.kinds import VM, is_kubevirt_group
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject, object_at, text_at
from renderer.model.record import Record
from renderer.model.res_id import Gvk

#: Stands for any key or element in a path.
ANY = "*"
_CLAIM = "PersistentVolumeClaim"
_ANNOTATIONS = ("metadata", "annotations")
_LABELS = ("metadata", "labels")
_TEMPLATE = ("spec", "template")
_VOLUME_TEMPLATE = ("spec", "dataVolumeTemplates", ANY, "spec")
_DOMAIN = (*_TEMPLATE, "spec", "domain")
_BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"


def _always(_: JsonObject) -> bool:
    return True


def _never(_: JsonObject) -> bool:
    return False


def _is_bound_by_controller(claim: JsonObject) -> bool:
    return text_at(claim, *_ANNOTATIONS, _BOUND_BY_CONTROLLER) == "yes"


def _is_not_headless(service: JsonObject) -> bool:
    return text_at(service, "spec", "clusterIP") != "None"


class AllocatedField(Record):
    """A field whose value the cluster chooses in objects of ``kind``, of all kinds where that is empty.

    ``source`` is the file of its project that fills it in. ``left_out`` tells whether an import leaves it
    out of an object.
    """

    kind: str
    path: tuple[str, ...]
    source: str
    left_out: Callable[[JsonObject], bool] = _never

    @property
    def is_kept(self) -> bool:
        """True where an import keeps the field of every object."""
        return self.left_out is _never


_SERVICE_ALLOCATION = "kubernetes pkg/registry/core/service/storage/alloc.go"
_CLAIM_CONTROLLER = "kubernetes pkg/controller/volume/persistentvolume/pv_controller.go"
_CLAIM_DATA_SOURCE = "kubernetes pkg/api/persistentvolumeclaim/util.go"
_STORAGE_CLASS = "kubernetes plugin/pkg/admission/storage/storageclass/setdefault/admission.go"
_ACCOUNT_TOKENS = "kubernetes pkg/controller/serviceaccount/tokens_controller.go"
_CORE_DEFAULTS = "kubernetes pkg/apis/core/v1/defaults.go"
_SECURITY_CONTEXT = "openshift cluster-policy-controller pkg/security/controller"
_PULL_SECRETS = "openshift openshift-controller-manager pkg/serviceaccounts/controllers"
_VM_MUTATOR = "kubevirt pkg/virt-api/webhooks/mutating-webhook/mutators/vm-mutator.go"
_MATCHERS = "kubevirt pkg/instancetype/webhooks/vm/mutator.go"
_REVISIONS = "kubevirt pkg/instancetype/revision"
_MAC_POOL = "kubemacpool pkg/pool-manager/virtualmachine_pool.go"
_ARGO_CD = "argo-cd common/common.go"
_FLUX = "flux kustomize-controller internal/controller/kustomization_controller.go"
_FLUX_HELM = "flux helm-controller internal/postrender"

ALLOCATED_FIELDS = (
    AllocatedField(
        "PersistentVolumeClaim", ("spec", "volumeName"), _CLAIM_CONTROLLER, _is_bound_by_controller
    ),
    AllocatedField(_CLAIM, ("spec", "storageClassName"), _STORAGE_CLASS),
    AllocatedField(_CLAIM, ("spec", "dataSource"), _CLAIM_DATA_SOURCE),
    AllocatedField(_CLAIM, ("spec", "dataSourceRef"), _CLAIM_DATA_SOURCE),
    AllocatedField("Service", ("spec", "clusterIP"), _SERVICE_ALLOCATION, _is_not_headless),
    AllocatedField("Service", ("spec", "clusterIPs"), _SERVICE_ALLOCATION, _is_not_headless),
    AllocatedField("Service", ("spec", "healthCheckNodePort"), _SERVICE_ALLOCATION, _always),
    AllocatedField("Service", ("spec", "ipFamilies"), _SERVICE_ALLOCATION),
    AllocatedField("Service", ("spec", "ipFamilyPolicy"), _SERVICE_ALLOCATION),
    AllocatedField("Service", ("spec", "ports", ANY, "nodePort"), _SERVICE_ALLOCATION),
    AllocatedField(
        "Namespace", ("spec", "finalizers"), "kubernetes pkg/registry/core/namespace/strategy.go", _always
    ),
    AllocatedField(
        "Namespace",
        (*_LABELS, "kubernetes.io/metadata.name"),
        "kubernetes pkg/apis/core/v1/defaults.go",
        _always,
    ),
    AllocatedField("Namespace", (*_ANNOTATIONS, "openshift.io/sa.scc.mcs"), _SECURITY_CONTEXT, _always),
    AllocatedField(
        "Namespace", (*_ANNOTATIONS, "openshift.io/sa.scc.supplemental-groups"), _SECURITY_CONTEXT, _always
    ),
    AllocatedField("Namespace", (*_ANNOTATIONS, "openshift.io/sa.scc.uid-range"), _SECURITY_CONTEXT, _always),
    AllocatedField("ServiceAccount", ("secrets",), _ACCOUNT_TOKENS, _always),
    AllocatedField("ServiceAccount", ("imagePullSecrets",), _PULL_SECRETS),
    AllocatedField(VM, (*_TEMPLATE, "spec", "architecture"), _VM_MUTATOR),
    AllocatedField(VM, (*_DOMAIN, "machine", "type"), _VM_MUTATOR),
    AllocatedField(VM, (*_DOMAIN, "firmware", "uuid"), _VM_MUTATOR),
    AllocatedField(VM, (*_DOMAIN, "firmware", "serial"), _VM_MUTATOR),
    AllocatedField(VM, (*_DOMAIN, "devices", "interfaces", ANY, "macAddress"), _MAC_POOL),
    AllocatedField(
        VM,
        (*_TEMPLATE, *_ANNOTATIONS, "kubevirt.io/pci-topology-version"),
        "kubevirt pkg/virt-controller/watch/vm/vm.go",
    ),
    AllocatedField(VM, ("spec", "instancetype", "kind"), _MATCHERS),
    AllocatedField(VM, ("spec", "instancetype", "revisionName"), _REVISIONS),
    AllocatedField(VM, ("spec", "preference", "kind"), _MATCHERS),
    AllocatedField(VM, ("spec", "preference", "revisionName"), _REVISIONS),
    AllocatedField(VM, (*_VOLUME_TEMPLATE, "pvc", "storageClassName"), _MATCHERS),
    AllocatedField(VM, (*_VOLUME_TEMPLATE, "storage", "storageClassName"), _MATCHERS),
    *(AllocatedField("", (*_ANNOTATIONS, key), source, _always) for key, source in COPIES.items()),
)

#: Labels and annotations by which Argo CD and Flux know what they deploy, and their notes. One that an import
#: keeps may be the user's.
TRACKING_MARKS = (
    AllocatedField("", (*_ANNOTATIONS, "argocd.argoproj.io/tracking-id"), _ARGO_CD, _always),
    AllocatedField("", (*_ANNOTATIONS, "argocd.argoproj.io/installation-id"), _ARGO_CD, _always),
    AllocatedField("", (*_LABELS, "app.kubernetes.io/instance"), _ARGO_CD),
    AllocatedField("", (*_LABELS, "argocd.argoproj.io/instance"), _ARGO_CD),
    AllocatedField("", (*_LABELS, "kustomize.toolkit.fluxcd.io/name"), _FLUX, _always),
    AllocatedField("", (*_LABELS, "kustomize.toolkit.fluxcd.io/namespace"), _FLUX, _always),
    AllocatedField("", (*_ANNOTATIONS, "kustomize.toolkit.fluxcd.io/checksum"), _FLUX),
    AllocatedField("", (*_LABELS, "helm.toolkit.fluxcd.io/name"), _FLUX_HELM),
    AllocatedField("", (*_LABELS, "helm.toolkit.fluxcd.io/namespace"), _FLUX_HELM),
)
_TRACKING_KEYS = frozenset(row.path[-1] for row in TRACKING_MARKS)
_METADATA = 3  # segments of the path of a label or annotation


def is_tracking(field: FieldPath) -> bool:
    """Tell whether a field is a label or annotation by which Argo CD or Flux knows the object."""
    segments = field.segments
    return (
        len(segments) == _METADATA
        and segments[:2] in (_LABELS, _ANNOTATIONS)
        and segments[2] in _TRACKING_KEYS
    )


def is_chosen_by_cluster(gvk: Gvk, field: FieldPath) -> bool:
    """Tell whether the cluster chooses the value of a field where nobody writes one."""
    if gvk.group and not is_kubevirt_group(gvk.group):
        return False
    return any(_matches(row.path, field) for row in ALLOCATED_FIELDS if row.kind in ("", gvk.kind))


def _matches(pattern: tuple[str, ...], field: FieldPath) -> bool:
    if len(pattern) != len(field.segments):
        return False
    return all(part in (ANY, segment) for part, segment in zip(pattern, field.segments, strict=True))


def fields_to_leave_out(content: JsonObject) -> Iterator[tuple[str, ...]]:
    """Yield the paths of the allocated fields of an object that an import leaves out."""
    kind = text_at(content, "kind")
    for row in (*ALLOCATED_FIELDS, *TRACKING_MARKS):
        if (
            row.kind in ("", kind)
            and row.path[-1] in object_at(content, *row.path[:-1])
            and row.left_out(content)
        ):
            yield row.path
