"""Commands use no network and no program except git, and write only to the project and their cache."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from renderer.cli.app import COMMANDS
from tests.security.git_history import committed
from tests.security.planted import FILES

ROOT = Path(__file__).parents[2]
FORBIDDING = Path(__file__).parent / "forbidding.py"
#: Modules of a repository that would be found if Python looked for any in there.
TRAPS = ("yaml", "click", "json", "jinja2", "re2", "renderer", "sitecustomize", "usercustomize", "__main__")
GIVEN = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"
#: And the exit codes that they have.
RUNS = {
    "render": 0,
    "render --check": 0,
    "render --tracked": 1,  # what it made is not in the commit
    "validate": 0,
    "validate --format sarif prod/machine.yaml": 0,
    "diff": 0,
    "diff --format html HEAD": 0,
    "build prod": 0,
    "build --expand off prod": 0,
    "build https://github.com/kubernetes-sigs/kustomize//examples": 2,
    "expand prod/machine.yaml": 0,
    "explain conflict": 0,
    "explain vm/web": 0,
    "explain vm/web spec.template.spec.domain": 0,
    "fn": 0,
    "catalog list": 0,
    "catalog show large --kubevirt 1.8": 0,
    "catalog diff builtin:common-instancetypes builtin:common-instancetypes": 0,
    "catalog export": 0,
    "catalog import --release v1.0.0 --name other prod/size.yaml": 0,
    "customize large --name u1.ours --vcpus 3": 0,
    "fix --diff": 0,
    "migrate --diff": 0,
    "pin prod web": 0,
    "unpin prod web": 0,
    "schema list": 0,
    "schema export VirtualMachine": 0,
    "plan --shards 2": 0,
    "cache info": 0,
    "cache clear": 0,
    "argocd ignore-differences": 0,
    "argocd discover": 0,
    "completion bash": 0,
    "help render": 0,
    "version": 0,
    "import --output imported prod/machine.yaml": 0,
    "init": 0,  # there is a project already: it reports the changes since
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """One whose modules would leave a file if they were run."""
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    for name in TRAPS:
        (tmp_path / f"{name}.py").write_text("open('trapped', 'w').close()\n", encoding="utf-8")
    committed(tmp_path)
    return tmp_path


def test_every_command_is_run() -> None:
    assert {command.split()[0] for command in RUNS} == {*COMMANDS}


def test_no_network_no_program_and_no_file_elsewhere(repository: Path) -> None:
    result = watched(repository, RUNS)
    assert result["attempts"] == []
    assert result["codes"] == RUNS
    assert not (repository / "trapped").exists()


@pytest.mark.parametrize(
    "code",
    [
        "import socket; socket.socket()",
        "import subprocess; subprocess.run(['true'])",
        "import os; os.system('true')",
        "import os; os.posix_spawn('/bin/true', ['true'], {})",
        "open('../outside', 'w')",
    ],
)
def test_forbidden_calls_are_detected(code: str, tmp_path: Path) -> None:
    script = f"import sys; sys.path.insert(0, {str(FORBIDDING.parent)!r}); import forbidding\n"
    script += f"sys.addaudithook(forbidding.hook)\n{code}"
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "PermissionError: forbidden: " in run.stderr


def watched(folder: Path, commands: dict[str, int]) -> dict[str, object]:
    run = subprocess.run(
        [sys.executable, str(FORBIDDING)],
        cwd=folder,
        input="\n".join(commands),
        capture_output=True,
        text=True,
        check=True,
        env={
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": str(ROOT),
            "GIVEN": GIVEN,
            "XDG_CACHE_HOME": str(folder.with_name(f"{folder.name}-cache")),
        },
    )
    result: dict[str, object] = json.loads(run.stdout)
    return result
