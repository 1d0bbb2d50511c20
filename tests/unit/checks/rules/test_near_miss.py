"""Which names are treated as typos, and which as other objects."""

from __future__ import annotations

import pytest

from renderer.checks.rules.near_miss import is_near_miss


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
