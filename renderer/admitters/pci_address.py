"""PCI addresses (``hardware.ParsePciAddress``)."""

from __future__ import annotations

import re

_ADDRESS = re.compile(r"[0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]")


def is_pci_address(address: str) -> bool:
    """Whether it is domain:bus:slot.function, as ``0000:81:01.0``."""
    return _ADDRESS.fullmatch(address) is not None
