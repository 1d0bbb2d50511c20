"""A name whose value is a credential is one for every owner of the fact, wherever the name is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from renderer.findings.public_lines import public_lines
from renderer.kubevirt.facts.confidential.parts import parts_of
from renderer.kubevirt.facts.confidential.scope import root_scope
from renderer.kubevirt.guest_data.credential_fields import holds_credential
from renderer.model.credential_text.commands import credential_arguments
from renderer.model.kube.json import Json
from renderer.model.run.readings import readings

CANARY = "canary-is-a-bird"
#: Where more names count.
WITH_MORE = "a line of a Secret"
WITH_REFERENCES = "a value below a field, in outputs"
NAMES = (
    *("MINIO_SECRET", "SECRET_KEY_BASE", "WIFI_PSK", "JWT", "AZURE_STORAGE_KEY", "SIGNING_KEY", "PASSWORD_1"),
    *("LICENSE_KEY", "ADMIN_PASSWORD_HASH", "secretAccessKey", "apiKey", "secretKey", "sessionSecret"),
    *("DBPASS", "adminpw", "db_pw", "pwd", "kennwort", "mot_de_passe", "authToken", "jdbc.password"),
)
OTHER_NAMES = (
    *("PWD", "bypass", "COMPASS", "existingSecret", "pullSecret", "secretName", "maxTokens", "TOKEN_FILE"),
    *("tokenizer", "publicKey", "no_password", "encompass", "external-secrets", "sealed-secrets"),
)


def is_withheld(tree: Json) -> bool:
    return any(CANARY in str(part.value) for part in parts_of(tree, root_scope()))


def env(name: str) -> Json:
    return {"kind": "Thing", "spec": {"env": [{"name": name, "value": CANARY}]}}


OWNERS: Mapping[str, Callable[[str], bool]] = {
    "a field, in outputs": lambda name: is_withheld({"kind": "Thing", "spec": {name: CANARY}}),
    "a list, in outputs": lambda name: is_withheld({"kind": "Thing", "spec": {name: [CANARY]}}),
    WITH_REFERENCES: lambda name: is_withheld(
        {"kind": "HelmRelease", "spec": {"values": {name: {"create": True, "value": CANARY}}}}
    ),
    "a value of a chart, in outputs": lambda name: is_withheld(
        {"kind": "HelmRelease", "spec": {"values": {"a": {name: CANARY}}}}
    ),
    "a variable, in outputs": lambda name: is_withheld(env(name)),
    "a field, in imports": lambda name: holds_credential({"kind": "Thing", "spec": {name: CANARY}}),
    "a variable, in imports": lambda name: holds_credential(env(name)),
    "an option": lambda name: bool(credential_arguments([f"--{name}", CANARY])),
    "a line of a file": lambda name: not public_lines(f"a:\n  {name}: {CANARY}\n".encode(), {2}),
    WITH_MORE: lambda name: CANARY in set(readings(f"a: b\n{name} = {CANARY}\n")),
}


@pytest.mark.parametrize("owner", OWNERS)
def test_name_of_a_credential_is_one_for_every_owner(owner: str) -> None:
    assert [name for name in NAMES if not OWNERS[owner](name)] == []
    if owner not in (WITH_MORE, WITH_REFERENCES):
        assert [name for name in OTHER_NAMES if OWNERS[owner](name)] == []


def test_switch_with_such_a_name_is_shown() -> None:
    switches = {"SESSION_SECURE_COOKIE": "true", "IGNORE_MISSING_SECRETS": "false"}
    env = [{"name": name, "value": value} for name, value in switches.items()]
    trees: Sequence[Json] = (
        {"kind": "Thing", "spec": {**switches, "env": env}},
        {"kind": "HelmRelease", "spec": {"values": {"env": switches, "extraEnv": env}}},
    )
    for tree in trees:
        assert [*parts_of(tree, root_scope())] == []
