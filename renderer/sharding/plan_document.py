"""The plan as JSON, which goes from the job that makes it to those that render by it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.sharding.shard import Shard, ShardName

_VERSION = 1
_NOT_A_PLAN = "it is not what vmrender plan --format json prints"


def encode_plan(shards: Iterable[Shard]) -> str:
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
            yield _problem(f"{path} is in no shard of the plan")
        elif path not in overlays:
            yield _problem(f"{path} is in the plan, and is no overlay of the project")
        elif planned[path] > 1:
            yield _problem(f"{path} is in the plan more than once")


def _problem(message: str) -> Diagnostic:
    return Diagnostic(
        code=Code.PLAN_MISMATCH,
        message=message,
        hint="make the plan anew with vmrender plan, in the commit that is rendered",
    )
