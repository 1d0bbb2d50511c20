"""The stage's front door: every rule is asked, and its findings are reported as the project wishes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Outcome, Severity
from renderer.model.resource import ResourceSet
from renderer.model.rule_settings import Level, RuleSettings
from renderer.rules.context import Context
from renderer.rules.rule import MachineCheck, Rule
from renderer.rules.suppression import Suppression, Suppressions, read_suppressions, without_suppressions
from renderer.rules.table import RULES


def judge(
    context: Context, earlier: Sequence[Diagnostic], settings: RuleSettings, rules: Sequence[Rule] = RULES
) -> Outcome[ResourceSet]:
    """Return the resources without annotations that suppress rules, and the findings that remain.

    ``earlier`` is what other stages said: their warnings can be suppressed as well, and what they refuse is
    not judged by rules, which would tell of the same mistake again. The outcome has both.
    """
    refused = {diagnostic.resource for diagnostic in earlier if diagnostic.severity is Severity.ERROR}
    levels = {rule.code: settings.of(rule.code).level or rule.level for rule in rules}
    found = [d for d in _found(context, settings, rules, levels) if d.resource not in refused]
    suppressions = read_suppressions(context.resources)
    suppressed, kept = _divided([*earlier, *found], suppressions)
    # An annotation may suppress the finding that another one is unused, and may be unused itself.
    unused = [s for s in suppressions.unused(suppressed) if s.code is not Code.UNUSED_SUPPRESSION]
    excused, left_over = _divided(_unused_suppressions(unused, earlier, levels), suppressions)
    unneeded = [s for s in suppressions.unused(excused) if s.code is Code.UNUSED_SUPPRESSION]
    diagnostics = (*kept, *suppressions.invalid, *left_over, *_unused_suppressions(unneeded, earlier, levels))
    return Outcome(without_suppressions(context.resources), diagnostics)


def _found(
    context: Context, settings: RuleSettings, rules: Iterable[Rule], levels: Mapping[Code, Level]
) -> Iterator[Diagnostic]:
    asked = [
        (rule.strict if rule.strict is not None and settings.of(rule.code).strict else rule.check, rule.code)
        for rule in rules
        if levels[rule.code] is not Level.OFF
    ]
    of_machine = [(check.of_machine, code) for check, code in asked if isinstance(check, MachineCheck)]
    for machine in context.machines:
        for check, code in of_machine:
            for finding in check(context, machine):
                yield finding.diagnostic(code, Severity(levels[code]))
    for whole, code in asked:
        for finding in whole.others(context) if isinstance(whole, MachineCheck) else whole(context):
            yield finding.diagnostic(code, Severity(levels[code]))


def _divided(
    diagnostics: Iterable[Diagnostic], suppressions: Suppressions
) -> tuple[list[Diagnostic], list[Diagnostic]]:
    """Divide diagnostics into those that an annotation suppresses and the others."""
    suppressed: list[Diagnostic] = []
    kept: list[Diagnostic] = []
    for diagnostic in diagnostics:
        (kept if suppressions.of(diagnostic) is None else suppressed).append(diagnostic)
    return suppressed, kept


def _unused_suppressions(
    unused: Iterable[Suppression], earlier: Iterable[Diagnostic], levels: Mapping[Code, Level]
) -> Iterator[Diagnostic]:
    """Yield findings about unused suppressions, unless the rule is off or errors kept it from the object."""
    own = levels[Code.UNUSED_SUPPRESSION]
    errors = {(d.resource, d.code) for d in earlier if d.severity is Severity.ERROR}
    refused = {resource for resource, _ in errors}
    for suppression in unused:
        target = suppression.resource.current_id
        if (target, suppression.code) in errors:
            yield suppression.invalid_finding()
        elif Level.OFF not in (own, levels.get(suppression.code)) and target not in refused:
            yield suppression.unused_finding(Severity(own))
