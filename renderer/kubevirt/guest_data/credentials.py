"""What is a password, a key or a token in the data of a guest: one table for rules and for ``import``.

``credentials_in_user_data`` and its neighbours find what certainly is one, at its place in the text.
``may_have_credentials`` is for a decision in which silence would be worse: it also says yes to what
only looks like one. The fields are in cloud-init's ``schema-cloud-config-v1.json``, Ignition's configuration
specification, and Microsoft's reference of unattended Windows Setup (``Shell-Setup``, ``UnattendedJoin``).
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from renderer.kubevirt.guest_data.user_data import Format, Part, decode_cloud_config, parts
from renderer.model.credential_text.commands import (
    credential_arguments,
    passwords_of_commands,
)
from renderer.model.credential_text.form import Form
from renderer.model.credential_text.kernel_arguments import kernel_credentials
from renderer.model.credential_text.search import credential_forms
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.encryption import is_ciphertext
from renderer.model.kube.field_path import Segment
from renderer.model.kube.json import Json, array_at, object_at
from renderer.model.pattern import pattern
from renderer.model.placeholders import has_placeholder, has_placeholder_word
from renderer.model.record import Record

#: Words that mention passwords but are not credentials.
_HARMLESS = pattern(r"lock_passwd|ssh_pwauth|passwordauthentication|no-?passwd|nopassword", re.IGNORECASE)
#: What only looks like a credential, too.
POSSIBLE_CREDENTIAL = Form(
    (
        *("pass", "pw", "secret", "token", "credential", "key", "authorization", "bearer", "$", "://", "net"),
        *("mysql", "mariadb", "encoding:", "-----begin"),
    ),
    pattern(
        r"pass(wd|word|phrase)|(^|[^a-z])(pw|pass)\s*[:=]|secret|token|credential|api[-_]?key|access[-_]?key"
        r"|activation[-_]?key|private[-_ ]?key|authorization|bearer\s|\$(1|2[abxy]?|5|6|7|y|gy)\$"
        r"|://[^/\s:@]+:[^@\s/]+@|\bnet1?(\.exe)?\s+user\s+\S+\s+[^\s/]"
        r"|\b(mysql|mariadb)\w*\b[^\n|;&]{0,200}\s-p\S|\bsshpass\s+-p|encoding:\s*[\"']?(b64|base64|gz|gzip)|-{5}BEGIN",
        re.IGNORECASE | re.MULTILINE,
    ),
)
_PRIVATE_KEY = pattern(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY")
_HASH = pattern(r"\$(1|2[abxy]?|5|6|7|y|gy)\$")
_THROW_AWAY = """
    admin administrator alpine atomic centos changeit changeme changemenow change-me change_me cirros
    cloud cloud-user cloud123 debian default demo dummy example fedora foo gocubsgo guest hello kubevirt
    linux lab nutanix openshift opensuse p@ssw0rd pass passw0rd password password1 password123 placeholder
    redhat redhat123 redhat1234 rocky root secret secret123 sles test test123 todo toor ubuntu user
    vagrant vm welcome welcome1 123 1234 12345 123456 12345678
