"""Names whose value is a credential, and the values that texts give to such names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from renderer.model.credential_text.form import Form, is_credential_value
from renderer.model.pattern import pattern

_KEYS = (
    "access|account|activation|api|app|auth|bearer|deploy|encryption|license|master|preshared|private|product"
    "|registration|secret|session|shared|signing|storage|subscription|validation|webhook"
)
#: The end of a name whose value is a credential. ``existingSecret`` and ``pullSecret`` name a Secret.
CREDENTIAL_NAME = Form(
    (
        *("pass", "pw", "psk", "secret", "token", "credential", "key", "authorization", "cookie", "jwt"),
        *("bearer", "connection", "sig", "dsn"),
    ),
    pattern(
        r"(?:(?i:pass(?:word|wd|phrase|code)s?|(?:client|shared|app|consumer|webhook)[-_.]?secret|token|credentials?"
        rf"|(?:{_KEYS})[-_. ]?keys?(?:[-_]?id)?|authorization|cookie|jwt|bearer|connection[-_]?string"
        r"|(?:^|[-_.])(?:pass|sshpass|rootpw|sshpw|pw|pwd|psk|sig|signature|dsn|secrets?|tokens))|[a-z](?:Pass|Pwd|Psk|Pw|Dsn))"
        r"(?i:[-_.]?(?:base64|b64|hash|plain|value|\d{1,3}))?$"
    ),
)
#: Names that only end like one: the working directory, numbers of tokens, switches.
_OTHER_NAME = pattern(r"(?i)(?:old)?pwd|(?:max|min|num)\w*tokens?|no\W?passw\w*|(?:un)?lock_passwd")
_LONGEST_NAME = 200
#: ``name: value``, ``name=value``, ``"name": "value"``, in any text.
_ASSIGNMENT = pattern(
    r"(?<![\w.-])(?P<name>[\w.-]{1,80})\\?[\"']?\]?[ \t]{0,40}(?:=>|:=|=|:)[ \t]{0,40}\\?[\"']?"
    r"(?P<word>[^\s\"',;}\]\\][^\s\"',;}\]]*)"
)
#: ``--password value``.
_OPTION = pattern(
    r"(?<![\w-])--?(?P<name>[\w-]{1,60})(?:[ \t]{1,40}|[\"']\s{0,40},\s{0,40})[\"']?"
    r"(?P<word>[^\s\"'-][^\s\"']*)"
)
#: ``<name>value</name>``, ``<Password><Value>value``, ``<name><![CDATA[value]]>``.
_ELEMENT = pattern(
    r"<(?:\w{1,20}:)?(?P<name>[\w.-]{1,60})(?:\s[^<>]{0,200})?>\s*+(?:<(?:\w{1,20}:)?(?i:value|string)>\s*+)?"
    r"(?:<!\[CDATA\[\s*+)?(?P<word>[^<\s][^<]{0,200})<"
)


def names_credential(name: str) -> bool:
    """Return True for the name of a field, variable or option whose value is a credential."""
    return (
        len(name) <= _LONGEST_NAME
        and CREDENTIAL_NAME.may_be_in(name.lower())
        and CREDENTIAL_NAME.pattern.search(name) is not None
        and _OTHER_NAME.fullmatch(name) is None
    )


def named_credentials(text: str) -> Iterator[re.Match[str]]:
    """Yield the assignments, options and elements of a text that give a credential its value."""
    if not CREDENTIAL_NAME.may_be_in(text.lower()):
        return
    for kind in (_ASSIGNMENT, _OPTION, _ELEMENT):
        for found in kind.finditer(text):
            if names_credential(found["name"]) and is_credential_value(found["word"]):
                yield found
