"""The access modes of claims: of PersistentVolumeClaims, and of what CDI makes claims from.

CDI ``pkg/controller/datavolume/util.go``: a ``storage`` section without access modes gets them from the
StorageProfile of its storage class: from the first property set, or from the set of the volume mode that it
asks for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from renderer.kubevirt.facts.kinds import CLAIM, DATA_VOLUME, STORAGE_CLASS, STORAGE_PROFILE
from renderer.kubevirt.facts.virtual_machine import virtual_machine_paths
from renderer.model.cluster_settings import StorageClass
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.resource import Resource

#: Of several default classes, CDI prefers the one for virtual machines (``pkg/controller/common/util.go``).
DEFAULT_CLASS_ANNOTATIONS = (
    "storageclass.kubevirt.io/is-default-virt-class",
    "storageclass.kubernetes.io/is-default-class",
)
#: The fields of a DataVolume's ``source`` that CDI accepts.
DATA_VOLUME_SOURCES = (
    "blank",
    "gcs",
    "http",
    "imageio",
    "pvc",
    "registry",
    "s3",
    "snapshot",
    "upload",
    "vddk",
)
_FROM_PROFILE = "FromStorageProfile"

#: The content of each StorageProfile by name, which is the name of its storage class.
Profiles = Mapping[str, JsonObject]


def storage_profiles(resources: Iterable[Resource]) -> Profiles:
    """Return the StorageProfiles among ``resources``; the default one is also at an empty name."""
    objects = tuple(each for each in resources if each.kind in (STORAGE_PROFILE, STORAGE_CLASS))
    found = {each.name: each.content for each in objects if each.kind == STORAGE_PROFILE}
    default = _default_class(each for each in objects if each.kind == STORAGE_CLASS)
    if default in found:
        found[""] = found[default]
    return found


def _default_class(classes: Iterable[Resource]) -> str:
    """Return the name of the class for claims that name none (CDI ``GetStorageClassByNameWithVirtFallback``).

    It is the newest default one, or the first by name of several; empty if there is none.
    """
    classes = sorted(classes, key=lambda each: each.name)
    for annotation in DEFAULT_CLASS_ANNOTATIONS:
        found = [
            each
            for each in classes
            if text_at(object_at(each.content, "metadata", "annotations"), annotation) == "true"
        ]
        if found:
            return max(found, key=lambda each: text_at(each.content, "metadata", "creationTimestamp")).name
    return ""


def profiles_of_classes(classes: Iterable[StorageClass], observed: Profiles) -> Profiles:
    """Return what the StorageProfiles of storage classes say; the default class is also at an empty name.

    A class without modes has the modes of the ``observed`` profile, if there is one.
    """
    found: dict[str, JsonObject] = {}
    for each in classes:
        modes: Json = list(each.access_modes)
        volumes = each.volume_modes or (None,)
        sets: list[Json] = [{"accessModes": modes, "volumeMode": volume} for volume in volumes]
        found[each.name] = {"status": {"claimPropertySets": sets}}
        if not modes and each.name in observed:
            found[each.name] = observed[each.name]
        if each.is_default:
            found[""] = found[each.name]
    return found


def claims_of(resource: Resource, profiles: Profiles) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield name and access modes of each claim that a resource is or makes; no modes if they are unknown."""
    content = resource.content
    if resource.kind == CLAIM:
        yield resource.name, _modes(object_at(content, "spec"))
    elif resource.kind == DATA_VOLUME:
        yield resource.name, _modes_of_data_volume(content, profiles)
    else:
        paths = virtual_machine_paths(content)
        templates = object_at(content, *paths.spec.keys) if paths else {}
        for template in array_at(templates, "dataVolumeTemplates"):
            yield text_at(template, "metadata", "name"), _modes_of_data_volume(object_at(template), profiles)


def _modes_of_data_volume(data_volume: JsonObject, profiles: Profiles) -> tuple[str, ...]:
    spec = object_at(data_volume, "spec")
    storage = object_at(spec, "storage")
    return _modes(storage) or _modes(object_at(spec, "pvc")) or _modes_of_profile(storage, profiles)


def _modes_of_profile(storage: JsonObject, profiles: Profiles) -> tuple[str, ...]:
    profile = profiles.get(text_at(storage, "storageClassName"), {})
    wanted = text_at(storage, "volumeMode")
    # The status repeats what the spec sets, and has what CDI knows of the provisioner otherwise.
    for section in ("spec", "status"):
        for properties in map(object_at, array_at(profile, section, "claimPropertySets")):
            if wanted in ("", _FROM_PROFILE, text_at(properties, "volumeMode")):
                return _modes(properties)
    return ()


def _modes(spec: JsonObject) -> tuple[str, ...]:
    modes: Iterable[Json] = array_at(spec, "accessModes")
    return tuple(mode for mode in modes if isinstance(mode, str))
