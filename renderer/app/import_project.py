"""The project file of an imported cluster: a new one, or entries that are added to the one that is there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from renderer.app.catalog_import import with_catalog
from renderer.app.project import Project
from renderer.model.json import Json
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode, OverlayEntry, RenderConfig
from renderer.source.project import PROJECT_FILE
from renderer.yamlio.edit import add_entries

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
{others}output: {output}
"""


def project_file(
    project: Project,
    output: str,
    modes: Mapping[str, ExpandMode],
    catalogs: Sequence[str],
    release: Release,
) -> Mapping[str, bytes]:
    """Return the project file for imported folders below ``output``, by its path.

    ``modes`` has the folders. A project file that is there keeps its release, and gets the entries that it
    lacks. Raises ``DiagnosticError``: edit-refused.
    """
    if not project.fs.is_file(PROJECT_FILE):
        entries = "".join(f"  - path: {json.dumps(path)}\n" for path in catalogs)
        text = _NEW.format(
            release=release,
            catalogs=entries,
            overlays=json.dumps(f"{output}/*"),
            output=json.dumps(_rendered(output)),
            others="".join(
                f"  - path: {json.dumps(folder)}\n    expand: {mode.value}\n"
                for folder, mode in modes.items()
                if mode is not _OFF
            ),
        )
        return {PROJECT_FILE: text.encode()}
    content = project.fs.read(PROJECT_FILE)
    config = project.config
    for path in reversed(catalogs):
        content = with_catalog(content, path, config.catalogs)
    return {
        PROJECT_FILE: add_entries(content, PROJECT_FILE, "overlays", _missing(config, output, modes, release))
    }


def rendered_folder(project: Project, output: str) -> str:
    """Return the folder that gets the rendered trees of the imported overlays."""
    config = project.config
    entries = [entry for entry in config.overlays if entry.path == f"{output}/*"]
    path = (entries[-1].output or config.output) if entries else _rendered(output)
    return path.partition("{")[0].rstrip("/") or "."


def _missing(
    config: RenderConfig, output: str, modes: Mapping[str, ExpandMode], release: Release
) -> Iterator[Json]:
    """Yield the entries that ``overlays`` lacks; the later of two entries for a folder counts."""
    everything = f"{output}/*"
    listed = {entry.path: entry for entry in config.overlays}
    target = {} if release == config.kubevirt else {"kubevirt": str(release)}
    if config.overlays == RenderConfig().overlays:
        yield {"path": OverlayEntry("overlays/*").path}  # the default, which any entry replaces
    usual, rendered = _OFF, _rendered(output)
    if everything in listed:
        usual = listed[everything].expand or config.expand
        rendered = listed[everything].output or config.output
    else:
        yield {"path": everything, "expand": _OFF.value, "output": rendered, **target}
    place = {} if rendered == config.output else {"output": rendered}
    for folder, mode in modes.items():
        if mode is not usual and folder not in listed:
            yield {"path": folder, "expand": mode.value, **place, **target}


def _rendered(output: str) -> str:
    return "rendered/{name}" if output == "overlays" else f"rendered/{output.replace('/', '-')}/{{name}}"
