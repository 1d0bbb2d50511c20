"""The manifests of a tree that may have objects by which Argo CD or Flux deploys, and the objects in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from renderer.files.file_system import FileSystem
from renderer.gitops.argocd.roots import with_items
from renderer.kustomize.reader.resources import read_resources
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource

#: One of these texts is in every file that has any of them. In quotes, characters may be escaped.
_SIGNS = (
    *(b"argoproj.io", b"kustomize.toolkit.fluxcd.io/v", b"source.toolkit.fluxcd.io/v"),
    *(b"fluxcd.controlplane.io/v", b"resource.customizations"),
    *(rb"\x", rb"\u", rb"\U", b"\\\n", b"\\\r"),
)


def deployer_files(fs: FileSystem, manifests: Iterable[str]) -> Mapping[str, bytes]:
    """Return the content of the manifests that may have such objects, by path."""
    found: dict[str, bytes] = {}
    for path in manifests:
        with suppress(DiagnosticError):  # reported where it is used
            content = fs.read(path)
            if any(sign in content for sign in _SIGNS):
                found[path] = content
    return found


def deployer_objects(fs: FileSystem, manifests: Iterable[str]) -> Mapping[str, Sequence[Resource]]:
    """Return the objects in the manifests that may have such objects, by path and in the given order."""
    return {path: [*objects_in(content, path)] for path, content in deployer_files(fs, manifests).items()}


def is_malformed(fs: FileSystem, path: str) -> bool:
    """Return True if a file that may have such objects is there, and none can be read."""
    return any(not any(objects_in(content, path)) for path, content in deployer_files(fs, [path]).items())


def objects_in(content: bytes, path: str) -> Iterator[Resource]:
    """Yield the objects in a file, with those in lists; none if it is not a manifest."""
    for resource in _as_applied(content, path):
        yield from with_items(resource)


def _as_applied(content: bytes, path: str) -> tuple[Resource, ...]:
    """Return the objects in a file as the cluster gets them; as kustomize reads them if it gets none."""
    for as_applied in (True, False):
        with suppress(DiagnosticError):  # a template, or broken; reported where it is used
            return read_resources(content, Site(path), as_applied=as_applied)
    return ()
