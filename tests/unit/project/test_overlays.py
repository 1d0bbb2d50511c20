from __future__ import annotations

import pytest

from renderer.files.file_system import MemoryFileSystem
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.model.release import Release
from renderer.model.render_config import OverlayEntry, RenderConfig
from renderer.project.overlays import find_overlays, overlay_at

FS = MemoryFileSystem(
    {
        "overlays/dev/kustomization.yaml": b"",
        "overlays/prod/kustomization.yml": b"",
        "overlays/notes/readme.md": b"",
        "overlays/backup/kustomization.yaml": b"kind: Component",
        "teams/a/overlays/prod/Kustomization": b"",
    }
)


def test_globs_match_folders_with_a_kustomization() -> None:
    overlays = find_overlays(FS, RenderConfig())
    assert [(overlay.path, overlay.name, overlay.output) for overlay in overlays] == [
        ("overlays/dev", "dev", "rendered/dev"),
        ("overlays/prod", "prod", "rendered/prod"),
    ]


def test_later_entry_for_the_same_folder_wins() -> None:
    entries = (OverlayEntry("overlays/*"), OverlayEntry("overlays/prod", kubevirt=Release.parse("1.5")))
    overlays = find_overlays(FS, RenderConfig(overlays=entries))
    assert [(overlay.name, str(overlay.kubevirt)) for overlay in overlays] == [
        ("dev", "1.9"),
        ("prod", "1.5"),
    ]


def test_two_overlays_may_not_share_an_output() -> None:
    config = RenderConfig(overlays=(OverlayEntry("overlays/*"), OverlayEntry("teams/*/overlays/*")))
    with pytest.raises(
        DiagnosticError, match=r"overlays/prod and teams/a/overlays/prod are both rendered into rendered/prod"
    ):
        find_overlays(FS, config)


def test_an_entry_without_a_kustomization_is_an_error_unless_it_is_a_glob() -> None:
    with pytest.raises(DiagnosticError) as error:
        find_overlays(FS, RenderConfig(overlays=(OverlayEntry("overlays/notes"),)))
    assert error.value.diagnostics[0].code is Code.KUSTOMIZATION_MISSING
    assert find_overlays(FS, RenderConfig(overlays=(OverlayEntry("nothing/*"),))) == ()


@pytest.mark.parametrize(
    ("pattern", "hint"),
    [
        ("overlayz/*", "did you mean overlays/*?"),
        ("teams/*/overlay/*", "did you mean teams/*/overlays/*?"),
        ("teams/*/overlays/live-*", "correct it, or remove the entry"),
        (
            "teams/*",
            "the folders that it matches have no kustomization: correct the pattern, or remove the entry",
        ),
    ],
)
def test_glob_that_matches_nothing_beside_one_that_matches_is_an_error(pattern: str, hint: str) -> None:
    entries = (OverlayEntry("overlays/prod"), OverlayEntry(pattern))
    with pytest.raises(DiagnosticError, match="matches no overlay") as error:
        find_overlays(FS, RenderConfig(overlays=entries))
    (found,) = error.value.diagnostics
    assert (found.code, found.hint) == (Code.KUSTOMIZATION_MISSING, hint)


def test_default_glob_may_match_nothing_yet() -> None:
    entries = (OverlayEntry("overlays/*"), OverlayEntry("clusters/east"))
    fs = MemoryFileSystem({"clusters/east/kustomization.yaml": b""})
    assert [overlay.path for overlay in find_overlays(fs, RenderConfig(overlays=entries))] == [
        "clusters/east"
    ]
    assert find_overlays(fs, RenderConfig(overlays=(OverlayEntry("nothing/*"),))) == ()


def test_folder_outside_the_projects_overlays_gets_the_defaults() -> None:
    overlay = overlay_at(RenderConfig(kubevirt=Release.parse("1.7")), (), "teams/a/overlays/prod")
    assert (overlay.name, overlay.kubevirt) == ("prod", Release.parse("1.7"))


@pytest.mark.parametrize("name", ["a\n::error::b", "a\x1b[2J", "::add-mask::a", "##[group]a", "a\u202eb"])
def test_names_with_control_characters_or_workflow_commands_are_refused(name: str) -> None:
    fs = MemoryFileSystem({f"{name}/kustomization.yaml": b""})
    for entry in (OverlayEntry("*"), OverlayEntry(name)):
        with pytest.raises(DiagnosticError, match="is not a name for an overlay") as error:
            find_overlays(fs, RenderConfig(overlays=(entry,)))
        assert error.value.diagnostics[0].message.isprintable()
        assert error.value.diagnostics[0].code is Code.CONFIG_INVALID
