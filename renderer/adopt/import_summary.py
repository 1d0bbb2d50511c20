"""The summary of an import: what it wrote, and what to do before the first sync."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from renderer.adopt.dump.outlook import Autoscaled, InProgress
from renderer.adopt.fit.series import SizeProposal
from renderer.adopt.fit.values import FitReport
from renderer.model.record import Record
from renderer.model.release import LATEST, Release


class ToSeal(Record):
    """A file to seal, and the machines that name its object; ``in_cluster``: the cluster has the object."""

    path: str
    in_cluster: bool
    machines: tuple[str, ...]


class ImportSummary(Record):
    """The result of an import: ``objects`` by kind, and the files that were ``written``.

    ``known`` counts the objects that Git had already, some of them in the overlays ``elsewhere``, outside of
    the output folder. ``left_out`` counts omitted objects by kind and reason,
    ``fields`` the omitted fields of the cluster; ``nodes`` are the omitted machines that another program
    makes and replaces. ``to_seal`` are the placeholders; ``restarts`` are running machines whose start data
    moves to one of them. ``applied_by`` has the written objects that somebody deploys today, by who does.

    ``fits`` has the result for each machine whose instance type was looked for, ``sizes`` the proposed sizes
    that several machines share. ``grouped`` machines are patches of ``bases``, by the label ``group_by``.
    ``output`` is the folder of the sources, ``rendered`` the folder of the rendered trees. ``entries`` are
    the files with the objects by which an engine deploys them; in the overlays ``unordered``, nothing applies
    pins before machines.
    """

    release: Release = LATEST
    is_dry_run: bool = False
    objects: Mapping[str, int] = MappingProxyType({})
    known: int = 0
    elsewhere: tuple[str, ...] = ()
    left_out: Mapping[tuple[str, str], int] = MappingProxyType({})
    nodes: tuple[str, ...] = ()
    fields: int = 0
    pins: int = 0
    written: tuple[str, ...] = ()
    to_seal: tuple[ToSeal, ...] = ()
    restarts: tuple[str, ...] = ()
    applied_by: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    autoscaled: tuple[Autoscaled, ...] = ()
    in_progress: tuple[InProgress, ...] = ()
    fits: tuple[FitReport, ...] = ()
    sizes: tuple[SizeProposal, ...] = ()
    group_by: str = ""
    grouped: int = 0
    bases: int = 0
    cluster: str = ""
    output: str = ""
    rendered: str = ""
    entries: tuple[str, ...] = ()
    unordered: tuple[str, ...] = ()
