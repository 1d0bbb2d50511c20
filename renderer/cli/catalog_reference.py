"""A catalog as a command line names it: a folder, a bundle, ``builtin:NAME`` or ``REVISION:PATH``."""

from __future__ import annotations

import posixpath
from pathlib import Path
from typing import NamedTuple

import click

from renderer.cli.git import git_of
from renderer.cli.repository import Repository
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.location import Location
from renderer.model.render_config import RenderConfig
from renderer.model.resource import ResourceSet
from renderer.pipeline import Pipeline
from renderer.source.builtin_catalogs import BUILTIN_CATALOGS, BuiltinFileSystem, builtin_path
from renderer.source.file_system import FileSystem
from renderer.source.find_kustomization import KUSTOMIZATION_FILES
from renderer.source.load import load_files
from renderer.source.locate import locate

_BUILTIN = "builtin:"


class OpenedCatalog(NamedTuple):
    """What a catalog holds, and where lines of its files can be looked up."""

    name: str
    resources: ResourceSet
    pipeline: Pipeline
    fs: FileSystem


def open_catalog(reference: str) -> OpenedCatalog:
    """The catalog that ``reference`` names, composed.

    A path is one of the working directory, that after a revision one of the project. Raises
    ``DiagnosticError``, located in that catalog's own files, and ``click.UsageError`` for what names nothing.
    """
    if reference.startswith(_BUILTIN):
        repository = Repository.here()
        return _composed(reference, repository.fs, repository.config, builtin_path(_builtin(reference)))
    if Path(reference).exists():
        return _on_disk(reference)
    revision, separator, path = reference.rpartition(":")
    if not separator:
        hint = "a catalog is a folder or a file, builtin:common-instancetypes, or REVISION:PATH"
        message = f"no such catalog: {reference}"
        raise DiagnosticError(Diagnostic(code=Code.FILE_NOT_FOUND, message=message, hint=hint))
    return _at_revision(reference, revision, path or ".")


def _builtin(reference: str) -> str:
    """Raises ``click.UsageError``."""
    name = reference.removeprefix(_BUILTIN)
    found = next((known for known, release in BUILTIN_CATALOGS.items() if name in (known, release)), None)
    if found is None:
        known = ", ".join(f"{_BUILTIN}{name}" for name in BUILTIN_CATALOGS)
        raise click.UsageError(f"no built-in catalog {name!r}: there is {known}")
    return found


def _on_disk(reference: str) -> OpenedCatalog:
    repository = Repository.containing(Path(reference))
    return _composed(reference, repository.fs, repository.config, repository.relative(Path(reference)))


def _at_revision(reference: str, revision: str, path: str) -> OpenedCatalog:
    repository = Repository.here()
    with git_of(repository) as git:
        fs = git.tree(revision)
        folder = Path(path).as_posix()
        if not fs.is_folder(folder) and not fs.is_file(folder):
            message = f"there is no {path} in revision {revision}"
            hint = "the path is one of the project, from the folder of vmrender.yaml on"
            raise DiagnosticError(
                Diagnostic(code=Code.FILE_NOT_FOUND, message=message, location=Location(folder), hint=hint)
            )
        return _composed(reference, BuiltinFileSystem(fs), repository.config, folder)


def _composed(name: str, fs: FileSystem, config: RenderConfig, path: str) -> OpenedCatalog:
    pipeline = Pipeline(fs, config)
    try:
        return OpenedCatalog(name, _resources(pipeline, fs, path), pipeline, fs)
    except DiagnosticError as error:
        raise DiagnosticError(*locate(fs, error.diagnostics)) from error


def _resources(pipeline: Pipeline, fs: FileSystem, path: str) -> ResourceSet:
    """Raises ``DiagnosticError``."""
    files = _bundle(fs, path)
    if files:
        return load_files(fs, files)
    composed = pipeline.compose(path)
    if composed.failed:
        raise DiagnosticError(*composed.diagnostics)
    return composed.value


def _bundle(fs: FileSystem, path: str) -> tuple[str, ...]:
    """The files of a bundle: one file, or all YAML files of a folder that has no kustomization."""
    if fs.is_file(path):
        return (path,)
    names = fs.list(path)
    if not {*KUSTOMIZATION_FILES}.isdisjoint(names):
        return ()
    return tuple(posixpath.normpath(f"{path}/{name}") for name in names if name.endswith((".yaml", ".yml")))
