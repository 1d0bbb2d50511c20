"""Hints for names that no catalog of the project has: the file of the repository that defines them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from renderer.emit.ownership import OWNERSHIP_FILE
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.source.file_system import FileSystem
from renderer.source.kustomization_graph import KustomizationGraph
from renderer.source.validation_scope import ManifestFiles

_NOT_FOUND = (Code.INSTANCETYPE_NOT_FOUND, Code.PREFERENCE_NOT_FOUND)
_SOUGHT = re.compile(r"there is no (\w+) (\S+?)(?:;|$| in )")


def with_catalog_hints(fs: FileSystem, findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The findings.

    Those of an unknown instance type or preference name the file that defines it, if one does.
    """
    found = list(findings)
    if not any(each.code in _NOT_FOUND for each in found):
        return found
    texts = dict(_definitions(fs))
    return [_with_hint(fs, each, texts) if each.code in _NOT_FOUND else each for each in found]


def _with_hint(fs: FileSystem, found: Diagnostic, texts: dict[str, str]) -> Diagnostic:
    match = _SOUGHT.match(found.message)
    if not match:
        return found
    kind, name = match.groups()
    pattern = re.compile(
        rf"^kind:\s*{kind}\s*$.*?^\s+name:\s*[\"']?{re.escape(name)}[\"']?\s*$", re.MULTILINE | re.DOTALL
    )
    path = next((path for path, text in texts.items() if any(map(pattern.search, text.split("\n---")))), None)
    if path is None:
        return found
    folder = min(KustomizationGraph(fs).listing(path), default=None)
    if folder is None:
        parent = posixpath.dirname(path) or "."
        way = f"write a kustomization.yaml in {parent}, and - path: {parent} under catalogs in vmrender.yaml"
    else:
        way = f"add - path: {folder} under catalogs in vmrender.yaml"
    return replace(found, hint=f"{path} defines it: {way}")


def _definitions(fs: FileSystem) -> Iterator[tuple[str, str]]:
    """The text of each file with instance types or preferences."""
    for path in ManifestFiles(fs, (), OWNERSHIP_FILE).below("."):
        try:
            content = fs.read(path)
        except DiagnosticError:
            continue
        if b"instancetype.kubevirt.io" in content and b"kind: VirtualMachine" in content:
            yield path, content.decode(errors="replace")
