from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from renderer.authoring.new_project.ci_files import CiSystem, ci_system_of
from renderer.authoring.new_project.install_source import Repository
from renderer.authoring.new_project.project_files import Choices, PlannedFiles, plan_project_files
from renderer.emit.ownership import MERGE_ATTRIBUTE
from renderer.files.builtin_catalogs import BuiltinFileSystem
from renderer.files.file_system import MemoryFileSystem
from renderer.kubevirt.facts.unreleased import about_target
from renderer.model.release import LATEST, NEWEST, OLDEST, Release
from renderer.pipeline import Pipeline
from renderer.project.overlays import find_overlays
from renderer.project.project import load_project

PRE_COMMIT = ".pre-commit-config.yaml"
ATTRIBUTES = ".gitattributes"
WORKFLOW = ".github/workflows/vmrender.yml"
ROOT = Path(__file__).parents[4]
SOURCE = Repository("https://github.com/acme/vmrender", "v2.3.4")
RELEASES = [Release.parse(f"1.{minor}") for minor in range(OLDEST.minor, NEWEST.minor + 1)]


def planned(
    ci: CiSystem = CiSystem.NONE,
    present: Mapping[str, str] | None = None,
    *,
    release: Release = LATEST,
    has_overlays: bool = False,
) -> PlannedFiles:
    return plan_project_files(Choices(release, ci, SOURCE), (present or {}).get, has_overlays=has_overlays)


@pytest.mark.parametrize("release", RELEASES, ids=str)
def test_written_files_are_valid_for_every_release(release: Release) -> None:
    files = {path: text.encode() for path, text in planned(release=release).files.items()}
    fs = BuiltinFileSystem(MemoryFileSystem(files))
    config = load_project(fs)
    (overlay,) = find_overlays(fs, config)
    outcome = Pipeline(fs, config).render(overlay)

    assert config.kubevirt == release
    assert outcome.diagnostics == about_target(release)
    assert [str(resource.gvk.kind) for resource in outcome.value] == ["VirtualMachine"]


@pytest.mark.parametrize("ci", CiSystem)
def test_written_files_are_yaml(ci: CiSystem) -> None:
    for path, text in planned(ci).files.items():
        assert path == ATTRIBUTES or isinstance(yaml.safe_load(text), dict)


def test_ownership_files_are_merged_as_their_format_wants() -> None:
    assert planned().files[ATTRIBUTES] == MERGE_ATTRIBUTE
    assert planned(present={ATTRIBUTES: "*.png binary\n"}).additions == {ATTRIBUTES: MERGE_ATTRIBUTE}
    assert planned(present={ATTRIBUTES: f"*.png binary\n{MERGE_ATTRIBUTE}"}).additions == {}


def test_actions_match_our_own_workflows() -> None:
    workflow = ROOT / ".github/workflows/ci.yml"
    if not workflow.exists():
        pytest.skip("not in a checkout")
    pins = re.findall(r"uses: (actions/\S+ # \S+)", planned(CiSystem.GITHUB).files[WORKFLOW])

    assert pins
    assert set(pins) <= set(re.findall(r"uses: (\S+ # \S+)", workflow.read_text(encoding="utf-8")))


def test_differing_file_is_an_obstacle() -> None:
    found = planned(CiSystem.GITHUB, {"vmrender.yaml": "x", WORKFLOW: "name: mine"})
    assert found.in_the_way == ("vmrender.yaml", WORKFLOW)


def test_equal_file_is_not_an_obstacle() -> None:
    before = planned(CiSystem.GITHUB).files
    again = plan_project_files(Choices(LATEST, CiSystem.GITHUB, SOURCE), before.get, has_overlays=True)
    assert again == PlannedFiles({}, {}, ())


def test_files_of_other_tools_are_not_edited() -> None:
    found = planned(CiSystem.GITLAB, {PRE_COMMIT: "repos: []", ".gitlab-ci.yml": "lint: {script: [x]}"})
    assert found.in_the_way == ()
    assert found.additions.keys() == {PRE_COMMIT, ".gitlab-ci.yml"}
    assert found.additions.keys().isdisjoint(found.files)
    added = yaml.safe_load("repos:\n" + found.additions[PRE_COMMIT])
    assert [hook["id"] for hook in added["repos"][0]["hooks"]] == ["vmrender-validate", "vmrender-render"]


def test_existing_addition_is_not_requested_again() -> None:
    entry = planned().files[PRE_COMMIT].replace("2.3.4", "2.3.3")
    assert planned(present={PRE_COMMIT: entry}).additions == {}


def test_project_with_overlays_gets_no_example_overlay() -> None:
    assert planned(has_overlays=True).files.keys() == {"vmrender.yaml", PRE_COMMIT, ATTRIBUTES}


@pytest.mark.parametrize(
    ("remote", "system"),
    [
        ("https://github.com/acme/vms.git", CiSystem.GITHUB),
        ("git@github.com:acme/vms.git", CiSystem.GITHUB),
        ("ssh://git@github.example.com:2222/acme/vms", CiSystem.GITHUB),
        ("https://user:secret@gitlab.com/acme/vms.git", CiSystem.GITLAB),
        ("git@gitlab.example.com:github/vms.git", CiSystem.GITLAB),
        ("https://gitlab-ce.example.com/acme/vms", CiSystem.GITLAB),
        ("https://git.example.com/github/gitlab.git", CiSystem.NONE),
        ("https://notgithub.com/acme/vms", CiSystem.NONE),
        ("/srv/git/github/vms.git", CiSystem.NONE),
        ("../gitlab", CiSystem.NONE),
        ("", CiSystem.NONE),
    ],
)
def test_pipeline_system_is_detected(remote: str, system: CiSystem) -> None:
    assert ci_system_of(remote) is system
