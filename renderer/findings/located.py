"""Findings as they are reported: with lines in place of sites, masked, and at their level."""

from __future__ import annotations

from renderer.model.codes import Code
from renderer.model.diagnostic import Severity
from renderer.model.field_edit import Edit
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.location import Location, Site
from renderer.model.kube.res_id import ResId
from renderer.model.record import Record
from renderer.model.release import Release


class LocatedRelated(Record):
    """The other side of a finding: its text and its place.

    ``is_row``: it names the values that a template made the text of the finding from, one row of several.
    """

    message: str
    location: Location | None = None
    is_row: bool = False


class LocatedFix(Record):
    """The one right answer to a finding: ``edits`` of a document of the file ``path``, one after another.

    ``document`` counts from 0, as the file is cut into documents. If ``inline`` is not the root, the edits
    are edits of the YAML in that text field of the document. ``old`` is the scalar that the first edit
    replaces, as YAML reads it; None for any other value. No part of it is confidential.

    Without edits, ``separators`` are the lines of the file, from 1, above which ``---`` is to be written.
    """

    path: str
    document: int
    inline: FieldPath
    edits: tuple[Edit, ...]
    old: str | None = None
    separators: tuple[int, ...] = ()


class Located(Record):
    """A finding that has passed through ``RunFindings``, the only place that makes one from a ``Diagnostic``.

    Its line is known, its texts hold no confidential value, and its severity is the one to report.
    ``overlays`` are the paths of all overlays that it was found in. ``target`` is the release that it was
    checked against, if another release would accept the same; a report names it (``for_report``). After its
    ``fix``, the finding is gone. ``hides_line``: no report may quote its line, which has a value of a Secret
    of an overlay. ``other_objects`` counts the objects besides ``resource`` that the same text
    gives the same mistake: rows of a template, or a base under several names. ``unmatched_target`` is as in
    ``Diagnostic``.
    """

    code: Code
    message: str
    severity: Severity = Severity.ERROR
    location: Location | None = None
    resource: ResId | None = None
    field: FieldPath | None = None
    hint: str | None = None
    related: tuple[LocatedRelated, ...] = ()
    overlays: tuple[str, ...] = ()
    target: Release | None = None
    fix: LocatedFix | None = None
    other_objects: int = 0
    hides_line: bool = False
    unmatched_target: Site | None = None


class LocatedError(Exception):
    """Stops a run for findings that are already located, such as findings about files at another revision.

    Raise it ``from None``: the message of the error that it replaces is not masked, and a traceback shows it.
    """

    def __init__(self, *diagnostics: Located) -> None:
        super().__init__("; ".join(diagnostic.message for diagnostic in diagnostics))
        self.diagnostics = diagnostics


class Unshown(Record):
    """Counts of the findings of a run that a report does not show (``limits().findings``).

    ``errors`` of them are errors, with these ``codes``; ``others`` are not.
    """

    errors: int = 0
    others: int = 0
    codes: frozenset[Code] = frozenset()

    def with_one(self, finding: Located) -> Unshown:
        """Return these counts with one more finding."""
        if finding.severity is not Severity.ERROR:
            return self._replace(others=self.others + 1)
        return Unshown(self.errors + 1, self.others, self.codes | {finding.code})

    def plus(self, other: Unshown) -> Unshown:
        """Return the sum of both."""
        return Unshown(self.errors + other.errors, self.others + other.others, self.codes | other.codes)
