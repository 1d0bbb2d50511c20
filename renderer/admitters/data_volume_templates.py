"""``dataVolumeTemplates`` (KubeVirt ``pkg/storage/admitters/data-volume-template.go``)."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from renderer.admitters.behaviour import Behaviour
from renderer.admitters.causes import Cause, Causes, invalid, required
from renderer.admitters.cluster import Cluster
from renderer.admitters.vmi_spec import elements, has, section, text
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject

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


def check_data_volume_templates(vm_spec: JsonObject, at: FieldPath, cluster: Cluster) -> Causes:
    templates = elements(vm_spec, "dataVolumeTemplates")
    if not templates:
        return
    named = set(_volumes_of_claims(vm_spec))
    for index, template in enumerate(templates):
        place = at.child("dataVolumeTemplates", index)
        reported = at.child("dataVolumeTemplate", index)
        cause = _problem(template, place, reported, cluster.behaviour)
        name = text(section(template, "metadata"), "name")
        if cause is not None:
            yield cause
        elif name not in named:
            yield required(
                place.child("metadata", "name"),
                f"no volume uses the dataVolumeTemplate {name}",
                _use_of(name, named - {text(section(each, "metadata"), "name") for each in templates}),
                reported=reported,
            )


def _use_of(name: str, unmatched: Collection[str]) -> str:
    """How to get the template used; ``unmatched`` are names in volumes that are of no template."""
    from difflib import get_close_matches  # noqa: PLC0415 - only needed when something is wrong

    written = get_close_matches(name, sorted(unmatched), n=1)
    if written:
        return f"a volume names {written[0]}: did you mean {name} there?"
    return f"add a volume with dataVolume.name: {name}"


def check_data_volume_namespaces(
    vm_spec: JsonObject, at: FieldPath, namespace: str, cluster: Cluster
) -> Causes:
    """``validateVirtualMachineDataVolumeTemplateNamespace``"""
    if not namespace or not cluster.behaviour.checks_data_volume_sources:
        return
    for index, template in enumerate(elements(vm_spec, "dataVolumeTemplates")):
        other = text(section(template, "metadata"), "namespace")
        if other and other != namespace:
            place = at.child("dataVolumeTemplates", index)
            message = f"the dataVolumeTemplate is for the namespace {other}, the VM in {namespace}"
            yield invalid(place.child("metadata", "namespace"), message, "drop it", reported=place)


def _volumes_of_claims(vm_spec: JsonObject) -> Iterator[str]:
    for volume in elements(section(section(vm_spec, "template"), "spec"), "volumes"):
        for source, key in (("persistentVolumeClaim", "claimName"), ("dataVolume", "name")):
            if has(volume, source):
                yield text(section(volume, source), key)


def _problem(template: JsonObject, at: FieldPath, reported: FieldPath, behaviour: Behaviour) -> Cause | None:
    """The first thing that is wrong."""
    if not text(section(template, "metadata"), "name"):
        message = "the dataVolumeTemplate has no name"
        return required(at.child("metadata", "name"), message, reported=reported.child("name"))
    if not behaviour.checks_data_volume_sources:
        return None
    spec, at = section(template, "spec"), at.child("spec")
    targets = [target for target in ("pvc", "storage") if has(spec, target)]
    if len(targets) != 1:
        problem = "both storage and pvc" if targets else "neither storage nor pvc"
        message = f"the dataVolumeTemplate has {problem}; it needs one"
        return invalid(at, message, reported=reported.child("PVC", "Storage"))
    target = section(spec, targets[0])
    populated = has(target, "dataSourceRef") or has(target, "dataSource")
    if populated and (has(spec, "source") or has(spec, "sourceRef")):
        message = "a volume that dataSource or dataSourceRef fills has no source or sourceRef of its own"
        return invalid(at, message, "keep one of them", reported=reported.child("source"))
    is_filled = populated and behaviour.admits_populated_data_volumes
    if not is_filled and not has(spec, "source") and not has(spec, "sourceRef"):
        hint = "add source, sourceRef, or a dataSourceRef"
        message = "the dataVolumeTemplate does not say what it is filled from"
        return invalid(at, message, hint, reported=reported.child("source", "sourceRef"))
    return _source_problem(spec, at, reported) if has(spec, "source") else None


def _source_problem(spec: JsonObject, at: FieldPath, reported: FieldPath) -> Cause | None:
    given = section(spec, "source")
    sources = [source for source in _SOURCES if has(given, source)]
    if len(sources) == 1:
        return None
    problem = f"more than one: {', '.join(sources)}" if sources else f"none of {', '.join(_SOURCES)}"
    return invalid(at.child("source"), f"source is {problem}", reported=reported.child("source"))
