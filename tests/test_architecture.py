"""The rules of ARCHITECTURE.md that a machine can check."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from renderer.model.codes import Code

ROOT = Path(__file__).parents[1]
RENDERER = ROOT / "renderer"
MODULES = sorted(RENDERER.rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))

LONGEST_MODULE = 450
LONGEST_FUNCTION = 50

every_module = pytest.mark.parametrize(
    "module", MODULES, ids=[path.relative_to(ROOT).as_posix() for path in MODULES]
)


def test_imports_keep_the_contracts() -> None:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()"]
    run = subprocess.run(
        [*command, "--no-logo", "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert run.returncode == 0, run.stdout + run.stderr


@every_module
def test_modules_are_short(module: Path) -> None:
    assert len(module.read_text(encoding="utf-8").splitlines()) <= LONGEST_MODULE


@pytest.mark.parametrize("module", [*MODULES, *TESTS], ids=lambda path: path.relative_to(ROOT).as_posix())
def test_functions_are_short(module: Path) -> None:
    functions = [node for node in ast.walk(parse(module)) if isinstance(node, ast.FunctionDef)]
    lengths = {node.name: (node.end_lineno or 0) - node.lineno + 1 for node in functions}

    assert {name: length for name, length in lengths.items() if length > LONGEST_FUNCTION} == {}


@every_module
def test_modules_say_what_they_are(module: Path) -> None:
    tree = parse(module)

    assert ast.get_docstring(tree) or not tree.body


@every_module
def test_modules_are_named_after_something(module: Path) -> None:
    assert {*module.relative_to(RENDERER).with_suffix("").parts}.isdisjoint(
        {"common", "helper", "helpers", "misc", "util", "utils"}
    )


@pytest.mark.parametrize(
    "module",
    [path for path in MODULES if not path.is_relative_to(RENDERER / "cli")],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_only_the_command_line_prints(module: Path) -> None:
    names = {node.id for node in ast.walk(parse(module)) if isinstance(node, ast.Name)}
    attributes = {node.attr for node in ast.walk(parse(module)) if isinstance(node, ast.Attribute)}

    assert names.isdisjoint({"print", "input", "breakpoint"})
    assert attributes.isdisjoint({"stdout", "stderr", "stdin", "environ", "getenv"})


@every_module
def test_one_door_for_unexpected_errors(module: Path) -> None:
    handlers = [node for node in ast.walk(parse(module)) if isinstance(node, ast.ExceptHandler)]
    broad = [node.lineno for node in handlers if node.type is None or ast.unparse(node.type) == "Exception"]

    assert len(broad) == (module == RENDERER / "cli/app.py")


EXCEPTION = re.compile(r"# ?(noqa|type: ?ignore)")
EXCEPTION_WITH_REASON = re.compile(
    r"# (noqa: [A-Z]+\d+(, [A-Z]+\d+)*|type: ignore\[[a-z-]+(, [a-z-]+)*\])[ -]+(# )?[(\w].*\w{3}"
)


@every_module
def test_exceptions_to_the_rules_have_a_reason(module: Path) -> None:
    lines = module.read_text(encoding="utf-8").splitlines()

    assert [
        line.strip()
        for above, line in zip(["", *lines], lines, strict=False)
        if EXCEPTION.search(line)
        and not EXCEPTION_WITH_REASON.search(line)
        and not above.lstrip().startswith("# ")
    ] == []


@pytest.mark.parametrize("code", Code)
def test_every_code_is_given_by_something(code: Code) -> None:
    users = [
        module
        for module in MODULES
        if module.name != "codes.py" and f"Code.{code.name}" in module.read_text(encoding="utf-8")
    ]

    assert users


VERSION = """
import sys
from renderer.cli.app import main
sys.argv = ["vmrender", "--version"]
try:
    main()
finally:
    print(*sys.modules)
"""


def test_the_version_costs_no_imports() -> None:
    run = subprocess.run(
        [sys.executable, "-c", VERSION], capture_output=True, text=True, check=True, cwd=ROOT
    )
    version, modules = run.stdout.splitlines()
    imported = {name.partition(".")[0] for name in modules.split()}

    assert version.startswith("vmrender, version ")
    assert imported.isdisjoint(
        {"jinja2", "jsonschema", "jsonschema_rs", "deepdiff", "yaml", "difflib", "hashlib"}
    )
    assert {name for name in modules.split() if name.startswith("renderer")} == {
        "renderer",
        "renderer.cli",
        "renderer.cli.app",
        "renderer.cli.lazy_group",
    }


def test_actions_are_pinned_by_commit() -> None:
    workflows = [*(ROOT / ".github").rglob("*.y*ml"), *ROOT.glob("action.y*ml")]
    uses = [line.strip() for file in workflows for line in file.read_text().splitlines() if "uses:" in line]
    pinned = re.compile(r"(- )?uses: (\./|[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$)")

    assert uses
    assert [line for line in uses if not pinned.match(line)] == []


def test_nothing_refers_to_the_machine_it_was_made_on() -> None:
    forbidden = {"anywhere": re.compile(r"/work/(main|shared|\.)"), "product": re.compile(r"\.\./shared")}
    found = []
    for file in project_files():
        text = file.read_text(encoding="utf-8", errors="replace")
        patterns = ["anywhere"] if file.is_relative_to(ROOT / "tests") else [*forbidden]
        found += [
            f"{file.relative_to(ROOT)}: {match[0]}"
            for pattern in patterns
            for match in forbidden[pattern].finditer(text)
            if file != Path(__file__)
        ]

    assert found == []


def project_files() -> list[Path]:
    """The files that are, or may be, committed."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not in a Git checkout")
    return [ROOT / path for path in listed.stdout.split("\0") if path and (ROOT / path).is_file()]


def parse(module: Path) -> ast.Module:
    return ast.parse(module.read_text(encoding="utf-8"))
