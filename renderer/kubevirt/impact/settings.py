"""What each setting of a ``KubeVirt`` object does to machines that run.

A setting whose effect depends on the machine is judged at each of them: by ``read_cluster_config`` and what
the guest sees, or by ``lost_support``. ``components`` and ``other_cluster`` know the pods and images of
KubeVirt itself. The rows here are all others, each with a verdict or with the words that it has none.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import TypeAlias

from renderer.kubevirt.facts.lists import is_equal
from renderer.kubevirt.impact.reads import NETWORK
from renderer.model.difference import Effect, FieldChange, Impact, worst
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.record import Record

_LAUNCHER = "pkg/virt-controller/services/template.go RenderLaunchManifest"
_APPS = "pkg/virt-operator/resource/apply/apps.go"
#: The verdict on a value before and after; None if it does nothing to machines.
_Judge: TypeAlias = Callable[[Json, Json], tuple[Effect, str] | None]
_RUNTIME_CLASS = "RuntimeClass"
#: Kind and name of an object that a setting may name.
_Named: TypeAlias = tuple[str, str]


class Setting(Record):
    """A field below ``spec``, with what a change of it or of anything in it does.

    Without a ``judge``, ``note`` says why: what judges it instead, or that nothing does. ``kind`` is that of
    the object whose name is the value.
    """

    field: str
    judge: _Judge | None = None
    note: str = ""
    source: str = ""
    kind: str = ""

    def impact(self, before: Json, after: Json, there: Container[_Named] = ()) -> Impact | None:
        """Return the impact of another value; None without one.

        An object that is ``there`` cannot be missing: its name is judged as no value.
        """
        if self.note is NOT_JUDGED:
            return Impact(Effect.NONE, f"what another {self.name} does to machines is not judged")
        is_there = bool(self.kind) and (self.kind, str(after)) in there
        verdict = self.judge(before, None if is_there else after) if self.judge else None
        return Impact(verdict[0], f"{self.name}: {verdict[1]}", self.source) if verdict else None

    @property
    def name(self) -> str:
        """The field without ``configuration``, in which most are."""
        return self.field.removeprefix("configuration.")


#: Reasons of settings without a judge.
AT_MACHINES = "each machine is judged by it"
AT_COMPONENTS = "judged with the pods and images of KubeVirt"
RUN_ON = "virtual machines run on, and start as before"
NEXT_POD = "another size or option of the pods that are made from now on"
BY_MIGRATION = "live migrations are run otherwise from now on"
NOT_JUDGED = "not judged"


def _if_set(effect: Effect, text: str) -> _Judge:
    """Judge that a value is set or replaced; without one, KubeVirt's own holds again."""

    def judge(_before: Json, after: Json) -> tuple[Effect, str] | None:
        return (effect, text.format(after)) if after else None

    return judge


def _node_selectors(before: Json, after: Json) -> tuple[Effect, str] | None:
    old, new = object_at(before), object_at(after)
    added = [f"{key}={value}" for key, value in new.items() if old.get(key) != value]
    if not added:
        return None
    return Effect.NO_START, f"pods of machines are made only for nodes with {', '.join(added)} from now on"


def _eviction_strategy(before: Json, after: Json) -> tuple[Effect, str] | None:
    migrated = ("LiveMigrate", "LiveMigrateIfPossible", "External")
    if before not in migrated or after in (before, "LiveMigrate"):
        return None
    which = "machines that it cannot live-migrate" if after == "LiveMigrateIfPossible" else "machines"
    reason = (
        f"the drain of a node shuts down {which} without a strategy of their own, from their next start on"
    )
    return (Effect.PENDING, reason) if after != "External" else None


def _emulation(before: Json, after: Json) -> tuple[Effect, str] | None:
    if after is True:
        return Effect.PENDING, "guests are emulated in software, without KVM, from their next start on"
    if before is True:
        return Effect.NO_START, "machines start only on nodes with KVM from now on"
    return None


def _per_node(before: Json, after: Json) -> tuple[Effect, str] | None:
    """Judge the devices ``kvm`` that virt-handler offers on each node, 1000 without the setting."""
    old, new = (each if isinstance(each, int) else 1000 for each in (before, after))
    if new >= old:
        return None
    return Effect.NO_START, f"a node on which {new} machines run starts no further one, nor takes one over"


def _hypervisors(before: Json, after: Json) -> tuple[Effect, str] | None:
    first = [
        text_at(object_at(next(iter(array_at(each)), None)), "name") or "kvm" for each in (before, after)
    ]
    return (
        None if first[0] == first[1] else (Effect.NO_START, f"machines start only on nodes with {first[1]}")
    )


def _pull_secrets(before: Json, after: Json) -> tuple[Effect, str] | None:
    names = [{text_at(each, "name") for each in map(object_at, array_at(side))} for side in (before, after)]
    if names[1] - names[0]:
        return None  # another Secret takes its place
    lost = ", ".join(sorted(names[0] - names[1]))
    text = f"pods of machines pull the image of virt-launcher without the Secret {lost} from now on"
    return (Effect.NO_START, text) if lost else None


