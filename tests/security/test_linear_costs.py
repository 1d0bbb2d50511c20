"""Twice as many lines of a hostile repository take about twice the calls, not four times as many."""

from __future__ import annotations

import sys
from collections import Counter, deque
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pytest

from renderer.adopt.entry_objects import Engine
from renderer.adopt.fit.fit import Fitter
from renderer.adopt.fit.values import FitQuality
from renderer.app.catalogs import project_entries
from renderer.app.cluster_import.entries import entry_files
from renderer.app.lone_file_checks import LoneFileChecks
from renderer.app.migrate import MigratedProject, migrate
from renderer.app.project import Project
from renderer.app.validation_run import ValidationRun
from renderer.authoring.pins import folder as pins
from renderer.authoring.pins.plan import check_effect, patch_of, plan_pins, plan_unpins
from renderer.discovery.survey import survey
from renderer.files.file_system import DelegatingFileSystem, DiskFileSystem, MemoryFileSystem
from renderer.findings.located import Located
from renderer.kustomize.krm import FunctionSubject, FunctionSubjects, ResourceList
from renderer.kustomize.merge_keys.merge_schema import MergeSchema
from renderer.kustomize.merge_keys.missing_elements import missing_elements
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.pin import Pinnable
from renderer.model.release import LATEST
from renderer.model.render_config import OverlayEntry, RenderConfig
from renderer.model.run.work import WorkLimitError, begin_run
from renderer.pipeline import Pipeline
from renderer.project.overlays import find_overlays
from renderer.report import function_results
from renderer.yamlio import events
from renderer.yamlio.decode import decode_documents
from renderer.yamlio.python_parser import PythonParser
from tests.kubevirt_objects import catalog, instancetype, preference, vm

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: m}
spec: {template: {spec: {domain: {devices: {}}}}}
"""
HEADER = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n"
SOURCE = "repoURL: https://git.example.org/acme/fleet.git"


def flux_aliases(number: int) -> Mapping[str, str]:
    """A List of one Kustomization, again and again, in the folder of another."""
    head = (
        "{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, "
        "metadata: {name: %s, namespace: f}, spec: {path: ./%s, sourceRef: {kind: GitRepository, name: r}}}\n"
    )
    aliases = "apiVersion: v1\nkind: List\nitems:\n- &a " + head % ("x", "q") + "- *a\n" * number
    return {"c/k.yaml": aliases, "z/k.yaml": head % ("y", "c"), "q/vm.yaml": VM}


def application_aliases(number: int) -> Mapping[str, str]:
    """A List of one Application, again and again, and machines that it does not deploy."""
    application = (
        "{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: x, namespace: argocd}, "
        f"spec: {{destination: {{namespace: b}}, source: {{{SOURCE}, path: q}}}}}}\n"
    )
    aliases = "apiVersion: v1\nkind: List\nitems:\n- &a " + application + "- *a\n" * number
    return {"apps/k.yaml": aliases, **{f"m{each}/v.yaml": VM for each in range(number // 10)}}


def commented_entries(number: int) -> Mapping[str, str]:
    """A kustomization of comments, above files that it does not list."""
    comments = "".join(f"#- x{each}\n" for each in range(10 * number))
    return {"a/kustomization.yaml": comments, **{f"a/b{each}/v.yaml": VM for each in range(number // 2)}}


def lattice(number: int) -> Mapping[str, str]:
    """Ten layers of kustomizations, each of which lists two of the next layer."""
    width = number // 5
    files = {
        f"{layer}/{each}/kustomization.yaml": "resources: [{0}/{1}, {0}/{2}]\n".format(
            f"../../{layer + 1}", each, (each + 1) % width
        )
        for layer in range(10)
        for each in range(width)
    }
    last = {f"10/{each}/kustomization.yaml": "resources: [../../vm]\n" for each in range(width)}
    return {**files, **last, "vm/kustomization.yaml": "resources: [v.yaml]\n", "vm/v.yaml": VM}


def calls(work: Callable[[], object]) -> int:
    """Return how many functions a call calls, those of Python itself included."""
    count = 0

    def profile(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    begin_run()
    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def written(folder: Path, texts: Mapping[str, str]) -> Path:
    """Write a repository. A file system in memory would go through all paths to list a folder."""
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


@pytest.mark.parametrize("repository", [flux_aliases, application_aliases, commented_entries, lattice])
def test_a_survey_takes_linear_time(tmp_path: Path, repository: Callable[[int], Mapping[str, str]]) -> None:
    _, small, large = (  # the first one imports what it needs
        calls(partial(survey, DiskFileSystem(written(tmp_path / str(number), repository(number)))))
        for number in (10, 150, 300)
    )
    assert large < 2.6 * small


def test_a_catalog_of_many_clusters_is_masked_once(tmp_path: Path) -> None:
    def project(number: int) -> Project:
        clusters = "".join(f"- {{name: c{each}, featureGates: [A]}}\n" for each in range(number))
        files = {"vmrender.yaml": f"{HEADER}clusters:\n{clusters}overlays: [path: o/*/*]\n"}
        overlays = {f"o/c{each}/a{each}/kustomization.yaml": "resources: []\n" for each in range(number)}
        return Project.read(written(tmp_path / str(number), {**files, **overlays, ".git/HEAD": ""}))

    _, few, many = (calls(partial(project_entries, project(number))) for number in (1, 2, 6))
    assert many < 1.5 * few


def test_not_all_pairs_of_a_large_catalog_are_made() -> None:
    def fit(number: int) -> None:
        sizes = (instancetype(f"i{each}") for each in range(number))
        preferences = (preference(f"p{each}", devices=preferred) for each in range(number))
        fitted = Fitter(catalog(*sizes, *preferences), LATEST).fit(machine)
        assert fitted.quality is FitQuality.EXACT
        assert fitted.instancetype

    preferred: Json = {"preferredDiskBus": "virtio"}
    disks: Json = [{"name": "root", "disk": {"bus": "virtio"}}]
    size: dict[str, Json] = {"cpu": {"sockets": 2, "cores": 1, "threads": 1}, "memory": {"guest": "4Gi"}}
    machine = vm("db", {**size, "devices": {"disks": disks}})
    _, small, large = (calls(partial(fit, number)) for number in (10, 100, 200))
    assert large < 2.6 * small


def test_a_lone_file_is_not_checked_with_all_others(tmp_path: Path) -> None:
    def project(number: int) -> Project:
        machine = VM.replace("spec: {", "spec: {instancetype: {name: ours}, ")
        return Project.read(
            written(tmp_path / str(number), {f"v{each}.yaml": machine for each in range(number)})
        )

    def check(project: Project, number: int) -> None:
        checks = LoneFileChecks(ValidationRun(project, None))
        found = [checks.findings(f"v{each}.yaml") for each in range(number)]
        assert all(Code.INSTANCETYPE_NOT_FOUND in {each.code for each in of_file} for of_file in found)

    _, small, large = (calls(partial(check, project(number), number)) for number in (5, 15, 30))
    assert large < 2.6 * small


def test_comments_are_searched_once_for_all_files_that_are_not_listed(tmp_path: Path) -> None:
    def project(number: int) -> Project:
        comments = "".join(f"# - a{each}\n" for each in range(20 * number))
        texts = {f"v{each}.yaml": VM for each in range(number)}
        listed = {
            "vmrender.yaml": f"{HEADER}overlays: [path: o]\n",
            "o/kustomization.yaml": "resources: []\n",
        }
        return Project.read(
            written(tmp_path / str(number), {**listed, **texts, "kustomization.yaml": comments})
        )

    def check(project: Project, number: int) -> None:
        checks = LoneFileChecks(ValidationRun(project, None))
        found = [checks.findings(f"v{each}.yaml") for each in range(number)]
        assert all(Code.NOT_RENDERED in {each.code for each in of_file} for of_file in found)

    _, small, large = (calls(partial(check, project(number), number)) for number in (5, 15, 30))
    assert large < 2.6 * small


def test_migrate_proves_a_build_again_only_if_its_files_change() -> None:
    """Each overlay has a field that must stay: another object copies it."""
    copied = """\
