"""The images that objects name: of disks, kernels, sidecars, sources of disks, and containers of pods.

KubeVirt ``staging/src/kubevirt.io/api/core/v1/schema.go``, ``pkg/hooks/hooks.go``; CDI
``pkg/apis/core/v1beta1/types.go`` (``DataVolumeSource``, ``DataSourceSource``); Kubernetes ``PodSpec``. A
reference to an image is ``repository:tag@digest`` (https://github.com/distribution/reference).
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.facts.kinds import CDI_GROUP, DATA_IMPORT_CRON, is_kubevirt_group
from renderer.kubevirt.facts.pod_specs import CONTAINERS, pod_specs
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.difference import ImageName
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.pattern import pattern
from renderer.model.record import Record

HOOK_SIDECARS = "hooks.kubevirt.io/hookSidecars"
_URL_SOURCES = ("http", "s3", "gcs", "imageio", "vddk")
_OBJECT_SOURCES = ("pvc", "snapshot", "dataSource")
_REGISTRY_SCHEMES = ("docker://", "oci-archive://")
#: User and password in a URL, and what may follow its path.
_CREDENTIALS = pattern(r"^([A-Za-z][A-Za-z0-9+.-]*://)[^/?#]*@")
_QUERY = pattern(r"(?s)[?#].*$")
_MASK = "***@"


class ImageSource(Record):
    """``place`` identifies an image within its object; ``use`` is what the object does with it."""

    place: str
    use: str
    image: ImageName


def image_sources(resource: Resource) -> Iterator[ImageSource]:
    """Yield the images that an object names."""
    machine = VirtualMachineView.of(resource)
    if machine is not None:
        yield from _of_machine(machine)
    elif resource.gvk.group == CDI_GROUP:
        spec = object_at(resource.content, "spec")
        if resource.kind == DATA_IMPORT_CRON:
            spec = object_at(spec, "template", "spec")
        yield from _of_disk("", spec)
    elif not is_kubevirt_group(resource.gvk.group):
        for spec in pod_specs(resource):
            yield from _of_pod(spec)


def _of_machine(machine: VirtualMachineView) -> Iterator[ImageSource]:
    for index, volume in machine.volumes:
        image = text_at(volume, "containerDisk", "image")
        if image:
            name = text_at(volume, "name") or str(index)
            yield ImageSource(f"volume {name}", "container disk", image_name(image))
    kernel = text_at(machine.instance, "domain", "firmware", "kernelBoot", "container", "image")
    if kernel:
        yield ImageSource("kernel", "kernel", image_name(kernel))
    for index, template in machine.data_volume_templates:
        name = text_at(template, "metadata", "name") or str(index)
        yield from _of_disk(f"disk {name} ", object_at(template, "spec"))
    text = text_at(
        machine.resource.content, *machine.paths.template.keys, "metadata", "annotations", HOOK_SIDECARS
    )
    for index, sidecar in enumerate(_sidecars(text)):
        image = text_at(object_at(sidecar), "image")
        if image:
            yield ImageSource(f"sidecar {index}", "hook sidecar", image_name(image))


def _sidecars(text: str) -> list[Json]:
    if not text:
        return []
    import json  # noqa: PLC0415 - few machines have sidecars

    try:
        found = json.loads(text)
    except (ValueError, RecursionError):  # the rule about sidecars reports it
        return []
    return found if isinstance(found, list) else []


def _of_disk(place: str, spec: JsonObject) -> Iterator[ImageSource]:
    source = object_at(spec, "source")
    registry = object_at(source, "registry")
    url = text_at(registry, "url") or text_at(registry, "imageStream")
    if url:
        yield ImageSource(f"{place}source", "disk from a registry", image_name(url))
    for kind in _URL_SOURCES:
        url = text_at(source, kind, "url")
        if url:
            yield ImageSource(f"{place}source", f"disk from {kind}", url_name(url))
    for kind in _OBJECT_SOURCES:
        named = object_at(source, kind)
        if text_at(named, "name"):
            yield ImageSource(f"{place}source", f"disk from a {kind}", _object_name(named))
    reference = object_at(spec, "sourceRef")
    if text_at(reference, "name"):
        use = f"disk from a {text_at(reference, 'kind') or 'DataSource'}"
        yield ImageSource(f"{place}source", use, _object_name(reference))


def _object_name(named: JsonObject) -> ImageName:
    name, namespace = text_at(named, "name"), text_at(named, "namespace")
    return ImageName(f"{namespace}/{name}" if namespace else name)


def _of_pod(spec: JsonObject) -> Iterator[ImageSource]:
    for kind in CONTAINERS:
        for index, container in enumerate(map(object_at, array_at(spec, kind))):
            image = text_at(container, "image")
            if image:
                name = text_at(container, "name") or str(index)
                yield ImageSource(f"{kind} {name}", "container", image_name(image))


def image_name(text: str) -> ImageName:
    """Return the parts of a reference to an image: ``docker://quay.io/a/b:1@sha256:…``."""
    for scheme in _REGISTRY_SCHEMES:
        text = text.removeprefix(scheme)
    text = _QUERY.sub("", text)
    name, _, digest = text.partition("@") if "@sha" in text else (text, "", "")
    repository, colon, tag = name.rpartition(":")
    if not colon or "/" in tag:
        repository, tag = name, ""
    return ImageName(_without_credentials(repository), tag, digest)


def url_name(text: str) -> ImageName:
    """Return folder and file of a URL, without user, password, query and fragment, which may be secret."""
    folder, slash, file = _QUERY.sub("", _without_credentials(text)).rpartition("/")
    return ImageName(f"{folder}{slash}", file) if file else ImageName(folder)


def _without_credentials(text: str) -> str:
    masked = _CREDENTIALS.sub(rf"\1{_MASK}", text)
    if masked == text and "://" not in text and "@" in text.partition("/")[0]:
        return f"{_MASK}{text.partition('@')[2]}"
    return masked
