"""How a run of the tests differs from a user's run, and what it prints at its end.

In the process of the tests, and so in commands that they run there:

- the network is closed, unless ``--with-network`` is given (``no_network.py``);
- temporary folders are in memory, if there is room in ``/dev/shm``;
- ``os.fsync`` does nothing, as no test can see whether a file is on the disk;
- files of the checkout are read once for all runs, not by each run (``tool_fingerprint``);
- shipped schemas are compiled once for all tests, which share their caches;
- Python collects garbage less often, and not among the collected tests;
- caches and keys are in folders of this test run; ``VMRENDER_CACHE_KEY`` is unset, ``VMRENDER_SOURCE`` is the
  address that files of ``init`` install from;
- warnings of Python are errors (``pyproject.toml``).

Each test begins without counted work, as a command does, but the cache of ``model/kube/sharing.py`` is kept
between tests. Programs that tests start have this environment and no network either, but none of the patches:
they sync files, read the checkout and compile schemas as a user's do. Programs started by ``warm_program.py``
are forks of a process that has imported all of vmrender, so they do not show what a command imports.
"""

from __future__ import annotations

import gc
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol  # there is no public name; pytest-rerunfailures builds on it, too
from hypothesis import HealthCheck, settings

from renderer.app import run_cache
from renderer.cache.tool_fingerprint import tool_fingerprint
from renderer.model.run.taint import begin_notes
from renderer.model.run.work import begin_run
from tests.no_network import forbid_network

#: Folders without tests: pytest would visit each of their 2,000 folders.
collect_ignore = ["cases", "data"]

#: The tests create and remove thousands of small repositories: a disk takes twice as long.
MEMORY = Path("/dev/shm")
#: In bytes: several times what the tests leave, of which pytest keeps the last three runs.
ROOM = 4 << 30

# How fast the machine is that a test runs on is not what is tested. A commit is judged by the same inputs on
# every machine: new ones, and more, are what `pytest --hypothesis-profile=thorough` is for.
settings.register_profile(
    "untimed",
    max_examples=50,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("thorough", settings.get_profile("untimed"), max_examples=1000, derandomize=False)
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
    """vmrender needs no network, and neither may its tests."""
    # The workers of pytest-xdist have the folder from here.
    if "TMPDIR" not in os.environ and _fits_repositories(MEMORY):
        os.environ["TMPDIR"] = str(MEMORY)
        tempfile.tempdir = None  # or what was found before would stay
    if not config.getoption("--with-network"):
        forbid_network()


def _fits_repositories(folder: Path) -> bool:
    """Return True if there is room for all files of the tests, and hooks and commands may be executed."""
    if not os.access(folder, os.W_OK | os.X_OK):
        return False
    system = os.statvfs(folder)
    return system.f_bavail * system.f_frsize >= ROOM and not system.f_flag & os.ST_NOEXEC


def pytest_collection_finish() -> None:
    """Collect garbage rarely, and never among the collected tests, which live to the end."""
    gc.freeze()
    gc.set_threshold(70_000, 10, 10)


def pytest_sessionfinish() -> None:
    """Collect garbage once, where pytest would do so five times."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests were skipped, by reason, the most frequent first."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    if reasons:
        terminalreporter.section(f"{len(skipped)} skipped, by reason")
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count:5} {reason}")


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Have workers of pytest-xdist tell how a test ended, not each step of it.

    Six messages for each of 10,000 tests took a twentieth of all time. A step that fails or skips is told;
    ``--durations`` shows the time of fixtures without ``-n`` alone.
    """
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


@pytest.fixture(autouse=True, scope="session")
def _state_of_this_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the state of commands between runs in a separate folder."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CACHE_HOME", str(home / "cache"))
        patched.setenv("XDG_STATE_HOME", str(home / "state"))
        patched.delenv("VMRENDER_CACHE_KEY", raising=False)
        # What init writes names this place, wherever the copy that is tested was installed from.
        patched.setenv("VMRENDER_SOURCE", "https://github.com/vmrender/vmrender@v0.1.0")
        yield


@pytest.fixture(autouse=True, scope="session")
def _shipped_files_are_read_once() -> Iterator[None]:
    """Read the files of the checkout once; no test changes them."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", lambda _: None)  # whether the disk itself has it cannot be tested here
        patched.setattr(run_cache, "tool_fingerprint", cache(tool_fingerprint))
        yield


@pytest.fixture(autouse=True)
def _each_test_is_a_run() -> None:
    """The work of one test is not counted in another, and its Secrets are not masked there."""
    begin_run()
    begin_notes()
