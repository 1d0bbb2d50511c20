"""The values of this stage: its input, its candidates and its answers."""

from __future__ import annotations

from typing import NamedTuple

from renderer.adopt.fit.candidates import InstancetypeGroup, Mentions
from renderer.adopt.fit.preference_fields import Reduction
from renderer.kubevirt.instancetype.catalog import Scope
from renderer.kubevirt.instancetype.find import MatchedObject
from renderer.model.difference import Impact
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject
from renderer.model.kube.res_id import ResId
from renderer.model.record import Record
from renderer.model.text_enum import TextEnum


class FitQuality(TextEnum):
    """The quality of the match between a VirtualMachine and an instance type with a preference."""

    EXACT = "exact"
    NEAREST = "nearest"
    NONE = "none"


class VmFit(Record):
    """The pair that fits a VirtualMachine, and the VirtualMachine with it.

    ``vm`` names the pair and lacks the fields that the pair sets again; it is the original one if nothing
    fits. ``supplied`` is the number of these fields: 0 for a preference that changes nothing. ``differing``
    are the fields in which its expansion differs, as paths in the VirtualMachine. ``differing_at_start`` are
    fields that differ in the next instance that KubeVirt creates, although the expansion is the same: a
    preference also applies to devices that are added at the start. ``nearest`` is a second answer, for a
    VirtualMachine that only a preference fits exactly.
    """

    quality: FitQuality
    vm: JsonObject
    instancetype: MatchedObject | None = None
    preference: MatchedObject | None = None
    supplied: int = 0
    differing: tuple[FieldPath, ...] = ()
    differing_at_start: tuple[FieldPath, ...] = ()
    nearest: VmFit | None = None


class FitReport(Record):
    """The answer for one virtual machine.

    ``instancetype`` and ``preference`` are the names of a pair, empty if it has none. ``differing`` are the
    fields that would change with it, ``impact`` the effect on the running VM. ``obstacle`` says why an exact
    pair was not written; it is empty for a pair that was written.
    """

    id: ResId
    quality: FitQuality
    instancetype: str = ""
    preference: str = ""
    supplied: int = 0
    differing: tuple[FieldPath, ...] = ()
    impact: Impact | None = None
    obstacle: str = ""

    @property
    def is_written(self) -> bool:
        return self.quality is FitQuality.EXACT and not self.obstacle


class Target(NamedTuple):
    """A VirtualMachine that needs a pair: its template, as stored, and as stored with defaults.

    ``instance`` is the instance that KubeVirt creates from it; None if it cannot be defaulted.
    """

    vm: JsonObject
    template: JsonObject
    stored: JsonObject
    defaulted: JsonObject
    instance: JsonObject | None
    scope: Scope
    mentions: Mentions


class ReducedPreference(NamedTuple):
    """Preferences that may have been applied to a VM (None: no preference), and the rest that they leave.

    ``spec`` is their common spec, ``topology`` the part of it that decides how vCPUs are spread.
    """

    members: tuple[MatchedObject | None, ...]
    spec: JsonObject
    topology: tuple[object, ...]
    reduction: Reduction


class Choice(NamedTuple):
    """A pair that may reproduce a VirtualMachine."""

    instancetype: MatchedObject | None
    preference: MatchedObject | None
    group: InstancetypeGroup | None
    reduction: Reduction
