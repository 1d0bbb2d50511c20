"""What a project or a user tells ``diff`` to leave out."""

from __future__ import annotations

from fnmatch import fnmatchcase

from renderer.model.difference import Danger, FieldChange, ResourceChange
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

    def is_about(self, change: ResourceChange) -> bool:
        """Return True if the rule is about a change, or about fields of it."""
        dangers = change.dangers
        if not dangers.issuperset(self.dangers) or (dangers & PROTECTED).difference(self.dangers):
            return False
        return (
            _matches(self.kind, change.id.gvk.kind)
            and _matches(self.name, change.id.name)
            and _matches(self.namespace, change.id.namespace)
        )

    def is_about_owner(self, change: FieldChange) -> bool:
        """Return True if the rule is about the managers that own a field."""
        return not self.owner or self.owner in change.owners


def _matches(pattern: str, text: str) -> bool:
    return not pattern or fnmatchcase(text, pattern)
