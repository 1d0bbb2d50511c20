"""Which names are treated as typos, and which as other objects."""

from __future__ import annotations

import pytest

from renderer.model.near_miss import is_near_miss, is_slip


@pytest.mark.parametrize(
    ("written", "intended"),
    [
        ("web-cloud-init", "web-cloudinit"),
        ("webdata", "web-data"),
        ("web_data", "web-data"),
        ("databse-root", "database-root"),
        ("web-dtaa", "web-data"),
        ("web2-databsae", "web2-database"),
        ("backup-agents", "backup-agent"),
        ("dta", "data"),
        ("web-dta", "web-data"),
        ("web-roo", "web-root"),
    ],
)
def test_typo_is_a_near_miss(written: str, intended: str) -> None:
    assert is_near_miss(written, intended)


@pytest.mark.parametrize(
    ("written", "intended"),
    [
        ("web", "web"),
        ("web-2-data", "web-1-data"),
        ("web1", "web"),
        ("disk-a", "disk-b"),
        ("web-prod", "web-prd"),
        ("tst-data", "test-data"),
        ("dev", "dep"),
        ("web-dev", "web-prod"),
        ("web-data", "web-root"),
        ("north", "south"),
        ("left-disk", "right-disk"),
        ("fedora", "fedora-server"),
        ("db-init", "web-init"),
        ("primary-key", "public-key"),
    ],
)
def test_different_name_is_not_a_near_miss(written: str, intended: str) -> None:
    assert not is_near_miss(written, intended)


@pytest.mark.parametrize(
    ("written", "intended"), [("databse", "database"), ("web-kyes", "web-keys"), ("dattabase", "database")]
)
def test_lost_doubled_or_swapped_letter_is_a_slip(written: str, intended: str) -> None:
    assert is_slip(written, intended)


@pytest.mark.parametrize(
    ("written", "intended"),
    [
        ("web", "web"),
        ("web-dta", "web-data"),
        ("web-key", "web-keys"),
        ("corp-net", "core-net"),
        ("db-1", "db-2"),
        ("left-disk", "right-disk"),
        ("web-data", "webdata"),
    ],
)
def test_name_that_may_be_meant_is_not_a_slip(written: str, intended: str) -> None:
    assert not is_slip(written, intended)
