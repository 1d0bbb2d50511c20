"""Any text as a target release is read, or refused with a message."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from renderer.kubevirt.facts.products import product_release, products, target_release
from renderer.kubevirt.instancetype.cluster_kubevirt import default_kubevirt

_PRODUCTS = st.sampled_from([each.name for each in products()])
_VERSIONS = st.one_of(
    st.sampled_from(["main", "master", "", "v", "1", "latest"]),
    st.from_regex(r"v?[0-9]{1,3}(\.[0-9]{1,3}){0,3}", fullmatch=True),
    st.text(max_size=8),
)
_NAMES = st.builds("{}-{}".format, _PRODUCTS | st.text(max_size=12), _VERSIONS) | st.text(max_size=20)


def refusal_of(text: str) -> str:
    """Return why a text is no target release; empty if it is one."""
    try:
        target_release(text)
    except ValueError as error:
        return str(error)
    return ""


def is_known(name: str) -> bool:
    """Return True if the table has the release, or a patch release of the minor."""
    return any(product.release(name.removeprefix(f"{product.name}-")) for product in products())


@given(text=_NAMES)
def test_text_is_a_release_or_is_refused(text: str) -> None:
    if refusal_of(text):
        return
    release = target_release(text)
    assert target_release(release.as_target) == release
    assert (product_release(release) is None) is (not release.product)
    default_kubevirt(release)


@given(name=_PRODUCTS, version=_VERSIONS)
def test_release_that_a_refusal_proposes_is_known(name: str, version: str) -> None:
    _, is_proposed, proposed = refusal_of(f"{name}-{version}").rpartition("did you mean ")

    assert not is_proposed or all(map(is_known, proposed.removesuffix("?").split(" or ")))
