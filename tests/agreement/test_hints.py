"""Each hint with one right answer carries it as data; followed, it removes its finding, and no other comes.

The edits of all golden cases (``tests/cases``) are applied one after another, by the editor that keeps
comments, as a machine would that only has ``--format json``. A new case takes part by itself.

A finding may hide others: what one stage refuses is not judged by the next one. A finding that comes after a
fix is accepted if it is independent of what the fix wrote, which means one of three things:

* It comes as well if the field is removed instead.
* The fix only renames or moves a field, and the new finding is below it: what is in an unknown field is not
  judged.
* The fixed finding is an error, the new one is of a later stage and about the same object, and neither of
  their fields contains the other.

Any other is in ``FOLLOW_UPS`` with the reason. A hint that says one thing and has no fix is in ``_FIXLESS``.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from renderer.cli.app import main
from renderer.model.codes import RULE_CODES, Code
from renderer.model.field_edit import (
    AddField,
    AddItem,
    Edit,
    MoveField,
    RemoveField,
    RemoveItem,
    RenameField,
    SetField,
)
from renderer.model.kube.field_path import ROOT, FieldPath, parse_pointer
from renderer.model.kube.json import Json
from renderer.model.kustomization import KUSTOMIZATION_FILES
from renderer.yamlio.edit import EditedText, RefusedEditError, edit_fields, separate_documents
from tests.test_cases import CASES, FOLDERS, Case, write_tree

#: Commands that report the findings of manifests, and can do so as JSON.
_COMMANDS = ("build", "expand", "render", "validate")
#: The codes in the table of docs/fix.md.
LISTED_CODES = frozenset(
    code
    for row in (Path(__file__).parents[2] / "docs/fix.md").read_text().splitlines()
    if row.startswith("| ")
    for code in re.findall(r"`([a-z-]+)`", row)
)
#: More fixes than any case has, one after another.
_MOST_FIXES = 60


class FollowUp(NamedTuple):
    """A finding that comes by a fix: the codes of both, a part of its message, and why it is right."""

    fixed: str
    new: str
    message: str
    reason: str


FOLLOW_UPS: Sequence[FollowUp] = (
    FollowUp("config-invalid", "config-invalid", "files cannot be '7'", "a text of the wrong form is next"),
    FollowUp("misplaced-annotation", "unused-suppression", "", "it is seen to ignore nothing"),
    FollowUp("running-deprecated", "run-strategy", "virtctl", "the same as before, by the new field"),
    FollowUp("secret-not-found", "secret-not-found", "renames", "the build changes the right name"),
    FollowUp("schema", "conflict", "is set by instance type", "the size was written, whatever its form"),
    FollowUp(
        "schema", "assumed-network", "names no network", "a VM whose preference is refused is not rendered"
    ),
)


class WithoutFix(NamedTuple):
    """Hints that say one thing and carry no fix: code of the finding, part of the hint, and the reason."""

    code: str
    hint: str
    reason: str


#: A hint that says one thing to write: one word, or a field with its value.
_ONE_ANSWER = re.compile(r"did you mean [^ ]+\?|write [A-Za-z.\[\]0-9]+: [^ ;,]+$|(remove|drop) it$")
#: Words by which a hint has several answers, or leaves the value to a person.
_SEVERAL = re.compile(r"\bor\b|\bsuch as\b|\bfor example\b|\bif\b|…|\*\*\*")
_FIXLESS: Sequence[WithoutFix] = (
    WithoutFix("admission", "TLS_", "the KubeVirt object's own checks name no edits"),
    WithoutFix("application-set", "", "the word is in the middle of a text with Go's templates"),
    WithoutFix("cloud-init", "", "start-up data may hold passwords, so no fix has a part of it"),
    WithoutFix("config-invalid", "schemas", "an entry may be a path, or a mapping with one"),
    WithoutFix("device-not-permitted", "", "the name or the cluster's list may be mistyped"),
    WithoutFix("ignition", "", "start-up data may hold passwords, so no fix has a part of it"),
    WithoutFix("instancetype-not-found", "", "a label or a template has the name, not the VM"),
    WithoutFix("kustomization-field", "", "a target has several fields, and one name may be there twice"),
    WithoutFix("kustomization-missing", "", "an entry may be a path, or a mapping with one"),
    WithoutFix("unknown-field", "requests", "the editor moves a field only into a mapping that is there"),
    WithoutFix("openshift-template", "", "the parameter is in vmrender.yaml or in the Template"),
    WithoutFix("patch-invalid", "", "the operation of a patch is no field of an object"),
    WithoutFix("patch-target-missing", "", "the target is a selector, or a deletion"),
    WithoutFix("preference-not-found", "", "a label or a template has the name, not the VM"),
    WithoutFix("resource-set", "", "the word is in the middle of a text with Go's templates"),
    WithoutFix("schema", "did you mean 2Gi?", "a parameter of the VirtualMachineTemplate has the value"),
    WithoutFix("schema", "did you mean 4Gi?", "a template writes it"),
    WithoutFix("schema", "did you mean Always?", "a variable has the value"),
    WithoutFix("schema-missing", "VirtualMachine", "another project may have a kind of that name"),
    WithoutFix("secret-not-found", "database", "the name is one of a pool, without its index"),
    WithoutFix("service-selector", "", "the port or its name in the interface may be mistyped"),
    WithoutFix("suppression-invalid", "run-strategy", "the right annotation is there as well"),
    WithoutFix("template-failed", "", "the word is in the text of a template"),
    WithoutFix("template-invalid", "", "an axis may have any name"),
    WithoutFix("unknown-field", "cpu.cores", "a template writes it"),
    WithoutFix("unknown-field", "containerDisk.image", "the mapping that it belongs into has no value"),
    WithoutFix("unknown-field", "hostname", "an operation of a JSON patch would get another path"),
    WithoutFix("unknown-field", "runStrategy", "the field of the right name is there as well"),
    WithoutFix("unknown-field", "userData", "its value is confidential"),
    WithoutFix("unknown-field", "volumes[0].name", "the object has a line break that only some readers know"),
    WithoutFix("vm-template", "", "the parameter is in vmrender.yaml or in the template"),
    WithoutFix(
        "unusable-value", "", "what webhooks admit: the field, or what it must agree with, may be mistyped"
    ),
)


def is_judged(folder: Path) -> bool:
    """Return True for a case whose text has a hint: no other finding has a fix."""
    case = Case.read(folder)
    words = shlex.split(case.command)
    if words[0] not in _COMMANDS or "--format" in words or case.stdin is not None:
        return False
    return any("hint: " in file.read_text(errors="replace") for file in folder.glob("expected.std*"))


JUDGED = [folder for folder in FOLDERS if is_judged(folder)]


@pytest.mark.parametrize("folder", JUDGED, ids=lambda folder: folder.relative_to(CASES).as_posix())
def test_following_a_hint_removes_its_finding(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = Case.read(folder)
    repository = tmp_path / "repository"
    repository.mkdir()
    write_tree(repository, case.inputs())
    monkeypatch.chdir(repository)
    tried: list[Any] = []
    findings = findings_of(case)
    assert [each for each in findings if not has_its_fix(each)] == []
    assert {each["code"] for each in findings if each["fix"]} <= LISTED_CODES
    for _ in range(_MOST_FIXES):
        fixable = [each for each in findings if each["fix"]]
        if not fixable:
            return
        finding = fixable[0]
        fix = finding["fix"]
        assert (fix, finding["message"]) not in tried, "a fix that was applied is proposed again"
        tried.append((fix, finding["message"]))
        before = Path(fix["path"]).read_bytes()
        separators = fix.get("separators")
        after = separate_documents(before, separators) if separators else edited(before, fix, edits_of(fix))
        Path(fix["path"]).write_bytes(after)
        remaining = findings_of(case)
        new = keys(remaining) - keys(findings)
        assert keys([finding]) <= keys(findings) - keys(remaining), f"not removed: {finding}"
        if new:
            new -= keys(independent_findings(case, fix, before))
            Path(fix["path"]).write_bytes(after)
        assert not [each for each in new if not is_follow_up(finding, each)], f"came after {finding}"
        findings = remaining
    pytest.fail("the fixes do not come to an end")


def has_its_fix(finding: Mapping[str, Any]) -> bool:
    """Return True unless a hint with one answer has neither a fix nor a reason for that."""
    hint = finding["hint"] or ""
    if finding["fix"] or not _ONE_ANSWER.match(hint) or _SEVERAL.search(hint):
        return True
    return any(each.code == finding["code"] and each.hint in hint for each in _FIXLESS)


def findings_of(case: Case) -> list[Any]:
    """Return the findings that the command reports as JSON."""
    shutil.rmtree("rendered", ignore_errors=True)
    words = [*shlex.split(case.command), "--format", "json"]
    run = CliRunner(catch_exceptions=False).invoke(main, words, prog_name="vmrender")
    to_error = words[0] in ("build", "expand")
    text = run.stderr if to_error else run.stdout
    return json.loads(text[text.index("{\n") :])["findings"] if "{\n" in text else []


def keys(findings: Sequence[Any]) -> Counter[tuple[str, ...]]:
    """Return what findings say, without lines and indices, which move."""
    return Counter(
        (
            each["code"],
            each["message"],
            (each["location"] or {}).get("path", ""),
            json.dumps(each["resource"]),
            re.sub(r"\[[0-9]+\]", "[]", each["field"] or ""),  # indices move as well
        )
        for each in findings
    )


def independent_findings(case: Case, fix: Mapping[str, Any], before: bytes) -> list[Any]:
    """Return the findings when the field is removed rather than corrected."""
    if not fix["patch"]:
        return []
    field = _path(fix, fix["patch"][0].get("from") or fix["patch"][0]["path"])
    removed = RemoveItem(field) if isinstance(field.segments[-1], int) else RemoveField(field)
    try:
        Path(fix["path"]).write_bytes(edited(before, fix, [removed]))
    except RefusedEditError:
        return []
    return findings_of(case)


def stage_of(code: str, field: str) -> int:
    """Return the number of the stage that finds it: an object of an unknown kind is not judged at all."""
    if field in ("apiVersion", "kind"):
        return 0
    if code in (Code.SCHEMA, Code.UNKNOWN_FIELD, Code.SCHEMA_MISSING):
        return 1
    return {Code.ADMISSION: 3, Code.ASSUMED_NETWORK: 3}.get(Code(code), 4 if Code(code) in RULE_CODES else 2)


def is_of_a_later_stage(fixed: Mapping[str, Any], new: tuple[str, ...]) -> bool:
    code, _, _, resource, field = new
    old_field = fixed["field"] or ""
    shorter, longer = sorted((field, old_field), key=len)
    return (
        fixed["severity"] == "error"
        and names_one_object(
            fixed["resource"], json.loads(resource), by=("name",) if old_field == "kind" else ("kind", "name")
        )
        and stage_of(code, field) > stage_of(fixed["code"], old_field)
        and not (shorter and longer.startswith(shorter))
    )


def names_one_object(
    one: Mapping[str, str] | None, other: Mapping[str, str] | None, by: Sequence[str]
) -> bool:
    return one is not None and other is not None and all(one[key] == other[key] for key in by)


def is_below_new_name(fixed: Mapping[str, Any], field: str) -> bool:
    operations = fixed["fix"]["patch"]
    if {operation["op"] for operation in operations} != {"move"}:
        return False
    name = parse_pointer(operations[0]["path"])[-1]
    above = (fixed["field"] or "").rpartition(".")[0]
    return field.startswith(f"{above}.{name}." if above else f"{name}.")


def is_follow_up(fixed: Mapping[str, Any], new: tuple[str, ...]) -> bool:
    if new[0] == Code.UNUSED_SUPPRESSION and f"/{fixed['code']} " in new[1]:
        return True  # another overlay of the same file suppressed the finding
    if is_below_new_name(fixed, new[4]):
        return True
    return is_of_a_later_stage(fixed, new) or any(
        each.fixed == fixed["code"] and each.new == new[0] and each.message in new[1] for each in FOLLOW_UPS
    )


def edited(content: bytes, fix: Mapping[str, Any], edits: Sequence[Edit]) -> bytes:
    inline = _path(fix, fix["inline"]) if fix["inline"] else ROOT
    is_kustomization = Path(fix["path"]).name in KUSTOMIZATION_FILES
    return edit_fields(content, EditedText(fix["document"], inline, is_kustomization), edits)


def edits_of(fix: Mapping[str, Any]) -> list[Edit]:
    """Return the operations of a fix as edits."""
    return [_edit(fix, operation) for operation in fix["patch"]]


def _edit(fix: Mapping[str, Any], operation: Mapping[str, Any]) -> Edit:
    field = _path(fix, operation["path"])
    last = field.segments[-1]
    value: Json = operation.get("value")
    match operation["op"]:
        case "replace":
            return SetField(field, value)
        case "move":
            old = _path(fix, operation["from"])
            return RenameField(old, str(last)) if old.parent == field.parent else MoveField(old, field)
        case "add" if isinstance(last, int) or last == "-":
            return AddItem(field.parent, value, last if isinstance(last, int) else None)
        case "add":
            return AddField(field.parent, str(last), value)
        case _:
            return RemoveItem(field) if isinstance(last, int) else RemoveField(field)


def _path(_fix: Mapping[str, Any], pointer: str) -> FieldPath:
    return FieldPath(tuple(int(part) if part.isdecimal() else part for part in parse_pointer(pointer)))
