"""What an overlay does to machines of other overlays of its cluster, and not to machines of another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.diff_repositories import PROJECT
from tests.cli.git_work_tree import commit, write
from tests.cli.test_diff import run
from tests.cli.test_diff_readers import ENTRIES, KUSTOMIZATION, SOURCE

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: db, namespace: shop}
spec:
  runStrategy: Always
  template:
    spec:
      domain: {memory: {guest: 1Gi}, devices: {disks: [{name: data, disk: {bus: virtio}}]}}
      volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
"""
CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: shop}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
"""
POLICY = """\
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: deny, namespace: shop}
spec: {podSelector: {}, policyTypes: [Ingress]}
"""
ALLOW = POLICY.replace("name: deny", "name: allow").replace("[Ingress]", "[Ingress], ingress: [{}]")
SETTINGS = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: other}}\n"
#: What a change adds next to the machine, and what is said of it.
CHANGES = [
    ({"deny.yaml": POLICY}, "only some connections to VirtualMachine db are allowed from now on"),
    ({"deny.yaml": POLICY, "allow.yaml": ""}, "only some connections to VirtualMachine db are allowed"),
    ({"new.yaml": VM.replace("name: db", "name: evil")}, "claim data: VirtualMachine db writes to it, too"),
]
PATHS = PROJECT + "overlays: [{path: machines}, {path: secrets}]\n"
UNLISTED = PROJECT + "overlays: [{path: machines}]\n"
CLUSTERS = PROJECT + "clusters: [{name: east}, {name: west}]\n"
IN_EAST = CLUSTERS + "overlays: [{path: machines, cluster: east}, {path: secrets, cluster: east}]\n"
APART = IN_EAST.replace("secrets, cluster: east", "secrets, cluster: west")


def root(cluster: str, *folders: str) -> dict[str, str]:
    """Return the files of a cluster: a root that deploys itself, and what deploys the folders."""
    own = KUSTOMIZATION.replace("NAME", "root").replace("./root", f"./clusters/{cluster}")
    parts = (KUSTOMIZATION.replace("NAME", folder) for folder in folders)
    return {
        f"clusters/{cluster}/root.yaml": own + SOURCE,
        f"clusters/{cluster}/apps.yaml": "".join(parts),
    }


def repository(project: str, files: dict[str, str]) -> dict[str, str]:
    machines = {"machines/db.yaml": VM, "machines/claim.yaml": CLAIM}
    return {"vmrender.yaml": project, **machines, "secrets/settings.yaml": SETTINGS, **files}


@pytest.mark.parametrize(("change", "said"), CHANGES, ids=["policy", "allowed before", "claim"])
@pytest.mark.parametrize(
    "project",
    [PATHS, UNLISTED, IN_EAST, ENTRIES.replace("clusters}", "clusters/east}")],
    ids=["paths", "unlisted", "clusters", "entry"],
)
def test_change_of_an_overlay_harms_a_machine_of_another_one(
    folder: Path, project: str, change: dict[str, str], said: str
) -> None:
    former = {"secrets/allow.yaml": ALLOW} if "allow.yaml" in change else {}
    commit(folder, repository(project, {**root("east", "machines", "secrets"), **former}))
    write(folder, {f"secrets/{name}": text for name, text in change.items()})
    assert said in run().stdout


@pytest.mark.parametrize(("change", "said"), CHANGES, ids=["policy", "allowed before", "claim"])
@pytest.mark.parametrize(
    ("project", "files"),
    [
        (APART, {}),
        (PATHS, {"machines/settings.yaml": SETTINGS}),
        (UNLISTED, {**root("east", "machines"), **root("west", "secrets")}),
    ],
    ids=["other clusters", "two sites", "another root"],
)
def test_machine_of_another_cluster_is_not_concerned(
    folder: Path, project: str, files: dict[str, str], change: dict[str, str], said: str
) -> None:
    former = {"secrets/allow.yaml": ALLOW} if "allow.yaml" in change else {}
    commit(folder, repository(project, {**files, **former}))
    write(folder, {f"secrets/{name}": text for name, text in change.items()})
    assert said not in run().stdout


WITH_ADDRESS = VM.replace(
    "      volumes:", "      networks: [{name: lan, multus: {networkName: lan}}]\n      volumes:"
)
WITH_ADDRESS = WITH_ADDRESS.replace(
    "devices: {", "devices: {interfaces: [{name: lan, bridge: {}, macAddress: '02:00:00:00:00:01'}], "
)
MADE = VM.replace(
    "spec:\n", "spec:\n  dataVolumeTemplates: [{metadata: {name: data}, spec: {storage: {}}}]\n", 1
)


@pytest.mark.parametrize(
    ("machine", "added", "said"),
    [
        (
            WITH_ADDRESS,
            WITH_ADDRESS.replace("name: db", "name: copy"),
            "the MAC address 02:00:00:00:00:01, which VirtualMachine db has, too: ",
        ),
        (MADE, CLAIM, "VirtualMachine db has made it, too (dataVolumeTemplates): "),
    ],
    ids=["address", "disk"],
)
@pytest.mark.parametrize("project", [IN_EAST, APART], ids=["one", "two"])
def test_another_overlay_has_what_a_machine_has(
    folder: Path, project: str, machine: str, added: str, said: str
) -> None:
    commit(folder, {**repository(project, {"machines/db.yaml": machine}), "machines/claim.yaml": SETTINGS})
    write(folder, {"secrets/added.yaml": added})
    assert (said in run().stdout) is (project == IN_EAST)


def test_machine_that_moves_to_another_overlay_does_not_share_its_claim(folder: Path) -> None:
    commit(folder, repository(PATHS, {}))
    (folder / "machines/db.yaml").unlink()
    write(folder, {"secrets/db.yaml": VM})
    assert "writes to it, too" not in run().stdout


KUBEVIRT = """\
apiVersion: kubevirt.io/v1
kind: KubeVirt
metadata: {name: kubevirt, namespace: kubevirt}
spec: {configuration: {permittedHostDevices: {pciHostDevices: [DEVICE]}}}
""".replace("DEVICE", '{pciVendorSelector: "1:2", resourceName: example.org/gpu}')
WITH_GPU = VM.replace("devices: {", "devices: {gpus: [{name: gpu, deviceName: example.org/gpu}], ")
LOST = "permittedHostDevices of the KubeVirt object no longer has example.org/gpu"


@pytest.mark.parametrize("project", [UNLISTED, PATHS], ids=["unlisted", "listed"])
@pytest.mark.parametrize(("cluster", "is_said"), [("east", True), ("west", False)])
def test_kubevirt_object_of_another_folder_configures_the_cluster(
    folder: Path, cluster: str, project: str, *, is_said: bool
) -> None:
    files = root("east", "machines", "secrets") if cluster == "east" else root("west", "secrets")
    kubevirt = {"secrets/kubevirt.yaml": KUBEVIRT, "machines/db.yaml": WITH_GPU}
    commit(folder, repository(project, {**root("east", "machines"), **files, **kubevirt}))
    write(folder, {"secrets/kubevirt.yaml": KUBEVIRT.replace("gpu", "other")})
    assert (LOST in run().stdout) is is_said


SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: db, namespace: shop}
spec: {selector: {vm.kubevirt.io/name: db}, ports: [{port: 5432}]}
"""
HALTED = VM.replace("runStrategy: Always", "runStrategy: Halted")


