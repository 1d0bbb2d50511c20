"""The entry of a cluster in the project file: a new one, or one that gets more folders."""

from __future__ import annotations

from typing import NamedTuple

from renderer.adopt.dump.sources import CONFIGURATION_FOLDER
from renderer.model.cluster_settings import COMMON_INSTANCETYPES, BuiltinCatalog, CatalogPath, lists
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.field_edit import AddField, AddItem, Edit
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json
from renderer.model.release import Release
from renderer.model.render_config import PROJECT_FILE, RenderConfig
from renderer.project.overlay_clusters import cluster_site
from renderer.yamlio.edit import EditedText, RefusedEditError, add_entry, edit_fields


class NewSettings(NamedTuple):
    """The settings of a cluster that an import writes; an empty ``name`` is the default cluster.

    ``folders`` have its instance types, preferences and ``KubeVirt`` object. ``place`` is the number of
    listed catalogs that stay before them.
    """

    release: Release
    folders: tuple[str, ...] = ()
    name: str = ""
    place: int = 0

    @property
    def configuration(self) -> list[str]:
        """The folder with the ``KubeVirt`` object, if there is one."""
        return [path for path in self.folders if path.endswith(f"/{CONFIGURATION_FOLDER}")]

    @property
    def catalogs(self) -> list[str]:
        """The other folders."""
        own = self.configuration
        return [path for path in self.folders if path not in own]


def with_cluster(content: bytes, config: RenderConfig, new: NewSettings) -> bytes:
    """Return the project file with the cluster, and with the folders that it does not list yet.

    Raises ``DiagnosticError``: edit-refused.
    """
    known = next((index for index, each in enumerate(config.clusters) if each.name == new.name), None)
    if known is None:
        entry: dict[str, Json] = {"name": new.name, "kubevirt": new.release.as_target}
        if new.configuration or config.configuration:
            entry["configuration"] = list[Json](new.configuration)
        entry["catalogs"] = [*map(_entry_of, map(CatalogPath, new.catalogs)), _entry_of(COMMON_INSTANCETYPES)]
        return add_entry(content, PROJECT_FILE, "clusters", entry)
    settings, place = config.clusters[known], FieldPath.of("clusters", known)
    edits: list[Edit] = []
    listed = config.of_cluster(new.name)
    if settings.kubevirt is None and not is_target(new.release, listed.kubevirt):
        edits.append(AddField(place, "kubevirt", new.release.as_target))
    catalogs = [CatalogPath(each) for each in new.catalogs if not lists(listed.catalogs, each)]
    if catalogs and settings.catalogs is None:
        all_catalogs = (*listed.catalogs[: new.place], *catalogs, *listed.catalogs[new.place :])
        edits.append(AddField(place, "catalogs", [*map(_entry_of, all_catalogs)]))
    else:
        before = new.place if new.place < len(listed.catalogs) else None
        edits += (
            AddItem(place.child("catalogs"), _entry_of(each), before)
            for each in (catalogs if before is None else reversed(catalogs))
        )
    own = [path for path in new.configuration if path not in listed.configuration]
    if own and settings.configuration is None:
        edits.append(AddField(place, "configuration", [*own, *listed.configuration]))
    else:
        edits += (AddItem(place.child("configuration"), path) for path in own)
    try:
        return edit_fields(content, EditedText(is_kustomization=True), edits) if edits else content
    except RefusedEditError:
        message = f"the cluster {new.name} is written in a way that cannot be edited safely"
        hint = (
            f"add {', '.join((*(each.path for each in catalogs), *own))} to it yourself, and run this again"
        )
        raise Diagnostic.at(cluster_site(new.name), Code.EDIT_REFUSED, message, hint).error() from None


def is_target(release: Release, listed: Release) -> bool:
    """Return True if the project renders for the release already."""
    return release.exact == listed.exact and release.product in ("", listed.product)


def _entry_of(catalog: CatalogPath | BuiltinCatalog) -> Json:
    return {"path": catalog.path} if isinstance(catalog, CatalogPath) else {"builtin": catalog.name}
