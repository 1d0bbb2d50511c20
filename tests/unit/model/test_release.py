from __future__ import annotations

import pytest

from renderer.model.release import (
    LATEST,
    NEWEST,
    NEWEST_PATCHES,
    OLDEST,
    UNRELEASED,
    Release,
    snapshot_of,
    target_release,
)


def test_releases_compare_by_number_not_by_text() -> None:
    assert Release.parse("v1.10.2") > Release.parse("1.9")
    assert Release.parse("1.6.10") > Release.parse("1.6.4")


@pytest.mark.parametrize(("text", "written"), [("v1.10.2", "1.10.2"), ("1.9.0", "1.9.0"), ("v1.9", "1.9")])
def test_release_is_printed_as_named(text: str, written: str) -> None:
    assert str(Release.parse(text)) == written


@pytest.mark.parametrize("text", ["1.06", "01.6", "", "1", "1.x", "1.9.", "1.9.0-rc.1", "latest", "1.9.0.0"])
def test_invalid_release_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a KubeVirt release"):
        Release.parse(text)


@pytest.mark.parametrize(("text", "is_since"), [("1.6.3", False), ("1.6.4", True), ("1.6.99", True)])
def test_a_patch_is_on_one_side_of_a_bound(text: str, is_since: bool) -> None:  # noqa: FBT001 - a parameter
    assert (Release.parse(text) >= Release.bound("1.6.4")) is is_since
    assert Release.parse(text) >= Release.bound("1.6") == Release(1, 6)


def test_minor_without_a_patch_means_its_newest_patch() -> None:
    minor = Release.parse("1.6")
    assert minor > Release.parse("1.6.6") > Release(1, 6)
    assert minor < Release(1, 7)
    assert (str(minor), str(minor.exact)) == ("1.6", "1.6.6")
    assert Release.parse("1.6.3").minor_release == minor
    assert not minor.names_patch


@pytest.mark.parametrize(
    ("text", "exact"),
    [("1.6.3", "1.6.3"), ("1.6.99", "1.6.6"), ("1.10", "1.10"), ("0.59", "0.59"), ("2.0.1",) * 2],
)
def test_unknown_release_behaves_like_the_newest_known_patch(text: str, exact: str) -> None:
    assert str(Release.parse(text).exact) == exact


@pytest.mark.parametrize(
    ("text", "is_included"),
    [("1.5.2", False), ("1.5.3", True), ("1.6.0", False), ("1.6.1", True), ("1.7.0", True), ("1.5", True)],
)
def test_backported_change_is_in_its_minors(text: str, is_included: bool) -> None:  # noqa: FBT001 - a parameter
    assert Release.parse(text).includes((1, 5, 3), (1, 6, 1)) is is_included


def test_every_released_minor_that_can_be_a_target_has_its_newest_patch() -> None:
    minors = [Release.parse(f"1.{minor}") for minor in range(OLDEST.minor, LATEST.minor + 1)]
    assert [minor for minor in minors if not minor.exact.names_patch] == []


@pytest.mark.parametrize("text", ["1.0.0", "1.6.3", "v1.9.0", "1.9.7", "1.6"])
def test_patch_releases_of_known_minors_are_targets(text: str) -> None:
    assert str(target_release(text)) == text.removeprefix("v")


@pytest.mark.parametrize("text", ["0.59.2", "1.11.0", "1.11", "2.0"])
def test_other_minors_are_not_targets(text: str) -> None:
    supported = "1.0 to 1.9 are, and 1.10, which is not released yet"
    with pytest.raises(ValueError, match=f"KubeVirt {text} is not supported; {supported}"):
        target_release(text)


def test_a_patch_of_an_imported_minor_is_a_target() -> None:
    assert target_release("1.11.1", {Release.parse("1.11")}) == Release(1, 11, 1)


@pytest.mark.parametrize("text", ["1.10", "v1.10", "1.10.0", "1.10.3"])
def test_next_release_is_a_target_for_whoever_names_it(text: str) -> None:
    assert snapshot_of(target_release(text)) == UNRELEASED[1, 10]
    assert snapshot_of(target_release("1.9")) is None


def test_unreleased_minors_follow_the_released_ones() -> None:
    assert [*UNRELEASED] == [(1, LATEST.minor + 1)]
    assert NEWEST_PATCHES.keys().isdisjoint(UNRELEASED)
    assert (LATEST.names_patch, NEWEST.names_patch) == (False, False)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1.10.0-rc.1", "1.10"),
        ("v1.8.0-beta.0", "1.8 or 1.8.4"),
        ("0.59.0-rc.0", "1.9 or 1.9.0"),
        ("latest", "1.9 or 1.9.0"),
    ],
)
def test_name_of_no_release_is_refused_with_the_nearest(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=f"is not a KubeVirt release; write it as {words}$"):
        target_release(text)


@pytest.mark.parametrize("text", ["main", "master", "HEAD", "nightly"])
def test_branch_is_refused_with_what_to_write(text: str) -> None:
    snapshot = UNRELEASED[1, 10]
    message = f'write "1.10" for what it had on {snapshot.date}'
    with pytest.raises(ValueError, match=message):
        target_release(text)


def test_bound_at_the_first_patch_is_named_by_its_minor() -> None:
    assert [each.as_bound for each in (Release(1, 6), Release(1, 6, 4))] == ["1.6", "1.6.4"]
