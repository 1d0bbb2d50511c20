"""The difference between two renderings of a project, and its effect on virtual machines."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Literal, Self, TypeAlias

from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json
from renderer.model.kube.res_id import ResId
from renderer.model.record import Record
from renderer.model.release import Release
from renderer.model.text_enum import TextEnum

#: The end of the last segment of a path that refers to the order of a list.
ORDER = "#order"


class NoValue(Enum):
    """A mark in place of a value."""

    ABSENT = "absent"  # the field does not exist on this side
    WITHHELD = "withheld"  # the value is confidential


Value: TypeAlias = Json | Literal[NoValue.ABSENT, NoValue.WITHHELD]


class Danger(TextEnum):
    """What a reviewer must know of a change, from the mildest to the worst; ``docs/diff.md`` has the table.

    Reports list the most dangerous changes first.
    """

    NONE = "none"  # nothing that runs is changed
    STILL_REFUSED = "still-refused"  # the cluster rejects it, as it did before the change
    LIVE = "live"  # applied without an interruption
    MIGRATION = "migration"  # a live migration applies it
    GUEST = "guest"  # the guest sees other hardware
    RESTART = "restart"  # the VM is down or cut off for a while, now or later
    NO_START = "no-start"  # the VM will not start, or cannot be changed, until somebody repairs it
    DATA = "data"  # data may be lost, or other data is attached
    REFUSED = "refused"  # the cluster rejects it

    @property
    def rank(self) -> int:
        """The rank, for comparison with other dangers."""
        return _DANGERS.index(self)


_DANGERS = tuple(Danger)


class Effect(TextEnum):
    """The effects of a change on a virtual machine, from the mildest to the worst, each with its danger."""

    __slots__ = ("danger",)
    _value_: str

    NONE = "none", Danger.NONE  # the running or future instance is unchanged
    NEXT_START = "next-start", Danger.NONE  # the VM is halted: in effect when it is started
    LIVE = "live", Danger.LIVE  # patched into the running instance
    HOT_PLUG = "hot-plug", Danger.LIVE  # plugged in or unplugged immediately
    NEXT_MIGRATION = "next-migration", Danger.MIGRATION  # by a live migration, which a user has to start
    MIGRATION = "migration", Danger.MIGRATION  # a live migration replaces storage or network
    PENDING = "pending", Danger.RESTART  # in effect only after a restart, which nothing requests
    BLOCKED = "blocked", Danger.RESTART  # after a restart, because the VM cannot be live-migrated
    START = "start", Danger.LIVE  # the change starts the VM
    STUCK = "stuck", Danger.NO_START  # accepted, but KubeVirt cannot apply it
    RESTART = "restart", Danger.RESTART  # in effect only after a restart, which KubeVirt requests
    EVICTED = "evicted", Danger.RESTART  # KubeVirt shuts the VM down, because it cannot migrate it
    DISCONNECTED = "disconnected", Danger.RESTART  # the running guest is cut off from a network
    STOP = "stop", Danger.RESTART  # the change stops the VM
    RECREATED = "recreated", Danger.RESTART  # an object without data is deleted and created again
    NO_START = "no-start", Danger.NO_START  # accepted, but the VM will not start again
    AT_RISK = "at-risk", Danger.DATA  # another owner takes the VM over, but the old one may delete it first
    MAY_DELETE = "may-delete", Danger.DATA  # an engine or operator may delete what it made
    REPLACED = "replaced", Danger.DATA  # deleted and created again
    DELETED = "deleted", Danger.DATA
    REFUSED = "refused", Danger.REFUSED  # the cluster rejects the change: nothing changes

    def __init__(self, _text: str, danger: Danger) -> None:
        self.danger = danger

    @property
    def severity(self) -> int:
        """The severity, for comparison with other effects."""
        return _EFFECTS.index(self)


_EFFECTS = tuple(Effect)


class Impact(Record):
    """An effect, its reason, and the place in KubeVirt's source that says so (empty if there is none)."""

    effect: Effect
    reason: str = ""
    source: str = ""


class DataEffect(TextEnum):
    """What a change does to the disks of a virtual machine, from the mildest to the worst."""

    UNTOUCHED = "untouched"  # a change in Git that does nothing to a disk that exists
    KEPT = "kept"  # no longer in Git, or no longer in use, but nothing deletes it
    NEW_DISK = "new-disk"  # made as soon as the change is applied
    COPIED = "copied"  # a live migration copies it to another claim
    DETACHED = "detached"  # the machine no longer has it
    OTHER_DISK = "other-disk"  # another data disk in its place
    OTHER_ROOT = "other-root"  # the machine boots from another disk
    UNDONE_RESTORE = "undone-restore"  # the machine gets back the disks from before a restore
    SHARED = "shared"  # another running machine writes to it as well
    LOST = "lost"  # deleted

    @property
    def is_harm(self) -> bool:
        """True if data is lost, or if the guest finds other data than before."""
        return self in _HARM


