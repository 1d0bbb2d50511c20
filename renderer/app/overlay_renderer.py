"""Render overlays, from their sources to the files of their trees, on one processor or on several.

A worker is a fork of this process if the system can fork. The first overlays are rendered here: most
projects are done before workers would pay off. In larger projects, this process has by then read the files
that all overlays share, and each worker starts with a copy of them.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from operator import is_
from pathlib import Path
from typing import TYPE_CHECKING

from renderer.app.reporter import Stopwatch
from renderer.cache.known_results import KnownCatalogs
from renderer.emit.layout import file_paths, texts_by_path
from renderer.emit.ownership import EncodedFiles, encode_files
from renderer.files.builtin_catalogs import BuiltinFileSystem
from renderer.files.file_system import DiskFileSystem
from renderer.files.recorder import Inputs, RecordedFileSystem, Recorder, Task
from renderer.findings.located import Located
from renderer.findings.run_findings import locate
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.resource import ResourceSet
from renderer.model.kube.sharing import forget_shared
from renderer.model.plural import plural
from renderer.model.record import Record
from renderer.model.render_config import Overlay, RenderConfig
from renderer.model.run.limits import Limits, restore, snapshot
from renderer.model.run.taint import count_tainted, taint_again, tainted_since
from renderer.model.run.work import SharedWork, WorkDone, add, join_run, spend
from renderer.pipeline import Pipeline
from renderer.pipeline.run_context import RunContext

if TYPE_CHECKING:
    from renderer.findings.locator import Locator
    from renderer.findings.quoted_lines import TaintedQuotes

_NO_FILES = encode_files({})
#: Seconds of work that justify a worker: starting one takes about a tenth of that.
WORTH_A_WORKER = 0.5
#: A worker gets at most 16 overlays at once, later a fourth of its share of the rest, and at the end single
#: ones. So a worker seldom waits, and all end at about the same time (OpenMP ``schedule(guided)``).
_MOST_AT_ONCE, _PARTS_OF_SHARE = 16, 4
_QUOTA = Path("/sys/fs/cgroup/cpu.max")


class RenderedOverlay(Record):
    """An overlay and its rendered ``files``, by path below its output folder; none if it failed.

    ``findings`` do not name the overlay: the next one may have the same.
    ``folders`` are the folders that were read as kustomizations. ``inputs`` has the answers to all questions
    to the repository. ``seconds`` is the duration, ``summary`` the same in words. ``steps`` are the steps of
    work (``model.run.work``), ``read`` the sizes of the files that no earlier overlay had read. ``tainted``
    are the values first noted for this overlay that no output may repeat (``model.run.taint``).
    ``may_be_kept`` is False if a line that a finding is about contains one of them. ``by_worker``: another
    process rendered it, and is busy with the next ones.
    """

    overlay: Overlay
    files: EncodedFiles
    findings: tuple[Located, ...]
    folders: frozenset[str]
    inputs: Inputs
    seconds: float
    summary: str
    steps: int
    read: Mapping[str, int]
    tainted: tuple[str, ...] = ()
    may_be_kept: bool = True
    by_worker: bool = False


class _LocatedFindings(Record):
    """The findings of an overlay with their lines, ``of`` what the stages found.

    They are valid while ``tainted`` is the number of values that no output may show. ``may_be_kept`` is as in
    ``RenderedOverlay``.
    """

    findings: tuple[Located, ...] = ()
    may_be_kept: bool = True
    of: tuple[Diagnostic, ...] = ()
    tainted: int = 0


_NOTHING_FOUND = _LocatedFindings()


class OverlayRenderer:
    """Renders overlays of one project; the files that overlays share are read, composed and compiled once."""

    def __init__(self, root: Path, config: RenderConfig, known_catalogs: KnownCatalogs | None = None) -> None:
        self._project = root, config
        self._recorder = Recorder()
        self._fs = BuiltinFileSystem(RecordedFileSystem(DiskFileSystem(root), self._recorder))
        self._pipeline = Pipeline(self._fs, config, context=RunContext(self._recorder, known_catalogs))
        self._located_last = _NOTHING_FOUND

    def __reduce__(self) -> tuple[type[OverlayRenderer], tuple[Path, RenderConfig]]:
        """Return how to recreate this renderer in a worker that is not a fork of this process."""
        return type(self), self._project

    def render(self, overlay: Overlay, *, is_last: bool = False) -> RenderedOverlay:
        """Render one overlay; with ``is_last``, drop the state that it shares with other overlays.

        Raises ``DiagnosticError`` for an error that affects all overlays.
        """
        stopwatch, work_done, task = Stopwatch(), WorkDone(), Task("overlay", overlay.path)
        tainted_before = count_tainted()
        with self._recorder.using(task):
            composed = self._pipeline.compose_overlay(overlay, is_last=is_last)
            composing = stopwatch.lap()
            counted = plural(len(composed.value), "resource")
            outcome = self._pipeline.check_composed(overlay, composed)
            files = _NO_FILES
            found = outcome.diagnostics
            try:
                # Make paths first: later they would be scattered over the memory that the composed resources
                # free.
                paths = () if outcome.failed else file_paths(outcome.value, overlay.files)
                del composed  # frees memory for the texts
                if is_last:
                    forget_shared()  # else a few objects keep whole memory pages in use
                if not outcome.failed:
                    files = encode_files(_tree_files(overlay, outcome.value, paths))
                    files.ownership  # noqa: B018 - a worker makes it, and not the process that waits for all
            except DiagnosticError as error:
                found += error.diagnostics
            del outcome  # frees memory for the files that findings are about
            # The place of a finding depends on the file, whoever else has read it.
            located = self._located(found, overlay, is_last=is_last) if found else _NOTHING_FOUND
        steps, read = work_done.since()
        return RenderedOverlay(
            overlay=overlay,
            files=files,
            findings=located.findings,
            folders=frozenset(used.name for used in self._recorder.used(task) if used.kind == "folder"),
            inputs=self._recorder.inputs_in_parts(task),
            seconds=stopwatch.seconds(),
            summary=f"{counted} composed in {composing}, expanded, checked and laid out in {stopwatch.lap()}",
            steps=steps,
            read=read,
            tainted=tainted_since(tainted_before),
            may_be_kept=located.may_be_kept,
        )

    def _located(self, found: tuple[Diagnostic, ...], overlay: Overlay, *, is_last: bool) -> _LocatedFindings:
        """Return the findings with their lines; the same ones if the overlay before had the same."""
        last = self._located_last
        is_same = last.tainted == count_tainted() and len(last.of) == len(found)
        if is_same and all(map(is_, last.of, found)):
            spend(len(found), "reporting findings")
            self._locator.note_uses(found)
            return last
        of = () if is_last else found
        unlocated = deque(found)
        del found  # the last overlay frees each finding once its line is known
        each = (unlocated.popleft() for _ in range(len(unlocated)))
        findings = tuple(
            each._replace(overlays=()) for each in locate(self._fs, each, overlay.path, self._locator)
        )
        may_be_kept = not self._tainted_quotes.any_at(each.location for each in findings)
        self._located_last = _LocatedFindings(findings, may_be_kept, of, count_tainted())
        return self._located_last

    @cached_property
    def _locator(self) -> Locator:
        from renderer.findings.locator import Locator  # noqa: PLC0415 - only for findings

        return Locator(self._fs, self._recorder)

    @cached_property
    def _tainted_quotes(self) -> TaintedQuotes:
        from renderer.findings.quoted_lines import TaintedQuotes  # noqa: PLC0415 - only for findings

        return TaintedQuotes(self._fs)


def _tree_files(overlay: Overlay, resources: ResourceSet, paths: Sequence[str]) -> Mapping[str, str]:
    """Return the texts of an overlay's files; empty ``resources`` to free memory, unless extras need them."""
    if not overlay.tree.extras:
        return texts_by_path(resources.take(), paths)
    manifests = texts_by_path(resources, paths)
    from renderer.emit.tree_options import extras  # noqa: PLC0415 - few projects ask for any

    return {**manifests, **extras(overlay.tree.extras, overlay.path, overlay.kubevirt, manifests, resources)}


