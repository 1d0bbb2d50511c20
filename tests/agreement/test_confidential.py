"""Every output withholds a secret in any field, and shows public values."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import pytest
import yaml

from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.emit.masked_manifests import ManifestMasking, without_marks
from renderer.files.file_system import MemoryFileSystem
from renderer.findings.public_lines import public_lines
from renderer.findings.run_findings import locate
from renderer.kubevirt.facts.confidential.object_fields import ConfidentialFields
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.difference import FieldChange
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.masking import Masking
from renderer.model.release import LATEST

INSTANCE = ("spec", "template", "spec")
CREDENTIALS = (*INSTANCE, "accessCredentials", 0, "userPassword")
CLOUD_INIT = (*INSTANCE, "volumes", 0, "cloudInitNoCloud")
WORD = "hunter2hunter2"
LONG = 'a "quoted" text that is far longer than what a message shows of it, ' + WORD
LINES = f"#cloud-config\npassword: {WORD}\nchpasswd: {{expire: false}}"

#: Kind, field and value.
SECRETS: tuple[tuple[str, FieldPath, str], ...] = tuple(
    (kind, FieldPath(path), value)
    for kind, path, values in (
        ("Secret", ("stringData", "password"), (WORD, LONG, LINES)),
        ("Secret", ("data", "password"), (WORD,)),
        ("ConfigMap", ("data", "Autounattend.xml"), (WORD, LONG)),
        ("VirtualMachine", (*CLOUD_INIT, "userData"), (WORD, LONG, LINES)),
        ("VirtualMachine", (*INSTANCE, "volumes", 0, "cloudInitConfigDrive", "networkDataBase64"), (WORD,)),
        ("VirtualMachine", (*CLOUD_INIT, "userDat"), (WORD, LONG)),
        ("VirtualMachine", (*INSTANCE, "domain", "launchSecurity", "sev", "session"), (WORD, LONG)),
        ("VirtualMachine", (*INSTANCE, "domain", "launchSecurity", "sev", "dhCert"), (WORD, LONG)),
        (
            "VirtualMachine",
            ("spec", "template", "metadata", "annotations", "kubevirt.io/ignitiondata"),
            (WORD, LONG),
        ),
        (
            "VirtualMachine",
            ("metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"),
            (WORD, LONG),
        ),
        (
            "VirtualMachine",
            (
                *CREDENTIALS,
                "propagationMethod",
                "qemuGuestAgent",
                "users",
                0,
            ),
            (WORD,),
        ),
    )
    for value in values
)
#: Values that are shown: names of other objects, and public values.
PUBLIC: tuple[tuple[str, FieldPath, str], ...] = (
    ("Secret", FieldPath(("metadata", "name")), "database-login"),
    ("ConfigMap", FieldPath(("data", "settings.ini")), "colour-of-shed"),
    (
        "VirtualMachine",
        FieldPath((*CLOUD_INIT, "secretRef", "name")),
        "web-init",
    ),
    ("VirtualMachine", FieldPath((*INSTANCE, "domain", "machine", "type")), "pc-q35-rhel9"),
    (
        "VirtualMachine",
        FieldPath((*CREDENTIALS, "source", "secret", "secretName")),
        "logins-of-web",
    ),
)


def holding(kind: str, field: FieldPath, value: str) -> JsonObject:
    made: Json = value
    for segment in reversed(field.segments):
        made = [made] if isinstance(segment, int) else {str(segment): made}
    assert isinstance(made, dict)
    metadata = {"name": "web", **(made.get("metadata") or {})}
    api_version = "kubevirt.io/v1" if kind == "VirtualMachine" else "v1"
    return {"apiVersion": api_version, "kind": kind, **made, "metadata": metadata}


def finding(kind: str, field: FieldPath, value: str) -> str:
    text = yaml.safe_dump(holding(kind, field, value))
    resource = Resource(holding(kind, field, value), Site("a.yaml"))
    quoted = json.dumps(value)
    quoted = quoted if len(quoted) <= 60 else f"{quoted[:60]}…"
    found = Diagnostic.about(resource, field, Code.SCHEMA, f"{field} cannot be {quoted}", f"not {quoted}")
    fs = MemoryFileSystem({"a.yaml": text.encode()})
    (located,) = locate(fs, [found])
    return f"{located.message} {located.hint}"


def quoted_lines(kind: str, field: FieldPath, value: str) -> str:
    text = yaml.safe_dump(holding(kind, field, value))
    return "\n".join(public_lines(text.encode(), range(1, text.count("\n") + 2)).values())


def redacted(kind: str, field: FieldPath, value: str) -> str:
    content = yaml.safe_dump(holding(kind, field, value)).encode()
    return without_marks(
        "".join(filter(None, ManifestMasking(Masking()).masked_file("a.yaml", content, None)))
    )


def fields(kind: str, field: FieldPath, value: str) -> str:
    return repr(ConfidentialFields(kind).without_secrets(FieldChange(field, value, f"{value}x")))


def compared(kind: str, field: FieldPath, value: str) -> str:
    resources = (Resource(holding(kind, field, each), Site("a.yaml")) for each in (value, f"{value}x"))
    before, after = (OverlaySide(LATEST, (resource,)) for resource in resources)
    return repr(compare_overlay("overlays/prod", "prod", before, after).changes)


OUTPUTS: Mapping[str, Callable[[str, FieldPath, str], str]] = {
    "findings": finding,
    "quoted lines": quoted_lines,
    "diffs of files": redacted,
    "fields": fields,
    "diff": compared,
}


@pytest.mark.parametrize("output", OUTPUTS)
def test_secrets_are_withheld(output: str) -> None:
    leaks = [
        (kind, str(field), value[:20])
        for kind, field, value in SECRETS
        if any(part in OUTPUTS[output](kind, field, value) for part in (WORD, value[:30]))
    ]
    assert not leaks


@pytest.mark.parametrize("output", OUTPUTS)
def test_other_values_are_shown(output: str) -> None:
    hidden = [
        (kind, str(field))
        for kind, field, value in PUBLIC
        if value not in OUTPUTS[output](kind, field, value)
    ]
    if output == "quoted lines":  # the text of a document does not tell whose data it is
        hidden = [each for each in hidden if each[0] == "VirtualMachine"]
    assert hidden == ([("ConfigMap", 'data["settings.ini"]')] if output == "findings" else [])
