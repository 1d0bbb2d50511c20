from __future__ import annotations

import pytest

from renderer.model.kube.field_path import ElementName, FieldPath


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (FieldPath(), ""),
        (FieldPath.of("spec", "disks", 0, "name"), "spec.disks[0].name"),
        (FieldPath.of("spec", "disks", ElementName("name", "root")), "spec.disks[name=root]"),
        (FieldPath.of("metadata", "labels", "kubevirt.io/size"), 'metadata.labels["kubevirt.io/size"]'),
    ],
)
def test_path_is_printed_in_common_notation(path: FieldPath, text: str) -> None:
    assert str(path) == text
