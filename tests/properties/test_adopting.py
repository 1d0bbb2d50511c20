"""What is imported from a cluster composes to what the cluster has, and a sync of it changes nothing.

``python -m tests.clusters.adopting`` does the same with thousands of machines.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clusters.adopting import problems_of_adoption
from tests.clusters.cluster import RELEASES, generate


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("output", ["json", "yaml"])
def test_a_cluster_that_was_imported_is_in_sync(tmp_path: Path, release: int, output: str) -> None:
    for seed in (1, 2):
        assert problems_of_adoption(generate(seed, release=release), tmp_path / "adopted", output) == []
