"""The public names, signatures and fields: a change of them is a change of ``surface.txt``.

``pytest --update-cases`` writes the file. A removed or changed line breaks the programs of users:
``docs/library.md`` says what such a change requires.
"""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import renderer
from renderer.app import api

RECORDED = Path(__file__).with_name("surface.txt")
PACKAGE = Path(renderer.__file__).parent


def surface() -> Iterator[str]:
    """Yield a line for each function, and for each value one with its fields."""
    for name in api.__all__:
        found = vars(api)[name]
        if inspect.isclass(found):
            bases = ", ".join(base.__name__ for base in found.__mro__[1:] if issubclass(base, Exception))
            fields = "".join(f" .{field}" for field in api.STABLE_FIELDS[name])
            yield f"class {name}{f'({bases})' if bases else ''}{fields}"
        else:
            yield f"def {name}{signature(found)}"


def signature(function: object) -> str:
    text = str(inspect.signature(function))  # type: ignore[arg-type]  # it is a function
    return re.sub(r"(: |-> )'([^']+)'", r"\1\2", text)  # annotations are texts


def test_surface_matches_the_record(request: pytest.FixtureRequest) -> None:
    text = "".join(f"{line}\n" for line in surface())
    if request.config.getoption("--update-cases"):
        RECORDED.write_text(text)
    assert text == RECORDED.read_text()


def test_promised_names_exist() -> None:
    assert set(api.STABLE_FIELDS) == {name for name in api.__all__ if inspect.isclass(vars(api)[name])}
    for name, fields in api.STABLE_FIELDS.items():
        made = inspect.getsource(vars(api)[name])
        assert [field for field in fields if not re.search(rf"\b{field}\b", made)] == [], name


def test_package_stub_and_library_have_the_same_names() -> None:
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text())
    imported = [
        alias.asname for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names
    ]
    [listed] = [ast.literal_eval(node.value) for node in stub.body if isinstance(node, ast.Assign)]
    assert sorted(map(str, imported)) == sorted(api.__all__)
    assert listed == renderer.__all__
    assert sorted({*api.__all__, "__version__"}) == sorted(renderer.__all__)


def test_every_name_is_documented() -> None:
    for name in api.__all__:
        assert getattr(renderer, name).__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        renderer.nothing  # type: ignore[attr-defined] # noqa: B018 - it is the test


def test_importing_the_package_imports_nothing_else() -> None:
    code = "import sys; before = set(sys.modules); import renderer; print(*sorted(set(sys.modules) - before))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["renderer"]


def test_the_library_needs_no_command_line() -> None:
    """It neither imports click nor touches the program's streams, exit hooks and garbage collector."""
    code = (
        "import gc, sys, renderer; before = gc.get_threshold(), gc.get_freeze_count()\n"
        "project = renderer.open_project(sys.argv[1]); renderer.list_fleet(project)\n"
        "assert (gc.get_threshold(), gc.get_freeze_count()) == before\n"
        "print(*(name for name in sys.modules if name in ('click', 'renderer.cli')))"
    )
    folder = PACKAGE.parent / "docs/examples/shop"
    command = [sys.executable, "-c", code, str(folder)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (ran.stdout.strip(), ran.stderr) == ("", "")
