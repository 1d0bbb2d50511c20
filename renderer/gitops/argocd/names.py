"""Names that Argo CD makes of other texts."""

from __future__ import annotations

import re

_MOST_CHARACTERS = 253


def sanitized_name(name: str) -> str:
    """``name`` as a DNS name (argo-cd ``applicationset/utils/template_functions.go`` SanitizeName)."""
    return re.sub(r"[^-a-z0-9.]", "-", name.lower())[:_MOST_CHARACTERS].strip("-.")
