"""The fields of Flux's objects: Kustomizations, sources and HelmReleases.

They are from ``config/crd/bases`` of kustomize-controller (1.9), source-controller (1.9) and helm-controller
(1.6), in the one version of each kind that these still have. Releases only add fields to such a version.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from renderer.gitops.known_fields import Types, fields_unknown_to, types_of
from renderer.model.diagnostic import Diagnostic
from renderer.model.engines import FLUX_KUSTOMIZE_GROUP, FLUX_SOURCE_GROUP
from renderer.model.kube.resource import Resource

_VERSIONS = {
    FLUX_KUSTOMIZE_GROUP: "v1",
    FLUX_SOURCE_GROUP: "v1",
    "helm.toolkit.fluxcd.io": "v2",
}
#: Fields by which a Kustomization changes the objects that it builds.
BUILD_FIELDS = (
    "targetNamespace",
    "namePrefix",
    "nameSuffix",
    "patches",
    "patchesStrategicMerge",
    "patchesJson6902",
    "postBuild",
    "components",
    "images",
    "commonMetadata",
)
_REFUSED = "the API server refuses it in an object that Flux applies"
#: The variables, whose reader reports unknown fields.
_READ_STRICTLY = ("spec", "postBuild")
_TYPES: Final[Types] = types_of("flux")
#: The fields of ``spec`` of a Kustomization.
SPEC_FIELDS = frozenset(_TYPES["KustomizationSpec"])


def unknown_fields(resource: Resource) -> Iterator[Diagnostic]:
    """Yield a warning for each field of an object of Flux that its kind does not have.

    Flux applies objects server-side, and fields that are not in the schema are errors there. Objects in older
    versions of the API, which have other fields, are skipped.
    """
    if resource.kind in _TYPES and _VERSIONS.get(resource.gvk.group) == resource.gvk.version:
        for found in fields_unknown_to(_TYPES, resource, _REFUSED):
            if found.field is None or found.field.segments[:2] != _READ_STRICTLY:
                yield found
