"""Limits on what few lines may expand to, and who may change them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st
from yaml import YAMLError
from yaml.events import DocumentEndEvent, NodeEvent

from renderer.adopt.live.managed_fields import FieldOwners
from renderer.checks.schemas.registry import SchemaRegistry
from renderer.cli.app import main
from renderer.cli.options import apply_limits
from renderer.emit.check import check_tree
from renderer.emit.layout import layout
from renderer.files.file_system import DiskFileSystem, MemoryFileSystem
from renderer.files.git_repository import GitRepository
from renderer.findings.locator import Locator
from renderer.findings.public_lines import public_lines
from renderer.kubevirt.impact import guest_view
from renderer.kubevirt.impact.guest_machine import GuestCluster, GuestMachine
from renderer.kustomize.variables import expand_references
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube import list_elements
from renderer.model.kube.field_path import ElementName, FieldPath
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.list_elements import element_text
from renderer.model.kube.location import Location, Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.render_config import RenderConfig
from renderer.model.run.limits import (
    DEFAULTS,
    FIELDS,
    VARIABLE,
    limit_text,
    limits,
    lower,
    lowered,
    set_maximum,
)
from renderer.model.run.work import begin_run, spent
from renderer.model.suggest import suggest
from renderer.pipeline import Pipeline
from renderer.project.overlays import find_overlays
from renderer.project.project import load_project
from renderer.provenance import paths
from renderer.yamlio.decode import decode_documents, most_values
from renderer.yamlio.events import BACKEND, Backend
from renderer.yamlio.nodes import Node, Source
from renderer.yamlio.python_parser import PythonParser
from tests.security.git_history import committed, git

ROOT = Path(__file__).parents[2]
COMPONENT = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n"
FOO = "apiVersion: x/v1\nkind: Foo\nmetadata: {name: c}\nspec: {a: bbbb}\n"


@pytest.fixture(autouse=True)
def _own_context() -> Iterator[None]:
    """Limits that a test sets end with it."""
    before = limits()
    yield
    set_maximum(before._asdict())


def built(files: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """Return the messages for the folder ``o``."""
    fs = MemoryFileSystem({path: text.encode() for path, text in files.items()})
    return Pipeline(fs, RenderConfig()).compose("o").diagnostics


def the_limit(files: Mapping[str, str]) -> str:
    """The limit that the one finding names."""
    (found,) = built(files)
    assert found.code is Code.BUILD_LIMIT
    assert found.sites
    assert found.hint is not None
    return found.hint.split()[2]


# Input that multiplies itself.


def copies() -> dict[str, str]:
    operations = "".join(f"    - {{op: copy, from: /spec, path: /spec/x{n}}}\n" for n in range(60))
    patches = f"resources: [r.yaml]\npatches:\n- target: {{kind: Foo}}\n  patch: |-\n{operations}"
    return {"o/kustomization.yaml": patches, "o/r.yaml": FOO}


def replacements_of_trees() -> dict[str, str]:
    each = "".join(
        f"- source: {{kind: Foo, fieldPath: spec}}\n"
        f"  targets: [{{select: {{kind: Foo}}, fieldPaths: [spec.x{n}], options: {{create: true}}}}]\n"
        for n in range(60)
    )
    return {"o/kustomization.yaml": f"resources: [r.yaml]\nreplacements:\n{each}", "o/r.yaml": FOO}


def replacements_of_texts() -> dict[str, str]:
    options = "{delimiter: '-', index: 999}"
    paths = ", ".join(["spec.a"] * 60)
    target = f"{{select: {{kind: Foo}}, fieldPaths: [{paths}], options: {options}}}"
    each = f"- source: {{kind: Foo, fieldPath: spec.a}}\n  targets: [{target}]\n"
    return {"o/kustomization.yaml": f"resources: [r.yaml]\nreplacements:\n{each * 60}", "o/r.yaml": FOO}


def variables() -> dict[str, str]:
    text = "a: '" + "x" * 20_000 + "'\n  b: '" + "$(V)" * 20_000 + "'\n"
    config_map = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata:\n  {text}"
    variable = (
        "- name: V\n  objref: {kind: ConfigMap, name: c, apiVersion: v1}\n  fieldref: {fieldpath: data.a}\n"
    )
    return {
        "o/kustomization.yaml": f"resources: [r.yaml]\nconfigurations: [c.yaml]\nvars:\n{variable}",
        "o/c.yaml": "varReference:\n- path: data\n  kind: ConfigMap\n",
        "o/r.yaml": config_map,
    }


def one_file_many_times() -> dict[str, str]:
    listed = "".join(f"  - k{n}=f.txt\n" for n in range(5000))
    return {
        "o/kustomization.yaml": f"configMapGenerator:\n- name: c\n  files:\n{listed}",
        "o/f.txt": "x" * 100_000,
    }


def one_file_merged_many_times() -> dict[str, str]:
    merges = "".join(f"- {{name: c, behavior: merge, files: [k{n}=f.txt]}}\n" for n in range(1000))
    return {
        "o/kustomization.yaml": f"configMapGenerator:\n- name: c\n  literals: [a=b]\n{merges}",
        "o/f.txt": "x" * 100_000,
    }


@pytest.mark.parametrize(
    "files",
    [
        copies,
        replacements_of_trees,
        replacements_of_texts,
        variables,
        one_file_many_times,
        one_file_merged_many_times,
    ],
)
def test_additions_of_patches_are_bounded(files: Callable[[], dict[str, str]]) -> None:
    set_maximum({"added_size": 1_000_000})  # 64 times the input takes 64 times as long

    assert the_limit(files()) == "addedSize"


def doubling_bases(levels: int) -> dict[str, str]:
    files = {"o/kustomization.yaml": "resources: [../b0]\n"}
    files |= {"leaf/kustomization.yaml": "resources: [r.yaml]\n", "leaf/r.yaml": CONFIG_MAP}
    for level in range(levels):
        below = f"../b{level + 1}" if level < levels - 1 else "../leaf"
        files[f"b{level}/kustomization.yaml"] = f"resources: [../p{level}, ../q{level}]\n"
        files |= {
            f"{name}{level}/kustomization.yaml": f"namePrefix: {name}\nresources: [{below}]\n"
            for name in "pq"
        }
    return files


def test_bases_that_multiply_resources_are_bounded() -> None:
    set_maximum({"resources": 1000})

    assert the_limit(doubling_bases(15)) == "resources"


def test_nested_bases_are_bounded_and_their_findings_are_not_repeated() -> None:
    found = built(doubling_bases(30))

    assert {each.code for each in found} == {Code.BUILD_LIMIT}
    assert len(found) == 2  # each of the last two lists an entry that is too deep


def test_allowed_number_of_bases_is_built() -> None:
    depth = limits().base_depth
    files = {f"b{n}/kustomization.yaml": f"resources: [../b{n + 1}]\n" for n in range(1, depth)}
    files["o/kustomization.yaml"] = "resources: [../b1]\n"
    files[f"b{depth}/kustomization.yaml"] = "resources: [r.yaml]\n"
    files[f"b{depth}/r.yaml"] = CONFIG_MAP

    assert built(files) == ()


def test_components_that_multiply_resources_are_bounded() -> None:
    set_maximum({"kustomizations": 500})
    files = {"o/kustomization.yaml": "resources: [r.yaml]\ncomponents: [../c0]\n", "o/r.yaml": CONFIG_MAP}
    for level in range(30):
        inner = f"components: [../c{level + 1}, ../c{level + 1}]\n" if level < 29 else "namePrefix: a\n"
        files[f"c{level}/kustomization.yaml"] = COMPONENT + inner

    assert the_limit(files) == "kustomizations"


def test_warnings_of_a_base_that_is_used_twice_are_not_repeated() -> None:
    files = {
        "leaf/kustomization.yaml": "commonLabels: {a: b}\n",
        "o/kustomization.yaml": "resources: [../b0]\n",
    }
    for level in range(30):
        below = f"../b{level + 1}" if level < 29 else "../leaf"
        files[f"b{level}/kustomization.yaml"] = f"resources: [{below}, {below}]\n"

    (warning,) = built(files)
    assert warning.code is Code.DEPRECATED


def test_patch_nesting_is_bounded() -> None:
    operations = "".join("    - {op: copy, from: /spec, path: /spec/a}\n" for _ in range(400))
    patches = f"resources: [r.yaml]\npatches:\n- target: {{kind: Foo}}\n  patch: |-\n{operations}"

    assert the_limit({"o/kustomization.yaml": patches, "o/r.yaml": FOO}) == "nesting"


@pytest.mark.parametrize(
    "field",
    [
        'patches:\n- target: {kind: Foo}\n  patch: \'[{"op": "add", "path": "'
        + "/a" * 5000
        + '", "value": 1}]\'',
        "replacements:\n- sourceValue: x\n  targets: [{select: {kind: Foo}, fieldPaths: [spec"
        + ".a" * 5000
        + "], options: {create: true}}]",
    ],
)
def test_long_paths_are_refused(field: str) -> None:
    (found,) = built({"o/kustomization.yaml": f"resources: [r.yaml]\n{field}\n", "o/r.yaml": FOO})

    assert "more than 100" in found.message


def test_long_names_are_refused_where_they_are_read_and_where_they_grow() -> None:
    long = CONFIG_MAP.replace("name: c", f"name: {'c' * 1025}")

    assert the_limit({"o/kustomization.yaml": "resources: [r.yaml]\n", "o/r.yaml": long}) == "nameLength"
    prefix = f"resources: [r.yaml]\nnamePrefix: {'p' * 1024}\n"
    assert the_limit({"o/kustomization.yaml": prefix, "o/r.yaml": CONFIG_MAP}) == "nameLength"


def test_operations_cost_what_they_change_and_not_the_whole_object() -> None:
    """Each patch adds an element to a list that all earlier patches have extended."""
    value = ",".join(["1"] * 300)
    files = {
        "o/kustomization.yaml": "resources: [r.yaml]\npatches:\n"
        + "- {path: p.yaml, target: {kind: Foo}}\n" * 150,
        "o/r.yaml": FOO.replace("bbbb", "[]"),
        "o/p.yaml": f"- {{op: add, path: /spec/a/-, value: [{value}]}}\n",
    }
    steps = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal steps
        steps += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        assert built(files) == ()
    finally:
        sys.setprofile(before)
    assert steps < 500_000


# The inputs that are read.


def test_a_file_is_not_read_beyond_the_limit(tmp_path: Path) -> None:
    with (tmp_path / "sparse.yaml").open("wb") as file:
        file.truncate(1 << 40)  # a terabyte of zeros

    with pytest.raises(DiagnosticError) as error:
        DiskFileSystem(tmp_path).read("sparse.yaml")

    (found,) = error.value.diagnostics
    assert (found.code, found.message) == (Code.YAML_LIMIT, "the file is larger than 33554432 bytes")


@pytest.mark.parametrize("size", [99, 100, 101])
def test_a_file_may_be_as_large_as_the_limit(tmp_path: Path, size: int) -> None:
    set_maximum({"file_size": 100})
    (tmp_path / "f").write_bytes(b"x" * size)

    if size <= 100:
        assert len(DiskFileSystem(tmp_path).read("f")) == size
    else:
        with pytest.raises(DiagnosticError):
            DiskFileSystem(tmp_path).read("f")


def test_standard_input_is_not_read_beyond_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "fileSize=1Ki")

    result = CliRunner().invoke(main, ["expand", "-"], input="#" * 2000)

    assert result.exit_code == 2
    assert "the file is larger than 1024 bytes" in result.stderr


def test_an_object_in_git_is_not_read_beyond_the_limit(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", "-C", tmp_path, *identity, *arguments], check=True, capture_output=True)

    git("init")
    (tmp_path / "large").write_bytes(b"x" * 5000)
    (tmp_path / "small").write_bytes(b"x")
    git("add", ".")
    git("commit", "-m", "a")
    set_maximum({"file_size": 1000})
    with GitRepository(tmp_path, os.environ) as repository:
        tree = repository.tree("HEAD")

        with pytest.raises(DiagnosticError) as error:
            tree.read("large")
        small = tree.read("small")  # git is asked anew

    (found,) = error.value.diagnostics
    assert (found.code, found.location, small) == (Code.YAML_LIMIT, Location("large"), b"x")


def test_overlay_with_too_much_text_is_refused() -> None:
    set_maximum({"output_size": 100})
    resources = ResourceSet((Resource({"kind": "A", "data": "x" * 100}, Site("a.yaml")),))

    with pytest.raises(DiagnosticError) as error:
        layout(resources)

    (found,) = error.value.diagnostics
    assert (found.code, found.sites) == (Code.BUILD_LIMIT, (Site("a.yaml"),))


def test_overlay_with_too_much_text_hides_no_finding_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = f"{{apiVersion: v1, kind: ConfigMap, metadata: {{name: large}}, data: {{a: {'x' * 3000}}}}}\n"
    files = {
        "o/kustomization.yaml": "resources: [large.yaml]\n",
        "o/large.yaml": large,
        "p/kustomization.yaml": "resources: [absent.yaml]\n",
    }
    project = PROJECT.replace("[path: o]", "[{path: o}, {path: p}]")
    monkeypatch.chdir(_project_of(tmp_path, {"vmrender.yaml": project, **files}))
    monkeypatch.setenv(VARIABLE, "outputSize=2000")

    result = CliRunner().invoke(main, ["render"])

    assert "error[build-limit]" in result.stderr
    assert "o/large.yaml" in result.stderr
    assert "p/kustomization.yaml" in result.stderr
    assert not (tmp_path / "rendered").exists()


def test_chains_of_links_are_bounded(tmp_path: Path) -> None:
    (tmp_path / "0").write_text("x", encoding="utf-8")
    for number in range(1500):
        (tmp_path / str(number + 1)).symlink_to(str(number))
    fs = DiskFileSystem(tmp_path)

    assert not fs.is_file("1500")
    with pytest.raises(DiagnosticError):
        fs.read("1500")
    assert fs.read("5") == b"x"


def test_aliases_of_long_texts_are_bounded() -> None:
    text = "a: &a " + "x" * 1000 + "\nb: [" + "*a, " * 50 + "]\n"
    set_maximum({"file_size": 20_000})

    with pytest.raises(DiagnosticError) as error:
        decode_documents(text.encode(), "f")

    assert error.value.diagnostics[0].code is Code.YAML_LIMIT


@pytest.mark.parametrize(
    "text", ["- a\n" * 40, "{a: b, " * 20 + "}" * 20, "a: 1\n---\n" * 20, "k: [1, 2, 3]\n"]
)
def test_values_are_counted_over_all_documents(text: str) -> None:
    set_maximum({"values": 3})

    with pytest.raises(DiagnosticError) as error:
        decode_documents(text.encode(), "f")

    assert error.value.diagnostics[0].message == "the file holds more than 3 values"


def values(text: str, backend: Backend) -> int:
    """Return the number of values in the first document, or in what can be read of it."""
    source, nodes = backend(text), 0
    try:
        while (event := source.get_event()) and not isinstance(event, DocumentEndEvent):
            nodes += isinstance(event, NodeEvent)
    except (YAMLError, ValueError):
        pass
    return nodes


#: Text between two commas; a bare value, which hides the most, is more frequent.
ENTRIES = st.sampled_from(["{0}", "{0}", "? {0}", ": {0}", "{0}: ", "{0}: {1}", "? {0} : {1}"])


def in_brackets(value: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Collections in brackets and braces, with every kind of entry in its shortest form."""
    entries = st.lists(st.builds(str.format, ENTRIES, value, value), min_size=1, max_size=5).map(",".join)
    return st.builds(str.format, st.sampled_from(["[{}]", "{{{}}}"]), entries)


