from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextvars import copy_context
from pathlib import Path
from typing import Any

import pytest

from renderer.files.git import Allowance, Answer, Conversation, GitProcess, TreeEntry, parse_tree
from renderer.files.git_repository import GitFileSystem, GitRepository, id_of_blob
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.run.work import allowed, begin_run, spent

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}
AUTHOR = {
    f"GIT_{role}_{field}": value
    for role in ("AUTHOR", "COMMITTER")
    for field, value in (("NAME", "a"), ("EMAIL", "a@example.org"), ("DATE", "2024-01-01T00:00:00Z"))
}


def git(folder: Path, *arguments: str) -> str:
    run = subprocess.run(
        ["git", *arguments], cwd=folder, env=ENVIRONMENT | AUTHOR, capture_output=True, text=True, check=True
    )
    return run.stdout.strip()


def commit(folder: Path, files: dict[str, str]) -> str:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "change")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def top(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch", "main")
    return folder


@pytest.fixture
def repository(top: Path) -> Iterator[GitRepository]:
    with GitRepository(top, ENVIRONMENT) as opened:
        yield opened


def finding(error: pytest.ExceptionInfo[DiagnosticError]) -> Diagnostic:
    (diagnostic,) = error.value.diagnostics
    return diagnostic


def reading(fs: GitFileSystem, path: str) -> Diagnostic:
    with pytest.raises(DiagnosticError) as error:
        fs.read(path)
    return finding(error)


def opening(folder: Path, **environment: str) -> Diagnostic:
    with pytest.raises(DiagnosticError) as error:
        GitRepository(folder, ENVIRONMENT | environment)
    return finding(error)


def naming(repository: GitRepository, revision: str) -> Diagnostic:
    with pytest.raises(DiagnosticError) as error:
        repository.tree(revision)
    return finding(error)


def test_a_revision_is_read_and_not_the_work_tree(top: Path, repository: GitRepository) -> None:
    commit(top, {"a/one.yaml": "1", "a/b/two.yaml": "2"})
    git(top, "tag", "--annotate", "v1", "--message", "one")
    commit(top, {"a/one.yaml": "changed", "new.yaml": ""})
    (top / "a/one.yaml").write_text("not committed")

    fs = repository.tree("v1")

    assert fs.read("a/one.yaml") == b"1"
    assert fs.list(".") == ("a",)
    assert fs.list("a") == ("b", "one.yaml")
    assert fs.is_folder("a/b")
    assert not fs.is_folder("a/one.yaml")
    assert fs.is_file("a/b/two.yaml")
    assert not fs.is_file("a/b")
    assert not fs.is_file("a/one.yaml/x")
    assert reading(fs, "new.yaml").message == "no such file in v1: new.yaml"
    assert reading(fs, "a").code is Code.FILE_UNREADABLE
    assert reading(fs, "a/\0").code is Code.FILE_NOT_FOUND
    assert repository.tree("HEAD").read("a/one.yaml") == b"changed"


def test_history_ignores_replacements_and_grafts(top: Path) -> None:
    """Uncommitted replacements and grafts have no effect."""
    first = commit(top, {"a": "1"})
    forged = commit(top, {"a": "forged"})
    last = commit(top, {"a": "2"})
    git(top, "replace", first, forged)
    (top / ".git/info").mkdir(exist_ok=True)
    (top / ".git/info/grafts").write_text(f"{last} {first}\n")

    with GitRepository(top, ENVIRONMENT) as repository:
        assert repository.tree("HEAD~1").read("a") == b"forged"
        assert repository.tree("HEAD~2").read("a") == b"1"


@pytest.mark.parametrize(
    "name", ["main", "HEAD", "HEAD~0", "v1", "v1^{}", ":/change", "@{0}", "feature/x", "OID", "SHORT"]
)
def test_commit_is_found_by_any_of_its_names(top: Path, repository: GitRepository, name: str) -> None:
    oid = commit(top, {"a": ""})
    git(top, "tag", "--annotate", "v1", "--message", "one")
    git(top, "branch", "feature/x")

    assert repository.commit({"OID": oid, "SHORT": oid[:8]}.get(name, name)) == oid


@pytest.mark.parametrize("name", ["", "-x", "--help", "--output=/tmp/x", "a\nb", "main\0", "\x1b[31m"])
def test_invalid_revision_names_are_not_passed_to_git(
    top: Path, repository: GitRepository, name: str
) -> None:
    commit(top, {"a": ""})

    found = naming(repository, name)

    assert (found.code, found.message) == (Code.GIT_REVISION, f"{name!r} is not the name of a revision")


def test_an_unknown_revision_says_where_to_look(top: Path, repository: GitRepository) -> None:
    commit(top, {"a": ""})

    found = naming(repository, "mian")

    assert found.code is Code.GIT_REVISION
    assert found.message == "no such revision: mian"
    assert found.hint
    assert "git branch --all" in found.hint


def test_non_commit_objects_are_refused(top: Path, repository: GitRepository) -> None:
    commit(top, {"a/b": ""})

    assert naming(repository, "HEAD:a").message == "HEAD:a is a tree, not a commit"
    assert naming(repository, "HEAD:a/b").message == "HEAD:a/b is a blob, not a commit"


def test_ambiguous_abbreviation_is_refused(top: Path, repository: GitRepository) -> None:
    commit(top, {f"{number}": f"{number}" for number in range(1000)})
    oids = git(top, "rev-list", "--all", "--objects", "--no-object-names").split()
    beginnings = [oid[:4] for oid in oids]
    twice = next((each for each in beginnings if beginnings.count(each) > 1), None)
    assert twice, "1000 objects of fixed content have two that begin alike"

    assert naming(repository, twice).message == f"{twice} is the beginning of several names"


def test_a_project_may_be_a_folder_of_the_work_tree(top: Path) -> None:
    commit(top, {"README": ""})
    commit(top, {"deep/project/vmrender.yaml": "x", "deep/secret": "s"})
    (top / "deep/project/out").symlink_to("../secret")
    commit(top, {})

    with GitRepository(top / "deep/project", ENVIRONMENT) as repository:
        fs = repository.tree("HEAD")
        assert fs.list(".") == ("out", "vmrender.yaml")
        assert reading(fs, "out").code is Code.FILE_OUTSIDE_ROOT
        found = naming(repository, "HEAD~2")

    assert (found.code, found.message) == (Code.FILE_NOT_FOUND, "HEAD~2 has no folder deep/project")


def test_links_are_followed_inside_the_tree(top: Path, repository: GitRepository) -> None:
    (top / "links").mkdir()
    for name, target in {
        "file": "../a/one.yaml",
        "folder": "../a",
        "chain": "folder/one.yaml",
        "up": "../links/folder/../a/./one.yaml",
        "nowhere": "missing",
        "loop": "loop",
    }.items():
        (top / "links" / name).symlink_to(target)
    commit(top, {"a/one.yaml": "1"})
    fs = repository.tree("HEAD")

    assert fs.read("links/file") == fs.read("links/folder/one.yaml") == fs.read("links/chain") == b"1"
    assert fs.read("links/up") == b"1"
    assert fs.resolve("links/folder/one.yaml") == "a/one.yaml"
    assert fs.list("links/folder") == ("one.yaml",)
    assert fs.is_folder("links/folder")
    assert not fs.is_file("links/nowhere")
    assert not fs.is_file("links/loop")
    assert reading(fs, "links/loop").code is Code.FILE_NOT_FOUND


def test_links_of_a_folder_are_searched_once_for_all_revisions(top: Path, repository: GitRepository) -> None:
    (top / "docs").mkdir()
    (top / "docs/link").symlink_to("0")
    commits = [
        commit(top, {f"docs/{number}": "" for number in range(50)} | {"vm.yaml": str(number)})
        for number in "12"
    ]
    begin_run()
    steps = []
    for each in commits:
        before = spent()
        assert [*repository.tree(each).links()] == ["docs/link"]
        steps.append(spent() - before)
    assert steps[1] < steps[0] / 5


def test_differing_files_are_found_by_the_ids_of_folders(top: Path, repository: GitRepository) -> None:
    files = {"a/same/x": "1", "a/b/changed": "1", "a/gone": "1", "ends/text": "1", "place": "1", "mode": "1"}
    (top / "link").symlink_to("a/same")
    before = repository.tree(commit(top, files))
    for name in ("a/gone", "place", "link"):
        (top / name).unlink()
    (top / "link").symlink_to("a/b")
    (top / "mode").chmod(0o755)
    changed = {
        "a/b/changed": "2",
        "place/new": "1",
        ".hidden/new": "1",
        "ends/.gitattributes": "* eol=crlf\n",
    }
    after = repository.tree(commit(top, changed))
    found = {*changed, "a/gone", "link", "place", "ends/text"}
    assert {*before.differing(after)} == {*after.differing(before)} == found
    assert {*after.files()} - {*before.files()} == {*changed} - {"a/b/changed"}
    assert [*after.links()] == ["link"]
    assert not [*after.differing(after)]


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a/../../x", "absolute", "above", "folder/x", ".."])
def test_paths_outside_the_tree_are_refused(top: Path, repository: GitRepository, path: str) -> None:
    (top / "absolute").symlink_to("/etc/passwd")
    (top / "above").symlink_to("../repository/a")
    (top / "folder").symlink_to("..")
    commit(top, {"a": ""})

    assert reading(repository.tree("HEAD"), path).code is Code.FILE_OUTSIDE_ROOT


def test_submodule_is_reported(top: Path, tmp_path: Path, repository: GitRepository) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "--quiet")
    oid = commit(other, {"x.yaml": ""})
    git(top, "update-index", "--add", "--cacheinfo", f"160000,{oid},vendor/other")
    git(top, "commit", "--quiet", "--message", "submodule")

    fs = repository.tree("HEAD")

    assert fs.is_folder("vendor/other")
    assert fs.list("vendor") == ("other",)
    found = reading(fs, "vendor/other/x.yaml")
    assert found.code is Code.FILE_UNREADABLE
    assert found.message.startswith("vendor/other of HEAD is a submodule")
    assert reading(fs, "vendor/other") == found


