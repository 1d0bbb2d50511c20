"""Files beside the manifests, for people and tools; their bytes follow from the manifests' alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from renderer.model.json import JsonObject
from renderer.model.release import Release
from renderer.model.resource_set import ResourceSet
from renderer.model.tree_options import Extra
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
                    found["kustomization.yaml"] = _kustomization(manifests)
            case Extra.GITATTRIBUTES:
                found[".gitattributes"] = _GITATTRIBUTES
            case Extra.README:
                found["README.md"] = _readme(source, release, resources)
    return found


def _kustomization(manifests: Iterable[str]) -> str:
    content: JsonObject = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
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