def _seccomp(before: Json, after: Json) -> tuple[Effect, str] | None:
    profiles = [text_at(each, _PROFILE, "customProfile", "localhostProfile") for each in (before, after)]
    if not profiles[1] or profiles[0] == profiles[1]:
        return None
    return Effect.NO_START, f"machines start only on nodes that have the profile {profiles[1]}"


def _migration_network(_before: Json, after: Json) -> tuple[Effect, str]:
    if not after:
        return Effect.LIVE, "virt-operator restarts virt-handler; virtual machines run on"
    restart = f"virt-operator restarts virt-handler with the network {after}: unless the cluster has that"
    return (
        Effect.NO_START,
        f"{restart}, it starts on no node, and KubeVirt starts and live-migrates no machine",
    )


def _bindings(before: Json, after: Json) -> tuple[Effect, str] | None:
    """Judge plugins that stay: machines that lose one, or its network, are judged themselves."""
    old, new = object_at(before), object_at(after)
    plugins = [each for each in new if each in old and not is_equal(old[each], new[each])]
    if not plugins:
        return None
    return (
        Effect.PENDING,
        f"machines with {', '.join(sorted(plugins))} are connected otherwise at their next start",
    )


def _unsafe_migrations(_before: Json, after: Json) -> tuple[Effect, str] | None:
    return (
        (Effect.AT_RISK, "machines are live-migrated where that may damage them") if after is True else None
    )


_PROFILE = "virtualMachineInstanceProfile"
_RUN_ON = (
    *("certificateRotateStrategy", "imagePullPolicy", "monitorAccount", "monitorNamespace"),
    *("productComponent", "productName", "productVersion", "serviceMonitorNamespace", "synchronizationPort"),
    *(f"configuration.{name}Configuration" for name in ("api", "controller", "handler", "tls", "webhook")),
    *(
        "configuration.developerConfiguration.clusterProfiler",
        "configuration.developerConfiguration.logVerbosity",
    ),
    *("configuration.ksmConfiguration", "configuration.supportedGuestAgentVersions"),
    *("configuration.roleAggregationStrategy", "configuration.vmStateStorageClass"),
    *("configuration.virtTemplateDeployment", "infra.replicas", "workloads.replicas"),
    *("uninstallStrategy", "workloadUpdateStrategy.batchEvictionInterval"),
    *(
        "workloadUpdateStrategy.batchEvictionSize",
        "configuration.architectureConfiguration.defaultArchitecture",
    ),
)
_NETWORK = ("defaultNetworkInterface", "permitBridgeInterfaceOnPodNetwork", "permitSlirpInterface")
_AT_MACHINES = (
    *(
        "commonInstancetypesDeployment",
        "cpuModel",
        "cpuRequest",
        "emulatedMachines",
        "liveUpdateConfiguration",
    ),
    *("machineType", "mediatedDevicesConfiguration", "obsoleteCPUModels", "ovmfPath"),
    *(f"network.{name}" for name in _NETWORK),
    *("permittedHostDevices", "persistentReservationConfiguration", "smbios", "vmRolloutStrategy"),
    *(f"developerConfiguration.{name}" for name in ("featureGates", "disabledFeatureGates")),
    *(f"architectureConfiguration.{name}" for name in ("amd64", "arm64", "ppc64le", "s390x")),
)
_NEXT_POD = (
    *("additionalGuestMemoryOverheadRatio", "autoCPULimitNamespaceLabelSelector", "memBalloonStatsPeriod"),
    *("supportContainerResources", "virtualMachineOptions"),
    *(f"developerConfiguration.{name}" for name in ("cpuAllocationRatio", "memoryOvercommit")),
    # How large a new image on a claim is; those that exist stay (pkg/host-disk/host-disk.go).
    *(
        f"developerConfiguration.{name}"
        for name in ("minimumReservePVCBytes", "pvcTolerateLessSpaceUpToPercent")
    ),
)
_NOT_JUDGED = (
    *("changedBlockTrackingLabelSelectors", "confidentialCompute", "instancetype", "minCPUModel"),
    *(f"developerConfiguration.{name}" for name in ("diskVerification", "minimumClusterTSCFrequency")),
)
_MIGRATIONS = (
    *("allowAutoConverge", "allowPostCopy", "allowWorkloadDisruption", "bandwidthPerMigration"),
    *("completionTimeoutPerGiB", "disableTLS", "matchSELinuxLevelOnMigration", "maxDowntimeMs"),
    *("nodeDrainTaintKey", "parallelMigrationsPerCluster", "parallelOutboundMigrationsPerNode"),
    *("progressTimeout", "utilityVolumesTimeout"),
)
SETTINGS: tuple[Setting, ...] = (
    *(Setting(each, note=RUN_ON) for each in _RUN_ON),
    *(Setting(f"configuration.{each}", note=AT_MACHINES) for each in _AT_MACHINES),
    *(Setting(f"configuration.{each}", note=NEXT_POD) for each in _NEXT_POD),
    *(Setting(f"configuration.{each}", note=NOT_JUDGED) for each in _NOT_JUDGED),
    *(Setting(f"configuration.migrations.{each}", note=BY_MIGRATION) for each in _MIGRATIONS),
    *(
        Setting(each, note=AT_COMPONENTS)
        for each in (
            *("customizeComponents", "imageRegistry", "imageTag", "infra.nodePlacement"),
            *("workloads.nodePlacement", "workloadUpdateStrategy.workloadUpdateMethods"),
        )
    ),
    Setting("imagePullSecrets", _pull_secrets, source=_LAUNCHER),
    Setting(
        "configuration.defaultRuntimeClass",
        _if_set(
            Effect.NO_START, "unless the cluster has the RuntimeClass {}, it refuses all pods of machines"
        ),
        source=_LAUNCHER,
        kind=_RUNTIME_CLASS,
    ),
    Setting("configuration.developerConfiguration.nodeSelectors", _node_selectors, source=_LAUNCHER),
    Setting("configuration.developerConfiguration.useEmulation", _emulation, source=_LAUNCHER),
    Setting(
        "configuration.evictionStrategy",
        _eviction_strategy,
        source="pkg/defaults/defaults.go setDefaultEvictionStrategy",
    ),
    Setting("configuration.hypervisors", _hypervisors, source=_LAUNCHER),
    Setting(
        "configuration.imagePullPolicy",
        lambda _before, after: (
            (Effect.NO_START, "machines start only on nodes that have the image of virt-launcher")
            if after == "Never"
            else None
        ),
        source=_LAUNCHER,
    ),
    Setting(
        "configuration.migrations.network",
        _migration_network,
        source="pkg/virt-operator/resource/generate/components/daemonsets.go NewHandlerDaemonSet",
        kind=NETWORK,
    ),
    Setting(
        "configuration.migrations.unsafeMigrationOverride",
        _unsafe_migrations,
        source="pkg/virt-launcher/virtwrap/live-migration-source.go generateMigrationFlags",
    ),
    Setting(
        "configuration.network.binding",
        _bindings,
        source="pkg/network/netbinding/netbinding.go netBindingPluginSidecar",
    ),
    Setting("configuration.seccompConfiguration", _seccomp, source=_LAUNCHER),
    Setting(
        "configuration.selinuxLauncherType",
        _if_set(Effect.NO_START, "machines start only on nodes that know the SELinux type {}"),
        source=_LAUNCHER,
    ),
    Setting("configuration.virtualMachineInstancesPerNode", _per_node, source=f"{_APPS} setMaxDevices"),
)
_BY_PATH: Mapping[tuple[str, ...], Setting] = {tuple(each.field.split(".")): each for each in SETTINGS}
_AROUND = frozenset(path[:length] for path in _BY_PATH for length in range(len(path)))