def on_lines(value: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """A value after block indicators, on one line or several."""
    indicators = st.lists(st.sampled_from(["- ", "? ", "a: ", "-\t"]), max_size=4).map("".join)
    return st.lists(st.tuples(indicators, value).map("".join), min_size=1, max_size=3).map("\n".join)


FLOW = in_brackets(st.recursive(st.sampled_from(["a", "'b'", "!t"]), in_brackets, max_leaves=3))
ANYTHING = st.text(alphabet="ab:?,[]{}-'\"|>&*!#\n\r\t \x85\u2028", max_size=40)


@given(ANYTHING)
def test_number_of_values_is_never_underestimated(text: str) -> None:
    assert values(text, BACKEND) <= most_values(text.encode())


@given(FLOW | on_lines(FLOW))
@example("{" + ",".join(f"k{n}" for n in range(100)) + "}")
@example("{{{a}}}")
@example("[? a, : b, c: d]")
@example("? ? ? ?")
def test_number_of_omitted_values_is_never_underestimated(text: str) -> None:
    """Random text is almost never a collection with as many values as its length allows."""
    for backend in (BACKEND, PythonParser):
        assert values(text, backend) <= most_values(text.encode())


@pytest.mark.parametrize("text", ["{a,b,c}", "[? a, ? b]", "? a\n? b\n", "{? a, : b}", "[{b}, {c}]"])
def test_omitted_values_count(text: str) -> None:
    """The limit is just below the actual number, so that a bound that is too low lets it pass."""
    set_maximum({"values": values(text, BACKEND) - 1})

    with pytest.raises(DiagnosticError) as error:
        decode_documents(text.encode(), "f")

    assert error.value.diagnostics[0].code is Code.YAML_LIMIT


# Who may change limits.


def test_project_may_lower_limits() -> None:
    config = load_project(_project("{fileSize: 1Ki, resources: 5}"))
    lower(config.limits)

    assert limits() == DEFAULTS._replace(file_size=1024, resources=5)


@pytest.mark.parametrize("value", ["{fileSize: 33Mi}", "{nesting: 101}", "{resources: '999999999'}"])
def test_project_may_not_raise_limits(value: str) -> None:
    with pytest.raises(DiagnosticError) as error:
        load_project(_project(value))

    (found,) = error.value.diagnostics
    assert found.code is Code.CONFIG_INVALID


def test_project_may_raise_limits_up_to_those_of_the_run() -> None:
    apply_limits("fileSize=64Mi, resources=10")
    lower(load_project(_project("{fileSize: 48Mi, resources: 500}")).limits)

    assert (limits().file_size, limits().resources) == (48 << 20, 10)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fileSise=1", "there is no limit fileSise; did you mean fileSize?"),
        ("fileSize", "fileSize must be a whole number above 0, not ''"),
        ("fileSize=-1", "fileSize must be a whole number above 0"),
        ("fileSize=1e99", "fileSize must be a whole number above 0"),
        ("documents=5Mi", "documents must be a whole number above 0"),
        ("nesting=101", "nesting cannot be more than 100"),
    ],
)
def test_invalid_variable_is_refused(monkeypatch: pytest.MonkeyPatch, text: str, message: str) -> None:
    monkeypatch.setenv(VARIABLE, text)

    result = CliRunner().invoke(main, ["catalog", "list"])

    assert result.exit_code == 2
    assert f"VMRENDER_LIMITS: {message}" in result.stderr


