"""Located findings as a report shows them: with their target releases, and limited in number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import reduce

from renderer.findings.located import Located, Unshown
from renderer.findings.masking import masked
from renderer.model.codes import Code
from renderer.model.diagnostic import Severity
from renderer.model.plural import enumerated, plural
from renderer.model.run.limits import limit_hint
from renderer.model.run.taint import taint_masking


def for_report(findings: Sequence[Located], most: int, unshown: Unshown) -> tuple[Located, ...]:
    """Return the findings as a report shows them: the first ``most``, errors before others.

    Each names its target release. The last one counts the omitted findings, including ``unshown``.
    """
    if len(findings) > most:
        by_severity = sorted(findings, key=lambda found: found.severity is not Severity.ERROR)
        unshown = reduce(Unshown.with_one, by_severity[most:], unshown)
        kept = set(map(id, by_severity[:most]))
        findings = [found for found in findings if id(found) in kept]
    shown = tuple(masked(with_target_named(found), taint_masking()) for found in findings)
    more = unshown.errors + unshown.others
    if not more:
        return shown
    others = Located(
        code=Code.BUILD_LIMIT,
        severity=Severity.INFO,
        message=f"{plural(more, 'more finding')} {'is' if more == 1 else 'are'} not shown",
        hint=limit_hint("findings"),
    )
    return (*shown, others)


def with_target_named(finding: Located) -> Located:
    """Return the finding with its target release at the end of its message, if it has one."""
    if finding.target is None:
        return finding
    names = [overlay.rpartition("/")[2] for overlay in finding.overlays]
    if len(set(names)) < len(names):  # only the whole paths differ
        names = list(finding.overlays)
    if not names:
        owner = "the target is"
    elif len(names) == 1:
        owner = f"overlay {names[0]} targets"
    else:
        owner = f"overlays {enumerated(names, 'and')} target"
    return finding._replace(message=f"{finding.message}; {owner} {finding.target}", target=None)


def first_of_each_code(findings: Sequence[Located], most: int) -> tuple[Located, ...]:
    """Return the first ``most`` findings of each code, and one that counts the others."""
    counts: Counter[Code] = Counter()
    shown: list[Located] = []
    for finding in findings:
        counts[finding.code] += 1
        if counts[finding.code] <= most:
            shown.append(finding)
    rest = len(findings) - len(shown)
    if not rest:
        return tuple(shown)
    message = f"{plural(rest, 'more finding')} of these codes {'is' if rest == 1 else 'are'} not shown"
    others = Located(
        code=Code.BUILD_LIMIT, severity=Severity.INFO, message=message, hint="--format json has all of them"
    )
    return (*shown, others)
