"""The project file of an import: a new one, or entries that an existing one lacks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from renderer.app.catalog_import import with_catalog
from renderer.app.cluster_entry import NewSettings, is_target, with_cluster
from renderer.app.project import Project
from renderer.files.file_system import is_inside
from renderer.model.kube.json import Json
from renderer.model.render_config import (
    PROJECT_FILE,
    ExpandMode,
    OverlayEntry,
    RenderConfig,
    folder_of_trees,
)
from renderer.yamlio.edit import add_entries

_NEW = """\
apiVersion: vmrender.io/v1alpha1
kind: RenderConfig

{settings}
# Virtual machines keep the names of their instance types, as the cluster has them: sizes that a sync wrote
# next to these names would be refused.
expand: "off"

overlays:
  - path: {overlays}
{cluster}{others}output: {output}
"""
#: What a new project file says if it has one cluster, and for each cluster if it has several.
_DEFAULT_CLUSTER = """\
# The release that the cluster runs. What it refuses is refused here, too.
kubevirt: "{release}"

# Where instance types, preferences and the cluster's configuration are looked up; the first hit wins.
catalogs:
{catalogs}  - builtin: common-instancetypes
"""
_CLUSTER = """\
# Each cluster: the release that it runs, its own objects, and where instance types and preferences are
# looked up; the first hit wins.
clusters:
  - name: {name}
    kubevirt: "{release}"
{configuration}    catalogs:
{catalogs}      - builtin: common-instancetypes
"""


class NewFolder(NamedTuple):
    """The settings of a new folder; ``in_waves``: Argo CD is to sync it in waves."""

    mode: ExpandMode
    in_waves: bool = False


def project_file(
    project: Project, output: str, folders: Mapping[str, NewFolder], settings: NewSettings
) -> Mapping[str, bytes]:
    """Return the project file with entries for new ``folders`` below ``output``, by its path.

    An existing project file keeps its releases and its entries, and gets the missing ones. The
    ``settings`` go to the entry of their cluster under ``clusters``; for the default cluster, to the top of
    the file. Raises ``DiagnosticError``: edit-refused.
    """
    cluster = settings.name
    if not project.fs.is_file(PROJECT_FILE):
        goes_to = "" if _names_cluster(output, cluster) else f"    cluster: {json.dumps(cluster)}\n"
        text = _NEW.format(
            settings=_new_settings(settings),
            overlays=json.dumps(f"{output}/*"),
            cluster=goes_to,
            others="".join(_entry_text(path, folder, goes_to) for path, folder in folders.items()),
            output=json.dumps(_default_output(output)),
        )
        return {PROJECT_FILE: text.encode()}
    content = project.fs.read(PROJECT_FILE)
    config = project.config
    if cluster:
        content = with_cluster(content, config, settings)
    else:
        for path in reversed(settings.folders):
            content = with_catalog(content, path, config.catalogs)
    missing = _missing_entries(project, output, folders, settings) if folders else ()
    return {PROJECT_FILE: add_entries(content, PROJECT_FILE, "overlays", missing)}


def _new_settings(settings: NewSettings) -> str:
    """Return the lines of a new project file about its cluster."""
    release = settings.release.as_target
    if not settings.name:
        listed = "".join(f"  - path: {json.dumps(path)}\n" for path in settings.folders)
        return _DEFAULT_CLUSTER.format(release=release, catalogs=listed)
    own = "".join(f"    configuration: [{json.dumps(path)}]\n" for path in settings.configuration)
    catalogs = "".join(f"      - path: {json.dumps(path)}\n" for path in settings.catalogs)
    return _CLUSTER.format(
        name=json.dumps(settings.name), release=release, configuration=own, catalogs=catalogs
    )


def _names_cluster(output: str, cluster: str) -> bool:
    """Return True if the path of ``output`` already names the cluster, so that entries need not."""
    return not cluster or cluster in output.split("/")


def _entry_text(path: str, folder: NewFolder, goes_to: str) -> str:
    """Return the entry of a folder in a new project file; empty if it has the usual settings.

    ``goes_to`` is the line that names its cluster, if it needs one.
    """
    mode = "" if folder.mode is ExpandMode.OFF else f"    expand: {folder.mode.value}\n"
    waves = "    syncWaves: true\n" if folder.in_waves else ""
    return f"  - path: {json.dumps(path)}\n{goes_to}{mode}{waves}" if mode or waves else ""


def rendered_folder(project: Project, output: str) -> str:
    """Return the folder for the rendered trees of the imported overlays."""
    config = project.config
    entries = [entry for entry in config.overlays if entry.path == f"{output}/*"]
    return folder_of_trees((entries[-1].output or config.output) if entries else _default_output(output))


def _missing_entries(
    project: Project, output: str, folders: Mapping[str, NewFolder], settings: NewSettings
) -> Iterator[Json]:
    """Yield the entries missing in ``overlays``. Of two entries for a folder, the later one counts.

    So a glob is added only if the project has no overlay below ``output``, whose entry it would replace.
    """
    config, cluster = project.config, settings.name
    goes_to: dict[str, Json] = {} if _names_cluster(output, cluster) else {"cluster": cluster}
    everything = f"{output}/*"
    listed = {entry.path: entry for entry in config.overlays}
    release = settings.release
    own = next((each.kubevirt for each in config.clusters if each.name == cluster), None)
    of_cluster = bool(cluster) and own is None  # which gets the release
    is_known = of_cluster or is_target(release, config.of_cluster(cluster).kubevirt)
    target = {} if is_known else {"kubevirt": release.as_target}
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
        yield {"path": everything, **goes_to, "expand": ExpandMode.OFF.value, "output": rendered, **target}
    place = {} if rendered == config.output else {"output": rendered}
    for path, (mode, in_waves) in folders.items():
        waves: dict[str, Json] = {"syncWaves": True} if in_waves and not config.tree.sync_waves else {}
        if (mode is not usual or waves) and path not in listed:
            yield {"path": path, **goes_to, "expand": mode.value, **place, **target, **waves}


def _default_output(output: str) -> str:
    return "rendered/{name}" if output == "overlays" else f"rendered/{output.replace('/', '-')}/{{name}}"
