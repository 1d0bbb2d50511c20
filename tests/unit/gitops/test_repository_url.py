"""Which URLs mean the repository at hand."""

from __future__ import annotations

import pytest

from renderer.gitops.repository_url import RepositoryUrls, checked_out_branch, remote_urls

KNOWN = ("git@github.com:acme/fleet.git",)
SAME = (
    "https://github.com/acme/fleet",
    "https://github.com/acme/fleet.git",
    "ssh://git@ssh.github.com:443/acme/fleet.git",
    "https://user:token@github.com/Acme/Fleet/",
    "https://github.com/somebody/fleet.git",
    "https://git.example.net/mirror/fleet",
)


@pytest.mark.parametrize("url", SAME)
def test_spellings_forks_and_mirrors_match_the_repository(url: str) -> None:
    assert RepositoryUrls(KNOWN, named=SAME).is_this_repository(url)


def test_another_name_is_another_repository_if_any_object_names_this_one() -> None:
    other = "https://github.com/acme/charts.git"
    assert not RepositoryUrls(KNOWN, named=(SAME[0], other)).is_this_repository(other)
    assert RepositoryUrls(KNOWN, named=(other,)).is_this_repository(other, "vms")
    assert not RepositoryUrls(KNOWN, named=(other,), is_folder=lambda _path: False).is_this_repository(
        other, "vms"
    )
    assert not RepositoryUrls(KNOWN, named=(other,), certain=True).is_this_repository(other)


def test_placeholders_match_the_repository_if_the_path_exists() -> None:
    urls = RepositoryUrls(KNOWN, named=SAME, is_folder=lambda path: path == "vms")
    assert urls.is_this_repository("https://github.com/YOUR_USERNAME/x.git", "vms")
    assert not urls.is_this_repository("${INFRA_REPO}", "none")


def test_remotes_and_the_branch_are_read_from_files_of_git() -> None:
    config = (
        '[remote "origin"]\n\turl = git@github.com:acme/fleet.git\n[submodule "x"]\n\turl = https://x/y.git\n'
    )
    assert list(remote_urls(config)) == list(KNOWN)
    assert checked_out_branch("ref: refs/heads/main\n") == "main"
    assert checked_out_branch("0123abcd\n") == ""
