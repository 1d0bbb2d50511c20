"""One build, as the command would do it."""

from __future__ import annotations

from dataclasses import dataclass

from renderer.files.file_system import FileSystem
from renderer.kustomize.compose import BuildOptions, Composer
from renderer.kustomize.reader.find_kustomization import LoadRestrictor
from renderer.kustomize.reader.load import Loader
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.kube.json import Json
from renderer.yamlio.encode import encode


@dataclass(frozen=True, slots=True)
class Built:
    """The output of a build; ``stdout`` is None if it failed."""

    stdout: str | None
    error: str = ""

    @property
    def actual(self) -> Json:
        return {"error": self.error} if self.stdout is None else {"stdout": self.stdout}


def build(
    fs: FileSystem,
    path: str,
    restrictor: LoadRestrictor = LoadRestrictor.ROOT_ONLY,
    options: BuildOptions | None = None,
) -> Built:
    """Return the manifests of the folder ``path``, or its errors."""
    try:
        composer = Composer({}, options or BuildOptions())
        outcome = composer.compose(Loader(fs, restrictor, composer.accumulate).load(path))
        if outcome.failed:
            return Built(None, _text(outcome.diagnostics))
        return Built(encode(resource.content for resource in outcome.value))
    except DiagnosticError as error:
        return Built(None, _text(error.diagnostics))


def _text(diagnostics: tuple[Diagnostic, ...]) -> str:
    return "\n".join(
        f"{diagnostic.code}: {diagnostic.message}"
        + "".join(f" ({site.path}: {site.field})" for site in diagnostic.sites[:1])
        for diagnostic in diagnostics
        if diagnostic.severity is Severity.ERROR
    )
