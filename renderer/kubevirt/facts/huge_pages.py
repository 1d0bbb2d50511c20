"""The sizes of huge pages that nodes can have.

A pod asks for the resource ``hugepages-`` with the page size as it is written (KubeVirt
``pkg/virt-controller/services/template.go``), and kubelet reports the sizes of the kernel in their shortest
form: Linux ``arch/x86/mm/hugetlbpage.c``, ``Documentation/arch/arm64/hugetlbpage.rst``,
``arch/s390/mm/hugetlbpage.c``.
"""

from __future__ import annotations

from collections.abc import Mapping

from renderer.model.misspelt_quantity import meant_quantity
from renderer.model.quantity import Quantity, lenient_quantity

_SIZES: Mapping[str, tuple[str, ...]] = {
    "amd64": ("2Mi", "1Gi"),
    "arm64": ("64Ki", "2Mi", "32Mi", "512Mi", "1Gi", "16Gi"),
    "s390x": ("1Mi", "2Gi"),
}
_ANYWHERE = frozenset(size for sizes in _SIZES.values() for size in sizes)


def is_unavailable_page_size(size: str, architecture: str) -> bool:
    """Return True if no node has huge pages of a size; without an architecture, of any."""
    if not architecture:
        return size not in _ANYWHERE
    return architecture in _SIZES and size not in _SIZES[architecture]


def page_sizes(architecture: str) -> str:
    """Return the sizes as text, of amd64 without an architecture."""
    *others, last = _SIZES[architecture or "amd64"]
    return f"{', '.join(others)} or {last}"


def intended_page_size(size: str, architecture: str) -> str | None:
    """Return the page size that was probably meant: ``1Gi`` for ``1G`` and ``1024Mi``."""
    written = lenient_quantity(size)
    sizes = _SIZES.get(architecture, tuple(_ANYWHERE))
    equal = (each for each in sizes if written is not None and written.compare(Quantity.parse(each)) == 0)
    meant = next(equal, None) or meant_quantity(size)
    return meant if meant in sizes else None
