"""Manifests in a rendered tree that vmrender did not write: they are applied all the same."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path

_MANIFESTS = (".yaml", ".yml", ".json")
_KUSTOMIZATIONS = frozenset({"kustomization.yaml", "kustomization.yml", "Kustomization"})


def unlisted_manifests(folder: Path, listed: Collection[str]) -> tuple[str, ...]:
    """The paths below ``folder`` of manifests that are not ``listed``, sorted.

    None where the folder has a kustomization: then only what that names is applied. Links are not followed,
    and what cannot be read is passed over.
    """
    found = tuple(_manifests(folder))
    if not _KUSTOMIZATIONS.isdisjoint(found):
        return ()
    return tuple(sorted(path for path in found if path not in listed))


def _manifests(folder: Path) -> Iterator[str]:
    top = str(folder)
    for place, _, names in os.walk(top):
        below = place[len(top) + 1 :].replace(os.sep, "/")
        for name in names:
            if name.endswith(_MANIFESTS) or name in _KUSTOMIZATIONS:
                yield f"{below}/{name}" if below else name
