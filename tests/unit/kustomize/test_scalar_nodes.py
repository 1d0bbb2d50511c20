"""Scalars as in kustomize's nodes; the outputs are from ``kubectl kustomize``."""

from __future__ import annotations

import pytest

from tests.composing import built, only_error

THING = """\
    apiVersion: x.io/v1
    kind: Thing
    metadata: {name: t}
    spec: {text: x, quoted: "1", number: 1, float: 1.5}
    """
VALUES = """\
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: values}
    data: {version: 1.10, mode: 0644, debug: True, day: 2020-01-01, hex: 0x1F, made: %s}
    """
CREATES = """\
    resources: [values.yaml, thing.yaml]
    replacements:
    - source: {kind: ConfigMap, fieldPath: data.made}
      targets: [{select: {kind: Thing}, fieldPaths: [spec.made], options: {create: true}}]
    """
MERGES = """\
    resources: [base]
    patches:
    - patch: |
        apiVersion: x.io/v1
        kind: Thing
        metadata: {name: t}
        spec: %s
    """


def made(text: str, patch: str) -> str:
    """Return the line of ``spec.made`` after a replacement by ``text`` and a merged patch."""
    files = {
        "base/kustomization.yaml": CREATES,
        "base/values.yaml": VALUES % text,
        "base/thing.yaml": THING,
        "kustomization.yaml": MERGES % patch,
    }
    return next(line for line in built(files).splitlines()[::-1] if line.startswith("  made:"))


@pytest.mark.parametrize(
    ("text", "untouched", "replaced"),
    [
        ('"12"', '  made: "12"', "  made: 5"),
        ('"true"', '  made: "true"', "  made: 5"),
        ('"yes"', '  made: "yes"', "  made: 5"),
        ('"null"', '  made: "null"', "  made: 5"),
        ('""', "  made: null", "  made: 5"),
        ('"2020-01-01"', '  made: "2020-01-01T00:00:00Z"', "  made: 5"),
        ('"word"', "  made: word", "  made: 5"),
    ],
)
def test_a_scalar_without_a_type_is_text_after_a_merge(text: str, untouched: str, replaced: str) -> None:
    assert made(text, "{other: 1}") == untouched
    assert made(text, "{made: 5}") == replaced


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("version", '"1.10"'),
        ("mode", '"0644"'),
        ("debug", '"True"'),
        ("day", '"2020-01-01"'),
        ("hex", '"0x1F"'),
    ],
)
def test_scalar_becomes_the_written_text(key: str, text: str) -> None:
    replacement = CREATES.replace("data.made", f"data.{key}").replace("spec.made", "spec.text")

    printed = built({"kustomization.yaml": replacement, "values.yaml": VALUES % "x", "thing.yaml": THING})

    assert f"  text: {text}\n" in printed


def test_the_scalar_of_a_patch_keeps_its_text_in_the_quotes_of_the_object() -> None:
    patch = "{quoted: 1.10, text: 0644, number: 0x20}"

    printed = built({"base/kustomization.yaml": "resources: [t.yaml]", "base/t.yaml": THING,
                     "kustomization.yaml": MERGES % patch})  # fmt: skip

    assert printed.splitlines()[-4:] == ["  float: 1.5", "  number: 32", '  quoted: "1.10"', "  text: 420"]


LABELLED = """\
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: d}
    spec: {template: {metadata: {labels: {app: d}}}}
    """
BASE = "resources: [d.yaml]\nlabels: [{pairs: {team: old}, includeSelectors: true}]\n"


PATCH = "patches: [{patch: '{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, labels: %s}%s}'}]\n"
TEMPLATE = ", spec: {template: {metadata: {labels: {team: two}}}}"
OVERLAYS = {
    "labels": ("labels: [{pairs: {team: new}}]", ["new"] * 3),
    "two values": (PATCH % ("{team: one}", TEMPLATE), ["two"] * 3),
    "replaced mapping": (PATCH % ("{$patch: replace, team: new}", ""), ["new", "old", "old"]),
    "removed": (PATCH % ("{team: null}", "") + "labels: [{pairs: {team: new}}]", ["new", "old", "old"]),
}


@pytest.mark.parametrize(("overlay", "teams"), OVERLAYS.values(), ids=OVERLAYS)
def test_shared_label_node_changes_together_until_it_is_replaced(overlay: str, teams: list[str]) -> None:
    files = {
        "base/kustomization.yaml": BASE,
        "base/d.yaml": LABELLED,
        "kustomization.yaml": f"resources: [base]\n{overlay}\n",
    }

    printed = built(files)

    assert [line.split()[1] for line in printed.splitlines() if "team:" in line] == teams


@pytest.mark.parametrize("step", ["0", "-", "*", "[name=c]", "+1", "-1", "01", ""])
def test_steps_into_lists_are_refused_in_field_specs(step: str) -> None:
    error = only_error({
        "kustomization.yaml": "resources: [t.yaml]\nconfigurations: [c.yaml]\nnamePrefix: p-\n",
        "c.yaml": f'namePrefix: [{{kind: Thing, path: "spec/{step}"}}]\n',
        "t.yaml": THING,
    })  # fmt: skip

    assert error.message == f"the path spec/{step} has a step, {step!r}, that matches nothing in Thing t"


def test_field_specs_strip_blanks_from_names() -> None:
    printed = built({
        "kustomization.yaml": "resources: [t.yaml]\nconfigurations: [c.yaml]\nnamePrefix: p-\n",
        "c.yaml": 'namePrefix: [{kind: Thing, path: "spec/ text "}]\n',
        "t.yaml": THING,
    })  # fmt: skip

    assert "  text: p-x\n" in printed
