"""Shell completion: the scripts, and what is offered for each kind of name."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests import warm_program

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "COLUMNS": "80"}
_MACHINE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: NAME, namespace: shop}
spec: {runStrategy: Always, template: {spec: {domain: {devices: {}}}}}
"""
_CATALOG = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineInstancetype
metadata: {name: ours.large}
spec: {cpu: {guest: 2}, memory: {guest: 4Gi}}
---
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterPreference
metadata: {name: ours}
spec: {}
"""
_PROJECT = """\
apiVersion: vmrender.io/v1alpha1
kind: RenderConfig
kubevirt: "1.9"
catalogs: [{path: sizes}]
overlays: [{path: "overlays/*"}]
clusters: [{name: east}, {name: west}]
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("project")
    for overlay, machine in (("dev", "web"), ("prod", "db")):
        (root / "overlays" / overlay).mkdir(parents=True)
        (root / "overlays" / overlay / "kustomization.yaml").write_text("resources: [vm.yaml]\n")
        (root / "overlays" / overlay / "vm.yaml").write_text(_MACHINE.replace("NAME", machine))
    (root / "sizes").mkdir()
    (root / "sizes/kustomization.yaml").write_text("resources: [sizes.yaml]\n")
    (root / "sizes/sizes.yaml").write_text(_CATALOG)
    (root / "vmrender.yaml").write_text(_PROJECT)
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for command in (
        ("init", "-q", "-b", "main"),
        (*identity, "commit", "-q", "--allow-empty", "-m", "a"),
        ("tag", "v1"),
    ):
        subprocess.run(["git", *command], cwd=root, check=True)
    return root


def run(project: Path, *args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [warm_program.command(), *args],
        cwd=project,
        env={**ENVIRONMENT, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def completed(project: Path, words: str) -> list[str]:
    answer = run(
        project,
        COMP_WORDS=words,
        COMP_CWORD=str(len(words.split(" ")) - 1),
        _VMRENDER_COMPLETE="bash_complete",
    )
    return [line.removeprefix("plain,") for line in answer.stdout.splitlines() if line]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("ren", ["render"]),
        ("argocd ig", ["ignore-differences"]),
        ("render --ch", ["--check"]),
        ("render ", ["dev", "prod"]),
        ("render d", ["dev"]),
        ("render --cluster ", ["east", "west"]),
        ("pin p", ["prod"]),
        ("pin prod ", ["db", "shop/db"]),
        ("pin --overlay prod ", ["db", "shop/db"]),
        ("migrate --overlay p", ["prod"]),
        ("explain vm/", ["vm/db", "vm/web"]),
        ("explain image", ["image-by-tag", "image-target-missing"]),
        ("explain VirtualMachineP", ["VirtualMachinePool", "VirtualMachinePreference"]),
        (
            "explain VirtualMachine spec.template.spec.domain.cpu.so",
            ["spec.template.spec.domain.cpu.sockets"],
        ),
        ("explain VirtualMachinePool spec.rep", ["spec.replicas"]),
        ("explain vm/db spec.runS", ["spec.runStrategy"]),
        ("explain --overlay ", ["dev", "prod"]),
        ("customize ", ["ours", "ours.large"]),
        ("catalog show o", ["ours"]),
        ("schema export VirtualMachineClusterI", ["VirtualMachineClusterInstancetype"]),
        ("schema export --release 1.8", ["1.8"]),
        ("build --kubevirt hco-1.18", ["hco-1.18.0"]),
        ("diff ", ["main", "v1"]),
    ],
)
def test_offers_names(project: Path, words: str, offered: list[str]) -> None:
    assert completed(project, f"vmrender {words}")[: len(offered)] == offered


def test_a_project_that_cannot_be_read_has_no_names(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "vmrender.yaml").write_text("kind: [")
    for words in ("render ", "pin ", "explain vm/", "customize ", "diff "):
        answer = run(
            tmp_path, COMP_WORDS=f"vmrender {words}", COMP_CWORD="2", _VMRENDER_COMPLETE="bash_complete"
        )
        assert (answer.stdout.strip(), answer.stderr) == ("", "")


