"""Files judged by what is built from them, and alone where nothing is."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from renderer.cli.lone_validation import LoneValidation
from renderer.cli.validated_project import ValidatedProject, concerns
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.render_config import Overlay
from renderer.source.validation_scope import Scoping


class Validated(NamedTuple):
    """What was found, and what was looked at: overlays by path, and files that are judged alone."""

    diagnostics: tuple[Diagnostic, ...]
    overlays: tuple[str, ...]
    files: tuple[str, ...]


def validate(project: ValidatedProject, paths: Iterable[str]) -> Validated:
    """What is to be said of the files at ``paths``, which are relative to the project, and in folders there.

    Raises ``DiagnosticError`` for a project whose overlays cannot be found.
    """
    files = tuple(dict.fromkeys(file for path in paths for file in _files(project, path)))
    scope = Scoping(project.reach, project.candidates, project.config, project.overlays).scope_of(files)
    unlisted = [overlay for overlay in scope.unlisted if _is_of_interest(project, overlay.path)]
    lone = LoneValidation(project)
    found = (
        *(each for overlay in scope.overlays for each in _of_build(project, overlay, scope.files)),
        *(each for overlay in unlisted for each in _of_unlisted(project, overlay, scope.files)),
        *(each for folder in scope.parts for each in _of_part(project, folder)),
        *(each for file in scope.alone for each in lone.diagnostics(file)),
    )
    built = tuple(overlay.path for overlay in (*scope.overlays, *unlisted))
    return Validated(found, built, tuple(lone.judged))


def _files(project: ValidatedProject, path: str) -> Iterator[str]:
    candidates = project.candidates
    if project.fs.is_folder(path):
        yield from candidates.below(path)
    elif candidates.is_candidate(path) and not candidates.is_rendered(posixpath.dirname(path) or "."):
        yield path


def _of_build(project: ValidatedProject, overlay: Overlay, files: frozenset[str]) -> Iterator[Diagnostic]:
    """What the build says of the files; all that it says when nothing can be built."""
    composed = project.pipeline.compose(overlay.path)
    found = composed.diagnostics if composed.failed else project.judged(overlay, composed)
    for each in found:
        if composed.failed or concerns(each, files):
            yield replace(each, overlays=(overlay.path,))


def _is_of_interest(project: ValidatedProject, folder: str) -> bool:
    """Whether KubeVirt has anything to do with what is built: most kustomizations are none of ours."""
    return any(project.lone_files.mention(file) for file in project.reach.files(folder))


def _of_unlisted(project: ValidatedProject, overlay: Overlay, files: frozenset[str]) -> Iterator[Diagnostic]:
    """As of an overlay, but that vmrender never renders it: that it cannot is no mistake."""
    for found in _of_build(project, overlay, files):
        yield _excused(found, overlay.path)


def _of_part(project: ValidatedProject, folder: str) -> Iterator[Diagnostic]:
    """What can be said of a kustomization that nothing is built from, such as a component without users."""
    if _is_of_interest(project, folder):
        for found in project.pipeline.read(folder):
            yield _excused(found, folder)


def _excused(found: Diagnostic, folder: str) -> Diagnostic:
    if found.code is not Code.UNSUPPORTED_FIELD:
        return found
    message = f"{found.message}: {folder} is not checked"
    return replace(found, code=Code.NOT_CHECKED, severity=Severity.WARNING, message=message)
