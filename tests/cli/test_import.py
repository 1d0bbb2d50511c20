"""``vmrender import``: objects of a cluster become sources that render to the same."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from renderer.app.cluster_import.entries import UNKNOWN_REPOSITORY
from renderer.cli.app import main
from renderer.model.kube.json import Json, JsonObject, object_at

MACHINE: JsonObject = {
    "apiVersion": "kubevirt.io/v1",
    "kind": "VirtualMachine",
    "metadata": {"name": "db", "namespace": "prod", "uid": "1"},
    "spec": {
        "runStrategy": "Always",
        "instancetype": {"name": "u1.small", "kind": "virtualmachineclusterinstancetype"},
        "template": {"spec": {"domain": {"devices": {}}}},
    },
}
REPORT = json.loads((Path(__file__).parents[2] / "schemas/vmrender/report.json").read_text())
PASSWORD = "correct-horse-battery"  # noqa: S105 - one to look for


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "repository"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


def run(*arguments: str, dump: object = "") -> Result:
    text = dump if isinstance(dump, str | bytes) else json.dumps(dump)
    return CliRunner(catch_exceptions=False).invoke(main, list(arguments), input=text, prog_name="vmrender")


def listed(*items: JsonObject) -> JsonObject:
    return {"apiVersion": "v1", "kind": "List", "items": list(items)}


def made(kind: str, name: str, namespace: str = "prod", **fields: Json) -> JsonObject:
    metadata: dict[str, Json] = {"name": name, "uid": f"{kind}-{namespace}-{name}"}
    if namespace:
        metadata["namespace"] = namespace
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, **fields}


def with_spec(**fields: Json) -> JsonObject:
    spec = MACHINE["spec"]
    assert isinstance(spec, dict)
    return {**MACHINE, "spec": {**spec, **fields}}


def revision(memory: str, name: str = "db-u1.small-1") -> JsonObject:
    return {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {
            "name": name,
            "namespace": "prod",
            "uid": name,
            "labels": {"instancetype.kubevirt.io/object-name": "u1.small"},
        },
        "data": {
            "apiVersion": "instancetype.kubevirt.io/v1beta1",
            "kind": "VirtualMachineClusterInstancetype",
            "metadata": {"name": "u1.small"},
            "spec": {"cpu": {"guest": 1}, "memory": {"guest": memory}},
        },
    }


def files(folder: Path) -> Mapping[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git" not in path.parts
    }


def content(path: Path) -> dict[str, Any]:
    found = yaml.safe_load(path.read_text())
    assert isinstance(found, dict)
    return found


STATUS: JsonObject = {
    "instancetypeRef": {"name": "u1.small", "controllerRevisionRef": {"name": "db-u1.small-1"}}
}
NAMED: JsonObject = {
    "name": "u1.small",
    "kind": "virtualmachineclusterinstancetype",
    "revisionName": "db-u1.small-1",
}


@pytest.mark.parametrize(
    "machine", [{**MACHINE, "status": STATUS}, with_spec(instancetype=NAMED)], ids=["since-1.5", "until-1.4"]
)
@pytest.mark.parametrize(("memory", "pins"), [("2Gi", False), ("2048Mi", False), ("3Gi", True)])
def test_a_machine_is_pinned_if_the_catalog_has_another_instance_type(
    repository: Path,
    machine: JsonObject,
    memory: str,
    pins: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    result = run("import", "--kubevirt", "1.9", dump=listed(machine, revision(memory)))

    assert (result.exit_code, "warning" in result.stderr) == (0, False)
    assert "revisionName" not in (repository / "overlays/prod/virtualmachine_db.yaml").read_text()
    assert (repository / "overlays/prod/pins").is_dir() is pins
    rendered = run("render")
    assert (rendered.exit_code, "warning" in rendered.stderr) == (0, False)
    found = content(repository / "rendered/prod/prod/virtualmachine_db.yaml")
    assert ("revisionName" in str(found)) is pins
    if pins:
        [kept] = (repository / "rendered/prod/prod").glob("controllerrevision_*")
        assert content(kept)["data"]["spec"]["memory"] == {"guest": memory}


def installed(memory: str) -> JsonObject:
    return {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterInstancetype",
        "metadata": {
            "name": "u1.small",
            "uid": "8",
            "labels": {"app.kubernetes.io/managed-by": "virt-operator"},
        },
        "spec": {"cpu": {"guest": 1}, "memory": {"guest": memory}},
    }


@pytest.mark.parametrize(
    ("in_cluster", "started_with", "is_pinned"),
    [("3Gi", "3Gi", False), ("3Gi", "2Gi", False), ("3Gi", "4Gi", True), ("2048Mi", "2Gi", False)],
)
def test_a_machine_is_compared_with_what_the_cluster_and_git_have(
    repository: Path,
    in_cluster: str,
    started_with: str,
    is_pinned: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    machine = {**MACHINE, "status": STATUS}
    dump = listed(machine, revision(started_with), installed(in_cluster))

    result = run("import", "--kubevirt", "1.9", dump=dump)

    assert (result.exit_code, "warning" in result.stderr) == (0, False)
    assert (repository / "overlays/prod/pins").is_dir() is is_pinned
    differs_from_git = in_cluster == "3Gi"
    assert (repository / "overlays/_cluster/installed").is_dir() is differs_from_git
    assert "overlays/_cluster/installed" in (repository / "vmrender.yaml").read_text() or not differs_from_git
    assert run("render").exit_code == 0


def test_installed_instance_type_that_has_changed_is_named_and_replaced_by_force(repository: Path) -> None:
    file = repository / "overlays/_cluster/installed/virtualmachineclusterinstancetype_u1.small.yaml"
    machine = {**MACHINE, "status": STATUS}
    run("import", "--kubevirt", "1.9", dump=listed(machine, revision("3Gi"), installed("3Gi")))
    before = file.read_text()
    changed = listed(machine, revision("4Gi"), installed("4Gi"))

    result = run("import", "--kubevirt", "1.9", dump=changed)

    assert (result.exit_code, file.read_text()) == (0, before)
    assert (
        "overlays/_cluster/installed/virtualmachineclusterinstancetype_u1.small.yaml: warning[not-checked]: "
        "the cluster has another VirtualMachineClusterInstancetype u1.small than this file"
    ) in result.stderr

    result = run("import", "--kubevirt", "1.9", "--force", dump=changed)

    assert (result.exit_code, "warning" in result.stderr) == (0, False)
    assert content(file)["spec"]["memory"] == {"guest": "4Gi"}
    assert run("import", "--kubevirt", "1.9", dump=changed).stderr.count("warning") == 0


def test_revision_missing_from_the_dump_is_reported() -> None:
    result = run("import", dump=listed({**MACHINE, "status": STATUS}))

    assert result.exit_code == 0
    assert "warning[revision-invalid]" in result.stderr
    assert "the dump does not have its ControllerRevision db-u1.small-1" in result.stderr


def test_unknown_instance_type_is_named() -> None:
    result = run("import", dump=listed(with_spec(instancetype={"name": "own.odd"})))

    assert result.exit_code == 0
    assert "warning[instancetype-not-found]: VirtualMachine prod/db: " in result.stderr
    assert "kubectl get vm,controllerrevision" in result.stderr


def test_pinned_machine_keeps_a_deleted_instance_type(repository: Path) -> None:
    kept = revision("3Gi")
    gone = json.loads(json.dumps(kept).replace("u1.small", "own.odd"))
    machine = with_spec(
        instancetype={
            "name": "own.odd",
            "kind": "virtualmachineclusterinstancetype",
            "revisionName": "db-own.odd-1",
        }
    )

    result = run("import", "--kubevirt", "1.9", dump=listed(machine, gone))

    assert (result.exit_code, result.stderr.count("warning")) == (0, 0)
    assert run("render").exit_code == 0
    assert "own.odd" in (repository / "rendered/prod/prod/virtualmachine_db.yaml").read_text()


@pytest.mark.parametrize(
    ("text", "is_secret"),
    [
        (f"#cloud-config\npassword: {PASSWORD}\n", True),
        (f"#cloud-config\nchpasswd: {{list: 'root:{PASSWORD}'}}\n", True),
        (f"#cloud-config\nusers: [{{name: a, passwd: $6$x${PASSWORD}}}]\n", True),
        (f"#!/bin/sh\ncurl https://me:{PASSWORD}@example.com\n", True),
        (f"#cloud-config\nwrite_files: [{{path: /a, encoding: b64, content: {PASSWORD}}}]\n", True),
        (f"#!/bin/sh\nmysql -uroot -p{PASSWORD} < /a.sql\n", True),
        (f"#!/bin/sh\nmysqldump --all-databases -p'{PASSWORD}' | gzip\n", True),
        (f"#ps1\nnet user Administrator {PASSWORD} /add\n", True),
        ("#!/bin/sh\nmkdir -p/a; ssh -p2222 host; mysql -uroot shop | tar -pxf -\n", False),
        ("#ps1\nnet user Administrator /active:yes\n", False),
        (f"-----BEGIN OPENSSH PRIVATE KEY-----\n{PASSWORD}\n", True),
        (
            "#cloud-config\nssh_pwauth: false\nusers: [{name: a, lock_passwd: true, sudo: ALL NOPASSWD}]\n",
            False,
        ),
        ("#cloud-config\nruncmd: [[systemctl, enable, --now, qemu-guest-agent]]\n", False),
        ("#cloud-config\nssh_authorized_keys: [ssh-ed25519 AAAA me@here]\n", False),
    ],
)
@pytest.mark.parametrize("encoded", [False, True])
def test_start_data_with_credentials_moves_to_a_secret(
    repository: Path,
    text: str,
    is_secret: bool,  # noqa: FBT001 - a parameter of the test
    encoded: bool,  # noqa: FBT001 - as above
) -> None:
    from base64 import b64encode  # noqa: PLC0415 - beside its use

    source = {"userDataBase64": b64encode(text.encode()).decode()} if encoded else {"userData": text}
    source["networkData"] = "version: 2\n"
    volume: JsonObject = {"name": "seed", "cloudInitNoCloud": source}
    template: JsonObject = {"spec": {"domain": {"devices": {}}, "volumes": [volume]}}

    result = run("import", dump=listed(with_spec(template=template)))

    written = "".join(files(repository).values())
    assert (PASSWORD in written + result.output + result.stderr) is False
    found = content(repository / "overlays/prod/virtualmachine_db.yaml")
    [seed] = found["spec"]["template"]["spec"]["volumes"]
    reference = {"name": "db-seed"}
    expected = {"secretRef": reference, "networkDataSecretRef": reference} if is_secret else source
    assert seed == {"name": "seed", "cloudInitNoCloud": expected}
    if is_secret:
        keys = content(repository / "overlays/prod/secret_db-seed.yaml")["stringData"]
        assert keys == {"userdata": "", "networkdata": ""}


@pytest.mark.parametrize(
    "dump",
    [
        made("Secret", "db", data={"key": "Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5"}, stringData={"other": PASSWORD}),
        made("ConfigMap", "answers", data={"Autounattend.xml": f"<Value>{PASSWORD}</Value>"}),
        {
            **MACHINE,
            "spec": {
                "template": {
                    "metadata": {
                        "annotations": {"kubevirt.io/ignitiondata": f'{{"passwordHash": "{PASSWORD}"}}'}
                    },
                    "spec": {"domain": {"devices": {}}},
                }
            },
        },
    ],
    ids=["secret", "answer-file", "ignition"],
)
def test_no_password_reaches_a_file_or_a_message(repository: Path, dump: JsonObject) -> None:
    result = run("import", dump=listed(dump, made("ConfigMap", "other", data={"a": "b"})))

    assert result.exit_code == 0
    for text in (*files(repository).values(), result.output, result.stderr):
        assert PASSWORD not in text
        assert "Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5" not in text

    plain = run("import", "--secrets", "plain", "--force", dump=listed(dump))
    assert plain.exit_code == 0
    assert PASSWORD in "".join(files(repository).values())


@pytest.mark.parametrize("entry", ["secret_db.yaml", "./secret_db.yaml", "../prod/secret_db.yaml"])
@pytest.mark.parametrize("options", [(), ("--force",), ("--force", "--secrets", "plain")])
def test_sealed_secret_stays_sealed_and_listed(
    repository: Path, entry: str, options: tuple[str, ...]
) -> None:
    dump = listed(made("Secret", "db", data={"key": "YQ=="}), made("ConfigMap", "a", data={"a": "b"}))
    run("import", dump=dump)
    sealed, kustomization = (
        repository / "overlays/prod/secret_db.yaml",
        repository / "overlays/prod/kustomization.yaml",
    )
    sealed.write_text(json.dumps({**made("Secret", "db", data={"key": "ENC[]"}), "sops": {"mac": "ENC[]"}}))
    kustomization.write_text(kustomization.read_text().replace("resources:\n", f"resources:\n- {entry}\n"))
    before = files(repository)

    again = run("import", *options, dump=dump)

    assert (again.exit_code, files(repository)) == (0, before)


def test_folder_that_cannot_be_built_gets_new_files_and_keeps_the_others(repository: Path) -> None:
    dump = listed(MACHINE, made("Secret", "db", data={"key": "YQ=="}))
    run("import", dump=dump)
    kustomization = repository / "overlays/prod/kustomization.yaml"
    kustomization.write_text(kustomization.read_text() + "components:\n- ../missing\n")
    machine = (repository / "overlays/prod/virtualmachine_db.yaml").read_text()

    again = run(
        "import", dump=listed(with_spec(runStrategy="Halted"), made("ConfigMap", "a", data={"a": "b"}))
    )

    assert again.exit_code == 0
    assert "warning[not-checked]: overlays/prod cannot be built" in again.stderr
    assert content(kustomization)["resources"] == ["virtualmachine_db.yaml", "configmap_a.yaml"]
    assert content(kustomization)["components"] == ["../missing"]
    assert (repository / "overlays/prod/virtualmachine_db.yaml").read_text() == machine


def test_file_names_are_safe_and_distinct_on_any_disk(repository: Path) -> None:
    roles: list[JsonObject] = [
        {**made("Role", name), "apiVersion": "rbac.authorization.k8s.io/v1", "rules": []}
        for name in ("Reader", "reader", "con", "system:x", "a" * 300, "a" * 300 + "b", "kustomization")
    ]

    result = run("import", dump=listed(*roles))

    assert result.exit_code == 0
    names = [path.name for path in (repository / "overlays/prod").iterdir()]
    assert len({name.lower() for name in names}) == len(roles) + 1
    assert all(len(name) < 200 and ":" not in name for name in names)
    rendered = run("render")
    assert rendered.exit_code == 0


@pytest.mark.parametrize("name", ["..", "a/b", "a\u202eb", "a\x1b[2J", "a\nb", "%2e%2e"])
@pytest.mark.parametrize("where", ["name", "namespace"])
def test_names_that_the_api_server_rejects_are_refused(repository: Path, name: str, where: str) -> None:
    dump = made("ConfigMap", name if where == "name" else "a", name if where == "namespace" else "prod")

    result = run("import", dump=listed(dump))

    assert result.exit_code == 2
    assert "error[dump-invalid]" in result.stderr
    assert "\x1b" not in result.stderr
    assert files(repository) == {}


@pytest.mark.parametrize("output", ["..", "/tmp/elsewhere", ".git/hooks", ".", ".github"])
def test_nothing_is_written_outside_of_the_project(repository: Path, output: str) -> None:
    result = run("import", "--output", output, dump=listed(MACHINE))

    assert result.exit_code == 2
    assert files(repository) == {}


def test_no_link_is_followed(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (repository / "overlays").symlink_to(tmp_path / "elsewhere")

    result = run("import", dump=listed(MACHINE))

    assert result.exit_code == 2
    assert "symbolic link" in result.stderr
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_truncated_dump_changes_nothing(repository: Path) -> None:
    (repository / "vmrender.yaml").write_text("apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n")
    text = json.dumps(listed(MACHINE, made("ConfigMap", "a")))
    before = files(repository)

    for cut in range(1, len(text), 7):
        assert run("import", dump=text[:cut]).exit_code == 2
    assert files(repository) == before


def test_an_overlay_of_an_existing_project_keeps_matchers(repository: Path) -> None:
    project = repository / "vmrender.yaml"
    project.write_text('apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\nkubevirt: "1.8" # ours\n')

    assert run("import", dump=listed(MACHINE)).exit_code == 0

    assert 'kubevirt: "1.8" # ours' in project.read_text()
    assert run("render").exit_code == 0
    assert "u1.small" in (repository / "rendered/prod/prod/virtualmachine_db.yaml").read_text()


def test_role_binding_of_an_account_in_another_namespace_is_unchanged(repository: Path) -> None:
    binding: JsonObject = {
        **made("RoleBinding", "readers"),
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"},
        "subjects": [{"kind": "ServiceAccount", "name": "default", "namespace": "other"}],
    }

    assert run("import", dump=listed(binding)).exit_code == 0
    assert run("render").exit_code == 0

    rendered = content(repository / "rendered/prod/prod/rolebinding_readers.yaml")
    assert rendered["subjects"] == binding["subjects"]


def test_newer_of_two_copies_is_imported(repository: Path, tmp_path: Path) -> None:
    for number, version in enumerate(("9", "11", "10")):
        config = made("ConfigMap", "a", data={"version": version})
        metadata = config["metadata"]
        assert isinstance(metadata, dict)
        config = {**config, "metadata": {**metadata, "resourceVersion": version}}
        (tmp_path / f"{number}.json").write_text(json.dumps(listed(config)))

    assert run("import", *(str(tmp_path / f"{number}.json") for number in range(3))).exit_code == 0
    assert content(repository / "overlays/prod/configmap_a.yaml")["data"] == {"version": "11"}


@pytest.mark.parametrize(
    "machine", [{**MACHINE, "status": STATUS}, with_spec(instancetype=NAMED)], ids=["since-1.5", "until-1.4"]
)
def test_expand_uses_the_revision_in_the_same_input(machine: JsonObject) -> None:
    expanded = run("expand", "-", dump=listed(machine, revision("3Gi")))
    assert (expanded.exit_code, "warning" in expanded.stderr) == (0, False)
    assert (
        "guest: 3Gi"
        in expanded.stdout.partition("kind: ControllerRevision")[0].rpartition("kind: VirtualMachine")[0]
    )

    without = run("expand", "-", dump=listed(machine))
    assert "guest: 2Gi" in without.stdout
    assert "warning[revision-invalid]" in without.stderr


def test_fit_keeps_machines_with_matchers_apart(repository: Path) -> None:
    sized: JsonObject = {
        "spec": {
            "domain": {
                "cpu": {"cores": 1, "sockets": 1, "threads": 1},
                "memory": {"guest": "2Gi"},
                "devices": {},
            }
        },
    }
    own = with_spec(template=sized)
    bare = {**own, "metadata": {"name": "bare", "namespace": "prod", "uid": "9"}}
    spec = {key: value for key, value in object_at(bare, "spec").items() if key != "instancetype"}
    named = {**MACHINE, "metadata": {"name": "named", "namespace": "prod", "uid": "8"}}

    result = run("import", "--fit", dump=listed({**bare, "spec": spec}, named))

    assert result.exit_code == 0
    assert "fit: prod/bare: u1.small\n" in result.stderr
    assert "memory" not in (repository / "overlays/prod_fitted/virtualmachine_bare.yaml").read_text()
    assert run("render").exit_code == 0
    rendered = content(repository / "rendered/prod_fitted/prod/virtualmachine_bare.yaml")["spec"]
    assert rendered["template"]["spec"]["domain"]["memory"] == {"guest": "2Gi"}
    assert "instancetype" not in rendered
    assert "instancetype" in content(repository / "rendered/prod/prod/virtualmachine_named.yaml")["spec"]


def test_fitted_machines_of_another_folder_are_rendered_with_the_others(repository: Path) -> None:
    template: JsonObject = {
        "spec": {
            "architecture": "amd64",
            "domain": {
                "cpu": {"sockets": 1, "cores": 1, "threads": 1},
                "devices": {},
                "machine": {"type": "q35"},
                "memory": {"guest": "4Gi"},
            },
        }
    }
    bare: JsonObject = {
        **MACHINE,
        "metadata": {"name": "bare", "namespace": "prod", "uid": "7"},
        "spec": {"runStrategy": "Always", "template": template},
    }
    assert run("import", "-", dump=listed(MACHINE)).exit_code == 0
    result = run("import", "-", "--fit", "--output", "east", dump=listed(MACHINE, bare))
    assert "fitted: 1 of 1 virtual machine" in result.stderr
    assert run("render").exit_code == 0
    trees = sorted(
        path.parents[1].relative_to(repository).as_posix()
        for path in repository.glob("rendered/**/virtualmachine_*.yaml")
    )
    assert trees == ["rendered/east/prod", "rendered/east/prod_fitted", "rendered/prod"]


def test_group_named_pins_does_not_use_the_folder_of_pins(repository: Path) -> None:
    machines: list[JsonObject] = []
    for name in ("a", "b"):
        metadata: JsonObject = {"name": name, "namespace": "prod", "uid": name, "labels": {"tier": "pins"}}
        machines.append({**with_spec(instancetype=NAMED), "metadata": metadata})

    assert run("import", "--group-by", "tier", dump=listed(*machines, revision("3Gi"))).exit_code == 0

    assert content(repository / "overlays/prod/pins/kustomization.yaml")["kind"] == "Component"
    assert run("render").exit_code == 0
    assert "revisionName" in (repository / "rendered/prod/prod/virtualmachine_a.yaml").read_text()


def test_pinned_machine_that_is_not_imported_has_no_pin(repository: Path) -> None:
    template: JsonObject = {
        "metadata": {"annotations": {"kubevirt.io/ignitiondata": '{"passwordHash": "x"}'}},
        "spec": {"domain": {"devices": {}}},
    }
    machine = with_spec(instancetype=NAMED, template=template)

    result = run("import", dump=listed(machine, revision("3Gi"), made("ConfigMap", "a", data={"a": "b"})))

    assert result.exit_code == 0
    assert not (repository / "overlays/prod/pins").exists()
    assert run("render").exit_code == 0


def test_release_that_differs_from_the_projects_is_set_on_the_cluster(repository: Path) -> None:
    project = repository / "vmrender.yaml"
    project.write_text('apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\nkubevirt: "1.8"\n')
    cluster: JsonObject = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt", "namespace": "kubevirt", "uid": "k"},
        "status": {"observedKubeVirtVersion": "v1.6.3"},
    }

    assert run("import", "--output", "clusters/east", dump=listed(MACHINE, cluster)).exit_code == 0

    assert content(project)["kubevirt"] == "1.8"
    [east] = content(project)["clusters"]
    assert (east["name"], east["kubevirt"]) == ("east", "1.6.3")
    assert content(project)["overlays"][-1]["path"] == "clusters/east/*"
    assert run("render").exit_code == 0


def test_namespace_without_machines_is_imported_if_the_dump_has_no_machine(repository: Path) -> None:
    result = run("import", dump=listed(made("ConfigMap", "a", "prod"), made("ConfigMap", "b", "other")))

    assert result.exit_code == 0
    assert {path.name for path in (repository / "overlays").iterdir()} == {"prod", "other"}


def test_machine_of_a_missing_pool_counts_for_its_namespace(repository: Path) -> None:
    owner: JsonObject = {"kind": "VirtualMachinePool", "name": "p", "controller": True}
    metadata: JsonObject = {"name": "p-0", "namespace": "shop", "uid": "p", "ownerReferences": [owner]}

    made_by_pool = {**MACHINE, "metadata": metadata}
    configs = (made("ConfigMap", "a", "shop"), made("ConfigMap", "b", "other"))
    result = run("import", dump=listed(MACHINE, made_by_pool, *configs))

    assert result.exit_code == 0
    assert {path.name for path in (repository / "overlays").iterdir()} == {"prod", "shop"}
    assert "left out: 1 ConfigMap, as no virtual machine runs in its namespace" in result.stderr


@pytest.mark.parametrize("observed", [None, "", "unknown"])
def test_unspecified_release_is_reported_as_a_guess(observed: str | None) -> None:
    cluster = {
        **made("KubeVirt", "kubevirt"),
        "apiVersion": "kubevirt.io/v1",
        "status": {"observedKubeVirtVersion": observed},
    }
    dump = listed(MACHINE) if observed is None else listed(MACHINE, cluster)

    guessed = run("import", "--dry-run", dump=dump)
    assert "warning[not-checked]" in guessed.stderr
    assert "is a guess" in guessed.stderr
    assert "--kubevirt" in guessed.stderr
    assert "a guess" not in run("import", "--dry-run", "--kubevirt", "1.6", dump=dump).stderr


def test_secret_made_of_start_data_names_its_field(repository: Path) -> None:
    volume: JsonObject = {"name": "seed", "cloudInitNoCloud": {"userData": f"password: {PASSWORD}"}}
    template: JsonObject = {"spec": {"domain": {"devices": {}}, "volumes": [volume]}}
    run("import", dump=listed(with_spec(template=template), made("Secret", "own", data={"a": "YQ=="})))

    moved = (repository / "overlays/prod/secret_db-seed.yaml").read_text()
    assert "spec.template.spec.volumes[0].cloudInitNoCloud.userData of VirtualMachine db" in moved
    assert "has to exist before" in moved
    assert "values are in the cluster" not in moved
    assert "values are in the cluster" in (repository / "overlays/prod/secret_own.yaml").read_text()


def test_a_second_import_writes_nothing(repository: Path) -> None:
    dump = listed(MACHINE, made("Secret", "db", data={"key": "YQ=="}))
    run("import", dump=dump)
    before = files(repository)

    again = run("import", dump=dump).stderr

    assert "nothing new\nin Git already: 1 object, left as they are\n" in again
    assert "\n0 files written\n" in again
    assert files(repository) == before


@pytest.mark.parametrize("where", ["dump.json", "dumps/dump.json", "../dump.json"])
@pytest.mark.parametrize("is_ignored", [False, True])
def test_dump_that_git_does_not_ignore_is_reported(
    repository: Path,
    where: str,
    is_ignored: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    (repository / ".git").rmdir()
    subprocess.run(["git", "init", "--quiet", "."], check=True)
    path = repository / where
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(listed(MACHINE, made("Secret", "db", data={"key": "YQ=="}))))
    if is_ignored:
        (repository / ".gitignore").write_text("dump*\n")

    named = where.partition("/")[0] if where.startswith("dumps") else where
    result = run("import", named)

    assert result.exit_code == 0
    warning = f"{named}: warning[dump-exposed]: do not commit {named}: it holds values of Secrets"
    assert (warning in result.stderr) is (not is_ignored and where != "../dump.json")


@pytest.mark.parametrize(
    ("label", "says"),
    [
        ("app", "grouped: 2 machines in 1 base\n"),
        ("tier", "grouped: none, as no two machines"),
    ],
)
def test_number_of_grouped_machines_is_reported(label: str, says: str) -> None:
    machines: list[JsonObject] = []
    for name in ("a", "b"):
        metadata: JsonObject = {"name": name, "namespace": "prod", "uid": name, "labels": {"app": "x"}}
        machines.append({**MACHINE, "metadata": metadata})

    assert says in run("import", "--group-by", label, dump=listed(*machines)).stderr


def test_machine_that_was_moved_joins_no_group(repository: Path) -> None:
    machines: list[JsonObject] = []
    for name in ("a", "b"):
        metadata: JsonObject = {"name": name, "namespace": "prod", "uid": name, "labels": {"app": "x"}}
        machines.append({**MACHINE, "metadata": metadata})
    assert run("import", "-", dump=listed(machines[0])).exit_code == 0
    prod = repository / "overlays/prod"
    (prod / "moved").mkdir()
    (prod / "virtualmachine_a.yaml").rename(prod / "moved/virtualmachine_a.yaml")
    (prod / "moved/kustomization.yaml").write_text("resources: [virtualmachine_a.yaml]\n")
    kustomization = prod / "kustomization.yaml"
    kustomization.write_text(kustomization.read_text().replace("virtualmachine_a.yaml", "moved"))

    result = run("import", "-", "--force", "--group-by", "app", dump=listed(*machines))

    assert result.exit_code == 0, result.stderr
    assert (prod / "virtualmachine_b.yaml").is_file()
    assert run("build", "overlays/prod").exit_code == 0


@pytest.mark.parametrize("label", ["a b", "a/b/c", "-", "a=b"])
def test_invalid_label_key_is_refused(repository: Path, label: str) -> None:
    result = run("import", "--group-by", label, dump=listed(MACHINE))

    assert result.exit_code == 2
    assert "--group-by" in result.stderr
    assert files(repository) == {}


def test_kustomization_in_a_folder_of_dumps_is_ignored(repository: Path, tmp_path: Path) -> None:
    dumps = tmp_path / "dumps"
    dumps.mkdir()
    (dumps / "vm.json").write_text(json.dumps(MACHINE))
    head = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}
    (dumps / "kustomization.yaml").write_text(json.dumps({**head, "resources": ["vm.json"]}))

    assert run("import", str(dumps)).exit_code == 0
    assert (repository / "overlays/prod/virtualmachine_db.yaml").is_file()


def test_forced_import_of_one_machine_keeps_everything_else(repository: Path) -> None:
    gone = {**MACHINE, "metadata": {"name": "gone", "namespace": "prod", "uid": "2"}}
    assert run("import", "-", dump=listed(MACHINE, gone)).exit_code == 0
    kustomization = repository / "overlays/prod/kustomization.yaml"
    mine = repository / "overlays/prod/mine.yaml"
    mine.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine}\n")
    listing = kustomization.read_text().replace("resources:\n", "resources:\n- mine.yaml\n")
    patch = "- {op: remove, path: /spec/runStrategy}"
    kustomization.write_text(
        f"# ours\n{listing}patches:\n- target: {{kind: VirtualMachine}}\n  patch: '{patch}'\n"
    )
    before = files(repository)

    result = run("import", "-", "--force", dump=listed(with_spec(runStrategy="Halted")))

    assert result.exit_code == 0
    path = "overlays/prod/virtualmachine_db.yaml"
    changed = before[path].replace("Always", "Halted")
    assert files(repository) == {**before, path: changed}


def test_forced_import_keeps_labels_that_only_git_has(repository: Path) -> None:
    assert run("import", "-", dump=listed(MACHINE)).exit_code == 0
    machine = repository / "overlays/prod/virtualmachine_db.yaml"
    machine.write_text(machine.read_text().replace("  name: db\n", "  name: db\n  labels: {tier: ours}\n", 1))

    assert run("import", "-", "--force", dump=listed(with_spec(runStrategy="Halted"))).exit_code == 0

    found = content(machine)
    assert (found["metadata"]["labels"], found["spec"]["runStrategy"]) == ({"tier": "ours"}, "Halted")


def test_file_with_other_objects_is_not_replaced(repository: Path) -> None:
    place = repository / "overlays/prod/virtualmachine_db.yaml"
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps(made("ConfigMap", "mine")))

    result = run("import", "-", "--force", dump=listed(MACHINE))

    assert result.exit_code == 1
    assert "error[file-exists]: overlays/prod/virtualmachine_db.yaml already exists, and holds ConfigMap" in (
        result.stderr
    )
    assert content(place)["kind"] == "ConfigMap"


def test_next_steps_add_an_existing_folder_with_the_trees(repository: Path) -> None:
    head = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n"
    (repository / "vmrender.yaml").write_text(
        f"{head}output: out/prod-{{name}}\noverlays: [{{path: overlays/*}}]\n"
    )
    assert "git add vmrender.yaml overlays out\n" in run("import", "-", dump=listed(MACHINE)).stderr


def test_an_import_from_a_folder_of_the_project_writes_to_its_overlays(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("import", "-", dump=listed(MACHINE)).exit_code == 0
    (repository / "docs/deep").mkdir(parents=True)
    monkeypatch.chdir(repository / "docs/deep")
    result = run("import", "-", dump=listed(MACHINE))
    assert result.exit_code == 0
    assert "0 files written" in result.stderr
    assert "git add ../../vmrender.yaml ../../overlays ../../rendered" in result.stderr
    assert not any((repository / "docs/deep").iterdir())
    assert run("import", "-", "--output", "here", "--dry-run", dump=listed(MACHINE)).exit_code == 0


def test_release_is_read_from_an_operators_kubevirt_object(repository: Path) -> None:
    kubevirt = made("KubeVirt", "kubevirt-kubevirt-hyperconverged", "openshift-cnv")
    owner: JsonObject = {"apiVersion": "hco.kubevirt.io/v1beta1", "kind": "HyperConverged", "name": "h"}
    metadata = {
        **object_at(kubevirt, "metadata"),
        "labels": {"app.kubernetes.io/managed-by": "hco-operator"},
        "ownerReferences": [{**owner, "controller": True, "uid": "9"}],
    }
    status: JsonObject = {"observedKubeVirtVersion": "v1.6.3-4-gabc"}
    configuration: JsonObject = {"configuration": {"vmRolloutStrategy": "LiveUpdate"}}
    kubevirt = {
        **kubevirt,
        "apiVersion": "kubevirt.io/v1",
        "metadata": metadata,
        "spec": configuration,
        "status": status,
    }
    result = run("import", "-", dump=listed(MACHINE, kubevirt))
    assert "imported for KubeVirt 1.6.3: 1 VirtualMachine" in result.stderr
    assert "left out: 1 KubeVirt, as its HyperConverged creates it" in result.stderr
    assert "LiveUpdate" in (repository / "overlays/_cluster/kubevirt/kubevirt.yaml").read_text()


def test_characters_that_kustomize_alters_or_refuses_survive(repository: Path) -> None:
    text = "line\x85 break\x7f\ufffe"
    result = run("import", dump=listed(MACHINE, made("ConfigMap", "odd", data={"a": text})))
    assert result.exit_code == 0, result.stderr
    [file] = repository.rglob("configmap_odd.yaml")
    assert yaml.safe_load(file.read_text())["data"] == {"a": text}


def test_object_that_cannot_be_written_is_named() -> None:
    result = run("import", dump=listed(MACHINE, made("ConfigMap", "odd", data={"a\x85b": "c"})))
    assert result.exit_code == 2
    assert "ConfigMap prod/odd: a key with the line break U+0085 cannot be written" in result.stderr


def test_only_names_what_is_imported() -> None:
    dump = listed(MACHINE, made("ConfigMap", "a", data={"a": "b"}))

    refused = run("import", "--only", "prod/bd", dump=dump)

    assert refused.exit_code == 2
    assert "the dump holds no prod/bd that belongs in Git; did you mean prod/db?" in refused.stderr


def test_summary_of_a_large_cluster_fits_a_screen_and_json_has_everything() -> None:
    machines: list[JsonObject] = []
    for number in range(300):
        volume: JsonObject = {"name": "seed", "cloudInitNoCloud": {"userData": f"password: {PASSWORD}"}}
        template: JsonObject = {"spec": {"domain": {"devices": {}}, "volumes": [volume]}}
        metadata: JsonObject = {
            "name": f"vm-{number}",
            "namespace": f"team-{number % 50}",
            "uid": f"{number}",
            "annotations": {"argocd.argoproj.io/tracking-id": f"app-{number % 50}:x"},
        }
        spec: JsonObject = {"runStrategy": "Always", "template": template}
        status: JsonObject = {"printableStatus": "Running", "restoreInProgress": f"r-{number}"}
        machines.append({**MACHINE, "metadata": metadata, "spec": spec, "status": status})

    result = run("import", "--dry-run", "--fit", dump=listed(*machines))
    assert result.exit_code == 0
    assert len(result.stderr.splitlines()) <= 55
    assert "and 295 more files to seal; --format json names all" in result.stderr

    found = json.loads(run("import", "--dry-run", "--fit", "--format", "json", dump=listed(*machines)).stdout)
    assert list(Draft202012Validator(REPORT).iter_errors(found)) == []
    imported = found["import"]
    counts = {key: len(imported[key]) for key in ("toSeal", "restarts", "appliedBy", "inProgress", "fits")}
    assert counts == {"toSeal": 300, "restarts": 300, "appliedBy": 50, "inProgress": 300, "fits": 300}
    assert PASSWORD not in json.dumps(found)


PINNED: JsonObject = {**MACHINE, "status": STATUS}
OTHER: JsonObject = {**MACHINE, "metadata": {"name": "web", "namespace": "shop", "uid": "5"}}


@pytest.mark.parametrize("engine", ["argocd", "flux"])
def test_later_import_adds_to_the_entry_objects(repository: Path, engine: str) -> None:
    first = run("import", "--entries", engine, dump=listed(PINNED, revision("3Gi")))
    assert first.exit_code == 0
    file = repository / engine / "vms.yaml"
    file.write_text("# ours\n" + file.read_text().replace("10m", "1h"))
    before = file.read_text()

    assert run("import", "--entries", engine, dump=listed(OTHER)).exit_code == 0

    added = file.read_text()
    assert [line for line in before.splitlines() if line not in added] == []
    assert added.count("rendered/shop") == 1
    assert run("import", "--entries", engine, dump=listed(OTHER, PINNED)).exit_code == 0
    assert file.read_text() == added


@pytest.mark.parametrize(("strategy", "in_waves"), [("Always", True), ("Halted", False)])
def test_pins_are_synced_first_where_argo_cd_can(
    repository: Path,
    strategy: str,
    in_waves: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    machine = {**with_spec(runStrategy=strategy), "status": STATUS}

    result = run("import", "--kubevirt", "1.9", "--entries", "argocd", dump=listed(machine, revision("3Gi")))

    assert result.exit_code == 0
    assert ("syncWaves: true" in (repository / "vmrender.yaml").read_text()) is in_waves
    assert ("apply the ControllerRevisions of prod before the machines" in result.stderr) is not in_waves
    rendered = run("render")
    assert (rendered.exit_code, "halted-in-sync-waves" in rendered.stderr) == (0, False)


def test_machine_that_is_pinned_later_is_reported(repository: Path) -> None:
    assert run("import", "--entries", "flux", dump=listed(MACHINE)).exit_code == 0
    later = {**PINNED, "metadata": {"name": "later", "namespace": "prod", "uid": "6"}}

    result = run("import", "--entries", "flux", dump=listed(later, revision("3Gi")))

    assert "apply the ControllerRevisions of prod before the machines" in result.stderr
    again = run("import", "--entries", "flux", "--format", "json", dump=listed(later, revision("3Gi")))
    assert json.loads(again.stdout)["import"]["unorderedPins"] == ["prod"]
    assert "pins" not in (repository / "flux/vms.yaml").read_text()


@pytest.mark.parametrize(
    ("origin", "written"),
    [
        (f"https://me:{PASSWORD}@git.example.org/a/b.git", "https://git.example.org/a/b.git"),
        (f"ssh://me:{PASSWORD}@git.example.org/a/b.git", "ssh://me@git.example.org/a/b.git"),
        ("git@git.example.org:a/b.git", "git@git.example.org:a/b.git"),
        (f"https://git.example.org/a/b.git?token={PASSWORD}", UNKNOWN_REPOSITORY),
    ],
)
def test_address_in_entry_objects_has_no_password(repository: Path, origin: str, written: str) -> None:
    (repository / ".git").rmdir()
    for command in (["init", "-q"], ["remote", "add", "origin", origin]):
        subprocess.run(["git", *command], check=True)

    assert run("import", "--entries", "argocd", dump=listed(MACHINE)).exit_code == 0

    assert f"repoURL: {written}\n" in (repository / "argocd/vms.yaml").read_text()


@pytest.mark.parametrize("change", ["namePrefix: acme-", "nameSuffix: -x", "namespace: other"])
def test_folder_that_renames_its_objects_gets_no_new_ones(repository: Path, change: str) -> None:
    assert run("import", dump=listed(MACHINE)).exit_code == 0
    kustomization = repository / "overlays/prod/kustomization.yaml"
    kustomization.write_text(kustomization.read_text().replace("namespace: prod\n", "") + f"{change}\n")
    before = files(repository)
    other = {**MACHINE, "metadata": {"name": "web", "namespace": "prod", "uid": "5"}}

    result = run("import", dump=listed(other))

    assert result.exit_code == 1
    assert "error[edit-refused]: overlays/prod would render VirtualMachine prod/web" in result.stderr
    assert files(repository) == before


def test_plain_folder_of_manifests_gets_no_kustomization(repository: Path) -> None:
    folder = repository / "overlays/prod"
    folder.mkdir(parents=True)
    (folder / "notes.yaml").write_text(json.dumps(made("ConfigMap", "notes")))
    before = files(repository)

    result = run("import", dump=listed(MACHINE))

    assert result.exit_code == 2
    assert "error[kustomization-missing]: overlays/prod has manifests such as notes.yaml" in result.stderr
    assert files(repository) == before


def test_objects_of_other_overlays_are_in_git(repository: Path) -> None:
    (repository / "vmrender.yaml").write_text(
        "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays: [{path: apps/*}]\n"
    )
    app = repository / "apps/db"
    app.mkdir(parents=True)
    (app / "kustomization.yaml").write_text("namespace: prod\nresources: [vm.yaml]\n")
    (app / "vm.yaml").write_text(json.dumps({**MACHINE, "metadata": {"name": "db"}}))

    result = run("import", dump=listed(MACHINE, OTHER))

    assert result.exit_code == 0
    assert "in Git already: 1 object (also in apps/db), left as they are" in result.stderr
    written = [path for path in files(repository) if "virtualmachine_" in path]
    assert written == ["overlays/shop/virtualmachine_web.yaml"]
    # Another folder may be another cluster's.
    assert run("import", "--output", "east", dump=listed(MACHINE)).exit_code == 0
    assert (repository / "east/prod/virtualmachine_db.yaml").is_file()


def test_secret_that_another_object_creates_gets_no_placeholder(repository: Path) -> None:
    secret = made("Secret", "db", data={"key": "YQ=="})
    assert run("import", dump=listed(MACHINE, secret)).exit_code == 0
    (repository / "overlays/prod/secret_db.yaml").unlink()
    external = {**made("ExternalSecret", "db"), "apiVersion": "external-secrets.io/v1", "spec": {}}
    (repository / "overlays/prod/external.yaml").write_text(json.dumps(external))
    kustomization = repository / "overlays/prod/kustomization.yaml"
    kustomization.write_text(
        kustomization.read_text().replace("resources:\n", "resources:\n- external.yaml\n")
    )
    before = files(repository)

    assert run("import", dump=listed(MACHINE, secret)).exit_code == 0

    assert files(repository) == before


def test_namespace_of_nodes_alone_is_left_out(repository: Path) -> None:
    labels: JsonObject = {"harvesterhci.io/creator": "docker-machine-driver-harvester"}
    node: JsonObject = {
        **MACHINE,
        "metadata": {"name": "n", "namespace": "nodes", "uid": "9", "labels": labels},
    }
    config = made("ConfigMap", "cloud-config", "nodes", data={"a": "b"})

    result = run("import", dump=listed(MACHINE, node, config))

    assert result.exit_code == 0
    assert "nodes of other clusters: nodes/n\n" in result.stderr
    assert not (repository / "overlays/nodes").exists()
