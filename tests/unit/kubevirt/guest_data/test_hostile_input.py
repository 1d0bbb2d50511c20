"""Guest data that is made to be slow is read in time that grows with its length alone."""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat
from time import process_time

import pytest

from renderer.checks.rules.guest_files import GuestYaml
from renderer.checks.rules.network_data import network_data_problems
from renderer.kubevirt.guest_data.credentials import (
    credentials_in_answer_file,
    credentials_in_kernel_arguments,
    credentials_in_user_data,
)
from renderer.kubevirt.guest_data.user_data import parts

#: With time that grows with the square of the length, each of these would take minutes.
_LENGTH, _SECONDS = 200_000, 10


@pytest.mark.parametrize(
    "read",
    [
        lambda: tuple(credentials_in_answer_file(b"<Password>" + b" " * _LENGTH + b"<")),
        lambda: tuple(credentials_in_answer_file(b"<Password " * _LENGTH)),
        lambda: tuple(credentials_in_answer_file(b"<Password>a" + b" " * _LENGTH)),
        lambda: tuple(credentials_in_kernel_arguments("token" * _LENGTH)),
        lambda: tuple(credentials_in_user_data(b"#!/bin/sh\n" + b"echo a:b3x | chpasswd\n" * 50_000)),
        lambda: network_data_problems(b"text" + b"\n" * _LENGTH, "networkData", is_openstack=False),
    ],
    ids=["spaces", "open tags", "trailing spaces", "kernel arguments", "commands", "line breaks"],
)
def test_time_does_not_grow_with_the_square_of_the_length(read: Callable[[], object]) -> None:
    before = process_time()

    read()

    assert process_time() - before < _SECONDS


def test_the_lines_of_a_text_are_found_once_for_all_problems() -> None:
    text = GuestYaml("\n".join(f"key{number}: 1" for number in range(5_000)), 1)
    before = process_time()

    for number in range(5_000):
        assert text.problem((f"key{number}",), "message", "hint").line == number + 1

    assert process_time() - before < _SECONDS


@pytest.mark.parametrize(
    "content",
    [
        b"Mime-Version: 1.0\n" + b"Content-Type: message/rfc822\n\n" * 5_000,
        b"Mime-Version: 1.0\n"
        + b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(5_000)),
    ],
    ids=["messages", "parts"],
)
def test_messages_that_are_nested_too_deep_have_no_parts(content: bytes) -> None:
    assert parts(content) == ()


def test_repeated_headers_of_templates_are_one_part() -> None:
    assert len(parts("".join(repeat("## template: jinja\n", 5_000)).encode())) == 1


def test_the_line_of_a_password_is_that_of_its_word() -> None:
    file = b"<unattend>\n<Password>\n<Value>one</Value></Password>\n<Password>two</Password></unattend>"

    assert [each.line for each in credentials_in_answer_file(file)] == [3, 4]
