"""What the shortest run of each command costs, in a project of one overlay with one virtual machine.

``schema import`` has none: the definitions of a KubeVirt release are megabytes.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.comparison import CACHE, VMRENDER, Command, Usage, Work, measure, run
from tests.benchmarks.inputs import virtual_machines
from tests.benchmarks.table import Row, ratio, table, time

_PROGRAMS = "pass", "import click", "import click, yaml"
REFERENCE = "import click"

_PROJECT, _OVERLAY, _EMPTY = Path("smallest"), Path("smallest/overlays/one"), Path("empty")
_FILES = {
    "vmrender.yaml": "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n",
    "overlays/one/kustomization.yaml": "resources: [vm.yaml]\n",
    "overlays/one/vm.yaml": virtual_machines(1),
    "plain.yaml": virtual_machines(1, matchers=False),
    "resource-list.yaml": "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n",
    "sizes.yaml": """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata:
  name: small
spec:
  cpu:
    guest: 1
  memory:
    guest: 1Gi
""",
}


class Start(NamedTuple):
    """The arguments of ``vmrender``; ``limit``: its promised cost, as a multiple of ``import click``."""

    arguments: str
    limit: float | None = None
    folder: Path = _PROJECT
    is_unchanged: bool = False  # it ran before, and what it kept is there


_STARTS = (
    Start("--version", limit=1.5),
    Start("--help", limit=1.5),
    Start("validate plain.yaml"),
    Start("validate overlays/one/vm.yaml"),
    Start("validate"),
    Start("build --expand off overlays/one"),
    Start("build overlays/one"),
    Start("render"),
    Start("render --check"),
    Start("render --check", limit=2.0, is_unchanged=True),
    Start("diff"),
    Start("expand plain.yaml"),
    Start("explain stale"),
    Start("explain vm/vm-0000 spec.runStrategy --overlay one"),
    Start("migrate --check"),
    Start("pin one --all"),
    Start("unpin one --all"),
    Start("customize u1.small --name mine --vcpus 4"),
    Start("catalog list"),
    Start("catalog show u1.small"),
    Start("catalog diff sizes.yaml sizes.yaml"),
    Start("catalog export"),
    Start("catalog import sizes.yaml --release v1.0.0"),
    Start("schema list"),
    Start("schema export VirtualMachine"),
    Start("fn < resource-list.yaml"),
    Start("argocd discover"),
    Start("argocd generate", folder=_OVERLAY),
    Start("argocd parameters", folder=_OVERLAY),
    Start("argocd ignore-differences"),
    Start("completion bash"),
    Start("init", folder=_EMPTY),
)


class Startup(NamedTuple):
    programs: dict[str, Usage]
    commands: dict[Start, Usage]


def measure_startup(runs: int) -> Startup:
    _write_projects()
    programs = [Work([(sys.executable, "-c", program)], runs) for program in _PROGRAMS]
    usages = measure([*programs, *(_work(start, runs) for start in _STARTS)])
    return Startup(
        dict(zip(_PROGRAMS, usages[: len(_PROGRAMS)], strict=True)),
        dict(zip(_STARTS, usages[len(_PROGRAMS) :], strict=True)),
    )


def startup_rows(startup: Startup) -> Iterator[Row]:
    reference = startup.programs[REFERENCE].cpu
    for start, usage in startup.commands.items():
        if start.limit:
            yield ratio(_shown(start), usage.cpu, _program(REFERENCE), reference, start.limit)


def startup_table(startup: Startup) -> str:
    reference = startup.programs[REFERENCE].cpu
    named = {_program(program): usage for program, usage in startup.programs.items()}
    named |= {_shown(start): usage for start, usage in startup.commands.items()}
    cells = ((name, time(usage.cpu), f"{usage.cpu / reference:.2f}") for name, usage in named.items())
    return table(("", "CPU", f"of {_program(REFERENCE)}"), cells)


def _program(code: str) -> str:
    return f'`python -c "{code}"`'


def _shown(start: Start) -> str:
    return f"`vmrender {start.arguments}`{', once more' if start.is_unchanged else ''}"


def _work(start: Start, runs: int) -> Work:
    """With nothing kept of earlier runs, and nothing left that one of them wrote."""
    repository = _EMPTY if start.folder == _EMPTY else _PROJECT
    if start.is_unchanged:
        once = Work([_command(start)], 1, start.folder)
        return Work([_command(start)], runs, start.folder, before=partial(run, once))
    return Work([_command(start)], runs, start.folder, (CACHE,), partial(_restore, repository))


def _command(start: Start) -> Command:
    """With a shell only where one opens a file for it, which it then becomes the program of."""
    if "<" in start.arguments:
        return "sh", "-c", f"exec {shlex.quote(VMRENDER)} {start.arguments}"
    return VMRENDER, *shlex.split(start.arguments)


def _write_projects() -> None:
    for name, text in _FILES.items():
        file = _PROJECT / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    _EMPTY.mkdir()
    run(Work([(VMRENDER, "render")], 1, _PROJECT))
    for repository in (_PROJECT, _EMPTY):
        _git(repository, "init", "--quiet")
        _git(repository, "add", ".")
        _git(repository, "commit", "--quiet", "--allow-empty", "--message", "As it is measured")


def _restore(repository: Path) -> None:
    _git(repository, "reset", "--quiet", "--hard")
    _git(repository, "clean", "--quiet", "-dffx")


def _git(repository: Path, *arguments: str) -> None:
    who = "-c", "user.name=benchmarks", "-c", "user.email=benchmarks@example.com"
    subprocess.run(["git", *who, *arguments], cwd=repository, check=True)
