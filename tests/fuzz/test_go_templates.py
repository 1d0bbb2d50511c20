from __future__ import annotations

from tests.fuzz.go_templates import run

#: A few, always the same; ``python -m tests.fuzz.go_templates`` makes others.
CALLS = 2_000


def test_random_templates_end_within_their_budget() -> None:
    templates, calls = run(CALLS, seed=0)
    assert templates > 0
    assert calls >= CALLS
