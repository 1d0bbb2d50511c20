"""A form of a credential is found wherever it is, although only texts with its signs are searched."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from renderer.kubevirt.guest_data.credential_text import (
    COMMANDS,
    FORMS,
    IN_ADDRESSES,
    credential_forms,
    is_credential_value,
    passwords_of_commands,
)

_FORMS = [*(form for _, form in IN_ADDRESSES), *(form.pattern for form in FORMS)]
_SETTINGS = settings(
    max_examples=20, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)


def _texts_of(form: re.Pattern[str]) -> st.SearchStrategy[str]:
    return st.from_regex(re.compile(form.pattern, form.flags & ~re.UNICODE | re.ASCII))


@pytest.mark.parametrize("form", _FORMS)
@_SETTINGS
@given(data=st.data())
def test_form_is_found_among_other_lines(form: re.Pattern[str], data: st.DataObject) -> None:
    text = f"#cloud-config\n{data.draw(_texts_of(form))}\nhostname: web\n"
    words = [found.groupdict().get("word") for found in form.finditer(text)]
    assume(any(word is None or is_credential_value(word) for word in words))
    assert any(found.re.pattern == form.pattern for found in credential_forms(text))


@pytest.mark.parametrize("command", [command.pattern for command in COMMANDS])
@_SETTINGS
@given(data=st.data())
def test_password_of_a_command_is_found(command: re.Pattern[str], data: st.DataObject) -> None:
    text = f"#!/bin/sh\n{data.draw(_texts_of(command))}\n"
    expected = [found.span() for found in command.finditer(text) if is_credential_value(found["word"])]
    found = [each.span() for each in passwords_of_commands(text) if each.re.pattern == command.pattern]
    assert found == expected
