from __future__ import annotations

import pytest

from renderer.model.suggest import did_you_mean, suggest


@pytest.mark.parametrize(
    ("word", "known", "nearest"),
    [
        ("virtio", ["sata", "virtio-scsi", "virtio"], ("virtio",)),
        ("VIRTIO", ["virtio-scsi", "virtio"], ("virtio",)),
        ("virtoi", ["sata", "virtio"], ("virtio",)),
        ("u1.mediun", ["u1.medium", "u1.micro", "m1.large"], ("u1.medium",)),
        ("quite-another", ["sata", "virtio"], ()),
        ("x" * 500, ["x" * 499], ()),
        ("x" * 500, ["X" * 500], ("X" * 500,)),
    ],
)
def test_the_nearest_words_come_first(word: str, known: list[str], nearest: tuple[str, ...]) -> None:
    assert suggest(word, known) == nearest


def test_hints_suggest_near_words() -> None:
    assert did_you_mean("virtoi", ["sata", "virtio"]) == "did you mean virtio?"
    assert did_you_mean("other", ["sata"], otherwise="known buses: sata") == "known buses: sata"
