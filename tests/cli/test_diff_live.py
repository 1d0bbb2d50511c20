"""``vmrender diff --live`` in every format, from every source of a dump, and without a secret."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result

from renderer.app import diff_live
from renderer.cli.app import main

CASES = Path(__file__).parents[1] / "cases/diff"
SCHEMA = Path(__file__).parents[2] / "schemas/vmrender/diff.json"
FORMATS = ("text", "json", "jsonl", "markdown", "html")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "repository"
    shutil.copytree(CASES / "live-drift", folder)
    (folder / ".git").mkdir()
    monkeypatch.chdir(folder)
    return folder


def diff(*arguments: str, piped: str | None = None) -> Result:
    return CliRunner().invoke(main, ["diff", *arguments], input=piped, catch_exceptions=False)


@pytest.mark.parametrize("output", FORMATS)
def test_no_format_shows_a_secret_of_git_or_of_the_cluster(repository: Path, output: str) -> None:
    other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: shop}\ndata: {mode: %s}\n"
    dump = repository / "dump.yaml"
    dump.write_text(dump.read_text() + "---\n" + other % "is-changed-by-hand-too")
    found = diff("--live", "dump.yaml", "--format", output)
    assert found.exit_code == 1
    assert "db-password" in found.output
    for secret in ("hunter2", "changed-by-hand", "Y2hhbmdlZC1ieS1oYW5k"):
        assert secret not in found.output


@pytest.mark.parametrize("output", FORMATS)
def test_no_format_passes_on_terminal_or_browser_injections(repository: Path, output: str) -> None:
    shutil.copytree(CASES / "live-hostile", repository, dirs_exist_ok=True)
    found = diff("--live", "dump.yaml", "--format", output)
    assert found.exit_code == 1
    assert "\x1b" not in found.output
    assert "<img" not in found.output or output in ("text", "json", "jsonl")


def test_each_line_matches_its_schema(repository: Path) -> None:
    schema = json.loads(SCHEMA.read_text())
    document = json.loads(diff("--live", "dump.yaml", "--format", "json").output)
    lines = [
        json.loads(each) for each in diff("--live", "dump.yaml", "--format", "jsonl").output.splitlines()
    ]
    for each in lines:
        jsonschema.validate(each, {**schema["$defs"]["line"], "$defs": schema["$defs"]})
    changes = [(overlay["path"], each) for overlay in document["overlays"] for each in overlay["changes"]]
    assert [(each["overlay"], each["fields"]) for each in lines] == [
        (path, each["fields"]) for path, each in changes
    ]
    (repository / "overlays/prod/kustomization.yaml").write_text("resources: [missing.yaml]\n")
    broken = diff("--live", "dump.yaml", "--format", "jsonl")
    line = json.loads(broken.stdout.splitlines()[0])
    assert line == {
        "overlay": "overlays/prod",
        "cluster": None,
        "incomparable": "it cannot be rendered in work tree",
    }


@pytest.mark.usefixtures("repository")
def test_json_document_matches_its_schema() -> None:
    document = json.loads(diff("--live", "dump.yaml", "--format", "json").output)
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    changes = {
        each["after" if each["after"] else "before"]["name"]: each
        for overlay in document["overlays"]
        for each in overlay["changes"]
    }
    assert {name: each["runs"] for name, each in changes.items()} == {
        "db": True,
        "web": False,
        "forgotten": True,
        "settings": None,
        "db-password": None,
    }
    owners = {field["field"]: (field["owners"], field["kept"]) for field in changes["db"]["fields"]}
    assert owners == {
        "metadata.labels.debug": (["kubectl-edit"], True),
        "spec.template.spec.domain.cpu.sockets": (["kubectl-edit"], False),
        "spec.template.spec.terminationGracePeriodSeconds": (["kubectl-edit"], False),
    }


def test_a_dump_is_a_file_a_folder_or_standard_input(repository: Path) -> None:
    dump = repository / "dump.yaml"
    text = dump.read_text()
    (repository.parent / "must-gather").mkdir()
    (repository.parent / "must-gather/all.yaml").write_text(text)
    as_file = diff("--live", "dump.yaml").output
    as_folder = diff("--live", "../must-gather").output
    piped = diff("--live", "-", piped=text).output
    assert as_folder == as_file.replace("dump.yaml", "../must-gather")
    assert piped == as_file.replace("dump.yaml", "standard input").replace(
        "import 'standard input'", "import -"
    ).replace("import standard input", "import -")


def test_revision_replaces_the_work_tree(repository: Path) -> None:
    (repository / ".git").rmdir()
    for command in ("init -q", "add .", "-c user.name=a -c user.email=a@example.org commit -qm first"):
        subprocess.run(["git", *command.split()], cwd=repository, check=True)
    (repository / "overlays/prod/db.yaml").write_text("broken: [")
    assert diff("--live", "dump.yaml").exit_code == 2
    found = diff("--live", "dump.yaml", "HEAD")
    assert found.exit_code == 1
    assert found.output.splitlines()[1] == "cluster (dump.yaml) -> HEAD"


@pytest.mark.parametrize("extra", [["--each"], ["--since", "main"], ["main", "v1"], ["main..v1"]])
def test_contradictory_options_are_refused(repository: Path, extra: list[str]) -> None:
    assert repository.is_dir()
    found = diff("--live", "dump.yaml", *extra)
    assert found.exit_code == 2
    assert found.stdout == ""


def test_exit_zero_works_for_one_overlay(repository: Path) -> None:
    assert diff("--live", "dump.yaml", "--exit-zero", "--overlay", "prod").exit_code == 0
    assert repository.is_dir()
    assert diff("--live", "dump.yaml", "--overlay", "test").exit_code == 2


@pytest.mark.parametrize(("status", "is_told"), [("True", True), ("False", False)])
def test_vm_waiting_for_a_restart_does_not_run_its_spec(
    repository: Path, status: str, *, is_told: bool
) -> None:
    live = (
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: db, namespace: shop}\n"
        "spec: {runStrategy: Always, template: {spec: {domain: {memory: {guest: 7Gi}}}}}\n"
        f"status: {{created: true, conditions: [{{type: RestartRequired, status: '{status}'}}]}}\n"
    )
    (repository / "other.yaml").write_text(live)
    found = diff("--live", "other.yaml")
    assert found.exit_code == 1
    assert ("RestartRequired is set on VirtualMachine shop/db" in found.output) is is_told


def test_secrets_absent_from_the_dump_are_not_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(CASES / "live-secret-missing", tmp_path / "repository")
    monkeypatch.chdir(tmp_path / "repository")
    Path(".git").mkdir()
    objects = Path("dump.yaml").read_text().split("---\n")
    Path("dump.yaml").write_text("---\n".join(each for each in objects if "kind: Secret" not in each))
    found = diff("--live", "dump.yaml")
    assert "ConfigMap prod/big-settings is neither" in found.output
    assert "Secret prod/big" not in found.output


def test_sync_that_a_webhook_refuses_is_said(repository: Path) -> None:
    disk = (
        "apiVersion: cdi.kubevirt.io/v1beta1\nkind: DataVolume\nmetadata: {name: root, namespace: shop}\n"
        "spec: {source: {http: {url: https://images.example.org/%s}}, storage: {}}\n"
    )
    overlay = repository / "overlays/prod"
    (overlay / "disk.yaml").write_text(disk % "v2")
    kustomization = overlay / "kustomization.yaml"
    kustomization.write_text(kustomization.read_text().replace("- db.yaml", "- db.yaml\n  - disk.yaml"))
    dump = repository / "dump.yaml"
    dump.write_text(dump.read_text() + "---\n" + disk % "v1")
    found = diff("--live", "dump.yaml")
    assert "drifted DataVolume shop/root in overlays/prod: refused" in found.output
    assert "refused: CDI does not let it change: the disk was filled from it" in found.output


def test_accepted_values_are_shown_before_they_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "repository"
    shutil.copytree(CASES / "live-accept", folder)
    (folder / ".git").mkdir()
    monkeypatch.chdir(folder)
    patch = folder / "overlays/east/size.yaml"
    before = patch.read_text()
    shown = diff("--live", "dump.yaml", "--accept", "east/db", "--dry-run")
    assert "-    tier: gold # what the customer pays for\n+    tier: silver # what" in shown.output
    assert patch.read_text() == before
    assert diff("--live", "dump.yaml", "--accept", "*").exit_code == 1
    assert patch.read_text() == before.replace("gold", "silver").replace("db-1", "db-2")
    assert diff("--live", "dump.yaml", "--accept", "west/db").exit_code == 2


@pytest.fixture
def accepting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine of a base in ``east`` and ``west``, and a cluster in which both have other values."""
    folder = tmp_path / "repository"
    shutil.copytree(CASES / "live-accept", folder)
    (folder / ".git").mkdir()
    monkeypatch.chdir(folder)
    dump = folder / "dump.yaml"
    dump.write_text(
        dump.read_text() + "---\n" + dump.read_text().replace("namespace: east", "namespace: west")
    )
    return folder


