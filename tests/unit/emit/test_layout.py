from __future__ import annotations

from itertools import permutations
from sys import getsizeof

import pytest

from renderer.emit.layout import layout, pieces_of
from renderer.emit.ownership import is_tree_path
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.render_config import BUNDLE, PER_RESOURCE
from renderer.yamlio.decode import decode_documents
from renderer.yamlio.encode import encode


def resource(api_version: str, kind: str, name: str, namespace: str = "", **fields: str) -> Resource:
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return Resource(
        {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}, Site("vm.yaml")
    )


def paths(*resources: Resource) -> list[str]:
    return list(layout(ResourceSet(resources), PER_RESOURCE))


def path_of(kind: str, name: str, namespace: str = "") -> str:
    [path] = paths(resource("v1", kind, name, namespace))
    return path


def test_each_resource_has_a_file_sorted_by_path() -> None:
    files = layout(
        ResourceSet(
            (
                resource("kubevirt.io/v1", "VirtualMachine", "web", "shop"),
                resource("v1", "Namespace", "shop"),
            )
        ),
        PER_RESOURCE,
    )

    assert list(files.items()) == [
        ("_cluster/namespace_shop.yaml", "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n"),
        (
            "shop/virtualmachine_web.yaml",
            "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata:\n  name: web\n  namespace: shop\n",
        ),
    ]


@pytest.mark.parametrize("letter", ["a", "é", "漢", "𝄞"])
def test_long_text_is_kept_in_pieces_of_at_most_512_bytes(letter: str) -> None:
    text = letter * 5000
    pieces = pieces_of(text)

    assert "".join(pieces) == text
    assert max(map(getsizeof, pieces)) <= 512
    written = resource("v1", "ConfigMap", "c", data=text)
    assert layout((written,)) == {"_default/configmap_c.yaml": encode((written.content,))}


def test_a_bundle_keeps_the_order_of_the_set() -> None:
    resources = ResourceSet((resource("v1", "Secret", "b"), resource("v1", "ConfigMap", "a")))

    assert layout(resources, BUNDLE) == {
        "manifests.yaml": (
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: b\n"
            "---\n"
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"
        )
    }


@pytest.mark.parametrize("pattern", [PER_RESOURCE, BUNDLE])
def test_empty_set_has_no_files(pattern: str) -> None:
    assert layout(ResourceSet(), pattern) == {}


@pytest.mark.parametrize(
    ("kind", "name", "namespace", "path"),
    [
        ("Namespace", "system:node", "", "_cluster/namespace_system-node.yaml"),
        ("ConfigMap", "kube-root-ca.crt", "shop", "shop/configmap_kube-root-ca.crt.yaml"),
        ("ConfigMap", "a/../../b", "", "_default/configmap_a-..-..-b.yaml"),
        ("ConfigMap", "ends.", "", "_default/configmap_ends-.yaml"),
        ("ConfigMap", "é\n\0", "", "_default/configmap_---.yaml"),
        ("ConfigMap", "", "", "_default/configmap.yaml"),
        ("Nul", "", "", "_default/nul-.yaml"),
        ("ConfigMap", "x", "..", "--/configmap_x.yaml"),
        ("ConfigMap", "x", ".git", "-git/configmap_x.yaml"),
        ("ConfigMap", "x", "/", "-/configmap_x.yaml"),
        ("ConfigMap", "x", "CON", "con-/configmap_x.yaml"),
        ("ConfigMap", "x", "com1.x", "com1-.x/configmap_x.yaml"),
        ("ConfigMap", "x", "console", "console/configmap_x.yaml"),
        ("ConfigMap", "x", ".vmrender-owned", "-vmrender-owned/configmap_x.yaml"),
    ],
)
def test_names_invalid_on_file_systems_are_escaped(kind: str, name: str, namespace: str, path: str) -> None:
    assert path_of(kind, name, namespace) == path


@pytest.mark.parametrize(
    ("api_version", "kind", "folder"),
    [
        ("kubevirt.io/v1", "VirtualMachine", "_default"),
        ("pool.kubevirt.io/v1beta1", "VirtualMachinePool", "_default"),
        ("instancetype.kubevirt.io/v1beta1", "VirtualMachineClusterPreference", "_cluster"),
        ("instancetype.kubevirt.io/v1beta1", "VirtualMachinePreference", "_default"),
        ("cdi.kubevirt.io/v1beta1", "DataVolume", "_default"),
        ("cdi.kubevirt.io/v1beta1", "CDI", "_cluster"),
        ("apps/v1", "Deployment", "_default"),
        ("rbac.authorization.k8s.io/v1", "ClusterRole", "_cluster"),
        ("constraints.gatekeeper.sh/v1beta1", "MustHaveOwner", "_cluster"),
        ("example.com/v1", "Unknown", "_cluster"),
    ],
)
def test_without_namespace_the_folder_says_whether_there_will_be_one(
    api_version: str, kind: str, folder: str
) -> None:
    assert paths(resource(api_version, kind, "x")) == [f"{folder}/{kind.lower()}_x.yaml"]