"""
#: Words that examples use, or that stand for a password that is put in later. They protect nothing.
THROW_AWAY = frozenset(_THROW_AWAY.split())
#: Values with which nobody can log in, or that cloud-init replaces by a random word.
_NO_PASSWORD = frozenset(("", "*", "!", "!!", "x", "r", "random"))
#: Texts that stand for a value that is put in later: <your password>, xxxx, ref+vault://….
_FILLED_IN_LATER = pattern(r"<.*>|x{3,}|\*{3,}|\.{3,}|ref\+.*|vault:.*|(?:your|my|the)[-_ ].*", re.IGNORECASE)
_USER_PASSWORDS = ("passwd", "hashed_passwd", "hashed-passwd", "plain_text_passwd", "plain-text-passwd")
#: Other fields of cloud-config that hold a credential, as paths.
_OTHER_FIELDS = (
    (("rh_subscription", "password"), "password"),
    (("rh_subscription", "activation-key"), "activation key"),
    (("rh_subscription", "activation_key"), "activation key"),
    (("ubuntu_pro", "token"), "token"),
    (("ubuntu_advantage", "token"), "token"),
    (("landscape", "client", "registration_key"), "registration key"),
    (("chef", "validation_key"), "private key"),
)
#: The field of cloud-config with passwords for users.
CHPASSWD = "chpasswd"
_ANSWER_PASSWORD = pattern(
    r"<(?:\w{1,40}:)?(?:AdministratorPassword|Password)\b[^<>]{0,500}>\s{0,500}"
    r"(?:<(?:\w{1,40}:)?Value>\s{0,500})?(?:<!\[CDATA\[\s{0,500})?(?P<word>[^<\s][^<]{0,1000})<"
)
#: Elements of an answer file that hold a password, themselves or in an element ``Value``.
_PASSWORD_ELEMENTS = ("AdministratorPassword", "Password")
_MOST_TEXT = 10_000
#: Yields the credential if a value at a path is a password.
_PasswordAt: TypeAlias = Callable[..., Iterator["Credential"]]


class Credential(Record):
    """A credential in a text: what it is, and its place as a path in the YAML, or as a line from 1.

    ``is_throw_away``: it is a word that everybody knows. ``line`` without a ``path`` is the line of the whole
    text; with a path, the line on which the YAML begins.
    """

    what: str
    path: tuple[Segment, ...] = ()
    line: int = 0
    text: str = ""
    is_throw_away: bool = False


def may_have_credentials(text: str) -> bool:
    """Return True if a text that a VM is started with seems to contain a password, a key or a token."""
    if not POSSIBLE_CREDENTIAL.may_be_in(text.lower()):
        return False
    return POSSIBLE_CREDENTIAL.pattern.search(_HARMLESS.sub("", text)) is not None


def is_throw_away(word: str) -> bool:
    """Return True for a word that protects nothing, because everybody knows it."""
    return word.strip(" \"'!").lower() in THROW_AWAY


def is_plaintext(word: Json) -> bool:
    """Return True if a value in the place of a credential is one: not empty, encrypted or put in later."""
    if isinstance(word, bool) or not isinstance(word, str | int | float):
        return False
    text = str(word).strip()
    if (
        text.lower() in _NO_PASSWORD
        or is_ciphertext(text)
        or has_placeholder_word(text)
        or has_placeholder(text)
    ):
        return False
    return not _FILLED_IN_LATER.fullmatch(text[:_MOST_TEXT])


def credentials_in_user_data(content: bytes) -> Iterator[Credential]:
    """Yield the credentials in user data, in its order."""
    for part in parts(content):
        found: list[Credential] = []
        if part.format is Format.CLOUD_CONFIG:
            found = list(_in_cloud_config(part))
        elif part.format is Format.IGNITION:
            found = list(credentials_in_ignition(part.text))
        yield from found or _in_text(part.text, part.line)


def credentials_in_ignition(text: str) -> Iterator[Credential]:
    """Yield the credentials in a configuration of Ignition."""
    import json  # noqa: PLC0415 - few machines have one

    try:
        data: Json = json.loads(text)
    except (ValueError, RecursionError):
        return
    hashes = [
        Credential("password hash", ("passwd", "users", index, "passwordHash"), 1, text)
        for index, user in enumerate(array_at(data, "passwd", "users"))
        if is_plaintext(object_at(user).get("passwordHash"))
    ]
    yield from hashes or _in_text(text, 1)


def credentials_in_answer_file(content: bytes) -> Iterator[Credential]:
    """Yield the passwords in an answer file of Windows Setup."""
    text = content.decode("utf-8", "replace")
    for written, line in _words(_ANSWER_PASSWORD.finditer(text), text, 1):
        word = _decoded_answer(written.rstrip())
        if is_plaintext(word):
            yield Credential("password", (), line, is_throw_away=is_throw_away(word))


def credentials_in_kernel_arguments(arguments: str) -> Iterator[Credential]:
    """Yield the passwords and tokens in arguments for a kernel."""
    for found in kernel_credentials(arguments):
        if is_plaintext(found["word"]):
            yield Credential("password or token", is_throw_away=is_throw_away(found["word"]))


def _in_cloud_config(part: Part) -> Iterator[Credential]:
    try:
        data = decode_cloud_config(part.text)
    except DiagnosticError:
        return
    if not isinstance(data, dict):
        return

    def password(word: Json, *path: Segment) -> Iterator[Credential]:
        if is_plaintext(word):
            text = str(word)
            is_hash = _HASH.match(text) is not None
            what = "password hash" if is_hash else "password"
            yield Credential(what, path, part.line, part.text, not is_hash and is_throw_away(text))

    yield from password(data.get("password"), "password")
    for path, word in set_passwords(data.get(CHPASSWD)):
        yield from password(word, CHPASSWD, *path)
    users = data.get("users")
    for index, user in enumerate(users if isinstance(users, list) else ()):
        for key in _USER_PASSWORDS:
            yield from password(object_at(user).get(key), "users", index, key)
    for name, host_key in object_at(data, "ssh_keys").items():
        if name.endswith("_private") and is_plaintext(host_key):
            yield Credential("private key", ("ssh_keys", name), part.line, part.text)
    for path, what in _OTHER_FIELDS:
        registered = object_at(data, *path[:-1]).get(path[-1])
        if is_plaintext(registered):
            yield Credential(what, path, part.line, part.text, is_throw_away(str(registered)))
    for index, file in enumerate(array_at(data, "write_files")):
        if isinstance(file, dict) and _PRIVATE_KEY.search(_file_text(file)):
            yield Credential("private key", ("write_files", index), part.line, part.text)
    yield from _passwords_in_lists(data, password)


def _passwords_in_lists(value: Json, password: _PasswordAt, *path: Segment) -> Iterator[Credential]:
    """Yield the passwords in commands that are lists of words, such as those of ``runcmd``."""
    if isinstance(value, list):
        for index in sorted(credential_arguments(value)):
            yield from password(value[index], *path, index)
    for key, child in value.items() if isinstance(value, dict) else enumerate(array_at(value)):
        yield from _passwords_in_lists(child, password, *path, key)


def set_passwords(chpasswd: Json) -> Iterator[tuple[tuple[Segment, ...], Json]]:
    """Yield the place and text of each password in ``chpasswd`` of cloud-config.

    It has a text or list of user:password, or a list of users.
    """
    listed = object_at(chpasswd).get("list")
    lines = listed.splitlines() if isinstance(listed, str) else listed if isinstance(listed, list) else ()
    for index, line in enumerate(lines):
        _, colon, word = str(line).partition(":")
        if colon:
            yield ("list",) if isinstance(listed, str) else ("list", index), word
    for index, user in enumerate(array_at(chpasswd, "users")):
        if str(object_at(user).get("type")).upper() != "RANDOM":
            yield ("users", index, "password"), object_at(user).get("password")


def _file_text(file: Mapping[str, Json]) -> str:
    """Return the content of a file that cloud-init writes."""
    content, encoding = file.get("content"), file.get("encoding")
    if not isinstance(content, str):
        return ""
    if isinstance(encoding, str) and encoding.strip().lower() in ("b64", "base64"):
        try:
            return b64decode(content).decode("utf-8", "replace")
        except ValueError:
            return ""
    return content


def _in_text(text: str, line: int) -> Iterator[Credential]:
    """Yield the credentials that any text shows: keys, hashes, and passwords in URLs and commands."""
    found = min((each.start() for each in credential_forms(text)), default=None)
    if found is not None:
        yield Credential("password or key", (), line + text.count("\n", 0, found) if line else 0)
        return
    for word, at in _words(passwords_of_commands(text), text, line):
        if is_plaintext(word):
            yield Credential("password", (), at, is_throw_away=is_throw_away(word))


def _words(found: Iterable[re.Match[str]], text: str, line: int) -> Iterator[tuple[str, int]]:
    """Yield the group ``word`` of each match with its line; ``line`` is that of the text, 0 if unknown."""
    counted = 0
    for each in found:
        start = each.start("word")
        if line:
            lines = text.count("\n", min(counted, start), max(counted, start))
            line += lines if start > counted else -lines
        counted = start
        yield each["word"], line


def _decoded_answer(word: str) -> str:
    """Return a password of an answer file, which Setup may have written as base64 of UTF-16 and a suffix."""
    try:
        decoded = b64decode(word, validate=True).decode("utf-16-le")
    except ValueError:
        return word
    for suffix in _PASSWORD_ELEMENTS:
        if decoded.endswith(suffix):
            return decoded.removesuffix(suffix)
    return word
