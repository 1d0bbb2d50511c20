"""The pages of the reference, made of what the program itself says of commands, codes, fields and functions.

``pages()`` returns them as Markdown, by their path on the site. ``hook.py`` gives them to MkDocs.
"""

from __future__ import annotations

import doctest
import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from renderer.app import api
from renderer.app.explanations import explanation_of
from renderer.app.project import Project
from renderer.app.schemas import SchemaVariant, schema_files
from renderer.authoring.templates.filters.table import FILTERS, TESTS
from renderer.checks.rules.table import BY_CODE
from renderer.checks.schemas.editor_schema import field_names
from renderer.checks.schemas.field_descriptions import describe
from renderer.checks.schemas.kubevirt_kinds import KINDS
from renderer.checks.schemas.registry import SchemaRegistry
from renderer.cli.app import main
from renderer.model.codes import Code
from renderer.model.kube.res_id import Gvk
from renderer.model.release import LATEST, OLDEST

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "schemas/vmrender"

#: Schemas by page: the file and the heading.
_SCHEMA_PAGES = {
    "project-file": ("renderconfig", "The project file"),
    "series": ("instancetypeseries", "Series of instance types"),
    "template": ("template", "Templates"),
    "report-json": ("report", "Findings as JSON"),
    "diff-json": ("diff", "Differences as JSON"),
}
#: A pool's fields down to its template, which is a VirtualMachine's.
_POOL_DEPTH = 4
_JINJA = "https://jinja.palletsprojects.com/en/stable/templates/#list-of-builtin-filters"


def pages() -> Mapping[str, str]:
    """Return every page by its path, such as ``reference/commands.md``."""
    found = {
        "reference/commands.md": _commands(),
        "reference/findings.md": _findings(),
        "reference/filters.md": _filters(),
        "reference/api.md": _api(),
        "reference/fields.md": _kubevirt_fields(),
        "glossary.md": _glossary(),
    }
    found |= {f"reference/findings/{code}.md": _finding(code) for code in Code}
    found |= {f"reference/{name}.md": _schema(*about) for name, about in _SCHEMA_PAGES.items()}
    return found


def _lines(*parts: str | Iterable[str]) -> str:
    lines: list[str] = []
    for part in parts:
        lines += [part] if isinstance(part, str) else part
    return "\n".join(lines) + "\n"


# Commands.


def _commands() -> str:
    return _lines(
        "# Commands",
        "",
        "What `vmrender COMMAND --help` prints. `-h` is short for `--help`.",
        _command("vmrender", main, None, 2),
    )


def _command(name: str, command: click.Command, parent: click.Context | None, level: int) -> Iterator[str]:
    context = click.Context(command, parent, info_name=name, max_content_width=100, terminal_width=100)
    yield from (
        "",
        f"{'#' * level} `{context.command_path}`",
        "",
        "```text",
        command.get_help(context),
        "```",
    )
    if isinstance(command, click.Group):
        for each in command.list_commands(context):
            found = command.get_command(context, each)
            if found is not None and not found.hidden:
                yield from _command(each, found, context, min(level + 1, 3))


# Codes of findings.


def _findings() -> str:
    rows = (
        f"| [{code}](findings/{code}.md) | {_cell(explanation_of(code).summary)} | {_kind(code)} |"
        for code in Code
    )
    return _lines(
        "# Findings",
        "",
        "Each finding has a code. `vmrender explain CODE` prints the same as these pages. A rule is about",
        "what is legal, and probably a mistake: `rules` in the [project file](project-file.md) says",
        "how loud it is.",
        "",
        "| code | means | |",
        "|---|---|---|",
        rows,
    )


def _kind(code: Code) -> str:
    return f"rule, by default {BY_CODE[code].level}" if code in BY_CODE else ""


def _finding(code: Code) -> str:
    heading, _, body = explanation_of(code).markdown.partition("\n")
    return _lines(f"# {code}", "", f"**{heading.removeprefix('#').strip()}.**", body.rstrip())


# Schemas.


def _schema(file: str, heading: str) -> str:
    schema = json.loads((SCHEMAS / f"{file}.json").read_text(encoding="utf-8"))
    about = schema.get("description", "")
    link = f"The schema for editors is `schemas/vmrender/{file}.json`."
    sections = [_fields(schema, schema, heading)]
    sections += (
        ["", f"## {name}", "", *_fields(definition, schema, name)]
        for name, definition in schema.get("$defs", {}).items()
        if _properties(definition, schema)
    )
    return _lines(f"# {heading}", "", about, link, "", *sections)


