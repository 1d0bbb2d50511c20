"""Files imported from a cluster compose to the cluster's objects, and a sync of them changes nothing.

``python -m tests.clusters.adopting`` does the same with thousands of machines.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from renderer.app.cluster_import.files import SourceChoices
from renderer.app.cluster_import.objects import Secrets
from tests.clusters.adopting import problems_of_adoption
from tests.clusters.cluster import RELEASES, generate


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("output", ["json", "yaml"])
def test_imported_cluster_is_in_sync(tmp_path: Path, release: int, output: str) -> None:
    for seed in (1, 2):
        assert problems_of_adoption(generate(seed, release=release), tmp_path / "adopted", output) == []


@pytest.mark.parametrize("release", RELEASES)
def test_imported_cluster_with_fitted_sizes_and_bases_is_in_sync(tmp_path: Path, release: int) -> None:
    choices = SourceChoices(Secrets.PLAIN, fits=True, group_by="tier")
    assert problems_of_adoption(generate(4, 8, release), tmp_path / "adopted", "json", choices) == []
