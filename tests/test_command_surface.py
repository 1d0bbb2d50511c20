"""The command lines that programs try use everything that the command line has."""

from __future__ import annotations

from tests.command_surface import LINES, not_used


def test_every_command_option_and_choice_is_used() -> None:
    assert not_used(LINES) == []


def test_what_is_not_used_is_named() -> None:
    missing = not_used(line for line in LINES if "jsonl" not in line and not line.startswith("schema list"))
    assert missing == ["diff --format jsonl", "schema list", "schema list --release"]
