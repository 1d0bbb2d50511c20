"""The fields of imports that rules look up in any source are fields that kustomize's names reach."""

from __future__ import annotations

import pytest

from renderer.kubevirt.facts.kinds import KUBEVIRT_GROUP, VM
from renderer.kubevirt.facts.name_references import NAME_FIELDS

_FOLLOWED = {(*field.path, field.name) for field in NAME_FIELDS[KUBEVIRT_GROUP, VM]}


@pytest.mark.parametrize("source", ["http", "s3", "registry", "vddk"])
@pytest.mark.parametrize("name", ["secretRef", "certConfigMap"])
def test_names_of_imports_follow(source: str, name: str) -> None:
    assert ("spec", "dataVolumeTemplates", "spec", "source", source, name) in _FOLLOWED
