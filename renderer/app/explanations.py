"""Explanations: the long form of each diagnostic code, and the question about a rendered resource."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from renderer.files.disk import file_exists
from renderer.model.codes import Code, Explanation

FOLDER = Path(__file__).resolve().parents[1] / "explanations"


@cache
def explanation_of(code: Code) -> Explanation:
    """Return the explanation of ``code``: its meaning, the reason, and how to fix it."""
    file = FOLDER / f"{code}.md"
    if file_exists(file):
        return Explanation.parse(file.read_text(encoding="utf-8"))
    from renderer.checks.rules.table import BY_CODE  # noqa: PLC0415 - all rules are imported with it

    rule = BY_CODE.get(code)
    return Explanation.parse(f"# {rule.documentation}") if rule else Explanation.missing(code)


class Question(NamedTuple):
    """A question as given on the command line; missing arguments are empty texts."""

    resource: str
    field: str = ""
    overlay: str = ""
    namespace: str = ""
