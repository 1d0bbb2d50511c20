"""The table of products in ``docs/versions.md`` has all rows of the program; ``--update-cases`` writes it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from renderer.kubevirt.facts.products import Product, ReleaseSpan, is_supported, products

PAGE = Path(__file__).parents[2] / "docs" / "versions.md"
_BEGIN = "<!-- The table is written by tests/docs/test_products.py -->\n"
_END = "## Of these pages\n"


def table() -> str:
    head = ["| releases | KubeVirt | Kubernetes | read in |", "|---|---|---|---|"]
    rows = (row for product in products()[1:] for row in _rows(product))
    return "\n".join([*head, *rows]) + "\n"


def _rows(product: Product) -> Iterator[str]:
    yield f"| **{product.title}** | | | |"
    for span in product.spans:
        remark = "" if is_supported(span.kubevirt) else ", not supported"
        kubernetes = span.kubernetes or ""
        yield f"| {_names(span)} | {span.kubevirt}{remark} | {kubernetes} | {span.last.source} |"


def _names(span: ReleaseSpan) -> str:
    return f"`{span.first.name}`" + ("" if span.first == span.last else f" to `{span.last.version}`")


def test_the_page_has_every_row(request: pytest.FixtureRequest) -> None:
    before, begin, rest = PAGE.read_text(encoding="utf-8").partition(_BEGIN)
    _, end, after = rest.partition(_END)
    page = f"{before}{begin}\n{table()}\n{end}{after}"
    if request.config.getoption("--update-cases"):
        PAGE.write_text(page, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page
