"""Which overlays the names on a command line mean."""

from __future__ import annotations

import pytest

from renderer.app.project import chosen_overlays
from renderer.app.usage_error import UsageError
from renderer.files.file_system import MemoryFileSystem
from renderer.model.diagnostic import DiagnosticError
from renderer.model.render_config import OverlayEntry, RenderConfig
from renderer.project.overlays import FoundOverlays, look_up_overlays

FS = MemoryFileSystem({f"overlays/{name}/kustomization.yaml": b"" for name in ("dev", "prod", "test")})
FOUND = look_up_overlays(FS, RenderConfig())


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ([], ["dev", "prod", "test"]),
        (["prod", "./overlays/dev/"], ["prod", "dev"]),
        (["*e*", "dev"], ["dev", "prod", "test"]),
        (["t*", "test"], ["test"]),
    ],
)
def test_overlays_are_named_by_name_path_and_pattern_each_once(wanted: list[str], names: list[str]) -> None:
    assert [overlay.name for overlay in chosen_overlays(FOUND, wanted)] == names


def test_unknown_name_is_an_error_with_a_suggestion() -> None:
    with pytest.raises(UsageError, match=r"there is no overlay 'prd'; did you mean prod\?"):
        chosen_overlays(FOUND, ["dev", "prd"])


def test_unknown_name_may_be_of_an_entry_that_failed() -> None:
    config = RenderConfig(overlays=(OverlayEntry("overlays/dev"), OverlayEntry("overlays/nope")))
    with pytest.raises(DiagnosticError, match="nope"):
        chosen_overlays(look_up_overlays(FS, config), ["db"])


def test_project_without_overlays_is_an_error() -> None:
    with pytest.raises(DiagnosticError, match="the project has no overlays"):
        chosen_overlays(FoundOverlays(()), [])
