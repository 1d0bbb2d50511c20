"""Mask values of Secrets in what a comparison says: texts, paths, and the kinds and names of objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from renderer.kubevirt.facts.confidential.masked import (
    holds_secret,
    shown_id,
    shown_path,
    without_values,
)
from renderer.kubevirt.facts.confidential.parts import LOOKING, STEPS_PER_VALUE
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.impact.guest_machine import GuestCluster, GuestMachine
from renderer.kubevirt.impact.guest_view import confidential_facts
from renderer.model.credential_text.search import without_credentials
from renderer.model.difference import DataChange, GuestChange, Impact, OverlayDifference, ResourceChange
from renderer.model.kube.json import EMPTY, count_values, object_at
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.masking import MASK, Masking
from renderer.model.run.taint import taint_masking
from renderer.model.run.work import spend

Stated = TypeVar("Stated", DataChange, GuestChange)


def shown_text(text: str, secrets: Masking) -> str:
    """Return a text of Git's, such as the subject of a commit, without ``secrets`` and credentials."""
    return without_credentials(taint_masking().mask(secrets.mask(text)), lambda _: MASK, of_kernel=True)


def with_shown_names(overlays: Iterable[OverlayDifference]) -> tuple[OverlayDifference, ...]:
    """Return the overlays without values of Secrets in kinds and names."""
    return tuple(_with_shown_names(each, taint_masking()) if _says(each) else each for each in overlays)


def shown_ids(ids: Iterable[ResId]) -> list[ResId]:
    """Return the ids without values of Secrets."""
    return [shown_id(each, taint_masking()) for each in ids]


def _says(overlay: OverlayDifference) -> bool:
    return any((overlay.changes, overlay.incomparable, overlay.notes, overlay.stalled, overlay.images))


def _with_shown_names(overlay: OverlayDifference, secrets: Masking) -> OverlayDifference:
    def shown(ids: Iterable[ResId]) -> tuple[ResId, ...]:
        return tuple(shown_id(each, secrets) for each in ids)

    return overlay._replace(
        changes=tuple(_with_shown_ids(each, secrets) for each in overlay.changes),
        incomparable=secrets.mask(overlay.incomparable),
        notes=tuple(map(secrets.mask, overlay.notes)),
        stalled=tuple(
            each._replace(
                deployer=each.deployer and shown_id(each.deployer, secrets),
                refused=shown(each.refused),
                undone=shown(each.undone),
                waiting=shown(each.waiting),
                reason=secrets.mask(each.reason),
            )
            for each in overlay.stalled
        ),
        images=tuple(each._replace(user=shown_id(each.user, secrets)) for each in overlay.images),
    )


def _with_shown_ids(change: ResourceChange, secrets: Masking) -> ResourceChange:
    """Return the change of a resource with ``***`` for each of ``secrets`` in its ids and texts."""
    change = without_secret_words(change, secrets)
    return change._replace(
        fields=tuple(
            each._replace(read=each.read and shown_id(each.read, secrets)) for each in change.fields
        ),
        before=change.before and shown_id(change.before, secrets),
        after=change.after and shown_id(change.after, secrets),
    )


def masked_pair(before: str, after: str, mask: Callable[[str], str]) -> tuple[str, str]:
    """Return both texts; ``***`` for each if one of them contains something confidential.

    The other text is most likely a former value of the same Secret, of which a part may be known.
    """
    if (mask(before), mask(after)) == (before, after):
        return before, after
    return before and MASK, after and MASK


def without_values_in(resource: Resource, secrets: Masking) -> Resource:
    """Return the object with ``***`` for each of ``secrets``; itself if it has none."""
    spend(STEPS_PER_VALUE * count_values(resource.content), LOOKING)
    if not secrets or not holds_secret(resource.content, secrets):
        return resource
    return resource.with_content(object_at(without_values(resource.content, secrets)))


def shown_guest(
    guest: tuple[GuestChange, ...], machines: Iterable[Resource], secrets: Masking
) -> tuple[GuestChange, ...]:
    """Return what a guest sees differently, with ``***`` for facts that are made of one of ``secrets``.

    ``machines`` are the states of the machine, as KubeVirt applies them.
    """
    if not guest:
        return guest
    hidden: set[tuple[str, str]] = set()
    for machine in machines:
        public = without_values_in(machine, secrets)
        if public is not machine:
            hidden |= confidential_facts(_guest_machine(machine), _guest_machine(public))
    return tuple(
        each._replace(before=each.before and MASK, after=each.after and MASK)
        if (each.fact, each.device) in hidden
        else each
        for each in guest
    )


def _guest_machine(resource: Resource) -> GuestMachine:
    view = VirtualMachineView.of(resource)
    instance = object_at(resource.content, *view.paths.template.keys) if view else EMPTY
    return GuestMachine.of(resource.name, resource.namespace, instance, GuestCluster())


def without_secret_words(change: ResourceChange, secrets: Masking) -> ResourceChange:
    """Return the change of a resource with ``***`` for each of ``secrets`` in its texts and paths."""

    def shown(impact: Impact | None) -> Impact | None:
        return impact and impact._replace(reason=secrets.mask(impact.reason))

    def public(text: str) -> str:
        return without_credentials(text, lambda _: MASK, of_kernel=True)

    def words(text: str) -> str:
        return secrets.mask(public(text))

    def masked(each: Stated) -> Stated:
        before, after = masked_pair(public(each.before), public(each.after), secrets.mask)
        return each._replace(before=before, after=after)

    return change._replace(
        fields=tuple(
            each._replace(impact=shown(each.impact), owners=tuple(map(secrets.mask, each.owners)))
            for each in change.fields
        ),
        impact=shown(change.impact),
        start_refusal=secrets.mask(change.start_refusal),
        former_refusal=secrets.mask(change.former_refusal),
        data=tuple(
            masked(each)._replace(disk=words(each.disk), text=words(each.text)) for each in change.data
        ),
        guest=tuple(masked(each)._replace(device=words(each.device)) for each in change.guest),
        pending=tuple(shown_path(field, secrets) for field in change.pending),
    )
