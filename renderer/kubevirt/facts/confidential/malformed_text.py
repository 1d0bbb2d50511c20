"""What may be the values of Secrets in a text that seems to be a manifest, but that cannot be parsed.

A mistake anywhere in a document leaves its values what they are, so they are read line by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from textwrap import dedent

from renderer.kubevirt.facts.confidential.fields import (
    PUBLIC_FIELDS_OF_SECRETS,
    SECRET_GENERATOR,
    START_DATA,
    is_path_entry,
)
from renderer.kubevirt.facts.confidential.manifest_text import seems_to_hold_secret
from renderer.kubevirt.facts.confidential.parts import PATCHES
from renderer.model.credential_text.names import names_credential
from renderer.model.pattern import pattern
from renderer.model.run.work import spend

_WORK, _CHARACTERS_PER_STEP = "looking for confidential values", 8
#: A key of YAML or JSON, or the name in a literal of a generator, and what is before its value.
_KEY = pattern(
    r"(?<![^\s{\[,\"'])(?:[\"']([\w.-]{1,253})[\"'][ \t]*:|([\w.-]{1,253})(?:[ \t]{0,9}:(?=\s|$)|=))[ \t]*+"
)
_QUOTED = pattern(r"\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\"|'[^']*+(?:''[^']*+)*+'")
#: A value in a mapping or list in brackets.
_VALUE_IN_BRACKETS = pattern(r"[^,{}\[\]]*")
_BEGINS_BLOCK = pattern(r"(?:[!&]\S*[ \t]+)*[|>][-+\d]*(?:[ \t]+#.*)?")
#: What may be left of the syntax around a value.
_AROUND_VALUE = " \t,'\"{}[]"
#: A name in a line without a colon, and what may be between it and its value.
_NAME, _SIGNS = pattern(r"\w+(?:[.-]\w+)*"), f"{_AROUND_VALUE}:;=>-\uff1a"
_NAME_AND_VALUE, _EDGES = 2, pattern(r"\A\W+|(?<!\W)\W+\Z")
_ITEM = pattern(r"\s*+(?:-\s++)*+")
_BLANK, _WORD_CHARACTER = pattern(r"\s"), pattern(r"\w")
#: Comments, and the lines that Git writes around the sides of a conflict.
_NO_VALUE = ("#", "<<<<<<<", "|||||||", ">>>>>>>")
#: The entries of generators, up to the next field of the kustomization.
_GENERATORS = pattern(
    rf"(?ims){SECRET_GENERATOR}.*?"
    r"(?=^(?!(?:apiVersion|behavior|envs?|files|kind|literals|metadata|name|namespace|options|type)\b)"
    r"[a-z]\w*+[\"']?[ \t]*+:|\Z)"
)
#: A Secret, or a patch for one; a reference to a Secret has the kind alone.
_SECTION = pattern(r"(?i)\b(?:string|binary)?data\b")


def entries_in_malformed(text: str) -> Iterator[tuple[str, str]]:
    """Yield what may be values of Secrets, and start data, in a text: each after the key that it has.

    Of a kustomization that has generators alone, these are their literals.
    """
    spend(1 + len(text) // _CHARACTERS_PER_STEP, _WORK)
    if seems_to_hold_secret(text) and _SECTION.search(text):
        yield from ((key, value) for key, _, value in _entries(text))
        return
    if "\0" in text:  # an image, an archive or the like
        return
    for generators in _GENERATORS.finditer(text):
        yield from ((key, value) for key, sign, value in _entries(generators[0]) if sign == "=")
    yield from ((key, value) for key, _, value in _entries(text) if key in START_DATA)
    yield START_DATA[0], text  # of which the credentials count


def entries_in_lines(text: str) -> Iterator[tuple[str, str]]:
    """Yield the entries of lines ``key=value``, and what may be one, such as ``key: value`` or a line."""
    spend(1 + len(text) // _CHARACTERS_PER_STEP, _WORK)
    for line in text.splitlines():
        key, sign, value = line.partition("=")
        if sign:
            yield key.strip(), value
    yield from ((key, value) for key, _, value in _entries(text))


def _entries(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield the key of each value, the sign between them, and the value.

    The text of a patch is a manifest, of which each line has its own value.
    """
    lines = text.splitlines()
    key, number = "", 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if line.lstrip().startswith(_NO_VALUE):
            continue
        keys = list(_KEY.finditer(line))
        if not keys:
            value = _ITEM.sub("", line, count=1).strip(_AROUND_VALUE)
            if not _BLANK.search(value) and _WORD_CHARACTER.search(value):
                yield key, "", value
            yield from _entries_without_colon(value)
            continue
        yield from _entries_in_line(line, keys)
        key, rest = _name_of(keys[-1]), line[keys[-1].end() :].strip()
        if key not in PATCHES and (not rest or _BEGINS_BLOCK.fullmatch(rest)):
            end = number
            while end < len(lines) and _is_in_block(lines[end], line, has_indicator=bool(rest)):
                end += 1
            yield key, ":", dedent("\n".join(lines[number:end]))
            number = end


