"""The settings of editors: each names the schemas and the folders, in its own format."""

from __future__ import annotations

import json
import tomllib
from xml.dom.minidom import parseString

import pytest

from renderer.authoring.new_project.editor_files import PATCH_SCHEMAS, SCHEMAS, Editor, editor_settings
from renderer.emit.output_folder import STAGING_FOLDER

FOLDERS = ("base", "overlays")
OBJECTS = f"./{SCHEMAS}/all.json"
PATCHES = f"./{PATCH_SCHEMAS}/all.json"


def schemas_in(editor: Editor) -> dict[str, list[str]]:
    text = editor_settings(editor, FOLDERS)
    if editor is Editor.HELIX:
        server = tomllib.loads(text)["language-server"]["yaml-language-server"]
        of_toml: dict[str, list[str]] = server["config"]["yaml"]["schemas"]
        return of_toml
    settings = json.loads(text)
    if editor is Editor.ZED:
        settings = {"yaml.schemas": settings["lsp"]["yaml-language-server"]["settings"]["yaml"]["schemas"]}
    of_json: dict[str, list[str]] = settings["yaml.schemas"]
    return of_json


@pytest.mark.parametrize("editor", [Editor.VSCODE, Editor.HELIX, Editor.ZED])
def test_names_schemas_for_folders(editor: Editor) -> None:
    found = schemas_in(editor)
    assert found[OBJECTS][:2] == ["base/**/*.yaml", "overlays/**/*.yaml"]
    assert "!kustomization.yaml" in found[OBJECTS]
    assert "overlays/**/*patch*.yaml" in found[PATCHES]
    assert ["vmrender.yaml"] in found.values()


def test_neovim_gets_absolute_paths() -> None:
    text = editor_settings(Editor.NEOVIM, FOLDERS)
    assert f'[vim.fn.getcwd() .. "/{SCHEMAS}/all.json"] = {{ "base/**/*.yaml", "overlays/**/*.yaml",' in text


def test_jetbrains_gets_folders() -> None:
    document = parseString(editor_settings(Editor.JETBRAINS, ("a&b",)))  # noqa: S318 - our own text
    paths = [item.getAttribute("path") for item in document.getElementsByTagName("Item")]
    assert paths == ["a&b", "vmrender.yaml"]
    values = [option.getAttribute("value") for option in document.getElementsByTagName("option")]
    assert f"{PATCH_SCHEMAS}/all.json" in values
    assert f"{SCHEMAS}/vmrender.io/renderconfig_v1alpha1.json" in values


def test_schemas_are_not_where_git_ignores_everything() -> None:
    assert SCHEMAS.split("/")[0] != STAGING_FOLDER
