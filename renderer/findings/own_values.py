"""What a finding may repeat of the object or document that it is about, and no output shows.

The walk through an object decides which of its scalars are shown (``kubevirt.facts.confidential``): a finding
quotes no other, whatever stage made it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from renderer.kubevirt.facts.confidential.object_fields import ConfidentialFields, fields_of
from renderer.kubevirt.facts.confidential.secret_values import readings_of_texts
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.field_edit import AddField, AddItem, SetField, edited_place
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.sharing import once_for_same
from renderer.model.masking import Masking
from renderer.model.pattern import pattern
from renderer.model.run.taint import texts_of

_WORD = pattern(r"\w+")
#: The length of the beginning of a word by which a text is recognised in a message, which may truncate it.
_BEGINNING = 12
#: The inside and the end, if any, of what Flux, Jinja or a Go template puts in, on one line.
_EXPANSION = pattern(r"\$\{([^{}]*)(\}?)|\{\{(.*?)(\}\}|$)|\{%(.*?)(%\}|$)|<<(.*?)(>>|$)")
_MARKS = ("${", "{{", "{%", "<<")
#: The inside of an expansion that begins with the name of a value, or with a statement of Jinja.
_NAMES_VALUE = pattern(
    r"[\s-]*(?:\.?[A-Za-z_][\w.]*\s*(?:[-|:=?+,^/#%].*)?"
    r"|(?:call|elif|filter|for|if|macro|set|with)\b.*)"
)
#: What separates the words of a text of several lines, or of an address.
_SEPARATOR = pattern(r"[\s\"'=:/@,;&?.]+")
_NO_LETTERS = pattern(r"[\W_]*")
#: The place of an expansion on its line.
_PLACE = "\0"
#: A shorter word of an expansion is a word of messages as well.
_SHORTEST_WORD = 4


@once_for_same
def values_in_object(finding: Diagnostic, content: JsonObject) -> Masking | None:
    """Return the values in its object that the finding may repeat, and no output shows; None without one."""
    places = [edited_place(edit) for edit in (finding.fix.edits if finding.fix else ())]
    values = values_at(finding, fields_of(content), (*places, finding.field) if finding.field else places)
    return Masking(values) if values else None


def places_in_files(finding: Diagnostic) -> Iterator[Site]:
    """Yield the places that a finding and its fix are about."""
    yield from finding.sites
    for root in finding.fix.roots if finding.fix else ():
        for edit in finding.fix.edits if finding.fix else ():
            yield root._replace(field=root.field.child(*edited_place(edit).segments))


def values_at(finding: Diagnostic, fields: ConfidentialFields, places: Iterable[FieldPath]) -> frozenset[str]:
    """Return such values at and below the ``places`` of an object or document, with their readings."""
    is_quoted = _quoted_by(finding)
    texts = frozenset[str]().union(*(fields.unshown_texts(place, is_quoted) for place in places))
    names = frozenset(name for text in texts for name in names_in_expansions(text))
    if finding.code is Code.VARIABLE_UNSET:  # it names a variable, and has no value to repeat
        return names
    return names.union(texts, readings_of_texts(texts))


def _quoted_by(finding: Diagnostic) -> Callable[[str], bool]:
    """Return the function that tells whether a finding may repeat a scalar, or a part of it."""
    written = [finding.message, finding.hint or "", *(each.message for each in finding.related)]
    if finding.fix:
        edits = (each for each in finding.fix.edits if isinstance(each, SetField | AddField | AddItem))
        written += [finding.fix.old or "", *(text for edit in edits for text in texts_of(edit.value))]
    texts = "\n".join(written)

    def is_quoted(scalar: str) -> bool:
        word = _WORD.search(scalar)
        if word is None:
            return scalar.strip() != "" and scalar in texts
        return word[0][:_BEGINNING] in texts or any(mark in scalar for mark in _MARKS)

    return is_quoted


def names_in_expansions(text: str) -> Iterator[str]:
    """Yield the words in expansions of a confidential text that may be parts of its value.

    ``${DB_PASSWORD}`` alone names a variable. In ``Tr${s3cret}x``, the characters may be those of a password.
    """
    if not any(mark in text for mark in _MARKS):
        return
    lines = text.splitlines()
    has_words = "\n" in text or "://" in text
    for line in lines:
        expansions = _EXPANSION.finditer(line)
        places = _EXPANSION.sub(_place_of, line)
        for word in _SEPARATOR.split(places) if has_words else (places,):
            inside = [found[0] for found in islice(expansions, word.count(_PLACE))]
            if not _NO_LETTERS.fullmatch(word):
                parts = (part for each in inside for part in _WORD.findall(each))
                yield from (part for part in parts if len(part) >= _SHORTEST_WORD)


def _place_of(expansion: re.Match[str]) -> str:
    """Return what is put in place of an expansion: with a letter if it may be a part of a value."""
    inside, end = (each for each in expansion.groups() if each is not None)
    return _PLACE if end and _NAMES_VALUE.fullmatch(inside) else f"{_PLACE}x"
