"""Options of a rendered tree: files beside the manifests, and sync waves for Argo CD.

The bytes of the files follow from the manifests alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from renderer.model.diagnostic import Outcome
from renderer.model.json import JsonObject, with_value
from renderer.model.kustomization import KUSTOMIZATION_FILE, KUSTOMIZATION_HEAD
from renderer.model.release import Release
from renderer.model.render_config import Extra
from renderer.model.resource import Resource, ResourceSet
from renderer.yamlio.encode import encode

#: Hosts fold generated files away in reviews. Line ends stay as written: with others, a digest would differ.
_GITATTRIBUTES = "* -text linguist-generated gitlab-generated\n"
_README = """\
# {name}

vmrender renders these files from `{source}`, for KubeVirt {release}. Do not edit them: change the sources,
then run `vmrender render {source}`. `.vmrender-owned` lists the files with their digests.

| kind | objects |
|---|---|
{rows}"""
_UNSAFE = re.compile(r"[^\w./-]")


def extras(
    wanted: Iterable[Extra], source: str, release: Release, manifests: Iterable[str], resources: ResourceSet
) -> Mapping[str, str]:
    """The text of each file by its path in the tree of the overlay ``source``.

    ``manifests`` are the paths of the files with ``resources``; without any there is no kustomization either,
    as kustomize refuses an empty one.
    """
    found: dict[str, str] = {}
    for extra in wanted:
        match extra:
            case Extra.KUSTOMIZATION:
                if len(resources):
                    found[KUSTOMIZATION_FILE] = _kustomization(manifests)
            case Extra.GITATTRIBUTES:
                found[".gitattributes"] = _GITATTRIBUTES
            case Extra.README:
                found["README.md"] = _readme(source, release, resources)
    return found


def _kustomization(manifests: Iterable[str]) -> str:
    content: JsonObject = {
        **KUSTOMIZATION_HEAD,
        "resources": sorted(manifests),
    }
    return encode([content])


def _readme(source: str, release: Release, resources: ResourceSet) -> str:
    counts = Counter(resource.kind for resource in resources)
    rows = "".join(f"| {_safe(kind)} | {count} |\n" for kind, count in sorted(counts.items()))
    name = source.rpartition("/")[2]
    return _README.format(name=_safe(name), source=_safe(source), release=release, rows=rows)


def _safe(text: str) -> str:
    """Nothing that Markdown would take for more than text."""
    return _UNSAFE.sub("-", text)


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
