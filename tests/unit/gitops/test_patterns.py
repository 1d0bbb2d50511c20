"""Patterns of gobwas, of Go's path.Match, of git ls-files and of .sourceignore."""

from __future__ import annotations

import pytest

from renderer.files.file_system import MemoryFileSystem
from renderer.gitops.flux.artifact import ArtifactFileSystem, SourceIgnore, read_patterns
from renderer.golang.glob import file_path_match, pathspec_match
from renderer.golang.gobwas import GlobError, gobwas_match

PATH_MATCH = {
    ("farms/*", "farms/oak"): True,
    ("farms/*", "farms/oak/inner"): False,
    ("farms/**", "farms/oak/inner"): False,
    ("*/in?er", "oak/inner"): True,
    ("[a-c]*", "bx"): True,
    ("[^a-c]*", "bx"): False,
    (r"a\*", "a*"): True,
    (r"a\*", "ab"): False,
}
GOBWAS = {
    ("*.yaml", "a/b.yaml"): True,
    ("{a,b}/*", "b/c"): True,
    ("{a,b}/*", "c/c"): False,
    ("?.yaml", "ab.yaml"): False,
    ("[!a]*", "b"): True,
    ("old/*", "x/old/c"): False,
}
PATHSPEC = {
    ("conf/*.json", "conf/a/b/c.json"): True,
    ("conf/south", "conf/south/x.yaml"): True,
    ("conf/south/", "conf/south/x.yaml"): True,
    ("conf/sou", "conf/south/x.yaml"): False,
    ("**/site.json", "a/b/site.json"): True,
    ("**/site.json", "site.json"): False,
    (".", "anything"): True,
    ("a[!b]c", "a/c"): True,
    ("a[^b]c", "abc"): False,
    ("[]x]", "]"): True,
    ("[a-]", "-"): True,
    ("[a-]", "b"): False,
    (r"[\]]", "]"): True,
}


def test_patterns_match_like_each_tool() -> None:
    assert {case: file_path_match(*case) for case in PATH_MATCH} == PATH_MATCH
    assert {case: gobwas_match(*case) for case in GOBWAS} == GOBWAS
    assert {case: pathspec_match(*case) for case in PATHSPEC} == PATHSPEC


@pytest.mark.parametrize("pattern", ["[a", "[", "a\\", "[b-a]", "x" * 5000])
def test_a_malformed_pattern_matches_nothing(pattern: str) -> None:
    assert not file_path_match(pattern, "a")
    assert not pathspec_match(pattern, "a/b")
    with pytest.raises(GlobError):
        gobwas_match(pattern, "a")


def test_an_unclosed_brace_is_an_error_of_gobwas_alone() -> None:
    assert file_path_match("{a", "{a")
    with pytest.raises(GlobError):
        gobwas_match("{a", "a")


def ignored(text: str, *paths: str, folder: str = ".") -> list[str]:
    rules = SourceIgnore(read_patterns(text, folder))
    return [path for path in paths if rules.ignores(path)]


def test_defaults_apply_only_without_custom_patterns() -> None:
    paths = (".github/ci.yaml", "a/.sops.yaml", "x.png", ".gitignore", "a.yaml")
    assert ignored("", *paths) == list(paths[:4])
    assert ignored("# a comment\n\nother/\n", *paths) == [".gitignore"]


def test_later_patterns_and_inclusions_take_precedence() -> None:
    text = "/*\n!/apps\n/apps/old\n"
    assert ignored(text, "apps/a.yaml", "apps/old/b.yaml", "other/c.yaml") == [
        "apps/old/b.yaml",
        "other/c.yaml",
    ]
    assert ignored("*.yaml\n!vm.yaml\n", "a/x.yaml", "a/vm.yaml", folder="a") == ["a/x.yaml"]
    assert ignored("*.yaml\n", "b/x.yaml", folder="a") == []
    assert ignored("**/values.yaml\n", "a/b/values.yaml", "values.yaml") == ["a/b/values.yaml", "values.yaml"]
    assert ignored("old/\n", "a/old/x.yaml", "old") == ["a/old/x.yaml"]


def test_an_artifact_has_neither_ignored_files_nor_their_empty_folders() -> None:
    files = {"apps/a.yaml": b"", "apps/old/b.yaml": b"", ".sourceignore": b"apps/old\n", ".git/config": b""}
    artifact = ArtifactFileSystem(MemoryFileSystem(files), "*.md")
    assert artifact.list(".") == (".sourceignore", "apps")
    assert artifact.list("apps") == ("a.yaml",)
    assert not artifact.is_file("apps/old/b.yaml")
    assert not artifact.is_folder("apps/old")