_HARM = frozenset(
    {
        *(DataEffect.DETACHED, DataEffect.OTHER_DISK, DataEffect.OTHER_ROOT),
        *(DataEffect.UNDONE_RESTORE, DataEffect.SHARED, DataEffect.LOST),
    }
)


class DataChange(Record):
    """What a change does to a disk, in words, and the place in KubeVirt's source that says so.

    ``disk`` is the name of the volume, or of the object that holds the data. ``before`` and ``after`` are
    the objects that the volume points to, empty on a side that has none. ``is_next_version``: both are
    versions of one image, of which each start makes the disk anew.
    """

    effect: DataEffect
    disk: str
    text: str
    before: str = ""
    after: str = ""
    source: str = ""
    is_next_version: bool = False

    @property
    def is_harm(self) -> bool:
        """True if data is lost, or if the guest finds other data than before and nobody asked for that."""
        return self.effect.is_harm and not self.is_next_version


class GuestChange(Record):
    """A fact that the guest sees, before and after; an empty text means that it sees nothing.

    ``device`` is the name of the disk, interface or device, empty for the whole machine. ``risk`` is what may
    break in the guest, empty if nothing is known to. ``is_live``: the running guest sees it, without a
    restart. ``source`` is the place in KubeVirt's source that makes it so.
    """

    fact: str
    device: str
    before: str
    after: str
    risk: str = ""
    is_live: bool = False
    source: str = ""


class Cause(Record):
    """The place in the sources whose change changed a field or an object.

    ``line`` is 0 for a whole file. ``state`` says that the place is on one side only: ``new`` or ``removed``;
    a removed line is one of the side before. ``about`` is the object that has the value there, if it is not
    the changed object: an instance type.
    """

    path: str
    line: int = 0
    state: str = ""
    about: str = ""

    def __str__(self) -> str:
        """``base/vm.yaml:12``, ``base/old.yaml (removed)``, ``catalog/u1.yaml:7 (KIND u1.small)``."""
        place = f"{self.path}:{self.line}" if self.line else self.path
        facts = ", ".join(filter(None, (self.about, self.state)))
        return f"{place} ({facts})" if facts else place


class FieldChange(Record):
    """A field of a resource before and after.

    ``reordered``: the values are the names of a list's elements, which are the same in another order.
    ``inherited``: the field is in no manifest, but comes from an instance type or preference. ``impact`` is
    None for objects other than virtual machines. Of a field in a cluster, ``owners`` are the managers that
    own it, and ``kept`` is True if the next sync does not change it. ``cause`` is the place in the sources
    that changed it, if it is known. ``read`` is the object that the field names, if that changes rather than
    its name.
    """

    field: FieldPath
    before: Value
    after: Value
    reordered: bool = False
    inherited: bool = False
    impact: Impact | None = None
    owners: tuple[str, ...] = ()
    kept: bool = False
    cause: Cause | None = None
    read: ResId | None = None


class ChangeType(TextEnum):
    """The kind of change of an object between two renderings."""

    ADDED = "added"
    REMOVED = "removed"
    RENAMED = "renamed"  # name or namespace changed, and possibly other fields
    CHANGED = "changed"


