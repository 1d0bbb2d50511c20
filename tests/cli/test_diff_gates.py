"""``diff --fail-on`` as a gate, and what ``--ignore``, the project and the engine of an overlay leave out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.cli.diff_repositories import PROJECT, SCHEMA
from tests.cli.git_work_tree import commit, init, write
from tests.cli.test_diff import FILES, VM, run

DISK = """\
apiVersion: cdi.kubevirt.io/v1beta1
kind: DataVolume
metadata: {name: data, namespace: prod}
spec: {source: {blank: {}}, storage: {resources: {requests: {storage: 1Gi}}}}
"""
LISTED = {
    "overlays/prod/kustomization.yaml": "resources: [vm.yaml, disk.yaml]\n",
    "overlays/prod/disk.yaml": DISK,
}
RESTART = {
    "overlays/prod/vm.yaml": VM.replace("domain:", "terminationGracePeriodSeconds: 600\n      domain:")
}
LABEL = {"overlays/prod/vm.yaml": VM.replace("metadata: {", "metadata: {labels: {tier: gold}, ")}
REFUSED = {"overlays/prod/disk.yaml": DISK.replace("blank: {}", "http: {url: 'https://example.org/a.img'}")}


@pytest.fixture
def folder(folder: Path) -> Path:
    commit(folder, {**FILES, **LISTED})
    return folder


@pytest.mark.parametrize(
    ("files", "dangers", "code"),
    [
        (RESTART, ["restart"], 1),
        (RESTART, ["refused,data,no-start"], 0),
        (RESTART, ["refused", "restart"], 1),
        (LABEL, ["refused,data,no-start,restart,guest,migration,live"], 0),
        (LABEL, ["none"], 1),
        (REFUSED, ["refused"], 1),
        ({}, ["none"], 0),
    ],
)
def test_a_gate_fails_for_the_dangers_that_it_names(
    folder: Path, files: dict[str, str], dangers: list[str], code: int
) -> None:
    write(folder, files)
    found = run(*(word for danger in dangers for word in ("--fail-on", danger)))
    assert found.exit == code
    assert found.stdout == run().stdout
    assert run().exit == bool(files)


WITH_OTHER = {
    "overlays/prod/other.yaml": VM.replace("name: db", "name: other"),
    "overlays/prod/kustomization.yaml": "resources: [other.yaml, vm.yaml]\n",
}
WITHOUT_DB = {"overlays/prod/kustomization.yaml": "resources: [other.yaml]\n"}
RENAMED = {"overlays/prod/vm.yaml": VM.replace("name: db", "name: sql")}


@pytest.mark.parametrize(
    ("commits", "danger", "code", "line"),
    [
        ([WITHOUT_DB, WITH_OTHER], "data", 1, "DATA: prod/db is deleted in between"),
        ([RENAMED, WITH_OTHER], "data", 1, "DATA: prod/db -> prod/sql is replaced in between"),
        ([RESTART, WITH_OTHER], "restart", 1, "no differences"),
        ([RESTART, WITH_OTHER], "refused,data,no-start", 0, "no differences"),
        (
            [WITHOUT_DB, {**WITH_OTHER, **RESTART}],
            "data",
            1,
            "DATA: prod/db is deleted in between; prod/db needs a restart",
        ),
        ([LABEL, WITHOUT_DB], "data", 1, "DATA: prod/db is deleted"),
    ],
)
def test_gate_counts_a_commit_that_a_later_one_reverts(
    folder: Path, commits: list[dict[str, str]], danger: str, code: int, line: str
) -> None:
    commit(folder, WITH_OTHER)
    for files in commits:
        commit(folder, {"overlays/prod/vm.yaml": VM, **files})
    each = ("HEAD~2..HEAD", "--each")
    assert run(*each, "--fail-on", danger).exit == code
    assert run(*each).stdout.splitlines()[0] == line
    assert run(*each).exit == 1
    assert run(*each, "--exit-zero").exit == 0
    rule = f"namespace=prod,danger={danger.partition(',')[0]}"
    assert run(*each, "--fail-on", danger, "--ignore", rule).exit == 0
    document = json.loads(run(*each, "--format", "json").stdout)
    Draft202012Validator(SCHEMA).validate(document)
    assert document["verdict"] == line


def test_an_old_error_of_another_object_does_not_decide(folder: Path) -> None:
    wrong = DISK.replace("blank: {}", "blank: {}, size: 1Gi")
    commit(folder, {"overlays/prod/disk.yaml": wrong})
    assert run().exit == 0
    write(folder, RESTART)
    found = run("--fail-on", "refused,data,no-start")
    assert found.exit == 0
    assert found.stderr == "1 error was there before: vmrender validate shows it\n"
    assert run("--exit-zero").exit == 0
    write(folder, {"overlays/prod/vm.yaml": VM.replace("domain:", "domian: {}\n      domain:")})
    assert run("--exit-zero").exit == 1


def test_a_gate_does_not_pass_what_cannot_be_compared(folder: Path) -> None:
    commit(folder, {"overlays/prod/vm.yaml": "a: [\n"})
    write(folder, {"overlays/prod/vm.yaml": VM})
    assert run("--fail-on", "refused").exit == 1
    write(folder, {"overlays/prod/vm.yaml": "b: [\n"})
    assert run("--fail-on", "refused").exit == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--fail-on", "loss"], "--fail-on 'loss': the dangers are refused, data, no-start, restart, guest"),
        (["--fail-on", ""], "--fail-on ''"),
        (["--fail-on", "data", "--exit-zero"], "--exit-zero never fails"),
        (
            ["--ignore", "Service"],
            "'Service' is not kind, name, namespace, field, owner or danger with a value",
        ),
        (["--ignore", "kind="], "'kind=' is not kind"),
        (["--ignore", "kind=a,kind=b"], "kind is given twice"),
        (["--ignore", "danger=loss"], "the dangers are refused, data"),
        (["--ignore", "field=a b["], "is not part of a field's path"),
    ],
)
def test_wrong_gates_and_rules_are_refused(folder: Path, arguments: list[str], message: str) -> None:
    write(folder, RESTART)
    found = run(*arguments)
    assert (found.exit, found.stdout) == (2, "")
    assert message in found.stderr


@pytest.mark.parametrize(
    "rule",
    [
        "field=spec.template.spec.terminationGracePeriodSeconds",
        "field=spec.template",
        "field=/spec/template/spec/terminationGracePeriodSeconds",
        "field=...terminationGracePeriodSeconds",
        "kind=VirtualMachine",
        "kind=Virtual*,name=d?,namespace=prod",
        "danger=restart,kind=VirtualMachine",
    ],
)
def test_what_is_ignored_is_counted(folder: Path, rule: str) -> None:
    write(folder, RESTART)
    found = run("--ignore", rule)
    assert (found.exit, found.stderr) == (0, "")
    assert f"  1 difference ignored: --ignore {rule}\n" in found.stdout
    assert "Seconds" not in found.stdout.replace(rule, "")
    document = json.loads(run("--ignore", rule, "--format", "json").stdout)
    Draft202012Validator(SCHEMA).validate(document)
    assert document["overlays"][0]["ignored"] == [{"source": f"--ignore {rule}", "number": 1, "note": None}]
    for output_format in ("markdown", "html"):
        assert "1 difference ignored" in run("--ignore", rule, "--format", output_format).stdout


@pytest.mark.parametrize(
    "rule",
    ["field=spec.template.spec.domain", "kind=Service", "name=web", "owner=kubectl", "danger=live,kind=*"],
)
def test_other_differences_are_shown(folder: Path, rule: str) -> None:
    write(folder, RESTART)
    assert run("--ignore", rule) == run()


@pytest.mark.parametrize("rule", ["kind=DataVolume", "field=spec", "kind=DataVolume,danger=data"])
def test_a_refused_object_is_not_hidden(folder: Path, rule: str) -> None:
    write(folder, REFUSED)
    assert run("--ignore", rule) == run()
    assert "REFUSED: DataVolume prod/data" in run().stdout


def test_a_refused_object_is_hidden_if_the_rule_names_it(folder: Path) -> None:
    write(folder, REFUSED)
    found = run("--ignore", "kind=DataVolume,danger=refused")
    assert found.exit == 0
    assert "ignored: --ignore kind=DataVolume,danger=refused\n" in found.stdout


def test_a_deleted_machine_is_not_hidden(folder: Path) -> None:
    write(folder, {"overlays/prod/kustomization.yaml": "resources: [disk.yaml]\n"})
    assert run("--ignore", "kind=VirtualMachine").stdout.startswith("DATA: prod/db is deleted")


RULES = "diff:\n  ignore:\n    - {kind: VirtualMachine, field: spec.template}\n"


def test_rules_of_the_project(folder: Path) -> None:
    commit(folder, {"vmrender.yaml": PROJECT + RULES})
    write(folder, RESTART)
    found = run()
    assert found.exit == 0
    assert "  1 difference ignored: diff.ignore[0] of vmrender.yaml\n" in found.stdout


def test_a_change_cannot_hide_itself(folder: Path) -> None:
    write(folder, {**RESTART, "vmrender.yaml": PROJECT + RULES})
    assert run().stdout.startswith("prod/db needs a restart\n")


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("diff: {ignore: [{}]}", "the rule ignores everything"),
        ("diff: {ignore: [{field: 'a b['}]}", "is not part of a field's path"),
        ("diff: {ignore: [{kind: VM, danger: [loss]}]}", "loss"),
        ("diff: {ignored: []}", "ignored"),
        ("diff: {ignore: VirtualMachine}", "ignore"),
    ],
)
def test_wrong_rules_of_a_project_are_reported(folder: Path, rules: str, message: str) -> None:
    commit(folder, {"vmrender.yaml": f"{PROJECT}{rules}\n"})
    found = run()
    assert (found.exit, found.stdout) == (2, "")
    assert message in found.stderr
    assert "vmrender.yaml:4" in found.stderr


FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec:
  interval: 1h
  prune: true
  path: ./apps
  sourceRef: {kind: GitRepository, name: flux-system}
  IGNORE
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: flux-system, namespace: flux-system}
spec: {interval: 1h, url: "https://git.example.org/acme/fleet.git"}
"""
ARGOCD = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: apps, namespace: argocd}
spec:
  project: default
  source: {repoURL: "https://git.example.org/acme/fleet.git", targetRevision: main, path: apps}
  destination: {server: "https://kubernetes.default.svc"}
  IGNORE
