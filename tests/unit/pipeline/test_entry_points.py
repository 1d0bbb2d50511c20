"""Kinds of entries and the engines that find their overlays."""

from __future__ import annotations

from renderer.model.entry_point import ENGINE_KINDS
from renderer.pipeline.entry_points import _ENGINES


def test_every_kind_of_entry_point_has_an_engine() -> None:
    assert tuple(_ENGINES) == ENGINE_KINDS
