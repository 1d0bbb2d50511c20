"""``VMRENDER_LIMITS``: what whoever runs vmrender allows beyond, or below, the defaults.

It is a variable of the environment and no field of ``vmrender.yaml``, as a pull request can change the
latter, and no option, as it is to hold for hooks, plugins and functions that others start.
"""

from __future__ import annotations

import click

from renderer.model.limits import VARIABLE, LimitValueError, limit_field, limit_value, set_maximum


def apply_env(text: str) -> None:
    """``name=value`` pairs with commas between them. Raises ``click.UsageError``."""
    values: dict[str, int] = {}
    try:
        for pair in filter(None, map(str.strip, text.split(","))):
            name, _, value = map(str.strip, pair.partition("="))
            field = limit_field(name)
            values[field] = limit_value(name, value)
        set_maximum(values)
    except LimitValueError as error:
        raise click.UsageError(f"{VARIABLE}: {error}; {error.hint}") from None
