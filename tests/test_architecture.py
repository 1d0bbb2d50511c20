"""The rules of ARCHITECTURE.md that a machine can check."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from renderer.model.codes import Code
from tests.house import MODULES, RENDERER, ROOT, circles, imports, of_parts, outline, parse, shown

#: A library has no command line that hands the environment in; a proof is signed by the key of the user.
READ_THE_ENVIRONMENT = {
    "renderer/app/api/__init__.py",
    "renderer/app/api/runs.py",
    "renderer/emit/proof.py",
}
#: Words that name nothing: a module named so contains whatever had no other place.
EMPTY_NAMES = {"common", "helper", "helpers", "misc", "util", "utils"}


def test_imports_keep_the_contracts() -> None:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()"]
    run = subprocess.run(
        [*command, "--no-logo", "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert run.returncode == 0, run.stdout + run.stderr


def test_no_module_imports_itself_through_others() -> None:
    """Imports inside functions and imports only for types count like any other."""
    assert [sorted(circle) for circle in circles(imports())] == []


def test_no_package_imports_itself_through_others() -> None:
    """No modules and packages of one package form a circle, at any depth."""
    graph = imports()
    packages = {module.rpartition(".")[0] for module in graph} - {""}
    found = [circle for package in sorted(packages) for circle in circles(of_parts(graph, package))]

    assert [sorted(circle) for circle in found] == []


def test_circles_are_found() -> None:
    graph = {"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": {"e"}, "e": {"d"}, "f": {"a", "e"}}

    found = circles({name: frozenset(others) for name, others in graph.items()})

    assert sorted(map(sorted, found)) == [["a", "b", "c"], ["d", "e"]]


def test_circles_of_packages_are_found() -> None:
    graph = {
        "p.a": {"p.b.x"},
        "p.b": {"q"},
        "p.b.x": {"p.b.y"},
        "p.b.y": {"p.c.x"},
        "p.c.x": {"p.c.y", "p.d"},
        "p.c.y": {"p.b.z"},
        "p.b.z": set(),
        "p.d": set(),
        "q": set(),
    }
    frozen = {name: frozenset(others) for name, others in graph.items()}

    assert circles(frozen) == []
    assert of_parts(frozen, "p") == {
        "p.a": {"p.b"},
        "p.b": {"p.c"},
        "p.c": {"p.b", "p.d"},
        "p.d": frozenset(),
    }
    assert circles(of_parts(frozen, "p")) == [{"p.b", "p.c"}]


def test_imports_of_every_kind_are_counted() -> None:
    seen = imports()

    assert "renderer.kustomize.res_map" in seen["renderer.kustomize.compose"]  # at the top
    assert "renderer.kustomize.variables" in seen["renderer.kustomize.compose"]  # in a function
    assert "renderer.kustomize.generators" in seen["renderer.kustomize.compose"]  # for types only
    assert "renderer.kubevirt.facts" not in seen["renderer.kustomize.res_map"]  # but its module confidential


def test_modules_have_a_docstring() -> None:
    assert [shown(module) for module in MODULES if not outline(module).is_described] == []


def test_comparison_lists_its_modules() -> None:
    """Its docstring is the map of a package with fifty modules."""
    folder = RENDERER / "app/comparison"
    listed = set(
        re.findall(r"``(\w+)``", ast.get_docstring(ast.parse((folder / "__init__.py").read_text())) or "")
    )
    assert {each.stem for each in folder.glob("*.py")} - {"__init__"} - listed == set()


def test_public_functions_and_classes_have_a_docstring() -> None:
    found = {shown(module): outline(module).undescribed for module in MODULES}

    assert {module: names for module, names in found.items() if names} == {}


def test_module_names_are_specific() -> None:
    words = {shown(module): set(module.relative_to(RENDERER).with_suffix("").parts) for module in MODULES}

    assert [module for module, parts in words.items() if parts & EMPTY_NAMES] == []


TALKS = {"print", "input", "breakpoint"}
STREAMS = {"stdout", "stderr", "stdin", "environ", "getenv"}


def modules_containing(*words: str) -> list[Path]:
    """Return the modules whose text contains one of ``words``: the others need not be parsed."""
    pattern = re.compile(rf"\b({'|'.join(words)})(?!\w)")
    return [module for module in MODULES if pattern.search(module.read_text(encoding="utf-8"))]


def test_only_findings_makes_located_findings() -> None:
    """Cached findings were located in an earlier run."""
    allowed = ("renderer/findings/", "renderer/cache/known_results.py")
    makers = [
        shown(module)
        for module in modules_containing("Located")
        for node in ast.walk(parse(module))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Located"
    ]
    assert "renderer/findings/run_findings.py" in makers
    assert [maker for maker in makers if not maker.startswith(allowed)] == []


def test_only_the_command_line_prints_and_reads_the_environment() -> None:
    found = [
        f"{shown(module)}:{node.lineno}"
        for module in modules_containing(*TALKS, *STREAMS)
        if not module.is_relative_to(RENDERER / "cli") and shown(module) not in READ_THE_ENVIRONMENT
        for node in ast.walk(parse(module))
        if (isinstance(node, ast.Name) and node.id in TALKS)
        or (isinstance(node, ast.Attribute) and node.attr in STREAMS)
    ]

    assert found == []


def test_unexpected_errors_are_caught_in_one_place() -> None:
    broad = [
        shown(module)
        for module in modules_containing("except Exception", "except:")
        for node in ast.walk(parse(module))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or ast.unparse(node.type) == "Exception")
    ]

    assert broad == ["renderer/cli/app.py"]


EXCEPTION = re.compile(r"# ?(noqa|type: ?ignore)")
EXCEPTION_WITH_REASON = re.compile(
    r"# (noqa: [A-Z]+\d+(, [A-Z]+\d+)*|type: ignore\[[a-z-]+(, [a-z-]+)*\])[ -]+(# )?[(\w].*\w{3}"
)


def test_exceptions_to_the_rules_have_a_reason() -> None:
    found = []
    for module in MODULES:
        lines = module.read_text(encoding="utf-8").splitlines()
        found += [
            f"{shown(module)}: {line.strip()}"
            for above, line in zip(["", *lines], lines, strict=False)
            if EXCEPTION.search(line)
            and not EXCEPTION_WITH_REASON.search(line)
            and not above.lstrip().startswith("# ")
        ]

    assert found == []


#: Codes that no golden case shows, as they need Git or a disk that fails, or are seldom the last word; the
#: tests that assert them.
ASSERTED_BY = {
    Code.DUMP_EXPOSED: "cli/test_import.py:test_dump_that_git_does_not_ignore_is_reported",
    Code.GIT_REVISION: "unit/files/test_git.py:test_an_unknown_revision_says_where_to_look",
    Code.QUANTITY_INVALID: "unit/model/test_quantity.py:test_invalid_quantity_is_an_error",
    Code.WRITE_FAILED: "unit/emit/test_write.py:test_disk_error_in_one_of_many_files_changes_nothing",
}


def test_every_code_is_in_a_golden_output_or_asserted_by_a_test() -> None:
    outputs = (ROOT / "tests/cases").glob("*/*/expected.std*")
    shown = set(
        re.findall(
            r"\b(?:error|warning|info)\[([a-z-]+)\]", "".join(file.read_text("utf-8") for file in outputs)
        )
    )

    assert {code for code in Code if code not in shown} == set(ASSERTED_BY)


@pytest.mark.parametrize("code", ASSERTED_BY)
def test_test_listed_for_a_code_asserts_it(code: Code) -> None:
    file, _, name = ASSERTED_BY[code].partition(":")
    functions = {
        node.name: ast.unparse(node)
        for node in ast.walk(parse(ROOT / "tests" / file))
        if isinstance(node, ast.FunctionDef)
    }

    assert f"Code.{code.name}" in functions[name] or f"[{code}]" in functions[name]
    assert "assert " in functions[name]


VERSION = """
import sys
from renderer.cli.app import main
sys.argv = ["vmrender", "--version"]
try:
    main()
