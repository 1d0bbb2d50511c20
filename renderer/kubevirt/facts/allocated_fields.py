"""The fields, by kind, whose values a cluster chooses or allocates if nobody writes them.

``vmrender import`` leaves out the values that mean nothing in another cluster (``adopt.dump.user_objects``);
for ``diff --live`` a value that only the cluster has is not drift (``diff.server_defaults``). An import keeps
the values that identify a machine or its data: MAC addresses, the firmware's UUID and serial, the machine
type, a storage class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from renderer.golang.booleans import FALSE
from renderer.kubevirt.facts.confidential.fields import COPIES
from renderer.kubevirt.facts.kinds import CDI_GROUP, CLAIM, DATA_VOLUME, KUBEVIRT_GROUP, VM
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.kube.res_id import Gvk
from renderer.model.record import Record

#: Matches any key or element in a path.
ANY = "*"
_CLAIM = ("", CLAIM)
_SERVICE = ("", "Service")
_NAMESPACE = ("", "Namespace")
_SERVICE_ACCOUNT = ("", "ServiceAccount")
_MACHINE = (KUBEVIRT_GROUP, VM)
_DATA_VOLUME = (CDI_GROUP, DATA_VOLUME)
_ALL_KINDS = ("", "")
_ANNOTATIONS = ("metadata", "annotations")
_LABELS = ("metadata", "labels")
_TEMPLATE = ("spec", "template")
_VOLUME_TEMPLATE = ("spec", "dataVolumeTemplates", ANY, "spec")
_DOMAIN = (*_TEMPLATE, "spec", "domain")
_USE_POPULATOR = f"{CDI_GROUP}/storage.usePopulator"
#: With these, a DataVolume takes over a claim: CDI writes them, and so do people who restore a claim.
_POPULATED_FOR, _PRE_POPULATED = f"{CDI_GROUP}/storage.populatedFor", f"{CDI_GROUP}/storage.prePopulated"
_BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"
_SERVICE_ALLOCATION_SOURCE = "kubernetes pkg/registry/core/service/storage/alloc.go"
_CLAIM_CONTROLLER_SOURCE = "kubernetes pkg/controller/volume/persistentvolume/pv_controller.go"
_CLAIM_UTIL_SOURCE = "kubernetes pkg/api/persistentvolumeclaim/util.go"
_STORAGE_CLASS_SOURCE = "kubernetes plugin/pkg/admission/storage/storageclass/setdefault/admission.go"
_ACCOUNT_TOKENS_SOURCE = "kubernetes pkg/controller/serviceaccount/tokens_controller.go"
_CORE_DEFAULTS_SOURCE = "kubernetes pkg/apis/core/v1/defaults.go"
_SECURITY_CONTEXT_SOURCE = "openshift cluster-policy-controller pkg/security/controller"
_PULL_SECRETS_SOURCE = "openshift openshift-controller-manager pkg/serviceaccounts/controllers"
_VM_MUTATOR_SOURCE = "kubevirt pkg/virt-api/webhooks/mutating-webhook/mutators/vm-mutator.go"
_MATCHER_SOURCE = "kubevirt pkg/instancetype/webhooks/vm/mutator.go"
_REVISION_SOURCE = "kubevirt pkg/instancetype/revision"
_POPULATOR_SOURCE = "containerized-data-importer pkg/controller/datavolume/util.go"
_ADOPTION_SOURCE = "containerized-data-importer pkg/controller/datavolume/controller-base.go"
_MAC_POOL_SOURCE = "kubemacpool pkg/pool-manager/virtualmachine_pool.go"
_ARGO_CD_SOURCE = "argo-cd common/common.go"
_FLUX_SOURCE = "flux kustomize-controller internal/controller/kustomization_controller.go"
_FLUX_HELM_SOURCE = "flux helm-controller internal/postrender"


def _always(_: JsonObject) -> bool:
    return True


def _never(_: JsonObject) -> bool:
    return False


def _is_bound_by_controller(claim: JsonObject) -> bool:
    return text_at(claim, *_ANNOTATIONS, _BOUND_BY_CONTROLLER) == "yes"


def _uses_populator(volume: JsonObject) -> bool:
    """Return True if CDI may have written the annotation; ``"false"`` may be a person's decision."""
    written = text_at(volume, *_ANNOTATIONS, _USE_POPULATOR)
    return written not in FALSE


def _is_not_headless(service: JsonObject) -> bool:
    return text_at(service, "spec", "clusterIP") != "None"


