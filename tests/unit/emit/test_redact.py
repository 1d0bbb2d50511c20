from __future__ import annotations

import pytest

from renderer.emit.redact import redact


def redacted(text: str) -> str:
    return "\n".join(redact(text.split("\n")))


def test_other_documents_are_shown_whole() -> None:
    text = "kind: VirtualMachine\nspec:\n  source:\n    kind: Secret\n---\nkind: ConfigMap\ndata:\n  a: b\n"

    assert redacted(text) == text


def test_values_of_secrets_are_not_shown_their_keys_and_metadata_are() -> None:
    text = """\
apiVersion: v1
data:
  password: aHVudGVyMg==
  key.pem: |
    LINE ONE
    secret: line two
kind: Secret
metadata:
  name: db
  labels:
    app: db
stringData:
  user: admin
type: Opaque
---
kind: ConfigMap
data:
  a: b
"""
    assert (
        redacted(text)
        == """\
apiVersion: v1
data:
  password: ***
  key.pem: ***
***
    secret: ***
kind: Secret
metadata:
  name: db
  labels:
    app: db
stringData:
  user: ***
type: Opaque
---
kind: ConfigMap
data:
  a: b
"""
    )


@pytest.mark.parametrize(
    "text",
    [
        '{"kind":"Secret","data":{"p":"hunter2"}}',
        '{"data":{"p":"hunter2"},\n"kind" : "Secret"}',
        'data: {p: hunter2}\nkind: "Secret"\nmetadata: {}',
        "kind: 'Secret'\nstringData: {\np: hunter2}",
        "kind: List\nitems:\n- kind: Secret\n  data:\n    p: hunter2",
        "kind: SecretList\nitems:\n- kind: Secret\n  data:\n    p: hunter2",
        "- kind: Secret\n  data:\n    p: hunter2",
        "--- # x\nkind: Secret\n? data\n: p: hunter2",
        "kind: ConfigMap\n---\nkind: Secret\ndata:\n  p: hunter2\n",
        "kind: Secret\r\ndata:\r\n  p: hunter2\r\n",
        "kind: Secret # ConfigMap\ndata:\n  hunter2",
    ],
)
def test_whatever_the_style(text: str) -> None:
    assert "hunter2" not in redacted(text)
    assert redacted(text).count("\n") == text.count("\n")


def test_the_copy_of_a_secret_in_its_annotations_is_not_shown_either() -> None:
    text = """\
kind: Secret
metadata:
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"stringData": {"a": "canary"}}
    note: kept
  name: foo
"""
    shown = "\n".join(redact(text.splitlines()))
    assert "canary" not in shown
    assert "    kubectl.kubernetes.io/last-applied-configuration: ***" in shown
    assert "    note: kept" in shown