resources: [vm.yaml]
replacements:
- source: {kind: VirtualMachine, fieldPath: spec.running}
  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.state], options: {create: true}}]
"""
    objects = VM.replace("{template", "{running: false, template") + (
        "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"
    )

    def migrated(number: int) -> None:
        texts = {"kustomization.yaml": copied, "vm.yaml": objects}
        files = {f"o/{n}/{name}": text.encode() for n in range(number) for name, text in texts.items()}
        config = RenderConfig(overlays=(OverlayEntry("o/*"),))
        found = migrate(MigratedProject(MemoryFileSystem(files), config, None), ["."])
        assert [(len(each.changes), len(each.warnings)) for each in found] == [(0, 1)] * number

    _, small, large = (calls(partial(migrated, number)) for number in (2, 8, 16))
    assert large < 2.6 * small


@pytest.mark.parametrize("entry", ["- m{}.yaml\n", "- missing\n"])
def test_a_list_of_missing_files_is_read_once(entry: str) -> None:
    def composed(number: int) -> None:
        listed = "resources:\n" + "".join(map(entry.format, range(number)))
        files = MemoryFileSystem({"o/kustomization.yaml": listed.encode()})
        assert Pipeline(files, RenderConfig()).compose("o").failed

    _, small, large = (calls(partial(composed, number)) for number in (10, 100, 200))
    assert large < 2.6 * small


class Counted(DelegatingFileSystem):
    """Files and the folders that were listed."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        super().__init__(MemoryFileSystem(files))
        self.listed: list[str] = []

    def list(self, path: str) -> tuple[str, ...]:
        self.listed.append(path)
        return super().list(path)


