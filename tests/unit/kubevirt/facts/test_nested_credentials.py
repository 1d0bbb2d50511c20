"""The credentials in the YAML or JSON of a Secret and of start data, as a reader of the tree gets them."""

from __future__ import annotations

import json
from base64 import b64encode

import pytest

from renderer.kubevirt.facts.confidential.nested_credentials import nested_credential_readings
from renderer.kubevirt.facts.confidential.secret_values import secret_values
from renderer.model.run.work import begin_run, spent

WORD = "Correct-h0rse"
TREES = {
    "assignment in double quotes": f'write_files:\n- content: "a=b\\npassword={WORD}\\n"\n',
    "assignment in single quotes": f"- 'DB_PASSWORD={WORD}'\n- other\n",
    "assignment in JSON": json.dumps({"env": ["A=b", f"DB_PASSWORD={WORD}"]}),
    "variable": f"env:\n- name: DB_PASSWORD\n  value: {WORD}\n",
    "variable in JSON": json.dumps([{"value": WORD, "name": "TOKEN"}]),
    "list": f"tokens:\n- {WORD}\n- another\n",
    "folded": f"#cloud-config\npassword: >-\n  {WORD}\n",
    "block": f"#cloud-config\npassword: |\n  {WORD}\n",
    "escaped": '{"password": "Correct-\\u00680rse"}',
    "argument of its own": f'runcmd:\n- [enroll, --token, "{WORD}"]\n',
    "file of one word": f"write_files:\n- {{path: /etc/token, content: {WORD}}}\n",
    "base64 in YAML": f"write_files:\n- content: {b64encode(f'password={WORD}'.encode()).decode()}\n",
    "YAML in base64": b64encode(f"env: [{{name: TOKEN, value: {WORD}}}]".encode()).decode(),
    "JSON in YAML": f"config: |\n  {json.dumps({'tokens': [WORD]})}\n",
}


@pytest.mark.parametrize("text", TREES.values(), ids=TREES)
def test_credential_in_a_tree_is_found(text: str) -> None:
    assert WORD in set(nested_credential_readings(text))
    assert WORD in secret_values([{"kind": "VirtualMachine", "userData": text}])
    assert WORD in secret_values([{"kind": "Secret", "stringData": {"config": text}}])


@pytest.mark.parametrize(
    "text",
    [
        "#cloud-config\nhostname: factory-01\npackages: [nginx-full, PostgreSQL]\n",
        "chpasswd:\n  users:\n  - {name: Fedora-Admin, type: RANDOM}\n",
        "write_files:\n- path: /etc/motd\n  content: Welcome to Factory-01\n",
        "env:\n- name: REGION\n  value: Frankfurt-1\n",
        "just a sentence: with a colon",
        "a: [",
    ],
)
def test_what_a_tree_says_about_hosts_and_packages_is_public(text: str) -> None:
    assert not set(nested_credential_readings(text))


def test_work_is_counted() -> None:
    begin_run()
    list(nested_credential_readings(json.dumps([{"a": "b"}] * 1000)))
    assert spent() > 2000
