"""The feature gates that the operator turns on and off in KubeVirt (``controllers/handlers/kubevirt.go``).

Up to 1.15 the file is ``controllers/operands/kubevirt.go``. The order is the operator's: patches count
positions.
"""

from __future__ import annotations

from collections.abc import Callable

from renderer.kubevirt.facts.feature_gates import Gate, State, state_of
from renderer.kubevirt.hyperconverged.feature_gates import (
    DISABLE_MDEV,
    MULTI_ARCH_IMPORT,
    PERSISTENT_RESERVATION,
)
from renderer.kubevirt.hyperconverged.object_fields import Setting
from renderer.kubevirt.hyperconverged.release import OperatorEnvironment, OperatorFacts, OperatorRelease
from renderer.kubevirt.hyperconverged.settings import Settings
from renderer.model.record import Record

PASST_ANNOTATION = "hco.kubevirt.io/deployPasstNetworkBinding"
_AIE_ANNOTATION = "hco.kubevirt.io/deployAIE"


def _always(_: Settings, __: OperatorFacts) -> bool:
    return True


class _Gate(Record):
    """A gate of KubeVirt that the operator turns on in the minor releases ``since`` to ``until``."""

    name: str
    holds: Callable[[Settings, OperatorFacts], bool] = _always
    since: int = 10
    until: int = 99


_ALWAYS = (
    _Gate("DataVolumes", until=12),
    _Gate("SRIOV", until=12),
    _Gate("CPUManager"),
    _Gate("CPUNodeDiscovery", until=12),
    _Gate("Snapshot"),
    _Gate("HotplugVolumes", until=15),
    _Gate("ExpandDisks", until=18),
    _Gate("GPU", until=14),
    _Gate("HostDevices"),
    _Gate("DownwardMetrics", until=10),
    _Gate("NUMA", until=13),
    _Gate("VMExport", until=18),
    _Gate("DisableCustomSELinuxPolicy", until=14),
    _Gate("KubevirtSeccompProfile"),
    _Gate("HotplugNICs", until=13),
    _Gate("VMPersistentState", until=16),
    _Gate("NetworkBindingPlugins", since=11, until=14),
    _Gate("CommonInstancetypesDeploymentGate", since=12, until=13),
    _Gate("VMLiveUpdateFeatures", since=12, until=14),
    _Gate("DynamicPodInterfaceNaming", since=14, until=14),
    _Gate("VolumesUpdateStrategy", since=14, until=14),
    _Gate("VolumeMigration", since=14, until=14),
    _Gate("InstancetypeReferencePolicy", since=15, until=16),
    _Gate("LiveUpdateNADRef", since=18, until=18),
    _Gate("PanicDevices", since=18, until=18),
)
_UNLESS_EMULATED = (_Gate("WithHostModelCPU", until=18), _Gate("HypervStrictCheck"))


def _asked(gate: str) -> Callable[[Settings, OperatorFacts], bool]:
    return lambda settings, _: settings.has_gate(gate)


def _not_asked(gate: str) -> Callable[[Settings, OperatorFacts], bool]:
    return lambda settings, _: not settings.has_gate(gate)


def _annotated(annotation: str) -> Callable[[Settings, OperatorFacts], bool]:
    return lambda settings, _: settings.annotation(annotation) == "true"


_ON_CONDITION = (
    _Gate("DownwardMetrics", _asked("downwardMetrics"), since=11),
    _Gate("WithHostPassthroughCPU", _asked("withHostPassthroughCPU"), until=13),
    _Gate("Root", _not_asked("nonRoot"), until=13),
    _Gate("DisableMDEVConfiguration", _asked(DISABLE_MDEV), until=17),
    _Gate("PersistentReservation", _asked(PERSISTENT_RESERVATION), until=18),
    _Gate("AutoResourceLimitsGate", _asked("autoResourceLimits"), since=11, until=14),
    _Gate("AlignCPUs", _asked("alignCPUs"), since=11),
    _Gate("VideoConfig", _asked("videoConfig"), since=17, until=18),
    _Gate("ObjectGraph", _asked("objectGraph"), since=17),
    _Gate("DecentralizedLiveMigration", _asked("decentralizedLiveMigration"), since=16),
    _Gate("MultiArchitecture", _asked(MULTI_ARCH_IMPORT), since=16, until=17),
    _Gate("DeclarativeHotplugVolumes", _asked("declarativeHotplugVolumes"), since=16),
    _Gate("HotplugVolumes", _not_asked("declarativeHotplugVolumes"), since=16),
    _Gate("PasstIPStackMigration", _annotated(PASST_ANNOTATION), since=16, until=17),
    _Gate("PasstBinding", _annotated(PASST_ANNOTATION), since=18),
    _Gate("GraceIOVirtualization", _annotated(_AIE_ANNOTATION), since=19),
    _Gate("IOMMUFD", _annotated(_AIE_ANNOTATION), since=19),
    _Gate("PCINUMAAwareTopology", _annotated(_AIE_ANNOTATION), since=18),
    _Gate("SecureExecution", lambda _, facts: "s390x" in facts.workload_architectures, since=17),
    _Gate("IncrementalBackup", _asked("incrementalBackup"), since=18),
    _Gate("UtilityVolumes", _asked("incrementalBackup"), since=18),
    _Gate("ConfigurableHypervisor", lambda settings, _: bool(settings.get(Setting.HYPERVISORS)), since=18),
    _Gate(
        "OptOutRoleAggregation",
        lambda settings, _: settings.get(Setting.ROLE_AGGREGATION) is not None,
        since=18,
    ),
    _Gate("ContainerPathVolumes", _asked("containerPathVolumes"), since=18),
    _Gate("Template", _asked("template"), since=19),
)
_SORTED_SINCE = OperatorRelease(1, 19)

#: From this release on the operator turns off the beta gates of its KubeVirt that it does not turn on
#: (``pkg/internal/kvfeaturegates``).
_TURNS_OFF_SINCE = OperatorRelease(1, 19)


def enabled_gates(settings: Settings, facts: OperatorFacts, environment: OperatorEnvironment) -> list[str]:
    """Return ``developerConfiguration.featureGates``."""
    listed = (*_ALWAYS, *(() if environment.kvm_emulation else _UNLESS_EMULATED), *_ON_CONDITION)
    minor = settings.release.minor
    gates = [
        each.name for each in listed if each.since <= minor <= each.until and each.holds(settings, facts)
    ]
    return sorted(gates) if settings.release >= _SORTED_SINCE else gates


def disabled_gates(enabled: list[str], release: OperatorRelease) -> list[str]:
    """Return ``developerConfiguration.disabledFeatureGates``."""
    if release < _TURNS_OFF_SINCE:
        return []
    beta = (gate for gate in Gate if state_of(gate, release.kubevirt) is State.BETA)
    return sorted(str(gate) for gate in beta if gate not in enabled)
