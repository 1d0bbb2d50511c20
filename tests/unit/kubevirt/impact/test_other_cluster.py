"""What a changed ``KubeVirt`` object does to machines whose manifests stay the same."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.model.difference import Effect, ResourceChange
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import LATEST

LISTED = "permittedHostDevices: {pciHostDevices: [{pciVendorSelector: '10DE:1', resourceName: NAME%s}]}"
OURS, EXTERNAL = LISTED % "", LISTED % ", externalResourceProvider: true"
DEVICE = "gpus: [{name: g, deviceName: n/v}]"
MEDIATED = "permittedHostDevices: {mediatedDevices: [{mdevNameSelector: a, resourceName: NAME}]}"
MADE = "mediatedDevicesConfiguration: {mediatedDeviceTypes: [nvidia-222]}"
PLUGIN = "interfaces: [{name: default, binding: {name: x}}]"
HAS_PLUGIN = "network: {binding: {x: {sidecarImage: a}}}"


def configured(configuration: str) -> dict[str, Any]:
    return {"configuration": yaml.safe_load(f"{{{configuration.replace('NAME', 'n/v')}}}")}


def object_(kind: str, name: str, spec: dict[str, Any]) -> Resource:
    metadata = {"name": name, "namespace": "shop"}
    content: dict[str, Any] = {
        "apiVersion": "kubevirt.io/v1",
        "kind": kind,
        "metadata": metadata,
        "spec": spec,
    }
    return Resource(content, Site("a.yaml"))


def changes_with(devices: str, before: dict[str, Any], after: dict[str, Any]) -> dict[str, ResourceChange]:
    template = {"spec": {"domain": yaml.safe_load(f"{{devices: {{{devices}}}}}")}}
    machine = object_("VirtualMachine", "db", {"runStrategy": "Always", "template": template})
    kubevirts = [object_("KubeVirt", "kubevirt", spec) for spec in (before, after)]
    sides = [OverlaySide(LATEST, (each, machine), kubevirt=each.content) for each in kubevirts]
    return {each.id.gvk.kind: each for each in compare_overlay("a", "a", sides[0], sides[1]).changes}


@pytest.mark.parametrize(
    ("devices", "before", "after", "words"),
    [
        (PLUGIN, HAS_PLUGIN, "", "no longer has the plugin x"),
        (DEVICE, OURS, "", "no node offers the device"),
        (DEVICE.replace("gpus", "hostDevices"), OURS, "", "no node offers the device"),
        (DEVICE, OURS, OURS.replace("NAME", "n/other"), "KubeVirt makes no pod"),
        (DEVICE, EXTERNAL, OURS.replace("NAME", "n/other"), "KubeVirt makes no pod"),
        (DEVICE, "", OURS.replace("NAME", "n/other"), "KubeVirt makes no pod"),
        (DEVICE, OURS, OURS.replace("10DE:1", "10DE:2"), "no longer has n/v of 10DE:1: no node offers"),
        (DEVICE, OURS, EXTERNAL, "leaves n/v to another device plugin"),
        (DEVICE, f"{MEDIATED}, {MADE}", MEDIATED, "no longer has nvidia-222"),
        (
            DEVICE,
            f"{MEDIATED}, {MADE}",
            f"{MEDIATED}, {MADE[:-1]}, enabled: false}}",
            "no longer has nvidia-222",
        ),
        (
            PLUGIN,
            HAS_PLUGIN,
            HAS_PLUGIN.replace("sidecarImage: a", "networkAttachmentDefinition: net"),
            "names the network net for x: unless the cluster has that, KubeVirt makes no pod",
        ),
        ("}, cpu: {model: Haswell", "", "obsoleteCPUModels: {Haswell: true}", "obsoleteCPUModels of"),
        (
            "",
            "cpuModel: Haswell",
            "cpuModel: Haswell, obsoleteCPUModels: {Haswell: true}",
            "obsoleteCPUModels",
        ),
        ("}, firmware: {bootloader: {efi: {}}", "", "ovmfPath: /x", "ovmfPath of the KubeVirt object is /x"),
    ],
)
def test_machine_does_not_start_without_what_it_uses(
    devices: str, before: str, after: str, words: str
) -> None:
    change = changes_with(devices, configured(before), configured(after))["VirtualMachine"]
    assert change.effects == (Effect.NO_START, Effect.NONE)
    assert change.impact is not None
    assert words in change.impact.reason
    assert change.start_refusal == change.impact.reason


@pytest.mark.parametrize(
    ("devices", "before", "after"),
    [
        (PLUGIN, f"{HAS_PLUGIN}, evictionStrategy: None", HAS_PLUGIN),
        (PLUGIN, "", "evictionStrategy: None"),  # a plugin that the repository does not know
        (DEVICE, EXTERNAL, ""),
        (DEVICE, "", OURS),
        (DEVICE, OURS.replace("NAME", "n/other"), ""),
        (DEVICE, OURS.replace("NAME", "n/other"), OURS.replace("NAME", "n/third")),
    ],
)
def test_machine_that_loses_nothing_is_not_mentioned(devices: str, before: str, after: str) -> None:
    assert [*changes_with(devices, configured(before), configured(after))] == ["KubeVirt"]


LAUNCHER = {"flags": {"controller": {"launcher-image": "x"}}}
HANDLER = {
    "patches": [{"resourceType": "DaemonSet", "resourceName": "virt-handler", "patch": '{"image":"x"}'}]
}
ARGUMENT = {
    "patches": [
        {
            "resourceName": "virt-controller",
            "patch": '[{"op":"replace","path":"/spec/template/spec/containers/0/args/1","value":"x.io/l@sha256:1"}]',  # noqa: E501 - one value
        }
    ]
}
VERBOSE = {"flags": {"controller": {"v": "5"}}}
PULLED = {"patches": [{"resourceName": "virt-handler", "patch": '{"imagePullPolicy":"Always"}'}]}


@pytest.mark.parametrize(
    ("custom", "methods", "effects"),
    [
        (LAUNCHER, ["Evict"], (Effect.EVICTED, Effect.EVICTED)),
        (LAUNCHER, [], (Effect.LIVE, None)),
        (HANDLER, ["Evict"], (Effect.LIVE, None)),
        (PULLED, ["Evict"], (Effect.LIVE, None)),
        (ARGUMENT, ["Evict"], (Effect.EVICTED, Effect.EVICTED)),
        (VERBOSE, ["Evict"], (Effect.LIVE, None)),
    ],
)
def test_customized_components_are_other_images(
    custom: dict[str, Any], methods: list[str], effects: tuple[Effect | None, Effect | None]
) -> None:
    strategy = {"workloadUpdateStrategy": {"workloadUpdateMethods": methods}}
    found = changes_with("", strategy, {**strategy, "customizeComponents": custom})
    machine = found.get("VirtualMachine")
    impacts = found["KubeVirt"].impact, machine and machine.impact
    assert tuple(each and each.effect for each in impacts) == effects


def placed(**placement: Any) -> dict[str, Any]:  # noqa: ANN401 - any field
    return {"workloads": {"nodePlacement": placement}}


def required(*values: str) -> dict[str, Any]:
    terms = [{"matchExpressions": [{"key": each, "operator": "Exists"}]} for each in values]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return placed(affinity={"nodeAffinity": required})


GPU, SSD, LINUX = {"gpu": "true"}, {"ssd": "true"}, {"kubernetes.io/os": "linux"}
TAINT, ANY_TAINT = {"key": "gpu", "operator": "Exists"}, {"operator": "Exists"}
SELECTED = {"patches": [{"resourceName": "virt-handler", "patch": '{"nodeSelector":{"gpu":"true"}}'}]}


@pytest.mark.parametrize(
    ("before", "after", "effect"),
    [
        ({}, placed(nodeSelector=GPU), Effect.NO_START),
        (placed(nodeSelector=GPU), placed(nodeSelector=SSD), Effect.NO_START),
        (placed(nodeSelector=GPU), {}, Effect.LIVE),
        ({}, placed(nodeSelector=LINUX), Effect.LIVE),
        (placed(nodeSelector={"gpu": []}), placed(nodeSelector={"gpu": {}}), Effect.NO_START),
        ({}, required("gpu"), Effect.NO_START),
        (required("gpu"), required("gpu", "ssd"), Effect.LIVE),
        (required("gpu", "ssd"), required("gpu"), Effect.NO_START),
        (placed(tolerations=[TAINT]), placed(tolerations=[]), Effect.NO_START),
        (placed(tolerations=[TAINT]), placed(tolerations=[ANY_TAINT]), Effect.LIVE),
        (placed(), placed(tolerations=[TAINT]), Effect.LIVE),
        ({}, {"infra": {"nodePlacement": {"nodeSelector": GPU}}}, Effect.LIVE),
        ({}, {"customizeComponents": SELECTED}, Effect.NO_START),
        ({"customizeComponents": SELECTED}, {}, Effect.LIVE),
        ({"infra": {"replicas": 2}}, {"infra": {"replicas": 1}}, None),
    ],
)
def test_components_that_are_placed_elsewhere(
    before: dict[str, Any], after: dict[str, Any], effect: Effect | None
) -> None:
    impact = changes_with("", before, after)["KubeVirt"].impact
    assert (impact and impact.effect) is effect


def test_placement_of_a_hyperconverged_object() -> None:
    content: dict[str, Any] = {
        "apiVersion": "hco.kubevirt.io/v1beta1",
        "kind": "HyperConverged",
        "metadata": {"name": "kubevirt-hyperconverged", "namespace": "kubevirt-hyperconverged"},
    }
    specs: list[dict[str, Any]] = [{}, placed(nodeSelector=GPU)]
    sides = [OverlaySide(LATEST, (Resource({**content, "spec": each}, Site("a.yaml")),)) for each in specs]
    [change] = compare_overlay("a", "a", sides[0], sides[1]).changes
    assert change.impact
    assert change.impact.effect is Effect.NO_START


def olm(kind: str, name: str, spec: dict[str, str]) -> Resource:
    metadata = {"name": name, "namespace": "olm"}
    content: dict[str, Any] = {"apiVersion": "operators.coreos.com/v1alpha1", "kind": kind}
    return Resource({**content, "metadata": metadata, "spec": spec}, Site("c.yaml"))


@pytest.mark.parametrize(
    ("subscription", "effect"),
    [
        ({"name": "kubevirt-hyperconverged", "source": "catalog"}, Effect.LIVE),
        ({"name": "kubevirt-hyperconverged", "source": "other"}, Effect.LIVE),
        ({"name": "other", "source": "catalog"}, None),
        (
            {"name": "kubevirt-hyperconverged", "source": "catalog", "installPlanApproval": "Manual"},
            None,
        ),
    ],
)
def test_another_catalog_of_operators(subscription: dict[str, str], effect: Effect | None) -> None:
    kept = olm("Subscription", "hco", subscription)
    sides = [OverlaySide(LATEST, (olm("CatalogSource", "catalog", {"image": each}), kept)) for each in "ab"]
    [change] = compare_overlay("a", "a", sides[0], sides[1]).changes
    assert (change.impact and change.impact.effect) is effect


@pytest.mark.parametrize(
    ("before", "after", "effect"),
    [
        ([], ["Evict"], Effect.EVICTED),
        (["LiveMigrate"], ["LiveMigrate", "Evict"], Effect.EVICTED),
        (["LiveMigrate", "Evict"], ["Evict"], Effect.EVICTED),
        ([], ["LiveMigrate"], Effect.MIGRATION),
        (["Evict"], ["Evict", "LiveMigrate"], Effect.MIGRATION),
        (["LiveMigrate", "Evict"], ["LiveMigrate"], None),
        (["Evict"], [], None),
    ],
)
def test_new_methods_reach_machines_that_wait(
    before: list[str], after: list[str], effect: Effect | None
) -> None:
    old, new = ({"workloadUpdateStrategy": {"workloadUpdateMethods": each}} for each in (before, after))
    impact = changes_with("", old, new)["KubeVirt"].impact
    assert (impact and impact.effect) is effect


def operator(container: str) -> Resource:
    pod = {"containers": [yaml.safe_load(f"{{name: virt-operator, {container}}}")]}
    content: dict[str, Any] = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "virt-operator"},
    }
    return Resource({**content, "spec": {"template": {"spec": pod}}}, Site("b.yaml"))


@pytest.mark.parametrize(
    "after", ["image: 'o:2'", "image: 'o:1', env: [{name: VIRT_LAUNCHER_IMAGE, value: 'l:2'}]"]
)
@pytest.mark.parametrize(
    ("methods", "effect"),
    [([], Effect.LIVE), (["LiveMigrate"], Effect.MIGRATION), (["LiveMigrate", "Evict"], Effect.EVICTED)],
)
def test_another_virt_operator_is_an_upgrade(after: str, methods: list[str], effect: Effect) -> None:
    kubevirt = object_("KubeVirt", "kubevirt", {"workloadUpdateStrategy": {"workloadUpdateMethods": methods}})
    sides = [
        OverlaySide(LATEST, (kubevirt, operator(each)), kubevirt=kubevirt.content)
        for each in ("image: 'o:1'", after)
    ]
    [change] = compare_overlay("a", "a", sides[0], sides[1]).changes
    assert change.effects == (effect,)


ASSETS = "https://github.com/kubevirt/kubevirt/releases/download"
KUSTOMIZE = "apiVersion: kustomize.config.k8s.io/v1beta1, kind: Kustomization"
SOURCE = "apiVersion: source.toolkit.fluxcd.io/v1, kind: GitRepository"
RELEASE = "apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease"
COZYSTACK = "spec: {chart: {spec: {chart: cozystack, version: %s}}}"
TAG = "images: [{name: quay.io/kubevirt/virt-operator, newTag: %s}]"


@pytest.mark.parametrize(
    ("text", "before", "after", "words"),
    [
        (
            f"{KUSTOMIZE}, resources: ['{ASSETS}/%s/kubevirt-operator.yaml']",
            "v1.8.3",
            "v1.9.0",
            "from 1.8.3 to 1.9.0",
        ),
        (
            f"{KUSTOMIZE}, resources: ['{ASSETS}/%s/kubevirt-operator.yaml']",
            "v1.9.0",
            "v1.8.3",
            "from 1.9.0 to 1.8.3",
        ),
        (f"{KUSTOMIZE}, resources: ['{ASSETS}/%s/kubevirt-cr.yaml']", "v1.9.0", "v1.8.3", ""),
        (
            f"{KUSTOMIZE}, resources: ['https://x/operator.yaml'], {TAG}",
            "v1.9.0",
            "v1.11.0",
            "from 1.9.0 to 1.11.0",
        ),
        (
            f"{SOURCE}, spec: {{url: 'https://github.com/kubevirt/kubevirt', ref: {{tag: %s}}}}",
            "v1.8.3",
            "main",
            "from 1.8.3 to main",
        ),
        (f"{RELEASE}, {COZYSTACK}", "1.3.6", "1.4.0", "from 1.6.3 to 1.8.2"),
        (f"{RELEASE}, {COZYSTACK}", "1.3.5", "1.3.6", ""),  # with the same KubeVirt
        (
            f"apiVersion: batch/v1, kind: Job, spec: {{args: ['{ASSETS}/%s/kubevirt-operator.yaml']}}",
            "v1.8.3",
            "v1.9.0",
            "",
        ),
    ],
)
def test_what_installs_another_operator_is_an_upgrade(text: str, before: str, after: str, words: str) -> None:
    methods = {"workloadUpdateStrategy": {"workloadUpdateMethods": ["LiveMigrate", "Evict"]}}
    kubevirt = object_("KubeVirt", "kubevirt", methods).content
    sides = [
        OverlaySide(
            LATEST,
            (Resource(yaml.safe_load(f"{{metadata: {{name: a}}, {text % each}}}"), Site("b.yaml")),),
            kubevirt=kubevirt,
        )
        for each in (before, after)
    ]
    [change] = compare_overlay("a", "a", sides[0], sides[1]).changes
    assert (change.impact and change.impact.reason) == (
        f"virt-operator goes {words}, and replaces KubeVirt; then it evicts virtual machines that it cannot "
        "live-migrate (workloadUpdateMethods of KubeVirt shop/kubevirt: LiveMigrate, Evict)"
        if words
        else None
    )


CHART = "chart: {spec: {chart: kubevirt, version: 1.2.0, sourceRef: {kind: HelmRepository, name: %s}}}"
APPLICATION = "apiVersion: argoproj.io/v1alpha1, kind: Application, spec: {source: {chart: kubevirt,"
OF_ARGOCD = f"{APPLICATION} targetRevision: 1.2.0, repoURL: 'https://x', helm: {{"
REPOSITORY = "apiVersion: source.toolkit.fluxcd.io/v1, kind: HelmRepository, spec: {url: 'https://x/%s'}"
IN_VALUES = "another image in the values of the chart with virt-operator may be"


@pytest.mark.parametrize(
    ("text", "before", "after", "words"),
    [
        (
            f"{RELEASE}, spec: {{{CHART % 'x'}, values: {{operator: {{image: {{tag: %s}}}}}}}}",
            "a",
            "b",
            IN_VALUES,
        ),
        (f"{RELEASE}, spec: {{{CHART % 'x'}, values: {{operator: {{replicas: %s}}}}}}", "1", "2", ""),
        (
            f"{RELEASE}, spec: {{{CHART}}}",
            "a",
            "b",
            "another repository of the chart with virt-operator may be",
        ),
        (f"{OF_ARGOCD}valuesObject: {{tag: %s}}}}}}}}", "a", "b", IN_VALUES),
        (f'{OF_ARGOCD}values: "operator:\\n  tag: %s"}}}}}}', "a", "b", IN_VALUES),
        (f"{OF_ARGOCD}parameters: [{{name: operator.tag, value: %s}}]}}}}}}", "a", "b", IN_VALUES),
        (f"{OF_ARGOCD}parameters: [{{name: operator.logs, value: %s}}]}}}}}}", "a", "b", ""),
        (
            f"{APPLICATION} targetRevision: 1.2.0, repoURL: 'https://%s'}}}}",
            "a",
            "b",
            "another repository of",
        ),
        (REPOSITORY, "a", "b", "HelmRelease a may install"),
        (REPOSITORY, "", "/", ""),
        (f"{RELEASE}, spec: {{{CHART.replace('kubevirt', 'web') % 'x'}, values: {{tag: %s}}}}", "a", "b", ""),
    ],
)
def test_chart_that_is_made_otherwise_may_be_another_kubevirt(
    text: str, before: str, after: str, words: str
) -> None:
    user = (
        f"{{metadata: {{name: a}}, {RELEASE}, spec: {{{CHART % 'b'}}}}}"
        if text is REPOSITORY
        else "{kind: A}"
    )
    sides = [
        OverlaySide(LATEST, tuple(Resource(yaml.safe_load(one), Site("b.yaml")) for one in (own, user)))
        for own in (f"{{metadata: {{name: b}}, {text % each}}}" for each in (before, after))
    ]
    [change] = compare_overlay("a", "a", sides[0], sides[1]).changes
    assert (change.impact.reason if change.impact else "").startswith(words)
    assert bool(change.impact) is bool(words)


@pytest.mark.parametrize("field", ["imageTag", "imageRegistry"])
@pytest.mark.parametrize(("methods", "effect"), [([], None), (["Evict"], Effect.EVICTED)])
def test_other_images_are_another_kubevirt(field: str, methods: list[str], effect: Effect | None) -> None:
    strategy = {"workloadUpdateStrategy": {"workloadUpdateMethods": methods}}
    found = changes_with("", strategy, {**strategy, field: "other"})
    assert found["KubeVirt"].effects == (effect or Effect.LIVE,)
    machine = found.get("VirtualMachine")
    assert (machine and machine.impact and machine.impact.effect) is effect
