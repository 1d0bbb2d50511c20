"""The Go types of the HyperConverged operator by release.

The operator marshals an object, patches the text and unmarshals it over the same object.
"""

from __future__ import annotations

from functools import lru_cache

from renderer.golang.go_types import GoTypes
from renderer.kubevirt.hyperconverged.go_types_table import TYPES
from renderer.kubevirt.hyperconverged.release import OperatorRelease


def operator_types(release: OperatorRelease) -> GoTypes:
    """Return the types that a release was built with."""
    return _types(release.known)


@lru_cache(maxsize=4)  # a project has few clusters
def _types(release: OperatorRelease) -> GoTypes:
    return GoTypes.parse(TYPES, release)
