from __future__ import annotations

import pytest

from renderer.model.kube.json import Json
from renderer.model.kube.label_selector import SelectorError, parse_selector, read_selector, selects

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
def test_selectors_match_labels(text: str, expected: bool) -> None:  # noqa: FBT001 - a parameter of pytest
    assert selects(parse_selector(text), LABELS) is expected


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
def test_invalid_selector_is_an_error(text: str) -> None:
    with pytest.raises(SelectorError):
        parse_selector(text)


def expression(operator: str, *values: Json, key: str = "app") -> dict[str, Json]:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


@pytest.mark.parametrize(
    ("selector", "same"),
    [
        (None, ""),
        ({}, ""),
        ({"matchLabels": None, "matchExpressions": None}, ""),
        ({"matchLabels": {"app": "web", "size": "7"}}, "app=web,size=7"),
        ({"matchLabels": {"tier": None}}, "tier="),
        (expression("In", "db", "web"), "app in (db,web)"),
        (expression("NotIn", "db"), "app notin (db)"),
        (expression("NotIn", "db", key="missing"), "missing!=db"),
        (expression("Exists"), "app"),
        (expression("DoesNotExist"), "!app"),
        ({"matchLabels": {"app": "web"}, **expression("In", "7", key="size")}, "app=web,size in (7)"),
    ],
)
def test_object_and_expression_give_equal_selectors(selector: Json, same: str) -> None:
    assert read_selector(selector) == parse_selector(same)


@pytest.mark.parametrize(
    ("selector", "message", "hint"),
    [
        (
            expression("Gt", "7"),
            "Gt is not a selector operator",
            "one of In, NotIn, Exists, DoesNotExist",
        ),
        (expression("In"), "the selector for app has the operator In and no values", None),
        (expression("NotIn"), "the selector for app has the operator NotIn and no values", None),
    ],
)
def test_invalid_objects_are_errors(selector: Json, message: str, hint: str | None) -> None:
    with pytest.raises(SelectorError) as error:
        read_selector(selector)

    assert (str(error.value), error.value.hint) == (message, hint)
