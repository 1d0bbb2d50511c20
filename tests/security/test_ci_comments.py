"""The jobs comment once, update that comment, and take no other author's for their own."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.security.test_ci_templates import ACTION, bash, gitlab_scripts

pytestmark = pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")

REPORT = "### DATA: prod/db is deleted\n"
MARKER = "<!-- vmrender apps/prod -->"
OTHERS = {"id": 7, "author": {"id": 99}, "body": f"{MARKER}\nmine now"}
OWN = {"id": 8, "author": {"id": 5}, "body": f"{MARKER}\nof an earlier pipeline"}
PADDING = [{"id": 100 + number, "author": {"id": 5}, "body": "lgtm"} for number in range(100)]

#: Runs a script on standard input with an API of GitLab that is in a file, and notes what it is asked to do.
PYTHON = """\
#!{python}
import io, json, sys, urllib.request
from pathlib import Path
notes = json.loads(Path({notes!r}).read_text())
def urlopen(request, timeout):
    path = request.full_url.removeprefix("https://gitlab.example.org/api/v4")
    assert request.headers["Private-token"] == "the-token"
    if request.method != "GET":
        with open({calls!r}, "a") as file:
            file.write(json.dumps([request.method, path, json.loads(request.data)["body"]]) + "\\n")
        return io.StringIO("{{}}")
    if path == "/user":
        return io.StringIO('{{"id": 5}}')
    page = int(path.rpartition("=")[2])
    return io.StringIO(json.dumps(notes[100 * (page - 1) : 100 * page]))
urllib.request.urlopen = urlopen
sys.argv = sys.argv[2:]
exec(sys.stdin.read(), {{}})
"""


#: Paths of projects that differ in one character, which a marker must not drop; ``-->`` would end it.
PATHS = ("a-b", "a_b", "a b", "a%20b", "a~b", "a/b", "a.b", "ä", "ã", "a-->b", "a\nb", "'", '"', "\\", "*")


def program(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def gitlab_calls(
    tmp_path: Path,
    notes: list[dict[str, Any]],
    *,
    report: str = REPORT,
    code: int = 1,
    path: str = "apps/prod",
) -> Any:  # noqa: ANN401 - JSON
    checkout, programs, calls = tmp_path / "checkout", tmp_path / "programs", tmp_path / "calls"
    (checkout / path).mkdir(parents=True)
    (tmp_path / "notes").write_text(json.dumps(notes))
    (tmp_path / "report").write_text(report)
    program(
        programs / "python",
        PYTHON.format(python=sys.executable, notes=str(tmp_path / "notes"), calls=str(calls)),
    )
    program(
        programs / "vmrender",
        f'#!/bin/sh\n[ "$1" != diff ] || {{ cat {tmp_path / "report"}; exit {code}; }}\n',
    )
    run = bash(
        gitlab_scripts()["template"],
        checkout,
        PATH=f"{programs}:{os.environ['PATH']}",
        CI_PROJECT_DIR=str(checkout),
        CI_API_V4_URL="https://gitlab.example.org/api/v4",
        CI_PROJECT_ID="11",
        CI_MERGE_REQUEST_IID="3",
        VMRENDER_COMMENT_TOKEN="the-token",  # noqa: S106 - of the test
        VMRENDER_PATH=path,
        VMRENDER_COMMAND="validate",
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert "no comment" not in run.stdout
    return [json.loads(line) for line in calls.read_text().splitlines()] if calls.exists() else []


NOTES = "/projects/11/merge_requests/3/notes"


def test_gitlab_comments_once(tmp_path: Path) -> None:
    assert gitlab_calls(tmp_path, []) == [["POST", NOTES, f"{MARKER}\n{REPORT}"]]


def test_gitlab_updates_its_comment_on_a_later_page(tmp_path: Path) -> None:
    notes = [OTHERS, *PADDING, OWN]
    assert gitlab_calls(tmp_path, notes) == [["PUT", f"{NOTES}/8", f"{MARKER}\n{REPORT}"]]


def test_gitlab_leaves_the_comments_of_others(tmp_path: Path) -> None:
    assert gitlab_calls(tmp_path, [OTHERS]) == [["POST", NOTES, f"{MARKER}\n{REPORT}"]]


def test_gitlab_does_not_comment_on_no_difference(tmp_path: Path) -> None:
    assert gitlab_calls(tmp_path, [OTHERS], code=0) == []


def test_gitlab_says_that_the_difference_is_gone(tmp_path: Path) -> None:
    assert gitlab_calls(tmp_path, [OWN], report="### no differences\n", code=0) == [
        ["PUT", f"{NOTES}/8", f"{MARKER}\n### no differences\n"]
    ]


def test_gitlab_says_that_nothing_was_compared_in_place_of_an_earlier_report(tmp_path: Path) -> None:
    [[method, path, body]] = gitlab_calls(tmp_path, [OWN], report="", code=2)
    assert (method, path) == ("PUT", f"{NOTES}/8")
    assert body.startswith(f"{MARKER}\n### Nothing was compared\n")


def test_gitlab_does_not_comment_without_a_report(tmp_path: Path) -> None:
    assert gitlab_calls(tmp_path, [OTHERS], report="", code=2) == []


def github_call(tmp_path: Path, ids: str, changed: str, path: str = "apps/prod") -> str:
    (tmp_path / "diff.md").write_text(REPORT)
    program(
        tmp_path / "programs/gh",
        f"""#!/bin/sh
