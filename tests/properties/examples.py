"""The number of examples of a property, as a multiple of the Hypothesis profile's."""

from __future__ import annotations

from hypothesis import settings


def examples(share: float) -> settings:
    """Return settings for more or fewer examples than usual: for rare failures, or slow examples."""
    return settings(max_examples=int(settings().max_examples * share))
