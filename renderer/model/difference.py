"""The difference between two renderings of a project, and its effect on virtual machines."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Literal, TypeAlias

from renderer.model.field_path import FieldPath
from renderer.model.json import Json
from renderer.model.record import Record
from renderer.model.release import Release
from renderer.model.res_id import ResId
from renderer.model.text_enum import TextEnum

#: Ends the last segment of a path that means the order of a list.
ORDER = "#order"


class NoValue(Enum):
    """A mark in place of a value."""

    ABSENT = "absent"  # there is no such field on this side
    WITHHELD = "withheld"  # there is one, which is confidential


Value: TypeAlias = Json | Literal[NoValue.ABSENT, NoValue.WITHHELD]


class Effect(TextEnum):
    """The effects of a change on a virtual machine, from the mildest to the worst."""

    NONE = "none"  # what runs, or will run, is the same
    NEXT_START = "next-start"  # the VM is halted: it counts when it is started
    LIVE = "live"  # patched into the instance that runs
    HOT_PLUG = "hot-plug"  # plugged in, or unplugged, at once
    NEXT_MIGRATION = "next-migration"  # plugged in by a live migration, which somebody has to start
    MIGRATION = "migration"  # storage or network are replaced by a live migration
    PENDING = "pending"  # in effect only after a restart, which nothing asks for
    BLOCKED = "blocked"  # in effect only after a restart, as the VM cannot be live-migrated
    START = "start"  # started by it
    STUCK = "stuck"  # accepted, but KubeVirt cannot apply it
    RESTART = "restart"  # in effect only after a restart, which KubeVirt asks for
    EVICTED = "evicted"  # shut down by KubeVirt, as it cannot migrate it
    STOP = "stop"  # stopped by it
    NO_START = "no-start"  # accepted, but the VM will not start again
    REPLACED = "replaced"  # deleted, and another made
    DELETED = "deleted"
    REFUSED = "refused"  # by the cluster: nothing changes

    @property
    def severity(self) -> int:
        """Comparable with that of other effects."""
        return _ORDER.index(self)


_ORDER = tuple(Effect)


class Impact(Record):
    """An effect, why it is that one, and where KubeVirt's source says so (empty where it does not)."""

    effect: Effect
    reason: str = ""
    source: str = ""


class FieldChange(Record):
    """A field of a resource before and after.

    ``reordered``: the values are the names of a list's elements, which are the same in another order.
    ``inherited``: the field is in no manifest, but comes from an instance type or preference. ``impact`` is
    None in what is no virtual machine. Of a field in a cluster, ``owners`` are the managers that own it, and
    ``kept`` is True where the next sync leaves it as it is.
    """

    field: FieldPath
    before: Value
    after: Value
    reordered: bool = False
    inherited: bool = False
    impact: Impact | None = None
    owners: tuple[str, ...] = ()
    kept: bool = False


class ChangeType(TextEnum):
    """What happened to an object between two renderings."""

    ADDED = "added"
    REMOVED = "removed"
    RENAMED = "renamed"  # another name or namespace, and maybe other fields as well
    CHANGED = "changed"


class ResourceChange(Record):
    """A resource that is not the same on both sides; ``impact`` is the worst that happens to a VM.

    ``before`` is None for what is added, ``after`` for what is removed. ``effects`` are all that happen to a
    VM, the worst first; ``pending`` are the fields of its instance that wait for the next start, and
    ``start_refusal`` says why there will be none. ``runs`` is known of VMs in a cluster.
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

    @property
    def id(self) -> ResId:
        """The identity now, or the last one."""
        found = self.after or self.before
        assert found is not None  # noqa: S101 - one side has it, or there is no change
        return found

    def order(self) -> tuple[str, str, str]:
        """Return the key by which changes are sorted for readers."""
        return self.id.gvk.kind, self.id.namespace, self.id.name


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
    """The sums of an overlay's virtual machines: of those that are to run, and of those that are halted."""

    running: Amounts = Amounts()
    halted: Amounts = Amounts()


class IgnoredDifferences(Record):
    """Differences that an engine is told not to see: ``source`` is what tells it so, in the repository.

    ``note`` says why some were not looked at, if so.
    """

    source: str
    number: int
    note: str = ""


class OverlayDifference(Record):
    """One overlay. Its target releases and totals are None on a side that does not have it.

    ``incomparable`` says why nothing could be compared; it is empty where everything was. ``equal`` counts
    the resources without a change. ``ignored`` and ``notes`` are about a comparison with a cluster.
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

    def __bool__(self) -> bool:
        """True if there is anything to tell."""
        return bool(self.changes or self.incomparable) or self.releases[0] != self.releases[1]


class CommitDifference(Record):
    """A commit between the two sides, and what everything up to it does to virtual machines."""

    name: str
    subject: str
    overlays: tuple[OverlayDifference, ...]


class Difference(Record):
    """All overlays that were compared; ``before`` and ``after`` are what the user calls the two sides.

    ``commits`` are those between the sides, the oldest first, where each was looked at. ``is_live``: the side
    before is a cluster, of which ``others`` are the objects that nothing in the project is about.
    """

    before: str
    after: str
    overlays: tuple[OverlayDifference, ...]
    commits: tuple[CommitDifference, ...] = ()
    is_live: bool = False
    others: int = 0

    def __bool__(self) -> bool:
        return any(self.overlays)


def worst(impacts: Sequence[Impact]) -> Impact | None:
    """The first of those with the worst effect; None of none."""
    return max(impacts, key=lambda impact: impact.effect.severity, default=None)