def rendered_in_order(
    renderer: OverlayRenderer, overlays: Sequence[Overlay], jobs: int, note: Callable[[str], object]
) -> Iterator[RenderedOverlay]:
    """Render the overlays with at most ``jobs`` processes; yield the results in the order of the overlays.

    ``note`` gets a line if a worker was killed. Raises the errors of ``OverlayRenderer.render``.
    """
    waiting, seconds = deque(overlays), list[float]()
    while waiting and (workers := min(jobs, len(waiting), workers_worth(seconds, len(waiting)))) <= 1:
        rendered = renderer.render(waiting.popleft(), is_last=not waiting)
        seconds.append(rendered.seconds)
        yield rendered
    if waiting:
        yield from _rendered_by_workers(renderer, tuple(waiting), workers, note)


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


def _rendered_by_workers(
    renderer: OverlayRenderer, overlays: Sequence[Overlay], workers: int, note: Callable[[str], object]
) -> Iterator[RenderedOverlay]:
    """Render with worker processes; if one is killed, render the rest in this process."""
    # Only large projects need workers.
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - as said
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415 - as said
    from multiprocessing import get_context  # noqa: PLC0415 - as said

    done, context = 0, get_context()
    work = SharedWork(context.Value("q"), context.Value("q"), context.RawArray("b", SharedWork.MARKS))
    pool = ProcessPoolExecutor(workers, context, _start_worker, (renderer, overlays, work, *snapshot()))
    try:
        # Not ``pool.map``: its cancelled tasks make the pool's own thread fail with a traceback.
        parts = deque(pool.submit(_render_part, *part) for part in parts_of(len(overlays), workers))
        while parts:
            for rendered in parts.popleft().result():
                done += 1
                add(rendered.steps, rendered.read)
                taint_again(rendered.tainted)
                yield rendered
    except BrokenProcessPool:
        note("a worker process was killed, perhaps because memory ran out: one process renders the rest")
    finally:
        pool.shutdown(cancel_futures=True)
    yield from map(renderer.render, overlays[done:])


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

    ``overlays`` are all overlays that workers render; a worker gets only the start and end of its part. An
    overlay that was sent to it would have a new ``Release`` object, for which nothing is cached
    (``once_for_same``).
    """

    renderer: OverlayRenderer
    overlays: Sequence[Overlay]


def _start_worker(
    renderer: OverlayRenderer, overlays: Sequence[Overlay], work: SharedWork, most: Limits, in_effect: Limits
) -> None:
    restore(most, in_effect)
    join_run(work)
    # Ctrl-C reaches all processes at once: this one ends, and the waiting process reports it.
    import signal  # noqa: PLC0415 - makes sixty constants, for workers alone

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _Worker.renderer, _Worker.overlays = renderer, overlays


def _render_part(start: int, end: int) -> list[RenderedOverlay]:
    overlays = _Worker.overlays[start:end]
    return [_Worker.renderer.render(overlay)._replace(by_worker=True) for overlay in overlays]


def processors() -> int:
    """Return the number of processors for this process, at most the container's CPU share, rounded up."""
    affinity = getattr(os, "sched_getaffinity", None)  # macOS and Windows do not have it
    available = len(affinity(0)) if affinity else os.cpu_count() or 1
    with suppress(OSError, ValueError):
        quota, period = _QUOTA.read_text(encoding="ascii").split()
        available = min(available, -(-int(quota) // int(period)))
    return max(available, 1)
