"""Cached results of earlier runs never change the result of this one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from renderer.cli.app import main
from renderer.files import recorder
from tests.cli.project_of_everything import FILES, write_project


@dataclass(frozen=True)
class Seen:
    """The output of a run, and the files it leaves."""

    exit_code: int
    stdout: str
    stderr: str
    trees: Mapping[str, bytes]


@dataclass(frozen=True)
class Project:
    root: Path
    cache: Path

    def run(self, *arguments: str) -> Seen:
        with pytest.MonkeyPatch.context() as patched:
            patched.chdir(self.root)
            patched.setenv("XDG_CACHE_HOME", str(self.cache))
            result = CliRunner().invoke(main, arguments, prog_name="vmrender")
        return Seen(result.exit_code, result.stdout, result.stderr, self.trees())

    def trees(self) -> Mapping[str, bytes]:
        return {
            str(path.relative_to(self.root)): path.read_bytes()
            for path in sorted((self.root / "rendered").rglob("*"))
            if path.is_file()
        }

    def is_known(self, overlay: str) -> bool:
        return f"{overlay}: nothing has changed since it was rendered\n" in self.run("render", "-v").stderr

    def entries(self) -> list[Path]:
        return sorted(path for path in self.cache.rglob("*") if path.is_file())


@pytest.fixture(scope="module", params=[None, 1], ids=["few inputs", "all inputs in parts"])
def rendered(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Project]:
    folder = tmp_path_factory.mktemp("cached")
    project = Project(folder / "project", folder / "cache")
    write_project(project.root)
    with pytest.MonkeyPatch.context() as patched:
        if request.param:
            patched.setattr(recorder, "WORTH_SHARING", request.param)
        assert project.run("render").exit_code == 0
        assert project.run("render").exit_code == 0
        yield project


@pytest.fixture
def project(rendered: Project) -> Project:
    """Return a project at the same path: the path is part of the cache key."""
    for folder, kept in ((rendered.root, "project"), (rendered.cache, "cache")):
        copy = rendered.root.parent / f"copy-of-{kept}"
        if not copy.exists():
            shutil.copytree(folder, copy, symlinks=True)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(copy, folder, symlinks=True)
    return rendered


def anew(project: Project, *arguments: str) -> Seen:
    """Return the result without a cache, at the same path, which is restored afterwards."""
    kept = project.root.with_name("kept")
    shutil.copytree(project.root, kept, symlinks=True)
    seen = project.run(*arguments, "--no-cache")
    shutil.rmtree(project.root)
    kept.rename(project.root)
    return seen


def test_unchanged_project_is_a_cache_hit(project: Project) -> None:
    seen = project.run("render", "-v").stderr
    assert seen.count("nothing has changed since it was rendered") == 5
    assert "composed" not in seen


def test_no_cache_neither_reads_nor_writes_entries(project: Project) -> None:
    shutil.rmtree(project.cache)
    assert "composed" in project.run("render", "-v", "--no-cache").stderr
    assert project.entries() == []


def with_other_values(text: str) -> str:
    for before, after in (("Always", "Halted"), ("60", "30"), ("one", "two"), ("guest: 2Gi", "guest: 4Gi")):
        text = text.replace(before, after)
    return text.replace("nightly", "never").replace("berlin", "paris").replace("zone: a", "zone: b")


@pytest.mark.parametrize("path", [path for path, text in FILES.items() if with_other_values(text) != text])
def test_any_change_gives_the_result_without_a_cache(project: Project, path: str) -> None:
    file = project.root / path
    file.write_text(with_other_values(file.read_text()))
    expected = anew(project, "render")
    assert project.run("render") == expected


@pytest.mark.parametrize("empty", [True, False], ids=["empty", "gone"])
@pytest.mark.parametrize("path", FILES)
def test_any_removal_gives_the_result_without_a_cache(project: Project, path: str, *, empty: bool) -> None:
    (project.root / path).unlink()
    if empty:
        (project.root / path).touch()
    expected = anew(project, "render")
    assert project.run("render") == expected


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("overlays/dev/kustomization.yml", "resources: [../../base]\n"),
        ("sizes/kustomization.yml", "resources: [small.yaml]\n"),
        ("overlays/new/kustomization.yaml", "resources: [../../base]\n"),
        ("schemas/other.yaml", FILES["schemas/lan.yaml"].replace("integer", "string")),
        ("clusters/other.yaml", FILES["clusters/sizes.yaml"].replace("small", "s1.large")),
        ("rendered/prod/mine.yaml", "a: b\n"),
        ("rendered/other/.vmrender-owned", "# vmrender-owned 1\n"),
    ],
)
def test_any_addition_gives_the_result_without_a_cache(project: Project, path: str, text: str) -> None:
    file = project.root / path
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    expected = anew(project, "render", "--check"), anew(project, "render")
    assert (project.run("render", "--check"), project.run("render")) == expected


def a_file(tree: Path) -> Path:
    return tree / "_default/virtualmachine_prod-web.yaml"


def replace_by_link(place: Path) -> None:
    place.symlink_to(place.rename(place.with_name("elsewhere")))


TAMPERED: Mapping[str, Callable[[Path], object]] = {
    "edited": lambda tree: a_file(tree).write_text("edited\n"),
    "removed": lambda tree: a_file(tree).unlink(),
    "linked": lambda tree: replace_by_link(a_file(tree)),
    "folder linked": lambda tree: replace_by_link(tree / "_cluster"),
    "tree removed": shutil.rmtree,
    "ownership removed": lambda tree: (tree / ".vmrender-owned").unlink(),
    "ownership edited": lambda tree: (tree / ".vmrender-owned").write_text("# vmrender-owned 1 - a\n"),
}


@pytest.mark.parametrize("tampered", TAMPERED)
def test_any_change_of_a_tree_gives_the_result_without_a_cache(project: Project, tampered: str) -> None:
    TAMPERED[tampered](project.root / "rendered/prod")
    expected = anew(project, "render", "--check"), anew(project, "render")
    assert (project.run("render", "--check"), project.run("render")) == expected


def test_only_affected_overlays_are_rendered(project: Project) -> None:
    (project.root / "overlays/prod/settings.txt").write_text("two\n")
    seen = project.run("render", "-v").stderr
    assert "overlays/prod: 4 resources composed" in seen
    assert seen.count("nothing has changed since it was rendered") == 4


def test_change_of_a_shared_file_affects_all_overlays(project: Project) -> None:
    (project.root / "sizes/small.yaml").write_text(with_other_values(FILES["sizes/small.yaml"]))
    assert "nothing has changed" not in project.run("render", "-v").stderr


def test_unread_file_does_not_invalidate(project: Project) -> None:
    (project.root / "notes.txt").write_text("")
    assert project.is_known("overlays/prod")


def test_failed_overlay_is_not_cached(project: Project) -> None:
    (project.root / "overlays/prod/settings.txt").unlink()
    assert project.run("render").exit_code == 1
    assert "overlays/prod: 0 resources composed" in project.run("render", "-v").stderr


FORGED: Mapping[str, Callable[[bytes, bytes], bytes]] = {
    "that of another overlay": lambda _, other: other,
    "cut": lambda own, _: own[:-1],
    "longer": lambda own, _: own + b" ",
    "another tree": lambda own, _: own.replace(b'"tree":"', b'"tree":"0'),
    "not signed": lambda own, _: own[32:],
    "signed by nobody": lambda own, _: bytes(32) + own[32:],
    "no JSON": lambda own, _: own[:32] + b"{",
    "empty": lambda _, __: b"",
}


@pytest.mark.parametrize("forged", FORGED)
def test_foreign_entries_change_nothing(project: Project, forged: str) -> None:
    files = project.entries()
    contents = [file.read_bytes() for file in files]
    for number, file in enumerate(files):
        file.write_bytes(FORGED[forged](contents[number], contents[number - 1]))
    assert "nothing has changed" not in project.run("render", "--check", "-v").stderr
    assert project.run("render", "--check").exit_code == 0
    assert project.is_known("overlays/dev")


def test_a_key_of_the_repository_signs_nothing(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = Path(os.environ["XDG_STATE_HOME"], "vmrender/cache-key")
    inside = project.root / ".state/vmrender/cache-key"
    inside.parent.mkdir(parents=True)
    inside.write_bytes(outside.read_bytes())
    inside.chmod(0o600)
    monkeypatch.setenv("XDG_STATE_HOME", str(project.root / ".state"))
    result = project.run("render", "--verbose")
    assert "nothing has changed" not in result.stderr
    assert result.stderr.count("the cache is not used: its key would be in this repository") == 1
    assert (
        "usable: no: the key that entries are signed with would be in" in project.run("cache", "info").stdout
    )


def test_environment_settings_are_part_of_the_key(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VMRENDER_ANYTHING", "else")
    assert not project.is_known("overlays/dev")


def test_cache_info_and_clear(project: Project) -> None:
    info = project.run("cache", "info").stdout
    assert f"folder: {project.cache}/vmrender/v1\n" in info
    # Schemas that an earlier test of this process has read are not read through the cache once more.
    size = f"{len(project.entries())} entries, 0."
    assert project.entries()
    assert f"size: {size}" in info
    assert "usable: yes\n" in info
    assert project.run("cache", "clear").stderr.startswith(f"removed {size}")
    assert project.entries() == []
    assert not project.is_known("overlays/dev")


FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {{name: {name}, namespace: flux-system}}
spec: {{interval: 10m, path: ./{name}, prune: true, sourceRef: {{kind: GitRepository, name: fleet}}}}
---
"""
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  destination: {namespace: web}
  sources:
    - {repoURL: "https://git.example.org/fleet.git", path: a}
    - {repoURL: "https://charts.example.org", chart: ingress, targetRevision: 1.0.0}
