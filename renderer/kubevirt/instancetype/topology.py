"""The CPU topology that a preference requests (KubeVirt ``pkg/instancetype/preference/apply/cpu.go``)."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.kubevirt.instancetype.vmi_template import is_zero
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, object_at
from renderer.model.record import Record
from renderer.model.text_enum import TextEnum

_DEFAULT_RATIO = 2

#: The number of threads of a core in ``SocketsCoresThreads``.
THREADS_PER_CORE = 2


class Topology(TextEnum):
    """The shapes of vCPUs, by their current names."""

    SOCKETS = "sockets"
    CORES = "cores"
    THREADS = "threads"
    SPREAD = "spread"
    ANY = "any"


class Across(TextEnum):
    """The ways to spread vCPUs."""

    SOCKETS_CORES = "SocketsCores"
    CORES_THREADS = "CoresThreads"
    SOCKETS_CORES_THREADS = "SocketsCoresThreads"


class SpreadOptions(Record):
    """The options of a spread; ``across`` is None for a word that KubeVirt does not know.

    ``ratio`` is the preference's own value, which may be 0 or not a number; ``ratio_field`` is its path.
    """

    across: Across | None
    ratio: Json
    ratio_field: FieldPath
    has_default_ratio: bool = False


def preferred_topology(preference: JsonObject, names: Mapping[str, Topology]) -> Topology | None:
    """Return the topology of a preference's spec: by default sockets; None for a name not in ``names``."""
    name = object_at(preference, "cpu").get("preferredCPUTopology")
    if name is None:
        return Topology.SOCKETS
    return names.get(name) if isinstance(name, str) else None


def spread_options(preference: JsonObject) -> SpreadOptions:
    """Return ``cpu.spreadOptions``, else ``preferSpreadSocketToCoreRatio``, else the defaults."""
    options = object_at(preference, "cpu", "spreadOptions")
    word = options.get("across")
    across = next((across for across in Across if across.value == word), None)
    if word is None:
        across = Across.SOCKETS_CORES
    ratio = options.get("ratio")
    if ratio is not None:
        return SpreadOptions(across, ratio, FieldPath.of("spec", "cpu", "spreadOptions", "ratio"))
    ratio = preference.get("preferSpreadSocketToCoreRatio")
    field = FieldPath.of("spec", "preferSpreadSocketToCoreRatio")
    if is_zero(ratio):
        return SpreadOptions(across, _DEFAULT_RATIO, field, has_default_ratio=True)
    return SpreadOptions(across, ratio, field)


def count_of_vcpus(count: Json) -> str:
    """Return a number of vCPUs in words: ``1 vCPU``, ``2 vCPUs``."""
    return f"{count} vCPU" if count == 1 else f"{count} vCPUs"
