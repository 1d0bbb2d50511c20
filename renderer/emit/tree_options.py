"""Options of a rendered tree: additional files, and sync waves for Argo CD.

The content of the files depends only on the manifests.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from renderer.emit.ownership import MERGE_ATTRIBUTE
from renderer.kubevirt.facts.kinds import APPS_GROUP, CONTROLLER_REVISION, INSTANCETYPE_GROUP, MATCHER_TYPE_OF
from renderer.model.diagnostic import Outcome
from renderer.model.kube.json import JsonObject, with_value
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.kustomization import KUSTOMIZATION_FILE, KUSTOMIZATION_HEAD
from renderer.model.release import Release
from renderer.model.render_config import Extra
from renderer.model.sync_options import HOOK_ANNOTATION, SYNC_WAVE_ANNOTATION
from renderer.yamlio.encode import encode

#: Hosts collapse generated files in reviews. Line ends stay as written: otherwise a digest would differ.
_GITATTRIBUTES = f"* -text linguist-generated gitlab-generated\n{MERGE_ATTRIBUTE}"
_README = """\
# {name}

vmrender renders these files from `{source}`, for KubeVirt {release}. Do not edit them: change the sources,
then run `vmrender render {source}`. `.vmrender-owned` lists the files with their digests.

| kind | objects |
|---|---|
{rows}"""
_UNSAFE = re.compile(r"[^\w./-]")

#: By API group and kind; everything else is in wave 0, as without the annotation.
_WAVES = {
    ("", "Namespace"): "-2",
    (APPS_GROUP, CONTROLLER_REVISION): "-1",
    **{(INSTANCETYPE_GROUP, kind): "-1" for kind in MATCHER_TYPE_OF},
}


def extras(
    wanted: Iterable[Extra], source: str, release: Release, manifests: Iterable[str], resources: ResourceSet
) -> Mapping[str, str]:
    """Return the text of each file by path in the tree of the overlay ``source``.

    ``manifests`` are the paths of the files with ``resources``; without any, there is no kustomization, as
    kustomize rejects an empty one.
    """
    found: dict[str, str] = {}
    for extra in wanted:
        match extra:
            case Extra.KUSTOMIZATION:
                if len(resources):
                    kustomization: JsonObject = {**KUSTOMIZATION_HEAD, "resources": sorted(manifests)}
                    found[KUSTOMIZATION_FILE] = encode([kustomization])
            case Extra.GITATTRIBUTES:
                found[".gitattributes"] = _GITATTRIBUTES
            case Extra.README:
                counts = Counter(resource.kind for resource in resources)
                rows = "".join(f"| {_safe(kind)} | {count} |\n" for kind, count in sorted(counts.items()))
                name = source.rpartition("/")[2]
                found["README.md"] = _README.format(
                    name=_safe(name), source=_safe(source), release=release, rows=rows
                )
    return found


def _safe(text: str) -> str:
    """Return the text without characters that Markdown would interpret."""
    return _UNSAFE.sub("-", text)


def in_sync_waves(resources: ResourceSet) -> Outcome[ResourceSet]:
    """Return the resources with ``argocd.argoproj.io/sync-wave``; hooks and objects with a wave are kept."""
    return Outcome(resources.map(_with_wave))


def _with_wave(resource: Resource) -> Resource:
    wave = _WAVES.get((resource.gvk.group, resource.kind))
    if (
        wave is None
        or SYNC_WAVE_ANNOTATION in resource.annotations
        or HOOK_ANNOTATION in resource.annotations
    ):
        return resource
    return resource.with_content(
        with_value(resource.content, ("metadata", "annotations", SYNC_WAVE_ANNOTATION), wave)
    )
