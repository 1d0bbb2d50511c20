"""``action.yml``, run step by step in a repository of a user's."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integration.composite_action import ActionRun, CompositeAction
from tests.integration.user_repository import BASH, ROOT, UserRepository, program

ACTION = ROOT / "action.yml"
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))

pytestmark = pytest.mark.skipif(
    not (shutil.which("git") and shutil.which("bash") and ACTION.exists()),
    reason="needs git, bash, a checkout",
)
needs_jq = pytest.mark.skipif(not shutil.which("jq"), reason="needs jq to stand in for gh")

#: A fake GitHub: keeps the comments of a pull request in a file, and logs requests.
GH = """\
echo $* >> "$GH_CALLS"
case "$*" in
  *--paginate*) for last; do :; done; exec jq -r "$last" "$GH_COMMENTS" ;;
esac
for last; do :; done
cp "${last#body=@}" "$GH_BODY"
"""
PULL_REQUEST = {
    "event_name": "pull_request",
    "repository": "acme/vms",
    "token": "t",
    "event.pull_request.number": "7",
    "event.pull_request.head.repo.full_name": "acme/vms",
}


class Runner:
    """A job of a pull request in a repository that was started with ``vmrender init``."""

    def __init__(self, folder: Path, repository: UserRepository) -> None:
        self.folder = folder
        self.repository = repository
        self.github = dict(PULL_REQUEST)
        program(folder / "programs/gh", GH)
        for name in ("calls", "body"):
            self.repository.environment[f"GH_{name.upper()}"] = str(folder / f"gh-{name}")
        self.has_comments()
        (folder / "gh-calls").write_text("")

    def has_comments(self, *comments: dict[str, Any]) -> None:
        answer: dict[str, Any] = {"comments": {"nodes": comments}}
        for key in ("pullRequest", "repository", "data"):
            answer = {key: answer}
        (self.folder / "gh-comments").write_text(json.dumps(answer))
        self.repository.environment["GH_COMMENTS"] = str(self.folder / "gh-comments")

    def calls(self) -> list[str]:
        return [line.partition(" --field")[0] for line in (self.folder / "gh-calls").read_text().splitlines()]

    def run(self, **inputs: str) -> ActionRun:
        scratch = self.folder / "scratch"
        scratch.mkdir(exist_ok=True)
        vmrender = str(self.folder / "programs/vmrender")
        action = CompositeAction(ROOT, {"python": {}, "install": {"vmrender": vmrender}})
        return action.run(self.repository, scratch, self.github, **inputs)

    def raise_memory(self) -> None:
        self.repository.replace("overlays/dev/web.yaml", "u1.small", "u1.medium")
        self.repository.does("vmrender", "render")
        self.repository.commit("more memory")


@pytest.fixture
def runner(tmp_path: Path, project: UserRepository) -> Runner:
    return Runner(tmp_path, project)


def test_valid_change_passes(runner: Runner) -> None:
    runner.raise_memory()

    run = runner.run()
    assert run.code == 0
    assert run.outputs["exit-code"] == "0"
    assert run.outputs["changed"] == "true"
    assert "web" in run.summary
    assert Path(run.outputs["diff"]).read_text() in run.summary
    assert run.used == ["actions/setup-python"]
    assert runner.calls() == []


def test_stale_tree_fails(runner: Runner) -> None:
    runner.repository.replace("overlays/dev/web.yaml", "u1.small", "u1.medium")
    runner.repository.commit("not rendered")

    run = runner.run(command="check")
    assert run.code == 1
    assert run.outputs["exit-code"] == "1"
    assert "::error file=rendered/dev/dev/virtualmachine_web.yaml" in run.log
    assert "-          guest: 2Gi\n+          guest: 4Gi" in run.log
    assert runner.run(command="validate").code == 0


def test_error_is_annotated_compared_and_fails(runner: Runner) -> None:
    runner.repository.replace("overlays/dev/web.yaml", "u1.small", "u1.smal")
    runner.repository.commit("wrong")

    run = runner.run(comment="true")
    assert run.code == 1
    assert (
        "::error file=overlays/dev/web.yaml,line=8,col=11,endColumn=18,title=instancetype-not-found"
        in run.log
    )
    assert "    overlays/dev/web.yaml:8:11: error[instancetype-not-found]" in run.summary
    assert runner.calls()


def test_render_writes_the_tree(runner: Runner) -> None:
    runner.repository.replace("overlays/dev/web.yaml", "u1.small", "u1.medium")

    assert runner.run(command="render").code == 0
    assert "guest: 4Gi" in runner.repository.read("rendered/dev/dev/virtualmachine_web.yaml")


def test_release_input_is_used(runner: Runner) -> None:
    runner.repository.write(
        "overlays/dev/web.yaml", runner.repository.read("overlays/dev/web.yaml") + "  x: 1\n"
    )
    assert runner.run(kubevirt="1.0").code == 1
    assert runner.run(kubevirt="0.1").code == 2


def test_without_an_earlier_commit_nothing_is_compared(runner: Runner) -> None:
    run = runner.run(comment="true")
    assert run.code == 0
    assert "::notice title=vmrender::nothing was compared" in run.log
    assert run.outputs["changed"] == ""
    assert not any("--method" in call for call in runner.calls())


def test_project_in_a_folder_is_checked(runner: Runner) -> None:
    (runner.repository.folder / "vms").mkdir()
    runner.repository.does("git", "mv", "vmrender.yaml", "overlays", "rendered", "vms")
    runner.repository.replace("vms/overlays/dev/web.yaml", "u1.small", "u1.smal")
    runner.repository.commit("moved")

    run = runner.run(path="vms", base="none")
    assert "::error file=vms/overlays/dev/web.yaml,line=8,col=11,endColumn=18" in run.log


def test_shards_cover_all_overlays(runner: Runner) -> None:
    """As the workflow does it: a plan, a job for each shard, and the trees of all of them together."""
    overlays = runner.repository.folder / "overlays"
    for name in ("prod", "test"):
        shutil.copytree(overlays / "dev", overlays / name)
    shutil.rmtree(runner.repository.folder / "rendered")
    planned = runner.run(command="plan", shards="2", base="none")
    jobs = json.loads(planned.outputs["matrix"])["include"]
    assert [(job["shard"], job["overlays"]) for job in jobs] == [("1/2", 2), ("2/2", 1)]

    for job in jobs:
        run = runner.run(command="render", shard=job["shard"], plan=planned.outputs["plan"], base="none")
        assert run.code == 0, run.log
        assert f"shard {job['shard']}: {job['overlays']} of 3 overlays" in run.log
    assert runner.run(command="check", base="none").code == 0

    shutil.rmtree(runner.repository.folder / "rendered/test")
    assert runner.run(command="check", base="none").code == 1
    assert sorted(runner.run(shard=job["shard"], base="none").code for job in jobs) == [0, 1]


def test_plan_without_overlays_fails(runner: Runner) -> None:
    runner.repository.does("git", "rm", "-r", "--quiet", "overlays")

    run = runner.run(command="plan", shards="2", base="none")
    assert run.code == 2
    assert "the project has no overlays" in run.log
    assert run.outputs["matrix"] == ""


def test_an_unknown_command_is_refused(runner: Runner) -> None:
    run = runner.run(command="check; touch gone")
    assert run.code == 2
    assert "::error title=vmrender::command is one of check, validate, render, plan" in run.log


@pytest.mark.parametrize("name", ["path", "kubevirt", "base"])
def test_inputs_are_not_run_as_scripts(runner: Runner, name: str) -> None:
    runner.run(**{name: "$(touch gone)`touch gone`;touch gone"})
    runner.run(**{name: "--help"})
    assert not (runner.repository.folder / "gone").exists()


def test_text_of_a_fork_is_not_a_workflow_command(runner: Runner) -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  a: |\n    x\n    ::add-mask::web\n"
    runner.repository.write("overlays/dev/c.yaml", text)
    runner.repository.replace("overlays/dev/kustomization.yaml", "- web.yaml", "- web.yaml\n  - c.yaml")
    runner.repository.does("vmrender", "render")
    runner.repository.replace("overlays/dev/c.yaml", "    x\n", "    y\n")

    log = runner.run().log
    assert "::add-mask::web" in log
    quiet = re.sub(r"^::stop-commands::(\w+)$.*?^::\1::$", "", log, flags=re.MULTILINE | re.DOTALL)
    assert "::add-mask::" not in quiet
    assert quiet.count("::error file=") == 1


@needs_jq
def test_one_comment_is_kept_up_to_date(runner: Runner) -> None:
    runner.raise_memory()

    assert runner.run(comment="true").code == 0
    assert runner.calls()[-1] == "api --silent --method POST repos/acme/vms/issues/7/comments"
    body = (runner.folder / "gh-body").read_text()
    assert body.startswith("<!-- vmrender . -->\n")
    assert "web" in body

    others = (
        {"id": "IC_1", "viewerDidAuthor": False, "body": body},
        {"id": "IC_2", "viewerDidAuthor": True, "body": "Hi"},
    )
    runner.has_comments(*others, {"id": "IC_3", "viewerDidAuthor": True, "body": body})
    runner.run(comment="true")
    assert runner.calls()[-1].endswith("--raw-field id=IC_3")


@needs_jq
def test_no_comment_where_nothing_changes(runner: Runner) -> None:
    runner.repository.write("README.md", "# VMs\n")
    runner.repository.commit("words")

    run = runner.run(comment="true")
    assert run.outputs["changed"] == "false"
    assert len(runner.calls()) == 1
    assert "--paginate" in runner.calls()[0]


def test_read_only_token_is_not_a_failure(runner: Runner) -> None:
    program(runner.folder / "programs/gh", "exit 1")
    runner.raise_memory()

    run = runner.run(comment="true")
    assert run.code == 0
    assert "::notice title=vmrender::no comment" in run.log


def test_a_fork_gets_no_comment_and_no_upload(runner: Runner) -> None:
    runner.raise_memory()
    runner.github["event.pull_request.head.repo.full_name"] = "someone/vms"

    run = runner.run(comment="true", sarif="true")
    assert run.outputs["changed"] == "true"
    assert run.used == ["actions/setup-python"]
    assert runner.calls() == []


def test_sarif_is_written_for_the_upload(runner: Runner) -> None:
    runner.repository.replace("overlays/dev/web.yaml", "u1.small", "u1.smal")
    run = runner.run(sarif="true")
    assert run.used == ["actions/setup-python", "github/codeql-action/upload-sarif"]
    report = json.loads((runner.folder / "scratch/vmrender.sarif").read_text())
    assert [result["ruleId"] for result in report["runs"][0]["results"]] == ["instancetype-not-found"]


LOCK = ROOT / ".ci/lock"
BY_HASH = f"--require-hashes -r {LOCK}/vmrender.txt -r {LOCK}/build.txt"
WITHOUT_AN_INDEX = f"--no-index --no-deps --no-build-isolation {ROOT}"


def test_action_installs_the_requested_version(runner: Runner) -> None:
    """A fake Python makes an environment of programs that log their arguments."""
    program(runner.folder / "said", f'echo "${{0##*/}} $@" >> "{runner.folder}/log"')
    python = 'mkdir -p "$4/bin" && cp "${0%/*}/said" "$4/bin/python" && cp "${0%/*}/said" "$4/bin/vmrender"'
    program(runner.folder / "python", python)
    output = runner.folder / "output"
    runner.repository.does(
        *BASH,
        str(ROOT / ".github/action/install.sh"),
        PYTHON=str(runner.folder / "python"),
        GITHUB_ACTION_PATH=str(ROOT),
        GITHUB_OUTPUT=str(output),
        RUNNER_TEMP=str(runner.folder),
    )
    assert output.read_text() == f"vmrender={runner.folder}/vmrender/bin/vmrender\n"
    pip = "python -I -m pip install --quiet --disable-pip-version-check"
    assert (runner.folder / "log").read_text().splitlines() == [
        *(f"{pip} {what}" for what in (BY_HASH, WITHOUT_AN_INDEX)),
        "vmrender --version",
    ]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_use_only_permissions_of_forks(workflow: Path) -> None:
    content = yaml.load(workflow.read_text(encoding="utf-8"), yaml.BaseLoader)  # noqa: S506 - or "on" is true
    assert "pull_request_target" not in content["on"]
    scripts = [
        step["run"] for job in content["jobs"].values() for step in job.get("steps", ()) if "run" in step
    ]
    assert not any("${{" in script for script in scripts)
    checkouts = [
        step["with"]["persist-credentials"]
        for job in content["jobs"].values()
        for step in job.get("steps", ())
        if step.get("uses", "").startswith("actions/checkout@")
    ]
    assert set(checkouts) <= {"false"}


def test_sharded_workflow_passes_valid_inputs_to_the_action() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/vmrender-sharded.yml").read_text(encoding="utf-8"))
    known = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    ours = [step["with"] for step in steps if step.get("uses") == "./vmrender"]
    declared = workflow[True]["workflow_call"]["inputs"]  # as below
    text = yaml.safe_dump(workflow["jobs"])

    assert len(ours) == len(workflow["jobs"])
    assert all(given.keys() <= known["inputs"].keys() for given in ours)
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == declared.keys()
    assert set(re.findall(r"steps\.plan\.outputs\.([\w-]+)", text)) <= known["outputs"].keys()


def test_reusable_workflow_passes_valid_inputs_to_the_action() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/vmrender.yml").read_text(encoding="utf-8"))
    known = yaml.safe_load(ACTION.read_text(encoding="utf-8"))["inputs"]
    given = workflow["jobs"]["vmrender"]["steps"][-1]["with"]
    declared = workflow[True]["workflow_call"]["inputs"]  # "on" is true in YAML 1.1

    assert given.keys() <= known.keys()
    assert {name: "${{ inputs." + name + " }}" for name in declared} == given | {"path": "${{ inputs.path }}"}
    assert {name: str(declared[name]["default"]).lower() for name in declared} == {
        name: known[name]["default"] for name in declared
    }
