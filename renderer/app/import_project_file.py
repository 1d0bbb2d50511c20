"""The project file of an import: a new one, or entries that an existing one lacks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from renderer.app.catalog_import import with_catalog
from renderer.app.project import Project
from renderer.files.file_system import is_inside
from renderer.model.kube.json import Json
from renderer.model.release import Release
from renderer.model.render_config import (
    PROJECT_FILE,
    ExpandMode,
    OverlayEntry,
    RenderConfig,
)
from renderer.yamlio.edit import add_entries

_NEW = """\
apiVersion: vmrender.io/v1alpha1
kind: RenderConfig

# The release that the cluster runs. What it refuses is refused here, too.
kubevirt: "{release}"

# Where instance types, preferences and the cluster's configuration are looked up; the first hit wins.
catalogs:
{catalogs}  - builtin: common-instancetypes

# Virtual machines keep the names of their instance types, as the cluster has them: sizes that a sync wrote
# next to these names would be refused.
expand: "off"

overlays:
  - path: {overlays}
{others}output: {output}
"""


class NewFolder(NamedTuple):
    """The settings of a new folder; ``in_waves``: Argo CD is to sync it in waves."""

    mode: ExpandMode
    in_waves: bool = False


def project_file(
    project: Project,
    output: str,
    folders: Mapping[str, NewFolder],
    catalogs: Sequence[str],
    release: Release,
) -> Mapping[str, bytes]:
    """Return the project file with entries for new ``folders`` below ``output``, by its path.

    An existing project file keeps its release and its entries, and gets the missing ones. Raises
    ``DiagnosticError``: edit-refused.
    """
    if not project.fs.is_file(PROJECT_FILE):
        entries = "".join(f"  - path: {json.dumps(path)}\n" for path in catalogs)
        text = _NEW.format(
            release=release.as_target,
            catalogs=entries,
            overlays=json.dumps(f"{output}/*"),
            output=json.dumps(_default_output(output)),
            others="".join(_entry_text(path, folder) for path, folder in folders.items()),
        )
        return {PROJECT_FILE: text.encode()}
    content = project.fs.read(PROJECT_FILE)
    config = project.config
    for path in reversed(catalogs):
        content = with_catalog(content, path, config.catalogs)
    missing = _missing_entries(project, output, folders, release) if folders else ()
    return {PROJECT_FILE: add_entries(content, PROJECT_FILE, "overlays", missing)}


def _entry_text(path: str, folder: NewFolder) -> str:
    """Return the entry of a folder in a new project file; empty if it has the usual settings."""
    mode = "" if folder.mode is ExpandMode.OFF else f"    expand: {folder.mode.value}\n"
    waves = "    syncWaves: true\n" if folder.in_waves else ""
    return f"  - path: {json.dumps(path)}\n{mode}{waves}" if mode or waves else ""


def rendered_folder(project: Project, output: str) -> str:
    """Return the folder for the rendered trees of the imported overlays."""
    config = project.config
    entries = [entry for entry in config.overlays if entry.path == f"{output}/*"]
    path = (entries[-1].output or config.output) if entries else _default_output(output)
    return path.partition("{")[0].rstrip("/") or "."


def _missing_entries(
    project: Project, output: str, folders: Mapping[str, NewFolder], release: Release
) -> Iterator[Json]:
    """Yield the entries missing in ``overlays``. Of two entries for a folder, the later one counts.

    So a glob is added only if the project has no overlay below ``output``, whose entry it would replace.
    """
    config = project.config
    everything = f"{output}/*"
    listed = {entry.path: entry for entry in config.overlays}
    is_target = release.exact == config.kubevirt.exact and release.product in ("", config.kubevirt.product)
    target = {} if is_target else {"kubevirt": release.as_target}
    if config.overlays == RenderConfig().overlays:
        yield {"path": OverlayEntry("overlays/*").path}  # the default, which any entry replaces
    usual: ExpandMode | None = ExpandMode.OFF
    rendered = _default_output(output)
    if everything in listed:
        usual = listed[everything].expand or config.expand
        rendered = listed[everything].output or config.output
    elif any(is_inside(overlay.path, output) for overlay in project.overlays()):
        usual = None
    else:
        yield {"path": everything, "expand": ExpandMode.OFF.value, "output": rendered, **target}
    place = {} if rendered == config.output else {"output": rendered}
    for path, (mode, in_waves) in folders.items():
        waves: dict[str, Json] = {"syncWaves": True} if in_waves and not config.tree.sync_waves else {}
        if (mode is not usual or waves) and path not in listed:
            yield {"path": path, "expand": mode.value, **place, **target, **waves}


def _default_output(output: str) -> str:
    return "rendered/{name}" if output == "overlays" else f"rendered/{output.replace('/', '-')}/{{name}}"
