"""Overlays rendered by several processes, each in a fresh interpreter, as the tests have threads."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renderer.app import workers as processes
from tests import warm_program
from tests.cli.project_of_everything import FILES, write_project

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
#: Workers from the first overlay on.
EAGER = "from renderer.app import workers as w; w.workers_worth = lambda *_: 99; "
RUN = "from renderer.cli.app import main; main(prog_name='vmrender')"
SPAWN = "import multiprocessing; multiprocessing.set_start_method('spawn'); "


def command(*arguments: str, before: str = EAGER) -> list[str]:
    guarded = f"if __name__ == '__main__':\n  {before}{RUN}"
    return [sys.executable, "-c", guarded, *arguments]


def run(root: Path, *arguments: str, before: str = EAGER) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command("render", "--no-cache", *arguments, before=before),
        cwd=root,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )


def run_alone(root: Path) -> subprocess.CompletedProcess[str]:
    """Run the same in one process, without a separate interpreter."""
    command = [warm_program.command(), "render", "--no-cache", "--jobs", "1"]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


def tree(root: Path) -> Mapping[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted((root / "rendered").rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_project(tmp_path)
    for number in range(6):
        folder = tmp_path / f"overlays/site-{number}"
        folder.mkdir()
        (folder / "kustomization.yaml").write_text(f"resources: [../../base]\nnamePrefix: site-{number}-\n")
    return tmp_path


@pytest.mark.parametrize("before", [EAGER, SPAWN + EAGER], ids=["default", "spawn"])
def test_many_workers_give_the_same_result_as_one(project: Path, before: str) -> None:
    one = run_alone(project)
    expected = tree(project)
    shutil.rmtree(project / "rendered")
    many = run(project, "--jobs", "4", before=before)
    assert (one.returncode, many.returncode) == (0, 0)
    assert (many.stdout, many.stderr, tree(project)) == (one.stdout, one.stderr, expected)


def test_findings_of_several_overlays_are_as_with_one_worker(project: Path) -> None:
    for overlay in ("dev", "site-1", "site-4"):
        file = project / f"overlays/{overlay}/kustomization.yaml"
        file.write_text(f"{file.read_text()}patches: [path: missing.yaml]\n")
    (project / "base/vm.yaml").write_text(FILES["base/vm.yaml"].replace("small", "smal"))
    one, written = run_alone(project), tree(project)
    shutil.rmtree(project / "rendered")
    many = run(project, "--jobs", "4")
    assert one.stderr.count("error[") >= 4
    assert (many.returncode, many.stdout, many.stderr) == (one.returncode, one.stdout, one.stderr)
    assert tree(project) == written != {}


def test_trees_that_cannot_be_written_do_not_stop_the_others(project: Path) -> None:
    run_alone(project)
    for site in ("site-1", "site-4"):
        next((project / "rendered" / site).rglob("*.yaml")).write_text("edited: by hand\n")
    shutil.rmtree(project / "rendered/site-3")
    shutil.copytree(project / "rendered", project / "before")
    one, first = run_alone(project), tree(project)
    shutil.rmtree(project / "rendered")
    (project / "before").rename(project / "rendered")
    many = run(project, "--jobs", "4")
    assert one.stderr.count("error[foreign-file]") == 2
    assert (many.returncode, many.stderr, tree(project)) == (one.returncode, one.stderr, first)
    assert (project / "rendered/site-3").is_dir()


def test_error_of_all_overlays_is_reported_once(project: Path) -> None:
    (project / "schemas/outside.yaml").symlink_to("/etc/passwd")
    one, many = run_alone(project), run(project, "--jobs", "4")
    assert (many.returncode, many.stdout, many.stderr) == (one.returncode, one.stdout, one.stderr)
    assert many.returncode != 0
    assert "Traceback" not in many.stderr


def test_workers_respect_the_limits(project: Path) -> None:
    file = project / "vmrender.yaml"
    file.write_text(f"{file.read_text()}limits: {{nameLength: 9}}\n")
    many = run(project, "--jobs", "2", before=SPAWN + EAGER)
    assert "the limit nameLength is 9, set by limits in vmrender.yaml" in many.stderr
    shutil.rmtree(project / "rendered")
    assert (many.returncode, many.stderr) == ((one := run_alone(project)).returncode, one.stderr)


def test_work_of_a_killed_worker_is_done_by_others(project: Path) -> None:
    killed = (
        "import os, signal; from renderer.app import overlay_renderer as o; first = os.getpid(); "
        "render = o.OverlayRenderer.render; "
        "o.OverlayRenderer.render = lambda self, overlay: render(self, overlay) if os.getpid() == first "
        "or 'site-3' not in overlay.path else os.kill(os.getpid(), signal.SIGKILL); "
    )
    result = run(project, "--jobs", "2", before=EAGER + killed)
    assert result.stderr.count(" -> ") == 11
    assert "a worker process was killed" in result.stderr
    assert result.returncode == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs workers that are copies")
def test_overlays_of_a_worker_share_a_release(project: Path) -> None:
    """A process caches results for a release by its identity."""
    fork = SPAWN.replace("spawn", "fork")
    result = run(project, "--jobs", "2", before=fork + EAGER + SAY_THE_RELEASE)
    releases = [line.split()[1:] for line in result.stdout.splitlines() if line.startswith("release")]
    assert len(releases) >= 8
    assert len({process for process, _ in releases}) == len(
        {(process, release) for process, release in releases}
    )


def test_unfinished_trees_are_removed_after_an_error_in_the_last_overlay(project: Path) -> None:
    (project / "overlays/site-5/kustomization.yaml").write_text("patches: [path: missing.yaml]\n")
    result = run(project, "--jobs", "2", "--all-or-nothing", before=EAGER + SAY_WHAT_IS_BEGUN)
    assert result.stdout.count("begun") >= 8
    assert result.returncode == 1
    assert not (project / "rendered").exists()
    assert not (project / ".vmrender").exists()


def test_more_trees_than_open_files_allowed_are_written(project: Path) -> None:
    few = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (160, 160)); "
    few += "from renderer.emit import write; write.TREES_AT_ONCE = 2; "
    few += "assert write.most_trees_at_once() == 40; resource.setrlimit(resource.RLIMIT_NOFILE, (120, 120)); "
    result = run(project, "--jobs", "2", before=EAGER + few + "write._MOST_TREES_AT_ONCE = 4; ")
    assert result.returncode == 0, result.stderr
    assert result.stderr.count(" -> ") == 11


#: Prints each tree that is begun to standard output.
SAY_WHAT_IS_BEGUN = (
    "from renderer.emit.write import TreeBatch; build = TreeBatch.build; "
    "TreeBatch.build = lambda self, change: (build(self, change), print('begun', flush=True)); "
)
#: Each process prints the identity of each overlay's release to standard output.
SAY_THE_RELEASE = (
    "import os; from renderer.app import overlay_renderer as o; render = o.OverlayRenderer.render; "
    "o.OverlayRenderer.render = lambda self, overlay, **k: ("
    "print('release', os.getpid(), id(overlay.kubevirt), flush=True), render(self, overlay, **k))[1]; "
)
#: The last overlay never finishes.
SLOW_LAST = (
    "import time; from renderer.app import overlay_renderer as o; render = o.OverlayRenderer.render; "
    "o.OverlayRenderer.render = lambda self, overlay, **k: "
    "time.sleep(600) if 'site-5' in overlay.path else render(self, overlay, **k); "
)


@pytest.mark.skipif(os.name != "posix", reason="the signals are POSIX's")
@pytest.mark.parametrize("sent", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_unfinished_trees_are_removed_after_a_signal(project: Path, sent: str) -> None:
    default = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    running = subprocess.Popen(
        command(
            "render", "--no-cache", "--jobs", "2", before=default + EAGER + SAY_WHAT_IS_BEGUN + SLOW_LAST
        ),
        cwd=project,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert running.stdout is not None
    for _ in range(8):
        assert running.stdout.readline() == "begun\n"
    os.killpg(running.pid, getattr(signal, sent))
    running.communicate(timeout=60)
    assert tree(project) == {}
    assert (project / ".vmrender").exists() is (project / "rendered").exists() is (sent != "SIGINT")
    say = "from renderer.emit import write as e; ask = e.is_at_work; "
    say += "e.is_at_work = lambda *about: (print(ask(*about)), ask(*about))[1]; "
    again = run(project, "--jobs", "2", before=EAGER + say)
    assert again.returncode == 0, again.stderr
    assert ("True" in again.stdout) is (sent != "SIGINT")  # then no tree is begun before that is cleared up
    assert again.stderr.count(" -> ") == 11
    assert not (project / ".vmrender").exists()


#: The pool notices that its workers have ended before it is shut down.
LATE = (
    "from concurrent.futures import ProcessPoolExecutor as P; shutdown = P.shutdown; "
    "P.shutdown = lambda self, **k: (time.sleep(0.5), shutdown(self, **k)); "
)


@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is a signal to a group of processes")
@pytest.mark.parametrize("shut_down", ["", LATE], ids=["at once", "late"])
def test_ctrl_c_ends_all_processes_and_writes_nothing(project: Path, shut_down: str) -> None:
    slow = (
        # Ignored where the tests run in the background of a shell, and children inherit that.
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "import time; from renderer.app import overlay_renderer as o; "
        "o.OverlayRenderer.render = lambda *_: (print('at work', flush=True), time.sleep(600)); "
    )
    running = subprocess.Popen(
        command("render", "--no-cache", "--jobs", "2", before=EAGER + slow + shut_down),
        cwd=project,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert running.stdout is not None
    for _ in range(2):
        running.stdout.readline()
    os.killpg(running.pid, signal.SIGINT)
    # Both ends of its pipes are closed when the last of its processes has ended.
    _, stderr = running.communicate(timeout=60)
    assert (running.returncode, stderr.strip()) == (130, "interrupted")
    assert not (project / "rendered").exists()


def test_cpu_quota_of_a_container_is_respected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    quota = tmp_path / "cpu.max"
    monkeypatch.setattr(processes, "_QUOTA", quota)
    found = []
    for text in ("max 100000\n", "150000 100000\n", "10000 100000\n", "nonsense\n"):
        quota.write_text(text)
        found.append(processes.processors())
    assert found == [8, 2, 1, 8]


@pytest.mark.parametrize(
    ("seconds", "overlays", "workers"),
    [
        ([], 1000, 0),
        ([5.0], 1, 10),  # it took long, whatever was read for all
        ([0.06], 1000, 0),  # which may have gone into what all have in common
        ([0.06, 0.005], 199, 1),
        ([0.06, 0.01, 0.02], 197, 3),
        ([0.001, 1.0], 10, 10),  # a small one that happens to be the first
    ],
)
def test_worker_gets_at_least_half_a_second_of_work(
    seconds: list[float], overlays: int, workers: int
) -> None:
    assert processes.workers_worth(seconds, overlays) == workers


@given(st.integers(0, 3000), st.integers(1, 64))
def test_batches_cover_all_overlays_and_get_smaller(overlays: int, workers: int) -> None:
    parts = list(processes.parts_of(overlays, workers))
    assert [number for start, end in parts for number in range(start, end)] == [*range(overlays)]
    sizes = [end - start for start, end in parts]
    assert sizes == sorted(sizes, reverse=True)
    assert all(1 <= size <= 16 for size in sizes)
    assert sizes[-workers:] == [1] * min(workers, len(sizes))