def test_value_that_all_overlays_share_is_accepted_for_all(accepting: Path) -> None:
    """Its line is judged with both machines, also if another value has to be refused."""
    dump = accepting / "dump.yaml"
    east, west = dump.read_text().split("namespace: west", 1)
    dump.write_text(f"{east}namespace: west{west.replace('Strategy: Always', 'Strategy: Halted')}")
    found = diff("--live", "dump.yaml", "--accept", "*/db")
    text = (accepting / "base/db.yaml").read_text()
    assert "terminationGracePeriodSeconds: 600 # as" in text
    assert found.output.count("terminationGracePeriodSeconds: 300 -> 600") == 1
    assert "runStrategy: Always" in text
    assert "not accepted: spec.runStrategy" in found.output
    assert "not accepted: spec.template.spec.terminationGracePeriodSeconds" not in found.output


def test_value_is_accepted_beside_an_error_of_another_object(accepting: Path) -> None:
    """What the error is about stays as it is; the change is still proved in all overlays."""
    broken = (accepting / "base/db.yaml").read_text().replace("name: db\n", "name: broken\n", 1)
    for old, new in (
        ("  instancetype:\n    name: u1.medium\n", ""),
        ("domain:", "domain:\n        cpu: {maxSockets: 1, sockets: 4}\n        memory: {guest: 1Gi}"),
    ):
        broken = broken.replace(old, new)
    (accepting / "base/broken.yaml").write_text(broken)
    kustomization = accepting / "base/kustomization.yaml"
    kustomization.write_text(kustomization.read_text().replace("[db.yaml]", "[db.yaml, broken.yaml]"))
    found = diff("--live", "dump.yaml", "--accept", "east/db")
    assert "4 sockets are more than maxSockets, 1" in found.output
    assert "tier: silver # what" in (accepting / "overlays/east/size.yaml").read_text()
    assert "terminationGracePeriodSeconds: 300 # as" in (accepting / "base/db.yaml").read_text()
    assert "in overlays/west would change as well" in found.output


