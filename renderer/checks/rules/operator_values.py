"""Values of DataVolumes, DataImportCrons and permitted devices that CDI rejects, or that match nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from renderer.golang.cron import cron_hint, cron_problem
from renderer.kubevirt.facts.claims import DATA_VOLUME_SOURCES
from renderer.kubevirt.facts.virtual_machine import elements
from renderer.model.kube.field_path import Segment
from renderer.model.kube.json import JsonObject, array_at, object_at, text_at
from renderer.model.kube.sharing import once_for_same
from renderer.model.pattern import pattern
from renderer.model.placeholders import has_placeholder
from renderer.model.suggest import suggest

#: A field below the object's spec, the problem, and a hint.
_Problems: TypeAlias = Iterator[tuple[tuple[Segment, ...], str, str | None]]

#: The beginnings of their URLs.
_SCHEMES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("gcs", "http", "imageio", "s3", "vddk"), ("http://", "https://", "gs://")),
    "registry": ("docker://", "oci-archive://"),
}
_SIZE = ("resources", "requests", "storage")
#: The two numbers of a PCI device, as virt-handler compares them (``pkg/virt-handler/device-manager``).
_PCI_DEVICE = pattern(r"[0-9a-fA-F]{4}:[0-9a-fA-F]{4}")
_USB_NUMBER = pattern(r"[0-9a-fA-F]{1,4}")


def _problems_of_data_volume(spec: JsonObject) -> _Problems:
    """Yield the problems of a DataVolume (CDI ``pkg/apiserver/webhooks/datavolume-validate.go``)."""
    if any(has_placeholder(spec.get(key)) for key in ("source", "sourceRef", "pvc", "storage")):
        return
    source = object_at(spec, "source")
    targets = [key for key in ("pvc", "storage") if spec.get(key) is not None]
    sources = [name for name in DATA_VOLUME_SOURCES if name in source and source[name] is not None]
    has_reference = spec.get("sourceRef") is not None
    has_data_source = any(
        object_at(spec, key).get(field) is not None
        for key in targets
        for field in ("dataSource", "dataSourceRef")
    )
    if "pvc" not in spec and "storage" not in spec:  # the schema reports a null
        yield (), "the DataVolume has neither storage nor pvc", "add storage with the size"
    elif len(targets) > 1:
        yield ("pvc",), "the DataVolume has both storage and pvc", "keep one of them"
    elif targets:
        yield from _target_problems(targets[0], spec, is_copied="pvc" in sources or "snapshot" in sources)
    if len(sources) > 1:
        message = f"the DataVolume has more than one source: {', '.join(sources)}"
        yield ("source",), message, "keep one of them"
    elif sources and has_reference:
        yield ("sourceRef",), "the DataVolume has both source and sourceRef", "keep one of them"
    elif not sources and not has_reference and not has_data_source and not _has_null_source(source):
        yield ("source",), "the DataVolume has no source", "add source or sourceRef"
    for name, schemes in _SCHEMES.items() if source else ():
        url = object_at(source, name).get("url")
        if isinstance(url, str) and not has_placeholder(url) and not url.lower().startswith(schemes):
            message = f"the URL of the source {name} does not begin with {' or '.join(schemes)}"
            yield ("source", name, "url"), message, None


def _has_null_source(source: JsonObject) -> bool:
    """Return True for ``blank:`` with nothing after it, which the schema reports."""
    return any(name in source for name in DATA_VOLUME_SOURCES)


def import_cron_problems(spec: JsonObject) -> _Problems:
    """Yield the problems of a DataImportCron (CDI ``pkg/apiserver/webhooks/dataimportcron-validate.go``)."""
    yield from _schedule_problems(spec)
    for path, message, hint in data_volume_problems(object_at(spec, "template", "spec")):
        if path != ("source",):
            yield ("template", "spec", *path), message, hint


def _schedule_problems(spec: JsonObject) -> _Problems:
    """Yield an invalid schedule; with an empty one, images are imported by hand."""
    schedule = text_at(spec, "schedule")
    problem = cron_problem(schedule) if schedule and not has_placeholder(schedule) else None
    if problem:
        yield ("schedule",), f"invalid schedule {schedule!r}: {problem}", cron_hint(schedule)


def cron_job_problems(spec: JsonObject) -> _Problems:
    """Yield the fields of a CronJob that the API server refuses (``pkg/apis/batch/validation``)."""
    schedule, zone = spec.get("schedule"), spec.get("timeZone")
    if schedule == "":
        yield ("schedule",), "the CronJob has no schedule", 'write five fields, such as "0 3 * * *"'
    yield from _schedule_problems(spec)
    if not isinstance(zone, str) or has_placeholder(zone):
        return
    if isinstance(schedule, str) and "TZ" in schedule:
        yield ("timeZone",), "timeZone cannot be combined with a time zone in the schedule", "keep timeZone"
    from renderer.kubevirt.facts.time_zones import TIME_ZONES  # noqa: PLC0415 - few CronJobs set a time zone

    if zone not in TIME_ZONES:
        near = suggest(zone, sorted(TIME_ZONES))
        hint = f"did you mean {' or '.join(near)}?" if near else "write a name such as Europe/Paris"
        yield ("timeZone",), f"there is no time zone {zone!r}, so the API server refuses the CronJob", hint


#: The DataVolumes that many machines share are checked only once.
data_volume_problems = once_for_same(lambda spec: tuple(_problems_of_data_volume(spec)))


def _target_problems(key: str, spec: JsonObject, *, is_copied: bool) -> _Problems:
    """Yield the errors of ``validateStorageSize``; another rule reports sizes that are too small."""
    target = object_at(spec, key)
    may_lack_size = key == "storage" and (is_copied or spec.get("sourceRef") is not None)
    if not may_lack_size and object_at(target, *_SIZE[:-1]).get(_SIZE[-1]) is None:
        message = f"{key} has no size, and only a copy of another volume gets one by default"
        yield (key,), message, f"add {'.'.join(_SIZE)}"
    modes = array_at(target, "accessModes")
    if key == "pvc" and len(modes) != 1:
        message = f"CDI accepts a pvc with exactly one access mode, not {len(modes)}"
        yield ("pvc",), message, "write one access mode, or use storage instead of pvc"


def hyperconverged_problems(spec: JsonObject) -> _Problems:
    """Yield the problems of what a HyperConverged passes on to CDI and KubeVirt."""
    for index, template in elements(spec.get("dataImportCronTemplates")):
        for path, message, hint in _schedule_problems(object_at(template, "spec")):
            yield ("dataImportCronTemplates", index, "spec", *path), message, hint
    for path, message, hint in _device_problems(spec, "pciDeviceSelector"):
        yield path, message, hint


def kubevirt_problems(spec: JsonObject) -> _Problems:
    """Yield the permitted devices of a KubeVirt object that match none of a node's devices."""
    for path, message, hint in _device_problems(object_at(spec, "configuration"), "pciVendorSelector"):
        yield ("configuration", *path), message, hint


def _device_problems(settings: JsonObject, selector: str) -> _Problems:
    permitted = object_at(settings, "permittedHostDevices")
    for index, device in elements(permitted.get("pciHostDevices")):
        written = text_at(device, selector)
        if written and not has_placeholder(written) and _PCI_DEVICE.fullmatch(written) is None:
            message = f"{written!r} matches no device: a PCI device is two numbers of four hexadecimal digits"
            hint = "write vendor and device as lspci -nn prints them, such as 10DE:1EB8"
            yield ("permittedHostDevices", "pciHostDevices", index, selector), message, hint
    for index, device in elements(permitted.get("usb")):
        for place, numbers in elements(device.get("selectors")):
            for key in ("vendor", "product"):
                written = text_at(numbers, key)
                if written and not has_placeholder(written) and _USB_NUMBER.fullmatch(written) is None:
                    message = f"{written!r} matches no USB device: its {key} has four hexadecimal digits"
                    at = ("permittedHostDevices", "usb", index, "selectors", place, key)
                    yield at, message, "write it as lsusb prints it, such as 1050"
