from __future__ import annotations

import pytest

from renderer.emit.redact import redact, redact_before


def redacted(text: str) -> str:
    return "\n".join(redact(text.split("\n")))


def test_other_documents_are_shown_whole() -> None:
    text = "kind: VirtualMachine\nspec:\n  source:\n    kind: Secret\n---\nkind: ConfigMap\ndata:\n  a: b\n"

    assert redacted(text) == text


def test_keys_and_metadata_of_secrets_are_shown_without_values() -> None:
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
def test_values_of_secrets_are_hidden_in_any_yaml_style(text: str) -> None:
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


HIDDEN = "kind: Secret\nmetadata:\n  name: db\nstringData:\n  p: hunter2\n"
OTHER = "kind: ConfigMap\nmetadata:\n  name: db\ndata:\n  shown: really\n"
MACHINE = "kind: VirtualMachine\nmetadata:\n  name: db\nspec:\n  runStrategy: Halted\n"


def redacted_before(before: str, after: str, path: str = "a/b.yaml") -> str:
    return "\n".join(redact_before(path, before.split("\n"), after.split("\n")))


@pytest.mark.parametrize(
    "edited",
    [
        HIDDEN.replace("kind: Secret\n", ""),
        HIDDEN.replace("Secret", "ConfigMap"),
        HIDDEN.replace("name: db", "name: other").replace("Secret", "Sekret"),
        "p: hunter2\n",
        "hunter2",
    ],
)
@pytest.mark.parametrize("after", [HIDDEN, f"{OTHER}---\n{HIDDEN}"])
def test_object_that_was_a_secret_before_an_edit_is_hidden(edited: str, after: str) -> None:
    assert "hunter2" not in redacted_before(edited, after)
    both = redacted_before(f"{MACHINE}---\n{edited}", f"{MACHINE}---\n{HIDDEN}")
    assert "hunter2" not in both
    assert "Halted" in both


@pytest.mark.parametrize("path", ["a/secret_db.yaml", "secret/db.yaml", "a/secret.v1_db.yaml"])
def test_secret_to_be_removed_is_hidden(path: str) -> None:
    edited = "kind: ConfigMap\np: hunter2\n"
    assert "hunter2" not in redacted_before(edited, "", path)
    assert "hunter2" in redacted_before(edited, "", "a/configmap_secret-db.yaml")


def test_values_of_objects_without_a_kind_are_hidden() -> None:
    assert "hunter2" not in redacted("data:\n  p: hunter2\n")
    assert "hunter2" not in redacted("{stringData: {p: hunter2}}")
    assert "shown" in redacted("metadata:\n  name: shown\n")


def test_documents_next_to_an_unchanged_secret_are_shown() -> None:
    before = f"{HIDDEN}---\n{MACHINE}---\n{OTHER}"
    shown = redacted_before(before, HIDDEN)
    assert "Halted" in shown
    assert "really" in shown
    assert "hunter2" not in shown


def test_cloud_init_data_is_not_shown_in_any_style() -> None:
    text = """\
kind: VirtualMachine
spec:
  volumes:
  - cloudInitNoCloud:
      networkDataBase64: aHVudGVyMg==
      userData: |
        #cloud-config

        password: hunter2
    name: init
  - cloudInitConfigDrive:
      "userData": "#cloud-config
password: hunter2"
    name: other
  - cloudInitNoCloud: {userData: hunter2}
"""
    assert (
        redacted(text)
        == """\
kind: VirtualMachine
spec:
  volumes:
  - cloudInitNoCloud:
      networkDataBase64: ***
      userData: ***
***

***
    name: init
  - cloudInitConfigDrive:
      "userData": ***
***
    name: other
  - cloudInitNoCloud: {userData: ***
"""
    )


VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: web
"""


@pytest.mark.parametrize(
    "line",
    [
        'spec: {"userData":"hunter2"}',
        "spec: {'userDataBase64':'hunter2'}",
        'spec: {"networkData" :"hunter2"}',
        "  userData: &data\n    hunter2\nother: *data",
        "spec:\n  x: &data hunter2\n  userData: *data",
        '  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: |\n      {"x": "hunter2"}',
        "  annotations:\n    kubevirt.io/ignitiondata: hunter2",
        "spec:\n  launchSecurity:\n    sev:\n      dhCert: hunter2",
        "spec:\n  launchSecurity:\n    sev:\n      session: hunter2",
    ],
)
def test_start_data_of_a_machine_is_not_shown(line: str) -> None:
    assert "hunter2" not in redacted(f"{VM}{line}\n")
    assert "name: web" in redacted(f"{VM}{line}\n")


@pytest.mark.parametrize("key", ["autounattend.xml", "Autounattend.xml", '"unattend.xml"', "Unattend.xml"])
def test_answer_files_are_not_shown(key: str) -> None:
    text = f"data:\n  {key}: |\n    <Password>\n    hunter2\n  setup.ps1: hunter2\nkind: ConfigMap\n"
    assert "hunter2" not in redacted(text)
