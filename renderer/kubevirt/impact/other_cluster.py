"""What another cluster does to a machine, whatever its manifest: an upgrade, or another ``KubeVirt`` object.

After an upgrade, KubeVirt moves the instances that the old release runs to the new one, as
``workloadUpdateMethods`` say (``pkg/virt-controller/watch/workload-updater``).
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping

from renderer.kubevirt.facts.cluster import DEFAULT_CONFIG, Cluster, read_cluster_config
from renderer.kubevirt.facts.cpu_models import is_obsolete_model
from renderer.kubevirt.facts.installed_release import (
    followed_otherwise,
    installed_otherwise,
    installs_operator,
    is_chart_from,
    replaced_release,
    subscribes,
    upgrades_by_itself,
)
from renderer.kubevirt.facts.kinds import APPS_GROUP, CATALOG_SOURCE, HYPERCONVERGED, KUBEVIRT
from renderer.kubevirt.facts.virtual_machine import HALTED
from renderer.kubevirt.impact.components import component_impacts, customizations
from renderer.kubevirt.impact.migratable import obstacle_in_cluster, unknown_claims
from renderer.kubevirt.impact.settings import changed_settings, objects_of_settings
from renderer.kubevirt.impact.state import InstanceState, Update, VmChange
from renderer.model.difference import Effect, Impact, worst
from renderer.model.engines import FLUX_SOURCE_GROUP
from renderer.model.kube.json import JsonObject, array_at, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.pattern import pattern

#: The groups of objects that use images and URLs of KubeVirt without installing it, such as Jobs.
_WORKLOADS = frozenset(("", APPS_GROUP, "batch"))
#: The fields of a ``KubeVirt`` object from which virt-operator takes the images of KubeVirt.
_IMAGES = ("imageRegistry", "imageTag")
_OPERATOR_NAME = "virt-operator"
_IMAGE_VARIABLE = pattern(r"KUBEVIRT_VERSION=|\w+_(?:IMAGE|SHASUM)=")
_CONFIGURATION = ("spec", "configuration")
_NEXT = "its next start or live migration"
_NO_POD = f"KubeVirt makes no pod for {_NEXT}"
_OPERATOR = "pkg/virt-operator/util/config.go GetTargetConfigFromKV"
_CUSTOMIZER = "pkg/virt-operator/resource/apply/patches.go NewCustomizer"
#: The fields of a CatalogSource that say which operators it has.
_CATALOG_CONTENT = ("image", "address", "configMap", "sourceType")
_OLM = "operator-lifecycle-manager pkg/controller/operators/catalog/operator.go syncResolvingNamespace"
_BINDINGS = "pkg/network/netbinding/netbinding.go netBindingPluginSidecar"
_PERMITTED = "pkg/virt-controller/services/renderresources.go validatePermittedHostDevices"
_LABELLER = "pkg/virt-handler/node-labeller/node_labeller.go prepareLabels"
_FIRMWARE = "pkg/virt-launcher/virtwrap/efi/efi.go DetectEFIEnvironment"
_MEDIATED = "pkg/virt-handler/device-manager/mediated_devices_types.go updateMDEVTypesConfiguration"
_DEVICES = "pkg/virt-handler/device-manager/device_controller.go refreshPermittedDevices"
UPDATER = "pkg/virt-controller/watch/workload-updater/workload-updater.go getUpdateData"


def lost_start(change: VmChange) -> Impact | None:
    """Return the impact of a cluster that refuses the next instance, where the one before would not."""
    is_halted = change.after.run_strategy == HALTED
    if not change.start_refusal or not change.was_startable or is_halted:
        return None
    return Impact(Effect.NO_START, f"the next instance is refused: {change.start_refusal}")


def lost_support(instance: JsonObject, before: JsonObject, after: JsonObject) -> Impact | None:
    """Return the impact of a ``KubeVirt`` object that no longer has what an instance needs.

    ``instance`` is the spec of the instance; ``before`` and ``after`` are the contents of the object. Nothing
    is known of a side that is empty.
    """
    return next(_lost_support(instance, before, after), None) if before and after else None


def _lost_support(instance: JsonObject, before: JsonObject, after: JsonObject) -> Iterator[Impact]:
    domain = object_at(instance, "domain")
    devices = object_at(domain, "devices")
    old, new = (object_at(each, *_CONFIGURATION, "network", "binding") for each in (before, after))
    for interface in array_at(devices, "interfaces"):
        plugin = text_at(object_at(interface), "binding", "name")
        network = text_at(new, plugin, "networkAttachmentDefinition")
        if plugin in old and plugin not in new:
            reason = f"network.binding of the KubeVirt object no longer has the plugin {plugin}: {_NO_POD}"
            yield Impact(Effect.NO_START, reason, _BINDINGS)
        elif plugin in old and network not in ("", text_at(old, plugin, "networkAttachmentDefinition")):
            reason = f"network.binding of the KubeVirt object names the network {network} for {plugin}"
            yield Impact(Effect.NO_START, f"{reason}: unless the cluster has that, {_NO_POD}", _BINDINGS)
    model = text_at(domain, "cpu", "model") or text_at(after, *_CONFIGURATION, "cpuModel")
    if _is_obsolete(model, after) and not _is_obsolete(model, before):
        reason = f"obsoleteCPUModels of the KubeVirt object has {model}: no node offers it"
        yield Impact(Effect.NO_START, f"{reason} to {_NEXT}", _LABELLER)
    yield from _lost_devices(devices, before, after)
    if object_at(domain, "firmware", "bootloader").get("efi") is not None:
        architecture = text_at(instance, "architecture") or DEFAULT_CONFIG.default_architecture
        paths = [_firmware_path(each, architecture) for each in (before, after)]
        if paths[1] not in ("", paths[0]):
            reason = f"ovmfPath of the KubeVirt object is {paths[1]}: unless virt-launcher has UEFI there"
            yield Impact(Effect.NO_START, f"{reason}, its guest does not start", _FIRMWARE)


def _lost_devices(devices: JsonObject, before: JsonObject, after: JsonObject) -> Iterator[Impact]:
    permitted, permits = (read_cluster_config(each).permitted_devices for each in (before, after))
    offered, offers = _offered_devices(before), _offered_devices(after)
    types = [_mediated_types(each) for each in (before, after)]
    for device in (*array_at(devices, "gpus"), *array_at(devices, "hostDevices")):
        name = text_at(object_at(device), "deviceName")
        lost = f"permittedHostDevices of the KubeVirt object no longer has {name}"
        was_permitted = permitted is None or name in permitted
        if name and permits is not None and name not in permits and was_permitted:
            yield Impact(Effect.NO_START, f"{lost}: {_NO_POD}", _PERMITTED)
        elif selectors := offered.get(name, frozenset()) - offers.get(name, frozenset()):
            selected = f" of {', '.join(sorted(selectors))}" if name in offers else ""
            reason = f"{lost}{selected}: no node offers the device to {_NEXT}"
            if permits is not None and name in permits and name not in offers:
                left = f"KubeVirt leaves {name} to another device plugin"
                reason = f"{left}: without that, no node offers it to {_NEXT}"
            yield Impact(Effect.NO_START, reason, _DEVICES)
        elif name in read_cluster_config(before).mediated_devices and (gone := types[0] - types[1]):
            reason = (
                f"mediatedDevicesConfiguration of the KubeVirt object no longer has {', '.join(sorted(gone))}"
            )
            text = f"{reason}: unless {name} is another type, no node offers it to {_NEXT}"
            yield Impact(Effect.NO_START, text, _MEDIATED)


def _is_obsolete(model: str, kubevirt: JsonObject) -> bool:
    """Return True if no node has the label of a CPU model; a cluster's own list replaces KubeVirt's."""
    own = read_cluster_config(kubevirt).obsolete_cpu_models
    return model in own if own else is_obsolete_model(model)


def _firmware_path(kubevirt: JsonObject, architecture: str) -> str:
    configuration = object_at(kubevirt, *_CONFIGURATION)
    of_architecture = text_at(configuration, "architectureConfiguration", architecture, "ovmfPath")
    return of_architecture or text_at(configuration, "ovmfPath")


def _mediated_types(kubevirt: JsonObject) -> frozenset[str]:
    """Return the types of mediated devices that virt-handler makes on any node."""
    made = object_at(kubevirt, *_CONFIGURATION, "mediatedDevicesConfiguration")
    if made.get("enabled") is False:
        return frozenset()
    places = (made, *map(object_at, array_at(made, "nodeMediatedDeviceTypes")))
    keys = ("mediatedDeviceTypes", "mediatedDevicesTypes")
    return frozenset(str(each) for place in places for key in keys for each in array_at(place, key))


def _offered_devices(kubevirt: JsonObject) -> Mapping[str, frozenset[str]]:
    """Return what virt-handler itself offers, without ``externalResourceProvider``: selectors by device."""
    permitted = object_at(kubevirt, *_CONFIGURATION, "permittedHostDevices")
    found: dict[str, frozenset[str]] = {}
    for device in (object_at(each) for key in permitted for each in array_at(permitted, key)):
        if (name := text_at(device, "resourceName")) and device.get("externalResourceProvider") is not True:
            selector = (
                device.get("pciVendorSelector") or device.get("mdevNameSelector") or device.get("selectors")
            )
            found[name] = found.get(name, frozenset()) | {str(selector).upper()}
    return found


def has_other_images(before: JsonObject, after: JsonObject) -> bool:
    """Return True if two ``KubeVirt`` objects name other images of instances; an empty one names none.

    Only another launcher makes an instance outdated (``workload-updater.go`` ``isOutdated``).
    """
    return bool(before and after) and _launchers_of(before) != _launchers_of(after)


def brings_operator(resource: Resource) -> bool:
    """Return True for a Deployment of virt-operator, and for what installs it, such as a chart."""
    if resource.gvk.group in _WORKLOADS:
        return bool(_images_of_operator(resource.content))
    return installs_operator(resource.content) or subscribes(resource.content)


def installation(  # noqa: PLR0913, PLR0917 - the object on two sides, and what there is beside
    before: Resource,
    after: Resource,
    configured: tuple[JsonObject, JsonObject],
    cluster: Cluster,
    kubevirt: JsonObject,
    written: Iterable[Resource],
) -> Impact | None:
    """Return what becomes of running machines with another ``KubeVirt`` object, or another virt-operator.

    ``configured`` are the ``KubeVirt`` objects that are made of a HyperConverged object, or both as they are.
    ``cluster`` is the one that has a Deployment of virt-operator, or what installs it; ``kubevirt`` is its
    ``KubeVirt`` object, empty if the repository has none. ``written`` are all objects of the overlay.
    """
    if after.kind == CATALOG_SOURCE:
        return _other_catalog(before, after, cluster, kubevirt, written)
    if after.kind not in (KUBEVIRT, HYPERCONVERGED):
        reason = _replacing_operator(before, after) or _other_charts(before, after, written)
        return _upgrade(reason, cluster.workload_update_methods, kubevirt) if reason else None
    methods = [_update_methods(each) for each in (before, after)]
    old, new = configured
    specs = object_at(old, "spec"), object_at(new, "spec")
    there = objects_of_settings(written, after.namespace)
    impacts: list[Impact | None] = [*component_impacts(old, new), *_of_settings(*specs, there)]
    if has_other_images(old, new):
        reason = "virt-operator replaces KubeVirt with another image (imageRegistry, imageTag), up or down"
        if _images_of(old) == _images_of(new):
            reason = "customizeComponents gives machines another image of virt-launcher"
        impacts.append(_upgrade(reason, methods[1], new))
    elif _custom_images(old) != _custom_images(new):
        reason = "customizeComponents changes images: virt-operator replaces parts of KubeVirt with these"
        impacts.append(Impact(Effect.LIVE, f"{reason}; virtual machines run on", _CUSTOMIZER))
    impacts.append(_reached_at_last(*methods))
    return worst([each for each in impacts if each is not None])


def _of_settings(
    before: JsonObject, after: JsonObject, there: Container[tuple[str, str]]
) -> Iterator[Impact]:
    """Yield the impacts of other settings, with one for all that are not judged."""
    found = [impact for _, impact in changed_settings(before, after, there) if impact]
    yield from (each for each in found if each.effect is not Effect.NONE)
    if unjudged := [each.reason for each in found if each.effect is Effect.NONE]:
        yield Impact(Effect.NONE, "; ".join(unjudged))


def _other_catalog(
    before: Resource, after: Resource, cluster: Cluster, kubevirt: JsonObject, written: Iterable[Resource]
) -> Impact | None:
    """Return what another content of a CatalogSource may do, from which OLM installs operators.

    ``written`` may have the Subscriptions that name it. OLM upgrades by itself unless they say otherwise.
    """
    old, new = (object_at(each.content, "spec") for each in (before, after))
    if all(old.get(field) == new.get(field) for field in _CATALOG_CONTENT):
        return None
    named = [each for each in written if text_at(each.content, "spec", "source") == after.name]
    upgraded = [each for each in named if upgrades_by_itself(each.content)]
    if upgraded:
        reason = "OLM may install another release from this catalog, which replaces KubeVirt"
        return _upgrade(reason, cluster.workload_update_methods, kubevirt)
    if named:
        return None
    reason = "OLM may install other releases of operators from this catalog, KubeVirt's too"
    return Impact(Effect.LIVE, f"{reason}; what uses it is not in this overlay", _OLM)


def _replacing_operator(before: Resource, after: Resource) -> str:
    """Return how a change replaces virt-operator, and so KubeVirt; empty if it does not."""
    if after.gvk.group in _WORKLOADS:
        images = [_images_of_operator(each.content) for each in (before, after)]
        is_other = all(images) and images[0] != images[1]
        return "virt-operator has another image, and replaces KubeVirt" if is_other else ""
    if field := followed_otherwise(before.content, after.content):
        return (
            f"another {field} of the {after.kind}: OLM may install another release, which replaces KubeVirt"
        )
    if replaced := replaced_release(before.content, after.content):
        return f"virt-operator goes from {replaced[0]} to {replaced[1]}, and replaces KubeVirt"
    other = installed_otherwise(before.content, after.content)
    return (
        f"{other} of the chart with virt-operator may be another release, which replaces KubeVirt"
        if other
        else ""
    )


def _other_charts(before: Resource, after: Resource, written: Iterable[Resource]) -> str:
    """Return how another address of the source of its chart replaces KubeVirt; empty if it does not."""
    addresses = [text_at(each.content, "spec", "url").rstrip("/") for each in (before, after)]
    if after.gvk.group != FLUX_SOURCE_GROUP or addresses[0] == addresses[1]:
        return ""
    users = [each for each in written if is_chart_from(each.content, after.kind, after.name)]
    if not users:
        return ""
    user = f"{users[0].kind} {users[0].name}"
    return f"{user} may install another release from this address, which replaces KubeVirt"


def _upgrade(reason: str, methods: Collection[str] | None, kubevirt: JsonObject) -> Impact:
    """Return what an upgrade does to running machines, of which the repository need not have any.

    ``kubevirt`` is the object with the methods, empty if the repository has none.
    """
    if methods is None:
        return Impact(
            Effect.LIVE,
            f"{reason}; virtual machines run on, unless workloadUpdateMethods say otherwise",
            _OPERATOR,
        )
    name, namespace = (text_at(kubevirt, "metadata", each) for each in ("name", "namespace"))
    field = (
        f"workloadUpdateMethods of {KUBEVIRT} {namespace}/{name}" if namespace else "workloadUpdateMethods"
    )
    if "Evict" in methods:
        which = "that it cannot live-migrate" if "LiveMigrate" in methods else "that run"
        return Impact(
            Effect.EVICTED,
            f"{reason}; then it evicts virtual machines {which} ({field}: {', '.join(methods)})",
            UPDATER,
        )
    if "LiveMigrate" in methods:
        return Impact(
            Effect.MIGRATION,
            f"{reason}; then it live-migrates virtual machines ({field}: LiveMigrate)",
            UPDATER,
        )
    return Impact(Effect.LIVE, f"{reason}; virtual machines run on ({field} is empty)", _OPERATOR)


def _reached_at_last(before: Collection[str], after: Collection[str]) -> Impact | None:
    """Return what new methods do to instances that wait: of an earlier release, or for a live migration.

    The updater looks at all of them again whenever the object changes. Instances that can be migrated are
    evicted only without LiveMigrate.
    """
    waiting = "that still run with an earlier release or wait for a live migration"
    loses_migration = "LiveMigrate" in before and "LiveMigrate" not in after
    if "Evict" in after and ("Evict" not in before or loses_migration):
        which = f"{waiting}, and that it cannot live-migrate" if "LiveMigrate" in after else waiting
        return Impact(Effect.EVICTED, f"KubeVirt evicts virtual machines {which}", UPDATER)
    if "LiveMigrate" in after and "LiveMigrate" not in before:
        return Impact(Effect.MIGRATION, f"KubeVirt live-migrates virtual machines {waiting}", UPDATER)
    return None


def _update_methods(operand: Resource) -> Collection[str]:
    """Return the methods of a ``KubeVirt`` or HyperConverged object; the latter has a default."""
    spec = object_at(operand.content, "spec")
    strategy = object_at(spec, "workloadUpdateStrategy") or object_at(
        spec, "virtualization", "workloadUpdateStrategy"
    )
    methods = strategy.get("workloadUpdateMethods")
    if methods is None and operand.kind == HYPERCONVERGED:
        return ("LiveMigrate",)
    return [str(each) for each in array_at(strategy, "workloadUpdateMethods")]


def _images_of(kubevirt: JsonObject) -> tuple[str, ...]:
    return tuple(text_at(kubevirt, "spec", each) for each in _IMAGES)


def _launchers_of(kubevirt: JsonObject) -> tuple[str, ...]:
    """Return what decides the image of instances: virt-controller is told it (``--launcher-image``)."""
    return (*_images_of(kubevirt), *(each.text for each in customizations(kubevirt) if each.names_launcher))


def _custom_images(kubevirt: JsonObject) -> tuple[str, ...]:
    """Return the patches and flags by which a ``KubeVirt`` object changes images of its components."""
    return tuple(each.text for each in customizations(kubevirt) if each.names_image)


def _images_of_operator(deployment: JsonObject) -> tuple[str, ...]:
    """Return the images that a Deployment of virt-operator names; empty if it is another Deployment.

    virt-operator takes the images of KubeVirt from its own, or from variables like ``VIRT_LAUNCHER_IMAGE``.
    """
    pod = object_at(deployment, "spec", "template", "spec")
    containers = (object_at(each) for each in array_at(pod, "containers"))
    operator = next((each for each in containers if text_at(each, "name") == _OPERATOR_NAME), None)
    if operator is None:
        return ()
    variables = (object_at(each) for each in array_at(operator, "env"))
    named = (f"{text_at(each, 'name')}={text_at(each, 'value')}" for each in variables)
    return (text_at(operator, "image"), *sorted(each for each in named if _IMAGE_VARIABLE.match(each)))


def workload_update(change: VmChange, cluster: Cluster) -> Impact | None:
    """Return what KubeVirt does to a running machine after another KubeVirt has been installed."""
    methods = cluster.workload_update_methods or ()
    if change.before.run_strategy == HALTED or not methods:
        return None
    instance = InstanceState(change.before.instance)
    obstacle = obstacle_in_cluster(cluster, change.access_modes, instance)
    if "LiveMigrate" in methods and not obstacle:
        update = Update(change.before, change.after, cluster, change.access_modes)
        reason = "KubeVirt live-migrates it after the upgrade"
        return Impact(Effect.MIGRATION, "; ".join((reason, *_doubts(update, instance, methods))), UPDATER)
    if "Evict" not in methods:
        return None
    reason = "KubeVirt evicts the instance after the upgrade (workloadUpdateMethods: Evict)"
    return Impact(Effect.EVICTED, f"{reason}: {obstacle}" if obstacle else reason, UPDATER)


def _doubts(update: Update, instance: InstanceState, methods: tuple[str, ...]) -> Iterator[str]:
    claims = " and ".join(dict.fromkeys(unknown_claims(update, instance)))
    if claims:
        others = "evicts it" if "Evict" in methods else "leaves it as it is"
        yield f"unless {claims} can be mounted by many nodes (ReadWriteMany), it {others}"
