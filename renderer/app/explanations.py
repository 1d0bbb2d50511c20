"""Explanations: the long form of each diagnostic code, and the question about a rendered resource."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from renderer.files.disk import leads_to_file
from renderer.model.codes import Code, Explanation

FOLDER = Path(__file__).resolve().parents[1] / "explanations"


@cache
def explanation_of(code: Code) -> Explanation:
    """Return the meaning of ``code``, why it is refused, and what to do."""
    file = FOLDER / f"{code}.md"
    if leads_to_file(file):
        return Explanation.parse(file.read_text(encoding="utf-8"))
    from renderer.checks.rules.table import BY_CODE  # noqa: PLC0415 - all rules are imported with it

    rule = BY_CODE.get(code)
    return Explanation.parse(f"# {rule.documentation}") if rule else Explanation.missing(code)


class Question(NamedTuple):
    """A question in the words of the command line; texts that were not given are empty."""

    resource: str
    field: str = ""
    overlay: str = ""
    namespace: str = ""
