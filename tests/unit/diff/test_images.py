"""The images that a change moves: from which tag and digest, to which, and for which objects."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from renderer.diff.compare import compare_overlay
from renderer.diff.images import image_moves
from renderer.diff.overlay_side import OverlaySide
from renderer.kubevirt.facts.image_sources import image_name, url_name
from renderer.model.difference import Difference, ImageMove, ImageName
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.masking import Masking
from renderer.model.release import LATEST
from renderer.report.diff_images import image_rows
from renderer.report.diff_json import write as json_document

VM = "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, spec: {runStrategy: Always, template: {%s}}}"
DISKS = (
    "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, spec: {runStrategy: Always,"
    " dataVolumeTemplates: [{metadata: {name: root}, spec: {%s}}], template: {spec: {domain: {}}}}}"
)
DISK = "{apiVersion: cdi.kubevirt.io/v1beta1, kind: DataVolume, spec: {%s}}"
CRON = "{apiVersion: cdi.kubevirt.io/v1beta1, kind: DataImportCron, spec: {template: {spec: {%s}}}}"
SOURCE = "{apiVersion: cdi.kubevirt.io/v1beta1, kind: DataSource, spec: {%s}}"
DEPLOYMENT = "{apiVersion: apps/v1, kind: Deployment, spec: {template: {spec: {%s}}}}"
CRON_JOB = "{apiVersion: batch/v1, kind: CronJob, spec: {jobTemplate: {spec: {template: {spec: {%s}}}}}}"
CONTAINER = "spec: {volumes: [{name: root, containerDisk: {image: '%s'}}]}"
KERNEL = "spec: {domain: {firmware: {kernelBoot: {container: {image: '%s'}}}}}"
HOOK = 'metadata: {annotations: {hooks.kubevirt.io/hookSidecars: \'[{"image": "%s"}]\'}}'
FEDORA = "quay.io/containerdisks/fedora"
DIGESTS = [f"{FEDORA}:42@sha256:{'1' * 64}", f"{FEDORA}:42@sha256:{'2' * 64}"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (f"{FEDORA}:42", (FEDORA, "42", "")),
        (f"docker://{FEDORA}:42@sha256:abc", (FEDORA, "42", "sha256:abc")),
        (f"{FEDORA}@sha256:abc", (FEDORA, "", "sha256:abc")),
        ("localhost:5000/fedora", ("localhost:5000/fedora", "", "")),
        ("docker://me:pw@registry.example.org/fedora:42", ("***@registry.example.org/fedora", "42", "")),
        ("fedora", ("fedora", "", "")),
    ],
)
def test_reference_has_repository_tag_and_digest(text: str, parts: tuple[str, str, str]) -> None:
    assert image_name(text) == ImageName(*parts)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("https://images.example.org/f/42.qcow2", ("https://images.example.org/f/", "42.qcow2")),
        ("https://me:pw@images.example.org/42.qcow2", ("https://***@images.example.org/", "42.qcow2")),
        (
            "https://images.example.org/42.qcow2?X-Amz-Signature=1#a",
            ("https://images.example.org/", "42.qcow2"),
        ),
        ("https://images.example.org/?token=a/b", ("https://images.example.org", "")),
    ],
)
def test_url_has_a_folder_and_a_file_without_credentials(text: str, parts: tuple[str, str]) -> None:
    assert url_name(text) == ImageName(*parts)


def resource(text: str, name: str = "db") -> Resource:
    content: dict[str, Any] = yaml.safe_load(text)
    return Resource({**content, "metadata": {"name": name, "namespace": "shop"}}, Site("a.yaml"))


def difference(before: list[Resource], after: list[Resource]) -> Difference:
    old, new = OverlaySide(LATEST, tuple(before)), OverlaySide(LATEST, tuple(after))
    return Difference("main", "work tree", (compare_overlay("prod", "prod", old, new),))


@pytest.mark.parametrize(
    ("kind", "before", "after", "row"),
    [
        (VM, CONTAINER % f"{FEDORA}:41", CONTAINER % f"{FEDORA}:42", (FEDORA, "41", "42", "container disk")),
        (
            VM,
            CONTAINER % DIGESTS[0],
            CONTAINER % DIGESTS[1],
            (FEDORA, f"42@sha256:{'1' * 64}", f"42@sha256:{'2' * 64}", "container disk"),
        ),
        (
            VM,
            CONTAINER % f"{FEDORA}:42",
            CONTAINER % "ghcr.io/fedora:42",
            ("ghcr.io/fedora", f"{FEDORA}:42", "ghcr.io/fedora:42", "container disk"),
        ),
        (VM, KERNEL % "k:1", KERNEL % "k", ("k", "1", "no tag", "kernel")),
        (VM, HOOK % "h:1", HOOK % "h:2", ("h", "1", "2", "hook sidecar")),
        (VM, "spec: {}", CONTAINER % "f:1", ("f", "nothing", "1", "container disk")),
        (
            DISKS,
            f"source: {{registry: {{url: 'docker://{FEDORA}:41'}}}}",
            f"source: {{registry: {{url: 'docker://{FEDORA}:42'}}}}",
            (FEDORA, "41", "42", "disk from a registry"),
        ),
        (
            DISKS,
            "sourceRef: {kind: DataSource, name: fedora-41, namespace: images}",
            "sourceRef: {kind: DataSource, name: fedora-42, namespace: images}",
            ("images/fedora-42", "images/fedora-41", "images/fedora-42", "disk from a DataSource"),
        ),
        (
            DISK,
            "source: {http: {url: 'https://a:b@images.example.org/41.qcow2'}}",
            "source: {http: {url: 'https://a:c@images.example.org/42.qcow2'}}",
            ("https://***@images.example.org/", "41.qcow2", "42.qcow2", "disk from http"),
        ),
        (
            CRON,
            f"source: {{registry: {{url: 'docker://{FEDORA}:41'}}}}",
            f"source: {{registry: {{url: 'docker://{FEDORA}:42'}}}}",
            (FEDORA, "41", "42", "disk from a registry"),
        ),
        (SOURCE, "source: {pvc: {name: a}}", "source: {pvc: {name: b}}", ("b", "a", "b", "disk from a pvc")),
        (
            DEPLOYMENT,
            "containers: [{name: web, image: 'web:1'}]",
            "containers: [{name: web, image: 'web:2'}]",
            ("web", "1", "2", "container"),
        ),
        (
            CRON_JOB,
            "initContainers: [{name: web, image: 'web:1'}]",
            "initContainers: [{name: web, image: 'web:2'}]",
            ("web", "1", "2", "container"),
        ),
    ],
)
def test_image_moves_from_and_to(kind: str, before: str, after: str, row: tuple[str, ...]) -> None:
    (found,) = image_rows(difference([resource(kind % before)], [resource(kind % after)]))
    assert found[:4] == row
    assert found.users.endswith(" shop/db")


def test_image_of_a_renamed_disk_has_not_moved() -> None:
    old, new = (DISKS % f"source: {{registry: {{url: 'docker://{FEDORA}:{tag}'}}}}" for tag in (41, 42))
    assert image_rows(difference([resource(old)], [resource(old.replace("root", "boot"))])) == []
    moved = image_rows(difference([resource(old)], [resource(new.replace("root", "boot"))]))
    assert [row[1:3] for row in moved] == [("41", "nothing"), ("nothing", "42")]


def test_equal_moves_are_one_row_with_their_machines() -> None:
    names = [f"vm-{number}" for number in range(5)]
    sides = ([resource(VM % (CONTAINER % f"f:{tag}"), name) for name in names] for tag in (1, 2))
    (row,) = image_rows(difference(*sides))
    assert row.users == (
        "VirtualMachine shop/vm-0, VirtualMachine shop/vm-1, VirtualMachine shop/vm-2 and 2 more"
    )


def test_change_of_the_credentials_alone_is_not_a_move() -> None:
    before, after = (f"source: {{http: {{url: 'https://{user}@a.example/b'}}}}" for user in ("a:b", "a:c"))
    found = difference([resource(DISK % before)], [resource(DISK % after)])
    assert image_rows(found) == []
    assert "images" not in json.loads(json_document(found))["overlays"][0]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("registry.example.org/hunter:two", "registry.example.org/other:3"),
        ("former:secret", "registry.example.org/hunter:two"),
    ],
)
def test_images_on_both_sides_of_a_secret_split_into_name_and_tag_are_masked(before: str, after: str) -> None:
    text = "{apiVersion: v1, kind: Pod, spec: {containers: [{name: web, image: '%s'}]}}"
    [move] = image_moves([(resource(text % before), resource(text % after))], Masking(("hunter:two",)))
    assert (move.before, move.after) == (ImageName("***"), ImageName("***"))


def test_tag_of_a_masked_image_is_masked_too() -> None:
    resources = [resource(VM % (CONTAINER % f"registry.example.org/f:{tag}")) for tag in (1, 2)]
    masked = ImageMove("disk", ImageName("***"), ImageName("***"), resources[1].current_id)
    [overlay] = difference(resources[:1], resources[1:]).overlays

    [row] = image_rows(Difference("a", "b", (overlay._replace(images=(masked,)),)))

    assert row[:3] == ("***", "***", "***")
