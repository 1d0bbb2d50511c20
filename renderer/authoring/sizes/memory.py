"""Read amounts of memory in a series, and derive one from another in exact arithmetic."""

from __future__ import annotations

import re

from renderer.model.diagnostic import DiagnosticError
from renderer.model.fields import Fields
from renderer.model.quantity import Quantity, QuantityFormat

_MAX_BYTES = (1 << 63) - 1
_MAX = Quantity.of_integer(_MAX_BYTES, QuantityFormat.BINARY_SI)
_NANO = 9  # the smallest unit of a quantity is 10 ** -9
_BYTE: int = 10**_NANO
_EXAMPLE = "write an amount such as 512Mi or 4Gi"
_COMMON_PAGE = Quantity.parse("4Ki")
_LABEL_VALUE = re.compile(r"[0-9]([0-9A-Za-z.]*[0-9A-Za-z])?")


def read_memory(fields: Fields, key: str) -> Quantity | None:
    """Return the amount of memory ``key``: positive whole bytes; otherwise add a finding."""
    memory = read_positive(fields, key)
    if memory is not None and _nanobytes(memory) % _BYTE:
        message = f"{fields.name(key)} is not a whole number of bytes: {memory.canonical}"
        fields.reject(key, message, _EXAMPLE)
        return None
    return memory


def read_positive(fields: Fields, key: str) -> Quantity | None:
    """Return the quantity ``key``, more than 0 and within Kubernetes' limits; otherwise add a finding."""
    value = fields.content.get(key)
    if value is None:
        return None
    try:
        quantity = Quantity.of(value)
    except DiagnosticError as error:
        for diagnostic in error.diagnostics:
            fields.reject(key, f"{fields.name(key)}: {diagnostic.message}", diagnostic.hint)
        return None
    if quantity.sign > 0 and quantity.compare(_MAX) < 0:
        return quantity
    fields.reject(key, f"{fields.name(key)} must be more than 0 and less than 8Ei, not {value}", _EXAMPLE)
    return None


def memory_text(fields: Fields, key: str, memory: Quantity) -> str:
    """Return ``memory`` as written in ``key`` if a label can hold that; otherwise its canonical form."""
    value = fields.content.get(key)
    return value if isinstance(value, str) and _LABEL_VALUE.fullmatch(value) else memory.canonical


def memory_of(vcpus: int, per_vcpu: Quantity) -> Quantity | None:
    """Return the memory of that many vCPUs; None if it is not a whole number of bytes, or too large."""
    whole, fraction = divmod(vcpus * _nanobytes(per_vcpu), _BYTE)
    return None if fraction or whole > _MAX_BYTES else Quantity.of_integer(whole, QuantityFormat.BINARY_SI)


def vcpus_of(memory: Quantity, per_vcpu: Quantity) -> int | None:
    """Return the vCPUs of that much memory; None if it is not a whole number."""
    whole, fraction = divmod(_nanobytes(memory), _nanobytes(per_vcpu))
    return None if fraction else whole


def is_multiple(memory: Quantity, page_size: Quantity) -> bool:
    """Return True if the memory is a whole number of pages."""
    return not _nanobytes(memory) % _nanobytes(page_size)


def is_page_size(memory: Quantity) -> bool:
    """Return True for a valid huge page size: a power of two, larger than the pages that all nodes have."""
    return (_nanobytes(memory) // _BYTE).bit_count() == 1 and memory.compare(_COMMON_PAGE) > 0


def page_size_text(memory: Quantity) -> str:
    """Return the size in the spelling of nodes, ``1Gi`` for ``1024Mi``: schedulers compare the names."""
    return Quantity.of_integer(memory.value(), QuantityFormat.BINARY_SI).canonical


def _nanobytes(quantity: Quantity) -> int:
    power: int = 10 ** (quantity.scale + _NANO)
    return quantity.digits * power
