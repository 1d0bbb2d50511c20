"""An annotation or label is on the machine, but only its template's counts, or the reverse.

virt-controller makes an instance of `spec.template`, and a pod of the instance: what is in
`spec.template.metadata` is on both of them (`setupVMIFromVM` in `pkg/virt-controller/watch/vm/vm.go`,
`filterVMIAnnotationsForPod` in `pkg/virt-controller/services/template.go`). What is in the `metadata` of the
VirtualMachine itself stays there. So settings that KubeVirt reads from the instance, and those that
Multus, Istio, the descheduler and others read from the pod, have no effect on the VirtualMachine. Settings
for Flux, Argo CD and vmrender have no effect in the template.

Wrong:

```yaml
kind: VirtualMachine
metadata:
  name: web
  annotations:
    descheduler.alpha.kubernetes.io/evict: "true"
```

Right:

```yaml
kind: VirtualMachine
metadata:
  name: web
spec:
  template:
    metadata:
      annotations:
        descheduler.alpha.kubernetes.io/evict: "true"
```

An annotation in both places is not reported. One whose key is nearly a key that KubeVirt reads, such as
`hooks.kubevirt.io/hookSideCars`, is reported wherever it is. So is an option in
`argocd.argoproj.io/sync-options` that Argo CD ignores, such as `Prune=no`: it would delete the machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from renderer.checks.rules.context import Context
from renderer.checks.rules.rule import Finding, MachineCheck, Rule
from renderer.kubevirt.facts.confidential.fields import IGNITION
from renderer.kubevirt.facts.image_sources import HOOK_SIDECARS
from renderer.kubevirt.facts.kinds import KUBEVIRT_GROUP
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.codes import Code
from renderer.model.field_edit import MoveField, RenameField, SetField
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.kube.sharing import once_for_same
from renderer.model.near_miss import is_near_miss
from renderer.model.rule_settings import Level
from renderer.model.sync_options import (
    HOOK_ANNOTATION,
    SYNC_OPTIONS_ANNOTATION,
    SYNC_WAVE_ANNOTATION,
    ignored_option,
)

#: Annotations that only count in a template, and who reads them there. A key that ends with ``/`` is a prefix
#: of annotations. KubeVirt ``staging/src/kubevirt.io/api/core/v1/types.go`` and
#: ``pkg/virt-launcher/virtwrap/converter``, ``pkg/hooks/hooks.go``, ``pkg/network/istio``,
#: ``pkg/virt-controller/watch/descheduler``; https://github.com/k8snetworkplumbingwg/multi-net-spec,
#: https://istio.io/latest/docs/reference/config/annotations, cluster-autoscaler's FAQ.
_IN_TEMPLATE: Mapping[str, str] = {
    "kubevirt.io/allow-pod-bridge-network-live-migration": "KubeVirt",
    "kubevirt.io/disablePCIHole64": "KubeVirt",
    "kubevirt.io/free-page-reporting-disabled": "KubeVirt",
    IGNITION: "KubeVirt",
    "kubevirt.io/image-volume-skip-digest-resolution": "KubeVirt",
    "kubevirt.io/keep-launcher-alive-after-failure": "KubeVirt",
    "kubevirt.io/libvirt-log-filters": "KubeVirt",
    "kubevirt.io/memfd": "KubeVirt",
    "kubevirt.io/pause-guest-agent-probes": "KubeVirt",
    "kubevirt.io/pci-topology-version": "KubeVirt",
    "kubevirt.io/placePCIDevicesOnRootComplex": "KubeVirt",
    "kubevirt.io/qgs-socket-path": "KubeVirt",
    "kubevirt.io/skip-backup-hooks": "KubeVirt",
    HOOK_SIDECARS: "KubeVirt",
    "k8s.v1.cni.cncf.io/": "Multus",
    "v1.multus-cni.io/default-network": "Multus",
    "cni.projectcalico.org/": "Calico",
    "kubernetes.io/ingress-bandwidth": "the network plugin",
    "kubernetes.io/egress-bandwidth": "the network plugin",
    "descheduler.alpha.kubernetes.io/evict": "the descheduler",
    "descheduler.alpha.kubernetes.io/prefer-no-eviction": "the descheduler",
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "the cluster autoscaler",
    "sidecar.istio.io/": "Istio",
    "traffic.sidecar.istio.io/": "Istio",
    "proxy.istio.io/": "Istio",
}
#: The same for labels.
_LABELS_IN_TEMPLATE: Mapping[str, str] = {
    "sidecar.istio.io/inject": "Istio",
    "istio.io/dataplane-mode": "Istio",
    "istio.io/rev": "Istio",
}
#: Annotations that only count in the metadata of the object in Git, and who reads them there.
_ON_OBJECT: Mapping[str, str] = {
    HOOK_ANNOTATION: "Argo CD",
    SYNC_WAVE_ANNOTATION: "Argo CD",
    SYNC_OPTIONS_ANNOTATION: "Argo CD",
    "ignore.vmrender.io/": "vmrender",
    "kubevirt.io/immediate-data-volume-creation": "KubeVirt",
    "kustomize.toolkit.fluxcd.io/": "Flux",
}
_ANNOTATIONS, _LABELS = ("metadata", "annotations"), ("metadata", "labels")

#: The keys that KubeVirt reads, anywhere.
_OF_KUBEVIRT = tuple(
    key for keys in (_IN_TEMPLATE, _ON_OBJECT) for key, reader in keys.items() if reader == "KubeVirt"
)


@once_for_same
def _misspelt_keys(annotations: JsonObject) -> tuple[tuple[str, str], ...]:
    """Return the keys that are nearly one that KubeVirt reads, each with that."""
    found = []
    for key in annotations:
        if key not in _OF_KUBEVIRT and KUBEVIRT_GROUP in key:
            meant = [each for each in _OF_KUBEVIRT if _is_misspelt(key, each)]
            if len(meant) == 1 and meant[0] not in annotations:
                found.append((key, meant[0]))
    return tuple(found)


def _is_misspelt(key: str, meant: str) -> bool:
    return key.lower() == meant.lower() or is_near_miss(key.lower(), meant.lower())


def _check_machine(_: Context, machine: VirtualMachineView) -> Iterator[Finding]:
    content, template = machine.resource.content, machine.paths.template
    for path in {ROOT: None, template: None}:
        for key, meant in _misspelt_keys(object_at(content, *path.keys, *_ANNOTATIONS)):
            at = path.child(*_ANNOTATIONS, key)
            message = f"nothing reads the annotation {key}, and KubeVirt reads {meant}"
            yield Finding(machine.resource, at, message, f"did you mean {meant}?", fix=RenameField(at, meant))
    yield from _ignored_sync_options(machine)
    if template == ROOT:
        return
    outer = [ROOT] if machine.paths.machine in (ROOT, None) else [ROOT, machine.paths.machine]
    inner = object_at(content, *template.keys)
    for path in outer:
        here = object_at(content, *path.keys)
        for kind, readers in ((_ANNOTATIONS, _IN_TEMPLATE), (_LABELS, _LABELS_IN_TEMPLATE)):
            in_template = object_at(inner, *kind)
            for key, reader in _read_elsewhere(object_at(here, *kind), in_template, readers):
                yield _finding(machine, path.child(*kind, key), reader, template.child(*kind))
    on_object = object_at(content, *_ANNOTATIONS)
    for key, reader in _read_elsewhere(object_at(inner, *_ANNOTATIONS), on_object, _ON_OBJECT):
        yield _finding(machine, template.child(*_ANNOTATIONS, key), reader, FieldPath.of(*_ANNOTATIONS))


def _ignored_sync_options(machine: VirtualMachineView) -> Iterator[Finding]:
    """Yield a finding for each sync option of the machine that Argo CD ignores: it may then be pruned."""
    options = text_at(machine.resource.annotations, SYNC_OPTIONS_ANNOTATION).split(",")
    at = FieldPath.of(*_ANNOTATIONS, SYNC_OPTIONS_ANNOTATION)
    for index, option in enumerate(map(str.strip, options)):
        ignored = ignored_option(option) if option else None
        if ignored:
            corrected = ",".join((*options[:index], ignored.meant, *options[index + 1 :]))
            fix = SetField(at, corrected) if ignored.meant else None
            yield Finding(machine.resource, at, ignored.message, ignored.hint, fix=fix)


def _read_elsewhere(
    written: JsonObject, elsewhere: JsonObject, readers: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield the keys of ``written`` that only count elsewhere and are missing there, and who reads them."""
    for key in written:
        reader = readers.get(key) or readers.get(f"{key.partition('/')[0]}/")
        if reader and key not in elsewhere:
            yield key, reader


def _finding(machine: VirtualMachineView, field: FieldPath, reader: str, right: FieldPath) -> Finding:
    message = f"{field.segments[-1]} has no effect here: {reader} reads it from {right}"
    fix = MoveField(field, right.child(field.segments[-1]))
    return Finding(machine.resource, field, message, f"move it to {right}", fix=fix)


RULE = Rule(Code.MISPLACED_ANNOTATION, Level.WARNING, MachineCheck(_check_machine), __doc__)
