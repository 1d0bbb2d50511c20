"""The fields of a virtual machine that name container images, relative to the spec of its instance.

KubeVirt ``staging/src/kubevirt.io/api/core/v1/schema.go`` (``ContainerDiskSource``, ``KernelBootContainer``).
The URL of a DataVolume's registry is not one of them: the image is imported once, and CDI refuses another.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping

from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.kube.field_path import Segment
from renderer.model.kube.json import JsonObject, array_at, object_at, text_at

_DISK = ("containerDisk", "image")
_KERNEL = ("domain", "firmware", "kernelBoot", "container", "image")
#: Paths of fields; a path goes through every element of the lists on its way.
IMAGE_FIELDS = ("/".join(("volumes", *_DISK)), "/".join(_KERNEL))
_OCI_SCHEME = "docker://"


def machine_images(machine: VirtualMachineView) -> Iterator[tuple[tuple[Segment, ...], str]]:
    """Yield path and text of the images that a virtual machine starts from."""
    for index, volume in machine.volumes:
        image = text_at(volume, *_DISK) if _DISK[0] in volume else ""
        if image:
            yield ("volumes", index, *_DISK), image
    kernel = text_at(machine.instance, *_KERNEL)
    if kernel:
        yield _KERNEL, kernel


def imported_images(content: JsonObject) -> Iterator[str]:
    """Yield the images that CDI imports for an object, a DataVolume, DataImportCron or VirtualMachine."""
    spec = object_at(content, "spec")
    templates = (spec, object_at(spec, "template", "spec"), *(_template_specs(spec)))
    for each in templates:
        url = text_at(each, "source", "registry", "url")
        if url.startswith(_OCI_SCHEME):
            yield url.removeprefix(_OCI_SCHEME)


def with_tag(image: str) -> str:
    """Return the name of an image without a digest, with the tag that runtimes assume if it has none."""
    return image if ":" in posixpath.basename(image) else f"{image}:latest"


def image_digests(images: Iterable[str]) -> Mapping[str, frozenset[str]]:
    """Return the digests beside the tags of images, by repository and tag."""
    found: dict[str, set[str]] = {}
    for image in images:
        name, _, digest = image.partition("@")
        if digest and ":" in posixpath.basename(name):
            found.setdefault(name, set()).add(digest)
    return {name: frozenset(digests) for name, digests in found.items()}


def _template_specs(spec: JsonObject) -> Iterator[JsonObject]:
    for machine in (spec, object_at(spec, "virtualMachineTemplate", "spec")):
        for template in array_at(machine, "dataVolumeTemplates"):
            yield object_at(template, "spec")
