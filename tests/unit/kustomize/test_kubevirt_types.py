from __future__ import annotations

from renderer.files.file_system import MemoryFileSystem
from renderer.kustomize.compose import BuildOptions, compose
from renderer.kustomize.reader.load import Loader
from renderer.model.kube.json import Json, array_at, text_at
from renderer.model.render_config import MergeKeys

VM = b"""\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: db}
spec:
  dataVolumeTemplates:
  - metadata: {name: db-root}
    spec: {storage: {resources: {requests: {storage: 10Gi}}}}
  - metadata: {name: db-data}
    spec: {storage: {resources: {requests: {storage: 50Gi}}}}
  template:
    spec:
      domain:
        devices:
          disks:
          - {name: root, disk: {bus: virtio}, bootOrder: 1}
          - {name: data, disk: {bus: virtio}}
      volumes:
      - {name: root, dataVolume: {name: db-root}}
      - {name: data, dataVolume: {name: db-data}}
"""
PATCH = b"""\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: db}
spec:
  dataVolumeTemplates:
  - metadata: {name: db-data}
    spec: {storage: {resources: {requests: {storage: 500Gi}}}}
  template:
    spec:
      domain:
        devices:
          disks:
          - {name: log, disk: {bus: scsi}}
          - {name: data, cache: none}
      volumes:
      - {name: root, $patch: delete}
"""


def patched(merge_keys: MergeKeys, patch: bytes = PATCH) -> Json:
    kustomization = b"resources: [vm.yaml]\npatches: [{path: patch.yaml}]\n"
    files = {"kustomization.yaml": kustomization, "vm.yaml": VM, "patch.yaml": patch}
    outcome = compose(Loader(MemoryFileSystem(files)).load("."), {}, BuildOptions(merge_keys=merge_keys))
    (resource,) = outcome.value
    return resource.content


def test_lists_of_kubevirts_kinds_merge_by_name_and_keep_their_order() -> None:
    vm = patched(MergeKeys.KUBEVIRT)
    assert array_at(vm, "spec", "template", "spec", "domain", "devices", "disks") == [
        {"name": "root", "disk": {"bus": "virtio"}, "bootOrder": 1},
        {"name": "data", "disk": {"bus": "virtio"}, "cache": "none"},
        {"name": "log", "disk": {"bus": "scsi"}},
    ]


def test_templates_of_data_volumes_merge_by_the_name_in_their_metadata() -> None:
    templates = array_at(patched(MergeKeys.KUBEVIRT), "spec", "dataVolumeTemplates")
    sizes = [text_at(each, "spec", "storage", "resources", "requests", "storage") for each in templates]
    assert [text_at(each, "metadata", "name") for each in templates] == ["db-root", "db-data"]
    assert sizes == ["10Gi", "500Gi"]


def test_an_element_can_be_deleted() -> None:
    volumes = array_at(patched(MergeKeys.KUBEVIRT), "spec", "template", "spec", "volumes")
    assert volumes == [{"name": "data", "dataVolume": {"name": "db-data"}}]


def test_lists_are_replaced_by_default_as_in_kustomize() -> None:
    vm = patched(MergeKeys.KUSTOMIZE)
    disks = array_at(vm, "spec", "template", "spec", "domain", "devices", "disks")
    assert [text_at(disk, "name") for disk in disks] == ["log", "data"]


def test_lists_of_kubernetes_kinds_merge_as_in_kustomize() -> None:
    files = {
        "kustomization.yaml": b"resources: [pod.yaml]\npatches: [{path: patch.yaml}]\n",
        "pod.yaml": b"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
        b"spec: {containers: [{name: one, image: a}, {name: two, image: b}]}\n",
        "patch.yaml": b"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
        b"spec: {containers: [{name: two, image: c}]}\n",
    }
    tree = Loader(MemoryFileSystem(files)).load(".")
    kustomize, kubevirt = (compose(tree, {}, BuildOptions(merge_keys=keys)).value for keys in MergeKeys)
    assert [r.content for r in kustomize] == [r.content for r in kubevirt]
    (pod,) = kubevirt
    assert [text_at(c, "name") for c in array_at(pod.content, "spec", "containers")] == ["two", "one"]
