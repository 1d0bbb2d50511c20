"""``vmrender diff`` of an object that the cluster refused before the change as well."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from renderer.cli.app import main
from tests.cli.diff_repositories import SCHEMA
from tests.cli.git_work_tree import commit, init, write

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: db, namespace: prod}
spec:
  runStrategy: Always
  template:
    spec:
      terminationGracePeriodSeconds: 30
      domain:
        memory: {guest: 1Gi}
        devices:
          disks: [{name: root, disk: {bus: virtio}}]
      volumes: [{name: root, persistentVolumeClaim: {claimName: old}}]
"""
#: A mistake for the schema, an unknown field, and one for the webhook, a disk without a volume.
MISTAKES = {
    "unknown-field": ("memory: {guest: 1Gi}", "memory: {gest: 1Gi}"),
    "webhook": ("bus: virtio}}]", "bus: virtio}}, {name: nowhere, disk: {bus: virtio}}]"),
}
OTHER_DISK = ("claimName: old", "claimName: new")
NO_CHANGE = ("", "")


@pytest.fixture(params=MISTAKES)
def mistaken(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The machine with a mistake, as a commit has it."""
    machine = VM.replace(*MISTAKES[request.param])
    folder = init(tmp_path / "repository")
    commit(
        folder,
        {
            "vmrender.yaml": 'apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\nkubevirt: "1.9"\n',
            "overlays/prod/kustomization.yaml": "resources: [vm.yaml]\n",
            "overlays/prod/vm.yaml": machine,
        },
    )
    monkeypatch.chdir(folder)
    return machine


def changed(machine: str) -> None:
    write(Path(), {"overlays/prod/vm.yaml": machine})


def diff(*options: str) -> tuple[int, str]:
    result = CliRunner(catch_exceptions=False).invoke(main, ["diff", *options])
    return result.exit_code, result.stdout


def first_line() -> str:
    return diff()[1].partition("\n")[0]


def test_machine_that_is_accepted_at_last_brings_what_was_refused(mistaken: str) -> None:
    note = "the cluster refused VirtualMachine db before: earlier changes arrive with this one"
    changed(VM.replace(*OTHER_DISK))
    assert note in diff()[1]
    changed(mistaken.replace(*OTHER_DISK))
    assert note not in diff()[1]


@pytest.mark.parametrize(
    ("change", "deed"),
    [
        (OTHER_DISK, "DATA: prod/db boots from another disk; it needs a restart; "),
        (("Seconds: 30", "Seconds: 60"), "prod/db needs a restart; "),
        (("runStrategy: Always", "runStrategy: Halted"), "prod/db is stopped; "),
        (("{name: db,", "{name: db, labels: {tier: gold},"), ""),
        (("{name: db,", "{name: database,"), "DATA: prod/db -> prod/database is replaced; "),
    ],
)
def test_first_line_says_what_the_change_does_before_the_old_refusal(
    mistaken: str, change: tuple[str, str], deed: str
) -> None:
    changed(mistaken.replace(*change))
    assert first_line() == f"{deed}{'it' if deed else 'prod/db'} is refused, as before"


@pytest.mark.parametrize("output_format", ["text", "markdown", "html"])
def test_every_format_has_the_danger_and_the_old_refusal(mistaken: str, output_format: str) -> None:
    changed(mistaken.replace(*OTHER_DISK))
    shown = diff("--format", output_format)[1]
    assert "boots from another disk" in shown
    assert "refused, as before" in shown


def test_programs_read_the_danger_and_the_old_refusal(mistaken: str) -> None:
    changed(mistaken.replace(*OTHER_DISK))
    document = json.loads(diff("--format", "json")[1])
    Draft202012Validator(SCHEMA).validate(document)
    (change,) = document["overlays"][0]["changes"]
    assert change["danger"] == "data"
    assert change["formerRefusal"]
    assert [each["effect"] for each in change["data"]] == ["other-root"]


def test_gates_tell_an_old_refusal_from_a_new_one(mistaken: str) -> None:
    changed(mistaken.replace(*OTHER_DISK))
    assert [diff("--fail-on", danger)[0] for danger in ("data", "still-refused", "refused")] == [1, 1, 0]


def test_old_refusal_in_another_version_of_the_api_is_not_a_new_one(mistaken: str) -> None:
    changed(mistaken.replace("kubevirt.io/v1", "kubevirt.io/v1alpha3"))
    assert [diff("--fail-on", danger)[0] for danger in ("still-refused", "refused")] == [1, 0]


def test_another_refusal_is_a_new_one_and_hides_no_data(mistaken: str) -> None:
    changed(mistaken.replace(*OTHER_DISK).replace("runStrategy: Always", "runStrategy: Sometimes"))
    assert first_line().startswith("REFUSED: prod/db; DATA: prod/db boots from another disk")


def test_errors_of_both_sides_are_one_line(mistaken: str) -> None:
    changed(mistaken.replace(*OTHER_DISK))
    result = CliRunner(catch_exceptions=False).invoke(main, ["diff"])
    assert result.stderr == "1 error was there before: vmrender validate shows it\n"
    commit(Path(), {})  # then validate is about something else
    result = CliRunner(catch_exceptions=False).invoke(main, ["diff", "HEAD~1", "HEAD"])
    assert result.stderr == "1 error was there before\n"


def test_error_that_keeps_both_sides_from_being_rendered_is_reported_once(mistaken: str) -> None:
    commit(Path(), {"overlays/test/kustomization.yaml": "resources: [gone.yaml]\n"})
    changed(mistaken.replace(*OTHER_DISK))
    result = CliRunner(catch_exceptions=False).invoke(main, ["diff"])
    assert result.stderr == (
        "overlays/test/kustomization.yaml:1:13: error[file-not-found]: "
        "no such file or folder: overlays/test/gone.yaml\n"
        "\n"
        "1 error\n"
        "1 error was there before: vmrender validate shows it\n"
    )
