"""What Argo CD and Flux do again and again for a few lines of a repository counts as work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from time import process_time

import pytest

from renderer.adopt.live.ignored_differences import effective_rules, rules_of_application
from renderer.adopt.live.managed_fields import FieldOwners
from renderer.files.file_system import FileSystem, MemoryFileSystem
from renderer.files.recorder import RecordedFileSystem, Recorder, Task
from renderer.gitops.argocd.directory import DirectoryOptions, manifest_files
from renderer.gitops.argocd.generators.context import ArgoCluster, SetContext
from renderer.gitops.argocd.generators.repository_tree import RepositoryTree
from renderer.gitops.argocd.generators.table import parameter_sets
from renderer.gitops.argocd.parameters import Rendering
from renderer.gitops.flux import generator
from renderer.gitops.flux.artifact import ArtifactFileSystem
from renderer.gitops.flux.composed_artifact import NotComposedError, compose_artifact, requested_artifact
from renderer.gitops.flux.generator import find_or_generate
from renderer.gitops.flux.resource_set import generate_objects
from renderer.gitops.flux.waiting import ReadyFirst
from renderer.gitops.folder_reader import FolderReader
from renderer.gitops.substitution.post_build import Variables
from renderer.gitops.substitution.substitute import _Substitution, substitute
from renderer.kubevirt.facts.confidential import conditions, meant_kinds, parameters, parts
from renderer.kubevirt.facts.lists import field_changes
from renderer.kustomize.compose import Composer
from renderer.kustomize.reader.resources import read_resources
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError, Outcome
from renderer.model.entry_point import ComposedArtifact, EntryKind, EntryOptions, Strictness
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import Reference
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.render_config import OverlayEntry, RenderConfig
from renderer.model.run.limits import lowered
from renderer.model.run.taint import begin_notes, noted_masking
from renderer.model.run.work import WorkLimitError, begin_run, spent
from renderer.model.source_tree import SourceTree
from renderer.pipeline import Pipeline
from renderer.pipeline.argocd_build import ApplicationBuilder
from renderer.pipeline.entry_points import look_up_overlays
from renderer.pipeline.flux_build import BuildContext, FluxBuilds, read_variables
from renderer.pipeline.flux_dependencies import dependencies_first
from renderer.pipeline.run_context import RunContext

FILES = MemoryFileSystem(
    {**{f"d/{number}.yaml": b"" for number in range(50)}, "big.yaml": b"a: [" + b"1," * 3000 + b"1]\n"}
)


def copies(*operations: JsonObject) -> None:
    spec: JsonObject = {
        "sources": [{"alias": "r", "kind": "GitRepository", "name": "r"}],
        "artifacts": [{"name": "a", "copy": list(operations)}],
    }
    metadata: JsonObject = {"name": "g", "namespace": "flux-system"}
    generator = Resource({"kind": "ArtifactGenerator", "metadata": metadata, "spec": spec}, Site("g.yaml"))

    def files(_source: Reference, _folder: str) -> FileSystem:
        return FILES

    request = requested_artifact([generator], "flux-system", "a", files)
    assert request is not None
    compose_artifact(request, "a", files)


def excluded(pattern: str) -> None:
    copies({"from": "@r/d/*", "to": "@artifact/", "exclude": [pattern]})


def merged_again_and_again() -> None:
    over = {"from": "@r/d/1.yaml", "to": "@artifact/x"}
    copies(*[over, {"from": "@r/big.yaml", "to": "@artifact/x", "strategy": "Merge"}] * 20)


def ignored(lines: str) -> None:
    ArtifactFileSystem(FILES, lines).list("d")


def selected_elements() -> None:
    unwanted: Json = [{"key": "n", "operator": "NotIn", "values": [f"z{number}"]} for number in range(100)]
    elements: Json = [{"n": f"x{number}"} for number in range(100)]
    generator: Json = {"list": {"elements": elements}, "selector": {"matchExpressions": unwanted}}
    context = SetContext(RepositoryTree(MemoryFileSystem({})), Rendering(), ())
    parameter_sets(generator, "list", context, {})


def selected_clusters() -> None:
    unwanted: Json = [{"key": "n", "operator": "NotIn", "values": [f"z{number}"]} for number in range(100)]
    clusters = tuple(ArgoCluster(f"c{number}", f"https://c{number}") for number in range(100))
    context = SetContext(RepositoryTree(MemoryFileSystem({})), Rendering(), clusters)
    parameter_sets({"clusters": {"selector": {"matchExpressions": unwanted}}}, "clusters", context, {})


def copied_to_many() -> None:
    objects = read_resources(
        b"apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\nmetadata: {name: s, namespace: a}\n"
        b"spec:\n  inputs: [{n: a}, {n: b}, {n: c}]\n  resources:\n  - apiVersion: v1\n    kind: ConfigMap\n"
        b"    metadata: {name: << inputs.n >>, annotations: {fluxcd.controlplane.io/copyFrom: a/source}}\n"
        b"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: source, namespace: a}\n"
        b"data: {a: " + b"x" * 4000 + b"}\n",
        Site("s.yaml"),
    )
    generate_objects(objects[0], {each.reference: each for each in objects})


def ignored_in_long_lists() -> None:
    paths = [f".spec[].a{number}" for number in range(50)]
    application = {"spec": {"ignoreDifferences": [{"kind": "*", "jqPathExpressions": paths}]}}
    [rule] = rules_of_application(Resource({"kind": "Application", **application}, Site("a.yaml")))
    written: JsonObject = {"spec": [{"name": str(number)} for number in range(100)]}
    rule.without_ignored(written, {"spec": [{"name": str(number), "x": 1} for number in range(100)]}, OWNERS)


def substituted() -> None:
    written: JsonObject = {"kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "${a}" * 30_000}}
    substitute(ResourceSet((Resource(written, Site("c.yaml")),)), Variables({"a": "b"}), Strictness.LENIENT)


def secret_with_variables(count: int) -> ResourceSet:
    data: JsonObject = {f"k{number}": f"${{aVariable{number}}}" for number in range(count)}
    content: JsonObject = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "c"},
        "stringData": data,
    }
    return ResourceSet((Resource(content, Site("c.yaml")),))


def variables_that_many_config_maps_lack() -> None:
    variables = Variables(config_maps=tuple(("a", f"c{number}") for number in range(60)))
    substitute(secret_with_variables(60), variables, Strictness.LENIENT)


def test_names_of_variables_that_seem_to_be_misspelt_are_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []

    def without_letters(word: str, most: int) -> frozenset[str]:
        compared.append(word)
        return meant_kinds.without_letters(word, most)

    monkeypatch.setattr(conditions, "without_letters", without_letters)
    values = {f"otherName{number}": f"a-Value-{number}" for number in range(40)} | {
        "x" * 300: "another-Value"
    }
    begin_notes()
    variables = Variables({**values, "aVarable7": "canary-is-a-bird"}, config_maps=(("a", "c"),))

    substitute(secret_with_variables(40), variables, Strictness.LENIENT)

    assert noted_masking().is_in("canary-is-a-bird")
    assert not noted_masking().is_in("a-Value-7")
    assert len(compared) < 120


def followed_again_and_again() -> None:
    files = MemoryFileSystem({"c/k.yaml": b"kind: A\nmetadata: {name: c}\n"})
    entries = [OverlayEntry("c", entry=EntryOptions(EntryKind.ARGOCD))] * 5
    look_up_overlays(files, RenderConfig(overlays=tuple(entries)))


def variables_of_a_source_that_is_named_again_and_again() -> None:
    data: JsonObject = dict.fromkeys((f"v{number}" for number in range(100)), "a")
    source: JsonObject = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": data}
    named: Json = [{"kind": "ConfigMap", "name": "c"}] * 20
    entry = flux_kustomization("k", "d", postBuild={"substituteFrom": named})
    read_variables(entry, [Resource(source, Site("c.yaml"))], secrets=False)


def read_for_each_source() -> None:
    builds = FluxBuilds(MemoryFileSystem({"d/c.yaml": b"kind: A\nmetadata: {name: c}\n#" + b"x" * 3000}))
    for number in range(40):
        builds.of_source(f"z{number}").compose(flux_kustomization("k", "d"))


def ignored_one_by_one() -> None:
    rules = [{"kind": "*", "jsonPointers": [f"/spec/a{number}"]} for number in range(50)]
    application = {"spec": {"ignoreDifferences": rules}}
    written, live = ({"spec": {f"a{number}": value for number in range(50)}} for value in (1, 2))
    found = rules_of_application(Resource({"kind": "Application", **application}, Site("a.yaml")))
    assert len([*effective_rules(found, written, live, OWNERS)]) == 50


def test_rules_that_change_nothing_cost_little() -> None:
    pointers = [f"/spec/b{number}" for number in range(50)]
    application = {"spec": {"ignoreDifferences": [{"kind": "*", "jsonPointers": pointers}]}}
    [rule] = rules_of_application(Resource({"kind": "Application", **application}, Site("a.yaml")))
    written: JsonObject = {"spec": {"a": 1}}
    assert rule.without_ignored(written, {"spec": {"a": 2}}, OWNERS) is written


OWNERS = FieldOwners(EMPTY)


@pytest.mark.parametrize(
    ("work", "activity"),
    [
        pytest.param(lambda: excluded("{a,b}" * 6), "composing artifacts", id="alternatives"),
        pytest.param(lambda: excluded("a/" * 3000), "composing artifacts", id="a long pattern"),
        pytest.param(merged_again_and_again, "composing artifacts", id="merged files"),
        pytest.param(lambda: ignored("*[a]b\n" * 50), "matching patterns of .sourceignore", id="patterns"),
        pytest.param(lambda: ignored("**/" * 5000), "matching patterns of .sourceignore", id="long patterns"),
        pytest.param(selected_elements, "selecting parameters of ApplicationSets", id="selected elements"),
        pytest.param(selected_clusters, "selecting parameters of ApplicationSets", id="selected clusters"),
        pytest.param(substituted, "substituting variables", id="substituted text"),
        pytest.param(
            variables_that_many_config_maps_lack, "looking for variables in Secrets", id="missing variables"
        ),
        pytest.param(read_for_each_source, "reading resources", id="sources of one repository"),
        pytest.param(followed_again_and_again, "following entry points", id="entry points"),
        pytest.param(
            variables_of_a_source_that_is_named_again_and_again,
            "reading sources of variables",
            id="sources of variables",
        ),
        pytest.param(copied_to_many, "evaluating ResourceSets", id="copied data"),
        pytest.param(
            lambda: [*manifest_files(FILES, "d", DirectoryOptions(recurse=True))] * 20,
            "reading folders of manifests",
            id="listed folders",
        ),
        pytest.param(
            lambda: [*manifest_files(FILES, "d", DirectoryOptions(include="{a,b}" * 800))],
            "matching patterns of folders",
            id="patterns of folders",
        ),
        pytest.param(ignored_one_by_one, "leaving out ignored differences", id="rules of an engine"),
        pytest.param(ignored_in_long_lists, "leaving out ignored differences", id="ignored differences"),
    ],
)
def test_work_is_counted(work: Callable[[], object], activity: str) -> None:
    begin_run()
    with (
        lowered({"work": 700 if "folders of" in activity else 9000}),
        pytest.raises(WorkLimitError) as raised,
    ):
        work()
    assert raised.value.activity == activity


def test_images_that_a_flux_kustomization_sets_are_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def text_of(content: Json, *keys: str) -> str:
        read.append(keys[-1])
        return text_at(content, *keys)

    monkeypatch.setattr(generator, "text_at", text_of)
    images: Json = [{"name": f"i{number % 50}", "newTag": f"{number}"} for number in range(100)]
    folders = FolderReader(MemoryFileSystem({"d/kustomization.yaml": b"images: [{name: i7, newName: x}]\n"}))
    found = object_at(generator.complete(folders, flux_kustomization("k", "d", images=images)).content)
    assert found["images"] == [
        {"name": "i7", "newName": "x", "newTag": "57"},
        *({"name": f"i{number}", "newTag": f"{number + 50}"} for number in range(50) if number != 7),
    ]
    assert read.count("name") <= 101


@pytest.mark.parametrize("pattern", ["{a,b}" * 7, "{a}" * 101])
def test_patterns_with_too_many_alternatives_are_not_taken_to_exclude_nothing(pattern: str) -> None:
    begin_run()
    with pytest.raises(NotComposedError):
        excluded(pattern)


def test_applications_of_one_folder_are_followed_by_one_build_of_it() -> None:
    config_map = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: a}\n"
    folder = {"d/kustomization.yaml": b"resources: [c.yaml]\nnamePrefix: p-\n", "d/c.yaml": config_map}
    source: JsonObject = {"repoURL": "https://git.example.org/fleet.git", "path": "d"}
    content: JsonObject = {"kind": "Application", "metadata": {"name": "a"}, "spec": {"source": source}}
    files = MemoryFileSystem(folder)
    builder, built, costs = ApplicationBuilder(files), [], []
    for _ in range(3):
        begin_run()
        built.append(builder.build(Resource(content, Site("a.yaml")), lambda _url: True).value)
        costs.append(spent())
    assert [each.name for each in built[0]] == ["p-c"]
    assert all(one is other for each in built[1:] for one, other in zip(built[0], each, strict=True))
    assert costs[0] > 0
    assert len({*costs}) == 1


class CountedReads(MemoryFileSystem):
    """Counts how often each file is read."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        super().__init__(files)
        self.counts: Counter[str] = Counter()

    def read(self, path: str) -> bytes:
        self.counts[path] += 1
        return super().read(path)