def _kubevirt_fields() -> str:
    """Return the page of the fields that users write, from ``schemas/fields.yaml``."""
    registry = SchemaRegistry()
    lines = [
        "# Fields of KubeVirt's kinds",
        "",
        f"As of KubeVirt {LATEST}. `vmrender explain KIND FIELD` prints the same for your release, and",
        "`vmrender schema export --editor` writes it into schemas for editors.",
    ]
    for name in (
        "VirtualMachine",
        "VirtualMachinePool",
        "VirtualMachineInstancetype",
        "VirtualMachinePreference",
    ):
        kind = next(each for each in KINDS if each.name == name)
        lines += ["", f"## {name}", "", "| field | |", "|---|---|"]
        for names in field_names(registry.schema(LATEST, Gvk(kind.group, "", name)).document):
            found = describe(names)
            if (
                names[0] == "spec"
                and found
                and not (name == "VirtualMachinePool" and len(names) > _POOL_DEPTH)
            ):
                said = " ".join((f"**{found.title}.**", found.text, *found.remarks(LATEST)))
                lines.append(f"| `{'.'.join(names[1:]) or 'spec'}` | {_cell(said)} |")
    return _lines(*lines)


def schemas() -> Mapping[str, str]:
    """Return the schemas for editors by their path on the site, such as ``schemas/1.9/all.json``."""
    project = Project.with_defaults(ROOT)
    return {
        f"schemas/{release}/{folder}{path}": content.decode()
        for release in SchemaRegistry().releases
        if release >= OLDEST
        for folder, for_patches in (("", False), ("patch/", True))
        for path, content in schema_files(
            project, (), str(release), SchemaVariant(for_editor=True, for_patches=for_patches)
        ).items()
    }


