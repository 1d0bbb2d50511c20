from __future__ import annotations

import os
import subprocess

import pytest
import yaml

from renderer.authoring.catalogs.bundled import bundled_names
from renderer.files.builtin_catalogs import BuiltinFileSystem, builtin_path
from renderer.files.file_system import MemoryFileSystem
from renderer.kubevirt.facts.kinds import INSTANCETYPE, PREFERENCE
from renderer.model.diagnostic import Severity
from renderer.model.release import LATEST, NEWEST, Release, snapshot_of
from renderer.model.render_config import Overlay, RenderConfig
from renderer.pipeline import Pipeline

#: How many there are at the first tag of each minor release, and how many patch releases add.
COUNTS = {
    0: (0, 0),
    1: (38, 28),
    2: (38 + 1, 32),
    3: (39 + 9, 32 + 10),
    4: (48, 42),
    5: (44, 39 + 4),
    6: (55, 54),
    7: (55, 54),
    8: (65, 54),
    9: (65, 54),
    10: (65, 54),
}
#: A clone of KubeVirt with its tags.
KUBEVIRT = os.environ.get("KUBEVIRT_SOURCE", "")
DATA = "pkg/virt-operator/resource/generate/components/data"


@pytest.mark.parametrize("minor", COUNTS)
def test_every_release_has_its_bundled_catalog(minor: int) -> None:
    names = bundled_names(Release.parse(f"1.{minor}"))

    assert (len(names[INSTANCETYPE.cluster_kind]), len(names[PREFERENCE.cluster_kind])) == COUNTS[minor]


def test_newest_release_bundles_the_shipped_catalog() -> None:
    pipeline = Pipeline(BuiltinFileSystem(MemoryFileSystem({})), RenderConfig())
    shipped = pipeline.compose(builtin_path("common-instancetypes")).value
    of_kind = {
        kind: {resource.name for resource in shipped if resource.kind == kind}
        for kind in (INSTANCETYPE.cluster_kind, PREFERENCE.cluster_kind)
    }

    assert {name for name in of_kind[INSTANCETYPE.cluster_kind] if ".custom" not in name} == bundled_names(
        LATEST
    )[INSTANCETYPE.cluster_kind]
    assert of_kind[PREFERENCE.cluster_kind] == bundled_names(LATEST)[PREFERENCE.cluster_kind]


def git(*arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", KUBEVIRT, *arguments], capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.skipif(not KUBEVIRT, reason="KUBEVIRT_SOURCE names no clone of KubeVirt")
@pytest.mark.parametrize("minor", range(1, NEWEST.minor + 1))
def test_names_match_kubevirts_source(minor: int) -> None:
    snapshot = snapshot_of(Release(1, minor))
    tags = [tag for tag in git("tag", "--list", f"v1.{minor}.*").split() if "-" not in tag]
    tags = [snapshot.commit] if snapshot else tags
    found: dict[str, set[str]] = {INSTANCETYPE.cluster_kind: set(), PREFERENCE.cluster_kind: set()}
    for tag in tags:
        files = git("ls-tree", "-r", "--name-only", tag, f"{DATA}/").split()
        for file in (file for file in files if file.endswith("-bundle.yaml")):
            for document in yaml.load_all(git("show", f"{tag}:{file}"), yaml.CSafeLoader):
                found[document["kind"]].add(document["metadata"]["name"])

    assert found == bundled_names(Release.parse(f"1.{minor}"))


SIZE = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: {kind}
metadata: {{name: {name}}}
spec: {{cpu: {{guest: 1}}, memory: {{guest: 1Gi}}}}
"""
CLUSTER = """\
apiVersion: kubevirt.io/v1
kind: KubeVirt
metadata: {{name: kubevirt, namespace: kubevirt}}
spec: {{configuration: {configuration}}}
"""
OFF = "{commonInstancetypesDeployment: {enabled: false}}"
ON = "{commonInstancetypesDeployment: {enabled: true}}"
GATE = "{developerConfiguration: {featureGates: [CommonInstancetypesDeploymentGate]}}"


def warnings(
    *names: str,
    kind: str = "VirtualMachineClusterInstancetype",
    configuration: str | None = None,
    release: str = "1.9",
    write_instancetypes: bool = True,
) -> list[str]:
    objects = [SIZE.format(kind=kind, name=name) for name in names]
    objects += [CLUSTER.format(configuration=configuration)] if configuration else []
    files = {"kustomization.yaml": b"resources: [all.yaml]\n", "all.yaml": "---\n".join(objects).encode()}
    config = RenderConfig()
    overlay: Overlay = config.overlay(config.overlays[0], ".", "prod")._replace(
        kubevirt=Release.parse(release), write_instancetypes=write_instancetypes
    )
    outcome = Pipeline(MemoryFileSystem(files), config).render(overlay)
    assert not outcome.failed
    return [f"{d.code}: {d.message}" for d in outcome.diagnostics if d.severity is Severity.WARNING]


def test_name_deployed_by_the_operator_is_a_warning() -> None:
    assert warnings("mine", "u1.medium") == [
        "bundled-name: u1.medium is a name that the operator of KubeVirt 1.9 deploys itself"
    ]


def test_many_names_give_one_warning() -> None:
    (warning,) = warnings("u1.large", "u1.medium", "u1.small")

    assert warning == (
        "bundled-name: u1.large and 2 other VirtualMachineClusterInstancetypes have names"
        " that the operator of KubeVirt 1.9 deploys itself"
    )


@pytest.mark.parametrize(
    ("release", "configuration", "times"),
    [
        ("1.9", None, 1),
        ("1.9", ON, 1),
        ("1.9", OFF, 0),
        ("1.4", None, 1),
        ("1.4", OFF, 0),
        ("1.3", None, 0),
        ("1.3", GATE, 1),
        ("1.1", GATE, 1),
        ("1.0", GATE, 0),
    ],
)
def test_warning_depends_on_release_and_cluster(release: str, configuration: str | None, times: int) -> None:
    found = warnings("u1.medium", release=release, configuration=configuration)

    assert len(found) == times


def test_objects_not_written_or_not_deployed_are_ignored() -> None:
    assert warnings("u1.medium", write_instancetypes=False) == []
    assert warnings("u1.medium", kind="VirtualMachineInstancetype") == []
    assert warnings("d1.medium", release="1.7") == []
    assert warnings("gn1.xlarge", release="1.9") == []
