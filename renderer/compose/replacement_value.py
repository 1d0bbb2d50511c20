"""The value of a replacement, and what becomes of it in a field of another type."""

from __future__ import annotations

from renderer.compose.replacement_paths import PathError, untagged
from renderer.compose.values import ABSENT, Slot
from renderer.model.json import Json, scalar_text
from renderer.model.kustomization import FieldOptions
from renderer.model.record import Record
from renderer.yamlio.scalars import CORE_RULES, Kind, NotJsonError, resolve

_KINDS = {
    bool: (Kind.BOOL,),
    int: (Kind.INT,),
    float: (Kind.FLOAT, Kind.INT),
    type(None): (Kind.NULL,),
}
_NAMES = {bool: "true or false", int: "a whole number", float: "a number", type(None): "null"}


class ReplacementValue(Record):
    """What is written: ``whole`` in place of mappings and lists, ``text`` into single values."""

    whole: Json
    text: str

    @classmethod
    def of(cls, value: Json) -> ReplacementValue:
        return cls(value, scalar_text(value))

    @classmethod
    def given(cls, text: str) -> ReplacementValue:
        """A value that the replacement itself gives; it has no type of its own."""
        return cls(untagged(text), text)

    def part(self, options: FieldOptions) -> ReplacementValue:
        """The part between delimiters that the source asks for. Raises ``PathError``."""
        if not options.delimiter:
            return self
        if isinstance(self.whole, dict | list):
            raise PathError("a delimiter is for single values only")
        parts = self.text.split(options.delimiter)
        if not 0 <= options.index < len(parts):
            raise PathError(f"there is no part {options.index} in it, only {len(parts)}")
        text = parts[options.index]
        return ReplacementValue(text if isinstance(self.whole, str) else untagged(text), text)

    def into(self, old: Slot, options: FieldOptions) -> Json:
        """What comes to stand in a field that holds ``old``, which keeps its type. Raises ``PathError``."""
        if isinstance(old, dict | list):
            if options.delimiter:
                raise PathError("a delimiter is for single values only")
            return self.whole
        if old is ABSENT and isinstance(self.whole, dict | list):
            if options.delimiter:
                raise PathError("a delimiter is for single values only")
            return self.whole
        text = self._inserted("" if old is ABSENT else scalar_text(old), options)
        return untagged(text) if old is ABSENT else _typed_as(old, text)

    def _inserted(self, old: str, options: FieldOptions) -> str:
        if not options.delimiter:
            return self.text
        if options.index < 0:
            return f"{self.text}{options.delimiter}{old}"
        if options.index > old.count(options.delimiter):
            return f"{old}{options.delimiter}{self.text}"
        parts = old.split(options.delimiter, options.index + 1)
        parts[options.index] = self.text
        return options.delimiter.join(parts)


def _typed_as(old: Json, text: str) -> Json:
    """``text`` read as a value of the type of ``old``."""
    kinds = _KINDS.get(type(old))
    if kinds is None:
        return text
    try:
        resolved = resolve(text, CORE_RULES)
    except NotJsonError as error:
        raise PathError(str(error)) from None
    if resolved.kind not in kinds:
        raise PathError(f"the field holds {_NAMES[type(old)]}, which the value is not")
    return resolved.value
