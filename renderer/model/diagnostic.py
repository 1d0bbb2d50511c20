"""Diagnostics: the one form in which stages report errors, warnings and remarks.

Only ``renderer.findings`` turns them into reported findings (``Located``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Generic, TypeVar

from renderer.model.codes import Code
from renderer.model.field_edit import Edit
from renderer.model.fix import Fix
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.location import Location, Site
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.record import Record
from renderer.model.release import Release
from renderer.model.text_enum import TextEnum

if TYPE_CHECKING:
    from typing import Protocol

    from renderer.model.masking import Masking

    class HasSeverity(Protocol):
        """A finding, located or not."""

        @property
        def severity(self) -> Severity: ...


T = TypeVar("T")


class Severity(TextEnum):
    """The severity of a finding, as reports name it."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Related(Record):
    """A related place of a finding, and the text there."""

    message: str
    sites: tuple[Site, ...] = ()
    location: Location | None = None


class Diagnostic(Record):
    """One finding, in the user's words.

    ``sites`` are the places that may have caused it, most specific first (the last patch, …, the base); the
    first one that contains the field becomes ``location`` when the finding is reported. A reader that already
    knows the line sets ``location`` itself; if there are ``sites`` as well, it is relative to the text at the
    first of them. ``target`` is the release it was checked against, if other releases would accept it; a
    report says which overlays target that release. ``about_key``: the name of the field is wrong, not its
    value. ``confidential`` finds the values in its texts that no output may show: ``findings`` masks them.
    ``fix`` is what the hint says as data, if there is exactly one right answer. ``unmatched_target`` is the
    target of a patch if it selects nothing: another overlay that uses the patch may have what it selects.
    """

    code: Code
    message: str
    severity: Severity = Severity.ERROR
    sites: tuple[Site, ...] = ()
    location: Location | None = None
    resource: ResId | None = None
    field: FieldPath | None = None
    hint: str | None = None
    related: tuple[Related, ...] = ()
    target: Release | None = None
    about_key: bool = False
    confidential: tuple[Masking, ...] = ()
    fix: Fix | None = None
    unmatched_target: Site | None = None

    @classmethod
    def at(  # noqa: PLR0913 - the parts of a finding, each by its name
        cls,
        site: Site,
        code: Code,
        message: str,
        hint: str | None = None,
        *,
        severity: Severity = Severity.ERROR,
        resource: Resource | None = None,
        field: FieldPath | None = None,
        related: tuple[Related, ...] = (),
        fix: Fix | Edit | None = None,
    ) -> Diagnostic:
        """Return a finding at one place, whose line is found later; ``resource`` is the object concerned.

        An edit as its ``fix`` names fields of the document that the place is in.
        """
        return cls(
            code=code,
            message=message,
            severity=severity,
            sites=(site,),
            resource=resource.current_id if resource else None,
            field=field,
            hint=hint,
            related=related,
            fix=fix if fix is None or isinstance(fix, Fix) else Fix.in_document(site, fix),
        )

    @classmethod
    def in_file(  # noqa: PLR0913 - the parts of a finding, each by its name
        cls,
        place: Location | str,
        code: Code,
        message: str,
        hint: str | None = None,
        *,
        severity: Severity = Severity.ERROR,
        related: tuple[Related, ...] = (),
        fix: Fix | None = None,
    ) -> Diagnostic:
        """Return a finding about a file or folder; ``place`` is its path, or a line that the caller knows."""
        return cls(
            code=code,
            message=message,
            severity=severity,
            location=Location(place) if isinstance(place, str) else place,
            hint=hint,
            related=related,
            fix=fix,
        )

    @classmethod
    def about(  # noqa: PLR0913 - the parts of a finding, each by its name
        cls,
        resource: Resource,
        field: FieldPath | None,
        code: Code,
        message: str,
        hint: str | None = None,
        *,
        severity: Severity = Severity.ERROR,
        related: tuple[Related, ...] = (),
        fix: Fix | Edit | None = None,
    ) -> Diagnostic:
        """Return a finding about a resource or its field, with the places that may have written it.

        An edit as its ``fix`` names fields of the resource.
        """
        return cls(
            code=code,
            message=message,
            severity=severity,
            sites=resource.sites(field or ROOT),
            resource=resource.current_id,
            field=field,
            hint=hint,
            related=related,
            fix=fix if fix is None or isinstance(fix, Fix) else Fix.of(resource, fix),
        )

    def error(self) -> DiagnosticError:
        """Return the exception that stops the work because of this finding."""
        return DiagnosticError(self)


#: The messages in the text of an error, which may become a part of another message.
_MOST_MESSAGES = 3


class DiagnosticError(Exception):
    """Stops the work on one resource or file; the stage's loop over all of them collects it."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        more = len(diagnostics) - _MOST_MESSAGES
        messages = [each.message for each in diagnostics[:_MOST_MESSAGES]]
        super().__init__("; ".join([*messages, *([f"and {more} more"] if more > 0 else [])]))
        self.diagnostics = diagnostics

    def __reduce__(self) -> tuple[type[DiagnosticError], tuple[Diagnostic, ...]]:
        """Keep the diagnostics when a worker's error is pickled; by default, only its text would be kept."""
        return type(self), self.diagnostics


def without_repetition(findings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return the findings, each once; the edits of fixes may hold mappings, and follow from the rest."""
    return tuple({each._replace(fix=None): each for each in findings}.values())


class Outcome(Record, Generic[T]):
    """The result of a stage, and its diagnostics."""

    value: T
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def failed(self) -> bool:
        return has_errors(self.diagnostics)

    def then(self, stage: Callable[[T], Outcome[T]]) -> Outcome[T]:
        """Return the result of ``stage`` for this value, and the diagnostics of both."""
        following = stage(self.value)
        return Outcome(following.value, self.diagnostics + following.diagnostics)


def has_errors(diagnostics: Iterable[HasSeverity]) -> bool:
    """Return True if one of the findings is an error."""
    return any(diagnostic.severity is Severity.ERROR for diagnostic in diagnostics)
