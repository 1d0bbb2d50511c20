"""Recognise files and folders that people keep beside what is deployed, but have switched off."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from renderer.discovery.manifests import Manifests
from renderer.discovery.survey_results import LeftOut
from renderer.files.file_system import folder_of
from renderer.kustomize.reader.kustomization_graph import folders_above
from renderer.model.engines import MANIFESTS

#: Names of folders whose content is kept, and deployed by nobody.
_RETIRED_FOLDERS = ("archive", "archived", "attic", "bak", "disabled", "retired", "unused")
#: The end of the name of a copy that is kept beside its original: ``vm-bak.yaml``, ``vm.orig.yaml``.
_COPY = re.compile(r"[-_.](?:bak[0-9]*|orig|disabled)$", re.IGNORECASE)
#: The end of a name that marks a copy only if its original exists: a machine may be called ``db-backup``.
_PROBABLE_COPY = re.compile(r"[-_.](?:backup|copy|old)$", re.IGNORECASE)
_EXTENSION = re.compile(r"\.(?:ya?ml|json)$", re.IGNORECASE)


def retired_reason(manifests: Manifests, path: str) -> str:
    """Return the reason why a file or folder that nothing lists was probably switched off; empty if none.

    It is named as a copy, it is in a folder of retired files, an entry of a kustomization that leads to it is
    commented out, or the kustomization beside a file does not list it.
    """
    return (
        _reason_by_name(manifests, path)
        or _reason_by_comment(manifests, path)
        or _reason_by_kustomization(manifests, path)
    )


def hidden_archives(manifests: Manifests) -> Iterator[LeftOut]:
    """Yield the hidden folders of retired files that have virtual machines."""
    folders = {".", *(folder for path in manifests.contents for folder in folders_above(path))}
    for folder in sorted(folders):
        for name in _RETIRED_FOLDERS:
            hidden = posixpath.normpath(posixpath.join(folder, f".{name}"))
            if manifests.fs.is_folder(hidden):
                machines = sum(manifests.machine_files_below(hidden).values())
                yield LeftOut(hidden, machines, "it is a folder of retired files")


def is_named_retired(manifests: Manifests, path: str) -> bool:
    """Return True if the path is named as a copy, or is in a folder of retired files."""
    return bool(_reason_by_name(manifests, path))


def _reason_by_name(manifests: Manifests, path: str) -> str:
    for each in (*reversed(list(folders_above(path))), path):
        name = _EXTENSION.sub("", posixpath.basename(each))
        if name.lower() in _RETIRED_FOLDERS and each != "." and manifests.fs.is_folder(each):
            return f"it is in {each}, a folder of retired files"
        original = _PROBABLE_COPY.sub("", name)
        is_copy = original != name and _exists(manifests, posixpath.join(posixpath.dirname(each), original))
        if is_copy or _COPY.search(name):
            return f"{each} is named as a copy"
    return ""


def _reason_by_comment(manifests: Manifests, path: str) -> str:
    places = (path, *(each for each in folders_above(path) if each != "."))
    for folder in folders_above(path):
        commented = manifests.commented.of(folder)
        _, listed = min((commented[place] for place in places if place in commented), default=(0, ""))
        links = manifests.graph.links(folder)
        if listed and links:
            return f"{listed} is commented out in {links.file}"
    return ""


def _reason_by_kustomization(manifests: Manifests, path: str) -> str:
    folder = folder_of(path)
    links = None if manifests.fs.is_folder(path) else manifests.graph.links(folder)
    if links is None or not links.is_readable or path in links.files:
        return ""
    return f"{links.file} beside it does not list it"


def _exists(manifests: Manifests, path: str) -> bool:
    return manifests.fs.is_folder(path) or any(
        manifests.fs.is_file(f"{path}{ending}") for ending in MANIFESTS
    )