@pytest.mark.parametrize("project", [UNLISTED, PATHS], ids=["unlisted", "paths"])
@pytest.mark.parametrize(
    ("cluster", "is_said"), [("east", True), ("west", False)], ids=["one root", "another root"]
)
def test_another_folder_of_the_root_applies_the_machine_too(
    folder: Path, project: str, cluster: str, *, is_said: bool
) -> None:
    files = root("east", "machines", "secrets") if cluster == "east" else root("west", "secrets")
    commit(folder, repository(project, {**root("east", "machines"), **files}))
    write(folder, {"secrets/db.yaml": HALTED})
    assert ("changed VirtualMachine shop/db in " in run().stdout) is is_said
    assert run("--fail-on", "restart").exit == is_said


def test_overlays_of_one_root_with_a_common_object_are_of_one_cluster(folder: Path) -> None:
    deployed = {**root("east", "machines", "secrets"), "machines/settings.yaml": SETTINGS}
    commit(folder, repository(PATHS, deployed))
    write(folder, {"secrets/deny.yaml": POLICY})
    assert CHANGES[0][1] in run().stdout


def test_overlays_of_two_roots_are_of_two_clusters(folder: Path) -> None:
    commit(folder, repository(PATHS, {**root("east", "machines"), **root("west", "secrets")}))
    write(folder, {"secrets/deny.yaml": POLICY})
    assert CHANGES[0][1] not in run().stdout


