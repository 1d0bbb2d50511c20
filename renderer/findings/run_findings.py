"""The only way from a stage's finding (``Diagnostic``) to a reported finding (``Located``).

Here a finding gets its line, ``--strict`` is applied to its level, confidential values are masked in its
texts, and equal findings are merged. Writers of reports, the cache and the library accept only the result,
and never repeat any of these steps.

A run over ten thousand overlays may find a mistake in every line. The number of findings in memory is bounded
by the printed findings (``limits().findings``) and the findings of the overlay being rendered. A mistake in a
base that many overlays share is located and merged once: it comes again as the same object, or as an equal
one, which then costs a look-up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from renderer.files.file_system import FileSystem
from renderer.findings.known_findings import KnownFinding
from renderer.findings.levels import strict_level
from renderer.findings.located import Located, LocatedFix, LocatedRelated, Unshown
from renderer.findings.masking import masked, shown_resource, without_credentials_in_texts, without_end
from renderer.findings.merged import MergedFinding, MergedFindings
from renderer.kubevirt.facts.confidential.fields import is_about_secret
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.kube.location import Location
from renderer.model.masking import Masking
from renderer.model.record import Record
from renderer.model.run.taint import count_tainted, taint_masking
from renderer.model.run.work import spend

if TYPE_CHECKING:
    from renderer.findings.locator import Locator


#: Steps for a finding that was added before, for one that only its overlay or object distinguishes from an
#: earlier one, for any other, and for each place that may be the one of a finding (``model.run.work``).
_STEPS_AGAIN, _STEPS_OF_KNOWN, _STEPS_OF_NEW, _STEPS_PER_SITE = 2, 40, 300, 2
#: The number of findings that are recognised when they come again.
_MOST_RECOGNISED = 10_000
_REPORTING = "reporting findings"
#: The findings about objects of Flux and Argo CD, which name paths.
_ABOUT_ENGINES = frozenset(
    {
        *(Code.APPLICATION_SET, Code.ARGOCD_APPLICATION, Code.ENTRY_POINT, Code.FILE_NOT_FOUND),
        *(Code.FLUX_KUSTOMIZATION, Code.KUSTOMIZATION_MISSING, Code.RESOURCE_SET),
    }
)


class FindingFilter(Record):
    """Findings with the codes ``ignored`` are left out; with ``strict``, warnings are errors.

    ``most`` is the number of findings to keep, None for all.
    """

    ignored: frozenset[Code] = frozenset()
    strict: bool = False
    most: int | None = None


_ALL = FindingFilter()
T = TypeVar("T", Diagnostic, Located)


class _Recognised(Record):
    """A finding that was added, which is kept alive for its identity, and what it was merged into."""

    finding: Diagnostic | Located
    merged: MergedFinding
    is_error: bool


class RunFindings:
    """The findings of one run about files of ``fs``; without ``fs``, no lines are looked up.

    ``locator`` is a locator that has already read some of the files. ``masking`` returns the search for
    confidential values of the run.
    """

    def __init__(
        self,
        fs: FileSystem | None,
        chosen: FindingFilter = _ALL,
        locator: Locator | None = None,
        masking: Callable[[], Masking] = taint_masking,
    ) -> None:
        self.has_errors = False
        self._fs = fs
        self._chosen = chosen
        self._masking = masking
        self._merged = MergedFindings(chosen.most)
        #: Findings that were added, by their identity.
        self._recognised: dict[int, _Recognised] = {}
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
            findings, overlays, lambda finding: self.located(finding, overlays), _STEPS_AGAIN
        )
        if self._fs is not None and len(self._merged):
            self._locator.forget_files()
        return has_errors

    def add_located(self, findings: Iterable[Located], overlay: str = "") -> bool:
        """Add findings of another process, an earlier run or other files. Return True if one is an error.

        ``overlay`` is the path of their overlay, if they do not name it.
        """
        overlays = (overlay,) if overlay else ()

        def reported(found: Located) -> Located:
            level = self._level(found.severity)
            return masked(
                found._replace(
                    severity=level,
                    resource=shown_resource(found.resource, self._masking()),
                    overlays=overlays or found.overlays,
                ),
                self._masking(),
            )

        return self._add(findings, overlays, reported, 0)

    def _add(
        self, findings: Iterable[T], overlays: tuple[str, ...], reported: Callable[[T], Located], steps: int
    ) -> bool:
        """Add findings as they come; one that came before as the same object costs ``steps``."""
        again, has_errors, recognised = 0, False, self._recognised
        for finding in findings:
            known = recognised.get(id(finding))
            if known is not None and (merged := known.merged).is_kept:
                merged.repeat(overlays)
                has_errors = has_errors or known.is_error
                again += 1
            elif finding.code not in self._chosen.ignored:
                found = reported(finding)
                is_error = found.severity is Severity.ERROR
                has_errors = has_errors or is_error
                if len(recognised) >= _MOST_RECOGNISED:
                    recognised.clear()
                kept = self._merged.add(found)
                if kept is not None:
                    recognised[id(finding)] = _Recognised(finding, kept, is_error)
        if again:
            spend(again * steps, _REPORTING)
        self.has_errors = self.has_errors or has_errors
        return has_errors

    def located(self, finding: Diagnostic, overlays: tuple[str, ...] = ()) -> Located:
        """Return one finding with its line, at its level, and without confidential values."""
        if overlays:  # other findings are as few as the files that they are about
            is_known = self._fs is not None and self._locator.known.get(finding) is not None
            steps = _STEPS_OF_KNOWN if is_known else _STEPS_OF_NEW
            spend(steps + _STEPS_PER_SITE * len(finding.sites), _REPORTING)
        known = self._known(finding)
        tainted = count_tainted()
        if known.masked is None or known.masked_for != (finding.confidential, tainted):
            known.masked = masked(known.found, *finding.confidential, self._masking(), known.own_values)
            if self._has_value_on_line(known.found.location, finding.confidential):
                known.masked = known.masked._replace(hides_line=True)
            if known.masked.hides_line or (known.own_values and is_about_secret(finding)):
                known.masked = without_end(known.masked)
            known.masked_for = finding.confidential, tainted
        return known.masked._replace(
            severity=self._level(finding.severity),
            resource=shown_resource(finding.resource, self._masking()),
            overlays=overlays,
        )

    def _known(self, finding: Diagnostic) -> KnownFinding:
        """Return the finding with its lines, once for all that differ only in their objects."""
        is_of_template = finding.code is Code.TEMPLATE_FAILED
        if self._fs is None or not (finding.sites or finding.related or finding.fix or is_of_template):
            related = tuple(LocatedRelated(each.message, each.location) for each in finding.related)
            return KnownFinding(_at(finding, finding.location, related))
        known = self._locator.known.get(finding)
        if known is None:
            known = self._new(finding)
            self._locator.known.add(finding, known)
        else:
            self._locator.note_uses((finding,))
        return known

    def _new(self, finding: Diagnostic) -> KnownFinding:
        from renderer.findings.own_values import (  # noqa: PLC0415 - as below
            names_in_expansions,
            places_in_files,
            values_at,
        )
        from renderer.findings.written_content import contents_in  # noqa: PLC0415 - only with findings
        from renderer.kubevirt.facts.confidential import fields  # noqa: PLC0415 - as above

        own_values: set[str] = set()
        location, related = self._locator.locate(finding)
        if fields.is_about_secret(finding):
            texts: Iterable[str] = self._locator.scalar_texts(finding.sites)
            if all(map(fields.is_file_of_generator, (site.field for site in finding.sites))):
                texts = (text.partition("=")[2] for text in texts if not fields.is_path_entry(text))
            from renderer.model.run.readings import readings  # noqa: PLC0415 - few findings are

            for text in texts:
                own_values.update(names_in_expansions(text))
                if finding.code is not Code.VARIABLE_UNSET:  # it has no value to repeat
                    own_values.update((text, *readings(text)))
        places = dict.fromkeys(places_in_files(finding))
        for site, confidential in self._locator.confidential_fields(places):
            own_values |= values_at(finding, confidential, (site.field,))
        if finding.code is Code.TEMPLATE_FAILED and self._fs and location and location.line:
            own_values.update(self._names_on_hidden_line(self._fs, location))
        if finding.resource is None or finding.code in _ABOUT_ENGINES:
            own_values.update(contents_in(self._locator.texts_near(finding.sites)))
        fix: LocatedFix | None = None
        if finding.fix and not fields.may_repeat_secret(finding.fix, finding):
            fix = self._locator.locate_fix(finding, location)
        return KnownFinding(_at(finding, location, related, fix), Masking(own_values) if own_values else None)

    def _names_on_hidden_line(self, fs: FileSystem, location: Location) -> Iterator[str]:
        """Yield the words in expansions on a line of a template that no report quotes."""
        from renderer.findings.own_values import names_in_expansions  # noqa: PLC0415 - few templates fail
        from renderer.findings.public_lines import public_lines  # noqa: PLC0415 - as above

        line, *_ = self._locator.texts_on_line(location) or ("",)
        names = tuple(names_in_expansions(f"{line}\n"))
        if names and location.line not in public_lines(fs.read(location.path), {location.line}):
            yield from names

    def _has_value_on_line(self, location: Location | None, confidential: Iterable[Masking]) -> bool:
        """Return True if the line that a report would quote has one of the values."""
        if self._fs is None or location is None or not location.line:
            return False
        return any(
            masking.is_in(text) for masking in confidential for text in self._locator.texts_on_line(location)
        )

    def found(self) -> tuple[Located, ...]:
        """Return the kept findings, sorted by file and line."""
        found = self._merged.found()
        if count_tainted() > self._known_values:  # a later overlay added values
            self._known_values = count_tainted()
            self._merged = MergedFindings(self._chosen.most, self._merged.unshown)
            self._recognised.clear()
            self.add_located(found)
            found = self._merged.found()
        return found

    @property
    def unshown(self) -> Unshown:
        """The findings that were not kept; complete once ``found`` was called."""
        return self._merged.unshown

    def _level(self, severity: Severity) -> Severity:
        return strict_level(severity) if self._chosen.strict else severity

    @cached_property
    def _locator(self) -> Locator:
        from renderer.findings.locator import Locator  # noqa: PLC0415 - as above

        assert self._fs is not None  # noqa: S101 - callers that need lines have files
        return Locator(self._fs)


def _at(
    finding: Diagnostic,
    location: Location | None,
    related: tuple[LocatedRelated, ...],
    fix: LocatedFix | None = None,
) -> Located:
    """Return the finding at a place, not masked yet for the values of a run or an overlay."""
    located = Located(
        code=finding.code,
        message=finding.message,
        severity=finding.severity,
        location=location,
        resource=finding.resource,
        field=finding.field,
        hint=finding.hint,
        related=related,
        target=finding.target,
        fix=fix,
        unmatched_target=finding.unmatched_target,
    )
    return without_credentials_in_texts(located)


def locate(
    fs: FileSystem | None,
    findings: Iterable[Diagnostic],
    overlay: str = "",
    locator: Locator | None = None,
    masking: Callable[[], Masking] = taint_masking,
) -> tuple[Located, ...]:
    """Return the findings as they are reported, sorted by file and line.

    ``masking`` is as for ``RunFindings``.
    """
    run = RunFindings(fs, locator=locator, masking=masking)
    run.add(findings, overlay)
    return run.found()


def located_as_given(findings: Iterable[Diagnostic]) -> tuple[Located, ...]:
    """Return findings that know their lines, in their order, such as the findings about a dump."""
    return tuple(map(RunFindings(None).located, findings))
