"""What may become of a confidential text, which no output may show either.

Who reads a value may decode it, cut it or spell it in another way. YAML removes quotes and comments, and
writes ``0x12D687`` as ``1234567``. Kubernetes decodes base64, with or without line breaks. A program takes
the password out of a URL, a line ``password=…`` or a JSON text. Of the parts of a text, only the credentials
are confidential: the host in the URL is not, nor is the name of a package in cloud-init data.
"""

from __future__ import annotations

import posixpath
import re
from base64 import b64encode, encodebytes, urlsafe_b64encode
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from math import isfinite

from renderer.model.api_words import is_api_word
from renderer.model.credential_text.addresses import names_user
from renderer.model.credential_text.names import names_credential
from renderer.model.credential_text.search import credentials_in
from renderer.model.encoded_text import content_of_base64, text_in
from renderer.model.pattern import pattern
from renderer.model.run.work import spend

#: Steps for a text that is searched for credentials, and its characters that are searched in one step; and
#: characters of what it makes that are kept in one step (``model.run.work``).
_STEPS_PER_TEXT, _CHARACTERS_SEARCHED_PER_STEP, _CHARACTERS_PER_STEP = 32, 3, 32
_LOOKING = "looking for confidential values"
#: A shorter text may be part of any text.
SHORTEST = 6
#: A credential in JSON in base64 in JSON is found, and no deeper one.
_DEEPEST = 4
#: From this length on, ``base64`` writes its result on several lines.
_LINE_OF_BASE64 = 57
#: A part of a path that programs leave out.
_DOTTED_PATH = pattern(r"(?:^|/)(?:\.\.?)?(?:/|$)")
#: A number of more digits is not written in another way.
_LONGEST_NUMBER = 64
_BASE64 = pattern(r"[A-Za-z0-9+/_\s-]{8,}+={0,2}\s*", re.ASCII)
_NUMBER = pattern(r"[-+]?\.?\d[\w.+-]*", re.ASCII)
_COMMENT = pattern(r"\s#")
#: What YAML may have before a scalar: a tag, an anchor.
_PROPERTIES = pattern(r"(?:[!&]\S*\s+)+")
_QUOTED = pattern(r"""(["'])(.*)\1""", re.DOTALL)

#: The most characters of a text whose credentials are remembered.
_LONGEST_KEPT = 4096
#: ``password=…``, ``"password": "…"``, ``DB_PASSWORD: …``: a name, and a value, which ends with its line or
#: part if it has no quotes.
_NAME = pattern(r"(?<![\w.-])([\w.-]{1,128}+)[\"']?[ \t]*+[:=][ \t]*+")
_VALUE = pattern(
    r"\"([^\"\\]*(?:\\.[^\"\\]*)*)\"|'([^']*(?:''[^']*)*)'|([^\s,;&\"'{}\[\]][^\n,;&{}\[\]]*)", re.DOTALL
)
#: Names of a credential inside of a Secret, besides those that mean one anywhere.
_NAME_IN_SECRET = pattern(r"(?i)(?:auth|(?<![a-z])key|secret|ssh[-_.]?keys?)(?:[-_.]?(?:[0-9]+|data|id))?$")
#: ``scheme://user:password@host``, ``user:password@host``, ``https://token@host``.
_USER_OF_URL = pattern(
    r"(?<![^\s\"'=(<,;])([a-zA-Z][\w+.-]{0,31}://)?([^\s:/@\"'<>]{0,128})(?::([^\s\"'<>]*))?@"
)
_WORD_OF_URL = pattern(r"[^\s\"'<>]+")
_PERCENT = pattern(rb"%([0-9A-Fa-f]{2})")
#: ``Authorization: Bearer …``, and ``.netrc``.
_HEADER = pattern(r"(?i)\b(?:basic|bearer|token|login\s+\S+\s+password)\s+([^\s\"',;<>]+)")
#: ``root:password``, as chpasswd and htpasswd have it; the name of an image has a slash.
_AFTER_NAME = pattern(r"[-\s]*+(?:(?<=-)|[\"']?[\w.@+-]+):([^\s/][^\s]*?)[\"']?\s*")


