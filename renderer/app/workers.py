"""Do a task for each overlay, on one processor or on several: render it, or compare it with a cluster.

A worker is a fork of this process if the system can fork. The first overlays are done here: most projects are
done before workers would pay off. In larger projects, this process has by then read the files that all
overlays share, and each worker starts with a copy of them.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

from renderer.app.cpu_limit import limited_cpu
from renderer.model.run.limits import Limits, restore, snapshot
from renderer.model.run.taint import Recorded, taint_again
from renderer.model.run.work import SharedWork, add, join_run

#: Seconds of work that justify a worker: starting one takes about a tenth of that.
WORTH_A_WORKER = 0.5
#: A worker gets at most 16 overlays at once, later a fourth of its share of the rest, and at the end single
#: ones. So a worker seldom waits, and all end at about the same time (OpenMP ``schedule(guided)``).
_MOST_AT_ONCE, _PARTS_OF_SHARE = 16, 4
_QUOTA = Path("/sys/fs/cgroup/cpu.max")


class Done(Protocol):
    """A result: how long it took, and what other processes have to know of it (``RenderedOverlay``)."""

    @property
    def seconds(self) -> float: ...
    @property
    def steps(self) -> int: ...
    @property
    def read(self) -> Mapping[str, int]: ...
    @property
    def tainted(self) -> tuple[Recorded, ...]: ...

    def _replace(self, *, by_worker: bool) -> Self: ...


Item = TypeVar("Item")
Item_contra = TypeVar("Item_contra", contravariant=True)
Result = TypeVar("Result", bound=Done)
Result_co = TypeVar("Result_co", bound=Done, covariant=True)


class Task(Protocol[Item_contra, Result_co]):
    """Processes an overlay; after the one that ``is_last``, whatever overlays share can be dropped."""

    def __call__(self, overlay: Item_contra, /, *, is_last: bool = False) -> Result_co: ...


def done_in_order(
    do: Task[Item, Result],
    overlays: Sequence[Item],
    jobs: int | None,
    note: Callable[[str], object],
    *,
    must_fork: bool = False,
) -> Iterator[Result]:
    """Do a task for each overlay with at most ``jobs`` processes; yield the results in the order of overlays.

    Without ``jobs``, the number of processors counts. ``must_fork``: the task cannot be sent to another
    process. ``note`` gets a line if a worker was killed. Raises the errors of the task.
    """
    waiting, seconds, most = deque(overlays), list[float](), jobs or processors()
    while waiting and (workers := min(most, len(waiting), workers_worth(seconds, len(waiting)))) <= 1:
        result = do(waiting.popleft(), is_last=not waiting)
        seconds.append(result.seconds)
        yield result
    if waiting:
        yield from _done_by_workers(do, tuple(waiting), workers, note, must_fork=must_fork)


def workers_worth(seconds: Sequence[float], overlays: int) -> int:
    """Return the number of workers that pay off for ``overlays`` more; earlier ones took ``seconds``.

    The overlays of the first half second also read the shared files: the quickest of them is the best
    estimate, and a single one says nothing. After that, their mean counts.
    """
    if sum(seconds) >= WORTH_A_WORKER:
        each = sum(seconds) / len(seconds)
    else:
        each = min(seconds) if len(seconds) > 1 else 0
    return int(each * overlays / WORTH_A_WORKER)


def _done_by_workers(
    do: Task[Item, Result],
    overlays: Sequence[Item],
    workers: int,
    note: Callable[[str], object],
    *,
    must_fork: bool,
) -> Iterator[Result]:
    """Do a task with worker processes; if one is killed, do the rest in this process."""
    # Only large projects need workers.
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - as said
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415 - as said
    from multiprocessing import get_context  # noqa: PLC0415 - as said

    done, context = 0, get_context()
    if must_fork and context.get_start_method() != "fork":
        yield from map(do, overlays)
        return
    work = SharedWork(context.Value("q"), context.Value("q"), context.RawArray("b", SharedWork.MARKS))
    pool = ProcessPoolExecutor(workers, context, _start_worker, (do, overlays, work, *snapshot()))
    try:
        # Not ``pool.map``: its cancelled tasks make the pool's own thread fail with a traceback.
        parts = deque(pool.submit(_do_part, *part) for part in parts_of(len(overlays), workers))
        while parts:
            for result in parts.popleft().result():
                done += 1
                add(result.steps, result.read)
                taint_again(result.tainted)
                yield result
    except BrokenProcessPool:
        note("a worker process was killed, perhaps because memory ran out: one process does the rest")
    finally:
        pool.shutdown(cancel_futures=True)
    yield from map(do, overlays[done:])


def parts_of(overlays: int, workers: int) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each part of the overlays, in the order in which workers take them."""
    start = 0
    while start < overlays:
        size = (overlays - start) // (workers * _PARTS_OF_SHARE)
        end = start + max(1, min(size, _MOST_AT_ONCE))
        yield start, end
        start = end


class _Worker:
    """State of a worker process.

    ``overlays`` are all overlays that workers get; a worker gets only the start and end of its part. An
    overlay that was sent to it would have a new ``Release`` object, for which nothing is cached
    (``once_for_same``).
    """

    do: Task[Any, Any]
    overlays: Sequence[Any]


def _start_worker(
    do: Task[Any, Any], overlays: Sequence[Any], work: SharedWork, most: Limits, in_effect: Limits
) -> None:
    restore(most, in_effect)
    join_run(work)
    # Ctrl-C reaches all processes at once: this one ends, and the waiting process reports it.
    import signal  # noqa: PLC0415 - makes sixty constants, for workers alone

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _Worker.do, _Worker.overlays = staticmethod(do), overlays


def _do_part(start: int, end: int) -> list[Any]:
    with limited_cpu(of_process=True):
        return [_Worker.do(overlay)._replace(by_worker=True) for overlay in _Worker.overlays[start:end]]


def processors() -> int:
    """Return the number of processors for this process, at most the container's CPU share, rounded up."""
    affinity = getattr(os, "sched_getaffinity", None)  # macOS and Windows do not have it
    available = len(affinity(0)) if affinity else os.cpu_count() or 1
    with suppress(OSError, ValueError):
        quota, period = _QUOTA.read_text(encoding="ascii").split()
        available = min(available, -(-int(quota) // int(period)))
    return max(available, 1)
