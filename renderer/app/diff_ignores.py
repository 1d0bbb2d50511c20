"""Leave out the differences that the user, the project or the engine of an overlay ignores, and count them.

A refused change, or one that may lose data, is left out only by a rule that names the danger. Of a comparison
of two revisions, the rules of the side before count: a change cannot hide itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from renderer.adopt.live.ignored_differences import effective_rules
from renderer.adopt.live.managed_fields import FieldOwners
from renderer.app.applied_sides import EngineRules
from renderer.app.diff_side import RenderedSide
from renderer.app.usage_error import UsageError
from renderer.kubevirt.facts.lists import field_changes
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.difference import (
    ChangeType,
    Danger,
    Difference,
    FieldChange,
    IgnoredDifferences,
    OverlayDifference,
    ResourceChange,
)
from renderer.model.difference_rule import PROTECTED, DifferenceRule
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.render_config import PROJECT_FILE, RenderConfig
from renderer.provenance.patterns import FieldPattern

_RULE_HINT = "as in --ignore kind=Service,field=spec.clusterIP"


def read_rule(text: str) -> DifferenceRule:
    """Return the rule that is typed after ``--ignore``: ``kind=Service,field=spec.clusterIP``.

    Raises ``UsageError``.
    """
    values: dict[str, str] = {}
    for part in text.split(","):
        key, equals, value = part.partition("=")
        if key not in ("kind", "name", "namespace", "field", "owner", "danger") or not equals or not value:
            keys = "kind, name, namespace, field, owner or danger"
            raise UsageError(f"--ignore {text}: {part!r} is not {keys} with a value, {_RULE_HINT}")
        if key in values:
            raise UsageError(f"--ignore {text}: {key} is given twice; use --ignore twice")
        values[key] = value
    danger = values.pop("danger", "")
    if danger and danger not in {*Danger}:
        raise UsageError(f"--ignore {text}: the dangers are {', '.join(reversed(Danger))}")
    rule = DifferenceRule(f"--ignore {text}", **values, dangers=(Danger(danger),) if danger else ())
    try:
        FieldPattern(rule.field)
    except ValueError as error:
        raise UsageError(f"--ignore {text}: {error}") from None
    return rule


class Ignores:
    """The rules of a user and of a project."""

    def __init__(self, typed: Iterable[str], config: RenderConfig) -> None:
        """Raise ``UsageError`` for a rule that cannot be read, ``DiagnosticError`` for one of the project."""
        self._rules = [(rule, FieldPattern(rule.field)) for rule in map(read_rule, typed)]
        for number, rule in enumerate(config.ignored_differences):
            try:
                self._rules.append((rule, FieldPattern(rule.field)))
            except ValueError as error:
                site = Site(PROJECT_FILE, 0, FieldPath.of("diff", "ignore", number, "field"))
                raise Diagnostic.at(site, Code.CONFIG_INVALID, str(error)).error() from None

    def without_ignored(self, difference: Difference) -> Difference:
        """Return a difference without what the rules ignore."""
        if not self._rules:
            return difference
        return difference._replace(overlays=tuple(map(self._of_overlay, difference.overlays)))

    def _of_overlay(self, overlay: OverlayDifference) -> OverlayDifference:
        counts: Counter[str] = Counter()
        left: list[ResourceChange] = []
        for change in overlay.changes:
            shown = self._of_change(change, counts)
            left += [] if shown is None else [shown]
        return _with_ignored(overlay, left, counts)

    def _of_change(self, change: ResourceChange, counts: Counter[str]) -> ResourceChange | None:
        fields = list(change.fields)
        for rule, pattern in self._rules:
            if not rule.is_about(change):
                continue
            if not rule.is_about_fields:
                counts[rule.source] += max(len(fields), 1)
                return None
            kept = [each for each in fields if not _is_ignored(each, rule, pattern)]
            counts[rule.source] += len(fields) - len(kept)
            fields = kept
        if change.fields and not fields:
            return None
        return change._replace(fields=tuple(fields)) if len(fields) < len(change.fields) else change


def _is_ignored(change: FieldChange, rule: DifferenceRule, pattern: FieldPattern) -> bool:
    in_field = not rule.field or pattern.match(change.field, change.field) is not None
    return in_field and rule.is_about_owner(change)


def _with_ignored(
    overlay: OverlayDifference, changes: Sequence[ResourceChange], counts: Counter[str]
) -> OverlayDifference:
    ignored = tuple(IgnoredDifferences(source, count) for source, count in counts.items() if count)
    return (
        overlay._replace(changes=tuple(changes), ignored=(*overlay.ignored, *ignored)) if ignored else overlay
    )


def without_unsynced(
    difference: OverlayDifference,
    engine: EngineRules,
    rendered: tuple[RenderedSide | None, RenderedSide | None],
) -> OverlayDifference:
    """Return an overlay's difference without objects for which Argo CD starts no sync.

    It starts none for ignored fields alone, but applies them with the others of an object, unless it is told
    to respect ``ignoreDifferences``.
    """
    if engine.is_partial or not engine.rules:
        return difference
    before, after = (
        {each.current_id: each for each in side.content.written} if side and side.content else {}
        for side in rendered
    )
    counts: Counter[str] = Counter()
    left: list[ResourceChange] = []
    for change in difference.changes:
        old = before.get(change.before) if change.before else None
        new = after.get(change.after) if change.after else None
        is_update = change.type is ChangeType.CHANGED and not change.dangers & PROTECTED
        if not is_update or old is None or new is None or _is_synced(change, (old, new), engine, counts):
            left.append(change)
    return _with_ignored(difference, left, counts)


def _is_synced(
    change: ResourceChange, sides: tuple[Resource, Resource], engine: EngineRules, counts: Counter[str]
) -> bool:
    """Return True if a change has fields that are not ignored; count its fields if it has none."""
    old, new = sides[0].content, sides[1].content
    found: Counter[str] = Counter()
    fields = change.fields
    for rule, applied in effective_rules(engine.about(sides[1].current_id), new, old, FieldOwners(EMPTY)):
        left = {each.field for each in field_changes(old, applied)}
        kept = tuple(each for each in fields if each.inherited or each.field in left)
        found[rule.source] += len(fields) - len(kept)
        fields = kept
    if fields or not change.fields:
        return True
    counts.update(found)
    return False


def rules_not_evaluated(
    engine: EngineRules, changes: Iterable[ResourceChange]
) -> Iterator[IgnoredDifferences]:
    """Yield the expressions about changed objects that cannot be evaluated."""
    changed = [change.id for change in changes if change.type is ChangeType.CHANGED]
    for rule in engine.rules:
        if any(map(rule.is_about, changed)):
            for expression in rule.not_evaluated:
                yield IgnoredDifferences(rule.source, 0, f"not evaluated: {expression}")
