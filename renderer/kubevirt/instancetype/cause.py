"""The reasons for which KubeVirt rejects a VirtualMachine, in our words."""

from __future__ import annotations

from renderer.model.codes import Code
from renderer.model.diagnostic import Related, Severity
from renderer.model.field_edit import Edit
from renderer.model.kube.field_path import FieldPath
from renderer.model.record import Record


class ExpansionCause(Record):
    """A reason why KubeVirt rejects an object; it corresponds to a ``StatusCause`` of an admission webhook.

    ``field`` is the field as KubeVirt's answer names it (several are joined with a comma, and some do not
    exist in the VirtualMachine at all); ``at`` is where the user finds it. ``involved`` lists other fields of
    the VirtualMachine. ``fix`` is the one right answer, if there is one; it names fields as ``at`` does.
    If the repository lacks what the cluster may have, ``offline`` is the severity while the VirtualMachine is
    written as it is.
    """

    code: Code
    field: str
    at: FieldPath
    message: str
    hint: str | None = None
    related: tuple[Related, ...] = ()
    involved: tuple[FieldPath, ...] = ()
    fix: Edit | None = None
    offline: Severity | None = None

    @classmethod
    def at_field(  # noqa: PLR0913 - the parts of a cause, each by its name
        cls,
        at: FieldPath,
        code: Code,
        message: str,
        hint: str | None = None,
        *,
        reported: str | None = None,
        related: tuple[Related, ...] = (),
        fix: Edit | None = None,
    ) -> ExpansionCause:
        """Return a cause at a field; ``reported`` is its name in KubeVirt's answer, if different."""
        field = str(at) if reported is None else reported
        return cls(code=code, field=field, at=at, message=message, hint=hint, related=related, fix=fix)


class CauseError(Exception):
    """Processing of the VirtualMachine stops; ``findings`` turns the causes into diagnostics."""

    def __init__(self, *causes: ExpansionCause) -> None:
        super().__init__("; ".join(cause.message for cause in causes))
        self.causes = causes


class CrashError(CauseError):
    """KubeVirt itself would crash, and its API server would report an internal error."""


class DefaultsError(CauseError):
    """The VirtualMachine cannot be defaulted."""
