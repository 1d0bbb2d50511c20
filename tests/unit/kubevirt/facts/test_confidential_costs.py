"""Walks through objects end: they are counted as work, and no deeper than what can be read."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Callable
from contextvars import copy_context
from typing import Any

import pytest

from renderer.kubevirt.facts.confidential.fields import START_DATA
from renderer.kubevirt.facts.confidential.masked import holds_secret, masked
from renderer.kubevirt.facts.confidential.object_fields import fields_of
from renderer.kubevirt.facts.confidential.parts import hides
from renderer.kubevirt.facts.confidential.scope import root_scope
from renderer.kubevirt.facts.confidential.secret_values import (
    fields_of_secrets,
    may_hold_objects,
    may_hold_objects_as_text,
    secret_values,
    secret_values_in_changes,
)
from renderer.kubevirt.guest_data.credential_fields import credential_fields
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject
from renderer.model.masking import Masking
from renderer.model.run.limits import DEFAULTS, set_maximum
from renderer.model.run.work import WorkLimitError, begin_run, spent
from renderer.yamlio.decode import decode_documents

_SECRET: JsonObject = {"kind": "Secret", "stringData": {"token": "correct-horse"}}


def nested(value: Json, levels: int) -> Json:
    for _ in range(levels):
        value = [value]
    return value


def config_map(text: str, levels: int = 0) -> JsonObject:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": nested(text, levels)}


def deepest() -> JsonObject:
    """An object as deep as it can be read, with texts in texts that are as deep."""
    text = json.dumps(nested(_SECRET, DEFAULTS.nesting - 3))
    for _ in range(4):
        text = json.dumps(nested({"kind": "Secret", "metadata": text}, DEFAULTS.nesting - 2))
    return config_map(text, DEFAULTS.nesting - 2)


WALKS: dict[str, Callable[[JsonObject], object]] = {
    "secret_values": lambda content: secret_values([content]),
    "may_hold_objects": may_hold_objects,
    "fields_of_secrets": lambda content: list(fields_of_secrets(content)),
    "hides": lambda content: hides(content, root_scope()),
    "masked": lambda content: masked(content, root_scope(), Masking(["correct-horse"])),
    "holds_secret": lambda content: holds_secret(content, Masking(["correct-horse"])),
}


@pytest.mark.parametrize("walk", WALKS.values(), ids=WALKS)
def test_deepest_object_that_can_be_read_is_walked(walk: Callable[[JsonObject], object]) -> None:
    (content,) = decode_documents(json.dumps(deepest()).encode(), "deepest.yaml")
    assert isinstance(content, dict)
    walk(content)


def test_texts_that_may_be_manifests_are_counted_before_they_are_parsed() -> None:
    def parse_for_ever() -> None:
        begin_run()
        set_maximum({"work": DEFAULTS.work // 100})
        for number in range(1_000_000):
            secret_values([config_map(f"kind: Secret-{number}\n" + "a: b\n" * 1000)])

    with pytest.raises(WorkLimitError, match="looking for confidential values"):
        copy_context().run(parse_for_ever)


def test_values_of_an_object_are_counted() -> None:
    def steps(values: int) -> int:
        begin_run()
        secret_values([{"kind": "Secret", "data": dict.fromkeys(map(str, range(values)), "")}])
        return spent()

    few, many = (copy_context().run(steps, values) for values in (10, 1000))
    assert many > 50 * few > 0


def test_versions_of_an_object_are_searched_only_in_what_they_do_not_share() -> None:
    long = {str(number): "a" * 100 for number in range(1000)}

    def steps(versions: int) -> int:
        begin_run()
        for number in range(versions):
            secret_values([{"kind": "ConfigMap", "metadata": {"name": str(number)}, "data": long}])
        return spent()

    one, many = (copy_context().run(steps, versions) for versions in (1, 100))
    assert many < 2 * one


def test_values_that_each_operation_of_a_patch_looks_at_again_cost_what_they_take() -> None:
    annotations: JsonObject = {str(number): {"a": "b"} for number in range(100)}
    before: JsonObject = {"kind": "Secret", "metadata": {"annotations": annotations}}
    begin_run()
    secret_values_in_changes(before, {**before, "metadata": {"annotations": {**annotations, "c": "d"}}})
    assert spent() > 4000


def test_variables_of_one_object_share_what_is_known_of_it() -> None:
    content: JsonObject = {"kind": "Secret", "data": {"a": "YQ=="}}
    assert fields_of(content) is fields_of(content)


SEARCHES: dict[str, Callable[[str], object]] = {
    "a value of a Secret": lambda text: secret_values([{"kind": "Secret", "data": {"a": text}}]),
    "a text of a dump": lambda text: [*credential_fields({"kind": "ConfigMap", "data": {"a": text}})],
}


class Entries(dict[str, Json]):
    """A mapping that counts how often all of its values are looked at."""

    looks = 0

    def values(self) -> Any:  # noqa: ANN401 - a view
        self.looks += 1
        return super().values()


def test_entries_that_are_asked_for_one_by_one_are_judged_once_by_what_is_beside_them() -> None:
    entries = Entries((f"k{number}", "a") for number in range(100))
    fields = fields_of({"kind": "ConfigMap", "data": entries})
    assert not any(fields.hides(FieldPath.of("data", key)) for key in entries)
    assert entries.looks <= 2


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_compressed_texts_are_counted_as_they_are_unpacked(search: Callable[[str], object]) -> None:
    def steps(size: int) -> int:
        packed = b64encode(gzip.compress(b"a" * size, mtime=0)).decode()
        begin_run()
        search(packed)
        return spent()

    few, many = (copy_context().run(steps, size) for size in (1_000, 1_000_000))
    assert many > 100 * few > 0


HOLDERS: dict[str, JsonObject] = {
    "in a list": {"kind": "List", "items": [_SECRET]},
    "of a kind that is put in later": {"kind": "Sec${KIND}", "data": {"token": "correct-horse"}},
    "in a text": config_map(json.dumps(_SECRET)),
    "escaped in a text": config_map('{"kind": "\\u0053ecret", "data": {"token": "correct-horse"}}'),
    "in a patch": {"kind": "Patch", "op": "replace", "path": "/stringData/token", "value": "correct-horse"},
    "of an operator": {"kind": "ClusterSecret", "data": {"token": "correct-horse"}},
    "in a chart": {"kind": "HelmRelease", "spec": {"values": {"extraSecrets": {"a": {"data": {"b": "c"}}}}}},
}


@pytest.mark.parametrize("content", HOLDERS.values(), ids=HOLDERS)
def test_object_that_holds_a_secret_is_recognised(content: JsonObject) -> None:
    assert may_hold_objects(content)
    assert may_hold_objects_as_text(json.dumps(content))
    assert may_hold_objects_as_text(json.dumps(content, indent=2))


@pytest.mark.parametrize("key", START_DATA)
def test_start_data_is_recognised(key: str) -> None:
    assert may_hold_objects_as_text(json.dumps({"kind": "VirtualMachine", key: "psk: correct-horse"}))
    assert may_hold_objects_as_text(f"cloudInitNoCloud:\n  {key}: 'psk: correct-horse'\n")


def test_text_that_has_no_credential_in_a_key_is_not_parsed() -> None:
    dashboard = {"panels": [{"title": "tokens per second", "legendFormat": "the token of {{pod}}"}] * 1000}
    begin_run()
    assert not hides(json.dumps(dashboard, indent=1), root_scope())
    assert spent() < 100