class AllocatedField(Record):
    """A field whose value the cluster chooses in objects of ``kind``; in all kinds if ``kind`` is empty.

    ``group`` is the API group of the kind, empty for the core group. ``source`` is the upstream file that
    fills in the field. ``left_out`` is True if an import removes the field from an object; it is never True
    if ``path`` has ``ANY``.
    """

    group: str
    kind: str
    path: tuple[str, ...]
    source: str
    left_out: Callable[[JsonObject], bool] = _never

    @property
    def is_kept(self) -> bool:
        """True if an import keeps the field in every object."""
        return self.left_out is _never

    def applies_to(self, gvk: Gvk) -> bool:
        """Return True if objects of this kind have the field."""
        return not self.kind or (self.group, self.kind) == (gvk.group, gvk.kind)


ALLOCATED_FIELDS = (
    AllocatedField(*_CLAIM, ("spec", "volumeName"), _CLAIM_CONTROLLER_SOURCE, _is_bound_by_controller),
    AllocatedField(*_CLAIM, ("spec", "storageClassName"), _STORAGE_CLASS_SOURCE),
    AllocatedField(*_CLAIM, ("spec", "dataSource"), _CLAIM_UTIL_SOURCE),
    AllocatedField(*_CLAIM, ("spec", "dataSourceRef"), _CLAIM_UTIL_SOURCE),
    AllocatedField(*_CLAIM, (*_ANNOTATIONS, _USE_POPULATOR), _POPULATOR_SOURCE, _uses_populator),
    AllocatedField(*_DATA_VOLUME, (*_ANNOTATIONS, _USE_POPULATOR), _POPULATOR_SOURCE, _uses_populator),
    AllocatedField(*_CLAIM, (*_ANNOTATIONS, _POPULATED_FOR), _ADOPTION_SOURCE, _always),
    AllocatedField(*_DATA_VOLUME, (*_ANNOTATIONS, _PRE_POPULATED), _ADOPTION_SOURCE, _always),
    AllocatedField(*_SERVICE, ("spec", "clusterIP"), _SERVICE_ALLOCATION_SOURCE, _is_not_headless),
    AllocatedField(*_SERVICE, ("spec", "clusterIPs"), _SERVICE_ALLOCATION_SOURCE, _is_not_headless),
    AllocatedField(*_SERVICE, ("spec", "healthCheckNodePort"), _SERVICE_ALLOCATION_SOURCE, _always),
    AllocatedField(*_SERVICE, ("spec", "ipFamilies"), _SERVICE_ALLOCATION_SOURCE),
    AllocatedField(*_SERVICE, ("spec", "ipFamilyPolicy"), _SERVICE_ALLOCATION_SOURCE),
    AllocatedField(*_SERVICE, ("spec", "ports", ANY, "nodePort"), _SERVICE_ALLOCATION_SOURCE),
    AllocatedField(
        *_NAMESPACE, ("spec", "finalizers"), "kubernetes pkg/registry/core/namespace/strategy.go", _always
    ),
    AllocatedField(
        *_NAMESPACE,
        (*_LABELS, "kubernetes.io/metadata.name"),
        _CORE_DEFAULTS_SOURCE,
        _always,
    ),
    AllocatedField(
        *_NAMESPACE, (*_ANNOTATIONS, "openshift.io/sa.scc.mcs"), _SECURITY_CONTEXT_SOURCE, _always
    ),
    AllocatedField(
        *_NAMESPACE,
        (*_ANNOTATIONS, "openshift.io/sa.scc.supplemental-groups"),
        _SECURITY_CONTEXT_SOURCE,
        _always,
    ),
    AllocatedField(
        *_NAMESPACE, (*_ANNOTATIONS, "openshift.io/sa.scc.uid-range"), _SECURITY_CONTEXT_SOURCE, _always
    ),
    AllocatedField(*_SERVICE_ACCOUNT, ("secrets",), _ACCOUNT_TOKENS_SOURCE, _always),
    AllocatedField(*_SERVICE_ACCOUNT, ("imagePullSecrets",), _PULL_SECRETS_SOURCE),
    AllocatedField(*_MACHINE, (*_TEMPLATE, "spec", "architecture"), _VM_MUTATOR_SOURCE),
    AllocatedField(*_MACHINE, (*_DOMAIN, "machine", "type"), _VM_MUTATOR_SOURCE),
    AllocatedField(*_MACHINE, (*_DOMAIN, "firmware", "uuid"), _VM_MUTATOR_SOURCE),
    AllocatedField(*_MACHINE, (*_DOMAIN, "firmware", "serial"), _VM_MUTATOR_SOURCE),
    AllocatedField(*_MACHINE, (*_DOMAIN, "devices", "interfaces", ANY, "macAddress"), _MAC_POOL_SOURCE),
    AllocatedField(
        *_MACHINE,
        (*_TEMPLATE, *_ANNOTATIONS, "kubevirt.io/pci-topology-version"),
        "kubevirt pkg/virt-controller/watch/vm/vm.go",
    ),
    AllocatedField(*_MACHINE, ("spec", "instancetype", "kind"), _MATCHER_SOURCE),
    AllocatedField(*_MACHINE, ("spec", "instancetype", "revisionName"), _REVISION_SOURCE),
    AllocatedField(*_MACHINE, ("spec", "preference", "kind"), _MATCHER_SOURCE),
    AllocatedField(*_MACHINE, ("spec", "preference", "revisionName"), _REVISION_SOURCE),
    AllocatedField(*_MACHINE, (*_VOLUME_TEMPLATE, "pvc", "storageClassName"), _MATCHER_SOURCE),
    AllocatedField(*_MACHINE, (*_VOLUME_TEMPLATE, "storage", "storageClassName"), _MATCHER_SOURCE),
    *(AllocatedField(*_ALL_KINDS, (*_ANNOTATIONS, key), source, _always) for key, source in COPIES.items()),
)

