"""Render overlays, from their sources to the files of their trees."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from functools import cached_property
from operator import is_
from pathlib import Path
from typing import TYPE_CHECKING

from renderer.app.known_secrets import learn_from_project
from renderer.app.project import project_files
from renderer.app.reporter import Stopwatch
from renderer.cache.known_results import KnownCatalogs
from renderer.emit.layout import file_paths, texts_by_path
from renderer.emit.ownership import EncodedFiles, encode_files
from renderer.files.builtin_catalogs import BuiltinFileSystem
from renderer.files.recorder import Inputs, RecordedFileSystem, Recorder, Task
from renderer.files.work_tree import WorkTree
from renderer.findings.located import Located
from renderer.findings.run_findings import locate
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.resource import ResourceSet
from renderer.model.kube.sharing import forget_shared
from renderer.model.plural import plural
from renderer.model.record import Record
from renderer.model.render_config import Overlay, RenderConfig
from renderer.model.run.taint import Recorded, count_tainted, learned_masking, noted_masking, tainted_since
from renderer.model.run.work import WorkDone, spend
from renderer.pipeline import Pipeline
from renderer.pipeline.run_context import RunContext

if TYPE_CHECKING:
    from renderer.findings.locator import Locator
    from renderer.findings.quoted_lines import TaintedQuotes
    from renderer.project.overlays import FoundOverlays

_NO_FILES = encode_files({})


class RenderedOverlay(Record):
    """An overlay and its rendered ``files``, by path below its output folder; none if it failed.

    ``findings`` do not name the overlay: the next one may have the same.
    ``folders`` are the folders that were read as kustomizations. ``inputs`` has the answers to all questions
    to the repository. ``seconds`` is the duration, ``summary`` the same in words. ``steps`` are the steps of
    work (``model.run.work``), ``read`` the sizes of the files that no earlier overlay had read. ``tainted``
    are the values first noted for this overlay that no output may repeat (``model.run.taint``).
    ``may_be_kept`` is False if a line that a finding is about contains one of them, or if something of it is
    made of a value of another overlay's Secret.
    ``by_worker``: another process rendered it, and is busy with the next ones.
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
    tainted: tuple[Recorded, ...] = ()
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

    def __init__(
        self,
        root: Path,
        config: RenderConfig,
        environment: Mapping[str, str],
        known_catalogs: KnownCatalogs | None = None,
    ) -> None:
        """``environment`` has the variables for git."""
        self._project = root, config, dict(environment)
        learn_from_project(root, project_files(root, environment), config)  # a worker need not be a fork
        self._recorder = Recorder()
        self._fs = BuiltinFileSystem(RecordedFileSystem(WorkTree(root, environment), self._recorder))
        self._pipeline = Pipeline(self._fs, config, context=RunContext(self._recorder, known_catalogs))
        self._located_last = _NOTHING_FOUND

    @property
    def found(self) -> FoundOverlays:
        """The overlays of the project; what is built to find them is not built again to render them."""
        return self._pipeline.found

    def __reduce__(self) -> tuple[type[OverlayRenderer], tuple[Path, RenderConfig, Mapping[str, str]]]:
        """Return how to recreate this renderer in a worker that is not a fork of this process."""
        return type(self), self._project

    def render(self, overlay: Overlay, *, is_last: bool = False) -> RenderedOverlay:
        """Render one overlay; with ``is_last``, drop the state that it shares with other overlays."""
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
        """Return the findings with their lines; the same ones if the overlay before had the same.

        What Secrets of other overlays have is masked when they are reported, so that a cached finding depends
        on these only if something of it is made of a value.
        """
        last = self._located_last
        is_same = last.tainted == count_tainted() and len(last.of) == len(found)
        if is_same and all(map(is_, last.of, found)):
            spend(len(found), "reporting findings")
            self._locator.note_uses(found)
            return last
        of = () if is_last else found
        others = learned_masking()
        depends_on_others = any(others in each.confidential for each in found)
        unlocated = deque(found)
        del found  # the last overlay frees each finding once its line is known
        each = (unlocated.popleft() for _ in range(len(unlocated)))
        findings = tuple(
            each._replace(overlays=())
            for each in locate(self._fs, each, overlay.path, self._locator, noted_masking)
        )
        may_be_kept = not (
            depends_on_others or self._tainted_quotes.any_at(each.location for each in findings)
        )
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
