from __future__ import annotations

from renderer.model.cluster_settings import CatalogPath, ClusterSettings, clusters_in_path
from renderer.model.render_config import RenderConfig


def test_catalogs_of_many_clusters_are_listed_once() -> None:
    clusters = tuple(ClusterSettings(f"c{number}", catalogs=(CatalogPath("cat"),)) for number in range(50))
    config = RenderConfig(clusters=clusters)
    assert config.catalog_folders() == {"cat": tuple(each.name for each in clusters)}
    assert config.catalog_folders() is config.catalog_folders()
    assert clusters_in_path(clusters, "c7/x/c3/c7") == ("c3", "c7")
