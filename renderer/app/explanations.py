"""The long forms of diagnostic codes: files that ship, or the docstrings of rules."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from renderer.model.codes import Code, Explanation

FOLDER = Path(__file__).resolve().parents[1] / "explanations"


@cache
def explanation_of(code: Code) -> Explanation:
    """What ``code`` means, why it is refused, and what to do."""
    file = FOLDER / f"{code}.md"
    if file.is_file():
        return Explanation.parse(file.read_text(encoding="utf-8"))
    from renderer.rules.table import BY_CODE  # noqa: PLC0415 - all rules are imported with it

    rule = BY_CODE.get(code)
    return Explanation.parse(f"# {rule.documentation}") if rule else Explanation.missing(code)
