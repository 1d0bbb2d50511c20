"""The Applications and ApplicationSets of a folder, as they are deployed.

An object that a kustomization lists comes from the build of that kustomization, because overlays patch
bases that do not name a repository. A base that an overlay of the same folder uses is deployed only by that
overlay.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator

from renderer.files.file_system import FileSystem, is_inside
from renderer.gitops.argocd.application import is_application, is_application_set, is_project
from renderer.kubevirt.facts.kubernetes_identity import check_identity
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph, confined
from renderer.kustomize.reader.kustomization_users import KustomizationUsers
from renderer.kustomize.reader.resources import read_resources
from renderer.model.diagnostic import DiagnosticError
from renderer.model.engines import ARGOCD_GROUP, MANIFESTS
from renderer.model.kube.json import array_at
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import Reference
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import KUSTOMIZATION_FILES

#: Signs of a file that becomes YAML only once Helm or Jinja has rendered it. ``{{ }}`` within a value is none
#: of them: ApplicationSets have it.
_TEMPLATE = re.compile(
    rb"\{%|\.(?:Values|Release|Chart)\b|^[ \t]*(?:- )*(?:[\w./-]+:[ \t]+)\{\{", re.MULTILINE
)
_CONFLICT = re.compile(rb"^(?:<{7}|={7}|>{7})(?:[ \r]|$)", re.MULTILINE)


def application_objects(
    fs: FileSystem,
    path: str,
    compose: Callable[[str], tuple[Resource, ...]],
    on_error: Callable[[str, DiagnosticError], None],
    on_project: Callable[[Resource], None] = lambda _project: None,
) -> tuple[Resource, ...]:
    """Return the objects in a file, or in a folder and below it.

    ``compose`` builds a folder with a kustomization. A kustomization or file that a kustomization in ``path``
    uses counts as part of that kustomization. Of two objects with the same name, the first counts.
    ``on_error`` gets the path and the error of what cannot be built or read, ``on_project`` each AppProject.
    """
    found: dict[Reference, Resource] = {}
    places = list(_places(fs, path))
    used = _used_by_others(KustomizationGraph(fs), [place for place in places if fs.is_folder(place)])
    for place in places:
        if place in used:
            continue
        try:
            resources = compose(place) if fs.is_folder(place) else tuple(_in_file(fs, place))
        except DiagnosticError as error:
            on_error(place, error)
            continue
        for resource in resources:
            if is_application(resource) or is_application_set(resource):
                found.setdefault(resource.reference, resource)
            elif is_project(resource):
                on_project(resource)
    return tuple(found.values())


def _places(fs: FileSystem, path: str) -> Iterator[str]:
    """Yield the files and kustomization folders in ``path``, and below its other folders."""
    if fs.is_file(path):
        yield path
        return
    names = fs.list(path)
    if any(name in KUSTOMIZATION_FILES for name in names):
        yield path
        return
    for name in names:
        below = posixpath.normpath(posixpath.join(path, name))
        if name.endswith(MANIFESTS) and fs.is_file(below):
            yield below
        elif name != ".git" and fs.is_folder(below) and fs.resolve(below) == below:
            yield from _places(fs, below)


def may_have_applications(fs: FileSystem, path: str) -> bool:
    """Return True if a manifest mentions Argo CD: the file ``path``, or one that the folder has or uses.

    A folder that cannot be built probably should use what has a name similar to a missing one, or what its
    unreadable kustomization names.
    """
    places = {path}
    if confined(fs.is_folder, path):
        graph = KustomizationGraph(fs)
        places |= graph.files(path)
        places |= {each for each in graph.probable_inputs(path) if not is_inside(path, each)}
    return any(_mentions_applications(fs, place) for place in places)


def _mentions_applications(fs: FileSystem, path: str) -> bool:
    if confined(fs.is_file, path):
        return path.endswith(MANIFESTS) and ARGOCD_GROUP.encode() in fs.read(path)
    names = fs.list(path) if confined(fs.is_folder, path) else ()
    places = (posixpath.normpath(posixpath.join(path, name)) for name in names)
    return any(fs.resolve(place) == place and _mentions_applications(fs, place) for place in places)


def _used_by_others(graph: KustomizationGraph, folders: Iterable[str]) -> set[str]:
    """Return the folders and files that the kustomizations in ``folders`` use, except in a cycle."""
    users = tuple(folders)
    return {*graph.files_in(graph.reached(users)), *KustomizationUsers(graph, users).used_by_others}


def _in_file(fs: FileSystem, path: str) -> Iterator[Resource]:
    """Yield the objects of a file that mentions Argo CD; nothing if the file is not a manifest."""
    content = fs.read(path)
    if ARGOCD_GROUP.encode() not in content:
        return
    try:
        found = read_resources(content, Site(path))
    except DiagnosticError:
        if not _TEMPLATE.search(content) or _CONFLICT.search(content):
            raise
        return
    for resource in found:
        yield from with_items(resource)


def with_items(resource: Resource) -> Iterator[Resource]:
    """Yield the items of a List, or else the object itself."""
    items = array_at(resource.content, "items")
    yield from (
        check_identity(Resource(item, resource.origin.below("items", index)))
        for index, item in enumerate(items)
        if isinstance(item, dict) and item.get("kind")
    )
    if not items:
        yield resource
