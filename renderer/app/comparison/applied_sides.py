"""The objects in Git as an engine applies them. What it leaves out has no effect and cannot be refused.

Flux skips objects that its annotations exempt (fluxcd/pkg ``ssa/manager_apply.go`` ``shouldSkipApply``). It
leaves the fields of ``spec.ignore`` as the cluster has them, but first tries the whole object in a dry run,
which the cluster may refuse (``ApplyAll``). Argo CD takes ignored fields from the cluster if it is told to
respect ``ignoreDifferences`` (argo-cd ``controller/sync.go`` ``normalizeTargetResources``). It does not apply
an object whose only hook is ``Skip`` (gitops-engine ``pkg/sync/hook/hook.go`` ``Skip``).

What an engine did not apply before a change and applies after it is more than the change: everything that
Git has got since then. How much that is, only the cluster knows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from renderer.adopt.live.ignored_differences import (
    NO_RULES,
    IgnoreRule,
    IgnoreRules,
    effective_rules,
    flux_policy,
    has_value,
    rules_of_application,
    rules_of_kustomization,
)
from renderer.adopt.live.managed_fields import FieldOwners
from renderer.app.comparison.rendered_sides import RenderedSide, written_of
from renderer.diff.overlay_side import OverlaySide
from renderer.gitops.argocd.application import is_application
from renderer.gitops.flux.kustomization import is_flux_kustomization
from renderer.kubevirt.facts.lists import field_changes
from renderer.kubevirt.impact.immutable.refusals import refusals_of
from renderer.kubevirt.impact.immutable.row import ObjectUpdate
from renderer.model.difference import IgnoredDifferences
from renderer.model.kube.json import EMPTY, JsonObject
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.release import Release
from renderer.model.sync_options import (
    HOOK_ANNOTATION,
    OUT_OF_SYNC_ONLY,
    RESPECT_IGNORED,
    SKIP,
    is_skipped,
    options_of_application,
)

#: What is said of a source of ignored differences that a change adds, and so may hide more than it should.
_ADDED = "added by this change"


class EngineRules(NamedTuple):
    """The differences that the engine of an overlay ignores.

    ``former_rules`` are those before the change. ``is_partial``: it applies an object without the ignored
    fields, and ``was_partial``: so it did before. ``is_selective``: it applies only objects that differ in
    other fields. ``is_flux``, ``is_argocd``: it is certainly this engine, whose annotations the other one
    does not know.
    """

    rules: IgnoreRules = NO_RULES
    former_rules: IgnoreRules = NO_RULES
    is_partial: bool = False
    was_partial: bool = False
    is_selective: bool = False
    is_flux: bool = False
    is_argocd: bool = False

    def exemption(self, written: Resource, live: Resource | None) -> str:
        """Return the annotation for which the engine skips an object of Git; empty if it applies that."""
        if self.is_flux:
            return flux_policy(written, live).ignores
        return f"{HOOK_ANNOTATION}: {SKIP}" if self.is_argocd and is_skipped(written) else ""

    def about(self, id_: ResId) -> list[IgnoreRule]:
        """Return the rules with fields of an object."""
        return [rule for rule in self.rules.about(id_) if rule.paths]


def engine_rules(deployer: Resource | None, former: Resource | None = None) -> EngineRules:
    """Return the rules of the object that deploys an overlay; none if it is not known.

    Rules that ``former``, the object before the change, does not have are named as added.
    """
    engine = _rules_of(deployer)
    if former is None:
        return engine
    known = _rules_of(former)
    formerly = frozenset(known.rules.all)
    rules = (
        each if each in formerly else each._replace(source=f"{each.source} ({_ADDED})")
        for each in engine.rules.all
    )
    return engine._replace(rules=IgnoreRules(rules), former_rules=known.rules, was_partial=known.is_partial)


def _rules_of(deployer: Resource | None) -> EngineRules:
    if deployer is None:
        return EngineRules()
    if is_flux_kustomization(deployer):
        return EngineRules(IgnoreRules(rules_of_kustomization(deployer)), is_partial=True, is_flux=True)
    if not is_application(deployer):
        return EngineRules()
    options = {*options_of_application(deployer)}
    return EngineRules(
        IgnoreRules(rules_of_application(deployer)),
        is_partial=RESPECT_IGNORED in options,
        is_selective=OUT_OF_SYNC_ONLY in options,
        is_argocd=True,
    )


def are_exempt(side: RenderedSide | None) -> bool:
    """Return True if objects have annotations for which Flux or Argo CD would skip them."""
    return any(flux_policy(each, each).ignores or is_skipped(each) for each in written_of(side))


def without_ignored(content: JsonObject, former: JsonObject, rules: Iterable[IgnoreRule]) -> JsonObject:
    """Return an object with the ignored fields as they were."""
    for rule in rules:
        content = rule.without_ignored(content, former, FieldOwners(EMPTY))
    return content


def as_applied(
    before: RenderedSide | None, after: RenderedSide | None, engine: EngineRules
) -> tuple[RenderedSide | None, tuple[IgnoredDifferences, ...]]:
    """Return the side after a change as its engine applies it, and what that leaves out."""
    if after is None or after.content is None:
        return after, ()
    former = before.content if before and before.content else OverlaySide(after.content.release)
    counts: Counter[str] = Counter()
    content = _side_as_applied(former, after.content, engine, counts)
    if content is after.content:
        return after, ()
    ignored = tuple(IgnoredDifferences(source, count) for source, count in counts.items() if count)
    return after._replace(content=content), ignored


def overdue(
    before: RenderedSide | None, after: RenderedSide | None, engine: EngineRules
) -> Iterator[tuple[str, ResId]]:
    """Yield the objects of which the engine begins to apply what it left alone, and why it did."""
    if before is None or after is None or before.content is None or after.content is None:
        return
    former = {each.object_key: each for each in before.content.written}
    for new in after.content.written:
        id_ = new.current_id
        old = former.get(new.object_key)
        if old is None:
            continue
        if exemption := _lifted_exemption(engine, old, new):
            yield exemption, id_
        respected = () if engine.was_partial and not engine.is_partial else engine.about(id_)
        ignored = {path for rule in respected for path in rule.paths}
        for rule in engine.former_rules.about(id_):
            if any(has_value(new.content, path) for path in {*rule.paths} - ignored):
                yield rule.source, id_


def _lifted_exemption(engine: EngineRules, old: Resource, new: Resource) -> str:
    """Return the annotation for which an object was skipped that is applied now; empty if there is none."""
    for exists in (False, True):
        exemption = engine.exemption(old, old if exists else None)
        if exemption and not engine.exemption(new, new if exists else None):
            return exemption
    return ""


def _side_as_applied(
    before: OverlaySide, after: OverlaySide, engine: EngineRules, counts: Counter[str]
) -> OverlaySide:
    former = {each.object_key: each for each in before.written}
    written: list[Resource] = []
    expanded, refused = dict(after.applied), dict(after.refused)
    for new in after.written:
        id_ = new.current_id
        old = former.get(new.object_key)
        before_id = old.current_id if old else id_
        # The annotations in Git decide: if an engine skips an object, the cluster never gets its annotations.
        skipped = engine.exemption(new, new if old else None)
        if skipped:
            if old is not None and not engine.exemption(old, old):
                skipped = f"{skipped} ({_ADDED})"
            counts[skipped] += len(field_changes(old.content, new.content)) if old else 1
            written += [] if old is None else [old]
            refused.pop(id_, None)
            expanded.pop(id_, None)
            if before_id in before.applied:
                expanded[before_id] = before.applied[before_id]
            continue
        applied = new if old is None else _partly_applied(old, new, engine, after.release, counts)
        written.append(applied)
        if applied is not new and id_ in expanded and before_id in before.applied:
            content = without_ignored(
                expanded[id_].content, before.applied[before_id].content, engine.about(id_)
            )
            expanded[id_] = expanded[id_].with_content(content)
    return after._replace(written=tuple(written), applied=expanded, refused=refused) if counts else after


def _partly_applied(
    old: Resource, new: Resource, engine: EngineRules, release: Release, counts: Counter[str]
) -> Resource:
    """Return an object without the fields that its engine does not apply."""
    rules = engine.about(new.current_id) if engine.is_partial else []
    if not rules or old.content is new.content:
        return new
    changes = field_changes(old.content, new.content)
    if engine.is_flux and refusals_of(ObjectUpdate(old, new), changes, release):
        return new  # the dry run is of the whole object
    content, number = new.content, len(changes)
    for rule, applied in effective_rules(rules, new.content, old.content, FieldOwners(EMPTY)):
        content = applied
        left = len(field_changes(old.content, content))
        if left < number:
            counts[rule.source] += number - left
        number = left
    return new.with_content(content) if number < len(changes) else new
