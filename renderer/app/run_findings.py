"""The findings of a run as they come: with their lines, merged, and no more of them than a report shows.

A run over ten thousand overlays may find one mistake in each line of them. What is held is bounded by what is
printed (``limits().findings``) and by the findings of the one overlay that is at its turn.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity, Unshown
from renderer.model.record import Record
from renderer.model.rule_settings import warnings_as_errors
from renderer.source.file_system import FileSystem

if TYPE_CHECKING:
    from renderer.source.locate import Locator, MergedFindings


class FindingFilter(Record):
    """Findings with the codes ``ignored`` are passed over; with ``strict``, warnings are errors.

    ``most`` is the number of findings to keep, None for all.
    """

    ignored: frozenset[Code] = frozenset()
    strict: bool = False
    most: int | None = None


class RunFindings:
    """The findings of one run about files of ``fs``."""

    def __init__(self, fs: FileSystem, chosen: FindingFilter) -> None:
        self.has_errors = False
        self._fs = fs
        self._chosen = chosen
        self._is_empty = True

    def add(self, findings: Iterable[Diagnostic]) -> bool:
        """Add findings as they come, with their lines. Return True if one of them is an error."""
        has_errors = False
        for found in warnings_as_errors(findings) if self._chosen.strict else findings:
            if found.code not in self._chosen.ignored:
                has_errors = has_errors or found.severity is Severity.ERROR
                self._is_empty = False
                self._merged.add(self._locator.located(found) if found.sites or found.related else found)
        if not self._is_empty:
            self._locator.let_go()
        self.has_errors = self.has_errors or has_errors
        return has_errors

    def found(self) -> tuple[Diagnostic, ...]:
        """Return the findings that are kept, in the order of reading."""
        return () if self._is_empty else self._merged.found()

    @property
    def unshown(self) -> Unshown:
        """The findings beyond those; complete once ``found`` was called."""
        return Unshown() if self._is_empty else self._merged.unshown

    # A run without findings imports nothing of what tells them.

    @cached_property
    def _merged(self) -> MergedFindings:
        from renderer.source.locate import MergedFindings  # noqa: PLC0415 - as said

        return MergedFindings(self._chosen.most)

    @cached_property
    def _locator(self) -> Locator:
        from renderer.source.locate import Locator  # noqa: PLC0415 - as said

        return Locator(self._fs)
