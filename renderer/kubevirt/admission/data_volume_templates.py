"""``dataVolumeTemplates`` (KubeVirt ``pkg/storage/admitters/data-volume-template.go``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from renderer.kubevirt.admission.causes import Cause, Causes, invalid, required
from renderer.kubevirt.admission.vmi_spec import VmiSpec, VmSpec, has, section, text
from renderer.kubevirt.facts.cluster import Cluster
from renderer.model.field_edit import RemoveField
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import JsonObject
from renderer.model.suggest import suggest

_SOURCES = (
    "http",
    "s3",
    "gcs",
    "registry",
    "pvc",
    "upload",
    "blank",
    "imageio",
    "vddk",
    "snapshot",
)


def check_template_names_and_uses(vm: VmSpec, _: Cluster) -> Causes:
    """Check that each template has a name, and that a volume uses it."""
    uses = _Uses(vm)
    for index in range(len(vm.templates)):
        yield from filter(None, (_name_problem(vm, index), uses.problem(index)))


def check_templates(vm: VmSpec, _: Cluster, *, may_be_populated: bool) -> Causes:
    """Yield the first problem of each template; ``may_be_populated``: a dataSource can replace its source."""
    uses = _Uses(vm)
    for index in range(len(vm.templates)):
        problem = (
            _name_problem(vm, index)
            or _target_problem(vm, index, may_be_populated=may_be_populated)
            or uses.problem(index)
        )
        if problem is not None:
            yield problem


def _name_of(template: JsonObject) -> str:
    return text(section(template, "metadata"), "name")


def _reported_path(vm: VmSpec, index: int, *segments: Segment) -> FieldPath:
    """Return the field by KubeVirt's name for it, in the singular."""
    return vm.at("dataVolumeTemplate", index, *segments)


def _name_problem(vm: VmSpec, index: int) -> Cause | None:
    if _name_of(vm.templates[index]):
        return None
    at = vm.at("dataVolumeTemplates", index, "metadata", "name")
    return required(at, "the dataVolumeTemplate has no name", reported=_reported_path(vm, index, "name"))


class _Uses:
    """The names that the volumes of a machine have of its templates."""

    def __init__(self, vm: VmSpec) -> None:
        self._vm = vm
        self._named = frozenset(_volumes_of_claims(vm.vmi))

    @cached_property
    def _unmatched(self) -> Sequence[str]:
        """The names in volumes that no template has."""
        return sorted(self._named.difference(map(_name_of, self._vm.templates)))

    def problem(self, index: int) -> Cause | None:
        """Return a problem unless a volume has the template's name."""
        name = _name_of(self._vm.templates[index])
        if name in self._named:
            return None
        suggested = suggest(name, self._unmatched, most=1)
        if suggested:
            hint = f"a volume names {suggested[0]}: did you mean {name} there?"
        else:
            hint = f"add a volume with dataVolume.name: {name}"
        return required(
            self._vm.at("dataVolumeTemplates", index, "metadata", "name"),
            f"no volume uses the dataVolumeTemplate {name}",
            hint,
            reported=_reported_path(self._vm, index),
        )


def check_template_namespaces(vm: VmSpec, namespace: str) -> Causes:
    """Reject templates for a namespace other than ``namespace`` (``authorizeVirtualMachineSpec``)."""
    if not namespace:
        return
    for index, template in enumerate(vm.templates):
        other = text(section(template, "metadata"), "namespace")
        if other and other != namespace:
            place = vm.at("dataVolumeTemplates", index)
            message = f"the dataVolumeTemplate is for the namespace {other}, the VM in {namespace}"
            at = place.child("metadata", "namespace")
            yield invalid(at, message, "drop it", reported=place, fix=RemoveField(at))


def _volumes_of_claims(vmi: VmiSpec) -> Iterator[str]:
    for volume in vmi.volumes:
        for source, key in (("persistentVolumeClaim", "claimName"), ("dataVolume", "name")):
            if has(volume, source):
                yield text(section(volume, source), key)


def _target_problem(vm: VmSpec, index: int, *, may_be_populated: bool) -> Cause | None:
    spec = section(vm.templates[index], "spec")
    targets = [target for target in ("pvc", "storage") if has(spec, target)]
    if len(targets) != 1:
        problem = "both storage and pvc" if targets else "neither storage nor pvc"
        message = f"the dataVolumeTemplate has {problem}; it needs one"
        return invalid(_spec_at(vm, index), message, reported=_reported_path(vm, index, "PVC", "Storage"))
    target = section(spec, targets[0])
    populated = has(target, "dataSourceRef") or has(target, "dataSource")
    if populated and (has(spec, "source") or has(spec, "sourceRef")):
        message = "a volume that dataSource or dataSourceRef fills cannot have source or sourceRef"
        hint, reported = "keep one of them", _reported_path(vm, index, "source")
        return invalid(_spec_at(vm, index), message, hint, reported=reported)
    is_filled = populated and may_be_populated
    if not is_filled and not has(spec, "source") and not has(spec, "sourceRef"):
        hint, reported = (
            "add source, sourceRef, or a dataSourceRef",
            _reported_path(vm, index, "source", "sourceRef"),
        )
        message = "the dataVolumeTemplate has no source for its data"
        return invalid(_spec_at(vm, index), message, hint, reported=reported)
    return _source_problem(vm, index) if has(spec, "source") else None


def _spec_at(vm: VmSpec, index: int) -> FieldPath:
    return vm.at("dataVolumeTemplates", index, "spec")


def _source_problem(vm: VmSpec, index: int) -> Cause | None:
    source = section(section(vm.templates[index], "spec"), "source")
    sources = [kind for kind in _SOURCES if has(source, kind)]
    if len(sources) == 1:
        return None
    problem = f"more than one kind: {', '.join(sources)}" if sources else f"none of {', '.join(_SOURCES)}"
    at = _spec_at(vm, index).child("source")
    return invalid(at, f"source has {problem}", reported=_reported_path(vm, index, "source"))
