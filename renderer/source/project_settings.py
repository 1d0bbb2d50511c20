"""Read the sections of the project file that overlays and KRM functions may repeat, and entries of ``overlays``.

Entries are plain folders, and those of Flux, Argo CD and OpenShift Templates.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping

from renderer.model.codes import Code
from renderer.model.entry_point import ClusterSettings, EntryKind, EntryOptions
from renderer.model.fields import Fields, nearest_hint
from renderer.model.json import Json, JsonObject, scalar_text
from renderer.model.limits import LimitValueError, check_lowered
from renderer.model.render_config import (
    Extra,
    FluxSubstitution,
    TreeOptions,
    WebhookField,
    check_file_pattern,
)
from renderer.model.rule_settings import (
    RULE_CODES,
    STRICT_RULES,
    WARNING_CODES,
    Level,
    RuleSetting,
    RuleSettings,
)


def read_rule_settings(fields: Fields) -> RuleSettings:
    """Read ``rules``: ``CODE: LEVEL`` or ``CODE: {level: LEVEL, strict: true}``."""
    return RuleSettings(tuple(_settings(fields.child("rules"))))


def _settings(rules: Fields) -> Iterator[RuleSetting]:
    for key, value in rules.content.items():
        if key not in RULE_CODES and key not in WARNING_CODES:
            _reject_unknown(rules, key)
        elif isinstance(value, dict):
            yield _setting(rules.child(key), Code(key))
        elif value is None:
            rules.reject(key, f"{rules.name(key)} has nothing after it", f"one of {', '.join(Level)}")
        else:
            yield RuleSetting(Code(key), rules.choice(key, Level))


def _setting(rule: Fields, code: Code) -> RuleSetting:
    rule.only("level", "strict")
    if "strict" in rule and code not in STRICT_RULES:
        rule.reject(
            "strict",
            f"the rule {code} cannot be strict",
            f"rules that can: {', '.join(sorted(STRICT_RULES))}",
        )
    return RuleSetting(code, rule.choice("level", Level), rule.flag("strict"))


def _reject_unknown(rules: Fields, key: str) -> None:
    if key in set(Code):
        rules.reject(key, f"{key} is always an error, and cannot be configured", "leave it out")
    else:
        hint = nearest_hint(key, (*RULE_CODES, *WARNING_CODES)).replace("known fields", "rules")
        rules.reject(key, f"there is no rule {key}", hint)


TREE_FIELDS = ("files", "extras", "syncWaves", "webhookFields")


def read_tree_options(fields: Fields) -> TreeOptions:
    if "files" in fields and "layout" in fields:
        fields.reject("layout", "layout and files both say what goes into which file", "drop layout")
    return TreeOptions(
        files=_files(fields),
        extras=fields.choices("extras", Extra) if "extras" in fields else None,
        sync_waves=fields.flag("syncWaves"),
        webhook_fields=fields.choices("webhookFields", WebhookField) if "webhookFields" in fields else None,
    )


def _files(fields: Fields) -> str | None:
    text = fields.text("files")
    if text is None:
        return None
    try:
        return check_file_pattern(text)
    except ValueError as error:
        fields.reject("files", f"files cannot be {text!r}: {error}")
        return None


def read_flux_settings(overlay: Fields) -> FluxSubstitution | None:
    """Read ``flux`` of an overlay, None without it; errors are noted."""
    if "flux" not in overlay:
        return None
    fields = overlay.child("flux")
    fields.only("kustomization", "resources", "secrets", "strict")
    kustomization = fields.text("kustomization")
    if not kustomization:
        fields.reject(None, "flux needs a kustomization", "the file of the Flux Kustomization")
    strict = fields.flag("strict")
    return FluxSubstitution(
        kustomization=kustomization or "",
        resources=fields.list_of_texts("resources"),
        secrets=fields.flag("secrets") or False,
        strict=True if strict is None else strict,
    )


def read_limits(fields: Fields) -> Mapping[str, int]:
    """Read ``limits``, by field of ``Limits``; errors are noted."""
    found: dict[str, int] = {}
    if "limits" not in fields:
        return found
    from renderer.model.limits import limit_field, limit_value  # noqa: PLC0415 - few projects have any

    given = fields.child("limits")
    for name, value in given.content.items():
        try:
            field = limit_field(name)
            found[field] = limit_value(name, value)
            check_lowered(field, found[field])
        except LimitValueError as error:
            given.reject(name, str(error), error.hint)
    return found


ENTRY_FIELDS = ("argocd", "directory", "generate", "name", "parameters", "secrets", "strict")

_DIRECTORY_FIELDS = ("recurse", "include", "exclude")
_GENERATORS = ("flux",)
_EXTENSIONS = (".yaml", ".yml", ".json")


def entry_path(fields: Fields) -> tuple[EntryKind, str]:
    """Return what the entry is for, and its path; notes an entry that has none or several."""
    named = {
        EntryKind.KUSTOMIZATION: fields.content.get("path"),
        EntryKind.FLUX: fields.content.get("flux")
        if not isinstance(fields.content.get("flux"), dict)
        else None,
        EntryKind.ARGOCD: fields.content.get("argocd"),
    }
    given = [kind for kind, value in named.items() if value is not None]
    if len(given) != 1:
        problem = f"has {' and '.join(given)}, of which one is enough" if given else "needs a path"
        fields.reject(None, f"an overlay {problem}", "give one of path, flux: FOLDER and argocd: FOLDER")
        return EntryKind.KUSTOMIZATION, "."
    path = fields.text(given[0].value)
    if path == "":
        fields.reject(given[0].value, f"{fields.name(given[0].value)} is empty", "write . for the top folder")
    return given[0], path or "."


def read_entry_options(fields: Fields, kind: EntryKind, path: str) -> EntryOptions:
    """Return how the overlays of the entry are composed; notes what is wrong."""
    directory = _directory(fields)
    generate = fields.text("generate")
    if generate is not None and generate not in _GENERATORS:
        fields.reject("generate", f"generate cannot be {generate!r}", f"one of {', '.join(_GENERATORS)}")
    if directory is not None and generate is not None:
        fields.reject("generate", "an overlay has either directory or generate", "remove one of them")
    if kind is EntryKind.KUSTOMIZATION:
        _refuse(fields, "is for entries of flux and argocd", "name")
        _refuse(fields, "is for entries of flux", "secrets", "strict")
        kind = EntryKind.GENERATED if generate else EntryKind.DIRECTORY if directory is not None else kind
    else:
        _refuse(fields, "is for entries with a path", "directory", "generate", "parameters")
        if kind is EntryKind.ARGOCD:
            _refuse(fields, "is for entries of flux", "secrets", "strict")
    given = fields.content.get("parameters")
    return EntryOptions(
        kind=kind,
        directory=directory,
        parameters=_parameters(fields, given),
        parameter_file=given if isinstance(given, str) else "",
        cluster=_cluster(fields, kind, path),
        secrets=fields.flag("secrets") or False,
        strict=fields.flag("strict") or False,
    )


def read_clusters(fields: Fields) -> Iterator[ClusterSettings]:
    """The entries of ``clusters``; notes what is wrong with them."""
    for entry in fields.elements("clusters"):
        entry.only("name", "server", "labels", "annotations")
        name, server = entry.text("name"), entry.text("server")
        if not name or not server:
            entry.reject(None, "a cluster needs a name and a server", "as in the cluster's Secret of Argo CD")
            continue
        yield ClusterSettings(name, server, entry.child("labels").texts(), entry.child("annotations").texts())


def _directory(fields: Fields) -> JsonObject | None:
    if "directory" not in fields:
        return None
    block = fields.child("directory")
    block.only(*_DIRECTORY_FIELDS)
    options: dict[str, Json] = {"recurse": block.flag("recurse") or False}
    for name in ("include", "exclude"):
        options[name] = block.text(name) or ""
    return options


def _parameters(fields: Fields, given: Json) -> dict[str, str] | None:
    """The values by name, where they are written in the entry; numbers and flags stand for their text."""
    if given is None or isinstance(given, str):
        return None
    block = fields.child("parameters")
    for name, value in block.content.items():
        if isinstance(value, dict | list) or value is None:
            block.reject(name, f"the parameter {name} must be text", "write its value in quotes")
    return {name: scalar_text(value) for name, value in block.content.items()}


def _cluster(fields: Fields, kind: EntryKind, path: str) -> str:
    """The first part of the names of the entry's overlays: its ``name``, or else that of its folder or file.

    A file counts without its extension.
    """
    if kind not in (EntryKind.FLUX, EntryKind.ARGOCD):
        return ""
    name = fields.text("name")
    if name is not None and (not name or name.startswith((".", "/")) or ".." in name):
        fields.reject("name", f"{name!r} is no name for a folder", "use letters, digits and -")
    last = posixpath.basename(posixpath.normpath(path))
    stem, extension = posixpath.splitext(last)
    return name or (stem if extension in _EXTENSIONS else last).strip(".") or kind.value


def _refuse(fields: Fields, reason: str, *names: str) -> None:
    for name in names:
        if name in fields:
            fields.reject(name, f"{name} {reason}", "leave it out")
