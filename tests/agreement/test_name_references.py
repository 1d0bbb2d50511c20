"""The fields that name other objects: those that rules look up are those that kustomize's names reach."""

from __future__ import annotations

import pytest

from renderer.checks.rules import references
from renderer.kubevirt.facts.kinds import KUBEVIRT_GROUP, VM
from renderer.kubevirt.facts.name_references import NAME_FIELDS

_INSTANCE = ("spec", "template", "spec")
_FOLLOWED = {(*field.path, field.name) for field in NAME_FIELDS[KUBEVIRT_GROUP, VM]}


_VOLUMES, _CREDENTIALS = references._IN_VOLUMES, references._CREDENTIALS  # noqa: SLF001 - the tables of the rules


@pytest.mark.parametrize("source", _VOLUMES)
def test_names_in_volumes_follow_the_objects_that_rules_look_up(source: str) -> None:
    for path, _ in _VOLUMES[source]:
        assert (*_INSTANCE, "volumes", source, *path) in _FOLLOWED


@pytest.mark.parametrize("path", _CREDENTIALS)
def test_names_of_credentials_follow_the_secrets_that_rules_look_up(path: tuple[str, ...]) -> None:
    assert (*_INSTANCE, "accessCredentials", *path) in _FOLLOWED


@pytest.mark.parametrize("source", ["http", "s3", "registry", "vddk"])
@pytest.mark.parametrize("name", ["secretRef", "certConfigMap"])
def test_names_of_imports_follow(source: str, name: str) -> None:
    assert ("spec", "dataVolumeTemplates", "spec", "source", source, name) in _FOLLOWED