"""
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n"


DEPLOYED = {
    ".git/config": "",
    "vmrender.yaml": """\
apiVersion: vmrender.io/v1alpha1
kind: RenderConfig
repositories: [https://git.example.org/fleet.git]
overlays:
  - flux: clusters
  - argocd: argocd
""",
    "clusters/source.yaml": """\
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: fleet, namespace: flux-system}
spec: {url: https://git.example.org/fleet.git, interval: 1m}
""",
    "clusters/fleet.yaml": FLUX.format(name="a") + FLUX.format(name="b"),
    "argocd/web.yaml": APPLICATION,
    **{f"{name}/kustomization.yaml": "resources: [one.yaml, two.yaml]\n" for name in "ab"},
    **{f"{folder}/{name}.yaml": CONFIG_MAP.format(name=name) for folder in "ab" for name in ("one", "two")},
}


@pytest.fixture
def deployed(tmp_path: Path) -> Project:
    """A project of two Flux Kustomizations and an Application, rendered until all of it is known."""
    project = Project(tmp_path / "project", tmp_path / "cache")
    for path, text in DEPLOYED.items():
        (project.root / path).parent.mkdir(parents=True, exist_ok=True)
        (project.root / path).write_text(text)
    assert project.run("render").exit_code == 0
    project.run("render")
    assert project.run("render", "-v").stderr.count("nothing has changed since it was rendered") == 3
    return project


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".sourceignore", "b/two.yaml\n"),
        ("a/.sourceignore", "two.yaml\n"),
        ("a/one.yaml", CONFIG_MAP.format(name="other")),
        ("a/kustomization.yaml", "resources: [one.yaml]\n"),
        ("b/kubevirt.yaml", "apiVersion: kubevirt.io/v1\nkind: KubeVirt\nmetadata: {name: kubevirt}\n"),
        ("argocd/web.yaml", f"# a comment\n# or two\n{APPLICATION}"),
        ("argocd/web.yaml", CONFIG_MAP.format(name="first") + "---\n" + APPLICATION),
        ("clusters/fleet.yaml", FLUX.format(name="b") + FLUX.format(name="a")),
    ],
)
def test_any_change_of_an_entry_point_gives_the_result_without_a_cache(
    deployed: Project, path: str, text: str
) -> None:
    (deployed.root / path).write_text(text)
    expected = anew(deployed, "render")
    assert deployed.run("render") == expected


def test_change_of_one_kustomization_leaves_the_others_known(deployed: Project) -> None:
    """The ignore files are looked for in all folders: what these hold besides does not count."""
    file = deployed.root / "a/kustomization.yaml"
    file.write_text(f"{file.read_text()}commonAnnotations: {{a: b}}\n")
    (deployed.root / "docs").mkdir()
    (deployed.root / "docs/notes.md").touch()
    seen = deployed.run("render", "-v").stderr
    known = [line for line in seen.splitlines() if "nothing has changed since it was rendered" in line]
    assert known == ["clusters:b: nothing has changed since it was rendered"]