def readings(text: str, is_line_wanted: Callable[[str], bool] = bool) -> Iterator[str]:
    """Yield a confidential text and what may be made of it, without blanks around and in no order.

    Texts of fewer than six characters and words of the API are left out, and so are lines of a longer text
    that are not wanted. Each text counts before it is searched: it may be unpacked a thousandfold, and so may
    the credentials in it. Raises ``WorkLimitError``.
    """
    seen: set[str] = set()
    waiting = [(text, _DEEPEST)]
    while waiting:
        current, depth = waiting.pop()
        stripped = current.strip()
        if len(stripped) < SHORTEST or stripped in seen:
            continue
        spend(_STEPS_PER_TEXT + len(current) // _CHARACTERS_SEARCHED_PER_STEP, _LOOKING)
        for spelling in _spellings(current):
            lines = filter(is_line_wanted, map(str.strip, spelling.splitlines()))
            new = {spelling.strip(), *lines} - seen
            spend(sum(map(len, new)) // _CHARACTERS_PER_STEP, _LOOKING)
            seen |= new
        if depth:
            parts = dict.fromkeys((*_decoded(current), *_parts(current)))
            spend(sum(map(len, parts)) // _CHARACTERS_PER_STEP, _LOOKING)
            waiting += ((part, depth - 1) for part in parts)
    return (each for each in seen if len(each) >= SHORTEST and not is_api_word(each))


def credential_readings(text: str) -> Iterator[str]:
    """Yield the readings of the credentials in a text, also in base64, and not of the text itself."""
    spend(_STEPS_PER_TEXT + len(text) // _CHARACTERS_SEARCHED_PER_STEP, _LOOKING)
    for part in _credentials_in(text) if len(text) <= _LONGEST_KEPT else _credentials(text):
        yield from readings(part)


def _credentials(text: str) -> Iterator[str]:
    return (part for each in (text, *_decoded(text)) for part in _parts(each))


@lru_cache(maxsize=4096)  # user data is in a file and in what is built of it, its lines in each of a fleet
def _credentials_in(text: str) -> Sequence[str]:
    return tuple(dict.fromkeys(_credentials(text)))


def _spellings(text: str) -> Iterator[str]:
    """Yield the text, its numbers and its base64, as others may write them."""
    yield text
    yield text.replace("\n", "")
    if "\n" not in text.strip():
        yield text.lower()  # as names, addresses and paths of files are written
        yield from _path(text.strip())
    yield from _numbers(text.strip())
    content = text.encode("utf-8", "surrogatepass")
    yield (encoded := b64encode(content).decode())
    yield encoded.rstrip("=")
    yield urlsafe_b64encode(content).decode()
    yield b64encode(content + b"\n").decode()
    if len(content) > _LINE_OF_BASE64:
        yield encodebytes(content).decode()


def _path(text: str) -> Iterator[str]:
    """Yield a relative path as programs shorten it: ``../a/./b`` and ``x/../a/b`` are ``a/b`` in messages."""
    if "/" in text and "://" not in text and not text.startswith("/") and _DOTTED_PATH.search(text):
        yield posixpath.normpath(f"/{text}").lstrip("/")


def _numbers(text: str) -> Iterator[str]:
    """Yield a number as YAML and JSON may write it."""
    if len(text) > _LONGEST_NUMBER or not _NUMBER.fullmatch(text):
        return
    digits = text.replace("_", "")
    for base in (8 if digits.lstrip("+-").startswith("0") else 10, 10, 0):
        try:
            yield from _spelled(int(digits, base))
        except ValueError:
            continue
    try:
        yield from _spelled(float(digits))
    except ValueError:
        return


def _spelled(number: float) -> Iterator[str]:
    """Yield a number as Python, JSON and Go write it."""
    yield str(number)
    try:
        as_float = float(number)
    except OverflowError:
        return
    if isfinite(as_float):
        written = repr(as_float)
        digits = "".join(filter(str.isdigit, written.partition("e")[0])).strip("0")
        yield from (written, f"{as_float:.{max(len(digits) - 1, 0)}e}")
        if as_float.is_integer():
            yield str(int(as_float))


def _decoded(text: str) -> Iterator[str]:
    """Yield the text without base64, and as YAML reads it: without quotes, properties and comments."""
    if _BASE64.fullmatch(text):
        yield text_in(content_of_base64(text))
    scalar = text.strip()
    properties = _PROPERTIES.match(scalar)
    if properties:
        scalar = scalar[properties.end() :]
        yield scalar
    quoted = _QUOTED.fullmatch(scalar)
    if quoted:
        yield from _unquoted(quoted[2], quoted[1])
    elif "\n" not in scalar and _COMMENT.search(scalar):
        yield _COMMENT.split(scalar, 1)[0]


def _unquoted(text: str, quote: str) -> Iterator[str]:
    """Yield a text between quotes as it is, and as YAML and JSON read it."""
    yield text
    if quote == "'":
        yield text.replace("''", "'")
    elif "\\" in text:
        import json  # noqa: PLC0415 - few values need it

        try:
            yield json.loads(f'"{text}"', strict=False)
        except ValueError:
            return


def _parts(text: str) -> Iterator[str]:
    """Yield the credentials in a text."""
    yield from _named_values(text)
    for found in map(re.Match.groupdict, credentials_in(text, of_command=True)):
        yield found.get("word") or found.get("whole") or ""
    if "@" in text:
        yield from _users_of_urls(text)
    yield from (match[1] for match in _HEADER.finditer(text))
    for line in text.splitlines():
        named = _AFTER_NAME.fullmatch(line)
        if named:
            yield named[1]
            yield named[1].rpartition(":")[2]


def names_credential_in_secret(name: str) -> bool:
    """Return True if a name in the text of a Secret or in start data says that its value is a credential."""
    return names_credential(name) or _NAME_IN_SECRET.search(name) is not None


def _named_values(text: str) -> Iterator[str]:
    """Yield the values after names of credentials, as they are written and without quotes."""
    end = 0
    for name in _NAME.finditer(text):
        is_credential = name.start() >= end and names_credential_in_secret(name[1])
        value = _VALUE.match(text, name.end()) if is_credential else None
        if value is None:
            continue
        end = value.end()
        double, single, plain = value.groups()
        if plain is None:
            yield from _unquoted(double if single is None else single, '"' if single is None else "'")
        else:
            yield plain
            if not _HEADER.match(plain):
                yield plain.split(maxsplit=1)[0]


def _users_of_urls(text: str) -> Iterator[str]:
    """Yield the passwords in URLs, and users without a password, which are tokens; decoded as well."""
    for match in _matches_of_users(text):
        scheme, user, password = match.groups(default="")
        is_token = scheme and not password and not names_user(f"{scheme}{user}")
        for part in (user if is_token else "", password):
            yield from (part, percent_decoded(part), part.partition("@")[0])


def _matches_of_users(text: str) -> Iterator[re.Match[str]]:
    """Yield the users of URLs in each word, up to its last ``@``: no user begins after that."""
    for word in _WORD_OF_URL.finditer(text):
        last = text.rfind("@", *word.span())
        if last >= 0:
            yield from _USER_OF_URL.finditer(text, word.start(), last + 1)


def percent_decoded(text: str) -> str:
    """Return the text with the characters that a URL spells with ``%``."""
    decoded = _PERCENT.sub(lambda match: bytes([int(match[1], 16)]), text.encode("utf-8", "surrogatepass"))
    return decoded.decode("utf-8", "replace")