@pytest.mark.parametrize("options", [False, True], ids=["the same build", "a build for each"])
def test_files_that_applications_of_one_folder_share_are_read_once(*, options: bool) -> None:
    files = {
        "d/kustomization.yaml": b"resources: [c.yaml]\n",
        "d/.argocd-source.yaml": b"{}",
    }
    files["d/c.yaml"] = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: a}\n"
    repository, recorder = CountedReads(files), Recorder()
    fs = RecordedFileSystem(repository, recorder)
    builder = ApplicationBuilder(fs, BuildContext(recorder=recorder))
    asked = []
    for name in ("x", "y", "z"):
        source = {"repoURL": "https://git.example.org/fleet.git", "path": "d"}
        metadata: JsonObject = {"name": name}
        spec: JsonObject = {"source": {**source, "kustomize": {"namePrefix": name}} if options else source}
        application = Resource({"kind": "Application", "metadata": metadata, "spec": spec}, Site("a.yaml"))
        with recorder.using(Task("overlay", name)):
            built = builder.build(application, lambda _url: True)
        asked.append({each.path for each in recorder.inputs(Task("overlay", name)) if each.method == "read"})
        assert [each.name for each in built.value] == [f"{name}c" if options else "c"]
    assert set(repository.counts.values()) == {1}
    assert asked == [{"d/kustomization.yaml", "d/c.yaml", "d/.argocd-source.yaml"}] * 3


