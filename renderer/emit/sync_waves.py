"""What Argo CD is to apply before the rest: namespaces, then what virtual machines refer to."""

from __future__ import annotations

from renderer.model.diagnostic import Outcome
from renderer.model.json import with_value
from renderer.model.resource import Resource
from renderer.model.resource_set import ResourceSet

_WAVE = "argocd.argoproj.io/sync-wave"
_HOOK = "argocd.argoproj.io/hook"
_PREFERENCES = ("VirtualMachineClusterPreference", "VirtualMachinePreference")
_INSTANCETYPES = ("VirtualMachineClusterInstancetype", "VirtualMachineInstancetype")
#: By API group and kind; all else is in wave 0, as without the annotation.
_WAVES = {
    ("", "Namespace"): "-2",
    ("apps", "ControllerRevision"): "-1",
    **{("instancetype.kubevirt.io", kind): "-1" for kind in (*_INSTANCETYPES, *_PREFERENCES)},
}


def in_sync_waves(resources: ResourceSet) -> Outcome[ResourceSet]:
    """The resources with ``argocd.argoproj.io/sync-wave``; what has a wave, or is a hook, stays as it is."""
    return Outcome(resources.map(_in_wave))


def _in_wave(resource: Resource) -> Resource:
    wave = _WAVES.get((resource.gvk.group, resource.kind))
    if wave is None or _WAVE in resource.annotations or _HOOK in resource.annotations:
        return resource
    return resource.with_content(with_value(resource.content, ("metadata", "annotations", _WAVE), wave))
