"""Distribute the overlays of a project among several workers; each renders one shard.

Costs are integers, nanoseconds of one processor, so that sums are the same on every machine.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from heapq import heapify, heapreplace
from typing import Any, NamedTuple

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.pattern import pattern
from renderer.model.whole_number import whole_number

#: More than any CI system starts at once.
MOST_SHARDS = 1000

#: Nanoseconds in a second.
NANOSECONDS = 1_000_000_000

_SHARD = pattern(r"([1-9][0-9]{0,3})/([1-9][0-9]{0,3})")
# Of `vmrender render` on the machine of BENCHMARKS.md. Only their ratios matter.
_PER_OVERLAY = 1_000_000
_PER_FILE = 200_000
_PER_BYTE = 500
_VERSION = 1
_NOT_A_PLAN = "it is not what vmrender plan --format json prints"


class ShardName(NamedTuple):
    """The shard ``number`` of ``total``, from 1 on."""

    number: int
    total: int

    @classmethod
    def parse(cls, text: str) -> ShardName:
        """Parse ``I/N``. Raises ``ValueError`` for any other form, or if ``I`` is greater than ``N``."""
        match = _SHARD.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is not of the form I/N, as in 2/4")
        number, total = whole_number(match[1]), whole_number(match[2])
        if number > total:
            raise ValueError(f"there is no shard {number} of {total}")
        if total > MOST_SHARDS:
            raise ValueError(f"there are {MOST_SHARDS} shards at most")
        return cls(number, total)

    def __str__(self) -> str:
        return f"{self.number}/{self.total}"


class Shard(NamedTuple):
    """Paths of overlays, in order, and the cost of rendering them in nanoseconds of one processor."""

    name: ShardName
    overlays: tuple[str, ...]
    cost: int

    @property
    def seconds(self) -> float:
        return round(self.cost / NANOSECONDS, 3)


class OverlaySize(NamedTuple):
    """The number of files that an overlay is built from, and their total bytes."""

    files: int
    size: int


def estimated_cost(overlay: OverlaySize) -> int:
    """Return the estimated cost of an overlay without a measurement, in nanoseconds."""
    return _PER_OVERLAY + overlay.files * _PER_FILE + overlay.size * _PER_BYTE


def costs(sizes: Mapping[str, OverlaySize], measured: Mapping[str, float]) -> Mapping[str, int]:
    """Return the cost of each overlay in ``sizes``. ``measured`` has the seconds of some of them.

    Overlays without a measurement get an estimate, scaled to the speed of the measured ones.
    """
    estimates = {overlay: estimated_cost(size) for overlay, size in sizes.items()}
    known = {
        overlay: max(1, round(measured[overlay] * NANOSECONDS)) for overlay in sizes if overlay in measured
    }
    measured_cost, estimated = sum(known.values()), sum(estimates[overlay] for overlay in known)
    scaled = (
        {overlay: cost * measured_cost // estimated for overlay, cost in estimates.items()}
        if known
        else estimates
    )
    return {overlay: known.get(overlay, max(1, scaled[overlay])) for overlay in sizes}


def distribute(costs: Mapping[str, int], count: int) -> tuple[Shard, ...]:
    """Return ``count`` shards with each overlay in one of them; the last are empty if there are too few.

    The result depends only on the costs, not on the order of the overlays.
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


def encode_plan(shards: Iterable[Shard]) -> str:
    """Return the shards as ``vmrender plan --format json`` prints them."""
    listed = [
        {"shard": str(shard.name), "seconds": shard.seconds, "overlays": list(shard.overlays)}
        for shard in shards
    ]
    return json.dumps({"version": _VERSION, "shards": listed}, indent=2) + "\n"


def planned_overlays(text: str, shard: ShardName, overlays: Collection[str]) -> frozenset[str]:
    """Return the overlays that the plan in ``text`` puts into ``shard``; none if it omits the shard.

    Raises ``ValueError`` unless ``text`` is a plan with that number of shards, ``DiagnosticError``
    (plan-mismatch) unless it contains each of ``overlays`` (all overlays of the project) once, and no others.
    """
    shards = _decode_plan(text)
    if any(name.total != shard.total for name in shards):
        raise ValueError(f"it is not a plan for {shard.total} shards")
    problems = tuple(_mismatches(Counter(path for planned in shards.values() for path in planned), overlays))
    if problems:
        raise DiagnosticError(*problems)
    return frozenset(shards.get(shard, ()))


def _decode_plan(text: str) -> Mapping[ShardName, tuple[str, ...]]:
    try:
        plan: Any = json.loads(text)
        listed = [(ShardName.parse(each["shard"]), tuple(each["overlays"])) for each in plan["shards"]]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ValueError(_NOT_A_PLAN) from None
    shards = dict(listed)
    are_texts = all(isinstance(path, str) for _, planned in listed for path in planned)
    if plan.get("version") != _VERSION or len(shards) < len(listed) or not are_texts:
        raise ValueError(_NOT_A_PLAN)
    return shards


def _mismatches(planned: Counter[str], overlays: Collection[str]) -> Iterator[Diagnostic]:
    for path in sorted({*planned, *overlays}):
        if path not in planned:
            problem = "is in no shard of the plan"
        elif path not in overlays:
            problem = "is in the plan, and is not an overlay of the project"
        elif planned[path] > 1:
            problem = "is in the plan more than once"
        else:
            continue
        hint = "make a new plan with vmrender plan, in the commit that is rendered"
        yield Diagnostic(Code.PLAN_MISMATCH, f"{path} {problem}", hint=hint)


def github_matrix(shards: Iterable[Shard]) -> str:
    """Return one line of JSON, the value of ``strategy.matrix``."""
    include = [
        {"shard": str(shard.name), "overlays": len(shard.overlays), "seconds": shard.seconds}
        for shard in shards
    ]
    return json.dumps({"include": include}) + "\n"


def gitlab_matrix(shards: Iterable[Shard]) -> str:
    """Return YAML for a child pipeline that includes it next to a job ``vmrender``."""
    names = "".join(f'          - "{shard.name}"\n' for shard in shards)
    return f"vmrender:\n  parallel:\n    matrix:\n      - VMRENDER_SHARD:\n{names}"