def test_value_that_adds_an_error_is_not_accepted(accepting: Path) -> None:
    """An old machine may have a value that the webhook refuses by now."""
    broken = accepting / "overlays/east/broken.yaml"
    broken.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {mode: slow}\nbad: 1\n")
    kustomization = accepting / "overlays/east/kustomization.yaml"
    kustomization.write_text(
        kustomization.read_text().replace("password.yaml]", "password.yaml, broken.yaml]")
    )
    dump = accepting / "dump.yaml"
    dump.write_text(dump.read_text().replace("hostname: db-2", "hostname: db_2"))
    found = diff("--live", "dump.yaml", "--accept", "east/db")
    assert "spec.template.spec.hostname: overlays/east could not be built any more" in found.output
    text = (accepting / "overlays/east/size.yaml").read_text()
    assert "hostname: db-1" in text
    assert "tier: silver" in text


def test_secret_that_a_machine_reads_is_not_a_value_of_the_machine(accepting: Path) -> None:
    volume = "{name: ci, cloudInitNoCloud: {secretRef: {name: password}}}"
    base, dump = accepting / "base/db.yaml", accepting / "dump.yaml"
    for path in (base, dump):
        text = path.read_text().replace("volumes: [", f"volumes: [{volume}, ")
        path.write_text(
            text.replace("disks: [", "disks: [{name: ci}, ").replace("  password:", "  userdata:")
        )
    secret = accepting / "overlays/east/password.yaml"
    secret.write_text(secret.read_text().replace("  password:", "  userdata:"))
    assert "secretRef.name: the object that it names" in diff("--live", "dump.yaml").output
    found = diff("--live", "dump.yaml", "--accept", "east/db")
    assert "secretRef" not in found.output


