"""All filters and tests that templates have. Jinja's filters behave as in its documentation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from jinja2.filters import FILTERS as JINJA_FILTERS
from jinja2.tests import TESTS as JINJA_TESTS

from renderer.authoring.templates.filters import collections, quantities, text
from renderer.authoring.templates.values import as_text

#: Jinja's filters whose work and result are not larger than their input.
_BOUNDED_JINJA_FILTERS = (
    "abs",
    "count",
    "d",
    "default",
    "dictsort",
    "first",
    "groupby",
    "last",
    "length",
    "list",
    "map",
    "max",
    "min",
    "reject",
    "rejectattr",
    "reverse",
    "select",
    "selectattr",
    "sort",
    "unique",
)
_OWN_FILTERS: Mapping[str, Callable[..., object]] = {
    "b64decode": text.b64decode,
    "b64encode": text.b64encode,
    "batch": collections.batch,
    "binary_quantity": quantities.binary_quantity,
    "bytes": quantities.quantity_bytes,
    "capitalize": text.capitalize,
    "center": text.center,
    "combine": collections.combine,
    "decimal_quantity": quantities.decimal_quantity,
    "dns_label": text.dns_label,
    "dns_subdomain": text.dns_subdomain,
    "float": text.real,
    "format": text.formatted,
    "indent": text.indent,
    "int": text.integer,
    "items": collections.pairs,
    "join": text.join,
    "label_value": text.label_value,
    "lower": text.lower,
    "millis": quantities.millis,
    "nindent": text.nindent,
    "quantity": quantities.quantity,
    "quantity_add": quantities.quantity_add,
    "quantity_divide": quantities.quantity_divide,
    "quantity_multiply": quantities.quantity_multiply,
    "quantity_subtract": quantities.quantity_subtract,
    "quote": text.quote,
    "replace": text.replace,
    "round": collections.rounded,
    "sha256": text.sha256,
    "slug": text.slug,
    "split": text.split,
    "string": as_text,
    "sum": collections.total,
    "title": text.title,
    "to_json": text.to_json,
    "to_yaml": text.to_yaml,
    "tojson": text.to_json,
    "trim": text.trim,
    "truncate": text.truncate,
    "upper": text.upper,
}

FILTERS: Mapping[str, Callable[..., object]] = {
    **{name: JINJA_FILTERS[name] for name in _BOUNDED_JINJA_FILTERS},
    **_OWN_FILTERS,
}

#: Filters that exist for undefined values.
ACCEPTS_UNDEFINED = frozenset({"d", "default"})

#: All of Jinja's tests except those about its own machinery.
TESTS: Mapping[str, Callable[..., object]] = {
    name: test
    for name, test in cast("Mapping[str, Callable[..., object]]", JINJA_TESTS).items()
    if name not in ("callable", "escaped", "filter", "sameas", "test")
}
