"""The table of products and the HyperConverged operator's releases agree about KubeVirt."""

from __future__ import annotations

import pytest

from renderer.kubevirt.facts.products import Configuration, ProductRelease, products, target_release
from renderer.kubevirt.hyperconverged.release import KNOWN_RELEASES, OperatorRelease

_ROWS = {
    each.name: each
    for product in products()
    if product.configuration is Configuration.HYPERCONVERGED
    for each in product.releases
}


@pytest.mark.parametrize("row", _ROWS.values(), ids=_ROWS)
def test_product_names_the_operator_that_brings_its_kubevirt(row: ProductRelease) -> None:
    operator = OperatorRelease.deploying(target_release(row.name))

    assert operator == OperatorRelease.parse(row.hyperconverged)
    assert operator.kubevirt.minor_release == row.kubevirt.minor_release


def test_branches_of_the_operator_have_the_kubevirt_of_their_openshift() -> None:
    rows = [each for each in _ROWS.values() if each.product == "openshift-virtualization"]

    assert [OperatorRelease.parse(each.hyperconverged).kubevirt for each in rows] == [
        each.kubevirt for each in rows
    ]
    assert len(rows) == len(KNOWN_RELEASES) - 1  # the branch main has no OpenShift


def test_release_without_a_product_is_the_operators_that_deploys_it() -> None:
    assert OperatorRelease.deploying(target_release("1.6")) == OperatorRelease(1, 16)