def objects_of_settings(written: Iterable[Resource], namespace: str) -> frozenset[_Named]:
    """Return the objects that the settings of a ``KubeVirt`` object in a namespace may name."""
    return frozenset(
        (each.kind, name)
        for each in written
        if each.kind in (NETWORK, _RUNTIME_CLASS)
        for name in (f"{each.namespace}/{each.name}", each.name)
        if "/" in name or each.namespace in ("", namespace)
    )


def changed_settings(
    before: JsonObject,
    after: JsonObject,
    there: Container[_Named] = (),
    within: tuple[str, ...] = (),
) -> Iterator[tuple[tuple[str, ...], Impact | None]]:
    """Yield the settings that differ in the specs of two ``KubeVirt`` objects, with their impacts.

    Each is a path below ``spec``. One that no row knows is not judged. ``there`` are objects of the cluster.
    """
    for key in sorted(before.keys() | after.keys()):
        path, values = (*within, key), (before.get(key), after.get(key))
        if is_equal(*values):
            continue
        if path in _AROUND:
            yield from changed_settings(object_at(values[0]), object_at(values[1]), there, path)
        else:
            setting = _BY_PATH.get(path) or Setting(".".join(path), note=NOT_JUDGED)
            yield path, setting.impact(*values, there)


def with_settings(
    changes: Iterable[FieldChange], before: Resource, after: Resource, written: Iterable[Resource]
) -> tuple[FieldChange, ...]:
    """Return the changed fields of a ``KubeVirt`` object, each with the impact of the settings in it.

    ``written`` are all objects of the overlay after the change.
    """
    old, new = (object_at(each.content, "spec") for each in (before, after))
    settings = changed_settings(old, new, objects_of_settings(written, after.namespace))
    found = [(("spec", *path), impact) for path, impact in settings if impact]

    def judged(change: FieldChange) -> FieldChange:
        own = change.field.segments
        near = [impact for path, impact in found if own[: len(path)] == path or path[: len(own)] == own]
        return change._replace(impact=worst(near)) if near else change

    return tuple(map(judged, changes))