def flux_kustomization(name: str, folder: str, **spec: Json) -> Resource:
    content: JsonObject = {
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
        "kind": "Kustomization",
        "metadata": {"name": name, "namespace": "a"},
        "spec": {"path": folder, **spec},
    }
    return Resource(content, Site("k.yaml"))


@pytest.mark.parametrize("has_file", [False, True], ids=["generated", "with a kustomization"])
@pytest.mark.parametrize("options", [False, True], ids=["the same build", "a build for each"])
def test_files_that_flux_kustomizations_of_one_folder_share_are_read_once(
    *, has_file: bool, options: bool
) -> None:
    files = {"d/c.yaml": b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: a}\n"}
    if has_file:
        files["d/kustomization.yaml"] = b"resources: [c.yaml]\n"
    repository, recorder = CountedReads(files), Recorder()
    fs = RecordedFileSystem(repository, recorder)
    builds = FluxBuilds(fs, BuildContext(recorder=recorder))
    asked = []
    for name in ("x", "y", "z"):
        spec: JsonObject = {"namePrefix": name} if options else {}
        with recorder.using(Task("overlay", name)):
            built = builds.of_source().compose(flux_kustomization(name, "d", **spec))
        questions = recorder.inputs(Task("overlay", name))
        asked.append({each.path for each in questions if each.method == "read"})
        assert [each.name for each in built.value] == [f"{name}c" if options else "c"]
    assert max(repository.counts.values()) <= 2  # once to find manifests, and once to build them
    assert asked == [{*files}] * 3


