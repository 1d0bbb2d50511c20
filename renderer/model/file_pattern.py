"""How the files of a rendered tree are named: ``{namespace}/{kind}_{name}.yaml`` and the like."""

from __future__ import annotations

import re

#: What a pattern may hold in braces; ``part`` is ``catalog`` for instance types and preferences, and
#: ``resources`` for all else.
PLACEHOLDERS = ("namespace", "kind", "name", "group", "version", "part")

PER_RESOURCE = "{namespace}/{kind}_{name}.yaml"
BUNDLE = "manifests.yaml"

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_LITERAL = re.compile(r"[a-z0-9._/-]*")
_LONGEST = 100
#: A file of this name would be taken for instructions, by Flux and by Argo CD.
_KUSTOMIZATION = re.compile(r"(.*/)?kustomization\.ya?ml")


def checked_file_pattern(text: str) -> str:
    """``text``, if files can be named by it. Raises ``ValueError``, in the user's words, if not."""
    unknown = [name for name in _PLACEHOLDER.findall(text) if name not in PLACEHOLDERS]
    if unknown:
        known = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
        raise ValueError(f"{{{unknown[0]}}} is no placeholder; there are {known}")
    literal = _PLACEHOLDER.sub("", text)
    if not _LITERAL.fullmatch(literal) or len(text) > _LONGEST:
        raise ValueError("besides placeholders it may have small letters, digits and . _ - / only")
    if any(not part or part.startswith(".") for part in text.split("/")):
        raise ValueError("it must be a path below the output, without hidden folders")
    if not text.endswith((".yaml", ".yml")):
        raise ValueError("it must end with .yaml or .yml, or nothing would load the files")
    if _KUSTOMIZATION.fullmatch(text):
        raise ValueError("a kustomization is no place for manifests; take another name")
    return text


def is_per_resource(pattern: str) -> bool:
    """Whether each resource gets a file of its own; else those that come to one path share a file."""
    return "{name}" in pattern
