"""Findings that were located before: an equal one in another overlay costs a look-up."""

from __future__ import annotations

from collections.abc import Hashable

from renderer.findings.located import Located
from renderer.model.diagnostic import Diagnostic
from renderer.model.masking import Masking

#: The number of findings that are remembered; then the table is cleared.
_MOST = 10_000


class KnownFinding:
    """A finding with its lines, and with the confidential values at its own place (``own_values``).

    It is not masked yet. ``masked`` is, for the values in ``masked_for``: those of the finding's overlay, and
    the number of values noted for the run. Both change while ``found`` stays the same.
    """

    __slots__ = ("found", "masked", "masked_for", "own_values")

    def __init__(self, found: Located, own_values: Masking | None = None) -> None:
        self.found = found
        self.own_values = own_values
        self.masked: Located | None = None
        self.masked_for: tuple[tuple[Masking, ...], int] | None = None


class KnownFindings:
    """Known findings by all that their place and text depend on."""

    def __init__(self) -> None:
        self._known: dict[Hashable, KnownFinding] = {}

    def get(self, finding: Diagnostic) -> KnownFinding | None:
        """Return the same finding about an object of the same kind."""
        key = _key(finding)
        return None if key is None else self._known.get(key)

    def add(self, finding: Diagnostic, known: KnownFinding) -> None:
        """Remember a finding."""
        key = _key(finding)
        if key is not None:
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[key] = known


def _key(finding: Diagnostic) -> Hashable | None:
    """Return the finding without its object; None if its fix writes a mapping, which has no hash."""
    kind = finding.resource.gvk.kind if finding.resource else ""
    key = kind, finding._replace(resource=None, confidential=())
    try:
        hash(key)
    except TypeError:
        return None
    return key