def test_generated_kustomizations_of_one_folder_are_listed_by_each_that_names_it() -> None:
    config_map = b"kind: ConfigMap\nmetadata: {name: c}\n"
    folders = FolderReader(CountedReads({"d/c.yaml": config_map, "e/b.yaml": b"- a\n"}))
    for name in ("x", "y"):
        completed = find_or_generate(folders, "d", Site(name))
        assert completed.content == {"resources": ["./c.yaml"]}
        assert {*completed.sites.values()} == {(Site(name),)}
        with pytest.raises(DiagnosticError) as raised:
            find_or_generate(folders, "e", Site(name))
        assert [each.code for each in raised.value.diagnostics] == [Code.RESOURCE_INVALID]
    assert isinstance(folders.fs, CountedReads)
    assert folders.fs.counts == {"d/c.yaml": 1, "e/b.yaml": 1}


def test_folders_that_an_artifact_copies_are_read_once() -> None:
    config_map = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: a}\n"
    builds = FluxBuilds(MemoryFileSystem({"d/c.yaml": config_map, "d/other.yaml": config_map}))
    artifact = ComposedArtifact("@artifact/a/x", {"e/c.yaml": "d/c.yaml"})
    equal = artifact._replace(files={**artifact.files})
    other = artifact._replace(files={"e/c.yaml": "d/other.yaml"})
    assert builds.of_composed(artifact) is builds.of_composed(equal)
    assert builds.of_composed(other) is not builds.of_composed(artifact)


