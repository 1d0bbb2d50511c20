"""What is said when a run finds what a killed one has left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from renderer.emit.swap import Repair


@contextmanager
def repairs_said(output: str) -> Iterator[Callable[[Repair], object]]:
    """Takes what is repaired in the tree ``output``, and says it at the end, on standard error.

    Not before: meanwhile a line of progress may stand on the terminal.
    """
    repairs: list[Repair] = []
    try:
        yield repairs.append
    finally:
        for repair in repairs:
            click.echo(f"{output}: {repair.value}", err=True)
