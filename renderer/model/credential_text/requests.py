"""The forms of credentials in requests: in queries, in headers and in options of a command line."""

from __future__ import annotations

import re
from collections.abc import Callable

from renderer.model.credential_text.form import Form, is_written
from renderer.model.pattern import pattern

#: Between the name of a header and its value; the schemes of authorization; and settings of this name.
_IS = r"\\?[\"']?[ \t]*[:=][ \t]*\\?[\"']?"
_SCHEME = (
    r"(?:basic|bearer|digest|negotiate|ntlm|token|oauth|hawk|signature|mac|api-?key|key|jwt|bot|splunk|ssws|dpop"
    r"|googlelogin|shared\w{3,9}|aws4?(?:-[\w-]{1,30})?)"
)
_NO_HEADER = (
    "(?:enabled|disabled|required|optional|supported|simple|external|custom|rbac|none|null|true|false|yes|no|on"
    "|off)"
)
IN_REQUESTS = (
    # a token in a query or in a path, and the addresses of webhooks
    Form(
        ("=",),
        pattern(
            r"(?:[?&;]|(?<=[^\s#])#)[\w.-]{0,40}?(?:token|sig(?:nature)?|secret|pass(?:w(?:or)?d)?|pwd"
            r"|(?:api|access)[-_]?key|auth|jwt|credentials?|code|key)=(?P<word>[^\s&\"'<>#]{4,2000})",
            re.IGNORECASE,
        ),
    ),
    Form(
        ("slack.com/", "discord", "webhook.office.com/", "telegram.org/", "ifttt.com/", "hc-ping.com/"),
        pattern(
            r"(?:hooks\.slack\.com/(?:services|workflows|triggers)/|discord(?:app)?\.com/api/webhooks/"
            r"|webhook\.office\.com/|api\.telegram\.org/(?:file/)?bot\d|maker\.ifttt\.com/[^\s]{1,99}/key/"
            r"|hc-ping\.com/)(?P<word>\S{6,500})",
            re.IGNORECASE,
        ),
    ),
    # Authorization: word, with or without a scheme, and its parameters
    Form(
        ("authorization",),
        pattern(
            rf"(?:(?-i:A)uthorization{_IS}|authorization{_IS}(?!(?-i:[a-z]{{1,12}})(?![^\s\"'])))"
            rf"(?!{_NO_HEADER}(?![^\s\"',;])|{_SCHEME}[ \t]*(?:[\"'\n,;]|$))(?:{_SCHEME}[ \t]++)?+"
            r"(?P<whole>(?P<word>[^\s\"'#|>&*{\[$<%](?:[^\s\"'=]|=(?!\\?[\"'])){3,4000}+)"
            r"(?:[^\n\"'=]|=[ \t]*(?:\\?[\"'][^\"'\n]{0,500}+[\"']?)?)*+)",
            re.IGNORECASE,
        ),
    ),
    # Authorization: scheme word, X-Auth-Token: word, Bearer word
    Form(
        ("authorization",),
        pattern(
            r"authorization\\?[\"']?[ \t]*[:=,][ \t]*\\?[\"']?[a-z][\w-]{0,40}[ \t]+"
            r"(?P<word>[^\s\"']{4,4000})",
            re.IGNORECASE,
        ),
    ),
    Form(
        ("x-", "private-", "job-", "deploy-", "api-"),
        pattern(
            r"(?<![\w-])(?:x-(?:[\w-]{1,40}-)?|private-|job-|deploy-|api-)(?:token|key|secret|password|auth)"
            r"\\?[\"']?[ \t]*:[ \t]*\\?[\"']?(?P<word>[^\s\"']{4,4000})",
            re.IGNORECASE,
        ),
    ),
    # --password=word
    Form(
        ("--",),
        pattern(
            r"(?<![\w-])--[\w-]{0,40}?(?:password|passwd|passphrase|token|client-?secret|api-?key)="
            r"(?!true\b|false\b)[\"']?(?P<word>[^\s\"',;]{1,2000})",
            re.IGNORECASE,
        ),
    ),
    Form(
        ("bearer", "basic", "negotiate"),
        pattern(
            r"\b(?:bearer|basic|negotiate)[ \t]+(?=[^\s\"']{0,400}[0-9=_.])(?P<word>[\w.~+/=-]{16,4000})",
            re.IGNORECASE,
        ),
    ),
)
#: A header as one text, and the names of those that surely have no credential.
_HEADER = pattern(r"\s*(?P<name>[^\s:]{1,200})\s*:\s*(?P<word>\S.*)", re.DOTALL)
_PUBLIC_HEADERS = frozenset(
    {
        *("accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "connection"),
        *("content-type", "date", "expect", "from", "host", "if-match", "if-modified-since", "if-none-match"),
        *("if-range", "if-unmodified-since", "metadata-flavor", "origin", "pragma", "range", "referer", "te"),
        *("user-agent", "x-ms-version"),
    }
)


def without_value_of_header(text: str, mask: Callable[[str], str]) -> str:
    """Return a header with a mask for its value, unless its name says that there is no credential in it."""
    found = _HEADER.fullmatch(text)
    if not found or found["name"].lower() in _PUBLIC_HEADERS or not is_written(found):
        return text
    return text[: found.start("word")] + mask(found["word"])