FLEET = {
    "clusters/prod/apps.yaml": "".join(
        f"""\
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {{name: {name}, namespace: flux-system}}
spec:
  path: ./{name}
  prune: true
  sourceRef: {{kind: GitRepository, name: flux-system}}
  postBuild: {{substitute: {{b: example.org}}}}
"""
        for name in ("infra", "web")
    ),
    "infra/kubevirt.yaml": "apiVersion: kubevirt.io/v1\nkind: KubeVirt\nmetadata: {name: k, namespace: a}\n",
    "web/map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: a}\ndata: {a: '${b}'}\n",
    "web/vm.yaml": """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: a}
spec: {runStrategy: Always, template: {spec: {domain: {devices: {}}}}}
""",
}


def rendering(fleet: FileSystem) -> tuple[Pipeline, Recorder]:
    """Return a run over a fleet that Flux deploys, and the record of what it asks."""
    recorder = Recorder()
    entry = OverlayEntry("clusters/prod", entry=EntryOptions(EntryKind.FLUX, name_prefix="prod"))
    files, config = RecordedFileSystem(fleet, recorder), RenderConfig(overlays=(entry,))
    return Pipeline(files, config, context=RunContext(recorder)), recorder


def test_flux_kustomizations_are_built_once_to_find_and_to_render_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Otherwise each is built to find what it deploys, for what others look up in it, and to render it."""
    fleet = MemoryFileSystem({path: text.encode() for path, text in FLEET.items()})
    overlays = rendering(fleet)[0].found.overlays
    assert [each.path for each in overlays] == ["clusters/prod:infra", "clusters/prod:web"]
    alone, inputs = [], []
    for each in overlays:
        pipeline, recorder = rendering(fleet)
        with recorder.using(Task("overlay", each.path)):
            alone.append(pipeline.render(each))
        inputs.append(recorder.inputs(Task("overlay", each.path)))

    calls = Counter[str]()
    for owner, name in ((Composer, "compose"), (_Substitution, "of")):
        wrapped = getattr(owner, name)

        def counted(*args: object, of: Callable[..., object] = wrapped, name: str = name) -> object:
            calls[name] += 1
            return of(*args)

        monkeypatch.setattr(owner, name, counted)
    pipeline, recorder = rendering(fleet)
    for number, each in enumerate(pipeline.found.overlays):
        with recorder.using(Task("overlay", each.path)):
            assert pipeline.render(each) == alone[number]
        assert recorder.inputs(Task("overlay", each.path)) == inputs[number]
    assert calls == {"compose": 3, "of": 3}  # the root has no variables


def test_applications_are_built_once_to_find_and_to_render_them(monkeypatch: pytest.MonkeyPatch) -> None:
    source = "{repoURL: https://git.example.org/fleet.git, path: %s}"
    application = (
        "{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: %s, namespace: argocd},"
        " spec: {source: %s}}"
    )
    config_map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"
    fleet = MemoryFileSystem(
        {
            path: text.encode()
            for path, text in {
                "root.yaml": application % ("root", source % "apps"),
                "apps/web.yaml": application % ("web", source % "web"),
                "web/kustomization.yaml": "resources: [c.yaml]\n",
                "web/c.yaml": config_map,
            }.items()
        }
    )

    def rendering_by_argo_cd() -> tuple[Pipeline, Recorder]:
        recorder = Recorder()
        entry = OverlayEntry("root.yaml", entry=EntryOptions(EntryKind.ARGOCD, name_prefix="prod"))
        files, config = RecordedFileSystem(fleet, recorder), RenderConfig(overlays=(entry,))
        return Pipeline(files, config, context=RunContext(recorder)), recorder

    pipeline, recorder = rendering_by_argo_cd()
    [overlay] = pipeline.found.overlays
    pipeline, recorder = rendering_by_argo_cd()
    with recorder.using(Task("overlay")):
        alone = pipeline.render(overlay)
    inputs = recorder.inputs(Task("overlay"))

    calls = Counter[str]()
    compose = Composer.compose

    def counted(composer: Composer, tree: SourceTree) -> Outcome[ResourceSet]:
        calls["compose"] += 1
        return compose(composer, tree)

    monkeypatch.setattr(Composer, "compose", counted)
    pipeline, recorder = rendering_by_argo_cd()
    [overlay] = pipeline.found.overlays
    with recorder.using(Task("overlay")):
        assert pipeline.render(overlay) == alone
    assert recorder.inputs(Task("overlay")) == inputs
    assert calls == {"compose": 1}


def test_texts_without_variables_are_searched_once() -> None:
    data: JsonObject = {f"k{number}": "v" for number in range(20_000)}
    resource = Resource({"kind": "ConfigMap", "metadata": {"name": "c"}, "data": data}, Site("c.yaml"))
    began = process_time()
    for number in range(300):
        variables = Variables({"a": str(number)})
        substituted = substitute(ResourceSet((resource,)), variables, Strictness.LENIENT).value
        assert substituted.resources.resources == (resource,)
    assert process_time() - began < 2


def test_objects_that_overlays_share_are_compared_once() -> None:
    data = {f"k{number}": "v" for number in range(20_000)}
    before: JsonObject = {"data": {**data}}
    after: JsonObject = {"data": {**data, "k7": "w"}}
    began = process_time()
    for _ in range(300):
        assert [str(each.field) for each in field_changes(before, after)] == ["data.k7"]
    assert process_time() - began < 2


def test_templates_are_searched_once_for_all_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []
    search = parts.confidential_inputs

    def counted(resource_set: JsonObject) -> frozenset[str]:
        searched.append(text_at(resource_set, "metadata", "name"))
        return search(resource_set)

    for module in (parts, parameters):
        monkeypatch.setattr(module, "confidential_inputs", counted)
    for count in (2, 20):
        made: Json = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a-<< inputs.name >>"}}
        inputs: list[Json] = [{"name": f"n{number}"} for number in range(count)]
        content: JsonObject = {
            "apiVersion": "fluxcd.controlplane.io/v1",
            "kind": "ResourceSet",
            "metadata": {"name": f"of-{count}", "namespace": "a"},
            "spec": {"inputs": inputs, "resources": [made]},
        }
        assert len(generate_objects(Resource(content, Site("s.yaml")), {}).objects) == count
    assert searched.count("of-2") == searched.count("of-20")


class CountedDependencies:
    """A Kustomization that counts how often its dependencies are read."""

    def __init__(self, name: str, *dependencies: str) -> None:
        self.key, self.read = reference(name), 0
        self._depends_on = tuple(map(reference, dependencies))

    @property
    def depends_on(self) -> tuple[Reference, ...]:
        self.read += 1
        return self._depends_on


def reference(name: str) -> Reference:
    return "Kustomization", "flux-system", name


def test_dependencies_of_kustomizations_are_read_once_to_order_them() -> None:
    names = ("a", "b", "c", "d", "e", "f")
    chain = [CountedDependencies(*pair) for pair in pairwise(names)]
    chain += [
        CountedDependencies("f", "f", "elsewhere"),
        CountedDependencies("g", "c"),
        CountedDependencies("h"),
    ]
    ordered = dependencies_first(chain)  # type: ignore[arg-type]  # has what is read of them
    assert "".join(each.key[2] for each in ordered) == "fedcbagh"
    assert {each.read for each in chain} == {1}


def test_what_waits_for_objects_is_looked_at_when_they_are_known() -> None:
    waiting, looks = ReadyFirst[str](), Counter[str]()

    def missing(item: str, *names: str) -> Iterator[Reference]:
        for name in names:
            looks[item] += 1
            yield reference(name)

    waiting.add("both", missing("both", "a", "b"))
    waiting.add("none", missing("none"))
    waiting.add("never", missing("never", "z"))
    waiting.add("one", missing("one", "b"))
    for name in ("x", "a", "y", "b"):
        waiting.note(reference(name))
    assert [waiting.take_ready() for _ in range(4)] == ["both", "none", "one", None]
    assert looks == {"both": 2, "never": 1, "one": 1}
    assert [waiting.take_any(), waiting.take_any()] == ["never", None]
    waiting.note(reference("z"))
    assert waiting.take_ready() is None