def test_limits_of_one_run_do_not_affect_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "overlays=3")
    CliRunner().invoke(main, ["catalog", "list"])

    assert limits() == DEFAULTS


def test_too_many_overlays_are_refused() -> None:
    set_maximum({"overlays": 2})
    files = {f"overlays/{n}/kustomization.yaml": b"" for n in range(3)}

    with pytest.raises(DiagnosticError) as error:
        find_overlays(MemoryFileSystem(files), RenderConfig())

    assert error.value.diagnostics[0].message == "the project has 3 overlays, more than 2"


def test_output_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kustomization.yaml").write_text("resources: [a.yaml]\n")
    (tmp_path / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(VARIABLE, "outputSize=20")

    result = CliRunner().invoke(main, ["build", "."])

    assert result.exit_code == 1
    assert result.stdout == ""
    assert "the overlay has more than 20 characters of text" in result.stderr


def test_removals_of_a_patch_are_not_counted_as_additions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    patches = (f"{{{'z' * 65}: null}}", f'{{b: "{"1" * 70}"}}')
    head = "apiVersion: v1, kind: ConfigMap, metadata: {name: a}"
    listed = "".join(f"- patch: '{{{head}, data: {data}}}'\n" for data in patches)
    (tmp_path / "kustomization.yaml").write_text(f"resources: [a.yaml]\npatches:\n{listed}")
    (tmp_path / "a.yaml").write_text(f"{{{head}, data: {{a: b}}}}\n")
    monkeypatch.chdir(tmp_path)
    codes = {}
    for most in (60, 90, 150, 300):
        monkeypatch.setenv(VARIABLE, f"addedSize={most}")
        codes[most] = CliRunner().invoke(main, ["build", "."]).exit_code
    assert codes == {60: 1, 90: 0, 150: 0, 300: 0}


def test_oversized_file_in_a_tree_is_not_read_as_rendered(tmp_path: Path) -> None:
    set_maximum({"output_size": 20})
    (tmp_path / "out").mkdir()
    (tmp_path / "out/a.yaml").write_text("a" * 21)

    with pytest.raises(DiagnosticError) as error:
        check_tree(tmp_path, "out", {"a.yaml": "a"})

    assert error.value.diagnostics[0].message == "out/a.yaml is larger than 20 bytes"


def test_each_side_of_a_difference_has_its_own_limits() -> None:
    set_maximum({"resources": 50})
    lower({"resources": 10})

    with lowered({"resources": 20}):
        assert limits().resources == 20
    assert limits().resources == 10


# The work of a run.


def _project_of(folder: Path, files: Mapping[str, str]) -> Path:
    for path, text in {"vmrender.yaml": PROJECT, **files}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


PROJECT = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays: [path: o]\n"
TEMPLATE = "apiVersion: vmrender.io/v1alpha1\nkind: Template\nmetadata: {name: t}\nspec: {template: t.j2}\n"
CONFIG_MAPS = (
    "{% for i in range(COUNT) %}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a{{ i }}}\n"
    "{% endfor %}\n"
)


def made(kustomization: str, count: int = 2000) -> dict[str, str]:
    """An overlay of ``count`` ConfigMaps that a Template makes."""
    return {
        "o/kustomization.yaml": f"generators: [g.yaml]\n{kustomization}",
        "o/g.yaml": TEMPLATE,
        "o/t.j2": CONFIG_MAPS.replace("COUNT", str(count)),
    }


def many_fields() -> dict[str, str]:
    fields = "".join(f"  - {{path: a/b{n}, create: true}}\n" for n in range(3000))
    return made(f"labels:\n- pairs: {{a: b}}\n  fields:\n{fields}")


def many_selectors() -> dict[str, str]:
    patch = '[{\\"op\\":\\"add\\",\\"path\\":\\"/x\\",\\"value\\":1}]'
    return made(
        "patches:\n" + "".join(f'- {{target: {{name: "x{n}.*"}}, patch: "{patch}"}}\n' for n in range(1500))
    )


def large_expressions() -> dict[str, str]:
    patch = '[{\\"op\\":\\"add\\",\\"path\\":\\"/x\\",\\"value\\":1}]'
    each = "".join(f'- {{target: {{name: "(\\\\pL{{50}}){n}"}}, patch: "{patch}"}}\n' for n in range(300))
    return made(f"patches:\n{each}", 1)


def doubling_components() -> dict[str, str]:
    files = {
        "o/kustomization.yaml": "resources: [r.yaml]\ncomponents: [../c14]\n",
        "o/r.yaml": "".join(f"---\n{CONFIG_MAP.replace('name: c', f'name: c{n}')}" for n in range(200)),
        "c0/kustomization.yaml": f"{COMPONENT}commonAnnotations: {{a: b}}\n",
    }
    for n in range(1, 15):
        files[f"c{n}/kustomization.yaml"] = f"{COMPONENT}components: [../c{n - 1}, ../c{n - 1}]\n"
    return files


def field_specs_of_doubling_components() -> dict[str, str]:
    files = doubling_components()
    specs = "".join(f"- {{path: metadata/annotations/x{n}, create: true}}\n" for n in range(300))
    return {
        **files,
        "o/kustomization.yaml": "resources: [r.yaml]\nconfigurations: [f.yaml]\ncomponents: [../c9]\n",
        "o/r.yaml": CONFIG_MAP,
        "o/f.yaml": f"namePrefix:\n{specs}",
    }


def names_in_all_namespaces() -> dict[str, str]:
    each = (
        "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: n{{ i }}}\n"
        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p{{ i }}}\n"
        "spec: {volumes: [{name: a, configMap: {name: a}}]}\n"
    )
    text = f"{{% for i in range(2500) %}}\n{each}{{% endfor %}}\n"
    return {**made("namePrefix: p-\n"), "o/t.j2": text}


