from __future__ import annotations

import pytest

from renderer.model.kube.encryption import is_encrypted, public_names
from renderer.model.kube.json import Json
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource

CIPHERTEXT = "ENC[AES256_GCM,data:eA==,iv:eA==,tag:eA==,type:str]"


def resource(kind: str = "Secret", name: str = "db") -> Resource:
    return Resource({"apiVersion": "v1", "kind": kind, "metadata": {"name": name}}, Site("a.yaml"))


@pytest.mark.parametrize(
    ("metadata", "expected"), [({"mac": CIPHERTEXT}, True), ({}, True), ("a note", False), (None, False)]
)
def test_encrypted_objects_have_the_metadata_of_sops(metadata: Json, *, expected: bool) -> None:
    plain = resource()
    assert not is_encrypted(plain)
    assert is_encrypted(plain.with_content({**plain.content, "sops": metadata})) is expected


def test_names_are_listed_up_to_a_limit() -> None:
    found = [resource(name=f"db-{index}") for index in range(7)]
    assert public_names(found[:2]) == "Secret db-0, Secret db-1"
    assert public_names(found) == "Secret db-0, Secret db-1, Secret db-2, Secret db-3, Secret db-4, …"


def test_encrypted_names_are_counted() -> None:
    hidden = [resource(CIPHERTEXT, "db"), resource("Secret", CIPHERTEXT)]
    assert public_names([resource(), *hidden]) == "Secret db, 2 objects with an encrypted name"
