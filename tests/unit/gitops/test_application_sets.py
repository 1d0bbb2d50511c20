"""Generators and templates of ApplicationSets."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from renderer.files.file_system import MemoryFileSystem
from renderer.gitops.argocd.application_set import generate_applications, rendering_of
from renderer.gitops.argocd.generators.context import ArgoCluster, SetContext
from renderer.gitops.argocd.generators.repository_tree import RepositoryTree
from renderer.kustomize.reader.resources import read_resources
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource

CLUSTERS = (
    ArgoCluster("north", "https://north", {"env": "live"}, {"tier": "gold"}),
    ArgoCluster("South_2", "https://south", {"env": "test"}),
)
FILES = {
    "farms/oak/a.yaml": b"",
    "farms/elm/b.yaml": b"",
    "farms/.hidden/c.yaml": b"",
    "conf/north/site.json": b'{"site": {"name": "north"}, "rows": 4}',
    "conf/many.yaml": b"- {site: {name: one}}\n- {site: {name: two}}\n",
}


def generated(
    generators: str, name: str, *, extra: str = "", files: dict[str, bytes] | None = None
) -> list[Resource]:
    text = f"""\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: s, namespace: argocd}}
spec:
{indent(dedent(extra), "  ")}
  generators:
{indent(dedent(generators), "  ")}
  template:
    metadata:
      name: '{name}'
    spec:
      project: default
      source: {{repoURL: x, path: vms}}
