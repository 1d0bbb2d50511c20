from __future__ import annotations

import pytest

from renderer.model.kube.json import Json
from renderer.model.placeholders import placeholder_in


@pytest.mark.parametrize(
    ("text", "placeholder"),
    [
        ("${NAME}", "${NAME}"),
        ("a-${NAME}-${OTHER}", "${NAME}"),
        ("${NAME:=a b}", "${NAME:=a b}"),
        ("${NAME:-4Gi}Gi", "${NAME:-4Gi}"),
        ("$${NAME}", "$${NAME}"),
        ("${{CORES}}", "${{CORES}}"),
        ("{{ name }}", "{{ name }}"),
        ("${}", None),
        ("$NAME", None),
        ("{name}", None),
        ("4Gi", None),
        (4, None),
        (None, None),
        (["${NAME}"], None),
    ],
)
def test_placeholders_of_other_tools_are_recognized(text: Json, placeholder: str | None) -> None:
    assert placeholder_in(text) == placeholder
