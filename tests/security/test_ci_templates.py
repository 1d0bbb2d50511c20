"""A pull request plants modules and links for the action, the GitLab jobs and the sharded workflow to use."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import yaml

from renderer.authoring.new_project.ci_files import gitlab_file
from renderer.authoring.new_project.install_source import IndexRelease

ROOT = Path(__file__).parents[2]
ACTION = ROOT / ".github/action"
GITLAB = [*sorted((ROOT / "docs/gitlab").glob("*.yml"))]
#: Every module that Python, venv or pip may import by name.
NAMES = sorted({*sys.stdlib_module_names, "pip", "_distutils_hack", "sitecustomize", "usercustomize"})

pytestmark = pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")


def planted(workspace: Path, marker: Path) -> Path:
    """A checkout in which every name is a module, and a package with a main module, that leaves a mark."""
    workspace.mkdir()
    code = f"open({str(marker)!r}, 'a').write(__name__ + ' ')\n"
    for name in NAMES:
        (workspace / f"{name}.py").write_text(code)
        (workspace / name).mkdir()
        (workspace / name / "__init__.py").write_text(code)
        (workspace / name / "__main__.py").write_text(code)
    return workspace


def quick_python(folder: Path) -> Path:
    """Write a Python that makes environments with the pip of the tests: unpacking one takes four seconds."""
    folder.mkdir()
    program = folder / "python"
    program.write_text(
        f"""#!/bin/sh
{sys.executable} "$@" --without-pip || exit
for environment; do :; done
for packages in "$environment"/lib/python*/site-packages; do
  echo {sysconfig.get_path("purelib")} > "$packages/pip.pth"
