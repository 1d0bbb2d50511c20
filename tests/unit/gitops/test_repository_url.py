"""Which URLs mean the repository at hand."""

from __future__ import annotations

import pytest

from renderer.gitops import repository_url
from renderer.gitops.repository_url import (
    RepositoryUrls,
    SourceAddress,
    checked_out_branch,
    public_url,
    remote_urls,
)

KNOWN = ("git@github.com:acme/fleet.git",)
SAME = (
    "https://github.com/acme/fleet",
    "https://github.com/acme/fleet.git",
    "ssh://git@ssh.github.com:443/acme/fleet.git",
    "https://user:token@github.com/Acme/Fleet/",
    "https://github.com/somebody/fleet.git",
    "https://git.example.net/mirror/fleet",
)
OTHER = "https://github.com/acme/charts.git"


@pytest.mark.parametrize("url", SAME)
def test_spellings_forks_and_mirrors_match_the_repository(url: str) -> None:
    assert RepositoryUrls(KNOWN, [SourceAddress(url)]).is_this_repository(url)


@pytest.mark.parametrize(
    ("url", "public"),
    [
        ("https://user:token@github.com/acme/fleet", "https://github.com/acme/fleet"),
        ("https://token@github.com/acme/fleet.git", "https://github.com/acme/fleet.git"),
        ("https://user:to/ken@github.com/acme/fleet", "https://***@github.com/acme/fleet"),
        ("https://github.com/acme/fleet.git?private_token=word", "https://github.com/acme/fleet.git"),
        ("ssh://git:word@github.com/acme/fleet", "ssh://github.com/acme/fleet"),
        ("ssh://git@github.com/acme/fleet", "ssh://git@github.com/acme/fleet"),
        ("git@github.com:acme/fleet.git", "git@github.com:acme/fleet.git"),
    ],
)
def test_url_without_credentials_is_of_the_same_repository(url: str, public: str) -> None:
    assert public_url(url) == public
    assert RepositoryUrls((public,)).lists(KNOWN[0])
    if "/ken" not in url:  # a slash in a password is not valid in a URL
        assert RepositoryUrls((public,), certain=True).is_this_repository(url)


@pytest.mark.parametrize("named", [(OTHER,), (SAME[0], OTHER), (SAME[4], OTHER)])
@pytest.mark.parametrize("certain", [False, True])
def test_another_name_is_another_repository_although_the_path_exists(
    named: tuple[str, ...], *, certain: bool
) -> None:
    urls = RepositoryUrls(KNOWN, map(SourceAddress, named), certain=certain)
    assert not urls.is_this_repository(OTHER, "vms")


def test_namesake_of_another_owner_is_another_repository_if_an_object_names_this_one() -> None:
    namesake = "https://github.com/vendor/fleet"
    assert not RepositoryUrls(KNOWN, map(SourceAddress, (SAME[0], namesake))).is_this_repository(namesake)
    assert RepositoryUrls(KNOWN, [SourceAddress(namesake)]).is_this_repository(namesake)


def test_namesake_without_the_path_is_another_repository() -> None:
    urls = RepositoryUrls(KNOWN, is_folder=lambda path: path == "vms")
    assert not urls.is_this_repository("https://github.com/vendor/fleet", "charts")


def test_without_a_remote_the_repository_is_the_one_whose_paths_exist() -> None:
    named = [SourceAddress(SAME[0], "vms"), SourceAddress(OTHER, "vms"), SourceAddress(OTHER, "charts")]
    urls = RepositoryUrls((), named, is_folder=lambda path: path == "vms")
    assert urls.candidates == ("acme/fleet",)
    assert urls.is_this_repository(SAME[2], "vms")
    assert not urls.is_this_repository(OTHER, "vms")


def test_without_a_remote_two_repositories_may_be_this_one() -> None:
    urls = RepositoryUrls((), [SourceAddress(SAME[0], "vms"), SourceAddress(OTHER, "web")])
    assert urls.candidates == ("acme/fleet", "acme/charts")
    assert not urls.is_this_repository(OTHER, "web")


def test_placeholders_match_the_repository_if_the_path_exists() -> None:
    urls = RepositoryUrls(KNOWN, map(SourceAddress, SAME), is_folder=lambda path: path == "vms")
    assert urls.is_this_repository("https://github.com/YOUR_USERNAME/x.git", "vms")
    assert not urls.is_this_repository("${INFRA_REPO}", "none")


def test_remotes_and_the_branch_are_read_from_files_of_git() -> None:
    config = (
        '[remote "origin"]\n\turl = git@github.com:acme/fleet.git\n[submodule "x"]\n\turl = https://x/y.git\n'
    )
    assert list(remote_urls(config)) == list(KNOWN)
    assert checked_out_branch("ref: refs/heads/main\n") == "main"
    assert checked_out_branch("0123abcd\n") == ""


def test_known_urls_are_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    parts = repository_url._parts  # noqa: SLF001 - its calls are counted

    def counted(url: str, count: int) -> frozenset[tuple[str, ...]]:
        parsed.append(url)
        return parts(url, count)

    monkeypatch.setattr(repository_url, "_parts", counted)
    urls = RepositoryUrls(tuple(f"https://git.example.org/acme/z{number}" for number in range(100)))
    named = [f"https://git.example.org/acme/q{number}" for number in range(100)]
    assert not any(map(urls.lists, named))
    assert urls.lists("git@git.example.org:acme/z7.git")
    assert len(parsed) <= 700