#: Annotations that direct CDI: where a person or an engine applied one, an import keeps it.
DECISIONS = frozenset((*_ANNOTATIONS, key) for key in (_USE_POPULATOR, _POPULATED_FOR, _PRE_POPULATED))

#: Labels and annotations by which Argo CD and Flux recognise the objects that they deploy, and their notes.
#: An import keeps the ones without ``_always``, because people set such labels, too.
TRACKING_MARKS = (
    AllocatedField(*_ALL_KINDS, (*_ANNOTATIONS, "argocd.argoproj.io/tracking-id"), _ARGO_CD_SOURCE, _always),
    AllocatedField(
        *_ALL_KINDS, (*_ANNOTATIONS, "argocd.argoproj.io/installation-id"), _ARGO_CD_SOURCE, _always
    ),
    AllocatedField(*_ALL_KINDS, (*_LABELS, "app.kubernetes.io/instance"), _ARGO_CD_SOURCE),
    AllocatedField(*_ALL_KINDS, (*_LABELS, "argocd.argoproj.io/instance"), _ARGO_CD_SOURCE),
    AllocatedField(*_ALL_KINDS, (*_LABELS, "kustomize.toolkit.fluxcd.io/name"), _FLUX_SOURCE, _always),
    AllocatedField(*_ALL_KINDS, (*_LABELS, "kustomize.toolkit.fluxcd.io/namespace"), _FLUX_SOURCE, _always),
    AllocatedField(*_ALL_KINDS, (*_ANNOTATIONS, "kustomize.toolkit.fluxcd.io/checksum"), _FLUX_SOURCE),
    AllocatedField(*_ALL_KINDS, (*_LABELS, "helm.toolkit.fluxcd.io/name"), _FLUX_HELM_SOURCE, _always),
    AllocatedField(*_ALL_KINDS, (*_LABELS, "helm.toolkit.fluxcd.io/namespace"), _FLUX_HELM_SOURCE, _always),
)
_TRACKING_PATHS = frozenset(row.path for row in TRACKING_MARKS)


def is_tracking(field: FieldPath) -> bool:
    """Return True if a field is a label or annotation by which Argo CD or Flux recognises the object."""
    return field.segments in _TRACKING_PATHS


def is_chosen_by_cluster(gvk: Gvk, field: FieldPath) -> bool:
    """Return True if the cluster chooses the value of a field when nobody writes one."""
    return any(row.applies_to(gvk) and _matches(row.path, field) for row in ALLOCATED_FIELDS)


def _matches(pattern: tuple[str, ...], field: FieldPath) -> bool:
    if len(pattern) != len(field.segments):
        return False
    return all(part in (ANY, segment) for part, segment in zip(pattern, field.segments, strict=True))


def fields_to_leave_out(content: JsonObject) -> Iterator[tuple[str, ...]]:
    """Yield the paths of the allocated fields that an import removes from an object."""
    gvk = Gvk.parse(text_at(content, "apiVersion"), text_at(content, "kind"))
    for row in (*ALLOCATED_FIELDS, *TRACKING_MARKS):
        if (
            row.applies_to(gvk)
            and row.path[-1] in object_at(content, *row.path[:-1])
            and row.left_out(content)
        ):
            yield row.path
