from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.packaging.built import ROOT, Distribution, build, distribution_in


@pytest.fixture(scope="session")
def distribution(tmp_path_factory: pytest.TempPathFactory) -> Distribution:
    """What the release job built before, or else a build of this checkout."""
    if given := os.environ.get("VMRENDER_DIST"):
        return distribution_in(Path(given))
    return distribution_in(build(ROOT, tmp_path_factory.mktemp("dist")))
