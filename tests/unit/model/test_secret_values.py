from __future__ import annotations

from base64 import b64encode

from renderer.kubevirt.facts.confidential.secret_values import secret_values
from renderer.model.kube.json import Json

ENCODED = b64encode(b"top secret\n\nand more\n").decode()


def test_values_are_listed_as_text_by_line_and_in_base64() -> None:
    secret: Json = {
        "kind": "Secret",
        "stringData": {"a": "hunter22", "b": "  one line\nshort\n", "c": 5},
        "data": {"d": ENCODED, "e": "no base64!", "f": b64encode(b"\xff\xfe\xfd\xfc").decode(), "g": None},
    }
    texts = {
        *("hunter22", b64encode(b"hunter22").decode(), "one line", "one line\nshort"),
        *(b64encode(b"  one line\nshort\n").decode(), "no base64!", "//79/A=="),
        *(ENCODED, "top secret", "and more", "top secret\n\nand more"),
    }
    assert secret_values([secret]) >= texts


def test_other_objects_have_no_secret_values() -> None:
    config_map: Json = {"kind": "ConfigMap", "data": {"a": "not a secret"}}
    assert secret_values([config_map, None, [], "text", {"kind": "Secret", "data": []}]) == frozenset()


def test_word_that_says_who_or_where_is_public_if_it_is_the_name_of_an_object() -> None:
    secret: Json = {
        "kind": "Secret",
        "metadata": {"name": "keys"},
        "stringData": {
            "environment": "production",
            "host": "postgres",
            "region": "eu-west",
            "user": "unrelated",
            "password": "orders",
            "dbname": "Orders7",
        },
        "data": {"database": b64encode(b"orders-db").decode(), "user": b64encode(b"stranger").decode()},
    }
    others: list[Json] = [
        {"kind": "Service", "metadata": {"name": "postgres", "namespace": "production"}},
        {"kind": "Pod", "metadata": {"name": "orders", "labels": {"a": "eu-west", "b": "orders-db"}}},
        {"kind": "Secret", "metadata": {"name": "unrelated"}},
        {"kind": "ConfigMap", "metadata": {"name": "Orders7"}, "data": {"user": "stranger"}},
    ]

    alone, among = secret_values([secret]), secret_values([secret, *others])

    assert {"production", "postgres", "eu-west", "orders-db"} <= alone - among
    assert {"unrelated", "orders", "Orders7", "stranger"} <= among
    assert secret_values([secret], others) == among