ROOT = KUSTOMIZATION.replace("  targetNamespace: shop\n", "")


def bootstrapped(cluster: str) -> dict[str, str]:
    """Return the files of a cluster as ``flux bootstrap`` makes them, which deploys the machines."""
    sync = ROOT.replace("NAME", "flux-system").replace("./flux-system", f"./clusters/{cluster}")
    machines = KUSTOMIZATION.replace("NAME", "machines")
    return {
        f"clusters/{cluster}/flux-system/gotk-sync.yaml": sync + SOURCE,
        f"clusters/{cluster}/apps.yaml": machines,
    }


def with_instance() -> dict[str, str]:
    """Return the same files with a FluxInstance in place of the root."""
    instance = (
        "apiVersion: fluxcd.controlplane.io/v1\nkind: FluxInstance\n"
        "metadata: {name: flux, namespace: flux-system}\n"
        "spec: {sync: {url: 'https://git.example.org/acme/fleet.git', path: ./clusters/east}}\n"
    )
    return {**bootstrapped("east"), "clusters/east/flux-system/gotk-sync.yaml": instance + SOURCE}


def another_root(folder: str) -> dict[str, str]:
    """Return a root of another name, which deploys itself and the other overlay."""
    own = ROOT.replace("NAME", "team").replace("./team", f"./{folder}")
    return {f"{folder}/root.yaml": own, f"{folder}/apps.yaml": KUSTOMIZATION.replace("NAME", "secrets")}


TWO_ENTRIES = ENTRIES.replace("{flux: clusters}", "{flux: clusters/east}, {flux: tenants/team}")


@pytest.mark.parametrize("bootstrap", [bootstrapped("east"), with_instance()], ids=["root", "instance"])
@pytest.mark.parametrize("project", [PATHS, UNLISTED, TWO_ENTRIES], ids=["paths", "unlisted", "entries"])
@pytest.mark.parametrize(("change", "said"), CHANGES, ids=["policy", "allowed before", "claim"])
def test_two_roots_may_be_of_the_only_cluster_that_is_bootstrapped(
    folder: Path, bootstrap: dict[str, str], project: str, change: dict[str, str], said: str
) -> None:
    former = {"secrets/allow.yaml": ALLOW} if "allow.yaml" in change else {}
    roots = {**bootstrap, **another_root("tenants/team"), "machines/settings.yaml": SETTINGS}
    commit(folder, repository(project, {**roots, **former}))
    write(folder, {f"secrets/{name}": text for name, text in change.items()})
    assert said in run().stdout


@pytest.mark.parametrize("project", [PATHS, UNLISTED, TWO_ENTRIES], ids=["paths", "unlisted", "entries"])
def test_service_of_another_root_of_the_same_cluster_is_judged(folder: Path, project: str) -> None:
    files = {**bootstrapped("east"), **another_root("tenants/team"), "secrets/service.yaml": SERVICE}
    commit(folder, repository(project, files))
    (folder / "secrets/service.yaml").unlink()
    assert "connections to VirtualMachine db by the name or address of this Service" in run().stdout


@pytest.mark.parametrize(
    ("roots", "is_moved"),
    [(another_root("tenants/team"), True), ({**another_root("tenants/team"), **bootstrapped("west")}, False)],
    ids=["one Flux", "two"],
)
def test_machine_moves_to_another_root_of_the_same_cluster(
    folder: Path, roots: dict[str, str], *, is_moved: bool
) -> None:
    files = {**bootstrapped("east"), **roots, "secrets/settings.yaml": SETTINGS}
    commit(folder, repository(TWO_ENTRIES, {**files, "machines/claim.yaml": CLAIM}))
    (folder / "machines/db.yaml").rename(folder / "secrets/db.yaml")
    shown = run().stdout
    assert ("removed VirtualMachine shop/db in " in shown) is not is_moved
    assert ("moved from " in shown) is is_moved


