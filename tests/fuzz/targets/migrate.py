"""Files that ``vmrender migrate`` rewrites: they stay readable, and a second run changes nothing."""

from __future__ import annotations

from renderer.app.migrate import MigratedProject, migrate
from renderer.authoring.migration.migrate_file import changed_contents
from renderer.files.builtin_catalogs import BuiltinFileSystem
from renderer.files.file_system import MemoryFileSystem
from renderer.model.diagnostic import DiagnosticError
from renderer.project.project import load_project
from renderer.yamlio.decode import decode_documents
from tests.fuzz.judging import Files, project_target, report
from tests.fuzz.target import Target

_PROJECT = project_target("migrate", "app/vms.yaml", "app/preferences.yaml", "app/kustomization.yaml")


def _check(files: Files) -> None:
    fs = BuiltinFileSystem(MemoryFileSystem(files))
    try:
        migrated = migrate(MigratedProject(fs, load_project(fs), None), ["."])
    except DiagnosticError as error:
        report(fs, error.diagnostics)
        return
    report(fs, [found for file in migrated for found in file.warnings])
    after = changed_contents(migrated)
    for path, content in after.items():
        decode_documents(content, path)
    again = BuiltinFileSystem(MemoryFileSystem({**files, **after}))
    assert not changed_contents(migrate(MigratedProject(again, load_project(again), None), ["."]))


TARGET = Target(_PROJECT.inputs, _check)
