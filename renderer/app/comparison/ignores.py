"""Leave out the differences that the user or the project ignores, and count them.

A refused change, or one that may lose data, is left out only by a rule that names the danger. Of a comparison
of two revisions, the rules of the side before count: a change cannot hide itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from renderer.adopt.live.ignored_differences import effective_rules
from renderer.adopt.live.managed_fields import FieldOwners
from renderer.app.comparison.applied_sides import EngineRules
from renderer.app.comparison.rendered_sides import RenderedSide, written_of
from renderer.app.usage_error import UsageError
from renderer.golang.glob_table import GlobTable
from renderer.kubevirt.facts.lists import field_changes
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.difference import (
    ChangeType,
    Danger,
    Difference,
    IgnoredDifferences,
    OverlayDifference,
    ResourceChange,
)
from renderer.model.difference_rule import DifferenceRule
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.plural import listed
from renderer.model.render_config import PROJECT_FILE, RenderConfig
from renderer.model.run.work import spend
from renderer.model.sync_options import RESPECT_IGNORED
from renderer.provenance.patterns import FieldPattern
from renderer.report.diff_words import qualified_name

#: The objects that are named of those for which no sync starts.
_MOST_NAMES = 5
_APPLIES_IT = f"the next one applies the change, without the sync option {RESPECT_IGNORED}"
_ACTIVITY = "leaving out ignored differences"
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
        rules = [(rule, FieldPattern(rule.field)) for rule in map(read_rule, typed)]
        for number, rule in enumerate(config.ignored_differences):
            try:
                rules.append((rule, FieldPattern(rule.field)))
            except ValueError as error:
                site = Site(PROJECT_FILE, 0, FieldPath.of("diff", "ignore", number, "field"))
                raise Diagnostic.at(site, Code.CONFIG_INVALID, str(error)).error() from None
        distinct: dict[DifferenceRule, tuple[DifferenceRule, FieldPattern]] = {}
        for rule, pattern in rules:  # another with the same texts finds nothing left
            distinct.setdefault(rule._replace(source=""), (rule, pattern))
        self._rules = GlobTable(
            (
                ((rule.kind or None, rule.name or None, rule.namespace or None), (rule, pattern))
                for rule, pattern in distinct.values()
            ),
            _ACTIVITY,
        )
        self._has_rules = bool(rules)

    def without_ignored(self, difference: Difference) -> Difference:
        """Return a difference without what the rules ignore."""
        if not self._has_rules:
            return difference
        return difference._replace(
            overlays=tuple(map(self._of_overlay, difference.overlays)),
            commits=tuple(
                each._replace(overlays=tuple(map(self._of_overlay, each.overlays)))
                for each in difference.commits
            ),
        )

    def _of_overlay(self, overlay: OverlayDifference) -> OverlayDifference:
        counts: Counter[str] = Counter()
        left: list[ResourceChange] = []
        for change in overlay.changes:
            shown = self._of_change(change, counts)
            left += [] if shown is None else [shown]
        return _with_ignored(overlay, left, counts)

    def _of_change(self, change: ResourceChange, counts: Counter[str]) -> ResourceChange | None:
        fields, dangers = list(change.fields), change.dangers
        for rule, pattern in self._rules.matching((change.id.gvk.kind, change.id.name, change.id.namespace)):
            if not rule.hides(dangers):
                continue
            if not rule.is_about_fields:
                counts[rule.source] += max(len(fields), 1)
                return None
            spend(1 + len(fields), _ACTIVITY)
            kept = [
                each
                for each in fields
                if not rule.is_about_owner(each)
                or (rule.field and pattern.match(each.field, each.field) is None)
            ]
            counts[rule.source] += len(fields) - len(kept)
            fields = kept
        if change.fields and not fields:
            return None
        return change._replace(fields=tuple(fields)) if len(fields) < len(change.fields) else change


def _with_ignored(
    overlay: OverlayDifference, changes: Sequence[ResourceChange], counts: Counter[str]
) -> OverlayDifference:
    ignored = tuple(IgnoredDifferences(source, count) for source, count in counts.items() if count)
    return (
        overlay._replace(changes=tuple(changes), ignored=(*overlay.ignored, *ignored)) if ignored else overlay
    )


def with_unsynced(
    difference: OverlayDifference,
    engine: EngineRules,
    rendered: tuple[RenderedSide | None, RenderedSide | None],
) -> OverlayDifference:
    """Return an overlay's difference, with notes about objects for which Argo CD starts no sync.

    It starts none for ignored fields alone, and applies them with the next one, unless it is told to respect
    ``ignoreDifferences`` (argo-cd ``controller/sync.go`` ``SyncAppState``). A sync is of all objects of an
    Application, or with ``ApplyOutOfSyncOnly=true`` of those that differ otherwise.
    """
    if engine.is_partial or not engine.rules.all:
        return difference
    before, after = ({each.current_id: each for each in written_of(side)} for side in rendered)
    unsynced: dict[str, list[str]] = {}
    starts_sync = False
    for change in difference.changes:
        old = before.get(change.before) if change.before else None
        new = after.get(change.after) if change.after else None
        is_update = change.type is ChangeType.CHANGED and old is not None and new is not None
        sources = _ignored_by(change, old, new, engine) if is_update and old and new else ()
        starts_sync = starts_sync or not sources
        for source in sources:
            unsynced.setdefault(source, []).append(f"{change.id.gvk.kind} {qualified_name(change.id)}")
    if starts_sync and not engine.is_selective:
        return difference
    notes = (
        IgnoredDifferences(source, 0, f"no sync starts for {listed(names, _MOST_NAMES)} alone; {_APPLIES_IT}")
        for source, names in unsynced.items()
    )
    return difference._replace(ignored=(*difference.ignored, *notes))


def _ignored_by(change: ResourceChange, old: Resource, new: Resource, engine: EngineRules) -> list[str]:
    """Return the sources of the rules that ignore all fields of a change; nothing if it has others."""
    sources: list[str] = []
    fields = change.fields
    rules = engine.about(new.current_id)
    for rule, applied in effective_rules(rules, new.content, old.content, FieldOwners(EMPTY)):
        left = {each.field for each in field_changes(old.content, applied)}
        kept = tuple(each for each in fields if each.inherited or each.read or each.field in left)
        sources += [rule.source] if len(kept) < len(fields) else []
        fields = kept
    return [] if fields else sources


def rules_not_evaluated(
    engine: EngineRules, changes: Iterable[ResourceChange]
) -> Iterator[IgnoredDifferences]:
    """Yield the expressions about changed objects that cannot be evaluated."""
    if not any(rule.not_evaluated for rule in engine.rules.all):
        return
    about = {
        rule
        for change in changes
        if change.type is ChangeType.CHANGED
        for rule in engine.rules.about(change.id)
    }
    for rule in engine.rules.all:
        for expression in rule.not_evaluated if rule in about else ():
            yield IgnoredDifferences(rule.source, 0, f"not evaluated: {expression}")
