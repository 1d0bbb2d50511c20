"""Modules of the package are found and loaded as Python would, whatever stands beside them."""

from __future__ import annotations

import os
import py_compile
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from py_compile import PycInvalidationMode

import pytest

from renderer.importer import OwnModules

LOADED = """
import sys
sys.path.insert(0, {root!r})
from renderer import importer
importer.install()
import renderer.made.module as made
print(made.VALUE, type(made.__loader__).__name__, made.__file__, made.__cached__)
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the importer in a package with one more module."""
    folder = tmp_path / "renderer"
    (folder / "made").mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "made" / "__init__.py").write_text("")
    own = Path(sys.modules[OwnModules.__module__].__file__ or "")
    (folder / "importer.py").write_text(own.read_text(encoding="utf-8"), encoding="utf-8")
    return folder


def loaded(package: Path) -> list[str]:
    code = LOADED.format(root=str(package.parent))
    run = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, check=True)
    return run.stdout.split()


def written(package: Path, value: int) -> Path:
    module = package / "made" / "module.py"
    module.write_text(f"VALUE = {value}\n")
    return module


def compiled(module: Path, mode: PycInvalidationMode = PycInvalidationMode.TIMESTAMP) -> Path:
    return Path(py_compile.compile(str(module), doraise=True, invalidation_mode=mode) or "")


def test_a_compiled_module_is_loaded(package: Path) -> None:
    module = written(package, 1)
    file = compiled(module)

    assert loaded(package) == ["1", "_Loader", str(module), str(file)]


def test_a_module_that_is_not_compiled_is_loaded_from_its_source(package: Path) -> None:
    written(package, 2)

    assert loaded(package)[0] == "2"


def test_a_source_that_has_changed_since_counts(package: Path) -> None:
    module = written(package, 1)
    compiled(module)
    written(package, 3)
    os.utime(module, (0, 0))

    assert loaded(package)[0] == "3"


def test_a_compiled_file_of_another_python_is_passed_over(package: Path) -> None:
    module = written(package, 4)
    file = compiled(module)
    file.write_bytes(b"none" + file.read_bytes()[4:])

    assert loaded(package)[0] == "4"


@pytest.mark.parametrize("mode", [PycInvalidationMode.CHECKED_HASH, PycInvalidationMode.UNCHECKED_HASH])
def test_compiled_files_with_a_hash_are_read_by_pythons_rules(
    package: Path, mode: PycInvalidationMode
) -> None:
    module = written(package, 5)
    compiled(module, mode)
    written(package, 6)

    assert loaded(package)[0] == ("6" if mode is PycInvalidationMode.CHECKED_HASH else "5")


def test_code_that_was_moved_knows_its_new_file(package: Path) -> None:
    module = written(package, 7)
    compiled(module)
    moved = package.parent / "elsewhere" / "renderer"
    moved.parent.mkdir()
    package.rename(moved)
    code = LOADED.format(root=str(moved.parent)) + "print(importer.install.__code__.co_filename)\n"
    run = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, check=True)

    assert run.stdout.splitlines()[1] == str(moved / "importer.py")


def test_extensions_archives_and_what_is_missing_are_left_to_python(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package.py").touch()
    (tmp_path / "fast.py").touch()
    (tmp_path / f"fast{EXTENSION_SUFFIXES[0]}").touch()
    (tmp_path / "plain.py").touch()
    finder = OwnModules()

    names = ("package", "fast", "missing", "plain")
    found = {name: finder.find_spec(f"renderer.{name}", [str(tmp_path)]) for name in names}

    assert [name for name, spec in found.items() if spec is not None] == ["plain"]
    assert finder.find_spec("other.plain", [str(tmp_path)]) is None
    assert finder.find_spec("renderer.plain", [str(tmp_path / "an_archive.zip")]) is None


def test_a_package_is_loaded_with_its_folder(package: Path) -> None:
    compiled(package / "made" / "__init__.py")
    code = LOADED.split("import renderer.made", maxsplit=1)[0].format(root=str(package.parent)) + (
        "import renderer.made as made\nfrom importlib.resources import files\n"
        "print(type(made.__loader__).__name__, made.__path__, made.__package__, made.__file__, files(made))\n"
    )
    run = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, check=True)

    folder = str(package / "made")
    assert run.stdout.split() == [
        "_Loader", f"['{folder}']", "renderer.made", str(package / "made" / "__init__.py"), folder
    ]  # fmt: skip


@pytest.mark.parametrize("others", [(), (f"__init__{EXTENSION_SUFFIXES[0]}", "__init__.py")])
def test_folders_without_a_module_of_their_own_and_compiled_packages_are_left_to_python(
    tmp_path: Path, others: tuple[str, ...]
) -> None:
    (tmp_path / "folder").mkdir()
    for name in others:
        (tmp_path / "folder" / name).touch()

    assert OwnModules().find_spec("renderer.folder", [str(tmp_path)]) is None
