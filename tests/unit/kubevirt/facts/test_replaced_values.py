"""What a reference to a Secret replaces is withheld, and so is what replaces a reference."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import indent

import pytest

from renderer.emit.masked_manifests import ManifestMasking, without_marks
from renderer.kubevirt.facts.confidential.object_fields import ConfidentialFields
from renderer.kubevirt.facts.lists import field_changes
from renderer.model.masking import Masking
from renderer.yamlio.decode import decode_documents

_REF = "secretKeyRef: {name: keys, key: pin}"
#: An object with a value, and with a reference in its place.
REPLACED: Mapping[str, tuple[str, str]] = {
    "a variable": ("env: [{name: PIN, value: '4711'}]", f"env: [{{name: PIN, valueFrom: {{{_REF}}}}}]"),
    "a variable beside others": (
        "env: [{name: A, value: a}, {name: PIN, value: '4711'}]",
        f"env: [{{name: B, value: b}}, {{name: PIN, valueFrom: {{{_REF}}}}}, {{name: A, value: a}}]",
    ),
    "all variables": ("env: [{name: PIN, value: '4711'}]", "envFrom: [{secretRef: {name: keys}}]"),
    "one of the variables": (
        "env: [{name: A, value: a}, {name: PIN, value: '4711'}]\nenvFrom: [{secretRef: {name: x}}]",
        "env: [{name: A, value: a}]\nenvFrom: [{secretRef: {name: x}}, {secretRef: {name: keys}}]",
    ),
    "a field of its own": ("pin: '4711'", "pinSecretRef: {name: keys, key: pin}"),
    "a field that becomes a mapping": ("pin: '4711'", f"pin: {{valueFrom: {{{_REF}}}}}"),
    "variables of Flux": (
        "postBuild: {substitute: {pin: '4711'}}",
        "postBuild: {substituteFrom: [{kind: Secret, name: keys}]}",
    ),
    "values of a chart": ("values: {a: {pin: '4711'}}", "valuesFrom: [{kind: Secret, name: keys}]"),
}
#: What changes beside a reference, and is none of its values.
BESIDE: Mapping[str, tuple[str, str]] = {
    "another field": ("timeout: 4711s", "secretRef: {name: keys}"),
    "another variable": (
        "env: [{name: A, value: '4711'}]",
        f"env: [{{name: A, value: '0815'}}, {{name: PIN, valueFrom: {{{_REF}}}}}]",
    ),
    "a reference that was there": (
        "env: [{name: A, value: '4711'}]\nenvFrom: [{secretRef: {name: keys}}]",
        "envFrom: [{secretRef: {name: keys}}]",
    ),
    "a ConfigMap": (
        "env: [{name: A, value: '4711'}]",
        "env: [{name: A, valueFrom: {configMapKeyRef: {name: c, key: a}}}]",
    ),
}


def shown(one: str, other: str) -> tuple[str, str]:
    """Return what a comparison and the diff of a rendered file say."""
    texts = [f"kind: Thing\nspec:\n{indent(each, '  ')}\n".encode() for each in (one, other)]
    before, after = (decode_documents(each, "")[0] for each in texts)
    fields = ConfidentialFields("Thing", (before, after))
    files = ManifestMasking(Masking()).masked_file("a.yaml", *texts)
    return repr([*map(fields.without_secrets, field_changes(before, after))]), without_marks(repr(files))


@pytest.mark.parametrize("way", REPLACED)
def test_value_that_a_reference_to_a_secret_replaces_is_withheld(way: str) -> None:
    value, reference = REPLACED[way]
    for sides in ((value, reference), (reference, value)):
        compared, files = shown(*sides)

        assert "4711" not in compared + files
        assert "keys" in files


@pytest.mark.parametrize("way", BESIDE)
def test_value_beside_a_reference_to_a_secret_is_shown(way: str) -> None:
    for text in shown(*BESIDE[way]):
        assert "4711" in text
