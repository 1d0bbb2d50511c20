"""A file is judged alike by ``validate``, the hook, ``render``, ``build --validate`` and ``expand``.

The inputs are the repositories of the golden cases, and their files with an object of KubeVirt's, read from
memory: a run takes milliseconds. Of those of an area in which ``validate`` finds the same codes, one is
judged at all doors.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pytest

from renderer.app.build import build, expand_files
from renderer.app.project import Project
from renderer.app.render import RenderMode, RenderRequest, render
from renderer.app.reporter import Silent
from renderer.app.validate import validate
from renderer.files.builtin_catalogs import BuiltinFileSystem
from renderer.files.file_system import STANDARD_INPUT, EditedFiles, MemoryFileSystem
from renderer.findings.located import Located, LocatedError
from renderer.findings.run_findings import locate
from renderer.findings.shared_targets import settled
from renderer.gitops.argocd.directory import DirectoryOptions, read_manifests
from renderer.kustomize.reader.resources import read_resources
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError, Severity
from renderer.model.entry_point import EntryKind
from renderer.model.kube.location import Site
from renderer.model.kustomization import KUSTOMIZATION_FILES
from renderer.model.render_config import PROJECT_FILE, Overlay
from renderer.model.run.work import begin_run
from renderer.pipeline import Pipeline
from renderer.project.project import load_project
from tests.cli.git_work_tree import write
from tests.test_cases import CASES, FOLDERS, Case

Files: TypeAlias = Mapping[str, str]
#: Code, level, file and line; the level is empty where two doors may differ in it.
Key: TypeAlias = tuple[Code, Severity, str, int]

ROOT = Path("/repository")
SETTINGS = 'apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\nkubevirt: "1.9"\n'
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: vms, namespace: argocd}
spec:
  project: default
  source: {repoURL: "https://github.com/acme/fleet", path: plain, targetRevision: HEAD}
  destination: {server: "https://kubernetes.default.svc"}
"""
MANIFESTS = (".yaml", ".yml", ".json")
AREAS = sorted({folder.parent.name for folder in FOLDERS})

#: Only an overlay is expanded or written for certain: elsewhere, what it lacks may be in the cluster.
MAY_BE_IN_THE_CLUSTER = frozenset(
    {
        Code.INSTANCETYPE_NOT_FOUND,
        Code.PREFERENCE_NOT_FOUND,
        Code.REVISION_INVALID,
        Code.UNKNOWN_KIND,
        Code.BUNDLED_NAME,
        Code.SERVER_FIELD,
    }
)
#: kustomize refuses objects without a name, and equal objects; Argo CD does not.
REFUSED_BY_KUSTOMIZE = frozenset({Code.RESOURCE_INVALID, Code.DUPLICATE_ID})
#: Files that only a parameter, another tool or a kustomization completes.
INCOMPLETE = frozenset({Code.NOT_CHECKED, Code.OPENSHIFT_TEMPLATE, Code.UNSUPPORTED_FIELD})
#: ``expand`` prints what the cluster wrote, and removes nothing.
KEPT_BY_EXPAND = ("status", "metadata.managedFields")


def project_of(files: Files) -> Project:
    begin_run()
    content = {path: text.encode("utf-8", "surrogateescape") for path, text in files.items()}
    fs = BuiltinFileSystem(MemoryFileSystem(content))
    return Project(ROOT, fs, load_project(fs))


def keys(findings: Iterable[Located], *ignored: Code) -> set[Key]:
    places = ((each, each.location) for each in findings if each.code not in ignored)
    return {
        (each.code, each.severity, at.path if at else "", (at.line or 0) if at else 0) for each, at in places
    }


def validated(project: Project, *paths: str) -> set[Key]:
    begin_run()
    try:
        return keys(validate(project, paths).findings)
    except DiagnosticError as error:
        return keys(locate(project.fs, error.diagnostics))
    except LocatedError as error:
        return keys(error.diagnostics)


@cache
def repositories(area: str) -> tuple[tuple[str, Files], ...]:
    folders = (folder for folder in FOLDERS if folder.parent.name == area)
    return tuple((folder.relative_to(CASES).as_posix(), Case.read(folder).inputs()) for folder in folders)


def manifests(files: Files) -> list[str]:
    """Return the files that a hook is given, except in hidden folders and in projects of their own."""
    inner = {posixpath.dirname(path) for path in files if posixpath.basename(path) == PROJECT_FILE} - {""}
    return [
        path
        for path in sorted(files)
        if path.endswith(MANIFESTS)
        and not any(path.startswith(f"{folder}/") for folder in inner)
        and not any(part.startswith(".") for part in path.split("/"))
    ]


