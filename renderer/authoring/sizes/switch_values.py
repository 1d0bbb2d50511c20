"""The values that a switch of ``customize`` accepts, and how each is written into a spec."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from renderer.authoring.sizes.memory import is_page_size, page_size_text
from renderer.authoring.sizes.names import NAME_RULE, is_object_name
from renderer.kubevirt.facts.kubernetes_names import label_key_errors, label_value_errors
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json, array_at, text_at
from renderer.model.misspelt_quantity import quantity_hint
from renderer.model.quantity import INT64_MAX, Quantity, QuantityFormat

UINT32_MAX = (1 << 32) - 1

_SMALLEST = Quantity.parse("1Mi")
_SMALLEST_PAGE = Quantity.parse("8Ki")
_LARGEST = Quantity.of_integer(INT64_MAX, QuantityFormat.BINARY_SI)


class SwitchError(Exception):
    """An invalid use of a switch; the message follows its name."""


class Value(ABC):
    """The values of one switch. ``metavar`` is empty for a switch without a value."""

    __slots__ = ()
    metavar: str
    repeats: ClassVar[bool] = False

    @abstractmethod
    def read(self, texts: Sequence[str], present: Json) -> Json:
        """Return the new value of a field whose current value is ``present``. Raises ``SwitchError``."""


@dataclass(frozen=True, slots=True)
class Constant(Value):
    """A switch without a value."""

    value: Json = True
    metavar: str = ""

    def read(self, texts: Sequence[str], present: Json) -> Json:
        """Return the value; a mapping keeps the other keys of the field."""
        del texts
        if isinstance(self.value, Mapping) and isinstance(present, Mapping):
            return {**present, **self.value}
        return self.value


@dataclass(frozen=True, slots=True)
class Text(Value):
    """Any text; the schema checks the values that KubeVirt knows at the target release."""

    metavar: str

    def read(self, texts: Sequence[str], present: Json) -> Json:
        del present
        if not texts[-1]:
            raise SwitchError("must not be empty")
        return texts[-1]


@dataclass(frozen=True, slots=True)
class Name(Value):
    """The name of an object, or a domain: KubeVirt or Kubernetes rejects a VM with any other text."""

    metavar: str = "NAME"

    def read(self, texts: Sequence[str], present: Json) -> Json:
        del present
        if not is_object_name(texts[-1]):
            raise SwitchError(f"must be a name, which has {NAME_RULE}, not {texts[-1]!r}")
        return texts[-1]


@dataclass(frozen=True, slots=True)
class Count(Value):
    """A whole number in a range."""

    minimum: int = 1
    maximum: int = UINT32_MAX
    metavar: str = "N"

    def read(self, texts: Sequence[str], present: Json) -> Json:
        del present
        text = texts[-1]
        if not re.fullmatch(r"-?[0-9]{1,20}", text):
            raise SwitchError(f"must be a whole number, not {text!r}")
        if not self.minimum <= int(text) <= self.maximum:
            raise SwitchError(f"must be from {self.minimum} to {self.maximum}, not {text}")
        return int(text)


@dataclass(frozen=True, slots=True)
class Memory(Value):
    """An amount of memory: a quantity of whole bytes, large enough that its unit was not forgotten."""

    metavar: str = "QUANTITY"
    minimum: Quantity = _SMALLEST

    def read(self, texts: Sequence[str], present: Json) -> Json:
        del present
        text = texts[-1]
        try:
            quantity = Quantity.parse(text)
        except DiagnosticError:
            hint = quantity_hint(text)
            message = f"must be an amount of memory such as 4Gi, not {text!r}"
            raise SwitchError(f"{message}; {hint}" if hint else message) from None
        if quantity.compare(self.minimum) < 0 or quantity.compare(_LARGEST) >= 0:
            hint = f"; did you mean {text}Mi?" if text.isdecimal() and quantity.sign > 0 else ""
            raise SwitchError(f"must be from {self.minimum.canonical} to less than 8Ei, not {text}{hint}")
        if quantity.compare(Quantity.of_integer(quantity.value(), quantity.form)):
            raise SwitchError(f"must be a whole number of bytes, not {text}")
        return text


@dataclass(frozen=True, slots=True)
class PageSize(Value):
    """The size of huge pages, in the spelling of nodes."""

    metavar: str = "SIZE"

    def read(self, texts: Sequence[str], present: Json) -> Json:
        text = texts[-1]
        Memory(minimum=_SMALLEST_PAGE).read(texts, present)
        page_size = Quantity.parse(text)
        return page_size_text(page_size) if is_page_size(page_size) else text


@dataclass(frozen=True, slots=True)
class Devices(Value):
    """Devices of the host: ``name=gpu1,deviceName=nvidia.com/A100``, or with colons, as in virtctl."""

    metavar: str = "name=NAME,deviceName=NAME"
    repeats: ClassVar[bool] = True

    def read(self, texts: Sequence[str], present: Json) -> Json:
        """Return ``present`` with the devices in ``texts``, which replace devices of the same name."""
        devices = {text_at(device, "name"): device for device in array_at(present)}
        for text in texts:
            device = _device(text)
            devices[device["name"]] = device
        return list(devices.values())


@dataclass(frozen=True, slots=True)
class Pairs(Value):
    """Labels, or annotations, whose values may be any text."""

    are_labels: bool
    metavar: str = "KEY=VALUE"
    repeats: ClassVar[bool] = True

    def read(self, texts: Sequence[str], present: Json) -> Json:
        pairs: dict[str, Json] = dict(present) if isinstance(present, Mapping) else {}
        for text in texts:
            key, equals, value = text.partition("=")
            if not equals or label_key_errors(key) or (self.are_labels and label_value_errors(value)):
                what = "a label" if self.are_labels else "an annotation"
                raise SwitchError(f"must be {self.metavar} that can be {what}, not {text!r}")
            pairs[key] = value
        return pairs


def _device(text: str) -> dict[str, str]:
    names = {"name": "name", "devicename": "deviceName"}
    parts = [re.split(r"[=:]", part, maxsplit=1) for part in text.split(",")]
    found = {names.get(part[0].lower(), ""): part[-1] for part in parts if len(part) > 1 and part[1]}
    if found.keys() != set(names.values()) or len(parts) != len(names):
        raise SwitchError(f"must be name=NAME,deviceName=NAME, not {text!r}")
    return found