done
"""
    )
    program.chmod(0o755)
    return program


def bash(script: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_action_runs_no_code_of_the_pull_request(tmp_path: Path) -> None:
    workspace = planted(tmp_path / "workspace", tmp_path / "marker")
    action, temporary = tmp_path / "action", tmp_path / "temporary"
    (action / ".ci/lock").mkdir(parents=True)
    temporary.mkdir()
    for lock in ("vmrender.txt", "build.txt"):
        (action / ".ci/lock" / lock).write_text("")
    environment = {
        "PYTHON": str(quick_python(tmp_path / "programs")),
        "PYTHONPATH": str(workspace),
        "GITHUB_ACTION_PATH": str(action),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "RUNNER_TEMP": str(temporary),
    }

    run = bash(f"bash {ACTION / 'install.sh'}", workspace, **environment)

    assert not (tmp_path / "marker").exists(), run.stdout + run.stderr
    assert (temporary / "vmrender/bin/python").exists(), run.stdout + run.stderr
    assert "is not installable" in run.stderr  # pip itself was reached, and ran


def before_scripts() -> dict[str, str]:
    documents = {file.name: file.read_text().split("\n---\n")[1] for file in GITLAB} | {
        "init": gitlab_file(IndexRelease("0.1.0"))
    }
    return {
        name: "\n".join(job["before_script"]).replace('"vmrender==0.1.0"', '"$VMRENDER_REQUIREMENT"')
        for name, text in documents.items()
        for job in yaml.safe_load(re.sub(r"\$\[\[.*?\]\]", "x", text)).values()
    }


@pytest.mark.parametrize("script", sorted(set(before_scripts().values())))
def test_gitlab_jobs_run_no_code_of_the_merge_request(script: str, tmp_path: Path) -> None:
    workspace = planted(tmp_path / "workspace", tmp_path / "marker")
    script = script.replace("/tmp/vmrender", str(tmp_path / "environment"))
    # Nothing can be fetched here: pip gets as far as looking for the package.
    script = script.replace("pip install", "pip install --no-index")
    path = f"{quick_python(tmp_path / 'programs').parent}:{os.environ['PATH']}"
    # A version that the tests' own environment does not have.
    environment = {"CI_PROJECT_DIR": str(workspace), "VMRENDER_REQUIREMENT": "vmrender==0.0.1", "PATH": path}

    run = bash(script, workspace, **environment)

    assert not (tmp_path / "marker").exists(), run.stdout + run.stderr
    assert "No matching distribution found for vmrender" in run.stderr


def importing(program: Path) -> None:
    """Write a program that looks for its modules where Python does, as the installed one."""
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!{sys.executable}\nimport json, click\nprint('{{}}')\n")
    program.chmod(0o755)


@pytest.mark.parametrize("script", ["check.sh", "diff.sh"])
def test_action_imports_no_modules_from_the_checkout(script: str, tmp_path: Path) -> None:
    workspace = planted(tmp_path / "workspace", tmp_path / "marker")
    (workspace / "click.py").write_text((workspace / "json.py").read_text())
    importing(tmp_path / "programs/vmrender")
    environment = {
        "PYTHONPATH": ".",
        "VMRENDER": str(tmp_path / "programs/vmrender"),
        "COMMAND": "check",
        "PROJECT": ".",
        "GITHUB_ACTION_PATH": str(ROOT),
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        **dict.fromkeys(("KUBEVIRT", "SHARDS", "SHARD", "PLAN", "SARIF", "SUMMARY", "BASE"), ""),
    }

    run = bash(f"bash {ACTION / script}", workspace, **environment)

    assert not (tmp_path / "marker").exists(), run.stdout + run.stderr
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("script", sorted(set(before_scripts().values())))
def test_gitlab_jobs_import_no_modules_from_the_checkout(script: str, tmp_path: Path) -> None:
    workspace = planted(tmp_path / "workspace", tmp_path / "marker")
    importing(tmp_path / "programs/vmrender")
    installing = [line for line in script.splitlines() if "python -I" in line or "/bin/python" in line]
    for line in installing:
        script = script.replace(line, "cd /")
    script = script.replace("/tmp/vmrender/bin", str(tmp_path / "programs"))
    environment = {"CI_PROJECT_DIR": str(workspace), "PYTHONPATH": "."}

    run = bash(f"{script}\nvmrender", workspace, **environment)

    assert installing
    assert not (tmp_path / "marker").exists(), run.stdout + run.stderr
    assert run.stdout == "{}\n", run.stderr


def test_no_job_caches_files_that_a_merge_request_can_plant() -> None:
    for text in (*(file.read_text() for file in GITLAB), gitlab_file(IndexRelease("0.1.0"))):
        assert "PIP_CACHE_DIR" not in text
        assert not re.search(r"^\s+cache:", text, re.MULTILINE)


LINKS = {
    "the folder": ("../private", "infra", "infra"),
    "a folder above": ("../private", "infra", "infra/project"),
    "a folder of the workspace": ("vmrender", "infra", "infra"),
}


@pytest.mark.parametrize("script", ["check.sh", "diff.sh", "clear.sh"])
@pytest.mark.parametrize(("target", "link", "path"), LINKS.values(), ids=LINKS)
def test_a_path_with_a_link_in_it_is_refused(
    script: str, target: str, link: str, path: str, tmp_path: Path
) -> None:
    workspace = tmp_path / "workspace"
    for folder in (workspace / "vmrender/project", tmp_path / "private/project"):
        folder.mkdir(parents=True)
        (folder / "precious").write_text("kept")
    (workspace / link).symlink_to(target)
    program = tmp_path / "vmrender-program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path / 'ran'}\n")
    program.chmod(0o755)
    environment = {
        "VMRENDER": str(program),
        "COMMAND": "render",
        "PROJECT": path,
        "FOLDER": path,
        "GITHUB_ACTION_PATH": str(ROOT),
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        **dict.fromkeys(("KUBEVIRT", "SHARDS", "SHARD", "PLAN", "SARIF", "SUMMARY", "BASE"), ""),
    }

    run = bash(f"bash {ACTION / script}", workspace, **environment)

    assert (run.returncode, run.stdout) == (
        2,
        f"::error title=vmrender::the path {path} has a symbolic link in it; name the folder itself\n",
    )
    assert not (tmp_path / "ran").exists()
    assert len(list(tmp_path.rglob("precious"))) == 2


def test_sharded_workflow_deletes_only_with_that_script() -> None:
    text = (ROOT / ".github/workflows/vmrender-sharded.yml").read_text()

    assert text.count("bash vmrender/.github/action/clear.sh") == 2
    assert "rm -" not in text


REPORTS = ("gl-code-quality-report.json", "vmrender-junit.xml", "vmrender-diff.html")


def gitlab_scripts() -> dict[str, str]:
    head, body = (ROOT / "docs/gitlab/vmrender.yml").read_text().split("\n---\n")
    inputs = yaml.safe_load(head)["spec"]["inputs"]
    filled = re.sub(r"\$\[\[ inputs\.([\w-]+) \]\]", lambda name: str(inputs[name[1]].get("default")), body)
    jobs = {"template": filled, "init": gitlab_file(IndexRelease("0.1.0"))}
    return {name: "\n".join(yaml.safe_load(text)["vmrender"]["script"]) for name, text in jobs.items()}


@pytest.mark.parametrize("job", gitlab_scripts())
@pytest.mark.parametrize("report", REPORTS)
def test_reports_are_not_written_through_links(job: str, report: str, tmp_path: Path) -> None:
    checkout, precious = tmp_path / "checkout", tmp_path / "precious"
    checkout.mkdir()
    precious.write_text("kept")
    (checkout / report).symlink_to("../precious")
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "vmrender").write_text("#!/bin/sh\necho a report\n")
    (programs / "vmrender").chmod(0o755)
    environment = {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "CI_PROJECT_DIR": str(checkout),
        "VMRENDER_PATH": ".",
        "VMRENDER_COMMAND": "check",
        "VMRENDER_BASE": "HEAD^",
    }

    run = bash(gitlab_scripts()[job], checkout, **environment)

    assert run.returncode == 0, run.stderr
    assert precious.read_text() == "kept"
    assert {name: (checkout / name).read_text() for name in REPORTS} == dict.fromkeys(REPORTS, "a report\n")


def test_gitlab_path_outside_the_repository_is_refused(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    (tmp_path / "outside").mkdir()
    (checkout / "infra").symlink_to("../outside")
    environment = {"CI_PROJECT_DIR": str(checkout), "VMRENDER_PATH": "infra"}

    run = bash(gitlab_scripts()["template"], checkout, **environment)

    assert (run.returncode, run.stdout) == (2, "VMRENDER_PATH leads out of the repository\n")
