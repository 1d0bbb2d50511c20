from __future__ import annotations

import pytest

from renderer.gitops.flux.resource_set import GeneratedObjects, generate_objects
from renderer.kustomize.reader.resources import read_resources
from renderer.model.kube.location import Site
from renderer.model.run.limits import lowered
from renderer.model.run.work import WorkLimitError

SET = """\
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSet
metadata: {name: my-apps, namespace: flux-system}
spec:
"""
PROVIDER = """\
---
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSetInputProvider
metadata: {name: %s, namespace: %s, labels: {of: teams}}
spec: {type: %s, defaultValues: %s}
"""
NOT_IN_GIT = "ResourceSet(s) with inputs that are not in Git"
OF_TYPE = "ResourceSet(s) with inputs of the type OCIArtifactTag"
NAMESPACE = "{apiVersion: v1, kind: Namespace, metadata: {name: %s}}"


def generated(spec: str, others: str = "") -> GeneratedObjects:
    lines = "".join(f"  {line}\n" for line in spec.strip().split("\n"))
    entry, *rest = read_resources(f"{SET}{lines}{others}".encode(), Site("set.yaml"))
    return generate_objects(entry, {each.reference: each for each in rest})


def names(spec: str, others: str = "") -> list[str]:
    made = generated(spec, others)
    assert not made.left_out, made
    return [each.name for each in made.objects]


def one(name: str) -> str:
    return f"resources: [{NAMESPACE % name}]"


def test_objects_without_inputs_are_made_once() -> None:
    assert names(one("a")) == ["a"]


def test_each_input_makes_its_objects_and_shared_ones_are_made_once() -> None:
    spec = f"inputs: [{{t: a}}, {{t: b}}]\nresources: [{NAMESPACE % '<< inputs.t >>'}, {NAMESPACE % 'all'}]"
    assert names(spec) == ["a", "b", "all"]


def test_provider_of_inline_inputs_is_the_set() -> None:
    assert names(
        f"inputs: [{{}}]\n{one('<< inputs.provider.kind | lower >>-<< inputs.provider.name >>')}"
    ) == ["resourceset-my-apps"]


def test_flattened_inputs_are_those_of_the_set_and_of_its_providers() -> None:
    spec = f"inputs: [{{t: a}}]\ninputsFrom: [{{name: p}}]\n{one('<< inputs.t >>')}"
    assert names(spec, PROVIDER % ("p", "flux-system", "Static", "{t: b}")) == ["a", "b"]


def test_permuted_inputs_have_the_names_of_their_providers() -> None:
    spec = (
        "inputStrategy: {name: Permute}\ninputs: [{t: a}, {t: b}]\n"
        "inputsFrom: [{selector: {matchLabels: {of: teams}}}]\n"
        + one("<< inputs.my_apps.t >>-<< inputs.p_1.t >>-<< inputs.q.t >>")
    )
    providers = PROVIDER % ("p.1", "flux-system", "Static", "{t: x}") + PROVIDER % (
        "q",
        "flux-system",
        "Static",
        "{t: y}",
    )
    assert names(spec, providers) == ["a-x-y", "b-x-y"]


@pytest.mark.parametrize(
    ("others", "reason"),
    [
        ("", NOT_IN_GIT),
        (PROVIDER % ("p", "other", "Static", "{t: b}"), NOT_IN_GIT),
        (PROVIDER % ("p", "flux-system", "OCIArtifactTag", "{}"), OF_TYPE),
        (PROVIDER % ("p", "flux-system", "'a b'", "{}"), "ResourceSet(s) with inputs of an unknown type"),
    ],
)
def test_inputs_from_outside_are_named(others: str, reason: str) -> None:
    assert generated(f"inputsFrom: [{{name: p}}]\n{one('a')}", others).left_out == reason


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("<< inputs.n | int >>", "3"),
        ("<< inputs.b | bool | ternary `y` `n` >>", "y"),
        ("<< slugify inputs.s >>", "feat-one-two"),
        ("<< if inputs.b -  >>", None),
        ("<< env `HOME` >>", None),
        ("<< slugify `Straße` >>", None),
        ("<< inputs.missing >>", None),
        ("<< .missing >>", None),
    ],
)
def test_functions_and_missing_values(text: str, name: str | None) -> None:
    made = generated(
        f"inputs: [{{n: 3, b: 'true', s: Feat/One two}}]\nresourcesTemplate: |\n"
        f"  {{apiVersion: v1, kind: Namespace, metadata: {{name: '{text}'}}}}"
    )
    assert [each.name for each in made.objects] == ([] if name is None else [name])
    assert [each.code for each in made.findings] == ([] if name else ["resource-set"])


