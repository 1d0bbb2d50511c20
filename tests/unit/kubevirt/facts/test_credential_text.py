from __future__ import annotations

import pytest

from renderer.kubevirt.facts.confidential.credential_text import without_credentials


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://user:pa55@host.example.com/a.img", "https://user:***@host.example.com/a.img"),
        ("see https://token@host/a and ftp://a:b@c/", "see https://***@host/a and ftp://a:***@c/"),
        ("https://host/a?x=1&sig=abcdef&y=2#z", "https://host/a?x=1&sig=***&y=2#z"),
        ("Authorization: Bearer abcdef", "Authorization: Bearer ***"),
        ("X-Auth-Token: abcdef", "X-Auth-Token: ***"),
        ("https://user:pa55@host/a?token=abcdef", "https://user:***@host/a?token=***"),
    ],
)
def test_only_the_credential_of_an_address_is_masked(text: str, shown: str) -> None:
    assert without_credentials(text, lambda _: "***") == shown


@pytest.mark.parametrize(
    "text",
    [
        "docker://quay.io/containerdisks/fedora@sha256:" + "a" * 64,
        "ssh://git@github.com/a/b.git",
        "https://host.example.com:8443/a?format=raw",
        "https://user:${PASSWORD}@host/a",
        "someone@example.com",
        "12345",
        "",
    ],
)
def test_other_addresses_are_shown(text: str) -> None:
    assert without_credentials(text, lambda _: "***") == text
