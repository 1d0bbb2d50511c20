"""The entry point of this stage: run every rule, and report its findings at the project's levels."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from renderer.checks.rules.context import Context
from renderer.checks.rules.rule import MachineCheck, Rule
from renderer.checks.rules.suppression import (
    Suppression,
    Suppressions,
    read_suppressions,
    without_suppressions,
)
from renderer.checks.rules.table import RULES
from renderer.kubevirt.facts.machine_parts import affected_part
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Outcome, Severity
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import ResourceSet
from renderer.model.rule_settings import Level, RuleSettings
from renderer.model.run.work import spend

#: Errors about one value of an object, which are known without its expansion.
_JUDGED_BY_FIELD = (Code.ADMISSION, Code.SCHEMA, Code.UNKNOWN_FIELD)
#: The work steps of a finding of a rule: machines with the same data have the same findings each.
_STEPS_PER_FINDING, _CHECKING = 50, "checking resources by rules"


def judge(
    context: Context, earlier: Sequence[Diagnostic], settings: RuleSettings, rules: Sequence[Rule] = RULES
) -> Outcome[ResourceSet]:
    """Return the resources without annotations that suppress rules, and the remaining findings.

    ``earlier`` are the findings of other stages: their warnings can be suppressed as well. Findings of rules
    about resources with an earlier error are dropped, as they would report the same mistake again, unless
    the errors are about other parts of the machine. The outcome has both. Rules that are off do not run;
    ``findings.levels`` sets the configured level on findings of the others.
    """
    refused = _refused_parts(earlier)
    enabled = {
        rule.code: rule for rule in rules if (settings.of(rule.code).level or rule.level) is not Level.OFF
    }
    found = [d for d in _findings(context, settings, enabled.values()) if not _repeats(d, refused)]
    suppressions = read_suppressions(context.resources)
    suppressed, kept = _split_by_suppression([*earlier, *found], suppressions)
    # An annotation may suppress the finding that another one is unused, and may be unused itself.
    unused = [s for s in suppressions.unused(suppressed) if s.code is not Code.UNUSED_SUPPRESSION]
    off = {rule.code for rule in rules} - enabled.keys()
    about_unused = _unused_suppressions(unused, earlier, off)
    suppressed_about_unused, kept_about_unused = _split_by_suppression(about_unused, suppressions)
    unneeded = [s for s in suppressions.unused(suppressed_about_unused) if s.code is Code.UNUSED_SUPPRESSION]
    diagnostics = (
        *kept,
        *suppressions.invalid,
        *kept_about_unused,
        *_unused_suppressions(unneeded, earlier, off),
    )
    return Outcome(without_suppressions(context.resources), diagnostics)


def _refused_parts(earlier: Iterable[Diagnostic]) -> Mapping[ResId | None, Collection[str | None]]:
    """Return the parts with errors of each resource with errors; the part None means all of it."""
    parts: dict[ResId | None, set[str | None]] = {}
    for each in earlier:
        if each.severity is Severity.ERROR:
            is_judged = each.code in _JUDGED_BY_FIELD
            parts.setdefault(each.resource, set()).add(affected_part(each) if is_judged else None)
    return parts


def _repeats(finding: Diagnostic, refused: Mapping[ResId | None, Collection[str | None]]) -> bool:
    parts, part = refused.get(finding.resource), affected_part(finding)
    return parts is not None and (part is None or part in parts or None in parts)


def _findings(context: Context, settings: RuleSettings, rules: Collection[Rule]) -> Iterator[Diagnostic]:
    """Yield the findings of rules, in strict projects by their strict checks."""
    checks = [
        (rule.strict if rule.strict is not None and settings.of(rule.code).strict else rule.check, rule)
        for rule in rules
    ]
    severities = {rule.code: Severity(settings.of(rule.code).level or rule.level) for rule in rules}
    of_machine = [(check.of_machine, rule) for check, rule in checks if isinstance(check, MachineCheck)]
    for machine in context.machines:
        for check, rule in of_machine:
            for finding in check(context, machine):
                spend(_STEPS_PER_FINDING, _CHECKING)
                yield finding.diagnostic(rule.code, severities[rule.code])
    for whole, rule in checks:
        for finding in whole.others(context) if isinstance(whole, MachineCheck) else whole(context):
            spend(_STEPS_PER_FINDING, _CHECKING)
            yield finding.diagnostic(rule.code, severities[rule.code])


def _split_by_suppression(
    diagnostics: Iterable[Diagnostic], suppressions: Suppressions
) -> tuple[list[Diagnostic], list[Diagnostic]]:
    """Divide diagnostics into those that an annotation suppresses and the rest."""
    suppressed: list[Diagnostic] = []
    kept: list[Diagnostic] = []
    for diagnostic in diagnostics:
        (kept if suppressions.of(diagnostic) is None else suppressed).append(diagnostic)
    return suppressed, kept


def _unused_suppressions(
    unused: Iterable[Suppression], earlier: Iterable[Diagnostic], off: AbstractSet[Code]
) -> Iterator[Diagnostic]:
    """Yield findings about unused suppressions, unless the rule is off or did not run because of errors."""
    errors = {(d.resource, d.code) for d in earlier if d.severity is Severity.ERROR}
    refused = {resource for resource, _ in errors}
    for suppression in unused:
        target = suppression.resource.current_id
        if (target, suppression.code) in errors:
            yield suppression.invalid_finding()
        elif off.isdisjoint({Code.UNUSED_SUPPRESSION, suppression.code}) and target not in refused:
            yield suppression.unused_finding()
