from __future__ import annotations

import pytest

from renderer.model.credential_text.search import without_credentials


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://user:pa55@host.example.com/a.img", "https://***@host.example.com/a.img"),
        ("postgresql://0123456789abcdef0123@host/a", "postgresql://***@host/a"),
        ("see https://token@host/a and ftp://a:b@c/", "see https://***@host/a and ftp://***@c/"),
        ("https://host/a?x=1&sig=abcdef&y=2#z", "https://host/a?x=1&sig=***&y=2#z"),
        ("Authorization: Bearer abcdef", "Authorization: Bearer ***"),
        ("X-Auth-Token: abcdef", "X-Auth-Token: ***"),
        ("https://t0ken:x-oauth-basic@github.com/a.git", "https://***@github.com/a.git"),
        ("https://t0ken:@api.example.com/v1", "https://***@api.example.com/v1"),
        ("https://${USER}:pa55@host/a", "https://***@host/a"),
        ("https://admin@internal:pa55@host/api", "https://***@host/api"),
        ("https://admin@internal.example.com:@host/api", "https://***@host/api"),
        ("redis://:p@55@host:6379/0", "redis://***@host:6379/0"),
        ("amqp://a:b@h1,amqp://c:d@h2", "amqp://***@h1,amqp://***@h2"),
        ("t0ken:x-oauth-basic@github.com/a", "***@github.com/a"),
        ("https://host/x#access_token=abcdef&state=1", "https://host/x#access_token=***&state=1"),
        ("netroot=iscsi:u:pa55@10.0.0.1::3260::iqn", "netroot=iscsi:***@10.0.0.1::3260::iqn"),
        ("Authorization: abcdef", "Authorization: ***"),
        ("'authorization=a-b-c-d' x", "'authorization=***' x"),
        ("Authorization:abcdef https://host", "Authorization:***"),
        (
            'curl -H \'Authorization: Digest username="u", response="abc def"\' https://host',
            "curl -H 'Authorization: Digest ***' https://host",
        ),
        ("Authorization: Digest username='u', response='abcdef'", "Authorization: Digest ***"),
        (
            '"Authorization: AWS4-HMAC-SHA256 Credential=x, Signature=y" z',
            '"Authorization: AWS4-HMAC-SHA256 ***" z',
        ),
        ("https://user:pa55@host/a?token=abcdef", "https://***@host/a?token=***"),
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
        "git+ssh://git@github.com/a/b.git@main",
        "postgresql+psycopg2://homeassistant@pooler.example.org/homeassistant",
        "mongodb+srv://app@host.example.org/",
        "git+ssh://git@github.com:a/b.git@main",
        "https://host/users?mail=a@b.example",
        "https://host/page # key=public-word",
        "https://host/page#introduction",
        "postgresql://db:5432/app?sslmode=verify-full&sslcert=/run/secrets/postgresql/tls.crt",
        "sanboot iscsi:10.0.0.1::::iqn.2009-01:x",
        "authorization: enabled",
        "authorization: keycloak",
        "authorization:\n  mode: Webhook",
        "Access-Control-Allow-Headers: Authorization, Content-Type",
        "Authorization: ${TOKEN}",
        "Authorization: Basic {{ print .token }}",
        "Authorization: required for all users",
        "12345",
        "",
    ],
)
def test_other_addresses_are_shown(text: str) -> None:
    assert without_credentials(text, lambda _: "***") == text
