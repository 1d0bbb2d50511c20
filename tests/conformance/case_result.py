"""The result of one conformance case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from renderer.model.kube.json import Json


@dataclass(frozen=True, slots=True)
class CaseResult:
    """``actual`` has the shape of the case's ``output`` or ``expect``; ``detail`` describes the difference.

    ``fields`` tells for each compared output field whether it passed, for suites that have several.
    """

    id: str
    group: str
    passed: bool
    detail: str
    actual: Json
    release: str | None = None
    fields: Mapping[str, bool] = field(default_factory=dict)
