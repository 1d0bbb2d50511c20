"""Read what the project file says of clusters: at its top, of the default one, and under ``clusters``."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from renderer.files.builtin_catalogs import BUILTIN_CATALOGS
from renderer.kubevirt.facts.kubernetes_names import dns_label_errors, dns_subdomain_errors
from renderer.kubevirt.facts.products import target_release
from renderer.model.cluster_settings import (
    AccessMode,
    ArgocdCluster,
    BuiltinCatalog,
    CatalogPath,
    ClusterSettings,
    StorageClass,
    VolumeMode,
    is_cluster_name,
)
from renderer.model.field_edit import SetField
from renderer.model.fields import Fields
from renderer.model.release import LATEST_KUBERNETES, NEWEST, OLDEST_KUBERNETES, Release
from renderer.model.suggest import did_you_mean, suggest
from renderer.project.entry_settings import read_flux_release

#: The fields that say something of a cluster, at the top of the project file and under ``clusters``.
CLUSTER_FIELDS = (
    "kubevirt",
    "catalogs",
    "configuration",
    "featureGates",
    "kubernetes",
    "flux",
    "storageClasses",
    "goldenImages",
    "facts",
)
_ARGOCD_FIELDS = ("server", "labels", "annotations")


def read_cluster_settings(fields: Fields, imported: Collection[Release]) -> Mapping[str, Any]:
    """Return what a mapping says of a cluster, by the field of ``ClusterSettings``; note errors.

    What it does not say is left out. The target release may be one of ``imported``.
    """
    read = {
        "kubevirt": read_release(fields, imported),
        "catalogs": tuple(read_catalogs(fields)) if "catalogs" in fields else None,
        "configuration": tuple(_read_paths(fields, "configuration")) if "configuration" in fields else None,
        "feature_gates": fields.list_of_texts("featureGates") if "featureGates" in fields else None,
        "kubernetes": _read_kubernetes(fields),
        "flux": read_flux_release(fields, "flux"),
        "storage_classes": tuple(_read_storage_classes(fields)) if "storageClasses" in fields else None,
        "golden_images": tuple(_read_golden_images(fields)) if "goldenImages" in fields else None,
        "facts": _read_facts(fields),
    }
    return {name: value for name, value in read.items() if value is not None}


def read_clusters(fields: Fields, imported: Collection[Release]) -> Iterator[ClusterSettings]:
    """Yield the entries of ``clusters``; note their errors."""
    names: set[str] = set()
    for entry in fields.elements("clusters", bare="name"):
        entry.only("name", *CLUSTER_FIELDS, "argocd", *_ARGOCD_FIELDS)
        name = entry.text("name") or ""
        if not is_cluster_name(name):
            entry.reject("name" if name else None, "a cluster needs a name", "such as name: east")
            continue
        if name in names:
            entry.reject("name", f"there are two clusters {name}", "rename or remove one of them")
        names.add(name)
        yield ClusterSettings(
            name, **read_cluster_settings(entry, imported), argocd=_read_argocd_cluster(entry)
        )


def check_cluster_name(fields: Fields, name: str, clusters: Iterable[ClusterSettings]) -> None:
    """Note an error if the cluster that an entry names is not listed."""
    known = tuple(dict.fromkeys(each.name for each in clusters))
    if name and name not in known:
        otherwise = f"list it: clusters: [{{name: {name}}}]"
        hint = did_you_mean(name, known, otherwise=otherwise)
        near = list(suggest(name, known))
        fix = SetField(fields.site_of("cluster").field, near[0]) if len(near) == 1 else None
        fields.reject("cluster", f"no cluster {name!r} is listed under clusters", hint, fix=fix)


def _read_argocd_cluster(fields: Fields) -> ArgocdCluster | None:
    """Return what Argo CD knows of a cluster: in ``argocd``, or in fields beside its name."""
    beside = [name for name in _ARGOCD_FIELDS if name in fields]
    if "argocd" in fields:
        for name in beside:
            fields.reject_key(
                name, f"{name} is already under argocd", "leave it out here", fields.removal_of(name)
            )
        fields = fields.child("argocd")
        fields.only(*_ARGOCD_FIELDS)
    elif not beside:
        return None
    server = fields.text("server")
    if not server:
        fields.reject(None, "Argo CD's clusters have a server", "as in the cluster's Secret of Argo CD")
        return None
    return ArgocdCluster(server, fields.child("labels").texts(), fields.child("annotations").texts())


def read_catalogs(fields: Fields) -> list[CatalogPath | BuiltinCatalog]:
    """Read the entries of ``catalogs``; errors are noted in ``fields``."""
    catalogs: list[CatalogPath | BuiltinCatalog] = []
    for entry in fields.elements("catalogs"):
        entry.only("path", "builtin")
        path, builtin = entry.text("path"), entry.text("builtin")
        if (path is None) == (builtin is None):
            entry.reject(None, "a catalog has either path or builtin")
        elif path is not None:
            catalogs.append(CatalogPath(path))
        elif builtin in BUILTIN_CATALOGS:
            catalogs.append(BuiltinCatalog(builtin))
        else:
            entry.reject(
                "builtin", f"no built-in catalog {builtin!r}", f"one of {', '.join(BUILTIN_CATALOGS)}"
            )
    return catalogs


def read_release(fields: Fields, imported: Collection[Release] = ()) -> Release | None:
    """Read the target release in ``kubevirt``, which may be one of ``imported``; errors are noted."""
    text = fields.text("kubevirt")
    if text is None:
        return None
    try:
        return target_release(text, imported)
    except ValueError as error:
        fields.reject("kubevirt", str(error), _schema_import_hint(text))
        return None


def _schema_import_hint(text: str) -> str | None:
    try:
        is_later = Release.parse(text) > NEWEST
    except ValueError:
        return None
    return f"import its schemas first: vmrender schema import --release {text}" if is_later else None


def _read_kubernetes(fields: Fields) -> Release | None:
    text = fields.text("kubernetes")
    if text is None:
        return None
    known = f"{OLDEST_KUBERNETES} to {LATEST_KUBERNETES}"
    try:
        release = Release.parse(text).minor_release
    except ValueError:
        fields.reject(
            "kubernetes", f"{text!r} is not a release of Kubernetes", f'write it as "{LATEST_KUBERNETES}"'
        )
        return None
    if not OLDEST_KUBERNETES <= release <= LATEST_KUBERNETES:
        fields.reject(
            "kubernetes", f"there are no schemas of Kubernetes {release}", f"there are schemas of {known}"
        )
    return release


def _read_paths(fields: Fields, key: str) -> Iterator[str]:
    for index, path in enumerate(fields.list_of_texts(key)):
        if path:
            yield posixpath.normpath(path)
        else:
            fields.reject(key, f"{fields.name(key, index)} is empty", "write the path of a file or folder")


def _read_facts(fields: Fields) -> str | None:
    path = fields.text("facts")
    if path == "":
        fields.reject("facts", "facts is empty", "write the path of the file with the cluster's facts")
    return path and posixpath.normpath(path)


def _read_golden_images(fields: Fields) -> Iterator[str]:
    for namespace in fields.list_of_texts("goldenImages"):
        errors = dns_label_errors(namespace)
        if errors:
            fields.reject("goldenImages", f"{namespace!r} is not a namespace: it {errors[0]}")
        else:
            yield namespace


def _read_storage_classes(fields: Fields) -> Iterator[StorageClass]:
    """Yield the storage classes of a cluster; at most one is the default one."""
    default = ""
    for entry in fields.elements("storageClasses", bare="name"):
        entry.only("name", "accessModes", "volumeModes", "default", "allowVolumeExpansion")
        name = entry.text("name") or ""
        errors = dns_subdomain_errors(name)
        if errors:
            entry.reject(
                "name" if name else None, "a storage class needs a name", "as kubectl get sc prints it"
            )
            continue
        is_default = entry.flag("default") or False
        if is_default and default:
            entry.reject("default", f"{default} is the default storage class, too", "choose one")
        default = name if is_default else default
        yield StorageClass(
            name,
            entry.choices("accessModes", AccessMode),
            entry.choices("volumeModes", VolumeMode),
            is_default,
            entry.flag("allowVolumeExpansion"),
        )