finally:
    print(*sys.modules)
"""


def test_version_imports_almost_nothing() -> None:
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
        "renderer.cli.command",
    }


def test_actions_are_pinned_by_commit() -> None:
    workflows = [*(ROOT / ".github").rglob("*.y*ml"), *ROOT.glob("action.y*ml")]
    uses = [line.strip() for file in workflows for line in file.read_text().splitlines() if "uses:" in line]
    pinned = re.compile(r"(- )?uses: (\./|[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$)")

    assert uses
    assert [line for line in uses if not pinned.match(line)] == []


def test_no_file_refers_to_the_machine_it_was_written_on() -> None:
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


def test_paths_from_users_are_inspected_by_functions_that_accept_any_name() -> None:
    """The methods of ``Path`` raise for names that are too long; ``renderer.files.disk`` has others.

    Districts that are left out ask about names that they know: shipped files, the cache, staging folders. The
    methods of our file systems have an argument; ``os.DirEntry`` is for existing entries.
    """
    methods = {"exists", "is_dir", "is_file", "is_symlink"}
    found = [
        f"{shown(module)}:{node.lineno}"
        for module in modules_containing(*methods)
        if module.relative_to(RENDERER).parts[0] not in {"cache", "checks", "emit", "files"}
        for node in ast.walk(parse(module))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if node.func.attr in methods and not node.args
    ]

    assert found == []
