"""Mask confidential values in findings. Only this module does, before a text is folded or escaped.

A value may come from a Secret of the overlay (``Diagnostic.confidential``), from the notes of the run
(``model.run.taint``), or from the place that the finding is about.
"""

from __future__ import annotations

from renderer.findings.located import Located
from renderer.model.masking import Masking


def masked(finding: Located, *maskings: Masking | None) -> Located:
    """Return the finding with ``***`` in place of the values, in its message, hint and related messages."""
    for masking in filter(None, maskings):
        finding = finding._replace(
            message=masking.mask(finding.message),
            hint=finding.hint and masking.mask(finding.hint),
            related=tuple(each._replace(message=masking.mask(each.message)) for each in finding.related),
        )
    return finding