def test_git_lfs_pointer_is_reported(top: Path, repository: GitRepository) -> None:
    commit(top, {"a.yaml": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"})

    assert "Git LFS" in reading(repository.tree("HEAD"), "a.yaml").message


def test_a_bare_repository_has_revisions(top: Path, tmp_path: Path) -> None:
    commit(top, {"a.yaml": "1"})
    git(tmp_path, "clone", "--quiet", "--bare", str(top), "bare.git")

    with GitRepository(tmp_path / "bare.git", ENVIRONMENT) as repository:
        assert repository.tree("main").read("a.yaml") == b"1"


def test_a_shallow_clone_says_how_to_get_the_rest(top: Path, tmp_path: Path) -> None:
    commit(top, {"a": "1"})
    commit(top, {"a": "2"})
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{top}", "shallow")

    with GitRepository(tmp_path / "shallow", ENVIRONMENT) as repository:
        found = naming(repository, "HEAD~1")

    assert found.hint
    assert "fetch-depth: 0" in found.hint


def test_a_clone_whose_objects_are_gone_names_the_commit(top: Path, tmp_path: Path) -> None:
    commit(top, {"a": "1"})
    git(tmp_path, "clone", "--quiet", "--shared", str(top), "shared")
    (tmp_path / "shared/.git/objects/info/alternates").write_text(f"{tmp_path}/gone\n")

    with GitRepository(tmp_path / "shared", ENVIRONMENT) as repository:
        for revision in ("HEAD", "main", "HEAD~1"):
            found = naming(repository, revision)
            assert found.message.endswith(" of HEAD is not in this clone")
            assert "alternates" in (found.hint or "")


def test_sparse_checkout_leaves_out_files(top: Path, repository: GitRepository) -> None:
    commit(top, {"a/x.yaml": "1", "b/x.yaml": "1", "top.yaml": "1"})
    assert repository.left_out() == frozenset()
    git(top, "sparse-checkout", "set", "--cone", "a")
    with GitRepository(top, ENVIRONMENT) as opened:
        assert opened.left_out() == {"b/x.yaml"}


@pytest.mark.parametrize(("text", "is_on"), [("sparseCheckout", True), ("sparseCheckout = off", False)])
def test_setting_is_read_as_git_reads_it(
    top: Path, repository: GitRepository, text: str, *, is_on: bool
) -> None:
    commit(top, {"a/x.yaml": "1", "b/x.yaml": "1"})
    git(top, "sparse-checkout", "set", "--cone", "a")
    git(top, "config", "--worktree", "--unset", "core.sparseCheckout")
    with (top / ".git/config").open("a") as file:
        file.write(f"[core]\n\t{text}\n")
    assert bool(repository.left_out()) == is_on


def test_settings_are_asked_once(
    top: Path, repository: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(top, {"a": "1"})
    commit(top, {"a": "2"})
    asked: list[str] = []
    run = GitProcess.run

    def counted(process: GitProcess, *words: str) -> Answer:
        asked.append(words[0])
        return run(process, *words)

    monkeypatch.setattr(GitProcess, "run", counted)
    assert [repository.tree(each).read("a") for each in ("HEAD", "HEAD~1")] == [b"2", b"1"]
    assert repository.left_out() == repository.left_out() == frozenset()
    assert asked.count("config") == 1


def test_a_partial_clone_fetches_nothing(top: Path, tmp_path: Path) -> None:
    git(top, "config", "uploadpack.allowFilter", "true")
    commit(top, {"a.yaml": "old"})
    commit(top, {"a.yaml": "new"})
    git(tmp_path, "clone", "--quiet", "--filter", "blob:none", f"file://{top}", "partial")
    partial = tmp_path / "partial"
    git(partial, "config", "protocol.file.allow", "always")

    with GitRepository(partial, ENVIRONMENT) as repository:
        found = reading(repository.tree("HEAD~1"), "a.yaml")

    assert found.message == "a.yaml of HEAD~1 is not in this clone"


def test_merge_base_of_two_branches_is_found(top: Path, repository: GitRepository) -> None:
    base = commit(top, {"a": "1"})
    git(top, "branch", "other")
    commit(top, {"a": "2"})
    git(top, "checkout", "--quiet", "other")
    commit(top, {"b": "1"})
    git(top, "checkout", "--quiet", "--orphan", "stranger")
    commit(top, {"c": "1"})

    assert repository.merge_base("main", "other") == base
    with pytest.raises(DiagnosticError) as error:
        repository.merge_base("main", "stranger")
    assert finding(error).message == "main and stranger have no commit in common"


def test_missing_git_or_repository_is_reported(top: Path, tmp_path: Path) -> None:
    assert opening(top, PATH="").message == "there is no git on the PATH"
    assert opening(top, PATH=".").code is Code.GIT_UNAVAILABLE
    found = opening(tmp_path, GIT_CEILING_DIRECTORIES=str(tmp_path.parent))
    assert found.message == f"{tmp_path} is not in a Git repository"


def test_git_program_in_the_working_directory_is_never_run(
    top: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = top / "git"
    fake.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    fake.chmod(0o755)
    monkeypatch.chdir(top)

    assert opening(top, PATH=":.").code is Code.GIT_UNAVAILABLE
    assert not (tmp_path / "ran").exists()


def test_a_repository_of_another_owner_is_reported(top: Path, tmp_path: Path) -> None:
    wrapper = tmp_path / "bin/git"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec {shutil.which("git")} "$@"\n')
    wrapper.chmod(0o755)

    found = opening(top, PATH=str(wrapper.parent))

    assert "dubious ownership" in found.message
    assert found.hint == f"git config --global --add safe.directory '{top}'"


def test_programs_configured_by_the_repository_are_not_run(top: Path, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\ncat\n")
    script.chmod(0o755)
    commit(top, {"a.yaml": "1\n", ".gitattributes": "*.yaml text eol=crlf filter=evil diff=evil\n"})
    for name in (
        *(
            "core.fsmonitor",
            "core.pager",
            "core.sshCommand",
            "core.editor",
            "pager.cat-file",
            "pager.rev-parse",
        ),
        *("filter.evil.smudge", "filter.evil.clean", "diff.evil.textconv", "alias.rev-parse", "gpg.program"),
    ):
        git(top, "config", name, str(script))
    hook = top / ".git/hooks/post-index-change"
    hook.parent.mkdir(exist_ok=True)
    shutil.copy(script, hook)

    with GitRepository(top, ENVIRONMENT) as repository:
        with pytest.raises(DiagnosticError, match="attribute filter=evil"):
            repository.tree("main").read("a.yaml")
        repository.merge_base("main", "main")

    assert not (tmp_path / "ran").exists()


def test_environment_of_git_hooks_is_ignored(top: Path) -> None:
    commit(top, {"a.yaml": "1"})
    environment = ENVIRONMENT | {"GIT_DIR": ".git", "GIT_INDEX_FILE": ".git/index", "GIT_PREFIX": "x/"}
    (top / "sub").mkdir()
    commit(top, {"sub/b.yaml": "2"})

    with GitRepository(top / "sub", environment) as repository:
        assert repository.tree("HEAD").list(".") == ("b.yaml",)


def test_sha256_repositories_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "sha256"
    folder.mkdir()
    git(folder, "init", "--quiet", "--object-format", "sha256")
    oid = commit(folder, {"a/b.yaml": "1"})

    with GitRepository(folder, ENVIRONMENT) as repository:
        assert len(oid) == 64
        assert repository.tree(oid).read("a/b.yaml") == b"1"


def test_a_thousand_files_are_read_through_two_processes(
    top: Path, repository: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(top, {f"d{number % 100}/{number}.yaml": f"{number}" for number in range(1_000)})
    started: list[tuple[str, ...]] = []
    start = GitProcess.start

    def counted(process: GitProcess, *arguments: str, **others: Any) -> Conversation:  # noqa: ANN401 - as start
        started.append(arguments[:2])
        return start(process, *arguments, **others)

    monkeypatch.setattr(GitProcess, "start", counted)
    fs = repository.tree("HEAD")

    read = [fs.read(f"{folder}/{name}") for folder in fs.list(".") for name in fs.list(folder)]

    assert sorted(map(int, read)) == [*range(1_000)]
    assert started == [("cat-file", "--batch"), ("check-attr", "--stdin")]


#: Contents with all kinds of line ends; the last three are on both sides of Git's limit for binary.
CONTENTS = {
    "lf": b"a\nb\n",
    "crlf": b"a\r\nb\r\n",
    "mixed": b"a\nb\r\n",
    "lone": b"a\rb\n",
    "nul": b"a\0\nb\n",
    "odd": b"a" * 127 + b"\x01\n",
    "even": b"a" * 128 + b"\x01\n",
    "dos": b"a\n\x1a",
}


@pytest.mark.parametrize("core", ["", "autocrlf=true", "autocrlf=input", "eol=crlf", "eol=lf"])
@pytest.mark.parametrize(
    "attributes",
    [
        *("", "text", "-text", "text=auto", "text=input", "eol=crlf", "eol=lf", "binary"),
        *("text eol=crlf", "text eol=lf", "text=auto eol=crlf", "-text eol=crlf"),
    ],
)
def test_line_ends_match_a_checkout(top: Path, attributes: str, core: str) -> None:
    (top / "sub").mkdir()
    (top / ".gitattributes").write_text(f"* {attributes}\n" if attributes else "")
    for name, content in CONTENTS.items():
        oid = subprocess.run(
            ["git", "hash-object", "-w", "--stdin"], cwd=top, input=content, capture_output=True, check=True
        ).stdout.decode()
        git(top, "update-index", "--add", "--cacheinfo", f"100644,{oid.strip()},sub/{name}: x")
    git(top, "add", ".gitattributes")
    git(top, "commit", "--quiet", "--message", "change")
    if core:
        git(top, "config", *f"core.{core}".split("="))
    git(top, "checkout", "--quiet", "--", ".")

    with GitRepository(top / "sub", ENVIRONMENT) as repository:
        fs = repository.tree("HEAD")
        found = {name: fs.read(name) for name in fs.list(".")}

    assert found == {each.name: each.read_bytes() for each in (top / "sub").iterdir()}


def test_tree_object_is_parsed() -> None:
    content = b"100644 a b\0" + b"\x01" * 20 + b"40000 \xc3\xa4\0" + b"\0" * 20

    assert parse_tree(content, 20) == {
        "a b": TreeEntry("100644", "01" * 20),
        "ä": TreeEntry("40000", "00" * 20),
    }


@pytest.mark.parametrize("content", [b"x", b"100644 a", b"100644 a\0short", b"a\0" + b"\0" * 20, b" "])
def test_damaged_tree_is_reported(content: bytes) -> None:
    with pytest.raises(DiagnosticError) as error:
        parse_tree(content, 20)
    assert finding(error).code is Code.GIT_REVISION


def test_folders_nested_too_deeply_are_not_listed(top: Path, repository: GitRepository) -> None:
    deep = "/".join(["a"] * 101)
    fs = repository.tree(commit(top, {f"{deep}/b.yaml": "b"}))
    assert fs.list(deep.rpartition("/")[0]) == ("a",)
    with pytest.raises(DiagnosticError, match="a/a/a/a has more than 100 folders in one another"):
        fs.list(deep)


def test_versions_of_a_file_count_once(top: Path, repository: GitRepository) -> None:
    commits = [commit(top, {"a.yaml": str(number) * 1000}) for number in range(5)]

    def budget(revisions: list[str]) -> int:
        begin_run()
        for each in revisions:
            repository.tree(each).read("a.yaml")
        return allowed()

    of_one, of_all = (copy_context().run(budget, some) for some in (commits[:1], commits))
    assert of_one == of_all


def test_multiplying_links_are_refused(top: Path, repository: GitRepository) -> None:
    for number in range(40):
        (top / f"l{number}").symlink_to("/".join([f"l{number + 1}"] * 8))
    (top / "l40").symlink_to(".")
    commit(top, {"a.yaml": "1"})
    fs = repository.tree("HEAD")

    assert not fs.is_file("l0/a.yaml")
    assert fs.read("l39/a.yaml") == b"1"


def test_link_with_a_huge_target_is_broken(top: Path, repository: GitRepository) -> None:
    (top / "target").write_text("./" * 100_000 + "a.yaml")
    oid = git(top, "hash-object", "-w", "target")
    commit(top, {"a.yaml": "1"})
    git(top, "update-index", "--add", "--cacheinfo", f"120000,{oid},link")
    git(top, "commit", "--quiet", "--message", "link")

    assert not repository.tree("HEAD").is_file("link")


def test_git_process_ends_with_the_block(top: Path) -> None:
    commit(top, {"a.yaml": "1"})
    with GitRepository(top, ENVIRONMENT) as repository:
        fs = repository.tree("HEAD")
    assert repository.commit("HEAD")  # another one starts where it is asked again
    assert fs.read("a.yaml") == b"1"
    repository.close()


def embed(folder: Path, *, config: str | None = None, common: Path | None = None) -> None:
    """Make the folder a bare repository to git, with plain files that anyone can commit."""
    for name in ("objects", "refs"):
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / ".keep").write_text("")
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    if common:
        (folder / "commondir").write_text(f"{common}\n")
    if config:
        (folder / "config").write_text(config)


@pytest.mark.parametrize("place", ["infra", "infra/deeper", "infra/deeper/still"])
@pytest.mark.parametrize("config", [None, "[core]\nbare = false\n", "[core]\nbare = false\nworktree = .\n"])
def test_an_embedded_repository_is_not_used(
    top: Path, tmp_path: Path, place: str, config: str | None
) -> None:
    private = tmp_path / "private"
    private.mkdir()
    git(private, "init", "--quiet", "--initial-branch", "main")
    commit(private, {f"{place}/vm.yaml": "canary", "vm.yaml": "canary"})
    commit(top, {f"{place}/vm.yaml": "good"})
    folder = top / "infra"
    embed(folder, config=config, common=None if config else private / ".git")
    if config:
        for name in ("objects", "refs"):
            shutil.rmtree(folder / name)
            shutil.copytree(private / ".git" / name, folder / name)
    commit(top, {})

    with GitRepository(top / place, ENVIRONMENT) as repository:
        assert repository.prefix == f"{place}/"
        assert not repository.is_bare
        assert repository.tree("HEAD").read("vm.yaml") == b"good"


def test_an_embedded_repository_outside_of_a_checkout_is_not_used(top: Path, tmp_path: Path) -> None:
    commit(top, {"vmrender.yaml": "", "vm.yaml": "canary"})
    unpacked = tmp_path / "unpacked"
    git(tmp_path, "clone", "--quiet", "--bare", str(top), "unpacked")
    (unpacked / "vmrender.yaml").write_text("")
    (unpacked / "overlays").mkdir()

    for folder in (unpacked, unpacked / "overlays"):
        found = opening(folder, GIT_CEILING_DIRECTORIES=str(tmp_path))
        assert found.message == f"{folder} is not in a Git repository"


def test_broken_git_folder_does_not_fall_back_to_another_repository(top: Path) -> None:
    commit(top, {"infra/vm.yaml": "1"})
    (top / "infra/.git").mkdir()
    assert opening(top / "infra").code is Code.GIT_UNAVAILABLE
    embed(top / "infra", config="[core]\nbare = false\n")
    assert opening(top / "infra").code is Code.GIT_UNAVAILABLE


def test_work_trees_submodules_and_linked_git_folders_are_used(top: Path, tmp_path: Path) -> None:
    commit(top, {"infra/vm.yaml": "1"})
    git(top, "worktree", "add", "--quiet", str(tmp_path / "tree"))
    allowed = ("-c", "protocol.file.allow=always")
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "--quiet")
    git(outer, *allowed, "submodule", "add", "--quiet", str(top), "part")
    git(tmp_path, "clone", "--quiet", str(top), "linked")
    (tmp_path / "linked/.git").rename(tmp_path / "elsewhere")
    (tmp_path / "linked/.git").symlink_to(tmp_path / "elsewhere")
    for folder in (tmp_path / "tree", outer / "part", tmp_path / "linked"):
        with GitRepository(folder / "infra", ENVIRONMENT) as repository:
            assert repository.prefix == "infra/"
            assert repository.tree("HEAD").read("vm.yaml") == b"1"


@pytest.mark.parametrize("program", ["import time; time.sleep(60)", "while True: pass"])
def test_git_that_takes_too_long_is_ended_and_named(program: str) -> None:
    command = (sys.executable, "-c", program)
    allowance = Allowance(0.3)
    for _ in range(2):  # the second conversation has nothing left
        conversation = Conversation(command, dict(os.environ), ("check-attr", "--stdin"), allowance)
        for _ in range(2):
            with pytest.raises(DiagnosticError) as error:
                conversation.ask(b"./a.yaml", lines=2)
            assert finding(error).message == "git check-attr takes more than 0.3 seconds"
        conversation.close()


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_id_of_a_content_is_that_of_git(tmp_path: Path, object_format: str) -> None:
    git(tmp_path, "init", "--quiet", f"--object-format={object_format}")
    commit(tmp_path, {"a.yaml": "a: b\n"})
    with GitRepository(tmp_path, ENVIRONMENT) as opened:
        known = opened.tree("HEAD").blob_id("a.yaml")
        assert known == git(tmp_path, "rev-parse", "HEAD:a.yaml")
        assert id_of_blob(b"a: b\n", known) == known
        assert opened.tree("HEAD").blob_id("b.yaml") == ""


def test_programs_for_attributes_are_few_and_asked_once_about_equal_ones(
    repository: GitRepository, top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As ``diff --each`` reads hundreds of commits."""
    started: list[str] = []
    start, close = GitProcess.start, Conversation.close

    def counted(self: GitProcess, *arguments: str, **named: Any) -> Conversation:  # noqa: ANN401 - passed on
        if arguments[0] == "check-attr":
            started.append(named["GIT_ATTR_SOURCE"])
        return start(self, *arguments, **named)

    def closed(self: Conversation) -> None:
        close(self)
        ended.append(self)

    ended: list[Conversation] = []
    monkeypatch.setattr(GitProcess, "start", counted)
    monkeypatch.setattr(Conversation, "close", closed)
    for number in range(12):
        oid = commit(top, {"a/b.yaml": "x\n", "c.yaml": f"{number}\n"})
        assert repository.tree(oid).read("a/b.yaml") == b"x\n"
    assert len(started) == 1
    for number in range(12):
        eol = "crlf" if number % 2 else "lf"
        oid = commit(top, {"a/.gitattributes": f"# {number}\n*.yaml eol={eol}\n"})
        assert repository.tree(oid).read("a/b.yaml") == (b"x\r\n" if number % 2 else b"x\n")
    assert len(started) == 13
    assert len(started) - len(ended) == 4
