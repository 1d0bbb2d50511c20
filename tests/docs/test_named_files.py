"""Each module or file named by a page for developers or a docstring exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house import MODULES, RENDERER, ROOT, outline, shown

PAGES = [
    *(ROOT / name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "schemas/README.md", ".ci/README.md")),
    *sorted((ROOT / "docs/decisions").glob("*.md")),
]

_QUOTED = re.compile(r"``?([^`\n]+)``?")
_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)*(?:/|\.(?:py|md|json|yaml|yml|toml|txt|sh))")
#: ``kubevirt.io`` is an API group.
_MODULE = re.compile(
    r"(?!kubevirt\.io$)(?:renderer|model|kustomize|yamlio|kubevirt|emit|report|app|cli|tests)(?:\.\w+)+"
)

#: Paths of KubeVirt, kustomize and the like, and of a user's repository.
_OTHERS = re.compile(
    r"(pkg|api|staging|tools|cmd|kyaml|core|argo-cd|util|plugin|overlays/(prod|dev|x)|expected|rendered|base)/|/$"
)
#: In docstrings only names that cannot be upstream's: upstream has ``docs/`` as well.
_OURS = re.compile(r"(renderer|tests|explanations|schemas|\.ci)/|docs/[\w-]+\.md$|docs/decisions/")
#: Files that a user has, or that a command makes.
_USERS = {"case.yaml", "kustomization.yaml", "vmrender.yaml", "venv.py", "README.md", ".gitlab-ci.yml"}


def paths(text: str) -> Iterator[str]:
    for quoted in _QUOTED.findall(text):
        for word in quoted.split():
            if _PATH.fullmatch(word.rstrip(",;:")):
                yield word.rstrip(",;:")


def exists(path: str, folder_of_page: Path) -> bool:
    """Return True if the path exists in the repository, in the package, or in the folder of its page."""
    folders = (
        ROOT,
        folder_of_page,
        RENDERER,
        *(RENDERER / stage for stage in ("app", "diff", "kubevirt/instancetype")),
    )
    return any((folder / path.replace("CODE", "conflict")).exists() for folder in folders)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_named_by_pages_exist(page: Path) -> None:
    named = [path for path in paths(page.read_text(encoding="utf-8")) if not _OTHERS.match(path)]
    folders = [path for path in paths(page.read_text(encoding="utf-8")) if path.endswith("/")]
    known = {module.name for module in MODULES} | _USERS
    missing = [path for path in named if not exists(path, page.parent)]
    assert [path for path in missing if "/" in path or path not in known] == []
    if page.name == "ARCHITECTURE.md":
        assert len(named) > 80
        assert [path for path in folders if not exists(path, page.parent) and not _OTHERS.match(path)] == []


def test_files_and_modules_named_by_docstrings_exist() -> None:
    missing: set[str] = set()
    seen = 0
    docstrings = [(module, text) for module in MODULES for _, text in outline(module).docstrings]
    for module, text in docstrings:
        for path in paths(text):
            if _OURS.match(path):
                seen += 1
                if not exists(path, module.parent):
                    missing.add(f"{shown(module)}: {path}")
        for name in (quoted for quoted in _QUOTED.findall(text) if _MODULE.fullmatch(quoted)):
            seen += 1
            if not names_something(name):
                missing.add(f"{shown(module)}: {name}")
    assert sorted(missing) == []
    assert seen >= 20


def names_something(name: str) -> bool:
    """Return True if a dotted name is a module, or a name in one."""
    parts = name.removeprefix("renderer.").split(".")
    top = ROOT if parts[0] == "tests" else RENDERER
    for count in range(len(parts), 0, -1):
        place = top.joinpath(*parts[:count])
        for file in (place.with_suffix(".py"), place / "__init__.py"):
            if file.is_file():
                rest = parts[count:]
                return not rest or re.search(rf"\b{rest[0]}\b", file.read_text(encoding="utf-8")) is not None
    return False
