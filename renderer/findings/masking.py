"""Mask confidential values in findings. Only this module does, before a text is folded or escaped.

A value may come from a Secret of the overlay (``Diagnostic.confidential``), from the notes of the run
(``model.run.taint``), or from the place that the finding is about.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from renderer.findings.located import Located, LocatedFix
from renderer.model.field_edit import AddField, AddItem, RenameField, SetField
from renderer.model.masking import MASK, Masking
from renderer.model.run.taint import keys_of, texts_of


def masked(finding: Located, *maskings: Masking | None) -> Located:
    """Return the finding with ``***`` in place of the values, in its message, hint and related messages.

    A fix that has one of the values is left out.
    """
    for masking in filter(None, maskings):
        finding = finding._replace(
            message=masking.mask(finding.message, _shown),
            hint=finding.hint and masking.mask(finding.hint, _shown),
            related=tuple(
                each._replace(message=masking.mask(each.message, _shown)) for each in finding.related
            ),
            fix=None if finding.fix and _has_value(finding.fix, masking) else finding.fix,
        )
    return finding


def _shown(value: str) -> str:
    """Return a mask for a value; a line of guest data that is only a key says nothing, and hints name it."""
    return value if value in _keys_of_guest_data() else MASK


@lru_cache(maxsize=1)
def _keys_of_guest_data() -> frozenset[str]:
    from renderer.kubevirt.guest_data import network_config  # noqa: PLC0415 - few texts have a value
    from renderer.kubevirt.guest_data.cloud_config import KEYS  # noqa: PLC0415 - as above

    keys = (*KEYS, "config", *network_config.V1_DEVICE_KEYS, *network_config.V2_KEYS)
    return frozenset(f"{key}:" for key in (*keys, *network_config.V2_DEVICE_KEYS))


def _has_value(fix: LocatedFix, masking: Masking) -> bool:
    return any(masking.is_in(text) for text in (fix.old or "", *_texts(fix)))


def _texts(fix: LocatedFix) -> Iterator[str]:
    """Yield every name and scalar that the edits write."""
    for edit in fix.edits:
        if isinstance(edit, RenameField | AddField):
            yield edit.name
        if isinstance(edit, SetField | AddField | AddItem):
            yield from keys_of(edit.value)
            yield from texts_of(edit.value)
