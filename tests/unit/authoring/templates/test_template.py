from __future__ import annotations

from contextvars import copy_context

import pytest

from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json, object_at
from renderer.model.kube.location import Site
from renderer.model.run.taint import tainted
from tests.unit.authoring.templates.rendering import SITE, generated, lines, problems


def names(matrix: Json, template: str) -> list[Json]:
    """Render each row, under any name."""
    text = "kind: A\nmetadata: {name: a}\nrow: {{ (" + template + ") | quote }}\n"
    return [made.content["row"] for made in generated({"matrix": matrix}, {"web.yaml.j2": text})]


def test_the_first_axis_changes_slowest() -> None:
    made = names({"size": ["s", "l"], "zone": ["a", "b"]}, "size ~ zone")

    assert made == ["sa", "sb", "la", "lb"]


def test_row_is_excluded_if_all_pairs_match() -> None:
    matrix: Json = {"size": ["s", "l"], "zone": ["a", "b"], "exclude": [{"size": "s", "zone": "b"}]}

    assert names(matrix, "size ~ zone") == ["sa", "la", "lb"]
    assert names({"x": [1, True, 1.0], "exclude": [{"x": True}]}, "x") == ["1", "1.0"]


def test_included_values_extend_rows_that_they_do_not_contradict() -> None:
    """The example in GitHub's documentation of ``matrix.include``."""
    matrix: Json = {
        "fruit": ["apple", "pear"],
        "animal": ["cat", "dog"],
        "include": [
            {"color": "green"},
            {"color": "pink", "animal": "cat"},
            {"fruit": "apple", "shape": "circle"},
            {"fruit": "banana"},
            {"fruit": "banana", "animal": "cat"},
        ],
    }
    shown = "[fruit, animal | default('-'), color | default('-'), shape | default('-')] | join(' ')"

    assert names(matrix, shown) == [
        "apple cat pink circle",
        "apple dog green circle",
        "pear cat pink -",
        "pear dog green -",
        "banana - - -",
        "banana cat - -",
    ]


def test_matrix_may_have_only_included_rows() -> None:
    assert names({"include": [{"a": 1}, {"a": 2}]}, "a") == ["1", "2"]


def test_later_values_override_earlier_ones() -> None:
    template = "kind: A\nmetadata: {name: a}\nvalues: {{ [image, disk, list] | to_json }}\n"
    spec: dict[str, Json] = {
        "valuesFrom": [{"file": "a.yaml"}, {"file": "b.yaml"}],
        "values": {"disk": {"bus": "scsi"}},
        "matrix": {"zone": ["x"], "include": [{"image": "row"}]},
    }
    files = {
        "web.yaml.j2": template,
        "a.yaml": "image: a\ndisk: {size: 1, bus: virtio}\nlist: [1, 2]\n",
        "b.yaml": "image: b\ndisk: {size: 2}\nlist: [3]\n",
    }

    (made,) = generated(spec, files)

    assert made.content["values"] == ["row", {"size": 2, "bus": "scsi"}, [3]]


def test_an_axis_can_come_from_a_file() -> None:
    spec: dict[str, Json] = {
        "valuesFrom": [{"file": "vms.yaml", "name": "vms"}],
        "matrix": {"vm": {"from": "vms"}},
    }
    template = "kind: A\nmetadata:\n  name: {{ vm.name }}\n"
    files = {"web.yaml.j2": template, "vms.yaml": "- name: a\n- name: b\n"}

    made = generated(spec, files)

    assert [object_at(each.content, "metadata")["name"] for each in made] == ["a", "b"]
    texts = [each.site.text for each in made]
    assert [text.values for text in texts if text] == ["vm=a", "vm=b"]
    assert [text.values_site for text in texts if text] == [
        Site("overlays/prod/vms.yaml").below(index) for index in range(2)
    ]


def test_each_object_knows_its_document() -> None:
    template = "---\n# nothing\n---\nkind: A\nmetadata: {name: a}\n---\nkind: B\nmetadata: {name: b}\n"

    made = generated({}, {"web.yaml.j2": template})

    assert [(each.site.path, each.site.document) for each in made] == [
        ("overlays/prod/web.yaml.j2", 1),
        ("overlays/prod/web.yaml.j2", 2),
    ]


