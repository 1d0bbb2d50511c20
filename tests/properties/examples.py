"""How many examples a property is tried with, as a multiple of what the profile of Hypothesis says."""

from __future__ import annotations

from hypothesis import settings


def examples(share: float) -> settings:
    """Return settings for more or fewer examples than usual: for what is found seldom, or made slowly."""
    return settings(max_examples=int(settings().max_examples * share))
