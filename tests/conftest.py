from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from renderer.model.work import begin_run
from tests.no_network import forbid_network

#: Folders of which none holds a test: pytest would visit each of their 2,000.
collect_ignore = ["cases", "data"]

# How fast the machine is that a test runs on is not what is tested.
settings.register_profile(
    "untimed", settings.default, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-cases",
        action="store_true",
        help="write what the golden cases in tests/cases give now as what they should give",
    )
    parser.addoption(
        "--with-network",
        action="store_true",
        help="leave the network to the tests that try an installation from an index",
    )


def pytest_configure(config: pytest.Config) -> None:
    """vmrender needs no network, and its tests must not come to need one."""
    if not config.getoption("--with-network"):
        forbid_network()


@pytest.fixture(autouse=True, scope="session")
def _no_files_of_whoever_runs_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What commands keep between their runs stands in a place of its own."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CACHE_HOME", str(home / "cache"))
        patched.setenv("XDG_STATE_HOME", str(home / "state"))
        patched.delenv("VMRENDER_CACHE_KEY", raising=False)
        # What init writes names this place, wherever the copy that is tested was installed from.
        patched.setenv("VMRENDER_SOURCE", "https://github.com/vmrender/vmrender@v0.1.0")
        yield


@pytest.fixture(autouse=True)
def _each_test_is_a_run() -> None:
    """The work of one test is not counted in another."""
    begin_run()


@pytest.fixture(autouse=True, scope="module")
def _nothing_is_kept_for_ever() -> Iterator[None]:
    """A command freezes what it made, as it ends with its process; one that a test calls does not end."""
    yield
    gc.unfreeze()