@pytest.mark.parametrize(
    ("files", "is_said"),
    [
        ({**bootstrapped("east"), **bootstrapped("west")}, False),
        ({**bootstrapped("east"), **bootstrapped("west"), **another_root("tenants/team")}, True),
        ({**root("east", "machines"), **another_root("clusters/west")}, False),
        ({**root("east", "machines"), **another_root("tenants/team")}, True),
    ],
    ids=["two clusters", "root of either", "folders of clusters", "unknown"],
)
def test_two_roots_of_several_clusters(folder: Path, files: dict[str, str], *, is_said: bool) -> None:
    west = {"clusters/west/apps.yaml": KUSTOMIZATION.replace("NAME", "secrets")}
    files = {**files, **(west if "clusters/west/apps.yaml" in files else {})}
    if "tenants/team/apps.yaml" in files:
        files.pop("clusters/west/apps.yaml", None)
    commit(folder, repository(PATHS, files))
    write(folder, {"secrets/deny.yaml": POLICY})
    assert (CHANGES[0][1] in run().stdout) is is_said


QUOTA = "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: shop}, spec: SPEC}\n"


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("", "{hard: {pods: 0}}", "VirtualMachine db runs, and pods is 0"),
        ("", '{hard: {requests.memory: "0"}}', "requests.memory is 0"),
        ("{hard: {pods: 5}}", "{hard: {count/pods: 0}}", "count/pods is 0"),
        ("{hard: {pods: 0}}", "{hard: {pods: 0, services: 1}}", ""),
        ("", "{hard: {pods: 1}}", ""),
        ("", "{hard: {pods: 0}, scopes: [BestEffort]}", ""),
        ("", "{limits: [{type: Container, max: {memory: 1Gi}}]}", "memory of a container is at most 1Gi"),
        (
            "{limits: [{type: Container, max: {memory: 1Gi}}]}",
            "{limits: [{type: Pod, max: {memory: 1Gi}}]}",
            "",
        ),
    ],
)
def test_quota_keeps_machines_of_another_overlay_from_starting(
    folder: Path, before: str, after: str, said: str
) -> None:
    quota = QUOTA.replace("ResourceQuota", "LimitRange") if "limits" in after else QUOTA
    former = {"secrets/quota.yaml": quota.replace("SPEC", before)} if before else {}
    commit(folder, repository(UNLISTED, {**root("east", "machines", "secrets"), **former}))
    write(folder, {"secrets/quota.yaml": quota.replace("SPEC", after)})
    found = run("--fail-on", "no-start")
    assert said in found.stdout
    assert found.exit == bool(said)


READ = VM.replace("volumes: [", "volumes: [{name: init, cloudInitNoCloud: {secretRef: {name: init}}}, ")
READ = READ.replace("disks: [", "disks: [{name: init}, ")
INIT = "{apiVersion: v1, kind: Secret, metadata: {name: init, namespace: shop}, stringData: {a: b}}\n"


@pytest.mark.parametrize(
    ("former", "change", "danger"),
    [
        ({}, CHANGES[0][0], "restart"),
        ({}, CHANGES[2][0], "data"),
        ({}, {"quota.yaml": QUOTA.replace("SPEC", "{hard: {pods: 0}}")}, "no-start"),
        ({"service.yaml": SERVICE}, {"service.yaml": SERVICE.replace("5432", "5433")}, "restart"),
        ({"init.yaml": INIT}, {"init.yaml": ""}, "no-start"),
        ({}, {"db.yaml": HALTED}, "restart"),
    ],
    ids=["policy", "claim", "quota", "service", "secret", "same machine"],
)
def test_commit_in_between_is_judged_across_overlays(
    folder: Path, former: dict[str, str], change: dict[str, str], danger: str
) -> None:
    files = {**root("east", "machines", "secrets"), "machines/db.yaml": READ}
    commit(folder, {**repository(UNLISTED, files), **{f"secrets/{name}": former[name] for name in former}})
    commit(folder, {f"secrets/{name}": text for name, text in change.items()})
    commit(folder, {f"secrets/{name}": former.get(name, "") for name in change})
    assert run("HEAD~2..HEAD").exit == 0
    assert run("HEAD~2..HEAD", "--each", "--fail-on", danger).exit == 1
