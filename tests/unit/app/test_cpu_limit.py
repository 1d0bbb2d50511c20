"""Work that takes no steps ends after a time."""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from contextvars import copy_context
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path
from time import process_time

import pytest
from click.testing import CliRunner

from renderer.app import cpu_limit
from renderer.app.cpu_limit import limited_cpu
from renderer.app.workers import _do_part, _Worker
from renderer.cli.app import main
from renderer.model.run.limits import set_maximum
from renderer.model.run.work import CpuLimitError, allowed_seconds, begin_run, note_read, spend

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no such timer")


#: CPU seconds of a test for each second of a run.
A_SECOND = 0.25


@pytest.fixture(autouse=True)
def _seconds_are_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the seconds between two looks at the time, and those that are allowed."""
    monkeypatch.setattr(cpu_limit, "_INTERVAL", A_SECOND)
    monkeypatch.setattr(cpu_limit, "allowed_seconds", lambda: allowed_seconds() * A_SECOND)


def spin(seconds: float) -> None:
    end = process_time() + seconds
    while process_time() < end:
        pass


def with_limit(seconds: int) -> None:
    begin_run()
    set_maximum({"cpu": seconds})
    with limited_cpu():
        spin(4 * A_SECOND)


def test_loop_without_steps_ends() -> None:
    begin = process_time()
    with pytest.raises(CpuLimitError) as raised:
        copy_context().run(with_limit, 1)
    assert process_time() - begin < 3 * A_SECOND
    assert raised.value.diagnostic.message.startswith("CPU time limit exceeded (")


@pytest.mark.skipif("fork" not in get_all_start_methods(), reason="the system cannot fork")
def test_forked_worker_has_a_timer_of_its_own() -> None:
    def run() -> None:
        with limited_cpu(), ProcessPoolExecutor(1, get_context("fork")) as pool:
            pool.submit(with_limit, 1).result()

    with pytest.raises(CpuLimitError):
        copy_context().run(run)


def test_timer_of_a_profiler_stays() -> None:
    former = signal.signal(signal.SIGPROF, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_PROF, 100, 100)
    try:
        with limited_cpu():
            assert signal.getitimer(signal.ITIMER_PROF)[1] == 100
            assert signal.getsignal(signal.SIGPROF) is signal.SIG_IGN
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, former)


#: A call of C, during which no signal reaches Python, in a process without other threads.
_ONE_CALL = """
import signal, time
from renderer.app.cpu_limit import limited_cpu
from renderer.model.run.limits import set_maximum
from renderer.model.run.work import CpuLimitError, begin_run

def spin(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

begin_run()
set_maximum({"cpu": 2})
try:
    with limited_cpu():
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPROF})
        spin(2.5)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF})
        spin(0.1)
except CpuLimitError as error:
    print(error.seconds)
"""


def test_time_in_one_call_counts_in_full() -> None:
    """Signals that arrive during a call of C reach Python as one, once it ends."""
    done = subprocess.run([sys.executable, "-c", _ONE_CALL], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("2\n", "")


def test_nothing_is_left_behind() -> None:
    before = signal.getsignal(signal.SIGPROF)
    with pytest.raises(CpuLimitError):
        copy_context().run(with_limit, 1)
    assert signal.getsignal(signal.SIGPROF) == before
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("steps", "size", "work", "seconds"),
    [
        (1_000_000, 1_000_000, 4_000_000, 8 + 3 + 5),
        (5_000_000, 200_000, 4_000_000, 8 + 8 + 4 + 1),  # all that steps explain in a small repository
        (5_000_000, 1_000_000, 4_000_000, 8 + 15 + 5),
        (5_000_000, 200_000, 20_000_000, 8 + 15 + 1),  # whoever runs it expects more work
    ],
)
def test_steps_and_files_explain_time(steps: int, size: int, work: int, seconds: int) -> None:
    def allowed() -> float:
        begin_run()
        set_maximum({"work": work})
        note_read("a.yaml", size)
        spend(steps, "testing")
        return allowed_seconds()

    assert copy_context().run(allowed) == seconds


class SpinningTask:
    def _replace(self, *, by_worker: bool) -> bool:
        return by_worker

    def __call__(self, _overlay: object, /, *, is_last: bool = False) -> SpinningTask:
        spin(0.6 * A_SECOND if not is_last else 0)
        return self


def start_worker() -> None:
    begin_run()
    set_maximum({"cpu": 1})
    _Worker.do, _Worker.overlays = SpinningTask(), range(3)


@pytest.mark.skipif("fork" not in get_all_start_methods(), reason="the system cannot fork")
def test_parts_of_a_worker_have_one_limit() -> None:
    with ProcessPoolExecutor(1, get_context("fork"), start_worker) as pool:
        parts = [pool.submit(_do_part, number, number + 1) for number in range(3)]
        assert parts[0].result() == [True]
        with pytest.raises(CpuLimitError):
            parts[2].result()


def test_another_thread_has_no_timer() -> None:
    done: list[bool] = []

    def run() -> None:
        with limited_cpu():
            done.append(True)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert done == [True]


def test_worker_can_send_it() -> None:
    sent = pickle.loads(pickle.dumps(CpuLimitError(12)))  # noqa: S301 - as a pool of processes does
    assert sent.seconds == 12


def test_command_reports_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VMRENDER_LIMITS", "cpu=1")
    monkeypatch.setattr("renderer.cli.commands.validate.validate_paths", lambda *_, **__: spin(4 * A_SECOND))
    (tmp_path / "vmrender.yaml").write_text("apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n")
    result = CliRunner().invoke(main, ["validate"])
    assert result.exit_code == 2
    assert "error[build-limit]: CPU time limit exceeded (" in result.stderr
    assert "VMRENDER_LIMITS=cpu=" in result.stderr


def test_completion_has_the_timer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def names(_: object) -> tuple[str, ...]:
        return ("limited",) if signal.getitimer(signal.ITIMER_PROF)[0] else ("unlimited",)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("renderer.app.known_names.size_names", names)
    (tmp_path / "vmrender.yaml").write_text("apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n")
    asked = {"_VMRENDER_COMPLETE": "bash_complete", "COMP_WORDS": "vmrender customize ", "COMP_CWORD": "2"}
    assert CliRunner().invoke(main, env=asked, prog_name="vmrender").output == "plain,limited\n"
