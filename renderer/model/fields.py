"""Typed reading of a configuration document; errors are collected with their places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Self, TypeVar

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Related
from renderer.model.field_edit import Edit, RemoveField, RenameField, SetField
from renderer.model.fix import Fix
from renderer.model.kube.json import EMPTY, Json, JsonObject, scalar_text
from renderer.model.kube.location import Site
from renderer.model.suggest import did_you_mean, suggest
from renderer.model.text_enum import TextEnum

E = TypeVar("E", bound=TextEnum)
#: Of a number that a hint writes without its quotes.
_MOST_DIGITS = 19


class Fields:
    """The fields of one mapping. A reader returns None for a missing or wrong value, and reports a wrong one.

    ``findings`` receives every diagnostic, with ``code``, of this mapping and of all mappings below it.
    """

    def __init__(
        self, content: Json, site: Site, findings: list[Diagnostic], code: Code = Code.CONFIG_INVALID
    ) -> None:
        self.site = site
        self._findings = findings
        self._code = code
        self.content: JsonObject = content if isinstance(content, dict) else EMPTY
        if not isinstance(content, dict):
            self._note(
                site, f"{self.name() or 'the document'} must be a mapping, not {describe_value(content)}"
            )

    def only(self, *known: str) -> None:
        """Report every field that is not one of ``known``, with the nearest known one."""
        for key in self.content:
            if key not in known:
                self.unknown(key, known)

    def unknown(self, key: str, known: tuple[str, ...]) -> None:
        """Report a field that is not one of ``known``, with the nearest one."""
        self.misnamed(key, f"unknown field {self.name(key)}", known)

    def misnamed(
        self,
        key: str,
        message: str,
        known: tuple[str, ...],
        noun: str = "known fields",
        cutoff: float = 0.6,
    ) -> None:
        """Report a key whose right name is probably the nearest one of ``known``."""
        nearest = next(iter(suggest(key, known, most=1, cutoff=cutoff)), None)
        hint = f"did you mean {nearest}?" if nearest else f"{noun}: {', '.join(known)}"
        is_free = nearest is not None and nearest not in self.content
        fix = RenameField(self.site_of(key).field, str(nearest)) if is_free else None
        self.reject_key(key, message, hint, fix)

    def text(self, key: str) -> str | None:
        return self._text(self.content.get(key), key)

    def integer(self, key: str) -> int | None:
        value = self.content.get(key)
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        is_quoted = (
            isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= _MOST_DIGITS
        )
        self.reject(
            key,
            f"{self.name(key)} must be a whole number, not {describe_value(value)}",
            "write it without quotes" if is_quoted else None,
            fix=SetField(self.site_of(key).field, int(str(value))) if is_quoted else None,
        )
        return None

    def flag(self, key: str) -> bool | None:
        value = self.content.get(key)
        if value is None or isinstance(value, bool):
            return value
        self.reject(key, f"{self.name(key)} must be true or false, not {describe_value(value)}")
        return None

    def choice(self, key: str, choices: type[E]) -> E | None:
        # YAML 1.1 reads a bare off as false; the design's own example needs quotes, which are easy to forget.
        value = "off" if self.content.get(key) is False and "off" in set(choices) else self.text(key)
        return None if value is None else self._choice(value, choices, key)

    def choices(self, key: str, choices: type[E]) -> tuple[E, ...]:
        """Return the members of ``choices`` in the list ``key``."""
        texts = [(index, self._text(value, key, index)) for index, value in self._list(key)]
        found = [self._choice(text, choices, key, index) for index, text in texts if text is not None]
        return tuple(choice for choice in found if choice is not None)

    def list_of_texts(self, key: str) -> tuple[str, ...]:
        """Return the texts in the list ``key``; other values are reported."""
        texts = (self._text(value, key, index) for index, value in self._list(key))
        return tuple(text for text in texts if text is not None)

    def texts(self) -> Mapping[str, str]:
        """Return the whole mapping, from text to text as in labels."""
        return {key: text for key in self.content if (text := self.text(key)) is not None}

    def child(self, key: str) -> Self:
        """Return the mapping ``key``; an empty one if it is absent."""
        value = self.content.get(key)
        return self._below(EMPTY if value is None else value, key)

    def elements(self, key: str, bare: str = "") -> Iterator[Self]:
        """Return the mappings in the list ``key``; other values are reported.

        ``bare`` is the field that was probably intended if there is a text of one line instead of a mapping.
        """
        for index, element in self._list(key):
            if bare and isinstance(element, str) and "\n" not in element:
                message = f"{self.name(key, index)} must be a mapping, not {describe_value(element)}"
                site = self.site_of(key, index)
                fix = SetField(site.field, {bare: element})
                self._note(site, message, f"did you mean {bare}: {element}?", fix=fix)
                continue
            below = self._below(element, key, index)
            if isinstance(element, dict):
                yield below

    def __contains__(self, key: str) -> bool:
        return self.content.get(key) is not None

    def reject(
        self,
        key: str | None,
        message: str,
        hint: str | None = None,
        related: tuple[Related, ...] = (),
        fix: Edit | None = None,
    ) -> None:
        """Add a finding about ``key``, or about the mapping itself."""
        self._note(self.site_of(key) if key is not None else self.site, message, hint, related, fix)

    def reject_key(self, key: str, message: str, hint: str | None = None, fix: Edit | None = None) -> None:
        """Report that ``key`` is not allowed there, regardless of its value."""
        self.reject(key, message, hint, fix=fix)
        self._findings[-1] = self._findings[-1]._replace(about_key=True)

    def removal_of(self, key: str) -> RemoveField:
        """Return the edit that removes ``key``, for a finding that asks for that."""
        return RemoveField(self.site_of(key).field)

    def name(self, *segments: str | int) -> str:
        """Return the name of the field for messages: its path in the document."""
        return str(self.site.field.child(*segments))

    def site_of(self, *segments: str | int) -> Site:
        return Site(self.site.path, self.site.document, self.site.field.child(*segments))

    def _text(self, value: Json, *segments: str | int) -> str | None:
        if value is None or isinstance(value, str):
            return value
        hint = "write it in quotes" if isinstance(value, int | float) else None
        if isinstance(value, float):
            hint = 'write it in quotes: without them, "1.10" is read as the number 1.1'
        site, fix = self.site_of(*segments), None
        if isinstance(value, int):
            text = scalar_text(value)
            fix = Fix.in_document(site, SetField(site.field, text), old=text)
        message = f"{self.name(*segments)} must be text, not {describe_value(value)}"
        self._note(site, message, hint, fix=fix)
        return None

    def _choice(self, value: str, choices: type[E], *segments: str | int) -> E | None:
        if value in set(choices):
            return choices(value)
        message = f"{self.name(*segments)} cannot be {value!r}"
        self._note(self.site_of(*segments), message, f"one of {', '.join(choices)}")
        return None

    def _list(self, key: str) -> Iterator[tuple[int, Json]]:
        value = self.content.get(key)
        if value is not None and not isinstance(value, list):
            self.reject(key, f"{self.name(key)} must be a list, not {describe_value(value)}")
        return enumerate(value if isinstance(value, list) else ())

    def _below(self, content: Json, *segments: str | int) -> Self:
        return type(self)(content, self.site_of(*segments), self._findings, self._code)

    def _note(
        self,
        site: Site,
        message: str,
        hint: str | None = None,
        related: tuple[Related, ...] = (),
        fix: Fix | Edit | None = None,
    ) -> None:
        self._findings.append(
            Diagnostic.at(site, self._code, message, hint, field=site.field, related=related, fix=fix)
        )


def nearest_hint(word: str, known: tuple[str, ...]) -> str:
    """Return a hint with the nearest known word, or with all known words."""
    return did_you_mean(word, known, most=1) or f"known fields: {', '.join(known)}"


def describe_value(value: Json) -> str:
    """Return a description of ``value`` for messages."""
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return str(value).lower() if isinstance(value, bool) else f"{value!r}"
