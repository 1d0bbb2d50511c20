"""The owners of an overlay: what applies it. A former owner may delete what a new one takes over.

The names of the Kustomization or Application, and of the set that makes it, decide: under another name, an
engine sees another object. The old one may be removed before the new one has taken over what it applied.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from renderer.app.comparison.side import Side
from renderer.diff.deletions import Deletions, Risk
from renderer.diff.masking import without_secret_words
from renderer.diff.moved import unchanged, with_deletion_risk
from renderer.diff.sides import Sides
from renderer.gitops.argocd.application import as_application, is_application_set
from renderer.gitops.pruning import (
    exemption_from_removal,
    exemption_needed,
    keeps_what_it_made,
    retention_of,
)
from renderer.model.difference import OverlayDifference, ResourceChange
from renderer.model.kube.json import object_at
from renderer.model.kube.res_id import ObjectKey, ResId
from renderer.model.kube.resource import Resource
from renderer.model.run.work import spend
from renderer.pipeline.deployers import own_id

#: The work steps of comparing two owners of an overlay.
_STEPS_PER_PAIR = 8


class Owner(NamedTuple):
    """A Kustomization, Application or ResourceSet that applies an overlay, and the set that makes it."""

    id: ResId
    deployer: Resource
    maker: Resource | None = None

    @property
    def key(self) -> ObjectKey:
        return self.id.object_key

    @property
    def maker_key(self) -> ObjectKey | None:
        return self.maker.object_key if self.maker else None

    @property
    def maker_id(self) -> ResId | None:
        return self.maker.current_id if self.maker else None


class Handover(NamedTuple):
    """An owner that may delete what another one applies from a change on.

    ``parents`` are the objects that deploy the old one, if it keeps its name.
    """

    old: Owner
    new: Owner
    parents: tuple[Resource, ...] = ()

    def cause(self, risk: Risk) -> str:
        """The first part of a message: who may delete an object, with what, and before what."""
        goods = f" with {risk.goods}" if risk.goods else ""
        if self.old.key != self.new.key:
            old, new = self.old.id, self.new.id
            it = f"it,{goods}," if goods else "it"
            return f"{old} may delete {it} before {new} takes it over{risk.consequence}"
        maker, next_maker = self.old.maker_id or "what deploys it", self.new.maker_id
        again = f"{next_maker} makes that again" if next_maker else "that is applied from Git"
        return f"{maker} may delete {self.old.id}, and so this{goods}, before {again}{risk.consequence}"

    def exemption(self, object_: Resource, *, may_be_gone: bool = True) -> str:
        """Return the annotation without which an object may be deleted; empty if it is not.

        ``may_be_gone``: the old owner may be removed, and not only lose the object.
        """
        old = self.old
        is_kept = old.maker is not None and keeps_what_it_made(old.maker, old.deployer)
        if self.new.key != old.key:
            return exemption_needed(old.deployer, object_, may_be_gone=may_be_gone and not is_kept)
        if self.new.maker_key == old.maker_key or is_kept:
            return ""
        if old.maker is None and self.parents:
            retentions = (retention_of(each, old.deployer, is_gone=False) for each in self.parents)
            if all(retentions):
                return ""
        return exemption_from_removal(old.deployer, object_)


def owners_of(side: Side, path: str) -> tuple[Owner, ...]:
    """Return the owners of an overlay on a side, as far as the repository says."""
    overlay = side.overlays.get(path)
    if overlay is None:
        return ()
    if overlay.entry is not None:
        entry = overlay.entry.entry
        return (Owner(entry.current_id, entry, side.deployers.maker_of(entry)),) if entry else ()
    return tuple(
        Owner(
            own_id(each, path),
            as_application(each),
            each if is_application_set(each) else side.deployers.maker_of(each),
        )
        for each in side.deployers.probable(overlay)
    )


def handovers(before: Side, after: Side, path: str) -> Iterator[Handover]:
    """Yield the changes of the owners of an overlay that both sides have.

    Without a new owner, nothing in the repository deploys it any more.
    """
    former, latter = owners_of(before, path), owners_of(after, path)
    gone, come = _without(former, latter), _without(latter, former)
    for old in gone if latter else ():
        same = (each for each in come if each.key == old.key)
        new = next(same, None) or next((each for each in (*come, *latter) if each.key != old.key), None)
        if new is not None and new.key == old.key and old.maker and after.deployers.makes(old.maker, old.key):
            continue  # it controls the Application, and another set cannot take it
        if new is not None:
            parents = before.deployers.above([old.deployer]) if new.key == old.key else ()
            yield Handover(old, new, tuple(parents))


def _without(owners: tuple[Owner, ...], others: tuple[Owner, ...]) -> list[Owner]:
    """Return the owners that are not among the others, which may be several of one name."""
    known = Counter((each.key, each.maker_key) for each in others)
    found = []
    for each in owners:
        key = each.key, each.maker_key
        known[key] -= 1
        if known[key] < 0:
            found.append(each)
    return found


def joint_owners(before: Side, after: Side, path: str) -> Iterator[str]:
    """Yield a sentence for each object that begins to apply a folder which another one goes on applying."""
    overlay = after.overlays.get(path)
    if overlay is None or overlay.entry is not None or path not in before.overlays:
        return
    known = {each.key for each in owners_of(before, path)}
    latter = owners_of(after, path)
    staying: dict[str, list[Owner]] = {}
    for each in latter:
        if each.key in known:
            staying.setdefault(_target_of(each), []).append(each)
    for new in (each for each in latter if each.key not in known) if staying else ():
        of_target = staying.get(_target_of(new), ())
        stays = next((each for each in of_target if _are_rivals(after, each, new)), None)
        if stays is not None:
            yield (
                f"{new.id} begins to apply what {stays.id} applies, too: whichever of the two loses an object"
                " may delete it"
            )


def _target_of(owner: Owner) -> str:
    """Return the text of the fields that say to which cluster an owner applies."""
    spec = object_at(owner.deployer.content, "spec")
    return json.dumps([object_at(spec, field) for field in ("destination", "kubeConfig")], sort_keys=True)


def _are_rivals(side: Side, one: Owner, other: Owner) -> bool:
    """Return True if two objects are probably in one cluster."""
    spend(_STEPS_PER_PAIR, "comparing the owners of an overlay")
    return side.deployers.are_rivals(one.deployer, other.deployer)


def with_new_owners(before: Side, after: Side, difference: OverlayDifference) -> OverlayDifference:
    """Return the difference of an overlay with the risks for objects whose owner changes.

    They are machines, and others with which data goes. Those that do not change otherwise are listed, too.
    """
    found = [*handovers(before, after, difference.path)]
    if not found:
        return difference
    old, new = (side.render(difference.path) for side in (before, after))
    if old is None or new is None or old.content is None or new.content is None:
        return difference
    sides = Sides(old.content, new.content)
    deletions = Deletions(sides)
    staying = {each.object_key for each in new.content.written}
    changes = {each.before: each for each in difference.changes if each.before}
    risky: dict[object, ResourceChange] = {}
    for each in old.content.written:
        id_ = each.current_id
        risk = deletions.at_risk(each) if id_.object_key in staying else None
        if risk is None or not (needed := _first_needed(found, each)):
            continue
        handover, exemption = needed
        change = changes.get(id_) or unchanged(id_)
        change = with_deletion_risk(change, handover.cause(risk), exemption, deletions.lost_with(each))
        risky[id_] = without_secret_words(change, sides.secrets)
    others = (each for each in difference.changes if each.before not in risky)
    return difference.with_changes((*others, *risky.values()))


def _first_needed(found: Sequence[Handover], machine: Resource) -> tuple[Handover, str] | None:
    """Return the first handover that may delete an object, and the annotation that prevents it."""
    needed = ((each, each.exemption(machine)) for each in found)
    return next((each for each in needed if each[1]), None)
