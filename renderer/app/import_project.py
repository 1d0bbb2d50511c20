"""The project file of an imported cluster: a new one, or entries that are added to the one that is there."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from renderer.app.catalog_import import with_catalog
from renderer.app.project import Project
from renderer.model.json import Json
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode, OverlayEntry, RenderConfig
from renderer.source.project import PROJECT_FILE
from renderer.yamlio.edit import add_entry

_OFF = ExpandMode.OFF
_NEW = """\
apiVersion: vmrender.io/v1alpha1
kind: RenderConfig

# The release that the cluster runs. What it refuses is refused here, too.
kubevirt: "{release}"

# Where instance types, preferences and the cluster's configuration are looked up; the first hit wins.
catalogs:
{catalogs}  - builtin: common-instancetypes

# Virtual machines keep the names of their instance types, as the cluster has them: sizes that a sync wrote
# beside these names would be refused.
expand: "off"

overlays:
  - path: {overlays}
output: {output}
"""


def project_file(  # noqa: PLR0913 - the project, and what a project file says
    project: Project,
    output: str,
    folders: Sequence[str],
    catalogs: Sequence[str],
    release: Release,
    *,
    fitted: Sequence[str] = (),
) -> Mapping[str, bytes]:
    """Return the project file for imported ``folders`` below ``output``, by its path.

    Machines in ``fitted`` folders are expanded. A file that is there keeps its release, and gets the entries
    that it lacks. Raises ``DiagnosticError``: edit-refused.
    """
    content = _project_file(project, output, folders, catalogs, release)
    listed = {entry.path for entry in project.config.overlays}
    for folder in (folder for folder in fitted if folder not in listed):
        entry: Json = {"path": folder, "expand": ExpandMode.APPLIED.value, "output": _rendered(output)}
        content = add_entry(content, PROJECT_FILE, "overlays", entry)
    return {PROJECT_FILE: content}


def _project_file(
    project: Project, output: str, folders: Sequence[str], catalogs: Sequence[str], release: Release
) -> bytes:
    """Return the project file in which no machine is expanded."""
    if not project.fs.is_file(PROJECT_FILE):
        entries = "".join(f"  - path: {json.dumps(path)}\n" for path in catalogs)
        text = _NEW.format(
            release=release,
            catalogs=entries,
            overlays=json.dumps(f"{output}/*"),
            output=json.dumps(_rendered(output)),
        )
        return text.encode()
    content = project.fs.read(PROJECT_FILE)
    config = project.config
    for path in reversed(catalogs):
        content = with_catalog(content, path, config.catalogs)
    for entry in _missing(config, output, folders):
        content = add_entry(content, PROJECT_FILE, "overlays", entry)
    return content


def _missing(config: RenderConfig, output: str, folders: Iterable[str]) -> Iterator[Json]:
    """Yield the entries that ``overlays`` lacks; the later of two entries for a folder counts."""
    everything = f"{output}/*"
    listed = {entry.path: entry for entry in config.overlays}
    if config.overlays == RenderConfig().overlays:
        yield {"path": OverlayEntry("overlays/*").path}  # the default, which any entry replaces
    if everything not in listed:
        yield {"path": everything, "expand": _OFF.value, "output": _rendered(output)}
    elif (listed[everything].expand or config.expand) is not _OFF:
        for folder in folders:
            if folder not in listed:
                yield {"path": folder, "expand": _OFF.value}


def _rendered(output: str) -> str:
    return "rendered/{name}" if output == "overlays" else f"rendered/{output.replace('/', '-')}/{{name}}"
