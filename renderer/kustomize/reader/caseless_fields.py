"""Fields whose names are matched as in Go's JSON decoder: exactly, or else ignoring case."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.model.fields import Fields
from renderer.model.kube.json import Json, scalar_text
from renderer.model.kube.location import Site
from renderer.yamlio.go_numbers import format_float

_AS_KNOWN: Mapping[str, str] = {}


class CaselessFields(Fields):
    """The fields of one mapping of a kustomization; findings name them as they are spelled in the file."""

    _written: Mapping[str, str] = _AS_KNOWN

    def only(self, *known: str) -> None:
        """Give every field its known name; report fields without one, with the nearest known name."""
        spelled = {name.lower(): name for name in known}
        content: dict[str, Json] = {}
        written: dict[str, str] = {}
        for key, value in self.content.items():
            name = key if key in known else spelled.get(key.lower())
            if name is None:
                self.unknown(key, known)
            else:
                content[name] = value
                written[name] = key
        self.content, self._written = content, written

    def site_of(self, *segments: str | int) -> Site:
        first, *rest = segments
        return super().site_of(self._written.get(str(first), first), *rest)

    def lines(self, key: str) -> tuple[str, ...]:
        """Return the list of texts ``key``; a null entry counts as an empty text."""
        return tuple(self._text(value, key, index) or "" for index, value in self._list(key))

    def text_or_empty(self, key: str) -> str:
        return self.text(key) or ""

    def pairs(self, key: str) -> Mapping[str, str]:
        """Return the mapping ``key`` from text to text; a null value counts as an empty text."""
        below = self.child(key)
        return {name: below.text(name) or "" for name in below.content}


class ConvertingFields(CaselessFields):
    """Fields in which numbers, true and false count as texts (``sigs.k8s.io/yaml``)."""

    def _text(self, value: Json, *segments: str | int) -> str | None:
        if isinstance(value, float):
            return format_float(value)
        if isinstance(value, bool | int):
            return scalar_text(value)
        return super()._text(value, *segments)


class LenientFields(ConvertingFields):
    """The same, but unknown fields are ignored, as in kustomize's plugin configurations."""

    def unknown(self, key: str, known: tuple[str, ...]) -> None:
        """Ignore the field."""
