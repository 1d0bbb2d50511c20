"""The jobs for GitLab CI/CD: their scripts, run in a repository of a user's."""

from __future__ import annotations

import json
import shutil
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

from renderer.authoring.new_project.ci_files import gitlab_file
from renderer.authoring.new_project.install_source import IndexRelease
from tests.integration.user_repository import BASH, ROOT, Run, UserRepository

TEMPLATE = ROOT / "docs/gitlab/vmrender.yml"

pytestmark = pytest.mark.skipif(
    not (shutil.which("git") and shutil.which("bash")), reason="needs git and bash"
)


def template_job(**inputs: str) -> dict[str, Any]:
    """The job of the template with its inputs filled in, as GitLab does."""
    head, body = TEMPLATE.read_text(encoding="utf-8").split("\n---\n")
    declared = yaml.safe_load(head)["spec"]["inputs"]
    assert inputs.keys() <= declared.keys()
    for name, described in declared.items():
        body = body.replace(f"$[[ inputs.{name} ]]", inputs.get(name, described.get("default", "vmrender")))
    assert "$[[" not in body
    job: dict[str, Any] = yaml.safe_load(body)["vmrender"]
    return job


def written_job() -> dict[str, Any]:
    """The job that ``vmrender init`` writes."""
    job: dict[str, Any] = yaml.safe_load(gitlab_file(IndexRelease("0.1.0")))["vmrender"]
    return job


def run_script(project: UserRepository, job: dict[str, Any], **environment: str) -> Run:
    """Run the script without ``before_script``, which installs vmrender: it is installed."""
    variables = {name: value for name, value in job["variables"].items() if "$" not in value}
    where = {"CI_PROJECT_DIR": str(project.folder)}
    return project.run(*BASH, "-c", "\n".join(job["script"]), **variables, **where, **environment)


jobs = pytest.mark.parametrize("job", [template_job(), written_job()], ids=["template", "init"])


@jobs
def test_valid_change_passes(project: UserRepository, job: dict[str, Any]) -> None:
    base = project.does("git", "rev-parse", "HEAD").strip()
    project.replace("overlays/dev/web.yaml", "u1.small", "u1.medium")
    project.does("vmrender", "render")
    project.commit("more memory")

    run = run_script(project, job, CI_MERGE_REQUEST_DIFF_BASE_SHA=base)
    assert run.code == 0, run.output
    assert json.loads(project.read("gl-code-quality-report.json")) == []
    assert "web" in project.read("vmrender-diff.html")
    assert all((project.folder / path).is_file() for path in job["artifacts"]["paths"])
    assert all((project.folder / path).is_file() for path in job["artifacts"]["reports"].values())


@jobs
def test_error_is_reported_and_fails(project: UserRepository, job: dict[str, Any]) -> None:
    project.replace("overlays/dev/web.yaml", "u1.small", "u1.smal")
    project.commit("wrong")

    run = run_script(project, job)
    assert run.code == 1
    assert "overlays/dev/web.yaml:8:11: error[instancetype-not-found]" in run.output
    entry = json.loads(project.read("gl-code-quality-report.json"))[0]
    assert (entry["check_name"], entry["location"]["path"]) == (
        "instancetype-not-found",
        "overlays/dev/web.yaml",
    )
    assert ET.fromstring(project.read("vmrender-junit.xml")).find(".//failure") is not None  # noqa: S314 - ours


def test_a_stale_tree_fails(project: UserRepository) -> None:
    project.replace("overlays/dev/web.yaml", "u1.small", "u1.medium")
    project.commit("not rendered")

    assert run_script(project, written_job()).code == 1


def test_missing_base_commit_leaves_no_page(project: UserRepository) -> None:
    run = run_script(project, template_job(), CI_MERGE_REQUEST_DIFF_BASE_SHA="0" * 40)
    assert run.code == 0
    assert "error[git-revision]" in run.output
    assert not (project.folder / "vmrender-diff.html").exists()


def test_template_inputs_are_used(project: UserRepository) -> None:
    (project.folder / "vms").mkdir()
    project.does("git", "mv", "vmrender.yaml", "overlays", "rendered", "vms")
    project.replace("vms/overlays/dev/web.yaml", "fedora:42", "fedora:43")
    project.commit("moved, and not rendered")

    assert run_script(project, template_job(path="vms")).code == 1
    assert run_script(project, template_job(path="vms", command="validate", kubevirt="0.5")).code == 2


def test_template_and_job_of_init_are_equivalent() -> None:
    template, written = template_job(), written_job()
    for key in ("rules", "artifacts", "image"):
        assert template[key] == written[key]


def test_parallel_jobs_cover_all_overlays(project: UserRepository) -> None:
    head, body = (ROOT / "docs/gitlab/sharded.yml").read_text(encoding="utf-8").split("\n---\n")
    declared = yaml.safe_load(head)["spec"]["inputs"]
    for name, described in declared.items():
        body = body.replace(f"$[[ inputs.{name} ]]", str(described.get("default", "vmrender")))
    job = yaml.safe_load(body)["vmrender-shard"]
    shutil.copytree(project.folder / "overlays/dev", project.folder / "overlays/prod")
    project.does("vmrender", "render")

    def codes() -> list[int]:
        total = job["parallel"]
        nodes = [{"CI_NODE_INDEX": str(node), "CI_NODE_TOTAL": str(total)} for node in range(1, total + 1)]
        return sorted(run_script(project, job, **node).code for node in nodes)

    assert codes() == [0, 0, 0, 0]
    project.replace("overlays/prod/web.yaml", "u1.small", "u1.medium")
    assert codes() == [0, 0, 0, 1]


def test_values_of_a_merge_request_are_not_run_as_scripts(project: UserRepository) -> None:
    run_script(project, template_job(kubevirt="$(touch gone)", base="$(touch gone)"))
    assert not (project.folder / "gone").exists()