def test_a_folder_is_listed_once_for_all_globs() -> None:
    files = Counted({f"o/{each}/kustomization.yaml": b"" for each in range(20)})
    entries = tuple(OverlayEntry(f"o/*{each}") for each in range(20))
    assert len(find_overlays(files, RenderConfig(overlays=entries))) == 20
    assert files.listed == ["o"]


def test_a_folder_is_listed_once_for_all_files_that_it_lacks() -> None:
    files = Counted({"o/kustomization.yaml": b"components: [../a, ../b, ../c, ../d]\n"})
    assert len(Pipeline(files, RenderConfig()).compose("o").diagnostics) == 4
    assert files.listed.count(".") <= 1


def given_items(number: int) -> tuple[Resource, ...]:
    items = Site("-").below("items")
    return tuple(
        Resource(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"c{each}"}}, items.below(each)
        )
        for each in range(number)
    )


def test_items_of_a_function_are_looked_up() -> None:
    def subjects(items: tuple[Resource, ...]) -> list[FunctionSubject | None]:
        subjects = FunctionSubjects(ResourceList(items), "-")
        return [
            subjects.of(Diagnostic.at(item.origin.below("data"), Code.SCHEMA, "")._replace(resource=about))
            for item in items
            for about in (item.current_id, None)
        ]

    items = given_items(300)
    field = FieldPath.of("data")
    assert subjects(items) == [FunctionSubject(item, field) for item in items for _ in range(2)]
    small, large = (calls(partial(subjects, items[:number])) for number in (150, 300))
    assert large < 2.6 * small


