"""What went into one expansion, for those who ask what came of which."""

from __future__ import annotations

from renderer.instancetype.admission import Cluster
from renderer.instancetype.resolve import Selected
from renderer.instancetype.virtual_machine import VirtualMachine
from renderer.model.json import JsonObject
from renderer.model.record import Record
from renderer.model.resource import Resource


class VmExpansion(Record):
    """``vm`` became ``expanded``.

    ``sized`` is its ``spec.template`` after inference and without a size of its own, to which ``selected``
    was applied; with ``defaults`` it was also defaulted.
    """

    vm: VirtualMachine
    expanded: Resource
    selected: Selected
    sized: JsonObject
    cluster: Cluster
    defaults: bool
