from __future__ import annotations

import pytest

from renderer.compose.label_selector import SelectorError, parse_selector

LABELS = {"app": "web", "tier": "", "size": "7", "example.com/os": "linux"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", True),
        ("  ", True),
        ("app=web", True),
        ("app==web", True),
        (" app = web , size = 7 ", True),
        ("app=db", False),
        ("app!=db", True),
        ("missing!=db", True),
        ("missing=", False),
        ("tier=", True),
        ("app", True),
        ("missing", False),
        ("!missing", True),
        ("!app", False),
        ("app in (db, web)", True),
        ("app in (db)", False),
        ("app notin (db,cache)", True),
        ("missing notin (db)", True),
        ("tier in ()", True),
        ("tier in (,x)", True),
        ("size>6", True),
        ("size<7", False),
        ("app>1", False),
        ("missing>1", False),
        ("example.com/os=linux,!windows", True),
        ("in in (in)", False),
    ],
)
def test_selectors(text: str, expected: bool) -> None:  # noqa: FBT001 - a parameter of pytest
    assert all(requirement.matches(LABELS) for requirement in parse_selector(text)) is expected


@pytest.mark.parametrize(
    "text",
    [
        "app=web,",
        ",app",
        "app in",
        "app in (",
        "app in (a",
        "app in a",
        "app (a)",
        "app=a b",
        "app=a=b",
        "!app=web",
        "=web",
        "app>x",
        "app>",
        "-app",
        "a/b/c",
        "app=-x",
        "app=" + "x" * 64,
        "app ? web",
        "app\0=web",
    ],
)
def test_what_is_no_selector_is_an_error(text: str) -> None:
    with pytest.raises(SelectorError):
        parse_selector(text)
