"""The result of a comparison: the difference, and the errors of both sides."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from renderer.app.comparison.rendered_sides import RenderedSides, written_of
from renderer.app.comparison.side import Side
from renderer.app.target_remarks import remarks_on_installed_release, remarks_on_targets
from renderer.findings.located import Located
from renderer.kubevirt.facts.confidential.secret_values import secret_values
from renderer.model.diagnostic import Diagnostic
from renderer.model.difference import Difference
from renderer.model.masking import Masking
from renderer.model.plural import plural


class Comparison(NamedTuple):
    """The difference between two sides, and the errors of each.

    ``before`` has the errors that keep overlays of the first side from being rendered, ``known`` the errors
    of single objects there, and ``after`` all errors of the second side.
    """

    difference: Difference
    before: tuple[Located, ...]
    after: tuple[Located, ...]
    known: tuple[Located, ...] = ()

    def __repr__(self) -> str:
        """Name the sides and only count the rest, as a difference may be long."""
        sides = f"{self.difference.before!r}, {self.difference.after!r}"
        overlays = plural(len(self.difference.overlays), "overlay")
        return f"Comparison({sides}: {overlays}, {plural(len(self.new_errors), 'new error')})"

    @property
    def new_errors(self) -> tuple[Located, ...]:
        """The errors of the second side, without those that an object had on the first."""
        known = {_identity(each) for each in self.known}
        return tuple(each for each in self.after if _identity(each) not in known)

    @property
    def old_errors(self) -> tuple[Located, ...]:
        """The errors that an object has on both sides."""
        known = {_identity(each) for each in self.known}
        return tuple(each for each in self.after if _identity(each) in known)

    @property
    def reported(self) -> tuple[Located, ...]:
        """The errors of both sides, each once, without ``old_errors``.

        If a changed object has an old error, the difference reports it. An error that keeps an overlay from
        being rendered on both sides is reported here, as the overlay is not compared.
        """
        after = self.new_errors
        still = {_identity(each) for each in after}
        return (*(each for each in self.before if _identity(each) not in still), *after)

    def _repr_html_(self) -> str:
        """Return the tables that a notebook shows."""
        from renderer.report.notebook import difference_tables  # noqa: PLC0415 - only notebooks need HTML

        return difference_tables(self.difference)


def _identity(finding: Located) -> tuple[object, ...]:
    """Return the key of an error in both revisions: all of it except its line, and versions of APIs."""
    object_key = finding.resource.object_key if finding.resource else None
    return (
        *(finding.code, finding.severity, finding.message, object_key, finding.field),
        *(finding.overlays, finding.other_objects),
    )


def without_former_values(errors: tuple[Diagnostic, ...], former: Masking) -> tuple[Diagnostic, ...]:
    """Return errors of the new side with the values of the ``former`` Secrets noted as confidential.

    An error may repeat a value that the change replaces.
    """
    if not former:
        return errors
    return tuple(each._replace(confidential=(*each.confidential, former)) for each in errors)


class ComparedErrors:
    """Collects the errors of the overlays on both sides, and none of the commits between them."""

    def __init__(self, before: Side, after: Side) -> None:
        self._sides = before, after
        self._before, self._after = before.run_findings(), after.run_findings()
        self._known = before.run_findings()

    def add_errors_of_projects(self) -> None:
        """Add the errors that are about no single overlay."""
        before, after = self._sides
        self._before.add(before.found.errors)
        self._after.add(after.found.errors)

    def add_other_releases(self, changed: Iterable[str]) -> None:
        """Add that the repository installs other releases than the project names, if a change may say so."""
        after = self._sides[1]
        if after.asked_release is None:
            self._after.add(remarks_on_installed_release(after.fs, after.config, after.found, changed))

    def add(self, rendered: RenderedSides) -> None:
        """Add the errors of an overlay."""
        path, (first, last) = rendered.overlay.path, rendered.ends
        if first:
            (self._before if first.content is None else self._known).add(first.errors, path)
        if last:
            overlay = self._sides[1].overlays.get(path)
            former = written_of(first) if last.errors else ()
            secrets = Masking(secret_values(each.content for each in former))
            self._after.add(without_former_values(last.errors, secrets), path)
            self._after.add(remarks_on_targets([overlay] if overlay else []))

    def with_difference(self, difference: Difference) -> Comparison:
        """Return the result."""
        before, after = self._sides
        return Comparison(
            difference,
            before.labelled(self._before.found()),
            after.labelled(self._after.found()),
            tuple(self._known.found()),
        )
