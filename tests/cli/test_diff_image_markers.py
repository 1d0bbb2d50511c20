"""``vmrender diff`` of markers by which Flux's image automation writes images."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.git_work_tree import commit, init, write
from tests.cli.test_diff import FILES, VM, run

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

PLACE = "overlays/prod/vm.yaml"
DISK = VM + '      volumes: [{name: a, containerDisk: {image: "a:1"}}]\n'
MARKED = DISK.removesuffix("\n") + ' # {"$imagepolicy": "flux-system:NAME"}\n'
REASON = "not compared: image automation may write other images from now on: overlays/prod/vm.yaml:"
WORKLOAD = (
    "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n"
    "spec:\n  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}}\n"
    "    spec:\n      containers:\n        - {name: a, image: 'a:1'}"
)
SERVICE = "---\napiVersion: v1\nkind: Service\nmetadata: {name: a, labels: {b: c}} "


@pytest.mark.parametrize(
    ("before", "after", "is_reported"),
    [
        (DISK, MARKED, True),
        (MARKED, MARKED.replace("NAME", "other"), True),
        (MARKED, MARKED.replace("a:1", "a:2"), False),
        (MARKED, DISK, False),
        (DISK + WORKLOAD, DISK + WORKLOAD + ' # {"$imagepolicy": "flux-system:NAME"}\n', False),
        (WORKLOAD[4:] + "\n---\n" + DISK, WORKLOAD[4:] + "\n---\n" + MARKED, True),
        (VM + SERVICE, VM + SERVICE + ' # {"$imagepolicy": "flux-system:NAME"}\n', False),
    ],
)
def test_a_new_marker_at_an_overlay_with_a_container_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, after: str, *, is_reported: bool
) -> None:
    folder = init(tmp_path / "repository")
    monkeypatch.chdir(folder)
    commit(folder, FILES | {PLACE: before})
    write(folder, {PLACE: after})
    assert (REASON in run().stdout) is is_reported


POLICY = """\
apiVersion: image.toolkit.fluxcd.io/v1
kind: ImagePolicy
metadata: {name: NAME, namespace: flux-system}
spec: {imageRepositoryRef: {name: os}, policy: {semver: {range: 1.x}}}
"""
REPOSITORY = """\
apiVersion: image.toolkit.fluxcd.io/v1
kind: ImageRepository
metadata: {name: os, namespace: flux-system}
spec: {image: example.org/os, interval: 1m}
"""
UPDATE = """\
apiVersion: image.toolkit.fluxcd.io/v1
kind: ImageUpdateAutomation
metadata: {name: all, namespace: flux-system}
spec: {suspend: true, sourceRef: {name: fleet}, update: {path: ./overlays}}
"""


#: The file, its text before and after a change, and the object that may write other images then.
CHANGES = [
    ("policy", "1.x", "2.x", "ImagePolicy NAME"),
    ("policy", "name: NAME", "name: other", ""),
    ("repository", "example.org/os", "evil.example.org/os", "ImageRepository os"),
    ("repository", "interval: 1m", "interval: 2m", ""),
    ("update", "suspend: true, ", "", "ImageUpdateAutomation all"),
    ("update", "suspend: true, sourceRef: {name: fleet}, update: {path: ./ov", "update: {path: ./none", ""),
    ("update", "./overlays", "./", ""),
    ("active", "./overlays", "overlays/", ""),
]


@pytest.mark.parametrize("change", CHANGES)
def test_image_automation_that_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: tuple[str, str, str, str]
) -> None:
    name, old, new, who = change
    folder = init(tmp_path / "repository")
    monkeypatch.chdir(folder)
    active = UPDATE.replace("suspend: true, ", "").replace("name: all", "name: active")
    objects = {"policy": POLICY, "repository": REPOSITORY, "update": UPDATE, "active": active}
    commit(folder, FILES | {PLACE: MARKED} | {f"infra/{each}.yaml": objects[each] for each in objects})
    write(folder, {f"infra/{name}.yaml": objects[name].replace(old, new)})
    shown = run().stdout
    assert (f"not compared: {who} may write other images from now on: {PLACE}:" in shown) is bool(who)
    assert who or "may write other images" not in shown