def texts_read_again() -> dict[str, str]:
    text = "".join(f"    b{n}: 1\n" for n in range(3000))
    each = "- sourceValue: a{}\n  targets: [{{select: {{kind: ConfigMap}}, fieldPaths: [data.x.a]}}]\n"
    listed = "".join(each.format(n) for n in range(1200))
    return {
        "o/kustomization.yaml": f"resources: [r.yaml]\nreplacements:\n{listed}",
        "o/r.yaml": f"{CONFIG_MAP.replace('data: {a: b}', 'data:')}  x: |\n    a: z\n{text}",
    }


def patterns_of_variables() -> dict[str, str]:
    flux = (
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: f, namespace: f}\n"
        f"spec: {{path: ./o, postBuild: {{substitute: {{a: {'a' * 2900}}}}}}}\n"
    )
    lines = "".join(f'  k{n}: "${{a##{"*a" * 50}b}}"\n' for n in range(300))
    return {
        "vmrender.yaml": PROJECT.replace("[path: o]", "[{path: o, flux: {kustomization: f.yaml}}]"),
        "f.yaml": flux,
        "o/kustomization.yaml": "resources: [r.yaml]\n",
        "o/r.yaml": CONFIG_MAP.replace("data: {a: b}", "data:") + lines,
    }