class Repository(NamedTuple):
    """A repository whose settings can be read, and what ``validate`` finds in the whole of it."""

    name: str
    project: Project
    manifests: list[str]
    whole: set[Key]


@cache
def of_project(area: str) -> tuple[Repository, ...]:
    """Return the repositories of an area that have manifests; several doors are compared with ``whole``."""
    found = []
    for name, files in repositories(area):
        named = manifests(files)
        if named:
            with suppress(DiagnosticError):
                project = project_of({".git": "", **files})
                found.append(Repository(name, project, named, validated(project, ".")))
    return tuple(found)


@pytest.mark.parametrize("area", AREAS)
def test_findings_of_a_project_are_the_findings_of_its_files(area: str) -> None:
    seen = set[frozenset[Code]]()
    for name, project, named, whole in of_project(area):
        if is_known(whole, seen):
            continue
        of_named = {each for each in whole if each[2] in named}
        by_hook = validated(project, *named)
        by_file = set[Key]().union(*(validated(project, path) for path in named))

        assert of_named <= by_hook <= whole, name
        assert of_named <= by_file, name
        # An error that follows from one in another file is reported only without that.
        assert {each for each in by_file if each[0] is not Code.API_VERSION} <= whole, name


@pytest.mark.parametrize("area", AREAS)
def test_render_and_build_say_what_validate_says(area: str) -> None:
    seen = set[frozenset[Code]]()
    for name, project, _, found_by_validate in of_project(area):
        try:
            overlays = project.overlays()
        except DiagnosticError:
            continue
        if is_known(found_by_validate, seen):
            continue
        whole = {(code, path, line) for code, _, path, line in found_by_validate}
        for overlay in overlays:
            found = rendered(project, overlay)
            assert {(code, path, line) for code, _, path, line in found} <= whole, (name, overlay.path)
            if overlay.entry is None or overlay.entry.options.kind is EntryKind.DIRECTORY:
                assert built(project, overlay) == found, (name, overlay.path)


FLUX = """\
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: flux-system, namespace: flux-system}
spec: {url: "https://git.example.org/acme/fleet.git"}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: flux-system, namespace: flux-system}
spec: {path: ./clusters/prod, sourceRef: {kind: GitRepository, name: flux-system}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: vms, namespace: flux-system}
spec: {path: ./vms, sourceRef: {kind: GitRepository, name: flux-system}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: storage, namespace: flux-system}
spec: {path: ./storage, sourceRef: {kind: GitRepository, name: flux-system}}
"""
STORAGE_CLASS = """\
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: example.org/fast
retentionPolicy: Retain
"""
SIZED = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: shop}
spec:
  runStrategy: Always
  instancetype: {name: of-this-cluster}
  template: {spec: {domain: {devices: {}}}}