def test_object_without_a_value_to_accept_is_said(accepting: Path) -> None:
    (accepting / "dump.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n  namespace: east\n"
        "  labels: {on-call: alice}\n  managedFields:\n    - manager: kubectl-edit\n      operation: Update\n"
        "      fieldsV1: {'f:metadata': {'f:labels': {'f:on-call': {}}}}\ndata: {mode: slow}\n"
    )
    for options in ((), ("--dry-run",)):
        found = diff("--live", "dump.yaml", "--accept", "east/settings", *options)
        assert found.exit_code == 0
        assert found.output == "nothing to accept: Git decides none of these differences\n"


def test_secrets_of_the_cluster_are_not_written_to_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "repository"
    shutil.copytree(CASES / "live-accept", folder)
    (folder / ".git").mkdir()
    monkeypatch.chdir(folder)
    dump = folder / "dump.yaml"
    token = "ghp_" + "a1B2" * 9
    text = dump.read_text().replace("tier: silver", "tier: hunter2-of-cluster")
    dump.write_text(text.replace("hostname: db-2", f"hostname: {token}"))
    found = diff("--live", "dump.yaml", "--accept", "east/*")
    assert "metadata.labels.tier is confidential" in found.output
    assert "hostname has a credential" in found.output
    sources = "".join(each.read_text() for each in folder.glob("overlays/east/*.yaml"))
    for value in ("hunter2-of-cluster", "aHVudGVyMi1vZi1jbHVzdGVy", token):
        assert value not in sources + found.output


@pytest.mark.parametrize(
    "options", [("--accept", "a/b"), ("--live", "dump.yaml", "HEAD", "--accept", "a/b"), ("--dry-run",)]
)
@pytest.mark.usefixtures("repository")
def test_only_the_work_tree_accepts_values(options: tuple[str, ...]) -> None:
    found = diff(*options)
    assert found.exit_code == 2
    assert "--accept changes the work tree" in found.output