def patterns_of_schemas() -> dict[str, str]:
    kind = "apiVersion: example.org/v1\nkind: Lan\nmetadata: {name: lan}\n"
    fields = "".join(
        f'          p{n}: {{type: string, pattern: "^[\\\\p{{L}}{n}]{{120}}$"}}\n' for n in range(200)
    )
    crd = (
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
        "metadata: {name: lans.example.org}\n"
        "spec:\n  group: example.org\n  scope: Namespaced\n  names: {plural: lans, kind: Lan}\n  versions:\n"
        "  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n"
        f"        type: object\n        properties:\n{fields}"
    )
    return {
        "vmrender.yaml": f"{PROJECT}schemas: [path: schemas]\n",
        "schemas/a.yaml": crd,
        "o/kustomization.yaml": "resources: [r.yaml]\n",
        "o/r.yaml": f"{kind}p1: a\n",
    }


@pytest.mark.parametrize(
    "files",
    [
        many_fields,
        many_selectors,
        large_expressions,
        doubling_components,
        field_specs_of_doubling_components,
        names_in_all_namespaces,
        texts_read_again,
        patterns_of_variables,
        patterns_of_schemas,
    ],
)
def test_multiplying_input_ends_with_one_error(
    files: Callable[[], dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(_project_of(tmp_path, files()))
    monkeypatch.setenv(VARIABLE, "work=100000")  # a fortieth of the default takes a fortieth of the time

    result = CliRunner().invoke(main, ["build", "o"])

    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("error[build-limit]: work limit exceeded (") == 1
    assert "the limit work is 100000; whoever runs vmrender can raise it: VMRENDER_LIMITS=work=1000000" in (
        result.stderr
    )


def _fleet(folder: Path) -> Path:
    """Thirty overlays of a base of twenty machines, committed with one of them."""
    machines = "".join(
        f"---\napiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: v{number}}}\n"
        "spec:\n  runStrategy: Always\n  instancetype: {name: u1.small}\n"
        "  template: {spec: {domain: {devices: {}}}}\n"
        for number in range(20)
    )
    base = {"b/kustomization.yaml": "resources: [v.yaml]\n", "b/v.yaml": machines}
    sites = {
        f"o/s{number}/kustomization.yaml": f"resources: [../../b]\nnamespace: site-{number}\n"
        for number in range(30)
    }
    root = _project_of(folder, {**base, "o/s0/kustomization.yaml": sites["o/s0/kustomization.yaml"]})
    (root / "vmrender.yaml").write_text(
        "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays: [path: 'o/*']\n", encoding="utf-8"
    )
    committed(root)
    for path, text in sites.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


@pytest.mark.parametrize(
    ("command", "ends_with"), [("validate", 0), ("render --jobs 1", 0), ("render --check", 1), ("diff", 1)]
)
def test_proposed_limit_is_enough_for_a_fleet(
    command: str, ends_with: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(_fleet(tmp_path))
    monkeypatch.setenv(VARIABLE, "work=50000")

    stopped = CliRunner().invoke(main, command.split())
    proposed = re.search(rf"raise it: {VARIABLE}=(work=\d+)\n", stopped.stderr)

    assert stopped.exit_code == 2
    assert "of 30 overlays" in stopped.stderr
    assert proposed
    monkeypatch.setenv(VARIABLE, proposed[1])
    result = CliRunner().invoke(main, command.split())
    assert "build-limit" not in result.stderr
    assert result.exit_code == ends_with


def test_limit_that_one_command_proposes_is_enough_for_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = _fleet(tmp_path)
    git(root, "add", "--all")
    git(root, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", "all")
    (root / "b/v.yaml").write_text((root / "b/v.yaml").read_text().replace("Always", "Halted"))
    monkeypatch.chdir(root)
    commands = ("validate", "render --jobs 1", "diff")
    monkeypatch.setenv(VARIABLE, "work=50000")

    proposed = {
        command: re.search(r"=work=(\d+)\n", CliRunner().invoke(main, command.split()).stderr)
        for command in commands
    }
    least = min(int(found[1]) for found in proposed.values() if found)

    assert all(proposed.values())
    monkeypatch.setenv(VARIABLE, f"work={least}")
    for command in commands:
        assert "build-limit" not in CliRunner().invoke(main, command.split()).stderr, command


SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: s, namespace: argocd}
spec:
  goTemplate: GO
  generators: [{list: {elements: [ELEMENTS]}}]
  template:
    metadata: {name: 'NAME'}
    spec:
      destination: {server: 'https://kubernetes.default.svc', namespace: a}
      source: {repoURL: 'https://git.example.org/acme/fleet.git', path: 'PATH'}
"""
OF_ARGO_CD = {
    "vmrender.yaml": f"{PROJECT.split('overlays', maxsplit=1)[0]}"
    "repositories: ['https://git.example.org/acme/fleet.git']\noverlays: [argocd: sets]\n"
}


def application_set(*, go: bool, path: str = "vms", patch: str = "", count: int = 300) -> dict[str, str]:
    text = SET.replace("GO", str(go).lower()).replace("NAME", "{{ .n }}" if go else "{{n}}")
    elements = ", ".join(f"{{n: a{number}}}" for number in range(count))
    return {
        **OF_ARGO_CD,
        "sets/s.yaml": text.replace("PATH", path).replace("ELEMENTS", elements)
        + (f"  templatePatch: |\n    metadata: {{annotations: {{a: '{patch}'}}}}\n" if patch else ""),
        "vms/a.yaml": "".join(f"---\n{CONFIG_MAP.replace('name: c', f'name: c{n}')}" for n in range(50)),
    }


def texts_of_go_templates() -> dict[str, str]:
    long = (
        '{{ $x := repeat 1000 "aaaaaaaaab" }}{{ range until 3 }}{{ $y := regexFindAll "a*" $x -1 }}{{ end }}'
    )
    return application_set(go=True, patch=long)


def a_long_file() -> dict[str, str]:
    files = application_set(go=True)
    return {**files, "vms/a.yaml": f"{'# x' * 8000}\n{CONFIG_MAP}"}


def git_generator(kind: str, pattern: str, *, elements: int = 0) -> dict[str, str]:
    """A git generator of 150 patterns and 600 files in as many folders, in a matrix if there are elements."""
    patterns = ", ".join(f"{{path: '{pattern}'}}".replace("NUMBER", str(number)) for number in range(150))
    url = "repoURL: 'https://git.example.org/acme/fleet.git', revision: HEAD"
    generator = f"{{git: {{{url}, {kind}: [{patterns}]}}}}"
    listed = ", ".join(f"{{n: '{number}'}}" for number in range(elements))
    both = f"{{list: {{elements: [{listed}]}}}}, {generator}"
    written = f"{{matrix: {{generators: [{both}]}}}}" if elements else generator
    text = SET.replace("GO", "false").replace("NAME", "{{path.basename}}").replace("PATH", "vms")
    files = {f"d/{'a' * 60}{number}/x.yaml": "x: 1\n" for number in range(600)}
    return {
        **OF_ARGO_CD,
        **files,
        "sets/s.yaml": text.replace("{list: {elements: [ELEMENTS]}}", written),
        "vms/a.yaml": CONFIG_MAP,
    }


def resource_set(template: str) -> dict[str, str]:
    """A ResourceSet of the Flux operator with 3,000 inputs."""
    inputs = ", ".join(f"{{n: a{number}}}" for number in range(3000))
    lines = template.replace("\n", "\n    ")
    return {
        "vmrender.yaml": PROJECT.replace("path: o", "flux: clusters"),
        "clusters/a.yaml": "apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\n"
        f"metadata: {{name: s, namespace: flux-system}}\nspec:\n  inputs: [{inputs}]\n"
        f"  resourcesTemplate: |\n    {lines}",
    }


_PATTERNS = "matching patterns of git generators"


@pytest.mark.parametrize(
    ("files", "activity"),
    [
        pytest.param(
            lambda: git_generator("files", "*a*a*a*bNUMBER"), _PATTERNS, id="git generator: files x patterns"
        ),
        pytest.param(
            lambda: git_generator("directories", "*/*a*a*a*bNUMBER"),
            _PATTERNS,
            id="git generator: folders x patterns",
        ),
        pytest.param(
            lambda: git_generator("files", "d/{{n}}*bNUMBER", elements=300),
            "matching patterns of git generators",
            id="git generator: elements x patterns",
        ),
        pytest.param(a_long_file, "reading folders of manifests", id="a folder of many Applications"),
        pytest.param(
            lambda: application_set(go=False, path="{{" * 4000), "evaluating templates", id="open tags"
        ),
        pytest.param(texts_of_go_templates, "evaluating templates", id="long texts of templates"),
        pytest.param(
            lambda: resource_set("<< range until 100 >>" * 3 + "<< end >>" * 3),
            "evaluating templates",
            id="loops of ResourceSets",
        ),
        pytest.param(
            lambda: resource_set(f"# {'x' * 3000}\n"), "evaluating ResourceSets", id="texts of ResourceSets"
        ),
    ],
)
def test_multiplying_input_of_engines_ends_with_one_error(
    files: Callable[[], dict[str, str]], activity: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(_project_of(tmp_path, files()))
    monkeypatch.setenv(VARIABLE, "work=100000")

    result = CliRunner().invoke(main, ["validate"])

    assert result.exit_code == 2
    assert result.stderr.count("error[build-limit]: work limit exceeded (") == 1
    assert f"steps) while {activity}" in result.stderr


def test_folders_of_entry_points_are_not_listed_for_each_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(_project_of(tmp_path, application_set(go=True, count=20)))
    for number in range(20):
        (tmp_path / f"vms/{number}.yaml").write_text(CONFIG_MAP.replace("name: c", f"name: d{number}"))
    listed: list[str] = []
    folder_of = DiskFileSystem.list

    def listing(fs: DiskFileSystem, path: str) -> tuple[str, ...]:
        listed.append(path)
        return folder_of(fs, path)

    monkeypatch.setattr(DiskFileSystem, "list", listing)

    result = CliRunner().invoke(main, ["validate"])

    assert result.exit_code == 0, result.stderr
    assert listed.count("vms") < 20 * 8  # some times for each Application, and not for each file of each


def test_folders_multiplied_by_links_end_with_one_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = PROJECT.replace("path: o", f"path: '{'/'.join('*' * 8)}'")
    monkeypatch.chdir(_project_of(tmp_path, {"vmrender.yaml": project, "a/kustomization.yaml": ""}))
    for number in range(8):
        (tmp_path / f"l{number}").symlink_to(".")
    monkeypatch.setenv(VARIABLE, "work=100000")

    result = CliRunner().invoke(main, ["validate"])

    assert result.exit_code == 2
    assert "steps) while finding overlays" in result.stderr


def test_budget_counts_the_work_of_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = PROJECT.replace("path: o", "path: 'o*'")
    files = {f"o{n}/{name}": text for n in range(4) for name, text in _renamed(made("namePrefix: a\n", 500))}
    monkeypatch.chdir(_project_of(tmp_path, {"vmrender.yaml": project, **files}))
    monkeypatch.setattr("renderer.app.workers.workers_worth", lambda *_: 99)
    monkeypatch.setenv(VARIABLE, "work=10000")

    one, several = (CliRunner().invoke(main, ["render", "--no-cache", "--jobs", jobs]) for jobs in ("1", "2"))

    for run in (one, several):
        assert run.exit_code == 2
        assert "work limit exceeded" in run.stderr


def _renamed(files: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    return ((path.removeprefix("o/"), text) for path, text in files.items())


def test_unclosed_brackets_are_searched_once() -> None:
    text = "$(" * 200_000

    assert expand_references(text, {"A": 1}, print) == text
    assert expand_references(f"$(A){text}$$", {"A": 1}, print) == f"1{text}$"


def test_suggestions_of_a_run_are_bounded() -> None:
    begin_run()
    words = [f"{'a' * 150}{n}" for n in range(200)]

    answers = [suggest(f"{'a' * 140}b{n}", words) for n in range(50)]

    assert answers[0]
    assert not answers[-1]


def test_search_for_lines_of_findings_is_bounded() -> None:
    patches = "".join(
        f"- {{target: {{kind: Foo}}, patch: '[{{op: add, path: /x{n}, value: 1}}]'}}\n" for n in range(40)
    )
    fs = MemoryFileSystem({"k.yaml": f"patches:\n{patches}".encode(), "r.yaml": FOO.encode()})
    field = FieldPath.of("x3")
    sites = tuple(
        Site("k.yaml", 0, FieldPath.of("patches", n, "patch").child("x3")) for n in reversed(range(40))
    )
    lines = []
    for work in (1_000_000, 100):
        lower({"work": work})
        begin_run()
        found = Locator(fs).location_of((*sites, Site("r.yaml", 0, field)))
        lines.append(found and (found.path, found.line))
    assert lines[0] == ("k.yaml", 5)
    assert lines[1] is not None
    assert lines[1][0] in ("r.yaml", "k.yaml")


def test_values_shared_by_aliases_are_walked_once() -> None:
    source = Source("")
    shared = [Node(source, 0, 0, str(n), "") for n in range(1000)]
    aliases = [Node(source, n, n, None, "*", shared) for n in range(1000)]
    asked = []

    class Items(list[Node]):
        def __reversed__(self) -> Iterator[Node]:
            asked.append(self)
            return super().__reversed__()

    items = Items(shared)
    for each in aliases:
        each.items = items
    assert len(list(Node(source, 0, None, None, "", aliases).walk())) == 2001
    assert len(asked) == 1


def test_lines_that_cannot_be_checked_within_bounds_are_hidden() -> None:
    text = "a: &a [1, 2, 3]\nl:\n" + "- {b: [*a], data: x}\n" * 100 + "end: 1\n"
    begin_run()
    assert public_lines(text.encode(), {1})
    lower({"work": 10})
    begin_run()
    assert not public_lines(text.encode(), {1})


def test_elements_of_long_lists_are_looked_up_in_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []

    def counted(element: Json, key: str) -> str:
        read.append(key)
        return element_text(element, key)

    monkeypatch.setattr(list_elements, "element_text", counted)
    content: JsonObject = {"spec": {"containers": [{"name": f"c{n}", "image": "i"} for n in range(300)]}}
    found = [path for path, _ in paths.leaves(content)]
    assert all(paths.field_value(content, path) in ("i", path.segments[2].value) for path in found)  # type: ignore[union-attr]  # an element of a list
    assert all(paths.counterpart(path, content, content) == path for path in found)
    assert len(read) <= 3 * 300  # for three tables


def test_places_of_named_elements_are_looked_up_in_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []

    def counted(element: Json, key: str) -> str:
        read.append(key)
        return element_text(element, key)

    monkeypatch.setattr(list_elements, "element_text", counted)
    elements = [{"name": f"c{n}"} for n in range(300)]
    found = [list_elements.element_index(elements, ElementName("name", f"c{n}")) for n in range(300)]
    assert found == [*range(300)]
    assert len(read) == 300


def test_facts_of_a_machine_that_runs_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []

    def counted(guest: GuestMachine) -> dict[str, str]:
        read.append(guest.name)
        return {f"d{number}": guest.name for number in range(50)}

    monkeypatch.setattr(guest_view, "FACTS", (guest_view.FactRow("disk", counted, "x"),))
    before, after, running = (
        GuestMachine.of(name, "a", {}, GuestCluster()) for name in ("before", "after", "running")
    )
    assert len(guest_view.guest_changes(before, after, running)) == 50
    assert len(read) == 3


def test_schemas_of_other_minors_are_built_once() -> None:
    kinds = SchemaRegistry().kubernetes
    assert all(kinds.at(minor) is kinds.at(minor) for minor in kinds.minors)


def test_owners_of_fields_cost_steps() -> None:
    managed: list[Json] = [{"manager": f"m{n}", "fieldsV1": {"f:spec": {f"f:x{n}": {}}}} for n in range(100)]
    owners = FieldOwners({"metadata": {"managedFields": managed}, "spec": {"x1": 1}})
    begin_run()
    for _ in range(3):
        owners.of(FieldPath.of("spec", "x1"))
    assert 100 < spent() < 3000


@pytest.mark.parametrize(("pattern", "release"), [("*a" * 30 + "b", "1.9"), ("(a+)+b", "1.0")])
def test_machine_types_of_a_cluster_are_checked_in_linear_time(
    pattern: str, release: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = (
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: web}\n"
        "spec:\n  runStrategy: Always\n"
        f"  template: {{spec: {{domain: {{machine: {{type: {'a' * 60}}}, devices: {{}}}}}}}}\n---\n"
        "apiVersion: kubevirt.io/v1\nkind: KubeVirt\nmetadata: {name: kubevirt, namespace: kubevirt}\nspec:\n"
        f"  configuration: {{architectureConfiguration: {{amd64: {{emulatedMachines: ['{pattern}']}}}}}}\n"
    )
    files = {"o/kustomization.yaml": "resources: [r.yaml]\n", "o/r.yaml": machine}
    monkeypatch.chdir(_project_of(tmp_path, files))

    result = CliRunner().invoke(main, ["build", "o", "--kubevirt", release])

    assert result.exit_code == 1
    assert "the cluster does not emulate the machine type" in result.stderr


# Where a command is run.


@pytest.mark.parametrize("arguments", [["build", "o"], ["validate", "--format", "json"], ["catalog", "list"]])
def test_closed_standard_output_is_handled(arguments: list[str], tmp_path: Path) -> None:
    files = {"o/kustomization.yaml": "resources: [r.yaml]\n", "o/r.yaml": CONFIG_MAP}
    command = [sys.executable, "-m", "renderer", *arguments]

    ended = subprocess.run(
        ["/bin/sh", "-c", '"$@" >&-', "sh", *command],
        cwd=_project_of(tmp_path, files),
        stderr=subprocess.PIPE,
        check=False,
    )

    assert ended.returncode == 2
    assert ended.stderr == b"Error: cannot write to standard output: it is closed\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["render", "--check"], ["build", "o"], ["fn"]]
)
def test_full_standard_streams_are_handled(arguments: list[str], tmp_path: Path) -> None:
    files = {"o/kustomization.yaml": "resources: [r.yaml]\n", "o/r.yaml": CONFIG_MAP}
    command, project = [sys.executable, "-m", "renderer", *arguments], _project_of(tmp_path, files)
    with Path("/dev/full").open("wb") as full:
        noisy = subprocess.run(
            command, cwd=project, stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, check=False
        )
        silent = subprocess.run(
            command, cwd=project, stdin=subprocess.DEVNULL, stdout=full, stderr=full, check=False
        )

    assert noisy.stderr.count(b"\n") == 1
    assert noisy.stderr.startswith(b"Error: cannot write to standard output")
    assert noisy.returncode == silent.returncode == 2


def test_all_standard_streams_closed_is_handled(tmp_path: Path) -> None:
    files = {"o/kustomization.yaml": "resources: [r.yaml]\n", "o/r.yaml": CONFIG_MAP}
    command = [sys.executable, "-m", "renderer", "render"]
    closed = ["/bin/sh", "-c", '"$@" <&- >&- 2>&-', "sh", *command]

    assert subprocess.run(closed, cwd=_project_of(tmp_path, files), check=False).returncode in (0, 2)
    rendered = next((tmp_path / "rendered").rglob("*configmap*"))
    assert rendered.read_text(encoding="utf-8").startswith("apiVersion")


def test_deleted_working_directory_is_reported(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    command = (
        f'cd "{tmp_path}/gone" && rmdir "{tmp_path}/gone" && exec "{sys.executable}" -m renderer validate'
    )

    ended = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)

    assert ended.returncode == 2
    assert ended.stderr == "Error: the working directory was deleted; change to another one\n"


def test_every_limit_is_in_the_schema_and_on_its_page() -> None:
    schema = json.loads((ROOT / "schemas/vmrender/renderconfig.json").read_text(encoding="utf-8"))
    page = (ROOT / "docs/limits.md").read_text(encoding="utf-8")
    described = schema["$defs"]["limits"]["properties"]

    assert described.keys() == FIELDS.keys()
    for name, field in FIELDS.items():
        default = limit_text(field, getattr(DEFAULTS, field))
        assert described[name]["description"].endswith(f" {default} when it is not given.")
        assert f"| `{name}` | {default} |" in page


def _project(value: str) -> MemoryFileSystem:
    text = f"apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\nlimits: {value}\n"
    return MemoryFileSystem({"vmrender.yaml": text.encode()})
