"""Which findings of rules have one right answer, and which have several."""

from __future__ import annotations

import pytest

from renderer.checks.rules.context import Context
from renderer.checks.rules.judge import judge
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.field_edit import Edit, RenameField, SetField
from renderer.model.kube.json import Json, JsonObject
from renderer.model.release import LATEST
from renderer.model.rule_settings import Level, RuleSetting, RuleSettings
from tests.kubevirt_objects import NAMESPACE, resources

SETTINGS = RuleSettings((RuleSetting(Code.IMAGE_BY_TAG, level=Level.WARNING),))
DIGEST, OTHER_DIGEST = f"sha256:{'1' * 64}", f"sha256:{'2' * 64}"


def machine(name: str, volume: JsonObject, **domain: Json) -> JsonObject:
    instance: JsonObject = {"domain": domain, "volumes": [{"name": "root", **volume}]}
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {"runStrategy": "Always", "template": {"spec": instance}},
    }


def booting(name: str, image: str) -> JsonObject:
    return machine(name, {"containerDisk": {"image": image}})


def secret(name: str, *keys: str, **more: Json) -> JsonObject:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "stringData": dict.fromkeys(keys, "#cloud-config\n"),
        **more,
    }


def found(code: Code, *contents: JsonObject) -> list[Diagnostic]:
    everything = resources(*contents)
    judged = judge(Context(everything, everything, LATEST), (), SETTINGS).diagnostics
    return [each for each in judged if each.code is code]


def edits(code: Code, *contents: JsonObject) -> list[Edit]:
    return [edit for each in found(code, *contents) if each.fix for edit in each.fix.edits]


class TestImageByTag:
    @pytest.mark.parametrize("image", ["quay.io/disk", "quay.io/disk:latest"])
    def test_digest_of_the_same_tag_is_known(self, image: str) -> None:
        pinned = f"quay.io/disk:latest@{DIGEST}"
        [edit] = edits(Code.IMAGE_BY_TAG, booting("web", image), booting("db", pinned))
        assert isinstance(edit, SetField)
        assert edit.value == pinned

    @pytest.mark.parametrize(
        "others",
        [
            pytest.param([f"quay.io/disk:2@{DIGEST}"], id="another tag"),
            pytest.param([f"quay.io/disk@{DIGEST}"], id="no tag"),
            pytest.param([f"quay.io/disk:1@{DIGEST}", f"quay.io/disk:1@{OTHER_DIGEST}"], id="two digests"),
        ],
    )
    def test_several_digests_or_another_image(self, others: list[str]) -> None:
        pinned = [booting(f"db-{number}", image) for number, image in enumerate(others)]
        [finding] = found(Code.IMAGE_BY_TAG, booting("web", "quay.io/disk:1"), *pinned)
        assert finding.fix is None
        assert finding.hint == "name it by its digest: NAME@sha256:…"


@pytest.mark.parametrize(
    ("code", "written", "right"),
    [
        (Code.OBSOLETE_HARDWARE, "pc-q35-rhel7.4.0", ["q35"]),
        (Code.OBSOLETE_HARDWARE, "pc-q35-2.11", ["q35"]),
        (Code.OBSOLETE_HARDWARE, "pc-q35-rhel8.6.0", []),  # deprecated, and still there
        (Code.OBSOLETE_HARDWARE, "pc-i440fx-rhel7.4.0", []),  # another chipset
        (Code.OBSOLETE_HARDWARE, "rhel6.5.0", []),
        (Code.UNUSABLE_VALUE, "pc-q35", ["q35"]),
        (Code.UNUSABLE_VALUE, "pc-q35-rhel9.6", []),
    ],
)
def test_right_machine_type(code: Code, written: str, right: list[str]) -> None:
    changed = edits(code, machine("web", {"emptyDisk": {}}, machine={"type": written}))
    assert [edit.value for edit in changed if isinstance(edit, SetField)] == right


CLOUD_INIT: JsonObject = {"cloudInitNoCloud": {"secretRef": {"name": "ci"}}}


@pytest.mark.parametrize(
    ("keys", "more", "renamed"),
    [
        (["user-data", "note"], {}, ["userdata"]),
        (["user-data", "user_data"], {}, []),
        (["note"], {}, []),
        (["user-data"], {"sops": {"mac": "ENC[x]"}}, []),
    ],
)
def test_misspelt_key_of_a_secret(keys: list[str], more: JsonObject, renamed: list[str]) -> None:
    changed = edits(Code.CLOUD_INIT, machine("web", CLOUD_INIT), secret("ci", *keys, **more))
    assert [edit.name for edit in changed if isinstance(edit, RenameField)] == renamed


def test_name_with_two_candidates_has_no_fix() -> None:
    [finding] = found(
        Code.SECRET_NOT_FOUND,
        machine("web", {"secret": {"secretName": "database"}}),
        secret("databases"),
        secret("databsae"),
    )
    assert finding.hint == "did you mean databases or databsae?"
    assert finding.fix is None
