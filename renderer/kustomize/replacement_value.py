"""The value of a replacement, and the scalars that it turns fields of other types into.

kustomize ``api/filters/replacement`` copies the text of a scalar and does not change the type of the field. A
field that the replacement creates has no type, so its text decides.
"""

from __future__ import annotations

from collections.abc import Collection

from renderer.kustomize.replacement_paths import PathError, resolve_untyped
from renderer.kustomize.scalar_nodes import ScalarNode
from renderer.kustomize.values import ABSENT, Slot
from renderer.model.kube.json import Json, scalar_text
from renderer.model.kube.resource import Spelling
from renderer.model.kustomization import FieldOptions
from renderer.model.record import Record
from renderer.model.run.taint import noted_masking, taint, taint_texts
from renderer.yamlio.scalars import CORE_RULES, Kind, NotJsonError, resolve

_KINDS = {
    bool: (Kind.BOOL,),
    int: (Kind.INT,),
    float: (Kind.FLOAT, Kind.INT),
    type(None): (Kind.NULL,),
}
_NAMES = {bool: "true or false", int: "a whole number", float: "a number", type(None): "null"}
_DELIMITER = "a delimiter is for scalars only"


class ReplacementValue(Record):
    """The value to write: ``whole`` in place of mappings and lists, ``text`` into scalars."""

    whole: Json
    text: str
    is_untyped: bool = False

    @classmethod
    def of(cls, value: Json, spelling: Spelling | None = None) -> ReplacementValue:
        if spelling is None:
            return cls(value, scalar_text(value))
        return cls(value, spelling.text, spelling.is_untyped)

    @classmethod
    def from_source_value(cls, text: str) -> ReplacementValue:
        """Return the value for ``sourceValue``, which is untyped. Raises ``PathError``."""
        return cls(resolve_untyped(text), text, is_untyped=True)

    def part(
        self, options: FieldOptions, *, is_secret: bool, credentials: Collection[str] = ()
    ) -> ReplacementValue:
        """Return the part between delimiters that the source selects. Raises ``PathError``.

        ``is_secret``: the value is confidential, and no output may repeat it. A part of a text that holds a
        confidential value is confidential as well, because it may be a copy. Of a text with ``credentials``,
        such as a URL, only these are confidential, and a part that has some of one.
        """
        if is_secret:
            taint([self.text])
            taint_texts(self.whole)
        if options.delimiter:
            taint(credentials)
        if not options.delimiter:
            return self
        if isinstance(self.whole, dict | list):
            raise PathError(_DELIMITER)
        parts = self.text.split(options.delimiter)
        if not 0 <= options.index < len(parts):
            raise PathError(f"it has no part {options.index}, only {len(parts)}")
        text = parts[options.index]
        start = len(options.delimiter.join([*parts[: options.index], ""]))
        rest = self.text
        for credential in credentials:
            rest = rest.replace(credential, "\0" * len(credential))
        if is_secret or noted_masking().is_in(rest) or "\0" in rest[start : start + len(text)]:
            taint([text])
        return ReplacementValue(text if isinstance(self.whole, str) else resolve_untyped(text), text)

    def into(self, old: Slot, spelling: Spelling | None, options: FieldOptions) -> Json | ScalarNode:
        """Return the new value of a field that holds ``old``; a node for a scalar. Raises ``PathError``."""
        if isinstance(old, dict | list) or (old is ABSENT and isinstance(self.whole, dict | list)):
            if options.delimiter:
                raise PathError(_DELIMITER)
            is_scalar = not isinstance(self.whole, dict | list)
            return ScalarNode(self.whole, self.text, self.is_untyped) if is_scalar else self.whole
        if old is ABSENT or (spelling is not None and spelling.is_untyped):
            text = self._insert("" if spelling is None else spelling.text, options)
            return ScalarNode(resolve_untyped(text), text, is_untyped=True)
        text = self._insert(scalar_text(old) if spelling is None else spelling.text, options)
        return ScalarNode(_typed_as(old, text), text)

    def _insert(self, old: str, options: FieldOptions) -> str:
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
    """Return ``text`` read as a value of the type of ``old``. Raises ``PathError``."""
    kinds = _KINDS.get(type(old))
    if kinds is None:
        return text
    try:
        resolved = resolve(text, CORE_RULES)
    except NotJsonError as error:
        raise PathError(str(error)) from None
    if resolved.kind not in kinds:
        raise PathError(f"the field requires {_NAMES[type(old)]}, and the value has another type")
    return resolved.value
