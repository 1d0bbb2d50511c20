"""The ``functionConfig`` of an ``Expansion`` or ``Validation``: where a function differs from the project."""

from __future__ import annotations

from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.fields import Fields
from renderer.model.render_config import ExpandMode, RenderConfig
from renderer.model.resource import Resource
from renderer.source.file_system import FileSystem
from renderer.source.project import read_catalogs, read_release
from renderer.source.project_schemas import imported_releases
from renderer.source.rule_settings import read_rule_settings

EXPANSION = "Expansion"
VALIDATION = "Validation"


def with_function_config(fs: FileSystem, config: RenderConfig, written: Resource) -> RenderConfig:
    """The project with what ``spec`` says: ``kubevirt``, ``catalogs``, ``rules`` and, to expand, ``expand``.

    Raises ``DiagnosticError``: config-invalid, with everything that is wrong at once.
    """
    findings: list[Diagnostic] = []
    fields = Fields(written.content, written.origin, findings)
    fields.only("apiVersion", "kind", "metadata", "spec")
    spec = fields.child("spec")
    common = ("kubevirt", "catalogs", "rules")
    spec.only(*common, *(("expand",) if written.kind == EXPANSION else ()))
    changed = config._replace(
        kubevirt=read_release(spec, imported_releases(fs, config.schemas)) or config.kubevirt,
        catalogs=tuple(read_catalogs(spec)) if "catalogs" in spec else config.catalogs,
        expand=spec.choice("expand", ExpandMode) or config.expand,
        rules=read_rule_settings(spec).over(config.rules),
    )
    if findings:
        raise DiagnosticError(*findings)
    return changed
