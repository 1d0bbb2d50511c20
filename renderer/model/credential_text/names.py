"""Names whose value is a credential, and the values that texts give to such names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

from renderer.model.credential_text.form import Form, is_credential_value
from renderer.model.kube.json import Json, JsonObject
from renderer.model.pattern import pattern

_KEYS = (
    "access|account|activation|api|app|auth|bearer|deploy|encryption|license|master|preshared|private|product"
    "|registration|secret|session|shared|signing|storage|subscription|validation|webhook"
)
#: ``password`` and ``passphrase`` with a letter more, less or swapped.
_MISSPELT = "p[as]{1,4}(?:w[ors]{1,4}d|wo?r|ord|owrd|wodr)|passph[a-z]{2,5}"
_SECRETS = "admin|app|auth|client|consumer|cookie|hmac|jwt|master|oauth|root|session|shared|signing|webhook"
#: The end of a name whose value is a credential. ``existingSecret`` and ``pullSecret`` name a Secret.
CREDENTIAL_NAME = Form(
    (
        *("pass", "asw", "ssw", "psw", "pw", "psk", "secret", "token", "credential", "key", "authorization"),
        *("cookie", "jwt", "bearer", "connection", "sig", "dsn", "otp", "authtok", "_pat", "-pat"),
        *("kennwort", "senha", "contrase", "wachtwoord"),
    ),
    pattern(
        rf"(?:(?i:(?:pass(?:wor[dt]|wd|phrase|code)|{_MISSPELT})s?"
        r"|(?<!by)(?<!com)(?<!over)(?<!under)(?<!tres)pass|pwd?|psk|token|authtok|(?<=[-_])pat"
        r"|credentials?|authorization|cookie|jwt|bearer|connection[-_]?string"
        rf"|(?:{_SECRETS})[-_.]?secret|(?:{_KEYS})[-_. ]?keys?(?:[-_]?id)?"
        r"|(?:^|[-_.])(?:sig|signature|dsn|secrets?|tokens|otp)"
        r"|kennwort|senha|contrase(?:ñ|n)a|mot[-_]?de[-_]?passe|wachtwoord)|[a-z]Dsn)"
        r"(?i:[-_.]?(?:base64|b64|base|hash|plain|value|\d{1,3}|new|old|db|dev|prod(?:uction)?|staging|test))?$"
    ),
)
#: Names that only end like one: the working directory, numbers of tokens, switches, what names a Secret,
#: operators, by which values of charts and of Applications are keyed, and the digest of a public key.
_OTHER_NAME = pattern(
    r"(?:OLD)?PWD|(?i:(?:max|min|num)\w*tokens?|no[\W_]?passw\w*|(?:un)?lock_passwd|[^/]*/.*-secret"
    r"|(?:external|sealed)[-_]?secrets?|public[-_]?key[-_]?token)"
)
#: The fields beside ``secretKey`` that name a Secret, of which it is a key (external-secrets
#: ``apis/externalsecrets/v1/externalsecret_types.go``, ExternalSecretData).
_REFERENCES = frozenset({"remoteRef", "secretName", "secretRef", "sourceRef"})
#: Fields that name a Secret as often as they hold one, and a name of several words in small letters.
_NAME_SECRETS = frozenset({"secret", "secrets"})
_NAME_OF_OBJECT = pattern(r"[a-z]+(?:[-.](?:[a-z]+|v?\d{1,3}))+")
#: Words of a name, and the last one of a name that says something else about a credential: ``token_url``.
_WORDS_OF_NAME = pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_ABOUT_CREDENTIAL = frozenset(
    {"domain", "email", "endpoint", "host", "login", "name", "namespace", "path", "prefix", "realm", "region"}
    | {"role", "uri", "url", "zone"}
)
_KEY_OF_SECRET = "secretKey"  # noqa: S105 - the name of a field
_LONGEST_NAME = 200
#: The keys of a mapping that say what its ``value`` is: variables, parameters, headers.
KEYS_OF_NAMES = ("name", "key", "header")
#: A key, and the name of a variable, which is the value of another key.
_KEY = pattern(r"(?<![\w.-])([^\W\d][\w.-]{0,200}+)\\?[\"']?[ \t]{0,20}:")
_VARIABLE = pattern(
    rf"\b(?:{'|'.join(KEYS_OF_NAMES)})\\?[\"']?[ \t]{{0,20}}:[ \t]{{0,20}}\\?[\"']?([^\W\d][\w.-]{{0,200}})",
    re.IGNORECASE,
)
#: ``name: value``, ``name=value``, ``"name": "value"``, in any text.
_ASSIGNMENT = pattern(
    r"(?<![\w.-])(?P<name>[\w.-]{1,80}+)\\?[\"']?\]?[ \t]{0,40}(?:=>|:=|=|:)[ \t]{0,40}\\?[\"'`]{0,3}"
    r"(?P<word>[^\s\"'`,;}\]\\][^\s\"'`,;}\]]*)"
)
#: ``--password value``.
_OPTION = pattern(
    r"(?<![\w-])--?(?P<name>[\w-]{1,60}+)(?:[ \t]{1,40}|[\"']\s{0,40},\s{0,40})[\"']?"
    r"(?P<word>[^\s\"'-][^\s\"']*)"
)
#: ``<name>value</name>``, ``<Password><Value>value``, ``<name><![CDATA[value]]>``.
_ELEMENT = pattern(
    r"<(?:\w{1,20}:)?(?P<name>[\w.-]{1,60})(?:\s[^<>]{0,200})?>\s*+(?:<(?:\w{1,20}:)?(?i:value|string)>\s*+)?"
    r"(?:<!\[CDATA\[\s*+)?(?P<word>[^<\s][^<]{0,200}?)(?:\]\]>)?<"
)
#: ``name value`` at the end of a line or a block: a setting, or an argument of a command.
_WORDS = pattern(
    r"(?<![\w.$-])(?P<name>[\w.-]{1,60}+)[ \t]{1,40}+(?:(?P<quote>[\"'])|(?![\"']))"
    r"(?P<word>[^\s\"';{}\[\](),$]+)[\"']?[ \t]{0,20}(?:[;}]|$)",
    re.MULTILINE,
)
#: ``name:``, and the value alone on the next line.
_ON_NEXT_LINE = pattern(
    r"(?<![\w.-])(?P<name>[\w.-]{1,60}+)[ \t]{0,20}:[ \t]{0,20}\r?\n[ \t]{0,80}+"
    r"(?P<word>[^\s:\"'{}\[\],|>]{6,200}+)[ \t]{0,20}$",
    re.MULTILINE,
)
#: Programs, and kinds of objects, before a name; and a word of a sentence.
_NO_SETTING = pattern(r"\w{0,5}passwd|sshpass|secrets?", re.IGNORECASE)
_PLAIN_WORD = pattern(r"[A-Za-z]?[a-z]*[.,:!?]?")


@lru_cache(maxsize=8192)  # the objects of a cluster have few different names
def names_credential(name: str) -> bool:
    """Return True for the name of a field, variable or option whose value is a credential."""
    return (
        len(name) <= _LONGEST_NAME
        and CREDENTIAL_NAME.may_be_in(name.lower())
        and CREDENTIAL_NAME.pattern.search(name) is not None
        and "existing" not in name.lower()
        and _OTHER_NAME.fullmatch(name) is None
    )


@lru_cache(maxsize=8192)  # as above
def names_credential_of(name: str) -> bool:
    """Return True for the name of a credential, also with whose it is: ``PASSWORD_DB``, ``token_joe``."""
    if names_credential(name):
        return True
    if len(name) > _LONGEST_NAME or not CREDENTIAL_NAME.may_be_in(name.lower()):
        return False
    words = _WORDS_OF_NAME.findall(name)
    return (
        words[-1:] != []
        and words[-1].lower() not in _ABOUT_CREDENTIAL
        and any(names_credential("_".join(words[:count])) for count in range(1, len(words)))
    )


def mentions_credential(text: str) -> bool:
    """Return True if a key of a text, or the name of a variable in it, is the name of a credential."""
    return CREDENTIAL_NAME.may_be_in(text.lower()) and any(
        names_credential(found[1]) for form in (_KEY, _VARIABLE) for found in form.finditer(text)
    )


def is_credential_field(mapping: JsonObject, key: str) -> bool:
    """Return True if the name of a field says that its value is a credential."""
    if not names_credential(key) or names_secrets(key, mapping.get(key)):
        return False
    return key != _KEY_OF_SECRET or _REFERENCES.isdisjoint(mapping)


def names_secrets(key: str, value: Json) -> bool:
    """Return True for ``secret: grafana-admin`` and a list of such names: of objects, not credentials."""
    values = value if isinstance(value, list) else [value]
    return key in _NAME_SECRETS and all(
        isinstance(each, str) and _NAME_OF_OBJECT.fullmatch(each) is not None for each in values
    )


def named_credentials(text: str) -> Iterator[re.Match[str]]:
    """Yield the assignments, options and elements of a text that give a credential its value."""
    if not CREDENTIAL_NAME.may_be_in(text.lower()):
        return
    for kind in (_ASSIGNMENT, _OPTION, _ELEMENT, _ON_NEXT_LINE):
        for found in chain.from_iterable(map(_with_inner, kind.finditer(text))):
            if names_credential(found["name"]) and is_credential_value(found["word"]):
                yield found
    for found in _WORDS.finditer(text):
        if names_credential(found["name"]) and _is_setting(found):
            yield found


def assignments_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield names in a text with their values: ``name = value``, ``name value``, ``<name>value``."""
    for kind in (_ASSIGNMENT, _WORDS, _ELEMENT):
        for found in chain.from_iterable(map(_with_inner, kind.finditer(text))):
            if not found["word"].startswith("//"):  # of an address
                yield found["name"], found["word"]


def _with_inner(found: re.Match[str]) -> Iterator[re.Match[str]]:
    """Yield a match, and the assignment that its word is: ``Environment=TOKEN=x``, ``--env=TOKEN=x``."""
    yield found
    if "=" in found["word"] and not names_credential(found["name"]):
        yield from _ASSIGNMENT.finditer(found.string, found.start("word"), found.end("word"))


def _is_setting(found: re.Match[str]) -> bool:
    """Return True if a word after the name of a credential is one, and not the next word of a sentence."""
    word = found["word"]
    is_name = word.isupper() and names_credential(word)
    if is_name or not is_credential_value(word) or _NO_SETTING.fullmatch(found["name"]):
        return False
    return bool(found["quote"]) or _PLAIN_WORD.fullmatch(word) is None
