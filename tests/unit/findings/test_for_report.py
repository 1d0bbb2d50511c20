from __future__ import annotations

import pytest

from renderer.findings.for_report import with_target_named
from renderer.findings.located import Located
from renderer.model.codes import Code
from renderer.model.release import Release


@pytest.mark.parametrize(
    ("overlays", "ending"),
    [
        ((), "the target is 1.5"),
        (("overlays/prod",), "overlay prod targets 1.5"),
        (("overlays/dev", "overlays/prod"), "overlays dev and prod target 1.5"),
        (("a/prod", "b/prod"), "overlays a/prod and b/prod target 1.5"),
    ],
)
def test_finding_names_the_overlays_of_its_target(overlays: tuple[str, ...], ending: str) -> None:
    finding = Located(
        code=Code.UNKNOWN_FIELD,
        message="a needs KubeVirt 1.7",
        overlays=overlays,
        target=Release.parse("1.5"),
    )
    named = with_target_named(finding)
    assert named.message == f"a needs KubeVirt 1.7; {ending}"
    assert with_target_named(named) == named


def test_other_findings_are_unchanged() -> None:
    finding = Located(code=Code.SCHEMA, message="a is wrong", overlays=("overlays/prod",))
    assert with_target_named(finding) == finding
