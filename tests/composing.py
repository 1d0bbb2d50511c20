"""Builds of small trees in memory, for tests."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent

from renderer.files.file_system import MemoryFileSystem
from renderer.kustomize.compose import BuildOptions, Composer
from renderer.kustomize.reader.load import Loader
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, Severity
from renderer.model.kube.resource import ResourceSet
from renderer.yamlio.encode import encode

Files = Mapping[str, str]


def outcome(files: Files, path: str = ".", options: BuildOptions | None = None) -> Outcome[ResourceSet]:
    """Return the outcome of building ``path``; the texts are dedented."""
    fs = MemoryFileSystem({name: dedent(text).encode() for name, text in files.items()})
    try:
        composer = Composer({}, options or BuildOptions())
        return composer.compose(Loader(fs, accumulate=composer.accumulate).load(path))
    except DiagnosticError as error:
        return Outcome(ResourceSet(), error.diagnostics)


def built(files: Files, path: str = ".", options: BuildOptions | None = None) -> str:
    """The manifests; fails the test when there are errors."""
    result = outcome(files, path, options)
    assert not result.failed, [diagnostic.message for diagnostic in result.diagnostics]
    return encode(resource.content for resource in result.value)


def errors(files: Files, path: str = ".") -> list[Diagnostic]:
    return [found for found in outcome(files, path).diagnostics if found.severity is Severity.ERROR]


def warnings(files: Files, path: str = ".") -> list[Diagnostic]:
    return [found for found in outcome(files, path).diagnostics if found.severity is Severity.WARNING]


def only_error(files: Files, path: str = ".") -> Diagnostic:
    """The error of a build that has exactly one."""
    found = errors(files, path)
    assert len(found) == 1, [diagnostic.message for diagnostic in found]
    return found[0]
