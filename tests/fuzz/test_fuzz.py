from __future__ import annotations

import pytest

from tests.fuzz.fuzzing import Fuzzing
from tests.fuzz.target import NAMES, target

#: A few, always the same: what they find, a change has broken. ``python -m tests.fuzz`` looks for more.
EXAMPLES = 5


@pytest.mark.parametrize("name", NAMES)
def test_every_input_is_accepted_or_refused(name: str) -> None:
    fuzzed = target(name)
    if fuzzed.program:
        pytest.skip(f"compares with {fuzzed.program}, by command only")
    fuzzing = Fuzzing(fuzzed)
    fuzzing.try_some(EXAMPLES, always_the_same=True)
    assert fuzzing.tried > 0
