"""Entries that kustomize would fetch with git or HTTP are refused, with the command that copies them."""

from __future__ import annotations

import re
from shlex import quote

from renderer.files.file_system import folder_of, join_path
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.location import Site
from renderer.model.pattern import pattern

_SCHEME = pattern(
    r"(?:git::)?(?:(?:ssh|https?|file)://|[a-zA-Z][a-zA-Z0-9-]*@[^/]*:|github\.com[/:])", re.IGNORECASE
)
_WEB_FILE = pattern(r"(?i)https?://[^?#]*/([^/?#]+)(?:[?#].*)?")
_MANIFEST_NAME = pattern(r"(?i).*\.(?:ya?ml|json)")
#: The name of a repository, or of the folder in it that the address names after ``//``.
_NAME = pattern(r"([A-Za-z0-9_-][A-Za-z0-9_.-]*?)(?:\.git)?/*(?:[?#].*)?")
_COMMON_INSTANCETYPES = pattern(r"(?i)github\.com[/:]kubevirt/common-instancetypes(?![\w-])")


def is_remote(entry: str) -> bool:
    """Return True if kustomize would fetch ``entry`` with git or HTTP."""
    if ":" not in entry and not entry.lower().startswith("github.com/"):
        return False  # true of nearly all; compiling the pattern takes a millisecond
    return _SCHEME.match(entry) is not None


def remote_path_error(
    path: str, site: Site, *, is_file: bool = False, is_component: bool = False
) -> DiagnosticError:
    """Return the error for a path that would have to be fetched; it may be known what it is.

    kustomize reads a file with HTTP, and clones the repository of a folder (``api/internal/loader``:
    ``fileloader.go`` httpClientGetContent, ``loader.go`` NewLoader); ``kubectl kustomize`` builds a folder.
    """
    hint = "vendor it: copy its folder into this repository, and list the copy"
    if not is_component:
        file = _WEB_FILE.fullmatch(path)
        if file and (is_file or _MANIFEST_NAME.fullmatch(file[1])):
            name = file[1]
            command = f"curl -fL {quote(path)} -o {quote(join_path(folder_of(site.path), name))}"
        else:
            folder = _NAME.fullmatch(path.rstrip("/").rpartition("/")[2])
            name = f"{folder[1] if folder else 'remote'}.yaml"
            command = f"kubectl kustomize {quote(path)} > {quote(join_path(folder_of(site.path), name))}"
        hint = f"vendor it: {command}, and list {name} in its place"
    if _COMMON_INSTANCETYPES.search(path):
        hint += "; or drop it, as KubeVirt deploys a release of it from 1.4 on (docs/catalogs.md)"
    return Diagnostic.at(
        site,
        Code.UNSUPPORTED_FIELD,
        f"{path} is not in this repository, and vmrender does not use the network",
        hint,
    ).error()