"""
ENTRY = PROJECT + "repositories: ['https://git.example.org/acme/fleet.git']\noverlays: [{ENGINE: clusters}]\n"
GRACE, LABELS = "/spec/template/spec/terminationGracePeriodSeconds", "/metadata/labels"
BOTH = VM.replace("domain:", "terminationGracePeriodSeconds: 600\n      domain:").replace(
    "metadata: {", "metadata: {labels: {tier: gold}, "
)


def engine(folder: Path, name: str, text: str, machine: str = VM) -> None:
    files = {
        "vmrender.yaml": ENTRY.replace("ENGINE", name),
        "clusters/apps.yaml": text,
        "apps/db.yaml": machine,
    }
    commit(folder, files)


def test_flux_does_not_apply_the_fields_that_it_ignores(folder: Path) -> None:
    engine(folder, "flux", FLUX.replace("IGNORE", f"ignore: [{{paths: ['{GRACE}']}}]"))
    write(folder, {"apps/db.yaml": BOTH})
    found = run()
    assert "  1 difference ignored: spec.ignore of Kustomization apps\n" in found.stdout
    assert "metadata.labels" in found.stdout
    assert "Seconds" not in found.stdout


def test_argo_cd_syncs_ignored_fields_with_others(folder: Path) -> None:
    ignored = f"ignoreDifferences: [{{group: kubevirt.io, kind: VirtualMachine, jsonPointers: ['{GRACE}']}}]"
    engine(folder, "argocd", ARGOCD.replace("IGNORE", ignored))
    write(folder, {"apps/db.yaml": BOTH})
    assert "ignored" not in run().stdout
    write(folder, {"apps/db.yaml": RESTART["overlays/prod/vm.yaml"]})
    alone = (
        "ignoreDifferences of Application apps: no sync starts for VirtualMachine prod/db alone; the next one"
    )
    found = run().stdout
    assert found.startswith("prod/db needs a restart\n")
    assert f"  {alone} applies the change, without the sync option RespectIgnoreDifferences=true\n" in found
    for options, is_said in (("ApplyOutOfSyncOnly=true", True), ("PruneLast=true", False)):
        selective = f"{ignored}\n  syncPolicy: {{syncOptions: [{options}]}}"
        engine(folder, "argocd", ARGOCD.replace("IGNORE", selective))
        write(folder, {"apps/db.yaml": RESTART["overlays/prod/vm.yaml"], "apps/a.yaml": SERVICE % 5})
        found = run().stdout
        assert found.startswith("prod/db needs a restart\n")
        assert (alone in found) is is_said
        (folder / "apps/a.yaml").unlink()
    respected = f"{ignored}\n  syncPolicy: {{syncOptions: [RespectIgnoreDifferences=true]}}"
    engine(folder, "argocd", ARGOCD.replace("IGNORE", respected))
    write(folder, {"apps/db.yaml": BOTH})
    assert "  1 difference ignored: ignoreDifferences of Application apps\n" in run().stdout


@pytest.mark.parametrize("policy", ["reconcile: disabled", "ssa: Ignore", "ssa: IfNotPresent"])
def test_flux_does_not_apply_objects_with_some_annotations(folder: Path, policy: str) -> None:
    key, _, value = policy.partition(": ")
    kept = VM.replace(
        "metadata: {", f"metadata: {{annotations: {{kustomize.toolkit.fluxcd.io/{key}: {value}}}, "
    )
    engine(folder, "flux", FLUX.replace("IGNORE", "wait: false"), kept)
    write(
        folder, {"apps/db.yaml": kept.replace("domain:", "terminationGracePeriodSeconds: 600\n      domain:")}
    )
    found = run()
    assert found.exit == 0
    assert f"  1 difference ignored: kustomize.toolkit.fluxcd.io/{policy}\n" in found.stdout


@pytest.mark.parametrize("deployer", ["", ARGOCD.replace("IGNORE", "revisionHistoryLimit: 1")])
def test_annotation_for_flux_counts_only_where_flux_deploys(folder: Path, deployer: str) -> None:
    path = deployer.replace("path: apps", "path: overlays/prod")
    kept = VM.replace("metadata: {", "metadata: {annotations: {kustomize.toolkit.fluxcd.io/ssa: Ignore}, ")
    commit(folder, {"clusters/apps.yaml": path} if deployer else {})
    changed = kept.replace("domain:", "terminationGracePeriodSeconds: 600\n      domain:")
    write(folder, {"overlays/prod/vm.yaml": changed})
    found = run("--fail-on", "restart")
    assert found.exit == 1
    assert "ignored" not in found.stdout


@pytest.mark.parametrize(("hooks", "is_skipped"), [("Skip", True), ("Skip, x", True), ("Sync,Skip", False)])
def test_argo_cd_does_not_apply_what_it_skips(folder: Path, hooks: str, *, is_skipped: bool) -> None:
    kept = VM.replace("metadata: {", f"metadata: {{annotations: {{argocd.argoproj.io/hook: '{hooks}'}}, ")
    engine(folder, "argocd", ARGOCD.replace("IGNORE", "revisionHistoryLimit: 1"), kept)
    changed = "terminationGracePeriodSeconds: 600\n      domain:"
    write(folder, {"apps/db.yaml": kept.replace("domain:", changed)})
    assert ("  1 difference ignored: argocd.argoproj.io/hook: Skip\n" in run().stdout) is is_skipped
    write(folder, {"apps/db.yaml": VM})
    assert ("earlier changes of VirtualMachine prod/db arrive now" in run().stdout) is is_skipped


def test_a_deletion_is_not_hidden_by_an_annotation(folder: Path) -> None:
    kept = VM.replace("metadata: {", "metadata: {annotations: {kustomize.toolkit.fluxcd.io/ssa: Ignore}, ")
    engine(folder, "flux", FLUX.replace("IGNORE", "wait: false"), kept)
    commit(folder, {"apps/other.yaml": VM.replace("name: db,", "name: web,")})
    (folder / "apps/db.yaml").unlink()
    assert run().stdout.startswith("DATA: prod/db")


SERVICE = (
    "{apiVersion: v1, kind: Service, metadata: {name: db, namespace: prod}, spec: {clusterIP: 10.0.0.%s}}"
)
ADDRESS = "[{group: '', kind: Service, jsonPointers: [/spec/clusterIP]}]"
RESPECTED = "\n  syncPolicy: {syncOptions: [RespectIgnoreDifferences=true]}"


@pytest.mark.parametrize(
    ("name", "text", "is_refused"),
    [
        ("argocd", ARGOCD.replace("IGNORE", f"ignoreDifferences: {ADDRESS}{RESPECTED}"), False),
        ("argocd", ARGOCD.replace("IGNORE", f"ignoreDifferences: {ADDRESS}"), True),
        # the dry run of fluxcd/pkg ssa/manager_apply.go ApplyAll is of the whole object
        ("flux", FLUX.replace("IGNORE", "ignore: [{paths: [/spec/clusterIP]}]"), True),
    ],
)
def test_a_field_that_the_engine_leaves_is_not_refused(
    folder: Path, name: str, text: str, *, is_refused: bool
) -> None:
    engine(folder, name, text)
    commit(folder, {"apps/service.yaml": SERVICE % 5})
    write(folder, {"apps/service.yaml": SERVICE % 6})
    found = run("--fail-on", "refused")
    assert found.exit == int(is_refused)
    assert ("1 difference ignored: ignoreDifferences of Application apps" in found.stdout) is not is_refused


def test_a_machine_is_judged_without_the_fields_that_its_engine_leaves(folder: Path) -> None:
    ignored = "[{group: kubevirt.io, kind: VirtualMachine, jsonPointers: [/spec/runStrategy]}]"
    engine(folder, "argocd", ARGOCD.replace("IGNORE", f"ignoreDifferences: {ignored}{RESPECTED}"))
    write(folder, {"apps/db.yaml": BOTH.replace("Always", "Halted")})
    found = run()
    assert "Halted" not in found.stdout
    assert "virtual machines: 1 needs a restart" in found.stdout


@pytest.mark.parametrize(("policy", "is_created"), [("Ignore", False), ("IfNotPresent", True)])
def test_flux_does_not_create_an_object_that_it_ignores(
    folder: Path, policy: str, *, is_created: bool
) -> None:
    engine(folder, "flux", FLUX.replace("IGNORE", "wait: false"))
    marked = VM.replace(
        "metadata: {name: db",
        f"metadata: {{annotations: {{kustomize.toolkit.fluxcd.io/ssa: {policy}}}, name: web",
    )
    write(folder, {"apps/web.yaml": marked})
    found = run()
    assert ("added VirtualMachine prod/web" in found.stdout) is is_created
    assert (
        f"1 difference ignored: kustomize.toolkit.fluxcd.io/ssa: {policy}" in found.stdout
    ) is not is_created


def test_force_deletes_a_machine_whose_new_manifest_is_rejected(folder: Path) -> None:
    engine(folder, "flux", FLUX.replace("IGNORE", "force: true"))
    write(folder, {"apps/db.yaml": VM.replace("runStrategy: Always", "runStrategy: Always\n  running: true")})
    found = run("--fail-on", "data")
    assert found.exit == 1
    assert "Flux (spec.force) may delete it first, and then cannot create it again" in found.stdout


ROOT = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: root, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.org/fleet, path: argocd}
  destination: {name: a}
"""
PATHS = {
    "overlays/prod/kustomization.yaml": "resources: [vm.yaml, disk.yaml]\n",
    "overlays/prod/vm.yaml": VM,
    "overlays/prod/disk.yaml": DISK,
}
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: KIND
metadata: {name: fleet, namespace: argocd}
spec: SPEC
"""
SPEC = (
    "{project: default, destination: {name: a}, source: {repoURL: https://git.example.org/fleet, path: PATH},"
    " syncPolicy: {automated: {PRUNE}, syncOptions: [Force=true]}}"
)
TEMPLATE = f"{{generators: [], template: {{metadata: {{name: 'x-{{{{path.basename}}}}'}}, spec: {SPEC}}}}}"


@pytest.mark.parametrize(
    ("kind", "spec", "path"),
    [
        ("Application", SPEC, "overlays/prod"),
        ("Application", SPEC, "rendered/prod"),
        ("ApplicationSet", TEMPLATE, "rendered/{{path.basename}}"),
    ],
)
def test_an_application_deploys_an_overlay_or_its_rendered_tree(
    folder: Path, kind: str, spec: str, path: str
) -> None:
    deployed = APPLICATION.replace("KIND", kind).replace("SPEC", spec).replace("PATH", f"'{path}'")
    commit(folder, {**PATHS, "argocd/fleet.yaml": deployed.replace("PRUNE", ""), "argocd/root.yaml": ROOT})
    write(folder, {**REFUSED, "overlays/prod/kustomization.yaml": "resources: [disk.yaml]\n"})
    found = run().stdout
    assert "replaced: Argo CD (Force=true) deletes it and creates it again, with what it holds" in found
    assert "it stays in the cluster: Application fleet has no automated.prune: true" in found
    write(folder, {"argocd/fleet.yaml": deployed.replace("PRUNE", "prune: true")})
    assert "removed VirtualMachine prod/db: deleted" in run().stdout


FLUX_APPS = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec: {interval: 1m, path: ./overlays/prod, prune: false, sourceRef: {kind: GitRepository, name: flux-system}}
"""
FLUX_ROOT = FLUX_APPS.replace("name: apps", "name: flux-system").replace("overlays/prod", "clusters/prod")
PRUNING = FLUX_APPS.replace("prune: false", "prune: true")
LISTS_APPS = "resources: [apps.yaml]\n"
EXAMPLE = "which may be an example: what it keeps or ignores is not relied on"


