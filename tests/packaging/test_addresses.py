"""Addresses of the project are in one table, and none uses a name that is not ours."""

from __future__ import annotations

import re
import tomllib
from email.message import Message
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from renderer.files import installation
from tests.packaging.built import ROOT

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TABLE: dict[str, str] = PROJECT["urls"]
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *(path for folder in ("docs", ".github", "renderer") for path in sorted((ROOT / folder).rglob("*"))),
    ROOT / "action.yml",
    ROOT / ".pre-commit-hooks.yaml",
]
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("[0-9]*.yml"))
#: pip, pipx or uv, installing the name from any configured index.
BY_NAME = re.compile(
    r"\b(?:pip3?|pipx|uv tool|uv pip) (?:install|run)(?: --?[a-z-]+(?:=\S+)?)* vmrender\b(?! @)"
    r"|\buvx (?!--from)\S*vmrender\b|(?<![\w.])vmrender==\d"
)


def texts() -> dict[str, str]:
    kinds = (".md", ".yml", ".yaml", ".sh", ".py")
    files = [path for path in PAGES if path.suffix in kinds and path.is_file()]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in files}


@pytest.mark.skipif(not (ROOT / ".github").exists(), reason="needs a checkout")
def test_addresses_of_the_project_match_the_table() -> None:
    named = {
        (path, match)
        for path, text in texts().items()
        for match in re.findall(r"(?:https://github\.com/|uses: )([\w-]+/vmrender)\b", text)
    }
    assert {match for _, match in named} <= {TABLE["Source"].removeprefix("https://github.com/")}
    assert all(url.startswith(TABLE["Source"]) for name, url in TABLE.items() if name != "Download")


@pytest.mark.skipif("Download" in TABLE, reason="the name on the index is ours")
def test_no_page_recommends_an_unclaimed_package_name() -> None:
    found = {path: BY_NAME.findall(text) for path, text in texts().items() if BY_NAME.search(text)}
    assert found == {}


def test_addresses_apply_after_the_first_publication(monkeypatch: pytest.MonkeyPatch) -> None:
    metadata = Message()
    metadata["Project-URL"] = "Source, https://git.example.com/vmrender"
    metadata["Project-URL"] = "Issues, https://git.example.com/vmrender/issues"
    monkeypatch.setattr(installation, "_distribution", lambda: SimpleNamespace(metadata=metadata))
    installation.published_addresses.cache_clear()
    assert installation.published_addresses() == ("", "", "")

    metadata["Project-URL"] = "Download, https://index.example.com/vmrender"
    installation.published_addresses.cache_clear()
    assert installation.published_addresses() == (
        "https://git.example.com/vmrender",
        "https://git.example.com/vmrender/issues",
        "https://index.example.com/vmrender",
    )
    installation.published_addresses.cache_clear()


@pytest.mark.parametrize("text", [None, "", "no JSON", "[]", '"text"', "{"])
def test_invalid_direct_url_is_ignored(text: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "_distribution", lambda: SimpleNamespace(read_text=lambda _: text))
    assert installation.direct_url() is None


def test_without_metadata_the_source_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(installation, "distribution", missing)
    installation.published_addresses.cache_clear()
    assert installation.published_addresses() == ("", "", "")
    assert installation.direct_url() is None
    installation.published_addresses.cache_clear()


def test_metadata_of_another_copy_is_ignored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A checkout run next to an installed vmrender is not the source of the installation."""
    (tmp_path / "here/renderer/_data").mkdir(parents=True)
    monkeypatch.setattr(installation, "_PACKAGE", tmp_path / "here/renderer")
    for place, known in (("here", True), ("elsewhere", False)):
        other = SimpleNamespace(locate_file=lambda name, place=place: tmp_path / place / name)
        monkeypatch.setattr(installation, "distribution", lambda _, other=other: other)
        assert (installation._distribution() is not None) == known  # noqa: SLF001 - the one door to metadata


@pytest.mark.skipif(not (ROOT / ".github").exists(), reason="needs a checkout")
@pytest.mark.parametrize(
    "form", sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("[0-9]*.yml")), ids=lambda path: path.stem
)
def test_issue_forms_are_valid_for_github(form: Path) -> None:
    """https://docs.github.com/communities/using-templates-to-encourage-useful-issues-and-pull-requests."""
    content = yaml.safe_load(form.read_text(encoding="utf-8"))
    assert content.keys() == {"name", "description", "labels", "body"}
    fields = [field for field in content["body"] if field["type"] != "markdown"]
    assert {field["type"] for field in fields} <= {"textarea", "input", "dropdown", "checkboxes"}
    assert len({field["id"] for field in fields}) == len(fields) > 0
    assert all(field["attributes"]["label"] for field in fields)
    assert any(field.get("validations", {}).get("required") for field in fields)