"""
    entry = read_resources(text.encode(), Site("s.yaml"))[0]
    fs = MemoryFileSystem(FILES if files is None else files)
    return list(generate_applications(entry, SetContext(RepositoryTree(fs), rendering_of(entry), CLUSTERS)))


def names(generators: str, name: str, *, extra: str = "") -> list[str]:
    return [each.name for each in generated(generators, name, extra=extra)]


def refusal(generators: str, name: str = "{{name}}", *, extra: str = "") -> str:
    with pytest.raises(DiagnosticError) as refused:
        generated(generators, name, extra=extra)
    [found] = refused.value.diagnostics
    return found.message


GO = "goTemplate: true\n"


def test_git_folders_match_completely_and_are_not_hidden() -> None:
    assert names("- git: {directories: [{path: 'farms/*'}]}", "{{path.basename}}-{{path[0]}}") == [
        "elm-farms",
        "oak-farms",
    ]
    excluding = "- git: {directories: [{path: 'farms/*'}, {path: farms/elm, exclude: true}]}"
    assert names(excluding, "{{ .path.basename }}-{{ index .path.segments 0 }}", extra=GO) == ["oak-farms"]


def test_files_give_a_set_for_each_object() -> None:
    generators = "- git: {files: [{path: 'conf/*'}], values: {v: '{{site.name}}!'}}"
    assert names(generators, "{{site.name}}-{{path.filename}}-{{values.v}}") == [
        "one-many.yaml-one!",
        "two-many.yaml-two!",
        "north-site.json-north!",
    ]
    assert names("- git: {files: [{path: conf/north}]}", "{{rows}}-{{path[1]}}") == ["4-north"]


def test_clusters_without_a_selector_include_the_local_one() -> None:
    assert names("- clusters: {}", "{{nameNormalized}}") == ["north", "south-2", "in-cluster"]
    live = "- clusters: {selector: {matchLabels: {env: live}}}"
    assert names(live, "{{metadata.annotations.tier}}-{{metadata.labels.env}}") == ["gold-live"]
    secrets = "- clusters: {selector: {matchLabels: {argocd.argoproj.io/secret-type: cluster}}}"
    assert names(secrets, "{{ .name }}-{{ .metadata.labels.env }}", extra=GO) == [
        "north-live",
        "South_2-test",
    ]


def test_matrix_iterates_the_second_generator_for_each_of_the_first() -> None:
    generators = """\
    - matrix:
        generators:
          - list: {elements: [{env: test, dir: oak}, {env: live, dir: '*'}]}
          - git: {directories: [{path: 'farms/{{dir}}'}]}
    """
    assert names(generators, "{{path.basename}}-{{env}}") == ["oak-test", "elm-live", "oak-live"]


def test_merged_sets_are_overridden_by_equal_keys() -> None:
    generators = """\
    - merge:
        mergeKeys: [name]
        generators:
          - list: {elements: [{name: a, size: s, o: {x: 1, y: 1}}, {name: b, size: s, o: {x: 1, y: 1}}]}
          - list: {elements: [{name: b, size: l, o: {y: 2}}, {name: c, size: l}]}
    """
    assert names(generators, "{{ .name }}-{{ .size }}-{{ .o.x }}{{ .o.y }}", extra=GO) == ["a-s-11", "b-l-12"]


def test_merged_texts_are_overridden_by_equal_keys() -> None:
    generators = """\
    - merge:
        mergeKeys: [name]
        generators:
          - list: {elements: [{name: a, size: s, disk: d}, {name: b, size: s, disk: d}]}
          - list: {elements: [{name: b, size: l}, {name: c, size: l}]}
          - list: {elements: [{name: b, disk: e}]}
    """
    assert names(generators, "{{name}}-{{size}}-{{disk}}") == ["a-s-d", "b-l-e"]


def test_the_first_generator_of_a_matrix_wins_with_go_templates() -> None:
    """Argo CD ``matrix.go`` merges the second generator's sets first, then the first's over them."""
    generators = """\
    - matrix:
        generators:
          - list: {elements: [{name: a, o: {x: 1}}]}
          - list: {elements: [{name: b, size: s, o: {x: 2, y: 2}}]}
    """
    assert names(generators, "{{ .name }}-{{ .size }}-{{ .o.x }}{{ .o.y }}", extra=GO) == ["a-s-12"]


def test_selectors_see_flat_parameters() -> None:
    listed = "- list: {elements: [{name: a, o: {p: x}}, {name: b, o: {p: y}}]}\n  selector:\n    "
    assert names(listed + "matchLabels: {o.p: y}", "{{ .name }}", extra=GO) == ["b"]
    for operator, expected in (("NotIn", ["b"]), ("In", ["a"])):
        expression = f"matchExpressions: [{{key: name, operator: {operator}, values: [a]}}]"
        assert names(listed + expression, "{{ .name }}", extra=GO) == expected


def test_a_patch_changes_the_application_but_not_its_project() -> None:
    extra = (
        GO
        + "templatePatch: |\n  spec:\n    project: other\n    source: {path: '{{ .name }}', repoURL: null}\n"
    )
    [application] = generated("- list: {elements: [{name: a}]}", "{{ .name }}", extra=extra)
    assert object_at(application.content, "spec") == {"project": "default", "source": {"path": "a"}}


def test_template_of_a_generator_is_completed_from_the_common_one() -> None:
    generators = "- list: {elements: [{name: a}], template: {metadata: {}, spec: {source: {path: own}}}}"
    [application] = generated(generators, "app-{{name}}")
    assert application.name == "app-a"
    assert text_at(application.content, "spec", "source", "path") == "own"
    assert text_at(application.content, "spec", "source", "repoURL") == "x"


def test_unknown_names_are_kept_and_keys_rendered() -> None:
    assert names("- list: {elements: [{name: a}]}", "{{ name }}-{{other}}") == ["a-{{other}}"]


REFUSED = {
    "- list: {elements: [{name: 1}]}": "is not text",
    "- matrix: {generators: [{list: {elements: []}}]}": "exactly two",
    "- merge: {mergeKeys: [], generators: [{list: {}}, {list: {}}]}": "no mergeKeys",
    "- merge: {mergeKeys: [n], generators: [{list: {elements: [{n: a}, {n: a}]}}, {list: {}}]}": (
        "are equal in n"
    ),
    "- matrix: {generators: [{list: {elements: [{n: a}]}}, {list: {elements: [{n: b}]}}]}": "a parameter n",
    "- git: {}": "neither directories nor files",
    "- scmProvider: {}": "asks a service",
    "- list: {elements: [{name: a}]}\n  selector: {matchExpressions: [{key: a, operator: Like}]}": (
        "is not a selector operator"
    ),
    "- list: {elements: []}\n  selector: {matchExpressions: [{key: a, operator: In}]}": "no values",
    "- clusters: {selector: {matchExpressions: [{key: a, operator: Is}]}}": "is not a selector operator",
}


@pytest.mark.parametrize(("generators", "reason"), REFUSED.items())
def test_a_generator_that_argo_cd_refuses_is_one_finding(generators: str, reason: str) -> None:
    assert reason in refusal(generators)


def test_applications_with_one_name_are_omitted_and_others_kept() -> None:
    assert names("- list: {elements: [{a: x}, {a: y}, {a: x}, {a: z}]}", "{{a}}") == ["y", "z"]
    assert names("- list: {elements: [{a: x}, {a: y}]}", "same") == []
