from __future__ import annotations

import pytest

from tests.fuzz.target import NAMES, fuzz, target

#: A few, always the same: what they find, a change has broken. ``python -m tests.fuzz`` looks for more.
EXAMPLES = 10


@pytest.mark.parametrize("name", NAMES)
def test_every_input_is_used_or_refused(name: str) -> None:
    assert fuzz(target(name), EXAMPLES, derandomize=True) > 0