def test_text_of_short_results_beside_a_secret_is_confidential() -> None:
    template = """\
        kind: Secret
        metadata: {name: a}
        stringData: {pw: '{{ pw }}'}
        ---
        kind: ConfigMap
        metadata: {name: a}
        data:
          dotted: "{% for c in pw %}{{ c }}.{% endfor %}"
          tag: "fedora:{{ tag }}"
        """

    def noted() -> frozenset[str]:
        generated({"values": {"pw": "canary", "tag": "42"}}, {"web.yaml.j2": template})
        return tainted()

    found = copy_context().run(noted)

    assert {"canary", "c.a.n.a.r.y."} <= found
    assert "fedora:42" not in found


@pytest.mark.parametrize(
    "block",
    [
        "{% filter upper %}{{ pw }}{% endfilter %}",
        "{% macro m() %}{{ caller() | upper }}{% endmacro %}{% call m() %}{{ pw }}{% endcall %}",
    ],
)
def test_result_of_a_block_beside_a_secret_is_confidential(block: str) -> None:
    template = "kind: Secret\nmetadata: {name: a}\nstringData: {pw: '{{ pw }}'}\n---\n"

    def noted() -> frozenset[str]:
        generated(
            {"values": {"pw": "canary"}},
            {"web.yaml.j2": f"{template}kind: ConfigMap\nmetadata: {{name: a}}\ndata: {{a: '{block}'}}\n"},
        )
        return tainted()

    assert "CANARY" in copy_context().run(noted)


@pytest.mark.parametrize(
    "place",
    [
        "spec: {volumes: [{cloudInitNoCloud: {userData: 'echo {{ x }}'}}]}",
        "spec: {volumes: [{cloudInitNoCloud: {userDataBase64: '{{ x | b64encode }}'}}]}",
        "spec: {template: {metadata: {annotations: {kubevirt.io/ignitiondata: '{{ x }}'}}}}",
        "spec: {password: '{{ x }}'}",
        "stringData: {a: '{{ x }}'}",
    ],
)
def test_value_in_a_confidential_field_is_confidential_and_what_is_made_of_it(place: str) -> None:
    template = f"kind: A\nmetadata: {{name: a}}\n{place}\n---\nkind: B\nmetadata: {{name: '{{{{ y }}}}'}}\n"

    def noted() -> frozenset[str]:
        values: Json = {"x": "canary", "y": "public-name"}
        generated({"values": values}, {"web.yaml.j2": template + "spec: ['{{ x | upper }}', '{{ y }}']\n"})
        return tainted()

    found = copy_context().run(noted)

    assert {"canary", "CANARY"} <= found
    assert "public-name" not in found


def test_lines_of_the_template_in_a_block_are_public() -> None:
    template = """\
        kind: Secret
        metadata: {name: a}
        stringData: {pw: '{{ pw }}'}
        ---
        kind: ConfigMap
        metadata: {name: a}
        data:
        {% filter indent(2, true) %}
        motto: ever onward
        word: x-{{ pw }}
        {% endfilter %}
        """

    def noted() -> frozenset[str]:
        generated({"values": {"pw": "canary"}}, {"web.yaml.j2": template})
        return tainted()

    found = copy_context().run(noted)

    assert "x-canary" in found
    assert not any("onward" in each for each in found)


def test_lines_of_the_output_know_their_template() -> None:
    template = """\
        {# a comment #}
        {% set tree = {"a": [1, 2]} %}
        {% macro pair(key) %}
        {{ key }}: 1
        {% endmacro %}
        name: {{ "x"
                 | upper }}
        {% for i in [1, 2] -%}

          - i: {{ i }}
        {% endfor %}
        tree:
          {{ tree | to_yaml | indent(2) }}
        {{ pair("b") -}}
        last: {{ 1 }}"""

    assert lines(template) == [
        (6, "name: X"),
        (10, "- i: 1"),
        (10, "- i: 2"),
        (12, "tree:"),
        (13, "  a:"),
        (13, "  - 1"),
        (13, "  - 2"),
        (14, "b: 1"),
        (15, "last: 1"),
    ]


