"""All rules, in the order of their codes.

A rule is ``RULE`` of the module that is named after its code, unless it is in one of the modules that are
imported here.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from renderer.checks.rules import duplicates, hugepages, identities, not_found, run_strategy, suppression
from renderer.checks.rules.rule import Rule
from renderer.model.codes import RULE_CODES, Code

_OTHERS: Mapping[Code, Rule] = {
    rule.code: rule
    for rule in (
        *duplicates.RULES,
        *hugepages.RULES,
        *identities.RULES,
        *not_found.RULES,
        *run_strategy.RULES,
        suppression.RULE,
    )
}

RULES: tuple[Rule, ...] = tuple(
    _OTHERS.get(code) or import_module(f"renderer.checks.rules.{code.name.lower()}").RULE
    for code in RULE_CODES
)

BY_CODE: Mapping[Code, Rule] = {rule.code: rule for rule in RULES}
