"""Read the sections of the project file that overlays and KRM functions may repeat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from renderer.model.codes import RULE_CODES, STRICT_RULES, WARNING_CODES, Code
from renderer.model.fields import Fields
from renderer.model.render_config import (
    PROJECT_FILE,
    Extra,
    FluxSubstitution,
    TreeOptions,
    WebhookField,
    check_file_pattern,
)
from renderer.model.rule_settings import Level, RuleSetting, RuleSettings
from renderer.model.run.limits import LimitValueError, check_lowered

if TYPE_CHECKING:
    from renderer.model.difference_rule import DifferenceRule

TREE_FIELDS = ("files", "extras", "syncWaves", "webhookFields")


def read_rule_settings(fields: Fields) -> RuleSettings:
    """Read ``rules``: ``CODE: LEVEL`` or ``CODE: {level: LEVEL, strict: true}``."""
    return RuleSettings(tuple(_rule_settings(fields.child("rules"))))


def _rule_settings(rules: Fields) -> Iterator[RuleSetting]:
    for key, value in rules.content.items():
        if key not in RULE_CODES and key not in WARNING_CODES:
            if key in set(Code):
                message, fix = f"{key} is always an error, and cannot be configured", rules.removal_of(key)
                rules.reject_key(key, message, "leave it out", fix)
            else:
                rules.misnamed(key, f"there is no rule {key}", (*RULE_CODES, *WARNING_CODES), "rules", 0.75)
        elif isinstance(value, dict):
            yield _rule_setting(rules.child(key), Code(key))
        elif value is None:
            rules.reject(key, f"{rules.name(key)} has nothing after it", f"one of {', '.join(Level)}")
        else:
            yield RuleSetting(Code(key), rules.choice(key, Level))


def _rule_setting(rule: Fields, code: Code) -> RuleSetting:
    rule.only("level", "strict")
    if "strict" in rule and code not in STRICT_RULES:
        rule.reject(
            "strict",
            f"the rule {code} cannot be strict",
            f"rules that can: {', '.join(STRICT_RULES)}",
        )
    return RuleSetting(code, rule.choice("level", Level), rule.flag("strict"))


def read_tree_options(fields: Fields) -> TreeOptions:
    """Return the options of rendered trees. Raises ``DiagnosticError``: config-invalid."""
    if "files" in fields and "layout" in fields:
        message, fix = "layout and files both say what goes into which file", fields.removal_of("layout")
        fields.reject_key("layout", message, "drop layout", fix)
    return TreeOptions(
        files=_file_pattern(fields),
        extras=fields.choices("extras", Extra) if "extras" in fields else None,
        sync_waves=fields.flag("syncWaves"),
        webhook_fields=fields.choices("webhookFields", WebhookField) if "webhookFields" in fields else None,
    )


def _file_pattern(fields: Fields) -> str | None:
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
    return FluxSubstitution(
        kustomization=kustomization or "",
        resources=fields.list_of_texts("resources"),
        secrets=fields.flag("secrets") or False,
        strict=fields.flag("strict"),
    )


def read_ignored_differences(fields: Fields) -> Iterator[DifferenceRule]:
    """Read ``diff.ignore``; errors are noted."""
    if "diff" not in fields:
        return
    from renderer.model.difference import Danger  # noqa: PLC0415 - few projects have any
    from renderer.model.difference_rule import DifferenceRule  # noqa: PLC0415 - as above

    section = fields.child("diff")
    section.only("ignore")
    for number, each in enumerate(section.elements("ignore")):
        each.only("kind", "name", "namespace", "field", "owner", "danger")
        texts = {key: each.text(key) or "" for key in ("kind", "name", "namespace", "field", "owner")}
        if not any(texts.values()):
            each.reject(None, "the rule ignores everything", "write a kind, name, namespace, field or owner")
        yield DifferenceRule(
            f"diff.ignore[{number}] of {PROJECT_FILE}", **texts, dangers=each.choices("danger", Danger)
        )


def read_limits(fields: Fields) -> Mapping[str, int]:
    """Read ``limits``, by field of ``Limits``; errors are noted."""
    found: dict[str, int] = {}
    if "limits" not in fields:
        return found
    from renderer.model.run.limits import limit_field, limit_value  # noqa: PLC0415 - few projects have any

    section = fields.child("limits")
    for name, value in section.content.items():
        try:
            field = limit_field(name)
            found[field] = limit_value(name, value)
            check_lowered(field, found[field])
        except LimitValueError as error:
            section.reject(name, str(error), error.hint)
    return found
