from __future__ import annotations

import pytest

from renderer.kustomize.reader.kustomization import deprecations, parse_kustomization
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json
from renderer.model.kube.location import Site
from renderer.model.kustomization import Kustomization

SITE = Site("overlays/prod/kustomization.yaml")


def parse(content: Json) -> Kustomization:
    return parse_kustomization(content, SITE)


def problems(content: Json) -> tuple[Diagnostic, ...]:
    with pytest.raises(DiagnosticError) as error:
        parse(content)
    return error.value.diagnostics


def test_field_names_are_matched_whatever_their_case() -> None:
    parsed = parse({"NAMEPREFIX": "a-", "Resources": ["x.yaml"], "patches": [{"Patch": "p", "TARGET": {}}]})
    assert parsed.name_prefix == "a-"
    assert parsed.resources == ("x.yaml",)
    assert parsed.patches[0].patch == "p"
    assert parsed.patches[0].target is not None


def test_unknown_field_is_named_as_written_with_a_suggestion() -> None:
    (problem,) = problems({"resource": ["x.yaml"]})
    assert problem.code is Code.KUSTOMIZATION_FIELD
    assert "resource" in problem.message
    assert problem.hint == "did you mean resources?"
    assert problem.sites == (Site(SITE.path, 0, FieldPath.of("resource")),)


def test_the_site_of_a_field_has_the_spelling_of_the_file() -> None:
    (problem,) = problems({"NamePrefix": 1})
    assert problem.sites[0].field == FieldPath.of("NamePrefix")


@pytest.mark.parametrize(
    "content",
    [
        {"namePrefix": 1},
        {"namePrefix": True},
        {"resources": "x.yaml"},
        {"resources": [1]},
        {"commonLabels": {"a": 1}},
        {"patches": [{"target": "VirtualMachine"}]},
        {"labels": [{"pairs": {"a": "b"}, "includeSelectors": "yes"}]},
        {"patches": ["p.yaml"]},
        {"kind": "Deployment", "resources": []},
        {"kind": "Component", "apiVersion": "kustomize.config.k8s.io/v1beta1", "resources": []},
        ["resources"],
    ],
)
def test_values_of_the_wrong_type_are_refused(content: Json) -> None:
    assert {problem.code for problem in problems(content)} == {Code.KUSTOMIZATION_FIELD}


def test_all_errors_are_reported_together() -> None:
    assert len(problems({"resource": [], "namePrefix": 1, "labels": [{"pair": {}}]})) == 3


@pytest.mark.parametrize(
    "content",
    [
        *(None, {}, {"kind": "Kustomization"}, {"namePrefix": "", "resources": None}),
        *({"bases": []}, {"imageTags": []}, {"bases": [], "imageTags": []}),
        {"helmChartInflationGenerator": [], "resources": None},
    ],
)
def test_an_empty_kustomization_is_an_error(content: Json) -> None:
    assert "empty" in problems(content)[0].message


def test_empty_list_makes_a_kustomization_non_empty() -> None:
    assert parse({"resources": []}).resources == ()
    assert parse({"images": [], "imageTags": []}).images == ()


def test_helm_fields_are_refused_with_a_hint() -> None:
    (problem,) = problems({"helmCharts": [{"name": "x"}]})
    assert problem.code is Code.UNSUPPORTED_FIELD
    assert "helm" in (problem.hint or "")


def test_ignored_field_has_no_finding() -> None:
    assert parse({"helmCharts": [], "resources": ["x"]}).resources == ("x",)


def test_null_means_an_empty_text() -> None:
    assert parse({"commonAnnotations": {"a": None}}).common_annotations == {"a": ""}


def test_deprecated_fields_are_warnings() -> None:
    found = deprecations({"bases": ["../base"], "commonLabels": {"a": "b"}, "resources": []}, SITE)
    assert [(warning.message, warning.hint) for warning in found] == [
        ("bases is deprecated in kustomize", "use resources instead"),
        ("commonLabels is deprecated in kustomize", "use labels instead"),
    ]