"""


def test_overlays_that_init_would_list_are_validated_without_a_project_file(tmp_path: Path) -> None:
    files = {
        "clusters/prod/flux-system/gotk-sync.yaml": FLUX,
        "storage/fast.yaml": STORAGE_CLASS,
        "vms/web.yaml": SIZED,
    }
    errors = {
        (Code.UNKNOWN_FIELD, Severity.ERROR, "storage/fast.yaml", 5),
        (Code.INSTANCETYPE_NOT_FOUND, Severity.ERROR, "vms/web.yaml", 6),
    }
    write(tmp_path, files)
    request = RenderRequest(mode=RenderMode.DRY_RUN, use_cache=False, jobs=1)
    found = render(Project.read(tmp_path), request, Silent()).findings
    assert keys(found, Code.TREE_MISSING) == errors
    assert validated(project_of(files), ".") == errors
    in_repository = project_of({".git": "", **files})
    assert {path: validated(in_repository, path) for path in files} == {
        "clusters/prod/flux-system/gotk-sync.yaml": errors,  # what it deploys
        **{path: {each} for each in errors for path in [each[2]]},
    }
    # Anything may be beside a file in a folder that is not a repository.
    assert validated(project_of(files), "storage/fast.yaml") == set()


def rendered(project: Project, overlay: Overlay) -> set[Key]:
    begin_run()
    try:
        pipeline = Pipeline(project.fs, project.config)
        outcome = pipeline.render(overlay)
        found = tuple(settled(outcome.diagnostics, overlay, pipeline.found.overlays, project.fs))
    except DiagnosticError as error:
        found = error.diagnostics
    return keys(locate(project.fs, found), Code.API_VERSION)


def built(project: Project, overlay: Overlay) -> set[Key]:
    try:
        return keys(build(project, ROOT / overlay.path, validate=True).findings, Code.API_VERSION)
    except DiagnosticError as error:
        return keys(locate(project.fs, error.diagnostics), Code.API_VERSION)


def single_files(area: str) -> Iterator[tuple[str, str, str]]:
    """Yield the name, the suffix and the text of files that mention KubeVirt, each text once."""
    seen = set[str]()
    for name, files in repositories(area):
        for path in manifests(files):
            text = files[path]
            base = posixpath.basename(path)
            is_setting = base in (*KUSTOMIZATION_FILES, PROJECT_FILE) or "kind: ClusterFacts" in text
            if "kubevirt.io/" in text and text not in seen and not is_setting:
                seen.add(text)
                yield f"{name}/{path}", ".json" if path.endswith(".json") else ".yaml", text


@pytest.mark.parametrize("area", AREAS)
def test_file_is_judged_alike_in_every_door(area: str) -> None:
    seen = set[frozenset[Code]]()
    for name, suffix, text in single_files(area):
        file = f"plain/f{suffix}"
        lone = project_of({file: text})
        alone = validated(lone, file)
        if is_known(alone, seen):
            continue
        unlisted = project_of({file: text, PROJECT_FILE: SETTINGS})
        assert validated(unlisted, file) == alone, name
        assert validated(unlisted, ".") == alone, name
        assert typed(text, file) == alone, name

        settings = f"{SETTINGS}overlays: [{{path: plain}}]\n"
        plain = project_of({file: text, PROJECT_FILE: settings})
        in_folder = validated(plain, file)
        assert validated(plain, ".") == in_folder, name

        entry = f"{SETTINGS}overlays: [{{argocd: argocd}}]\n"
        deployed = project_of({file: text, "argocd/app.yaml": APPLICATION, PROJECT_FILE: entry})
        if deploys_machines(deployed):
            assert validated(deployed, file) == in_folder, name

        if not is_read_alike(text, file):
            continue
        listing = {"plain/kustomization.yaml": f"resources: [f{suffix}]\n"}
        in_kustomization = validated(project_of({file: text, PROJECT_FILE: settings, **listing}), file)
        if REFUSED_BY_KUSTOMIZE.isdisjoint(codes(in_kustomization)):
            assert merged(in_kustomization) == merged(in_folder), name
            if is_read(lone, file) and INCOMPLETE.isdisjoint(codes(alone | in_folder)):
                assert without_levels(in_folder) == without_levels(alone), name
                assert without_levels(expanded(lone, file)) == without_levels(alone), name


def typed(text: str, file: str) -> set[Key]:
    """Return the findings about a text on standard input, as findings about ``file``."""
    project = project_of({"README.md": ""})
    content = {STANDARD_INPUT: text.encode("utf-8", "surrogateescape")}
    found = validated(project._replace(fs=EditedFiles(content, project.fs)), STANDARD_INPUT)
    return {(code, level, file if path else path, line) for code, level, path, line in found}


def expanded(project: Project, file: str) -> set[Key]:
    try:
        found = expand_files(project, {file: project.fs.read(file)}).findings
    except DiagnosticError as error:
        found = locate(project.fs, error.diagnostics)
    return keys(each for each in found if not str(each.field).startswith(KEPT_BY_EXPAND))


def deploys_machines(project: Project) -> bool:
    try:
        return bool(project.overlays())
    except DiagnosticError as error:
        return all(each.code is not Code.ENTRY_POINT for each in error.diagnostics)


def is_read(project: Project, file: str) -> bool:
    """Return True if the file alone has an object to check."""
    try:
        return bool(validate(project, [file]).files)
    except DiagnosticError:
        return True


def is_read_alike(text: str, file: str) -> bool:
    """Return True if kustomize and Argo CD read the same objects in the same order, or neither can."""
    content = text.encode("utf-8", "surrogateescape")
    try:
        one = read_resources(content, Site(file), generated_names=True)
        fs, folder = MemoryFileSystem({file: content}), posixpath.dirname(file)
        other = read_manifests(fs, folder, DirectoryOptions()).value
    except DiagnosticError:
        return True
    return [each.content for each in one] == [each.content for each in other]


def codes(found: set[Key]) -> set[Code]:
    return {code for code, *_ in found}


def is_known(found: set[Key], seen: set[frozenset[Code]]) -> bool:
    """Note the codes of the findings; return True if others had the same ones."""
    of_these = frozenset(codes(found))
    is_there = of_these in seen
    seen.add(of_these)
    return is_there


def merged(found: set[Key]) -> set[Key]:
    """Return the findings without the line of those that are merged: it is the line of the first object."""
    return {(each[0], each[1], "", 0) if each[0] is Code.SERVER_FIELD else each for each in found}


def without_levels(found: set[Key]) -> set[tuple[Code, int]]:
    return {(code, line) for code, _, _, line in found if code not in MAY_BE_IN_THE_CLUSTER}
