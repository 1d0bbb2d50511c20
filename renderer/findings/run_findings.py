"""The only way from a stage's finding (``Diagnostic``) to a reported finding (``Located``).

Here a finding gets its line, ``--strict`` is applied to its level, confidential values are masked in its
texts, and equal findings are merged. Writers of reports, the cache and the library accept only the result,
and never repeat any of these steps.

A run over ten thousand overlays may find a mistake in every line. The number of findings in memory is bounded
by the printed findings (``limits().findings``) and the findings of the overlay being rendered.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from renderer.files.file_system import FileSystem
from renderer.findings.levels import strict_level
from renderer.findings.located import Located, LocatedFix, LocatedRelated, Unshown
from renderer.findings.masking import masked
from renderer.findings.merged import MergedFindings
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.masking import Masking
from renderer.model.readings import all_readings
from renderer.model.record import Record
from renderer.model.run.taint import count_tainted, taint_masking

if TYPE_CHECKING:
    from renderer.findings.locator import Locator


class FindingFilter(Record):
    """Findings with the codes ``ignored`` are left out; with ``strict``, warnings are errors.

    ``most`` is the number of findings to keep, None for all.
    """

    ignored: frozenset[Code] = frozenset()
    strict: bool = False
    most: int | None = None


_ALL = FindingFilter()


class RunFindings:
    """The findings of one run about files of ``fs``; without ``fs``, no lines are looked up.

    ``locator`` is a locator that has already read some of the files.
    """

    def __init__(
        self, fs: FileSystem | None, chosen: FindingFilter = _ALL, locator: Locator | None = None
    ) -> None:
        self.has_errors = False
        self._fs = fs
        self._chosen = chosen
        self._merged = MergedFindings(chosen.most)
        #: The number of confidential values known before the first finding was masked.
        self._known_values = count_tainted()
        if locator is not None:
            self._locator = locator

    def add(self, findings: Iterable[Diagnostic], overlay: str = "") -> bool:
        """Add findings of a stage as they come; ``overlay`` is the path of their overlay, if any.

        Return True if one of them is an error.
        """
        overlays = (overlay,) if overlay else ()
        has_errors = self._add(
            self.located(found, overlays) for found in findings if self._is_reported(found.code)
        )
        if self._fs is not None and len(self._merged):
            self._locator.forget_files()
        return has_errors

    def add_located(self, findings: Iterable[Located]) -> bool:
        """Add findings of another process, an earlier run or other files. Return True if one is an error."""
        masking = taint_masking()
        return self._add(
            masked(found._replace(severity=self._level(found.severity)), masking)
            for found in findings
            if self._is_reported(found.code)
        )

    def located(self, finding: Diagnostic, overlays: tuple[str, ...] = ()) -> Located:
        """Return one finding with its line, at its level, and without confidential values."""
        own_values: Masking | None = None
        fix: LocatedFix | None = None
        if self._fs is None or not (finding.sites or finding.related or finding.fix):
            location = finding.location
            related = tuple(LocatedRelated(each.message, each.location) for each in finding.related)
        else:
            from renderer.kubevirt.facts import confidential  # noqa: PLC0415 - only with findings

            location, related = self._locator.locate(finding)
            names_variable = finding.code is Code.VARIABLE_UNSET  # and no value: it has none
            if not names_variable and confidential.is_about_secret(finding):
                texts: Iterable[str] = self._locator.scalar_texts(finding.sites)
                if all(map(confidential.is_file_of_generator, (site.field for site in finding.sites))):
                    texts = (text.partition("=")[2] for text in texts if not confidential.is_path_entry(text))
                texts = tuple(texts)
                own_values = Masking((*texts, *all_readings(texts)))
            if finding.fix and not confidential.may_repeat_secret(finding.fix, finding):
                fix = self._locator.locate_fix(finding, location)
        found = Located(
            code=finding.code,
            message=finding.message,
            severity=self._level(finding.severity),
            location=location,
            resource=finding.resource,
            field=finding.field,
            hint=finding.hint,
            related=related,
            overlays=overlays,
            target=finding.target,
            fix=fix,
        )
        return masked(found, *finding.confidential, taint_masking(), own_values)

    def found(self) -> tuple[Located, ...]:
        """Return the kept findings, sorted by file and line."""
        found = self._merged.found()
        if count_tainted() > self._known_values:  # a later overlay added values
            self._known_values = count_tainted()
            self._merged = MergedFindings(self._chosen.most, self._merged.unshown)
            self.add_located(found)
            found = self._merged.found()
        return found

    @property
    def unshown(self) -> Unshown:
        """The findings that were not kept; complete once ``found`` was called."""
        return self._merged.unshown

    def _is_reported(self, code: Code) -> bool:
        return code not in self._chosen.ignored

    def _level(self, severity: Severity) -> Severity:
        return strict_level(severity) if self._chosen.strict else severity

    def _add(self, findings: Iterable[Located]) -> bool:
        has_errors = False
        for found in findings:
            has_errors = has_errors or found.severity is Severity.ERROR
            self._merged.add(found)
        self.has_errors = self.has_errors or has_errors
        return has_errors

    @cached_property
    def _locator(self) -> Locator:
        from renderer.findings.locator import Locator  # noqa: PLC0415 - as above

        assert self._fs is not None  # noqa: S101 - callers that need lines have files
        return Locator(self._fs)


def locate(
    fs: FileSystem | None,
    findings: Iterable[Diagnostic],
    overlay: str = "",
    locator: Locator | None = None,
) -> tuple[Located, ...]:
    """Return the findings as they are reported, sorted by file and line."""
    run = RunFindings(fs, locator=locator)
    run.add(findings, overlay)
    return run.found()
