"""Set up an editor for a repository: schemas with what fields mean, and the settings that point to them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from renderer.app.project import Project
from renderer.app.schemas import SchemaVariant, project_choices, schema_files
from renderer.authoring.new_project.editor_files import (
    ANY_KIND,
    PATCH_SCHEMAS,
    SCHEMAS,
    Editor,
    editor_settings,
)
from renderer.emit.edit_user_files import change_files
from renderer.emit.generated_files import plan_generated_files
from renderer.files.file_system import FileSystem
from renderer.kubevirt.facts.kinds import KUBEVIRT_GROUP
from renderer.model.entry_point import SKIP_MARK


class EditorSetup(NamedTuple):
    """The number of schemas that were written, and the path of the settings if they were written, too.

    ``addition`` has the lines to add by hand if the editor has settings in the repository already.
    """

    schemas: int
    settings: str = ""
    addition: str = ""


def set_up_editor(project: Project, editor: Editor, *, dry_run: bool = False) -> EditorSetup:
    """Write the schemas of the project's release, with the names in its catalogs, and the editor's settings.

    Settings that exist are the user's and stay. Raises ``DiagnosticError``.
    """
    release, choices = project.config.kubevirt.minor_release.number, project_choices(project)
    folders = {
        folder: {
            path: _not_a_manifest(content)
            for path, content in schema_files(
                project, (), release, SchemaVariant(for_editor=True, for_patches=for_patches, choices=choices)
            ).items()
        }
        for folder, for_patches in ((SCHEMAS, False), (PATCH_SCHEMAS, True))
    }
    count = sum(map(len, folders.values()))
    writes: dict[str, bytes] = {}
    before: dict[str, bytes | None] = {}
    for folder, files in folders.items():
        planned = plan_generated_files(project.fs, folder, files)
        writes |= planned.writes
        before |= planned.before
    settings = editor_settings(editor, tuple(_folders_of_kubevirt(project.fs)) or ("overlays",))
    is_new = not project.fs.is_file(editor.file)
    if is_new:
        writes[editor.file] = settings.encode()
        before[editor.file] = None
    if not dry_run:
        change_files(project.root, writes, (), before)
    if is_new:
        return EditorSetup(count, settings=editor.file)
    names_schemas = f"{SCHEMAS}/{ANY_KIND}" in project.fs.read(editor.file).decode("utf-8", "replace")
    return EditorSetup(count, addition="" if names_schemas else settings)


def _not_a_manifest(content: bytes) -> bytes:
    """Return a schema that Argo CD does not take for a manifest, should it apply the whole repository."""
    return json.dumps({"$comment": SKIP_MARK, **json.loads(content)}, separators=(",", ":")).encode() + b"\n"


def _folders_of_kubevirt(fs: FileSystem) -> Iterator[str]:
    """Yield the folders at the top of the repository in which a manifest names a kind of KubeVirt."""
    for folder in fs.list("."):
        if not folder.startswith(".") and any(_name_kubevirt(fs, folder)):
            yield folder


def _name_kubevirt(fs: FileSystem, path: str) -> Iterator[bool]:
    """Yield for each manifest at or below ``path`` whether it names a kind of KubeVirt."""
    if fs.is_folder(path):
        for name in fs.list(path):
            yield from _name_kubevirt(fs, f"{path}/{name}")
    elif path.endswith((".yaml", ".yml")) and fs.is_file(path):
        yield KUBEVIRT_GROUP.encode() in fs.read(path)
