"""A virtual machine that uses an entry of a catalog."""

from __future__ import annotations

from renderer.model.difference import GuestChange
from renderer.model.kube.res_id import ResId
from renderer.model.record import Record


class CatalogUser(Record):
    """A machine or what makes machines, its overlay, and what a guest would see of another catalog."""

    overlay: str
    machine: ResId
    guest: tuple[GuestChange, ...]