def _properties(node: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    found: dict[str, Any] = dict(node.get("properties", {}))
    for part in (*node.get("allOf", ()), *node.get("oneOf", ()), *node.get("anyOf", ())):
        found |= _properties(_resolved(part, schema), schema) if "$ref" not in part else {}
    return found


def _fields(node: Mapping[str, Any], schema: Mapping[str, Any], place: str) -> list[str]:
    required = set(node.get("required", ()))
    rows = []
    for path, field in _paths(_properties(node, schema), schema):
        about = _cell(_about(field, schema))
        said = f"**required** {about}" if path in required else about
        rows.append(f"| `{path}` | {_type(field, schema)} | {said} |")
    return ["| field | type | |", "|---|---|---|", *rows] if rows else [f"{place} has no fields."]


def _paths(
    properties: Mapping[str, Any], schema: Mapping[str, Any], above: str = ""
) -> Iterator[tuple[str, Any]]:
    """Yield each field with its path; those of a definition stand in its own table."""
    for name, field in properties.items():
        yield f"{above}{name}", field
        yield from _paths(field.get("properties", {}), schema, f"{above}{name}.")


def _resolved(node: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = node.get("$ref")
    return schema["$defs"][reference.rpartition("/")[2]] if reference else node


def _about(node: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    own = node.get("description") or _resolved(node, schema).get("description", "")
    parts = [part.get("description", "") for part in (*node.get("anyOf", ()), *node.get("oneOf", ()))]
    return " ".join(filter(None, (own, *parts)))


def _type(node: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    if "$ref" in node:
        name = node["$ref"].rpartition("/")[2]
        definition = schema["$defs"][name]
        return f"[{name}](#{name.lower()})" if _properties(definition, schema) else _type(definition, schema)
    if "const" in node:
        return f"`{node['const']}`"
    if "enum" in node:
        return ", ".join(
            f"`{json.dumps(value) if not isinstance(value, str) else value}`"
            for value in node["enum"]
            if value is not None
        )
    parts = node.get("anyOf", node.get("oneOf", ()))
    if parts:
        return " or ".join(
            dict.fromkeys(filter(None, (_type(part, schema) for part in parts if part.get("type") != "null")))
        )
    kinds = node.get("type", "object" if "properties" in node else "")
    named = [kind for kind in ([kinds] if isinstance(kinds, str) else kinds) if kind != "null"]
    if named == ["array"] and "items" in node:
        return f"list of {_type(node['items'], schema)}"
    return " or ".join(filter(None, named))


# Filters.


def _filters() -> str:
    rows = (
        f"| `{name}` | `{_signature(name, function)}` | {_said(function)} |"
        for name, function in sorted(FILTERS.items())
    )
    return _lines(
        "# Filters of templates",
        "",
        "A filter stands behind a value: `{{ memory | quantity_multiply(2) }}`. Those of Jinja are as in",
        f"[its documentation]({_JINJA}).",
        "Where vmrender has its own under the same name, they take the same arguments, and their work is",
        "bounded.",
        "",
        "| filter | called | |",
        "|---|---|---|",
        rows,
        "",
        "## Tests",
        "",
        "After `is`, as in `{% if role is defined %}`: "
        + ", ".join(f"`{name}`" for name in sorted(TESTS) if name.isidentifier())
        + ". They are Jinja's.",
    )


def _signature(name: str, function: Callable[..., object]) -> str:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return name
    first = 2 if hasattr(function, "jinja_pass_arg") else 1  # what stands before the bar, and Jinja's own
    own = [str(each.replace(annotation=inspect.Parameter.empty)) for each in parameters[first:]]
    return f"{name}({', '.join(own)})" if own else name


def _said(function: Callable[..., object]) -> str:
    if not function.__module__.startswith("renderer."):
        return "as in Jinja"
    return _cell((inspect.getdoc(function) or "as in Jinja").partition("\n\n")[0].replace("\n", " "))


# The library.


def _api() -> str:
    docs = (inspect.getdoc(api) or "").partition("\n\n")[2]
    functions = [name for name in api.__all__ if not inspect.isclass(vars(api)[name])]
    functions.sort(key=lambda name: inspect.unwrap(vars(api)[name]).__code__.co_firstlineno)
    classes = [name for name in api.__all__ if inspect.isclass(vars(api)[name])]
    return _lines(
        "# The library",
        "",
        "`import renderer` offers these functions and values.",
        "",
        _docstring(docs),
        "",
        "[How it is used, and what is promised](../library.md). Examples are run by the tests, in",
        "`docs/examples`.",
        (line for name in functions for line in _function(name)),
        "",
        "## Values",
        (line for name in classes for line in _class(name)),
    )


def _function(name: str) -> Iterator[str]:
    function = vars(api)[name]
    signature = inspect.signature(function)
    parameters = [_plain(str(each)) for each in signature.parameters.values()]
    keywords = [each.kind for each in signature.parameters.values()]
    if inspect.Parameter.KEYWORD_ONLY in keywords and inspect.Parameter.VAR_POSITIONAL not in keywords:
        parameters.insert(keywords.index(inspect.Parameter.KEYWORD_ONLY), "*")
    returned = _plain(f"-> {signature.return_annotation!r}").removeprefix("-> ")
    lines = [f"renderer.{name}(", *(f"    {each}," for each in parameters), f") -> {returned}"]
    yield from ("", f"## {name}", "", "```python", *lines, "```", "")
    yield _docstring(inspect.getdoc(function) or "")


def _plain(annotated: str) -> str:
    """Return the text without quotes around annotations, which are texts in the code."""
    return re.sub(r"(: |-> )'([^']+)'", r"\1\2", annotated)


def _class(name: str) -> Iterator[str]:
    fields = ", ".join(f"`{field}`" for field in api.STABLE_FIELDS[name])
    yield from ("", f"### {name}", "", _docstring(inspect.getdoc(vars(api)[name]) or ""))
    yield from ("", f"Stable: {fields}." if fields else "It has no fields that are stable.")


def _docstring(text: str) -> str:
    """Return a docstring as Markdown, with its examples in blocks."""
    parts: list[str] = []
    examples = ""
    for part in doctest.DocTestParser().parse(text):
        if isinstance(part, doctest.Example):
            lines = part.source.rstrip("\n").split("\n")
            examples += "".join(
                f"{'>>>' if not number else '...'} {line}\n" for number, line in enumerate(lines)
            )
            examples += part.want
        elif part.strip():
            if examples:
                parts.append(f"```pycon\n{examples}```")
            parts, examples = [*parts, part.strip()], ""
    if examples:
        parts.append(f"```pycon\n{examples}```")
    return "\n\n".join(part if part.startswith("```") else part.replace("``", "`") for part in parts)


# Words.


def _glossary() -> str:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    table = text.partition("## Glossary\n")[2].partition("\n## ")[0].strip()
    return _lines(
        "# Glossary", "", "One thing has one word, in the code, in messages and in these pages.", "", table
    )


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|").replace("``", "`").replace("<", "&lt;").strip()