class ResourceChange(Record):
    """A resource that differs between the two sides; ``impact`` is the worst effect on a VM.

    ``before`` is None for an added resource, ``after`` for a removed one. ``effects`` are all effects on a
    VM, the worst first; ``pending`` are the fields of its instance that wait for the next start, and
    ``start_refusal`` is the reason why it will not start. ``runs`` is known only for VMs in a cluster.
    ``data`` is what happens to disks, the worst first, ``guest`` what the guest sees after its next start.
    ``cause`` is the place in the sources that changed the object as a whole. ``former_refusal`` is the reason
    why the cluster rejects an object that it rejected before the change as well. ``moved_from`` is the path
    of the overlay that had the object before; empty for its own. ``former_made`` are the Secrets and
    networks that an operator made of the object before and owns, ``made`` those that it makes of it now.
    ``deletion`` says what makes the cluster delete an object that Git still has; empty if nothing does.
    """

    type: ChangeType
    before: ResId | None
    after: ResId | None
    fields: tuple[FieldChange, ...] = ()
    impact: Impact | None = None
    effects: tuple[Effect, ...] = ()
    pending: tuple[FieldPath, ...] = ()
    start_refusal: str = ""
    runs: bool | None = None
    data: tuple[DataChange, ...] = ()
    guest: tuple[GuestChange, ...] = ()
    cause: Cause | None = None
    former_refusal: str = ""
    moved_from: str = ""
    former_made: tuple[ResId, ...] = ()
    made: tuple[ResId, ...] = ()
    deletion: str = ""

    @property
    def is_refused(self) -> bool:
        """True if the cluster rejects the object after the change."""
        return bool(self.former_refusal) or (self.impact is not None and self.impact.effect is Effect.REFUSED)

    @property
    def harms_data(self) -> bool:
        """True if data is lost, or if the guest finds other data than before."""
        return any(each.is_harm for each in self.data)

    @property
    def risks_guest(self) -> bool:
        """True if something in the guest may break because of what it sees."""
        return any(each.risk for each in self.guest)

    @property
    def id(self) -> ResId:
        """The current identity, or the last one."""
        found = self.after or self.before
        assert found is not None  # noqa: S101 - one side has it, or there is no change
        return found

    @property
    def causes(self) -> tuple[Cause, ...]:
        """The places in the sources that changed it, each once."""
        found = [cause for cause in (*(field.cause for field in self.fields), self.cause) if cause]
        there = {(cause.path, cause.line) for cause in found if cause.state != "removed"}
        return tuple(
            dict.fromkeys(
                cause for cause in found if cause.state != "removed" or (cause.path, cause.line) not in there
            )
        )

    @property
    def dangers(self) -> frozenset[Danger]:
        """All that it does."""
        effects = (*self.effects, self.impact.effect) if self.impact else self.effects
        dangers = [effect.danger for effect in effects] or [Danger.NONE]
        dangers += [Danger.DATA] if self.harms_data else []
        dangers += [Danger.GUEST] if self.risks_guest else []
        dangers += [Danger.STILL_REFUSED] if self.former_refusal else []
        return frozenset(dangers)

    @property
    def danger(self) -> Danger:
        """The worst that it does."""
        return max(self.dangers, key=lambda each: each.rank)

    def with_impact(self, impact: Impact | None) -> Self:
        """Return the change with this impact alone; itself for None."""
        return self if impact is None else self._replace(impact=impact, effects=(impact.effect,))

    def worsened(self, impacts: Iterable[Impact]) -> Self:
        """Return the change with further impacts: with the worst of all, and with their effects."""
        every = (*filter(None, [self.impact]), *impacts)
        effects = (*self.effects, *(each.effect for each in every))
        return self._replace(impact=worst(every), effects=by_severity(effects))

    def order(self) -> tuple[str, str, str]:
        """Return the key by which changes are sorted for readers."""
        return self.id.gvk.kind, self.id.namespace, self.id.name


class ImageName(Record):
    """What an image is taken from: ``fedora:42`` of a registry, a file of a URL, or an object of a cluster.

    For a URL, ``repository`` is its folder and ``tag`` its file, without credentials and query.
    """

    repository: str
    tag: str = ""
    digest: str = ""


class ImageMove(Record):
    """An image of an object before and after a change; None on a side that has none.

    ``use`` is what the object does with it: ``container disk``.
    """

    use: str
    before: ImageName | None
    after: ImageName | None
    user: ResId


class StalledSync(Record):
    """A sync that stops because the cluster refuses an object.

    ``deployer`` is the Kustomization or Application that runs it; None if the repository does not have it,
    and then the ``undone`` changes may be undone, or not. ``waiting`` are the Kustomizations that wait for
    it. ``source`` is the function of the engine that stops.
    """

    deployer: ResId | None
    refused: tuple[ResId, ...]
    undone: tuple[ResId, ...]
    waiting: tuple[ResId, ...] = ()
    reason: str = ""
    source: str = ""


class Amounts(Record):
    """The sum of several virtual machines; memory in bytes, of which ``hugepages`` are a part."""

    machines: int = 0
    vcpus: int = 0
    memory: int = 0
    hugepages: int = 0
    gpus: int = 0

    def plus(self, other: Amounts) -> Amounts:
        return Amounts(*(one + more for one, more in zip(self, other, strict=True)))


class Totals(Record):
    """The sums of an overlay's virtual machines: of the running ones, and of the halted ones."""

    running: Amounts = Amounts()
    halted: Amounts = Amounts()


class IgnoredDifferences(Record):
    """Differences that an engine is configured to ignore; ``source`` is where in the repository.

    ``note`` says why some were not compared, if so.
    """

    source: str
    number: int
    note: str = ""


