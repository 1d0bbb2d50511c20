"""What a project or a user tells ``diff`` to leave out."""

from __future__ import annotations

from renderer.model.difference import Danger, FieldChange
from renderer.model.record import Record

#: Dangers that a rule hides only if it names them.
PROTECTED = frozenset({Danger.REFUSED, Danger.DATA})


class DifferenceRule(Record):
    """Differences to leave out; ``source`` says where the rule is written.

    Empty texts match everything; ``kind``, ``name`` and ``namespace`` may be globs. ``field`` is a path as
    users type it, ``owner`` a manager of fields in a cluster: without both, the rule is about whole objects.
    ``dangers`` are the dangers of the changes that it is about; empty for all that are not ``PROTECTED``.
    """

    source: str
    kind: str = ""
    name: str = ""
    namespace: str = ""
    field: str = ""
    owner: str = ""
    dangers: tuple[Danger, ...] = ()

    @property
    def is_about_fields(self) -> bool:
        return bool(self.field or self.owner)

    def hides(self, dangers: frozenset[Danger]) -> bool:
        """Return True if the rule hides a change that does all of this."""
        return dangers.issuperset(self.dangers) and PROTECTED.isdisjoint(dangers.difference(self.dangers))

    def is_about_owner(self, change: FieldChange) -> bool:
        """Return True if the rule is about the managers that own a field."""
        return not self.owner or self.owner in change.owners
