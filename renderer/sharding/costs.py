"""What rendering an overlay costs, in nanoseconds of one processor: measured, or estimated from its files.

Costs are whole numbers, so that sums are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from renderer.sharding.shard import NANOSECONDS

# Of `vmrender render` on the machine of BENCHMARKS.md. Only their ratios matter.
_PER_OVERLAY = 1_000_000
_PER_FILE = 200_000
_PER_BYTE = 500


class OverlaySize(NamedTuple):
    """The files that an overlay is made of, and the bytes of all of them."""

    files: int
    size: int


def estimated_cost(overlay: OverlaySize) -> int:
    return _PER_OVERLAY + overlay.files * _PER_FILE + overlay.size * _PER_BYTE


def costs(sizes: Mapping[str, OverlaySize], measured: Mapping[str, float]) -> Mapping[str, int]:
    """The cost of each overlay in ``sizes``. ``measured`` has seconds, of some of them.

    Where there is no measurement there is an estimate, at the speed at which those with one were rendered.
    """
    estimates = {overlay: estimated_cost(size) for overlay, size in sizes.items()}
    known = {
        overlay: max(1, round(measured[overlay] * NANOSECONDS)) for overlay in sizes if overlay in measured
    }
    took, expected = sum(known.values()), sum(estimates[overlay] for overlay in known)
    scaled = {overlay: cost * took // expected for overlay, cost in estimates.items()} if known else estimates
    return {overlay: known.get(overlay, max(1, scaled[overlay])) for overlay in sizes}
