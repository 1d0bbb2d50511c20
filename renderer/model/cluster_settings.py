"""The clusters of a project: what ``vmrender.yaml`` says of each, and the cluster that a path names."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from typing import Any

from renderer.model.kube.json import EMPTY
from renderer.model.kube.sharing import once_for_same
from renderer.model.record import Record
from renderer.model.release import Release
from renderer.model.text_enum import TextEnum

#: The address of the cluster that Argo CD itself runs in, and its name in a destination.
LOCAL_SERVER, LOCAL_NAME = "https://kubernetes.default.svc", "in-cluster"


class CatalogPath(Record):
    """A folder of the repository that composes to instance types and preferences."""

    path: str

    @property
    def folder(self) -> str:
        """The path without ``./`` and a slash at its end."""
        return posixpath.normpath(self.path)


class BuiltinCatalog(Record):
    """A catalog that ships with vmrender."""

    name: str


def lists(catalogs: Iterable[CatalogPath | BuiltinCatalog], folder: str) -> bool:
    """Return True if one of the catalogs is the one in ``folder``."""
    return any(isinstance(each, CatalogPath) and each.folder == folder for each in catalogs)


COMMON_INSTANCETYPES = BuiltinCatalog("common-instancetypes")


class AccessMode(TextEnum):
    """The ways in which nodes may mount a volume."""

    ONCE = "ReadWriteOnce"
    READ_ONLY = "ReadOnlyMany"
    MANY = "ReadWriteMany"
    ONCE_POD = "ReadWriteOncePod"


class VolumeMode(TextEnum):
    """The forms in which a volume is presented to a pod."""

    BLOCK = "Block"
    FILESYSTEM = "Filesystem"


class StorageClass(Record):
    """A storage class of a cluster, with the modes of the volumes that it makes, best first."""

    name: str
    access_modes: tuple[AccessMode, ...] = ()
    volume_modes: tuple[VolumeMode, ...] = ()
    is_default: bool = False
    allows_expansion: bool | None = None


class ArgocdCluster(Record):
    """What Argo CD's Secret says of a cluster, for destinations and the ``clusters`` generators."""

    server: str
    labels: Mapping[str, str] = EMPTY
    annotations: Mapping[str, str] = EMPTY


class ClusterSettings(Record):
    """The settings of one cluster; one that is None is inherited from the top of the project file.

    ``configuration`` are files and folders with the cluster's own objects, such as its ``KubeVirt`` object.
    ``golden_images`` are the namespaces whose DataSources exist in the cluster. ``facts`` is the path of a
    file with facts that were read from a dump of the cluster.
    """

    name: str
    kubevirt: Release | None = None
    configuration: tuple[str, ...] | None = None
    catalogs: tuple[CatalogPath | BuiltinCatalog, ...] | None = None
    feature_gates: tuple[str, ...] | None = None
    kubernetes: Release | None = None
    flux: Release | None = None
    storage_classes: tuple[StorageClass, ...] | None = None
    golden_images: tuple[str, ...] | None = None
    facts: str | None = None
    argocd: ArgocdCluster | None = None

    @property
    def own(self) -> Mapping[str, Any]:
        """The settings that the cluster does not inherit, by the name of their field in the project."""
        settings = self._asdict()
        return {
            name: value
            for name, value in settings.items()
            if name not in ("name", "argocd") and value is not None
        }


def is_cluster_name(name: str) -> bool:
    """Return True if a cluster may have the name: it can be printed anywhere, and is not the top folder."""
    return bool(name) and name != "." and name.isprintable() and not name.lstrip().startswith(("::", "##"))


def cluster_at(clusters: Iterable[ClusterSettings], destination: str) -> str:
    """Return the cluster with the name or the address in a destination of Argo CD; empty if none has it.

    An empty destination has no cluster.
    """
    address = _address(destination)
    for each in clusters if address else ():
        if address in (_address(each.name), _address(each.argocd.server if each.argocd else "")):
            return each.name
    return ""


def _address(text: str) -> str:
    return LOCAL_SERVER if text == LOCAL_NAME else text.rstrip("/")


@once_for_same
def clusters_by_name(clusters: tuple[ClusterSettings, ...]) -> Mapping[str, ClusterSettings]:
    """Return the clusters by their names, which differ."""
    return {each.name: each for each in clusters}


@once_for_same
def _positions(clusters: tuple[ClusterSettings, ...]) -> Mapping[str, int]:
    return {each.name: position for position, each in enumerate(clusters)}


def clusters_in_path(clusters: tuple[ClusterSettings, ...], path: str) -> tuple[str, ...]:
    """Return the clusters whose names are folders in ``path``."""
    positions = _positions(clusters)
    named = positions.keys() & path.split("/")
    return tuple(sorted(named, key=positions.__getitem__))
