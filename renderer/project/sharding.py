"""Share the overlays of a project out among several workers, each of which renders one shard.

Costs are whole numbers, nanoseconds of one processor, so that sums are the same on every machine.
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

#: More than any CI system starts at once.
MOST_SHARDS = 1000

#: In a second.
NANOSECONDS = 1_000_000_000

_WRITTEN = pattern(r"([1-9][0-9]{0,3})/([1-9][0-9]{0,3})")
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
        """Raises ``ValueError`` for what is not of the form ``I/N``, or is beyond ``N``."""
        written = _WRITTEN.fullmatch(text)
        if written is None:
            raise ValueError(f"{text!r} is not of the form I/N, as in 2/4")
        number, total = int(written[1]), int(written[2])
        if number > total:
            raise ValueError(f"there is no shard {number} of {total}")
        if total > MOST_SHARDS:
            raise ValueError(f"there are {MOST_SHARDS} shards at most")
        return cls(number, total)

    def __str__(self) -> str:
        return f"{self.number}/{self.total}"


class Shard(NamedTuple):
    """Overlays, by their paths in order, and what rendering them costs in nanoseconds of one processor."""

    name: ShardName
    overlays: tuple[str, ...]
    cost: int

    @property
    def seconds(self) -> float:
        return round(self.cost / NANOSECONDS, 3)


class OverlaySize(NamedTuple):
    """The files that an overlay is made of, and the bytes of all of them."""

    files: int
    size: int


def estimated_cost(overlay: OverlaySize) -> int:
    """Return the cost of an overlay of which no time is known, in nanoseconds."""
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


def encode_plan(shards: Iterable[Shard]) -> str:
    """Return the shards as ``vmrender plan --format json`` prints them."""
    listed = [
        {"shard": str(shard.name), "seconds": shard.seconds, "overlays": list(shard.overlays)}
        for shard in shards
    ]
    return json.dumps({"version": _VERSION, "shards": listed}, indent=2) + "\n"


def planned_overlays(text: str, shard: ShardName, overlays: Collection[str]) -> frozenset[str]:
    """The overlays that the plan in ``text`` puts into ``shard``; none if it leaves the shard out.

    Raises ``ValueError`` for what is no plan of that many shards, ``DiagnosticError`` (plan-mismatch) unless
    each of ``overlays``, those of the project, stands in it once, and no others do.
    """
    shards = _decoded(text)
    if any(name.total != shard.total for name in shards):
        raise ValueError(f"it is not a plan for {shard.total} shards")
    problems = tuple(_problems(Counter(path for planned in shards.values() for path in planned), overlays))
    if problems:
        raise DiagnosticError(*problems)
    return frozenset(shards.get(shard, ()))


def _decoded(text: str) -> Mapping[ShardName, tuple[str, ...]]:
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


def _problems(planned: Counter[str], overlays: Collection[str]) -> Iterator[Diagnostic]:
    for path in sorted({*planned, *overlays}):
        if path not in planned:
            problem = "is in no shard of the plan"
        elif path not in overlays:
            problem = "is in the plan, and is no overlay of the project"
        elif planned[path] > 1:
            problem = "is in the plan more than once"
        else:
            continue
        hint = "make the plan anew with vmrender plan, in the commit that is rendered"
        yield Diagnostic(Code.PLAN_MISMATCH, f"{path} {problem}", hint=hint)


def github_matrix(shards: Iterable[Shard]) -> str:
    """One line of JSON, the value of ``strategy.matrix``."""
    include = [
        {"shard": str(shard.name), "overlays": len(shard.overlays), "seconds": shard.seconds}
        for shard in shards
    ]
    return json.dumps({"include": include}) + "\n"


def gitlab_matrix(shards: Iterable[Shard]) -> str:
    """YAML for a child pipeline that includes it beside a job ``vmrender``."""
    names = "".join(f'          - "{shard.name}"\n' for shard in shards)
    return f"vmrender:\n  parallel:\n    matrix:\n      - VMRENDER_SHARD:\n{names}"