def _entries_without_colon(line: str) -> Iterator[tuple[str, str, str]]:
    """Yield the entries of a line in which a colon is forgotten or another sign: ``password => x``.

    What follows the name of a credential is its value, and so may each word of it be. A line of two words is
    a name and a value.
    """
    words = [each for each in line.split() if _WORD_CHARACTER.search(each)]
    name = next((found for found in _NAME.finditer(line) if names_credential(found[0])), None)
    if name is None and len(words) == _NAME_AND_VALUE:
        name = _NAME.match(line)
    if name and name[0] not in PUBLIC_FIELDS_OF_SECRETS:
        rest = line[name.end() :].lstrip(_SIGNS)
        values = (value for each in (rest, *rest.split()) for value in _without_signs(each))
        for value in dict.fromkeys(values):
            if _WORD_CHARACTER.search(value):
                yield name[0], "=", value


def _without_signs(value: str) -> Iterator[str]:
    """Yield a value without what may be around it: the syntax of YAML, and wrong signs."""
    yield value.strip(_AROUND_VALUE)
    yield _EDGES.sub("", value)


def _entries_in_line(line: str, keys: Sequence[re.Match[str]]) -> Iterator[tuple[str, str, str]]:
    """Yield the entries of a line, the last one first.

    A value ends before the next key; that with a colon may have ``=`` in it.
    """
    ends = {":": len(line), "=": len(line)}
    for found in reversed(keys):
        key, sign = _name_of(found), found[0].rstrip()[-1]
        if key not in PUBLIC_FIELDS_OF_SECRETS:
            for value in _values_at(line, found.end(), ends[sign], is_first=found is keys[0]):
                if sign == ":" or not is_path_entry(f"{key}={value}"):
                    yield key, sign, value
        ends["="] = found.start()
        if sign == ":":
            ends[":"] = found.start()


def _name_of(key: re.Match[str]) -> str:
    return key[1] or key[2]


def _values_at(line: str, start: int, end: int, *, is_first: bool) -> Iterator[str]:
    """Yield what the value may be that begins there, with and without the syntax around it.

    It may be all that follows the first key of a line.
    """
    rest = line[start:].strip() if is_first else ""
    if rest.startswith("{{"):  # what a chart puts in
        yield rest
    elif rest and not rest.startswith(("{", "[")):
        yield rest
        yield from _without_signs(rest)
    if quoted := _QUOTED.match(line, start):
        yield quoted[0][1:-1]
        yield quoted[0]
    elif in_brackets := _VALUE_IN_BRACKETS.match(line, start, end):
        yield in_brackets[0].strip(_AROUND_VALUE)


def _is_in_block(line: str, parent: str, *, has_indicator: bool) -> bool:
    """Return True for a line of the text below the line with its key, which is plain without an indicator."""
    if not line.strip():
        return has_indicator
    is_deeper = len(line) - len(line.lstrip()) > len(parent) - len(parent.lstrip())
    return is_deeper and (has_indicator or not (_KEY.search(line) or line.lstrip().startswith(("-", "#"))))
