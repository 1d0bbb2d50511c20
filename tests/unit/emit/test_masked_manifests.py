from __future__ import annotations

from pathlib import Path

import pytest

from renderer.emit.masked_manifests import ManifestMasking, without_marks
from renderer.model.masking import Masking

CASES = Path(__file__).parents[2] / "cases"


def both(before: str, after: str, path: str = "a/b.yaml", *values: str) -> tuple[str, str]:
    found = ManifestMasking(Masking(values)).masked_file(path, before.encode(), after.encode())
    assert found.before is not None
    assert found.after is not None
    return without_marks(found.before), without_marks(found.after)


def shown(text: str, *values: str) -> str:
    """Return a file of a rendered tree that vmrender did not write as it is."""
    return both(text, "", "a/b.yaml", *values)[0]


def test_public_documents_are_shown_whole() -> None:
    text = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: web
spec:
  source:
    kind: Secret
    name: keys
---
data:
  a: b
kind: ConfigMap
"""
    assert both(text, text) == (text, text)


def test_files_without_secrets_are_written_as_they_are() -> None:
    files = sorted(CASES.glob("render/*/expected/rendered/**/virtualmachine*.yaml"))
    assert len(files) > 20
    for file in files:
        text = file.read_text()
        if "cloudInit" not in text:
            assert both(text, text) == (text, text), file


def test_start_data_with_a_known_value_shows_nothing_around_it() -> None:
    before, after = both(
        "cloudInitNoCloud:\n  userData: |\n    password: correct-horse\n    licence: old\n",
        "cloudInitNoCloud:\n  userData: |\n    password: correct-horse\n    licence: new\n",
        "a/b.yaml",
        "correct-horse",
    )
    assert before == after == "cloudInitNoCloud:\n  userData: ***\n"


def test_keys_and_metadata_of_secrets_are_shown_without_values() -> None:
    text = """\
apiVersion: v1
data:
  key.pem: |
    LINE ONE
    secret: line two
  password: aHVudGVyMg==
kind: Secret
metadata:
  labels:
    app: db
  name: db
stringData:
  user: admin
type: Opaque
"""
    assert (
        shown(text)
        == """\
apiVersion: v1
data:
  key.pem: ***
  password: ***
kind: Secret
metadata:
  labels:
    app: db
  name: db
stringData:
  user: ***
