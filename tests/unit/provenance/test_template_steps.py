"""The versions of an object that a template made: from its text on, one parameter after the other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from renderer.gitops.templates import process_templates
from renderer.model.kube.json import Json, JsonObject, object_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import LATEST
from renderer.provenance.makers import ReadFromFile, Version
from renderer.provenance.template_steps import template_versions

NAMES = ("A", "B", "C")
TEXTS = st.lists(st.sampled_from(["${A}", "${B}", "${C}", "${D}", "x", "-"]), max_size=5).map("".join)


def contents(data: JsonObject, values: dict[str, str]) -> list[JsonObject]:
    template: JsonObject = {
        "apiVersion": "template.openshift.io/v1",
        "kind": "Template",
        "metadata": {"name": "settings"},
        "parameters": [{"name": name, "value": name.lower()} for name in NAMES],
        "objects": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "s"}, "data": data}],
    }
    resource = Resource(template, Site("template.yaml"))
    processed = process_templates(ResourceSet((resource,)), values, LATEST)
    assert not processed.failed
    [made] = processed.value.made
    sites = {name: Site("vmrender.yaml") for name in values}
    of_template = (Version(resource.content, ReadFromFile(resource)),)
    versions = list(template_versions(made, of_template, values, sites))
    assert versions[-1].content is made.made.content
    return [object_at(version.content, "data") for version in versions]


def test_each_parameter_of_a_text_is_a_version() -> None:
    data: JsonObject = {"${A}": "${A}-${B}-${A}", "number": "${{C}}", "unknown": "${D}", "plain": "x"}
    others: dict[str, Json] = {"unknown": "${D}", "plain": "x"}
    assert contents(data, {"C": "3"}) == [
        {"a": "${A}-${B}-${A}", "number": "${{C}}", **others},
        {"a": "a-${B}-a", "number": 3, **others},
        {"a": "a-b-a", "number": 3, **others},
    ]


def test_an_object_without_parameters_is_as_written() -> None:
    assert contents({"plain": "${D}"}, {}) == [{"plain": "${D}"}]


@given(st.dictionaries(st.sampled_from("xyz"), TEXTS), st.dictionaries(st.sampled_from(NAMES), TEXTS))
def test_the_last_version_is_what_processing_makes(data: JsonObject, values: dict[str, str]) -> None:
    versions = contents(data, values)
    assert [list(each) for each in versions] == [list(data)] * len(versions)