case "$*" in
  *--paginate*) printf '{ids}' ;;
  *) echo $* > {tmp_path / "call"} ;;
esac
""",
    )
    run = bash(
        f"bash {ACTION / 'comment.sh'}",
        tmp_path,
        PATH=f"{tmp_path / 'programs'}:{os.environ['PATH']}",
        GITHUB_REPOSITORY="acme/fleet",
        PULL_REQUEST="3",
        PROJECT=path,
        CHANGED=changed,
        DIFF=str(tmp_path / "diff.md"),
        RUNNER_TEMP=str(tmp_path),
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert (tmp_path / "vmrender-comment.md").read_text().endswith(f" -->\n{REPORT}")
    call = tmp_path / "call"
    return call.read_text() if call.exists() else ""


@pytest.mark.parametrize(
    ("ids", "changed", "request_"),
    [
        ("", "true", "--method POST repos/acme/fleet/issues/3/comments"),
        ("IC_8\\nIC_9\\n", "true", "--raw-field id=IC_8 --field body=@"),
        ("IC_8\\n", "false", "--raw-field id=IC_8 --field body=@"),
        ("", "false", ""),
    ],
)
def test_github_comments_once(tmp_path: Path, ids: str, changed: str, request_: str) -> None:
    assert request_ in github_call(tmp_path, ids, changed)
    assert bool(github_call(tmp_path, ids, changed)) is bool(request_)


def test_each_project_has_a_comment_of_its_own(tmp_path: Path) -> None:
    markers = {}
    for number, path in enumerate(PATHS):
        folder = tmp_path / str(number)
        folder.mkdir()
        github_call(folder, "", "true", path)
        markers[path] = (folder / "vmrender-comment.md").read_text().partition("\n")[0]
        [[_, _, body]] = gitlab_calls(folder, [], path=path)
        assert body.startswith("<!-- vmrender "), path
        assert body.partition("\n")[0] == markers[path], path
        assert markers[path].count("-->") == 1, path
    assert len(set(markers.values())) == len(PATHS)


def gate_output(tmp_path: Path, vmrender: str, fail_on: str = "refused,data") -> str:
    """Return what the comparison of the action says to later steps."""
    program(tmp_path / "programs/vmrender", f"#!/bin/sh\n{vmrender}\n")
    run = bash(
        f"bash {ACTION / 'diff.sh'}",
        tmp_path,
        VMRENDER=str(tmp_path / "programs/vmrender"),
        PROJECT=".",
        BASE="HEAD^",
        SUMMARY="false",
        FAIL_ON=fail_on,
        GITHUB_ACTION_PATH=str(ACTION.parents[1]),
        RUNNER_TEMP=str(tmp_path),
        GITHUB_OUTPUT=str(tmp_path / "output"),
    )
    assert run.returncode == 0, run.stderr
    return (tmp_path / "output").read_text()


@pytest.mark.parametrize(("fails", "gate"), [("exit 1", "gate=1\n"), ("exit 0", "gate=0\n")])
def test_action_has_a_gate(tmp_path: Path, fails: str, gate: str) -> None:
    vmrender = f"""case "$*" in
  *"--fail-on refused,data"*) {fails} ;;
  *) echo "### changed"; exit 1 ;;
esac"""
    assert gate_output(tmp_path, vmrender).endswith(f"changed=true\n{gate}")


def test_nothing_passes_the_gate_that_cannot_be_compared(tmp_path: Path) -> None:
    file = f"file={tmp_path / 'vmrender-diff.md'}\n"
    assert gate_output(tmp_path, "exit 2") == f"{file}gate=2\n"
    assert (tmp_path / "vmrender-diff.md").read_text().startswith("### Nothing was compared\n")
    (tmp_path / "output").unlink()
    assert gate_output(tmp_path, "exit 2", fail_on="") == file
