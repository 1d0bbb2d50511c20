"""Costs to shards: the longest processing time first, which is at most a third longer than the best there is.

R. L. Graham, "Bounds on Multiprocessing Timing Anomalies", SIAM Journal on Applied Mathematics 17 (1969).
"""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heapify, heapreplace

from renderer.sharding.shard import Shard, ShardName


def share_out(costs: Mapping[str, int], count: int) -> tuple[Shard, ...]:
    """``count`` shards, in which each overlay stands once; where there are fewer, the last shards are empty.

    Equal costs give equal shards, in whichever order the overlays come.
    """
    loads = [(0, number) for number in range(1, count + 1)]
    heapify(loads)
    shards: dict[int, list[str]] = {number: [] for _, number in loads}
    for overlay in sorted(costs, key=lambda overlay: (-costs[overlay], overlay)):
        load, number = loads[0]
        shards[number].append(overlay)
        heapreplace(loads, (load + costs[overlay], number))
    return tuple(
        Shard(ShardName(number, count), tuple(sorted(shards[number])), load)
        for load, number in sorted(loads, key=lambda each: each[1])
    )
