"""``docs/diff.md`` has every danger, the worst first, with the effects that have it."""

from __future__ import annotations

import re
from pathlib import Path

from renderer.model.difference import Danger, Effect

PAGE = Path(__file__).parents[2] / "docs/diff.md"


def test_page_has_the_table_of_dangers() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("| danger |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `([\w-]+)` \|.*\|(.*)\|$", table, re.MULTILINE)
    assert {danger: re.findall(r"`([\w-]+)`", effects) for danger, effects in rows} == {
        danger: [effect for effect in reversed(Effect) if effect.danger is danger]
        for danger in reversed(Danger)
    }
    assert [danger for danger, _ in rows] == [*reversed(Danger)]