def test_results_of_a_function_are_compared_in_a_table() -> None:
    compared: list[object] = []

    class Name(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            compared.append(other)
            return super().__eq__(other)

    def found(name: str) -> function_results.FunctionFinding:
        content: JsonObject = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": Name(name)}}
        subject = FunctionSubject(Resource(content, Site("-")), FieldPath())
        return function_results.FunctionFinding(Located(Code.SCHEMA, "wrong"), subject, ())

    names = [f"c{each}" for each in range(100)]
    results = function_results.write([found(name) for name in (*names, *names)], "-")
    assert [result["resourceRef"] for result in results] == [
        {"apiVersion": "v1", "kind": "ConfigMap", "name": name} for name in names
    ]
    assert len(compared) <= 300


def test_pins_that_are_listed_again_are_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def decoded(content: bytes, path: str) -> tuple[Json, ...]:
        read.append(path)
        return decode_documents(content, path)

    read: list[str] = []
    monkeypatch.setattr(pins, "decode_documents", decoded)
    component = pins.component_text([pins.PinFile("a.yaml", {})] * 100)
    with pytest.raises(DiagnosticError, match="was changed since vmrender pin wrote it"):
        pins.read_folder("o/pins", {"kustomization.yaml": component, "a.yaml": VM.encode()})
    assert read == ["o/pins/kustomization.yaml", "o/pins/a.yaml"]


def test_links_to_a_file_among_pins_are_work(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"#" * 100_000)
    for each in range(100):
        (tmp_path / f"{each}.yaml").symlink_to("large")
    begin_run()
    with pytest.raises(WorkLimitError):
        pins.files_in(DiskFileSystem(tmp_path), ".")


def test_pinned_machines_are_looked_up() -> None:
    def pin_and_unpin(number: int) -> None:
        machines = [Resource(each, Site("vm.yaml")) for each in (vm(f"m{each}") for each in range(number))]
        pin: JsonObject = {"instancetype": {"name": "medium", "revisionName": "medium-1"}}
        pinnables = [Pinnable(each, each, pin) for each in machines]
        planned = plan_pins(pins.PinsFolder("pins"), pinnables, pinnables, lambda _: True)
        pinned = [Resource(patch_of(each, {}), Site("vm.yaml")) for each in pinnables]
        with pytest.raises(DiagnosticError, match="another name"):  # its revision is missing
            check_effect(Outcome(ResourceSet(tuple(pinned))), planned.files, pinnables)
        unpinned = plan_unpins(
            pins.PinsFolder("pins", planned.files), pinnables, pinnables, keeps=lambda _: True
        )
        assert len(planned.files) == number
        assert unpinned.files == ()

    small, large = (calls(partial(pin_and_unpin, number)) for number in (150, 300))
    assert large < 2.6 * small


def test_entries_of_imported_folders_are_looked_up(tmp_path: Path) -> None:
    def written(number: int) -> Mapping[str, bytes]:
        folders = [f"overlays/n{each}" for each in range(number)]
        entries = "".join(f"- path: ./{folder}\n" for folder in folders)
        file = f"apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays:\n{entries}"
        project, imported = Project.with_defaults(tmp_path), dict.fromkeys(folders, False)
        return entry_files(project, Engine.FLUX, "overlays", file.encode(), imported).files

    assert written(3)["flux/vms.yaml"].count(b"path: ./rendered/n") == 3
    small, large = (calls(partial(written, number)) for number in (40, 80))
    assert large < 2.6 * small


def test_elements_that_a_patch_deletes_are_looked_up() -> None:
    schema = MergeSchema({"v1": {"T": "K"}}, {"T": "list[name]"})

    def missing(number: int) -> None:
        there: list[Json] = [{"name": f"a{each}"} for each in range(number)]
        deleted: list[Json] = [{"name": f"b{each}", "$patch": "delete"} for each in range(number)]
        resource = Resource({"apiVersion": "v1", "kind": "K", "list": there}, Site("a.yaml"))
        assert len([*missing_elements(resource, {"list": deleted}, schema)]) == number

    _, few, many = (calls(partial(missing, number)) for number in (1, 50, 150))
    assert many < 3.5 * few


@pytest.mark.parametrize("text", ["a: {not, closed", "a: [not, closed", "a: {b: 'not closed"])
def test_text_that_both_parsers_refuse_is_read_by_the_slow_one_once(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed = Counter[str]()

    def slow_parser(text: str) -> PythonParser:
        parsed[text] += 1
        return PythonParser(text)

    monkeypatch.setattr(events, "_python_parser", slow_parser)
    monkeypatch.setattr(events, "_refused", deque(maxlen=8))
    for path in ("a.yaml", "b.yaml"):  # which also explains the error, and tries a repair
        with pytest.raises(DiagnosticError):
            decode_documents(text.encode(), path)
    assert set(parsed.values()) == {1}
