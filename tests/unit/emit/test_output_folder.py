from __future__ import annotations

from pathlib import Path

import pytest

from renderer.emit.output_folder import OutputFolder, check_outputs
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError


def refusal(root: Path, output: str) -> str:
    with pytest.raises(DiagnosticError) as raised:
        OutputFolder.locate(root, output)
    [finding] = raised.value.diagnostics
    assert finding.code is Code.OUTPUT_INVALID
    assert finding.hint
    return finding.message


def test_missing_folder_is_allowed(tmp_path: Path) -> None:
    assert OutputFolder.locate(tmp_path, "rendered//prod/.").folder == tmp_path.resolve() / "rendered/prod"


@pytest.mark.parametrize(
    "output", ["/tmp/prod", "..", "../prod", "rendered/../../prod", "C:/prod", "C:prod", "\\prod"]
)
def test_folder_outside_the_repository_is_refused(tmp_path: Path, output: str) -> None:
    assert refusal(tmp_path, output).endswith(" lies outside the repository")


@pytest.mark.parametrize("output", ["rendered/p\\q", "..\\prod", "rendered/a\0b"])
def test_character_that_no_path_may_have_is_named(tmp_path: Path, output: str) -> None:
    character = "a NUL character" if "\0" in output else "a backslash"
    assert refusal(tmp_path, output).startswith(f"the output {output} has {character}, which ")


@pytest.mark.parametrize("name", ["prod.", "prod ", "con", "Aux.d", "lpt1", "prod:a", "a?"])
def test_name_that_windows_does_not_allow_is_refused(tmp_path: Path, name: str) -> None:
    assert refusal(tmp_path, f"rendered/{name}/x") == (
        f"the output rendered/{name}/x leads through {name!r}, a name that Windows does not allow"
    )


@pytest.mark.parametrize("output", ["", ".", "rendered/.."])
def test_repository_itself_is_refused(tmp_path: Path, output: str) -> None:
    assert refusal(tmp_path, output).endswith(" is the whole repository")


@pytest.mark.parametrize(
    "output", [".git/hooks", "vendor/.GIT", ".vmrender/prod", ".github", "deploy/.gitlab/prod", "GIT~1/hooks"]
)
def test_folders_with_another_purpose_are_refused(tmp_path: Path, output: str) -> None:
    assert "which is not a place for manifests" in refusal(tmp_path, output)


@pytest.mark.parametrize("target", ["/", ".", "overlays", "missing"])
@pytest.mark.parametrize("output", ["rendered", "rendered/prod", "rendered/prod/deep"])
def test_no_link_is_followed(tmp_path: Path, target: str, output: str) -> None:
    (tmp_path / "overlays").mkdir()
    (tmp_path / "rendered").symlink_to(target)

    assert refusal(tmp_path, output) == f"the output {output} leads through the symbolic link rendered"


def test_link_further_down_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rendered").mkdir()
    (tmp_path / "rendered/prod").symlink_to(tmp_path)

    assert refusal(tmp_path, "rendered/prod").endswith("leads through the symbolic link rendered/prod")


def test_file_on_the_path_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rendered").touch()

    assert refusal(tmp_path, "rendered/prod") == (
        "the output rendered/prod leads through rendered, which is not a folder"
    )


def test_repository_may_be_reached_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")

    assert OutputFolder.locate(tmp_path / "link", "rendered").folder == tmp_path.resolve() / "real/rendered"


@pytest.mark.parametrize(
    ("outputs", "inputs", "messages"),
    [
        (["rendered/dev", "rendered/prod"], ["overlays/dev", "base", "."], []),
        (["overlays-rendered"], ["overlays"], []),
        (["base"], ["base"], ["the output base is an input folder"]),
        (["base/out"], ["./base"], ["the output base/out is inside the input folder ./base"]),
        (["Base/out"], ["base"], ["the output Base/out is inside the input folder base"]),
        (["overlays"], ["overlays/dev"], ["the output overlays holds the input folder overlays/dev"]),
        (
            ["overlays"],
            ["overlays/dev", "overlays-2", "overlays/prod"],
            ["the output overlays holds 2 input folders, one of which is overlays/dev"],
        ),
        (["out", "out/prod"], [], ["the output out/prod is inside the output out"]),
        (
            ["base", "base/x"],
            ["base"],
            [
                "the output base is an input folder",
                "the output base/x is inside the input folder base",
                "the output base/x is inside the output base",
            ],
        ),
        (
            ["B", "b"],
            ["b"],
            [
                "the output B is an input folder",
                "the output B is the same folder as the output b on some systems",
                "the output b is an input folder",
                "the output b is the same folder as the output B on some systems",
            ],
        ),
        (["out/\u00fc"], ["out/U\u0308"], ["the output out/\u00fc is an input folder"]),
        (["Out", "out/prod"], [], ["the output out/prod is inside the output Out"]),
        (
            ["out/\u00dc", "out/u\u0308"],
            [],
            [
                "the output out/u\u0308 is the same folder as the output out/\u00dc on some systems",
                "the output out/\u00dc is the same folder as the output out/u\u0308 on some systems",
            ],
        ),
    ],
)
def test_sources_and_outputs_may_not_overlap(
    outputs: list[str], inputs: list[str], messages: list[str]
) -> None:
    found = check_outputs(dict.fromkeys(outputs, ()), inputs)
    assert [finding.message for about in found.values() for finding in about] == messages
