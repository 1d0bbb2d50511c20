"""Levels, suppressions, and findings of earlier stages."""

from __future__ import annotations

from renderer.checks.rules.context import Context
from renderer.checks.rules.judge import judge
from renderer.findings.levels import with_levels
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.kube.json import Json, JsonObject
from renderer.model.release import LATEST
from renderer.model.rule_settings import Level, RuleSetting, RuleSettings
from tests.kubevirt_objects import resources, vm

DOMAIN: JsonObject = {"memory": {"guest": "2Gi"}, "devices": {}}
HALTED = vm("web", DOMAIN, runStrategy="Halted")
IGNORED = "ignore.vmrender.io/"


def annotated(content: JsonObject, **annotations: Json) -> JsonObject:
    metadata = content["metadata"]
    assert isinstance(metadata, dict)
    named = {IGNORED + name.replace("_", "-"): reason for name, reason in annotations.items()}
    return {**content, "metadata": {**metadata, "annotations": named}}


def judged(
    content: JsonObject, *earlier: Diagnostic, level: Level | None = None
) -> tuple[list[tuple[str, str]], JsonObject]:
    those = resources(content)
    settings = RuleSettings((RuleSetting(Code.RUN_STRATEGY, level),) if level else ())
    outcome = judge(Context(those, those, LATEST), earlier, settings)
    (resource,) = outcome.value
    reported = with_levels(outcome.diagnostics, settings)
    return [(str(d.code), str(d.severity)) for d in reported], resource.content


def finding(severity: Severity, code: Code = Code.DEPRECATED) -> Diagnostic:
    (resource,) = resources(HALTED)
    return Diagnostic(code=code, message="a", severity=severity, resource=resource.current_id)


def test_rule_has_the_configured_level() -> None:
    assert judged(HALTED)[0] == [("run-strategy", "info")]
    assert judged(HALTED, level=Level.ERROR)[0] == [("run-strategy", "error")]
    assert judged(HALTED, level=Level.OFF)[0] == []


def test_annotation_with_a_reason_suppresses_a_rule_and_is_not_rendered() -> None:
    assert judged(annotated(HALTED, run_strategy="started by hand")) == ([], HALTED)


def test_rules_that_are_errors_can_be_suppressed() -> None:
    assert judged(annotated(HALTED, run_strategy="started by hand"), level=Level.ERROR)[0] == []


def test_warnings_but_not_errors_of_other_stages_can_be_suppressed() -> None:
    content = annotated(HALTED, run_strategy="started by hand", deprecated="until the upgrade")

    assert judged(content, finding(Severity.WARNING))[0] == []
    assert judged(content, finding(Severity.ERROR))[0] == [
        ("deprecated", "error"),
        ("suppression-invalid", "error"),
    ]


def test_refused_objects_are_not_checked_by_rules() -> None:
    assert judged(HALTED, finding(Severity.ERROR))[0] == [("deprecated", "error")]
    assert judged(HALTED, finding(Severity.WARNING))[0] == [
        ("deprecated", "warning"),
        ("run-strategy", "info"),
    ]


def test_unused_suppression_is_reported() -> None:
    running = annotated(vm("web", DOMAIN), run_strategy="started by hand")

    assert judged(running)[0] == [("unused-suppression", "warning")]
    assert judged(running, level=Level.OFF)[0] == [], "the rule was not asked"
    assert judged(running, finding(Severity.ERROR))[0] == [("deprecated", "error")], "nor here"


def test_unused_suppression_can_itself_be_suppressed() -> None:
    machine = vm("web", DOMAIN)
    running = annotated(machine, run_strategy="started by hand", unused_suppression="halted in prod")

    assert judged(running)[0] == []


def test_a_suppression_needs_a_reason_and_a_code() -> None:
    for reason in ("", "  ", None, 1, ["made by hand"]):
        content = annotated(HALTED, run_strategy=reason)
        assert judged(content)[0] == [("run-strategy", "info"), ("suppression-invalid", "error")]
    assert ("suppression-invalid", "error") in judged(annotated(HALTED, nonsense="made by hand"))[0]


def test_other_annotations_are_kept() -> None:
    content = annotated(HALTED, run_strategy="started by hand")
    metadata = content["metadata"]
    assert isinstance(metadata, dict)
    annotations: JsonObject = {**metadata["annotations"], "a": "b", "customized-from.vmrender.io/kind": "c"}

    _, written = judged({**content, "metadata": {**metadata, "annotations": annotations}})

    assert written["metadata"] == {
        **vm("web", DOMAIN)["metadata"],  # type: ignore[dict-item]  # a mapping, as vm writes it
        "annotations": {"a": "b", "customized-from.vmrender.io/kind": "c"},
    }
