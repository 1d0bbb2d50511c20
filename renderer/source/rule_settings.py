"""``rules`` of ``vmrender.yaml``, for the project and for an overlay."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.model.codes import Code
from renderer.model.fields import Fields, nearest_hint
from renderer.model.rule_settings import RULE_CODES, STRICT_RULES, Level, RuleSetting, RuleSettings


def read_rule_settings(fields: Fields) -> RuleSettings:
    """From ``rules`` in ``fields``: ``CODE: LEVEL`` or ``CODE: {level: LEVEL, strict: true}``."""
    return RuleSettings(tuple(_settings(fields.child("rules"))))


def _settings(rules: Fields) -> Iterator[RuleSetting]:
    for key, value in rules.content.items():
        if key not in RULE_CODES:
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
        rules.reject(key, f"{key} is no rule, and cannot be configured", "leave it out")
    else:
        hint = nearest_hint(key, RULE_CODES).replace("known fields", "rules")
        rules.reject(key, f"there is no rule {key}", hint)
