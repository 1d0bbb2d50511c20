from __future__ import annotations

import re

from renderer.model.pattern import pattern


def test_a_pattern_is_the_regular_expression_of_its_text() -> None:
    late = pattern("a+(b)")
    assert [found[1] for found in late.finditer("aab ab")] == ["b", "b"]
    assert late.sub("c", "aab") == "c"
    assert late.pattern == "a+(b)"
    assert pattern(b"A", re.IGNORECASE).fullmatch(b"a")