@pytest.mark.parametrize(
    ("output", "code", "line"),
    [
        ("a: b: c", Code.YAML_SYNTAX, 1),
        ("kind: A\nmetadata: {name: a}\nkind: B", Code.YAML_DUPLICATE_KEY, 3),
        ("a: [\n\n\n", Code.YAML_SYNTAX, 1),
        ("x: {{ '\\ud800' }}", Code.TEMPLATE_FAILED, 1),
    ],
)
def test_output_must_be_yaml(output: str, code: Code, line: int) -> None:
    with pytest.raises(DiagnosticError) as error:
        generated({}, {"web.yaml.j2": output})

    (found,) = error.value.diagnostics
    assert found.code is code
    assert found.location
    assert (found.location.path, found.location.line) == ("overlays/prod/web.yaml.j2", line)
    assert "line" not in found.message, "lines of the output are nowhere to be seen"


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"value": {}}, "spec.value"),
        ({"template": 1}, "spec.template"),
        ({"values": ["a"]}, "spec.values"),
        ({"values": {"a-b": 1}}, "spec.values.a-b"),
        ({"values": {"not": 1}}, "spec.values.not"),
        ({"valuesFrom": [{"name": "a"}]}, "spec.valuesFrom[0]"),
        ({"valuesFrom": [{"file": "list.yaml"}]}, "spec.valuesFrom[0].file"),
        ({"valuesFrom": [{"file": "two.yaml"}]}, "spec.valuesFrom[0].file"),
        ({"valuesFrom": [{"file": "names.yaml"}]}, "a-b"),
        ({"valuesFrom": [{"file": "list.yaml", "name": "in"}]}, "spec.valuesFrom[0].name"),
        ({"valuesFrom": [{"file": "list.yaml", "name": "a"}] * 2}, "spec.valuesFrom[1].name"),
        ({"values": {"a": 1}, "matrix": {"a": [1]}}, "spec.matrix.a"),
        ({"matrix": {}}, "spec.matrix"),
        ({"matrix": {"a": []}}, "spec.matrix.a"),
        ({"matrix": {"a": "x"}}, "spec.matrix.a"),
        ({"matrix": {"a": {"from": "x"}}}, "spec.matrix.a.from"),
        ({"values": {"x": 1}, "matrix": {"a": {"from": "x"}}}, "spec.matrix.a"),
        ({"matrix": {"a": [1], "exclude": [{"a": 1}]}}, "spec.matrix.exclude"),
        ({"matrix": {"a": [1], "exclude": [{"a": 2}]}}, "spec.matrix.exclude[0]"),
        ({"matrix": {"a": [1], "exclude": [{"b": 1}]}}, "spec.matrix.exclude[0].b"),
        ({"matrix": {"a": [1], "include": [{"b c": 1}]}}, 'spec.matrix.include[0]["b c"]'),
        ({"matrix": {"a": list(range(101)), "b": list(range(100))}}, "spec.matrix"),
        ({"matrix": {"a": list(range(5000)), "include": [{"a": 1}] * 300}}, "spec.matrix"),
    ],
)
def test_finding_names_its_field(spec: dict[str, Json], field: str) -> None:
    files = {"list.yaml": "- 1\n", "two.yaml": "a: 1\n---\nb: 2\n", "names.yaml": "a-b: 1\n"}

    assert list(problems(spec, files)) == [field]


def test_all_problems_are_reported_together() -> None:
    found = problems({"value": 1, "values": {"in": 1}, "matrix": {"a": [], "b": 1}}, {})

    assert list(found) == ["spec.value", "spec.values.in", "spec.matrix.a", "spec.matrix.b"]


def test_a_failure_names_the_line_and_the_row() -> None:
    with pytest.raises(DiagnosticError) as error:
        generated({"values": {"memory": "2GB"}}, {"web.yaml.j2": "\n\n{{ memory | quantity_add(1) }}"})

    (found,) = error.value.diagnostics
    assert found.location
    assert (found.location.line, found.related[0].sites) == (3, (SITE,))


def test_bare_name_of_a_values_file_has_a_hint() -> None:
    (found,) = problems({"valuesFrom": ["sizes.yaml"]}, {}).values()

    assert found.hint == "did you mean file: sizes.yaml?"