def test_braces_of_other_templates_stay() -> None:
    assert names(one("'{{ .Values.a }}'")) == ["{{ .Values.a }}"]


def test_resources_count_before_the_template_of_the_same_name() -> None:
    made = generated(
        "resourcesTemplate: '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {of: text}}'\n"
        "resources: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {of: list}}]"
    )
    [only] = made.objects
    assert only.content["data"] == {"of": "list"}
    assert only.namespace == "flux-system"
    assert [each.message for each in made.findings] == [
        "the ResourceSet my-apps makes different objects ConfigMap a: the operator applies one of them"
    ]


def test_disabled_objects_are_left_out_and_common_metadata_is_set() -> None:
    made = generated(
        "commonMetadata: {labels: {of: set}}\ninputs: [{on: true, n: a}, {on: false, n: b}]\n"
        "resources: [{apiVersion: v1, kind: Namespace, metadata: {name: << inputs.n >>, annotations:"
        " {fluxcd.controlplane.io/reconcile: << if inputs.on >>enabled<< else >>disabled<< end >>}}}]"
    )
    assert [(each.name, each.labels) for each in made.objects] == [("a", {"of": "set"})]


def test_data_is_copied_from_objects_in_git() -> None:
    annotation = "fluxcd.controlplane.io/copyFrom: x/%s"
    copy = f"{{apiVersion: v1, kind: ConfigMap, metadata: {{name: %s, annotations: {{{annotation}}}}}}}"
    others = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: here, namespace: x}\ndata: {a: b}\n"
    made = generated(f"resources: [{copy % ('one', 'here')}, {copy % ('two', 'there')}]", others)
    assert [each.content.get("data") for each in made.objects] == [{"a": "b"}, None]
    assert [each.message for each in made.findings] == [
        "the ConfigMap two gets its data from x/there, which is not in Git"
    ]


def test_steps_are_part_of_the_set() -> None:
    assert names(f"steps: [{{name: one, resources: [{NAMESPACE % 'a'}]}}]\n{one('b')}") == ["b", "a"]


def test_template_that_makes_json_is_a_stream_of_objects() -> None:
    objects = [
        f'{{"apiVersion": "v1", "kind": "Namespace", "metadata": {{"name": "{name}"}}}}' for name in "ab"
    ]
    assert names(f"resourcesTemplate: |\n  {objects[0]}\n  {objects[1]}") == ["a", "b"]


def test_inputs_of_one_text_do_not_change_those_of_the_next() -> None:
    changing = "'<< set inputs `t` `b` | len >>-<< inputs.t >>'"
    assert names(
        f"inputs: [{{t: a}}]\nresources: [{NAMESPACE % changing}, {NAMESPACE % '<< inputs.t >>'}]"
    ) == [
        "2-b",
        "a",
    ]


def test_too_many_permutations_are_refused_before_they_are_made() -> None:
    providers = "".join(PROVIDER % (f"p{n}", "flux-system", "Static", "{}") for n in range(2))
    inline = ", ".join(["{t: a}"] * 200)
    inputs = f"inputs: [{inline}]\ninputsFrom: [{{name: p0}}, {{name: p1}}]"
    spec = f"inputStrategy: {{name: Permute}}\n{inputs}\n{one('a')}"
    with lowered({"template_rows": 100}):
        made = generated(spec, providers)
    assert [each.message for each in made.findings] == [
        "the ResourceSet my-apps cannot be evaluated: its inputs make more than 100 sets"
    ]


def test_work_of_templates_is_limited() -> None:
    loop = "<< range until 100000 >><< range until 100000 >>x<< end >><< end >>"
    with lowered({"work": 10_000}), pytest.raises(WorkLimitError):
        generated(f"resourcesTemplate: '{loop}'")
