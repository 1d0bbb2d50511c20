"""The site: its reference is complete, its links are valid, and MkDocs builds it."""

from __future__ import annotations

import importlib.util
import json
import os
import posixpath
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest
import yaml
from jinja2.filters import FILTERS as JINJA

from renderer.app import api
from renderer.authoring.templates.filters.table import FILTERS
from renderer.cli.app import COMMANDS, main
from renderer.model.codes import Code
from renderer.model.run.limits import FIELDS

ROOT = Path(__file__).parents[2]
HAS_MKDOCS = importlib.util.find_spec("material") is not None


def program(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / f".ci/site/{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def pages() -> Mapping[str, str]:
    made: Mapping[str, str] = program("reference").pages()
    return made


def commands(command: click.Command, path: str, parent: click.Context | None = None) -> Iterator[str]:
    context = click.Context(command, parent, info_name=path.rpartition(" ")[2])
    yield path
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found
            if not found.hidden:
                yield from commands(found, f"{path} {name}", context)


def test_every_command_is_in_the_reference() -> None:
    text = pages()["reference/commands.md"]
    listed = list(commands(main, "vmrender"))
    assert len(listed) > 25
    assert [path for path in listed if f"# `{path}`\n" not in text] == []
    assert all(option in text for option in ("--kubevirt", "--format", "--check", "--shard"))


def test_every_command_is_in_the_guide() -> None:
    text = (ROOT / "docs/command-line.md").read_text(encoding="utf-8")
    rows = "".join(re.findall(r"^\| (`vmrender .*?) \|", text, re.MULTILINE))
    assert [name for name in COMMANDS if not re.search(rf"`(vmrender )?{name}\b", rows)] == []


def test_every_code_has_a_page() -> None:
    assert {f"reference/findings/{code}.md" for code in Code} <= set(pages())
    assert all(f"(findings/{code}.md)" in pages()["reference/findings.md"] for code in Code)


def test_every_field_of_the_project_file_is_in_the_reference() -> None:
    schema = json.loads((ROOT / "schemas/vmrender/renderconfig.json").read_text())
    fields = {name for node in nodes(schema) for name in node.get("properties", {})}
    text = pages()["reference/project-file.md"]
    assert len(fields) > 40
    assert [
        name for name in sorted(fields) if not re.search(rf"\| `([\w.]+\.)?{re.escape(name)}` \|", text)
    ] == []


def nodes(value: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - a JSON tree
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from nodes(each)


def test_every_filter_limit_and_function_is_in_the_reference() -> None:
    assert [name for name in FILTERS if f"| `{name}` |" not in pages()["reference/filters.md"]] == []
    assert [name for name in FIELDS if f"| `{name}` |" not in (ROOT / "docs/limits.md").read_text()] == []
    ours = [name for name in FILTERS if name not in JINJA and FILTERS[name].__doc__ is None]
    assert ours == []  # which the page would take for Jinja's
    text = pages()["reference/api.md"]
    assert [name for name in api.__all__ if not re.search(rf"^##+ {name}$", text, re.MULTILINE)] == []
    assert text.count("```pycon") >= len([name for name in api.__all__ if name.islower()])
    assert "| door |" in pages()["glossary.md"]


def test_blocks_and_tables_of_the_reference_are_complete() -> None:
    for path, text in pages().items():
        assert len(re.findall(r"^```", text, re.MULTILINE)) % 2 == 0, path
        for row in re.findall(r"^\|.*$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE):
            cells = len(re.findall(r"(?<!\\)\|", row)) - 1
            assert cells in (2, 3), f"{path}: {row}"


def test_navigation_names_existing_pages() -> None:
    settings = yaml.safe_load((ROOT / ".ci/site/mkdocs.yml").read_text())
    listed = [value for value in texts(settings["nav"]) if value.endswith(".md")]
    elsewhere = re.findall(r'"([\w./-]+\.md)",?$', (ROOT / ".ci/site/hook.py").read_text(), re.MULTILINE)
    assert "index.md" in elsewhere
    missing = [name for name in listed if name not in pages() and name not in elsewhere]
    assert [name for name in missing if not (ROOT / "docs" / name).is_file()] == []


def texts(value: Any) -> Iterator[str]:  # noqa: ANN401 - a YAML tree
    if isinstance(value, str):
        yield value
    elif value is not None:
        for each in value.values() if isinstance(value, dict) else value:
            yield from texts(each)


@pytest.mark.skipif(not HAS_MKDOCS, reason="needs the dependency group docs: make docs builds the site, too")
def test_mkdocs_builds_the_site_without_broken_links(tmp_path: Path) -> None:
    settings = ("--config-file", ".ci/site/mkdocs.yml", "--site-dir", str(tmp_path))
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", *settings]
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
    run = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)

    assert run.returncode == 0, run.stderr
    assert (tmp_path / "reference/findings/conflict/index.html").is_file()
    anchors = {page: set(re.findall(r'id="([^"]+)"', page.read_text())) for page in tmp_path.rglob("*.html")}
    broken = [
        f"{page.relative_to(tmp_path)}: {link}"
        for page in anchors
        for link in re.findall(r'<a [^>]*href="([^"]+)"', page.read_text())
        if not is_valid_link(tmp_path, page, link, anchors)
    ]
    assert broken == []


def is_valid_link(site: Path, page: Path, link: str, anchors: Mapping[Path, set[str]]) -> bool:
    if re.match(r"[a-z]+:", link) or page.name == "404.html":
        return True
    path, _, anchor = link.partition("#")
    target = Path(posixpath.normpath(page.parent / path)) if path else page
    target = target / "index.html" if target.is_dir() else target
    if not target.is_relative_to(site) or not target.is_file():
        return False
    return not anchor or target.suffix != ".html" or anchor in anchors[target] or anchor.startswith("__")
