"""Overlays on all processors, with results in the order in which they were given.

A worker is a copy of this process where the system can copy one. The first overlays are rendered here: most
projects are done before workers would have been of use, and where they are not, what overlays share has been
read by then and is copied with it.
"""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Iterator, Sequence

from renderer.cli.overlay_renderer import OverlayRenderer
from renderer.cli.rendered_overlay import RenderedOverlay
from renderer.cli.stopwatch import Stopwatch
from renderer.model.limits import Limits, of_this_run, take_over
from renderer.model.render_config import Overlay

#: How long the first overlays may take here, in seconds.
ALONE = 0.3
#: Workers get a share of so many parts each, so that they end at about the same time.
_PARTS_PER_WORKER = 8


def rendered_in_order(
    renderer: OverlayRenderer, overlays: Sequence[Overlay], jobs: int
) -> Iterator[RenderedOverlay]:
    """Each overlay, rendered by ``jobs`` processes at the most.

    Raises what ``OverlayRenderer.render`` raises, in a worker too.
    """
    stopwatch, waiting = Stopwatch(), deque(overlays)
    while waiting and (min(jobs, len(waiting)) == 1 or stopwatch.seconds() < ALONE):
        yield renderer.render(waiting.popleft())
    if waiting:
        yield from _rendered_by_workers(renderer, tuple(waiting), min(jobs, len(waiting)))


def _rendered_by_workers(
    renderer: OverlayRenderer, overlays: Sequence[Overlay], workers: int
) -> Iterator[RenderedOverlay]:
    """What workers that were killed, as for want of memory, leave undone is done here."""
    # Only large projects need workers.
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - as said
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415 - as said

    done = 0
    pool = ProcessPoolExecutor(workers, initializer=_begin, initargs=(renderer, *of_this_run()))
    try:
        part = max(1, len(overlays) // (workers * _PARTS_PER_WORKER))
        for rendered in pool.map(_render, overlays, chunksize=part):
            done += 1
            yield rendered
    except BrokenProcessPool:
        pass
    finally:
        pool.shutdown(cancel_futures=True)
    yield from map(renderer.render, overlays[done:])


class _Worker:
    """What this process has, if it is one."""

    renderer: OverlayRenderer


def _begin(renderer: OverlayRenderer, most: Limits, in_effect: Limits) -> None:
    take_over(most, in_effect)
    # Ctrl-C reaches all processes at once: this one ends, and the one that waits for it says so.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _Worker.renderer = renderer


def _render(overlay: Overlay) -> RenderedOverlay:
    return _Worker.renderer.render(overlay)