type: Opaque
"""
    )


@pytest.mark.parametrize(
    "text",
    [
        '{"kind":"Secret","data":{"p":"hunter2"}}',
        '{"data":{"p":"hunter2"},\n"kind" : "Secret"}',
        'data: {p: hunter2}\nkind: "S\\u0065cret"\nmetadata: {}',
        "kind: 'Secret'\nstringData: {\np: hunter2}",
        "kind: List\nitems:\n- kind: Secret\n  data:\n    p: hunter2",
        "kind: SecretList\nitems:\n- kind: Secret\n  data:\n    p: hunter2",
        "kind: SecretList\nitems:\n- metadata: {name: a}\n  data:\n    p: hunter2",
        "- kind: Secret\n  data:\n    p: hunter2",
        "--- # x\nkind: Secret\n? data\n: p: hunter2",
        "kind: ConfigMap\n---\nkind: Secret\ndata:\n  p: hunter2\n",
        "kind: Secret\r\ndata:\r\n  p: hunter2\r\n",
        "kind: Secret # ConfigMap\ndata:\n  hunter2",
        "kind: Secret\ndata:\n  kind: Secret\n  metadata: hunter2\n  name: hunter2\n",
        "kind: Secret\ndata:\n  p: &x hunter2\nother: *x\n",
        "data: {p: hunter2",
        "hunter2",
        "{kind: Secret, kind: ConfigMap, data: {p: hunter2}}",
    ],
)
def test_values_of_secrets_are_hidden_in_any_yaml_style(text: str) -> None:
    assert "hunter2" not in shown(text)


@pytest.mark.parametrize(
    "value",
    [
        "hunter2 " * 30,
        'it\'s a "hunter2": #no \\ comment',
        "hunter2\n  hunter2\n\nhunter2\n",
        "hunter2\thunter2\u2028hunter2",
        '{"hunter2": ["hunter2", 1]}',
        "<a b='hunter2'>&amp;</a>",
    ],
)
def test_value_of_any_form_is_masked_where_it_was_copied_to(value: str) -> None:
    import json  # noqa: PLC0415 - the one test that writes JSON

    quoted = json.dumps(value)
    text = f"kind: ConfigMap\ndata: {{copy: {quoted}, part: {json.dumps('x' + value)}, {quoted}: z}}\n"

    assert "hunter2" in shown(text)
    assert "hunter2" not in shown(text, value)


def test_numbers_and_flags_of_secrets_are_masked() -> None:
    text = "kind: Secret\ndata:\n  pin: 12345678\n  on: true\n  none: null\n"
    assert shown(text) == 'data:\n  none: null\n  "on": ***\n  pin: ***\nkind: Secret\n'
    assert shown("kind: Pod\nspec:\n  pin: 12345678\n", "12345678") == "kind: Pod\nspec:\n  pin: ***\n"


def test_equal_values_have_equal_marks() -> None:
    masking = ManifestMasking(Masking())
    files = [f"kind: Secret\ndata:\n  p: {value}\n".encode() for value in ("one", "two", "one")]
    one, two, again = (masking.masked_file("a.yaml", each, None).before for each in files)

    assert one == again != two


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
    assert (
        shown(text)
        == """\
kind: Secret
metadata:
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: ***
    note: kept
  name: foo
