"""Every finding that may be a warning can be set by its code under ``rules:``."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from renderer.findings.levels import strict_level, with_levels
from renderer.model.codes import RULE_CODES, WARNING_CODES, Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.rule_settings import (
    Level,
    RuleSetting,
    RuleSettings,
)

ROOT = Path(__file__).parents[3]
SETTABLE = {*RULE_CODES, *WARNING_CODES}


def test_codes_with_warnings_match_the_source() -> None:
    found = {}
    for module in (ROOT / "renderer").rglob("*.py"):
        text = module.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text if "severity=" in text else "")):
            keywords = {each.arg: ast.unparse(each.value) for each in getattr(node, "keywords", [])}
            code, severity = keywords.get("code", ""), keywords.get("severity", "")
            if code.startswith("Code.") and severity not in {"", "Severity.ERROR"}:
                found[Code[code.removeprefix("Code.")]] = f"{module.name}:{node.lineno}"  # type: ignore[attr-defined] # a call
    found.pop(Code.BUILD_LIMIT)  # how many findings are not shown
    assert found
    assert {code: place for code, place in found.items() if code not in SETTABLE} == {}


def test_codes_of_warnings_in_golden_cases_are_listed() -> None:
    texts = [file.read_text(encoding="utf-8") for file in (ROOT / "tests/cases").glob("*/*/expected.stderr")]
    found = {Code(code) for text in texts for code in re.findall(r"warning\[([a-z0-9-]+)\]", text)}
    assert found
    assert found <= SETTABLE


def finding(severity: Severity, code: Code = Code.PATCH_TARGET_MISSING) -> Diagnostic:
    return Diagnostic(code=code, message="m", severity=severity)


def test_levels_apply_only_to_warnings() -> None:
    warning, error = finding(Severity.WARNING), finding(Severity.ERROR)
    other = finding(Severity.WARNING, Code.SCHEMA_MISSING)
    for level, expected in (
        (Level.OFF, (error, other)),
        (Level.INFO, (finding(Severity.INFO), error, other)),
        (Level.WARNING, (warning, error, other)),
        (Level.ERROR, (error, error, other)),
    ):
        settings = RuleSettings((RuleSetting(Code.PATCH_TARGET_MISSING, level),))
        assert with_levels((warning, error, other), settings) == expected


def test_rule_has_its_configured_level() -> None:
    error = finding(Severity.ERROR, Code.RUN_STRATEGY)
    settings = RuleSettings((RuleSetting(Code.RUN_STRATEGY, Level.INFO),))
    assert with_levels((error,), settings) == (error._replace(severity=Severity.INFO),)


def test_strict_makes_errors_of_warnings_but_not_of_notes() -> None:
    assert [strict_level(each) for each in Severity] == [Severity.ERROR, Severity.ERROR, Severity.INFO]
