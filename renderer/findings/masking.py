"""Mask confidential values in findings. Only this module does, before a text is folded or escaped.

A value may come from a Secret of the overlay (``Diagnostic.confidential``), from the notes of the run
(``model.run.taint``), or from the place that the finding is about; and an address in a text may have a user.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial

from renderer.findings.located import Located, LocatedFix
from renderer.kubevirt.facts.confidential.fields import KERNEL_ARGUMENTS, is_about_secret
from renderer.kubevirt.facts.confidential.masked import shown_id, shown_path
from renderer.model.codes import Trait
from renderer.model.credential_text.search import without_credentials
from renderer.model.diagnostic import Diagnostic
from renderer.model.field_edit import AddField, AddItem, RemoveField, RemoveItem, RenameField, SetField
from renderer.model.kube.field_path import ElementName
from renderer.model.kube.json import JsonObject, scalar_text
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.res_id import ResId
from renderer.model.kube.sharing import once_for_same
from renderer.model.masking import MASK, NOTHING, Masking
from renderer.model.pattern import pattern
from renderer.model.run.taint import keys_of, texts_of

_DELIMITERS = pattern(r"[\W_]+")
#: Shorter parts are words of messages as well.
_SHORTEST_PART = 4
#: Hints with this have a word that resembles the value.
_SUGGESTS = "did you mean"
#: A number of three digits or more, with its unit; the index of a list in a path is none.
_NUMBER = pattern(r"(?<![\w.\[-])(?:[0-9][.,]?){3,}\w*")


def masked(finding: Located, *maskings: Masking | None) -> Located:
    """Return the finding with ``***`` in place of the values, in its texts and its field.

    A fix that writes one of the values is left out, and so are hint and fix if the hint is made of a value
    that the message quotes. A fix that only removes one does not repeat it. Where a value ends on its line is
    left out, as it says how long the value is.
    """
    written = finding.message
    for masking in filter(None, maskings):
        if finding.hint and _repeats_a_value(finding.hint, finding.message, masking):
            finding = finding._replace(hint=None, fix=None)
        finding = _without(finding, partial(masking.mask, mask=_shown), masking.is_in)
        if finding.field:
            finding = finding._replace(field=shown_path(finding.field, masking))
    return finding if finding.message == written else without_end(finding)


def without_end(finding: Located) -> Located:
    """Return the finding without the column at which the marked text ends."""
    return finding._replace(location=finding.location and finding.location._replace(end_column=0))


def parts_of_value(finding: Diagnostic, content: JsonObject, masking: Masking) -> tuple[Masking, ...]:
    """Return the parts of the Secret's values that are in the field which a finding is about.

    A message may cut a value at a delimiter, and a hint may spell it in another way; messages about a Secret
    itself do not. The lines of a longer text are confidential themselves.
    """
    if finding.field is None or is_about_secret(finding):
        return ()
    value = value_at(content, finding.field.segments)
    if not isinstance(value, str) or "\n" in value:
        return ()
    parts = [
        part
        for secret in masking.values_in(value)
        for part in _DELIMITERS.split(secret)
        if len(part) >= _SHORTEST_PART
    ]
    return (Masking((*parts, *map(str.lower, parts))),) if parts else ()


def without_derived_texts(finding: Diagnostic, content: JsonObject, *maskings: Masking) -> Diagnostic:
    """Return the finding without what it makes of a value of ``maskings``, if its field or key has one.

    A message may count the bytes of a quantity: its numbers are masked. A hint may spell the value correctly,
    in another unit or as the nearest known word, and so may a fix: they are left out.
    """
    if finding.field is None or not finding.field.segments or is_about_secret(finding):
        return finding
    if finding.about_key or Trait.ABOUT_KEY in finding.code.traits:
        last = finding.field.segments[-1]
        text = last.value if isinstance(last, ElementName) else str(last)
    else:
        text = scalar_text(value_at(content, finding.field.segments))
    if not any(each.is_in(text) for each in maskings):
        return finding
    return _without_derived(finding, text, *maskings)


@once_for_same
def _without_derived(finding: Diagnostic, value: str, *maskings: Masking) -> Diagnostic:
    def shown(message: str) -> str:
        for masking in maskings:
            message = masking.mask(message)
        return _NUMBER.sub(MASK, message)

    hint = shown(finding.hint) if finding.hint else ""
    return finding._replace(
        message=shown(finding.message),
        hint=None if _is_made_of(hint, value) else hint or None,
        related=tuple(each._replace(message=shown(each.message)) for each in finding.related),
        fix=None,
    )


def _repeats_a_value(hint: str, message: str, masking: Masking) -> bool:
    values = [each for each in masking.values_in(message) if _shown(each) == MASK]
    return bool(values) and any(_is_made_of(masking.mask(hint, _shown), each) for each in values)


def _is_made_of(text: str, value: str) -> bool:
    """Return True if a hint suggests a word for a value, or has a few letters or digits of it in a row."""
    if len(value) >= _SHORTEST_PART and _SUGGESTS in text:
        return True
    text, value = (_DELIMITERS.sub("", each).lower() for each in (text, value))
    runs = {value[start : start + _SHORTEST_PART] for start in range(max(1, len(value) - _SHORTEST_PART + 1))}
    return any(text[start : start + _SHORTEST_PART] in runs for start in range(len(text)))


def shown_resource(resource: ResId | None, masking: Masking) -> ResId | None:
    """Return the id of an object without values of a run, which may have become names."""
    return shown_id(resource, masking) if resource and masking else resource


def without_credentials_in_texts(finding: Located) -> Located:
    """Return the finding masked likewise for the credentials in addresses and requests."""
    field = finding.field and shown_path(finding.field, NOTHING)
    shown = _without(finding, _without_credentials, lambda text: _without_credentials(text) != text)
    return shown._replace(field=field)


def _without(finding: Located, mask: Callable[[str], str], is_in: Callable[[str], bool]) -> Located:
    return finding._replace(
        message=mask(finding.message),
        hint=finding.hint and mask(finding.hint),
        related=tuple(each._replace(message=mask(each.message)) for each in finding.related),
        fix=finding.fix and _fix_without(finding.fix, is_in),
    )


def _fix_without(fix: LocatedFix, is_in: Callable[[str], bool]) -> LocatedFix | None:
    if any(map(is_in, _texts(fix))):
        return None
    if fix.old is None or not is_in(fix.old):
        return fix
    removes = all(isinstance(edit, RemoveField | RemoveItem) for edit in fix.edits)
    return fix._replace(old=None) if removes else None  # another edit may be made of the value


@lru_cache(maxsize=1024)  # a mistake has the same message in each machine
def _without_credentials(text: str) -> str:
    return without_credentials(text, lambda _: MASK, of_kernel=KERNEL_ARGUMENTS in text)


def _shown(value: str) -> str:
    """Return a mask for a value; a line of guest data that is only a key says nothing, and hints name it."""
    return value if value in _keys_of_guest_data() else MASK


@lru_cache(maxsize=1)
def _keys_of_guest_data() -> frozenset[str]:
    from renderer.kubevirt.guest_data import network_config  # noqa: PLC0415 - few texts have a value
    from renderer.kubevirt.guest_data.cloud_config import KEYS  # noqa: PLC0415 - as above

    keys = (*KEYS, "config", *network_config.V1_DEVICE_KEYS, *network_config.V2_KEYS)
    return frozenset(f"{key}:" for key in (*keys, *network_config.V2_DEVICE_KEYS))


def _texts(fix: LocatedFix) -> Iterator[str]:
    """Yield every name and scalar that the edits write."""
    for edit in fix.edits:
        if isinstance(edit, RenameField | AddField):
            yield edit.name
        if isinstance(edit, SetField | AddField | AddItem):
            yield from keys_of(edit.value)
            yield from texts_of(edit.value)
