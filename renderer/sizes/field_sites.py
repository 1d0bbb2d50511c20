"""Where an ``InstancetypeSeries`` says what a field of one of its instance types holds."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.model.field_path import FieldPath
from renderer.model.location import Site

#: What the row of a size says itself.
_ROW = {
    FieldPath.of("metadata", "name"): "name",
    FieldPath.of("spec", "cpu", "guest"): "vcpus",
    FieldPath.of("spec", "cpu", "maxSockets"): "maxSockets",
    FieldPath.of("spec", "memory", "guest"): "memory",
}
#: What the series says for sizes that do not.
_SERIES = {
    FieldPath.of("spec", "cpu", "guest"): "memoryPerVCPU",
    FieldPath.of("spec", "cpu", "maxSockets"): "maxSocketsPerVCPU",
    FieldPath.of("spec", "memory", "guest"): "memoryPerVCPU",
    FieldPath.of("spec", "memory", "hugepages", "pageSize"): "hugepages",
}


def row_sites(row: Site, series: Site, field: FieldPath) -> tuple[Site, ...]:
    """The places that may say it, most specific first: the row, what all sizes share, the row as a whole.

    ``row`` is where the size stands, ``series`` the series' document; what is derived comes from the row.
    """
    return (*_candidates(row, series, field), row)


def _candidates(row: Site, series: Site, field: FieldPath) -> Iterator[Site]:
    if field in _ROW:
        yield row.below(_ROW[field])
    if field in _SERIES:
        yield series.below("spec", _SERIES[field])
    yield series.below("spec", "template").child(field)
