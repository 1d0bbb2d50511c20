"""What Flux decrypts before it builds, so that a tree built from the ciphertext would not be the same."""

from __future__ import annotations

from base64 import b64encode

import pytest

from renderer.files.file_system import MemoryFileSystem
from renderer.gitops.flux.decrypted_sources import objects_of_decrypted_sources
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource

#: The forms in which ``sops encrypt`` writes a file.
ENCRYPTED_FILES = {
    "YAML": b"password: ENC[AES256_GCM,data:eA==]\nsops:\n    mac: ENC[AES256_GCM,data:eA==]\n",
    "JSON": b'{"data": "ENC[AES256_GCM,data:eA==]", "sops": {"mac": "ENC[AES256_GCM,data:eA==]"}}',
    "dotenv": b"PASSWORD=ENC[AES256_GCM,data:eA==]\nsops_mac=ENC[AES256_GCM,data:eA==]\n",
    "INI": b"[db]\npassword = ENC[AES256_GCM,data:eA==]\n[sops]\nmac = ENC[AES256_GCM,data:eA==]\n",
}
KUSTOMIZATION: JsonObject = {"kind": "Kustomization", "spec": {"decryption": {"provider": "sops"}}}
PATCH = "sops: {mac: 1}\nstringData: {b: ENC[AES256_GCM]}\n# mac: ENC["


def secret(**fields: Json) -> Resource:
    metadata: JsonObject = {"name": "seed"}
    return Resource(
        {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, **fields}, Site("secret.yaml")
    )


def messages(resource: Resource, entry: JsonObject = KUSTOMIZATION) -> list[str]:
    fs = MemoryFileSystem({"patch.yaml": PATCH.encode(), "plain.yaml": b"stringData: {b: c}\n"})
    found = objects_of_decrypted_sources([resource], Resource(entry, Site("apps.yaml")), fs)
    return [each.message for each in found]


def wrapped(content: bytes) -> str:
    """Base64 in lines, as kustomize writes it."""
    text = b64encode(content).decode()
    return "".join(f"{text[start : start + 70]}\n" for start in range(0, len(text), 70))


@pytest.mark.parametrize("form", ENCRYPTED_FILES)
def test_hash_of_an_encrypted_file_is_not_that_of_the_decrypted_file(form: str) -> None:
    generated = secret(data={"userdata": wrapped(ENCRYPTED_FILES[form])})._replace(needs_hash=True)
    [message] = messages(generated)
    assert message.startswith("the name of Secret seed ends with a hash")
    assert messages(generated._replace(needs_hash=False)) == []


def test_lines_of_an_encrypted_env_file_are_never_decrypted() -> None:
    generated = secret(data={"PASSWORD": "RU5D", "sops_mac": "RU5D"})
    [message] = messages(generated)
    assert message.startswith("Secret seed is generated from an encrypted env file")


def test_encrypted_patch_makes_an_object_that_is_encrypted_in_part() -> None:
    patched = secret(stringData={"a": "b", "b": "ENC[AES256_GCM]"}, sops={"mac": "1"})
    [message] = messages(patched._replace(layers=(Site("patch.yaml"),)))
    assert message.startswith("Secret seed is changed by an encrypted patch")
    assert messages(patched._replace(layers=(Site("plain.yaml"), Site("gone.yaml")))) == []


@pytest.mark.parametrize("value", ["", "not base64!", "aGVsbG8=", 8, None, {"a": "b"}])
def test_other_data_is_carried(value: Json) -> None:
    assert messages(secret(data={"key": value})._replace(needs_hash=True)) == []


def test_without_decryption_flux_builds_from_the_ciphertext_too() -> None:
    generated = secret(data={"a": wrapped(ENCRYPTED_FILES["YAML"]), "sops_mac": "RU5D"})
    assert messages(generated._replace(needs_hash=True), {"kind": "Kustomization", "spec": {}}) == []
