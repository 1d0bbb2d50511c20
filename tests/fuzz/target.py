"""A fuzz target: its inputs, and the function that each is passed to."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import strategies as st

SEEDS = Path(__file__).parent / "seeds"
NAMES = tuple(
    sorted(
        module.stem
        for module in (Path(__file__).parent / "targets").glob("*.py")
        if not module.stem.startswith("_")
    )
)


class Target(NamedTuple):
    """``check`` raises for an input that is neither used nor refused with a ``DiagnosticError``.

    ``folders`` may be read and changed by it; ``starts_programs``: so may git and every other file, so that
    only time and memory are bounded. ``program`` is what it compares with; such a target runs by command
    only, without bounds.
    """

    inputs: st.SearchStrategy[Any]
    check: Callable[[Any], object]
    folders: tuple[str, ...] = ()
    program: str = ""
    starts_programs: bool = False


def check_property(property_test: Callable[..., object], value: object) -> None:
    """Raise the failure of a property (a Hypothesis test) for one value."""
    test: Any = property_test
    test.hypothesis.inner_test(value)


def target(name: str) -> Target:
    """Return the target in the module ``targets.<name>``."""
    found: Target = import_module(f"tests.fuzz.targets.{name}").TARGET
    return found
