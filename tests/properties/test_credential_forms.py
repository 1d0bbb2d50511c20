"""A form of a credential is found wherever it is, although only texts with its signs are searched."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from renderer.kubevirt.guest_data.credentials import POSSIBLE_CREDENTIAL
from renderer.model.credential_text.addresses import IN_ADDRESSES
from renderer.model.credential_text.commands import COMMANDS, passwords_of_commands
from renderer.model.credential_text.form import is_credential_value
from renderer.model.credential_text.names import (
    CREDENTIAL_NAME,
    named_credentials,
    names_credential,
)
from renderer.model.credential_text.search import FORMS, credential_forms

_FORMS = [form.pattern for form in (*IN_ADDRESSES, *FORMS)]
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
    assume("\\\n" not in text)  # its command would go on in the next line
    expected = [found.span() for found in command.finditer(text) if is_credential_value(found["word"])]
    found = [each.span() for each in passwords_of_commands(text) if each.re.pattern == command.pattern]
    assert found == expected


@_SETTINGS
@given(data=st.data())
def test_name_of_a_credential_has_a_sign(data: st.DataObject) -> None:
    name = data.draw(_texts_of(CREDENTIAL_NAME.pattern).filter(CREDENTIAL_NAME.pattern.search))
    assert CREDENTIAL_NAME.may_be_in(name.lower())


@_SETTINGS
@given(
    prefix=st.from_regex(r"[A-Za-z]{0,8}[._-]", fullmatch=True),
    name=st.sampled_from(
        (
            *("password", "passwd", "passphrase", "passcode", "client-secret", "token", "credentials", "pw"),
            *("apiKey", "access_key_id", "authorization", "cookie", "jwt", "bearer", "connectionString"),
            *("pass", "sshpass", "pwd", "psk", "sig", "signature", "dsn", "secret", "tokens", "TOKEN_b64"),
            *("PASSWORD_OLD", "apiKeyProd", "token_test"),
        )
    ),
)
def test_value_after_the_name_of_a_credential_is_found(prefix: str, name: str) -> None:
    assert names_credential(prefix + name)
    assert [found["word"] for found in named_credentials(f"# {prefix}{name}=zX9-qu1te")] == ["zX9-qu1te"]


@_SETTINGS
@given(data=st.data())
def test_possible_credential_has_a_sign(data: st.DataObject) -> None:
    text = data.draw(_texts_of(POSSIBLE_CREDENTIAL.pattern))
    assert POSSIBLE_CREDENTIAL.may_be_in(text.lower())
