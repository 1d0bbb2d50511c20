"""Which names values can have in a template."""

from __future__ import annotations

import re

from renderer.model.fields import Fields
from renderer.templates.functions import FUNCTIONS

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
#: The words of Jinja's expressions, and the names that it gives values to itself.
TAKEN_NAMES = frozenset(
    {
        *(
            "and",
            "else",
            "false",
            "False",
            "if",
            "import",
            "in",
            "is",
            "none",
            "None",
            "not",
            "or",
            "true",
            "True",
        ),
        *("caller", "kwargs", "loop", "self", "super", "varargs"),
        *FUNCTIONS,
    }
)


def check_name(fields: Fields, name: str, key: str | None = None) -> bool:
    """Whether a template can use the value ``name``; where not, that is noted of the field ``key``."""
    if _NAME.fullmatch(name) and name not in TAKEN_NAMES:
        return True
    reason = (
        "the template language uses it itself" if name in TAKEN_NAMES else "a name has letters, digits and _"
    )
    fields.reject(key or name, f"no value of a template can have the name {name}", reason)
    return False
