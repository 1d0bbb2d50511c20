"""The fields of a virtual machine that name container images, relative to the spec of its instance.

KubeVirt ``staging/src/kubevirt.io/api/core/v1/schema.go`` (``ContainerDiskSource``, ``KernelBootContainer``).
The URL of a DataVolume's registry is not one of them: the image is imported once, and CDI refuses another.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.kube.json import JsonObject, array_at, object_at, text_at

#: Paths of fields; a path goes through every element of the lists on its way.
IMAGE_FIELDS = ("volumes/containerDisk/image", "domain/firmware/kernelBoot/container/image")
_OCI_SCHEME = "docker://"


def machine_images(machine: VirtualMachineView) -> Iterator[str]:
    """Yield the images that a virtual machine starts from."""
    images = [text_at(volume, "containerDisk", "image") for _, volume in machine.volumes]
    images.append(text_at(machine.instance, "domain", "firmware", "kernelBoot", "container", "image"))
    yield from filter(None, images)


def imported_images(content: JsonObject) -> Iterator[str]:
    """Yield the images that CDI imports for an object, a DataVolume, DataImportCron or VirtualMachine."""
    spec = object_at(content, "spec")
    templates = (spec, object_at(spec, "template", "spec"), *(_template_specs(spec)))
    for each in templates:
        url = text_at(each, "source", "registry", "url")
        if url.startswith(_OCI_SCHEME):
            yield url.removeprefix(_OCI_SCHEME)


def _template_specs(spec: JsonObject) -> Iterator[JsonObject]:
    for machine in (spec, object_at(spec, "virtualMachineTemplate", "spec")):
        for template in array_at(machine, "dataVolumeTemplates"):
            yield object_at(template, "spec")
