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
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return distribution_in(build(ROOT, tmp_path_factory.mktemp("dist")))
    fcntl = pytest.importorskip("fcntl")
    shared = tmp_path_factory.getbasetemp().parent / "dist"  # the first worker builds, the others wait for it
    with shared.with_name("dist.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not shared.exists():
            build(ROOT, tmp_path_factory.mktemp("dist")).rename(shared)
    return distribution_in(shared)