@pytest.mark.parametrize("name", ["dump.yaml", "dumps/dump[1].yaml", "dumps"])
def test_a_dump_in_the_project_is_not_a_source(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    shutil.copytree(CASES / "live-ignored", project)
    settings, dump = project / "argocd.yaml", project / "dump.yaml"
    content = dump.read_text() + "---\n" + settings.read_text()
    settings.unlink()
    dump.unlink()
    monkeypatch.chdir(project)
    inside, outside = project / name, tmp_path / "dump.yaml"
    inside = inside if inside.suffix else inside / "dump.yaml"
    inside.parent.mkdir(exist_ok=True)
    inside.write_text(content)
    found = diff("--live", name)
    inside.rename(outside)
    expected = diff("--live", str(outside))

    assert (found.exit_code, expected.exit_code) == (1, 1)
    assert found.output.replace(name, "") == expected.output.replace(str(outside), "")


@pytest.mark.parametrize("output", FORMATS)
def test_workers_find_the_same_differences(
    output: str, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (overlay,) = (repository / "overlays").iterdir()
    for name in ("second", "third"):
        shutil.copytree(overlay, repository / "overlays" / name)
    monkeypatch.setattr("renderer.app.workers.workers_worth", lambda *_: 99)
    compare, first = diff_live._compared, os.getpid()  # noqa: SLF001 - what workers do
    alone = diff("--live", "dump.yaml", "--format", output, "-j", "1")

    def by_worker(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - as the function
        assert os.getpid() != first
        return compare(*arguments, **options)

    monkeypatch.setattr(diff_live, "_compared", by_worker)
    together = diff("--live", "dump.yaml", "--format", output, "--jobs", "2")
    assert alone.exit_code == 1
    assert (together.output, together.exit_code) == (alone.output, alone.exit_code)


@pytest.mark.usefixtures("repository")
def test_jobs_are_for_a_cluster() -> None:
    found = diff("--jobs", "2")
    assert found.exit_code == 2
    assert "vmrender diff --live DUMP --jobs N" in found.output


CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: limits, namespace: east}\ndata:\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("  mode: slow # of the disks\n", "  mode: fast\n"),
        ("  mode.conf: |\n    a = 1\n", "  mode.conf: |\n    a = 2\n"),
        ("  tier: 'one'\n", "  tier: two\n"),
    ],
)
def test_data_of_a_config_map_is_accepted(accepting: Path, before: str, after: str) -> None:
    kustomization = accepting / "overlays/east/kustomization.yaml"
    kustomization.write_text(
        kustomization.read_text().replace("password.yaml]", "password.yaml, limits.yaml]")
    )
    (accepting / "overlays/east/limits.yaml").write_text(CONFIG + before)
    (accepting / "dump.yaml").write_text(CONFIG + after)
    found = diff("--live", "dump.yaml", "--accept", "east/limits")
    text = (accepting / "overlays/east/limits.yaml").read_text()
    if "|" in before:
        assert 'not accepted: data["mode.conf"]: no line of the sources has it alone' in found.output
        assert text == CONFIG + before
    else:
        assert found.exit_code == 0, found.output
        assert text == CONFIG + before.replace("slow", "fast").replace("one", "two")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("unattend.xml", "<Value>%s</Value>"),
        ("secret.yaml", "{kind: Secret, stringData: {key: %s}}"),
        ("url", "https://me:%s@example.org/"),
        ("password", "%s"),
    ],
)
def test_what_is_confidential_in_a_config_map_is_not_accepted(accepting: Path, key: str, value: str) -> None:
    kustomization = accepting / "overlays/east/kustomization.yaml"
    kustomization.write_text(
        kustomization.read_text().replace("password.yaml]", "password.yaml, limits.yaml]")
    )
    written = f"{CONFIG}  {key}: '{value % 'hunter2'}'\n"
    (accepting / "overlays/east/limits.yaml").write_text(written)
    (accepting / "dump.yaml").write_text(f"{CONFIG}  {key}: '{value % 'hunter3'}'\n")
    found = diff("--live", "dump.yaml", "--accept", "east/limits")
    assert "not accepted" in found.output
    assert "hunter" not in found.output
    assert (accepting / "overlays/east/limits.yaml").read_text() == written


def test_object_is_accepted_by_its_namespace_in_the_cluster(repository: Path) -> None:
    shutil.copytree(CASES / "live-namespaces", repository, dirs_exist_ok=True)
    found = diff("--live", "dump.yaml", "--accept", "other/alone")
    assert found.exit_code == 0
    assert "data: {mode: cluster}" in (repository / "overlays/unknown/objects.yaml").read_text()


def test_many_values_of_one_file_are_accepted(repository: Path) -> None:
    shutil.copytree(CASES / "live-namespaces", repository, dirs_exist_ok=True)
    written = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: many\n  namespace: shop\n  annotations:\n"
    lines = {side: "".join(f"    a{n}: of-{side}\n" for n in range(80)) for side in ("git", "cluster")}
    source = repository / "overlays/known/objects.yaml"
    source.write_text(written + lines["git"])
    (repository / "dump.yaml").write_text(written + lines["cluster"])

    found = diff("--live", "dump.yaml", "--accept", "shop/many", "--overlay", "known")

    assert found.exit_code == 0
    assert source.read_text() == written + lines["cluster"]


def test_accept_reports_what_cannot_be_rendered(repository: Path) -> None:
    shutil.copytree(CASES / "live-namespaces", repository, dirs_exist_ok=True)
    (repository / "overlays/known/objects.yaml").write_text("kind: [\n")
    found = diff("--live", "dump.yaml", "--accept", "shop/here")
    assert found.exit_code == 2
    assert "overlays/known/objects.yaml:1:7: error[yaml-syntax]" in found.stderr


def test_object_that_is_printed_twice_without_a_version_is_an_error(repository: Path) -> None:
    dump = repository / "dump.yaml"
    text = dump.read_text().replace("resourceVersion:", "formerVersion:")
    dump.write_text(f"{text}---\n{text}")
    found = diff("--live", "dump.yaml")
    assert found.exit_code == 1
    assert "is printed twice, without metadata.resourceVersion to say which is newer" in found.stderr