def test_a_long_name_is_cut_and_stays_unique() -> None:
    one, other = path_of("ConfigMap", "x" * 253), path_of("ConfigMap", "x" * 252 + "y")

    assert one != other
    assert len(one.removeprefix("_default/")) == len(other.removeprefix("_default/")) == 125


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        (
            [resource("v1", "Service", "web"), resource("serving.knative.dev/v1", "Service", "web")],
            ["_cluster/service_web.yaml", "_default/service_web.yaml"],
        ),
        (
            [
                resource("a.io/v1", "Role", "x"),
                resource("b.io/v1", "Role", "x"),
                resource("a.io/v1", "Role", "y"),
            ],
            ["_cluster/role.a.io_x.yaml", "_cluster/role.b.io_x.yaml", "_cluster/role_y.yaml"],
        ),
        (
            [resource("rbac.io/v1", "ClusterRole", "Admin"), resource("rbac.io/v1", "ClusterRole", "admin")],
            [
                "_cluster/clusterrole.rbac.io_admin-7c1ba947.yaml",
                "_cluster/clusterrole.rbac.io_admin-87698090.yaml",
            ],
        ),
        (
            # The longer form of the first two is what the third is called.
            [resource("a/v1", "K", "x"), resource("b/v1", "K", "x"), resource("c/v1", "K.a", "x")],
            ["_cluster/k.a.c_x.yaml", "_cluster/k.a_x-bc4619e7.yaml", "_cluster/k.b_x.yaml"],
        ),
    ],
)
def test_collisions_do_not_depend_on_the_order(resources: list[Resource], expected: list[str]) -> None:
    for order in permutations(resources):
        assert paths(*order) == expected


def test_each_path_has_its_own_resource() -> None:
    files = layout(
        ResourceSet((resource("b.io/v1", "Role", "x"), resource("a.io/v1", "Role", "x"))), PER_RESOURCE
    )

    assert {path: text.split("\n")[0] for path, text in files.items()} == {
        "_cluster/role.a.io_x.yaml": "apiVersion: a.io/v1",
        "_cluster/role.b.io_x.yaml": "apiVersion: b.io/v1",
    }


def test_equal_ids_with_different_contents_get_two_files() -> None:
    one, other = paths(resource("v1", "Job", "", data="1"), resource("v1", "Job", "", data="2"))

    assert one != other


def test_the_same_resource_twice_is_a_finding() -> None:
    with pytest.raises(DiagnosticError) as raised:
        paths(resource("v1", "ConfigMap", "x", "shop"), resource("v1", "ConfigMap", "x", "shop"))

    [finding] = raised.value.diagnostics
    assert finding.code is Code.DUPLICATE_ID
    assert finding.message == "ConfigMap shop/x occurs twice"
    assert finding.sites == (Site("vm.yaml"),)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("{part}/{namespace}/{kind}_{name}.yaml", "resources/prod/role_x.yaml"),
        ("{group}_{version}_{kind}_{name}.yml", "a.io_v1_role_x.yml"),
        ("{name}/{name}.yaml", "x/x.yaml"),
        ("{namespace}.yaml", "prod.yaml"),
    ],
)
def test_patterns_name_files(pattern: str, path: str) -> None:
    assert list(layout(ResourceSet((resource("a.io/v1", "Role", "x", "prod"),)), pattern)) == [path]


@pytest.mark.parametrize("pattern", ["{name}.yaml", "{kind}/{name}.yaml", "{part}/{group}/{name}.yaml"])
def test_every_pattern_gives_each_resource_its_own_file(pattern: str) -> None:
    versions, kinds, names = (
        ("v1", "a.io/v1", "b.io/v1"),
        ("Role", "Binding"),
        ("x", "X", "", "kustomization"),
    )
    resources = tuple(
        resource(version, kind, name, namespace)
        for version in versions
        for kind in kinds
        for name in names
        for namespace in ("", "prod")
    )
    files = layout(ResourceSet(resources), pattern)

    assert len(files) == len(resources)
    assert all(is_tree_path(path) for path in files)
    assert not any(path.endswith("kustomization.yaml") for path in files)
    assert files == layout(ResourceSet(resources[::-1]), pattern)


def test_encrypted_object_keeps_the_order_of_its_keys_which_its_mac_depends_on() -> None:
    content: JsonObject = {
        "kind": "Secret",
        "apiVersion": "v1",
        "metadata": {"namespace": "shop", "name": "db"},
        "stringData": {"user": "ENC[AES256_GCM,data:dQ==]", "login": "ENC[AES256_GCM,data:bA==]"},
        "sops": {"mac": "ENC[AES256_GCM,data:bQ==]", "age": [{"recipient": "age1", "enc": "-----\nYQ==\n"}]},
    }
    files = layout(ResourceSet((Resource(content, Site("secret.yaml")),)))
    assert files == {
        "shop/secret_db.yaml": """\
kind: Secret
apiVersion: v1
metadata:
  namespace: shop
  name: db
stringData:
  user: ENC[AES256_GCM,data:dQ==]
  login: ENC[AES256_GCM,data:bA==]
sops:
  mac: ENC[AES256_GCM,data:bQ==]
  age:
  - recipient: age1
    enc: |
      -----
      YQ==
"""
    }


def test_file_is_not_skipped_by_argo_cd_because_of_a_text_in_its_object() -> None:
    data: JsonObject = {"script": "# +argocd:skip-file-rendering\necho done"}
    content: JsonObject = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data}
    [text] = layout(ResourceSet((Resource(content, Site("a.yaml")),))).values()
    assert "+argocd:skip-file-rendering" not in text
    assert decode_documents(text.encode(), "a.yaml") == (content,)
