"""The forms of credentials in addresses: users, passwords and tokens in URLs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from renderer.model.pattern import pattern
from renderer.model.record import Record

#: What follows the @ of an image or a package is a digest or a version, and what follows a colon a port.
_NOT_A_HOST = r"(?!sha\d{3}:|v?\d+(?:\.\d+){0,2}(?![\w.]))"
_NOT_A_PORT = r"(?!\d{1,5}(?:[/?#\"',;\s\\]|$))"
#: Before an address of mail.
_MAIL = r"(?:mail(?:to)?|e-?mail|contact|sips?|xmpp|acct|from|to|cc|bcc|by|owner|author|maintainer)"
#: For a shell, a database or a directory, a short user without a password is a name.
_NAME_OF_USER = (
    r"(?:\w{1,9}\+)?(?:ssh|sftp|scp|rsync|svn|postgres(?:ql)?|cockroachdb|mysql|mariadb|mongodb|mssql|sqlserver"
    r"|oracle|ldaps?|amqps?)(?:\+\w{1,12})?://[^\s/@:]{0,19}"
)
_USER = pattern(_NAME_OF_USER, re.IGNORECASE)


class AddressForm(Record):
    """A form, and the ``sign`` of the lines that may have it.

    The forms are slow, and keys have comments such as ``user@host``.
    """

    sign: str
    pattern: re.Pattern[str]

    def places(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the places of the form in the lines of a text that have the sign."""
        found = text.find(self.sign)
        while found >= 0:
            start, end = text.rfind("\n", 0, found) + 1, text.find("\n", found)
            end = len(text) if end < 0 else end
            yield from self.pattern.finditer(text, start, end)
            found = text.find(self.sign, end)


IN_ADDRESSES = (
    # scheme://user:password@host; a password may have slashes, but none after an @
    AddressForm(
        "://",
        pattern(
            rf"://(?P<whole>[^\s/?#@:\"'<>\\]{{0,200}}:{_NOT_A_PORT}"
            r"(?=[^\s@<>]{0,500}@)"  # for speed: most have no @
            r"(?P<word>(?:[^\s@\"<>]|\"(?![,:}\]])){0,500}(?:@[^\s@/?#,\"'<>\\]{1,200}){0,3}))"
            rf"@{_NOT_A_HOST}(?=\S)"
        ),
    ),
    # scheme://user@domain:password@host
    AddressForm(
        "://",
        pattern(
            rf"://(?P<whole>[^\s/?#@:\"'<>\\]{{1,200}}@[^\s/?#@:\"'<>\\]{{1,200}}:{_NOT_A_PORT}"
            rf"(?P<word>[^\s/?#@\"'<>\\]{{0,200}}))@{_NOT_A_HOST}(?=\S)"
        ),
    ),
    # scheme://token@host
    AddressForm(
        "://",
        pattern(
            rf"(?<![\w+.-])(?!{_NAME_OF_USER}@)[a-z][\w+.-]{{0,30}}://"
            rf"(?!(?:git|hg|anonymous)@)(?P<word>[^\s/?#@:\"'<>\\]{{1,500}})@{_NOT_A_HOST}(?=[\w\[(%${{])",
            re.IGNORECASE,
        ),
    ),
    # user:password@host and user:password@tcp(host), with or without scheme:
    AddressForm(
        "@",
        pattern(
            rf"(?<![\w.+/@%$-])(?!{_MAIL}:)(?P<whole>[\w.+%$-]{{1,64}}:"
            rf"(?P<word>[^\s@/\"'{{}}\[\](),;<>]{{1,200}}))@{_NOT_A_HOST}"
            r"(?=(?:tcp|unix)?\(|[a-z0-9][\w-]{0,62}(?:\.[\w-]{1,63}){0,20}(?::\d+)?(?:[/?\s\"',;]|$))",
            re.IGNORECASE,
        ),
    ),
    # jdbc:oracle:thin:user/password@…, user/password@//host
    AddressForm(
        "@",
        pattern(
            r"\boracle:\w{1,9}:[^\s/@]{1,64}/(?P<word>[^\s@]{1,200})@"
            r"|(?<![\w$/])[\w$]{1,64}/[^\s@/\"'$]{1,200}@(?://|\()"
        ),
    ),
    # netroot=iscsi:user:password:user:password@host of dracut.cmdline(7)
    AddressForm("iscsi:", pattern(r"\biscsi:(?P<word>[^\s/@\"'<>][^\s@\"'<>]{0,500})@(?=\S)")),
    # a token in a path
    AddressForm(
        "://",
        pattern(
            r"://[^\s\"'<>?]{0,300}?/(?:tokens?|secrets?|passw(?:or)?ds?|api[-_]?keys?)[/=]"
            r"(?P<word>[^\s/\"'<>?#]{6,500})",
            re.IGNORECASE,
        ),
    ),
)


def addresses_in(text: str) -> Sequence[AddressForm]:
    """Return the forms that may be in a text: none in most texts, which have neither of the signs."""
    return IN_ADDRESSES if "@" in text or "://" in text else ()


def names_user(address: str) -> bool:
    """Return True if an address up to its user has a name there: ``postgresql://app``, no ``https://token``."""
    return _USER.fullmatch(address) is not None