@pytest.mark.parametrize(
    ("files", "is_kept"),
    [
        ({"examples/apps.yaml": FLUX_APPS}, False),
        ({"apps.yaml": FLUX_APPS}, False),
        ({"clusters/prod/apps.yaml": FLUX_APPS, "clusters/prod/root.yaml": FLUX_ROOT}, True),
        (
            {
                "docs/clusters/prod/apps.yaml": FLUX_APPS,
                "docs/clusters/prod/root.yaml": FLUX_ROOT.replace("./", "./docs/"),
            },
            False,
        ),
        ({"overlays/other/kustomization.yaml": LISTS_APPS, "overlays/other/apps.yaml": FLUX_APPS}, True),
        (
            {
                "examples/apps.yaml": FLUX_APPS.replace("name: apps", "name: example"),
                "clusters/prod/apps.yaml": PRUNING,
                "clusters/prod/root.yaml": FLUX_ROOT,
            },
            False,
        ),
        (
            {
                "clusters/prod/apps.yaml": FLUX_APPS,
                "clusters/prod/more.yaml": PRUNING.replace("name: apps", "name: more"),
                "clusters/prod/root.yaml": FLUX_ROOT,
            },
            False,
        ),
        (
            {
                "clusters/prod/apps.yaml": FLUX_APPS,
                "clusters/prod/more.yaml": FLUX_APPS.replace("name: apps", "name: more"),
                "clusters/prod/root.yaml": FLUX_ROOT,
            },
            True,
        ),
    ],
)
def test_manifest_that_nothing_applies_keeps_nothing(
    folder: Path,
    files: dict[str, str],
    is_kept: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    commit(folder, {**PATHS, **files})
    write(folder, {"overlays/prod/kustomization.yaml": "resources: [disk.yaml]\n"})
    found = run("--fail-on", "data")
    assert found.exit == (not is_kept)
    assert ("it stays in the cluster: Kustomization apps has no prune: true" in found.stdout) is is_kept
    assert (EXAMPLE in found.stdout) is (not is_kept and "clusters/prod/root.yaml" not in files)


def test_example_does_not_make_flux_ignore_an_object(folder: Path) -> None:
    commit(folder, {**PATHS, "examples/apps.yaml": FLUX_APPS})
    ignored = "metadata: {annotations: {kustomize.toolkit.fluxcd.io/reconcile: disabled}, "
    write(folder, {"overlays/prod/vm.yaml": RESTART["overlays/prod/vm.yaml"].replace("metadata: {", ignored)})
    found = run("--fail-on", "restart")
    assert found.exit == 1
    assert (
        f"nothing in this repository applies Kustomization apps (examples/apps.yaml), {EXAMPLE}"
        in found.stdout
    )


def test_an_application_of_another_repository_does_not_deploy_the_overlay(folder: Path) -> None:
    deployed = APPLICATION.replace("KIND", "Application").replace("SPEC", SPEC).replace("PRUNE", "")
    commit(folder, {**PATHS, "argocd.yaml": deployed.replace("PATH", "overlays/prod")})
    with (folder / ".git/config").open("a", encoding="utf-8") as config:
        config.write('[remote "origin"]\n\turl = https://git.example.org/acme/machines.git\n')
    write(folder, {"overlays/prod/kustomization.yaml": "resources: [disk.yaml]\n"})
    assert "removed VirtualMachine prod/db: deleted" in run().stdout


def test_a_clone_knows_its_repository_at_each_revision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = init(tmp_path / "clone")
    monkeypatch.chdir(clone)
    deployed = ARGOCD.replace("IGNORE", "revisionHistoryLimit: 3").replace("git.example.org", "github.com")
    commit(clone, {"clusters/apps.yaml": deployed, "apps/db.yaml": VM})
    with (clone / ".git/config").open("a", encoding="utf-8") as config:
        config.write('[remote "origin"]\n\turl = https://github.com/someone/mirror.git\n')
    found = run()
    assert (found.exit, found.stdout) == (0, "")


def test_a_machine_that_leaves_its_kustomization_with_its_disk(folder: Path) -> None:
    engine(folder, "flux", FLUX.replace("IGNORE", "wait: false"))
    mounted = VM + "      volumes: [{name: data, dataVolume: {name: data}}]\n"
    files = {
        "apps/kustomization.yaml": "resources:\n- web.yaml\n- db.yaml\n- disk.yaml\n",
        "apps/web.yaml": VM.replace("name: db,", "name: web,"),
        "apps/db.yaml": mounted,
        "apps/disk.yaml": DISK,
    }
    commit(folder, files)
    write(folder, {"apps/kustomization.yaml": "resources:\n- web.yaml\n"})
    found = run().stdout
    assert "apps/kustomization.yaml:2 changes 1 machine and 1 other object in 1 overlay: 1 deleted" in found
    assert "data lost: DataVolume data (1Gi): deleted with what is on it" in found
    assert "disk stays" not in found