"""
    )


HIDDEN = "kind: Secret\nmetadata:\n  name: db\nstringData:\n  p: hunter2\n"
OTHER = "kind: ConfigMap\nmetadata:\n  name: db\ndata:\n  shown: really\n"
MACHINE = "kind: VirtualMachine\nmetadata:\n  name: db\nspec:\n  runStrategy: Halted\n"


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
    assert "hunter2" not in both(edited, after)[0]
    beside, _ = both(f"{MACHINE}---\n{edited}", f"{MACHINE}---\n{HIDDEN}")
    assert "hunter2" not in beside
    assert "Halted" in beside or edited == "hunter2"


@pytest.mark.parametrize("path", ["a/secret_db.yaml", "secret/db.yaml", "a/secret.v1_db.yaml"])
def test_secret_to_be_removed_is_hidden(path: str) -> None:
    edited = "kind: ConfigMap\np: hunter2\n"
    assert "hunter2" not in both(edited, "", path)[0]
    assert "hunter2" in both(edited, "", "a/configmap_secret-db.yaml")[0]


def test_documents_next_to_an_unchanged_secret_are_shown() -> None:
    text, _ = both(f"{HIDDEN}---\n{MACHINE}---\n{OTHER}", HIDDEN)
    assert "Halted" in text
    assert "really" in text
    assert "hunter2" not in text


def test_text_that_cannot_be_parsed_shows_what_the_other_version_shows() -> None:
    after = "apiVersion: v1\ndata:\n  a: b\nkind: ConfigMap\nmetadata:\n  name: db\n"
    before = after.replace(
        "  a: b\n", "<<<<<<< HEAD\n  a: hunter2\n=======\n  a: b\n>>>>>>> hunter2-branch\n"
    )
    text, _ = both(before, after, "a.yaml", "hunter2-branch")

    assert text == after.replace("  a: b\n", "<<<<<<< HEAD\n***\n=======\n  a: b\n>>>>>>> ***\n")


def test_start_data_is_not_shown_in_any_style() -> None:
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
      secretRef: {name: public-name}
    name: other
  - cloudInitNoCloud: {userData: hunter2}
"""
    assert (
        shown(text)
        == """\
kind: VirtualMachine
spec:
  volumes:
  - cloudInitNoCloud:
      networkDataBase64: ***
      userData: ***
    name: init
  - cloudInitConfigDrive:
      secretRef:
        name: public-name
      userData: ***
    name: other
  - cloudInitNoCloud:
      userData: ***
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
        "spec:\n  userData: &data\n    hunter2",
        '  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: |\n      {"x": "hunter2"}',
        "  annotations:\n    kubevirt.io/ignitiondata: hunter2",
        "spec:\n  launchSecurity:\n    sev:\n      dhCert: hunter2",
        "spec:\n  launchSecurity:\n    sev:\n      session: hunter2",
    ],
)
def test_start_data_of_a_machine_is_not_shown(line: str) -> None:
    assert "hunter2" not in shown(f"{VM}{line}\n")
    assert "name: web" in shown(f"{VM}{line}\n")


@pytest.mark.parametrize("key", ["autounattend.xml", "Autounattend.xml", '"unattend.xml"', "Unattend.xml"])
def test_answer_files_are_not_shown(key: str) -> None:
    text = f"data:\n  {key}: |\n    <Password>\n    hunter2\n  setup.ps1: public\nkind: ConfigMap\n"
    assert "hunter2" not in shown(text)
    assert "setup.ps1: public" in shown(text)


@pytest.mark.parametrize(
    ("removed", "added"),
    [
        ("kind: ConfigMap\nmetadata: {name: g-22222bbbbb}\ndata: {v: %s, w: x}\n",) * 2,
        ("kind: ConfigMap\nmetadata: {name: one}\ndata: {v: %s, w: x}\n",) * 2,
        (
            "kind: ConfigMap\nmetadata: {name: k}\ndata: {v: %s, w: x}\n",
            "kind: Secret\nmetadata: {name: k}\nstringData: {v: %s}\n",
        ),
    ],
)
def test_former_value_of_an_object_with_another_name_or_kind_is_masked(removed: str, added: str) -> None:
    old, new = removed % "old-canary", added.replace("one", "two").replace("2222", "4444") % "correct-horse"
    for before, after in ((old, new), (new, old)):
        masking = ManifestMasking(Masking(["correct-horse"]))
        masking.note_moved([before.encode()], [after.encode()])
        in_two_files = (
            masking.masked_file("a.yaml", before.encode(), None).before,
            masking.masked_file("b.yaml", None, after.encode()).after,
        )
        one_file = f"{before}---\n{MACHINE}".encode(), f"{MACHINE}---\n{after}".encode()
        masking = ManifestMasking(Masking(["correct-horse"]))
        masking.note_moved(one_file[:1], one_file[1:])
        for texts in (in_two_files, masking.masked_file("a.yaml", *one_file)):
            shown_texts = without_marks("".join(filter(None, texts)))
            assert "canary" not in shown_texts
            assert "w: x" in shown_texts or texts is not in_two_files


def test_value_beside_an_object_that_stays_is_shown() -> None:
    moved = "kind: ConfigMap\nmetadata: {name: %s}\ndata: {v: %s}\n"
    stays = "kind: ConfigMap\nmetadata: {name: stays}\ndata: {v: other}\n---\n"
    before, after = ((stays + moved % each).encode() for each in (("one", "old"), ("two", "correct-horse")))
    masking = ManifestMasking(Masking(["correct-horse"]))
    masking.note_moved([before], [after])

    assert "v: other" in (masking.masked_file("a.yaml", before, after).before or "")


def test_object_of_another_name_and_kind_is_shown() -> None:
    masking = ManifestMasking(Masking(["correct-horse"]))
    other = b"data:\n  v: other\nkind: ConfigMap\nmetadata:\n  name: c\n"
    masking.note_moved([other], [b"kind: Secret\nmetadata: {name: k}\nstringData: {v: correct-horse}\n"])
    assert masking.masked_file("a.yaml", other, None).before == other.decode()
