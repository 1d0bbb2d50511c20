"""Cases of the modes ``quantity`` and ``quantitycmp``."""

from __future__ import annotations

from collections.abc import Callable

from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json, JsonObject, text_at
from renderer.model.quantity import Quantity
from tests.conformance.kubevirt.case import Case, Outputs


def quantity_outputs(case: Case) -> Outputs:
    """``json``, ``canonical``, ``value`` …, or ``error``."""
    return _outputs(case, lambda: _parsed(text_at(case.input, "quantity")))


def comparison_outputs(case: Case) -> Outputs:
    """``cmp``, or ``error``."""
    return _outputs(case, lambda: {"cmp": _compared(text_at(case.input, "a"), text_at(case.input, "b"))})


def _parsed(text: str) -> JsonObject:
    quantity = Quantity.parse(text)
    return {
        "json": quantity.json,
        "canonical": quantity.canonical,
        "value": quantity.value(),
        "milliValue": quantity.milli_value(),
        "sign": quantity.sign,
        "format": quantity.form.value,
    }


def _compared(one: str, other: str) -> int:
    return Quantity.parse(one).compare(Quantity.parse(other))


def _outputs(case: Case, compute: Callable[[], JsonObject]) -> Outputs:
    """A function for each field that is there or ought to be."""
    try:
        computed = compute()
    except DiagnosticError as error:
        computed = {"error": str(error)}
    return {name: _constant(computed.get(name)) for name in {*computed, *case.output}}


def _constant(value: Json) -> Callable[[], Json]:
    return lambda: value
