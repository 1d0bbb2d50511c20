from __future__ import annotations

import pytest

from renderer.model.render_config import Extra, Layout, OverlayEntry, RenderConfig, TreeOptions, WebhookField

NAMES = TreeOptions(files="{name}.yaml")


@pytest.mark.parametrize(
    ("entry", "project", "files"),
    [
        (OverlayEntry("a"), RenderConfig(), "{namespace}/{kind}_{name}.yaml"),
        (OverlayEntry("a"), RenderConfig(layout=Layout.BUNDLE), "manifests.yaml"),
        (OverlayEntry("a"), RenderConfig(tree=NAMES), "{name}.yaml"),
        (OverlayEntry("a", layout=Layout.BUNDLE), RenderConfig(tree=NAMES), "manifests.yaml"),
        (OverlayEntry("a", tree=NAMES), RenderConfig(layout=Layout.BUNDLE), "{name}.yaml"),
    ],
)
def test_nearest_setting_to_the_overlay_wins(entry: OverlayEntry, project: RenderConfig, files: str) -> None:
    assert project.overlay(entry, "a", "a").files == files


def test_missing_setting_of_an_overlay_comes_from_the_project() -> None:
    project = TreeOptions(None, (Extra.README,), True, (WebhookField.MACHINE,))  # noqa: FBT003 - a record
    assert TreeOptions().over(project) == project
    none = TreeOptions(None, (), False, ())  # noqa: FBT003 - as above
    assert none.over(project) == none
