"""The errors that Kubernetes counts in a name."""

from __future__ import annotations

import pytest

from renderer.kubevirt.facts.kubernetes_names import (
    dns_label_errors,
    dns_subdomain_errors,
    is_port_name,
    label_key_errors,
    label_value_errors,
)


@pytest.mark.parametrize(
    ("name", "errors"),
    [("web", 0), ("a" * 63, 0), ("a" * 64, 1), ("A" * 64, 2), ("a.b", 1), ("a\n", 1), ("", 1)],
)
def test_labels_match_kubernetes(name: str, errors: int) -> None:
    assert len(dns_label_errors(name)) == errors


@pytest.mark.parametrize(("name", "errors"), [("a.b", 0), ("a..b", 1), ("a" * 253, 0), ("a" * 254, 1)])
def test_subdomains_match_kubernetes(name: str, errors: int) -> None:
    assert len(dns_subdomain_errors(name)) == errors


@pytest.mark.parametrize(
    ("key", "errors"),
    [("a", 0), ("x.io/a_B", 0), ("", 2), ("/a", 1), ("X/a", 1), ("a/", 2), ("a/b/c", 1), ("a" * 64, 1)],
)
def test_label_keys_match_kubernetes(key: str, errors: int) -> None:
    assert len(label_key_errors(key)) == errors


@pytest.mark.parametrize(("value", "errors"), [("", 0), ("A_b.c", 0), ("a b", 1), ("-" * 64, 2)])
def test_label_values_match_kubernetes(value: str, errors: int) -> None:
    assert len(label_value_errors(value)) == errors


@pytest.mark.parametrize(
    ("name", "is_name"), [("http", True), ("80", False), ("a--b", False), ("a-", False), ("a" * 16, False)]
)
def test_port_names_match_kubernetes(name: str, is_name: bool) -> None:  # noqa: FBT001 - what the row expects
    assert is_port_name(name) is is_name
