"""The feature gates in a HyperConverged object: a list of names and states in v1, a mapping in v1beta1.

Read in ``pkg/featuregatedetails/feature-gates.json`` and ``api/v1/featuregates`` of each release.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from renderer.kubevirt.hyperconverged.release import OperatorRelease
from renderer.model.kube.json import Json, array_at, text_at
from renderer.model.record import Record
from renderer.model.text_enum import TextEnum

ENABLED, DISABLED = "Enabled", "Disabled"
_DEPRECATED_IN_V1_SINCE = OperatorRelease(1, 19)
_NAMES_WITHOUT_CASE_SINCE = OperatorRelease(1, 19)


class Phase(TextEnum):
    """The maturity of a gate: beta gates are on unless turned off, discontinued ones have no effect."""

    BETA = "beta"
    ALPHA = "alpha"
    DEPRECATED = "deprecated"
    DISCONTINUED = "discontinued"


#: The gates that became fields of v1.
DISABLE_MDEV = "disableMDevConfiguration"
PERSISTENT_RESERVATION = "persistentReservation"
MULTI_ARCH_IMPORT = "enableMultiArchBootImageImport"
MOVED_GATES = (DISABLE_MDEV, PERSISTENT_RESERVATION, MULTI_ARCH_IMPORT)
_ALPHA = (
    *("alignCPUs", "containerPathVolumes", "deployKubeSecondaryDNS", "downwardMetrics"),
    *("incrementalBackup", "objectGraph"),
)
#: The gates of v1beta1 whose feature became a field of its spec.
REPLACED_BY_FIELDS = ("enableApplicationAwareQuota", "enableCommonBootImageImport", "deployVmConsoleProxy")
_DISCONTINUED_1_18 = (
    *("autoResourceLimits", "deployKubevirtIpamController", "deployTektonTaskResources"),
    *("enableManagedTenantQuota", "nonRoot", "primaryUserDefinedNetworkBinding", "withHostPassthroughCPU"),
    *REPLACED_BY_FIELDS,
)
_PHASES_1_18: Mapping[str, Phase] = {
    "decentralizedLiveMigration": Phase.BETA,
    "videoConfig": Phase.BETA,
    "declarativeHotplugVolumes": Phase.ALPHA,
    **dict.fromkeys((*_ALPHA, *MOVED_GATES), Phase.ALPHA),
    **dict.fromkeys(_DISCONTINUED_1_18, Phase.DISCONTINUED),
}
_PHASES: Mapping[str, Phase] = {
    "decentralizedLiveMigration": Phase.BETA,
    "declarativeHotplugVolumes": Phase.BETA,
    "template": Phase.BETA,
    **dict.fromkeys((*_ALPHA, "deployObservabilityController"), Phase.ALPHA),
    **dict.fromkeys(MOVED_GATES, Phase.DEPRECATED),
}


class ListedGate(Record):
    """An entry of the list of gates in v1: an entry without a state is enabled."""

    name: str
    is_enabled: bool


def gate_names(release: OperatorRelease) -> tuple[str, ...]:
    """Return the gates of v1 that have an effect at a release."""
    known = _PHASES if release >= _DEPRECATED_IN_V1_SINCE else _PHASES_1_18
    return tuple(name for name, phase in known.items() if phase is not Phase.DISCONTINUED)


def phase_of(name: str, release: OperatorRelease) -> Phase | None:
    """Return the phase of a gate of v1; None for an unknown one. The case of names counts up to 1.18."""
    if release < _DEPRECATED_IN_V1_SINCE:
        return _PHASES_1_18.get(name)
    lower = name.lower()
    return next((phase for known, phase in _PHASES.items() if known.lower() == lower), None)


def listed_gates(value: Json) -> Iterator[ListedGate]:
    """Yield the entries of the list of gates in v1."""
    for entry in array_at(value):
        yield ListedGate(text_at(entry, "name"), (text_at(entry, "state") or ENABLED) == ENABLED)


def explicit_state(value: Json, name: str, release: OperatorRelease) -> bool | None:
    """Return the state that the list of gates in v1 gives to ``name``; None if it is not in there."""
    ignores_case = release >= _NAMES_WITHOUT_CASE_SINCE
    for gate in listed_gates(value):
        if gate.name == name or (ignores_case and gate.name.lower() == name.lower()):
            return gate.is_enabled
    return None


def is_enabled(value: Json, name: str, release: OperatorRelease) -> bool:
    """Return True if a gate of v1 is on; a gate that the release does not know never is."""
    phase = phase_of(name, release)
    if phase is None or phase is Phase.DISCONTINUED:
        return False
    state = explicit_state(value, name, release)
    return phase is Phase.BETA if state is None else state