def test_a_completion_that_exceeds_a_limit_offers_nothing(project: Path) -> None:
    words = {"COMP_WORDS": "vmrender customize ", "COMP_CWORD": "2", "_VMRENDER_COMPLETE": "bash_complete"}
    answer = run(project, **words, VMRENDER_LIMITS="fileSize=1")
    assert (answer.stdout.strip(), answer.stderr, answer.returncode) == ("", "", 0)


@pytest.mark.parametrize(
    ("shell", "words"),
    [
        ("bash", {"COMP_WORDS": "vmrender ren", "COMP_CWORD": "x"}),
        ("bash", {"COMP_WORDS": "vmrender ren"}),
        ("zsh", {"COMP_WORDS": "vmrender ren", "COMP_CWORD": ""}),
        ("fish", {"COMP_WORDS": "vmrender ren", "COMP_CWORD": " "}),
        ("powershell", {"COMP_CWORD": "ren"}),
    ],
)
def test_words_that_no_script_sets_are_refused(project: Path, shell: str, words: dict[str, str]) -> None:
    answer = run(project, _VMRENDER_COMPLETE=f"{shell}_complete", **words)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.splitlines() == [
        "Error: COMP_WORDS and COMP_CWORD are not what the script of vmrender completion sets"
    ]


#: Names that a shell would expand or run, take for an option or show otherwise than they are.
HOSTILE = (
    "$(id)",
    "a;id",
    "`id`",
    "a b",
    "--write",
    "a*",
    "a\u202eb",
    "a\nplain,b",
    "a'b",
    "~",
    "=ls",
    "@x",
    "a,--write",
    "%self",
    "canary-is-a-bird",
)


def test_names_that_a_shell_acts_upon_and_confidential_names_are_not_offered(tmp_path: Path) -> None:
    keys = "{apiVersion: v1, kind: Secret, metadata: {name: k}, stringData: {p: canary-is-a-bird}}\n"
    patch = "{select: {kind: VirtualMachine, name: copied}, fieldPaths: [metadata.name]}"
    machines = [_MACHINE.replace("NAME", json.dumps(name)) for name in (*HOSTILE[:-1], "copied", "good")]
    (tmp_path / "prod").mkdir()
    (tmp_path / "prod/kustomization.yaml").write_text(
        "resources: [vm.yaml]\nreplacements:\n"
        f"- {{source: {{kind: Secret, fieldPath: stringData.p}}, targets: [{patch}]}}\n"
    )
    (tmp_path / "prod/vm.yaml").write_text("---\n".join((keys, *machines)))
    (tmp_path / "vmrender.yaml").write_text(
        "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays: [{path: prod}]\n"
    )
    assert completed(tmp_path, "vmrender pin prod ") == [
        "good",
        "shop/--write",
        "shop/=ls",
        "shop/@x",
        "shop/good",
    ]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_prints_a_script_for_each_shell(project: Path, shell: str) -> None:
    made = run(project, "completion", shell)
    assert (made.returncode, made.stderr) == (0, "")
    assert f"{shell}_complete" in made.stdout
    assert "_VMRENDER_COMPLETE" in made.stdout


@pytest.mark.parametrize(
    ("words", "word", "offered"),
    [("vmrender render ", "", ["dev\t", "prod\t"]), ("vmrender render d", "d", ["dev\t"])],
)
def test_answers_powershell(project: Path, words: str, word: str, offered: list[str]) -> None:
    answer = run(project, COMP_WORDS=words, COMP_CWORD=word, _VMRENDER_COMPLETE="powershell_complete")
    assert answer.stdout.splitlines() == offered


def test_unknown_shell_is_refused(project: Path) -> None:
    assert run(project, "completion", "cmd").returncode == 2