class OverlayDifference(Record):
    """One overlay. Its target releases and totals are None on a side that does not have it.

    ``incomparable`` says why something could not be compared; it is empty if everything was compared.
    ``equal`` counts the resources without a change. ``ignored`` is what was left out, and by which rules.
    ``notes`` are further sentences for the reader. ``cluster`` is the cluster that it goes to; empty for the
    default cluster. ``stalled`` are the syncs that a refused object stops. ``images`` are the images that
    change in objects of both sides. ``former`` is the path that a renamed overlay had before, and
    ``former_cluster`` the cluster that it went to before, None if it is the same.
    """

    path: str
    name: str
    releases: tuple[Release | None, Release | None]
    changes: tuple[ResourceChange, ...] = ()
    equal: int = 0
    totals: tuple[Totals | None, Totals | None] = (None, None)
    incomparable: str = ""
    ignored: tuple[IgnoredDifferences, ...] = ()
    notes: tuple[str, ...] = ()
    cluster: str = ""
    stalled: tuple[StalledSync, ...] = ()
    images: tuple[ImageMove, ...] = ()
    former: str = ""
    former_cluster: str | None = None

    def __bool__(self) -> bool:
        """True if there is anything to report."""
        is_elsewhere = self.releases[0] != self.releases[1] or self.former_cluster is not None
        return bool(self.changes or self.incomparable) or is_elsewhere

    @property
    def has_refusals(self) -> bool:
        """True if the cluster refuses one of its changes."""
        return any(change.is_refused for change in self.changes)

    def with_changes(self, changes: Iterable[ResourceChange]) -> Self:
        """Return the overlay with its changes, in order, and with those of objects that were equal."""
        ordered = tuple(sorted(changes, key=ResourceChange.order))
        return self._replace(changes=ordered, equal=self.equal - (len(ordered) - len(self.changes)))

    def also_incomparable(self, *reasons: str) -> Self:
        """Return the overlay with further reasons why something could not be compared; some may be empty."""
        return self._replace(incomparable="; ".join(filter(None, (self.incomparable, *reasons))))


def changes_of(overlays: Iterable[OverlayDifference]) -> list[ResourceChange]:
    """Return the changes in all of these overlays."""
    return [change for overlay in overlays for change in overlay.changes]


class CommitDifference(Record):
    """A commit between the two sides, and the effect on virtual machines of all commits up to it."""

    name: str
    subject: str
    overlays: tuple[OverlayDifference, ...]


#: The name of a side that is not a revision.
WORK_TREE = "work tree"


class Difference(Record):
    """All overlays that were compared; ``before`` and ``after`` are the user's names for the two sides.

    ``commits`` are the commits between the sides, the oldest first, if each was examined. ``is_live``: the
    side before is a cluster; ``others`` are its objects that do not correspond to anything in the project.
    ``assumptions`` are further sentences about what the changes were judged by, ``not_compared`` the paths of
    changed manifests that belong to no overlay, ``not_rendered`` the charts and folders
    of which Helm, jsonnet or a plugin may make something else. ``changed_elsewhere`` are the changed objects
    of what the project does not list, of which no harm is known.
    """

    before: str
    after: str
    overlays: tuple[OverlayDifference, ...]
    commits: tuple[CommitDifference, ...] = ()
    is_live: bool = False
    others: int = 0
    assumptions: tuple[str, ...] = ()
    not_compared: tuple[str, ...] = ()
    not_rendered: tuple[str, ...] = ()
    changed_elsewhere: tuple[ResId, ...] = ()

    def __bool__(self) -> bool:
        """True if there is anything to report, also if only a commit between the sides differs."""
        return any(self.overlays) or any(any(commit.overlays) for commit in self.commits)

    @property
    def has_unknown(self) -> bool:
        """Return True if files or objects differ of which it is not known what they do."""
        return bool(self.not_compared or self.not_rendered or self.changed_elsewhere)

    @property
    def states(self) -> tuple[tuple[OverlayDifference, ...], ...]:
        """The overlays at each commit between the sides, and at last those of the second side."""
        return (*(commit.overlays for commit in self.commits), self.overlays)

    @property
    def danger(self) -> Danger:
        """The worst of all changes, also at a commit between the sides."""
        dangers = (each.danger for state in self.states for each in changes_of(state))
        return max(dangers, key=lambda each: each.rank, default=Danger.NONE)


def worst(impacts: Iterable[Impact]) -> Impact | None:
    """Return the first impact with the worst effect; None if there are none."""
    return max(impacts, key=lambda impact: impact.effect.severity, default=None)


def by_severity(effects: Iterable[Effect]) -> tuple[Effect, ...]:
    """Return the different effects, the worst first."""
    return tuple(sorted({*effects}, key=lambda effect: -effect.severity))


def effects_of(impact: Impact | None) -> tuple[Effect, ...]:
    """Return the effect of an impact as the only one; empty for None."""
    return () if impact is None else (impact.effect,)
