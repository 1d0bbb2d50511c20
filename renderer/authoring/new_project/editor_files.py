"""Settings by which editors find the schemas of a project, one file for each editor.

All but JetBrains' run yaml-language-server, whose ``yaml.schemas`` maps the path of a schema to globs; ``!``
excludes files. JetBrains' own mapping cannot do that, so it gets the schema that requires nothing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from xml.sax.saxutils import quoteattr

from renderer.model.render_config import PROJECT_FILE
from renderer.model.text_enum import TextEnum

#: Where the schemas are in the repository: of whole objects, and below it of patches. Git ignores .vmrender.
SCHEMAS = ".vmrender-schemas"
PATCH_SCHEMAS = f"{SCHEMAS}/patch"
#: The schema that judges each document by its kind, and that of the project file.
ANY_KIND = "all.json"
_PROJECT = "vmrender.io/renderconfig_v1alpha1.json"
_NOT_OBJECTS = ("!kustomization.yaml", "!**/patches/**", "!*patch*.yaml")


class Editor(TextEnum):
    """The editors that settings can be written for, and the file in which they look for them."""

    VSCODE = "vscode", ".vscode/settings.json"
    NEOVIM = "neovim", ".nvim.lua"
    HELIX = "helix", ".helix/languages.toml"
    JETBRAINS = "jetbrains", ".idea/jsonSchemas.xml"
    ZED = "zed", ".zed/settings.json"

    __slots__ = ("file",)

    def __init__(self, _: str, file: str = "") -> None:
        self.file = file


def editor_settings(editor: Editor, folders: Sequence[str]) -> str:
    """Return the settings of ``editor`` for manifests below ``folders`` of the repository."""
    if editor is Editor.JETBRAINS:
        return _jetbrains(folders)
    schemas = _schemas(folders)
    if editor is Editor.NEOVIM:
        return _neovim(schemas)
    if editor is Editor.HELIX:
        lines = (f"{json.dumps(path)} = {json.dumps(globs)}" for path, globs in schemas.items())
        return "\n".join(("[language-server.yaml-language-server.config.yaml.schemas]", *lines)) + "\n"
    settings: dict[str, object] = {"yaml.schemas": schemas}
    if editor is Editor.ZED:
        settings = {"lsp": {"yaml-language-server": {"settings": {"yaml": {"schemas": schemas}}}}}
    return json.dumps(settings, indent=2) + "\n"


def _schemas(folders: Sequence[str]) -> dict[str, list[str]]:
    """Return the globs of files by the path of their schema."""
    objects = [f"{folder}/**/*.yaml" for folder in folders]
    patches = [f"{folder}/**/{name}" for folder in folders for name in ("patches/**/*.yaml", "*patch*.yaml")]
    return {
        f"./{SCHEMAS}/{ANY_KIND}": [*objects, *_NOT_OBJECTS],
        f"./{PATCH_SCHEMAS}/{ANY_KIND}": patches,
        f"./{SCHEMAS}/{_PROJECT}": [PROJECT_FILE],
    }


def _neovim(schemas: dict[str, list[str]]) -> str:
    """Return settings for ``exrc`` of Neovim 0.11 and its built-in client."""
    lines = (
        f'        [vim.fn.getcwd() .. "{path[1:]}"] = {{ {", ".join(map(json.dumps, globs))} }},'
        for path, globs in schemas.items()
    )
    return "\n".join(
        (
            "-- Read if exrc is set (:help exrc).",
            'vim.lsp.config("yamlls", {',
            "  settings = {",
            "    yaml = {",
            "      schemas = {",
            *lines,
            "      },",
            "    },",
            "  },",
            "})",
            "",
        )
    )


def _jetbrains(folders: Sequence[str]) -> str:
    places = [
        f'<Item directory="true" path={quoteattr(folder)} mappingKind="Directory" />' for folder in folders
    ]
    return "\n".join(
        (
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<project version="4">',
            '  <component name="JsonSchemaMappingsProjectConfiguration">',
            "    <state>",
            "      <map>",
            *_jetbrains_entry("KubeVirt", f"{PATCH_SCHEMAS}/{ANY_KIND}", places),
            *_jetbrains_entry("vmrender", f"{SCHEMAS}/{_PROJECT}", [f'<Item path="{PROJECT_FILE}" />']),
            "      </map>",
            "    </state>",
            "  </component>",
            "</project>",
            "",
        )
    )


def _jetbrains_entry(name: str, schema: str, places: Sequence[str]) -> Sequence[str]:
    return (
        f'        <entry key="{name}">',
        "          <value>",
        "            <SchemaInfo>",
        f'              <option name="name" value="{name}" />',
        f'              <option name="relativePathToSchema" value="{schema}" />',
        '              <option name="patterns">',
        "                <list>",
        *(f"                  {place}" for place in places),
        "                </list>",
        "              </option>",
        "            </SchemaInfo>",
        "          </value>",
        "        </entry>",
    )
