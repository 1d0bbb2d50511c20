"""Patterns that take linear time find what simpler ones found, which took quadratic time."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renderer.discovery.engine_objects import _PARAMETER
from renderer.emit.ownership import has_conflict
from renderer.findings.public_lines import _POSSIBLE_KEY
from renderer.gitops.entry_fields import _duration
from renderer.gitops.repository_url import _REMOTE_URL, _URL
from renderer.golang.template.strconv import _FLOAT
from renderer.kubevirt.facts.confidential.template_names import names_in_tags
from renderer.kubevirt.guest_data.credential_fields import _BASE64_LINES
from renderer.model.credential_text.names import _ELEMENT
from renderer.model.run.readings import _AFTER_NAME, _BASE64, _USER_OF_URL, _matches_of_users
from renderer.project.lone_file import _KIND_OF_OURS
from renderer.report.sarif import _ACTIVE
from renderer.yamlio.encode import _NEXT_LINES
from renderer.yamlio.syntax_errors import _KEY_AND_VALUE

FORMER: dict[str, re.Pattern[str]] = {
    "conflict": re.compile(r"(?ms)^<{7} .*^={7}\r?$.*^>{7} "),
    "base64": re.compile(r"[A-Za-z0-9+/_\s-]{8,}={0,2}\s*", re.ASCII),
    "after name": re.compile(r"[-\s]*[\"']?[\w.@+-]+:([^\s/][^\s]*?)[\"']?\s*"),
    "lines of base64": re.compile(
        r"(?<![A-Za-z0-9+/_-])(?:[A-Za-z0-9+/_-]{16,}[ \t]*(?:\r?\n|\\n|[ ])[ \t]*)+[A-Za-z0-9+/_-]+={0,2}"
    ),
    "element": re.compile(
        r"<(?:\w{1,20}:)?(?P<name>[\w.-]{1,60})(?:\s[^<>]{0,200})?>\s*(?:<(?:\w{1,20}:)?(?i:value|string)>)?\s*"
        r"(?P<word>[^<\s][^<]{0,200})<"
    ),
    "kind": re.compile(r"""^\s*(?:-\s+)?[{"']*kind["']?\s*:\s*["']?(?:CDI|KubeVirt)\b""", re.MULTILINE),
    "url": re.compile(
        r"(?:[a-z][a-z0-9+.-]*://)?(?:[^@/]*@)?(?P<host>[^/:]*)(?::[0-9]+(?=/))?[/:]+(?P<path>.*)",
        re.IGNORECASE,
    ),
    "remote": re.compile(r"^\s*url\s*=\s*(\S+)\s*$", re.MULTILINE),
    "float": re.compile(
        r"[+-]?(?:inf|infinity|(?:[0-9]+(?:_[0-9]+)*\.?(?:[0-9]+(?:_[0-9]+)*)?|\.[0-9]+(?:_[0-9]+)*)"
        r"(?:e[+-]?[0-9]+(?:_[0-9]+)*)?)|nan",
        re.IGNORECASE,
    ),
    "key": re.compile(r"""[^\s{},"'/:]++(?=["'/:\s]|$)"""),
    "next lines": re.compile("\x20*\x85[\x20\x85]*"),
    "key and value": re.compile(r"\s*(?:- +)*[^\s#'\"\[{].*?:\s+[^\s#]|\s*- +\S"),
    "active": re.compile(r"\]\(|^\s*\[.*\]:|`", re.MULTILINE),
    "parameter": re.compile(r"\{\{.*?\}\}"),
    "duration": re.compile(r"\s*([0-9]+)\s*([a-zA-Z]*)\s*"),
}
"""The patterns before, which are right for a short text."""


def _texts(*parts: str) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(parts), max_size=14).map("".join)


def _all(form: re.Pattern[str], text: str) -> list[object]:
    return [(found.span(), found.groups()) for found in form.finditer(text)]


def _whole(form: re.Pattern[str], text: str) -> object:
    found = form.fullmatch(text)
    return found and found.groups()


CASES: dict[str, tuple[tuple[str, ...], Callable[[str], object], Callable[[str], object]]] = {
    "conflict": (
        ("<<<<<<< ", "=======", ">>>>>>> ", "\n", "\r", "a"),
        lambda text: FORMER["conflict"].search(text) is not None,
        lambda text: has_conflict(text.encode()),
    ),
    "kind": (
        ("kind", ":", " ", "\n", "-", '"', "{", "CDI", "KubeVirt", "x"),
        lambda text: FORMER["kind"].search(text) is not None,
        lambda text: _KIND_OF_OURS.search(text.encode()) is not None,
    ),
    "base64": (
        ("aaaa", "aaaaaaaa", " ", "\n", "=", "-", "!"),
        lambda text: FORMER["base64"].fullmatch(text) is not None,
        lambda text: _BASE64.fullmatch(text) is not None,
    ),
    "after name": (
        ("-", " ", "'", '"', "a", ":", "/", "b@", "\t"),
        lambda text: _whole(FORMER["after name"], text),
        lambda text: _whole(_AFTER_NAME, text),
    ),
    "users": (
        ("@", ":", ",", "a", "//", "http://", " ", "'", "="),
        lambda text: _all(_USER_OF_URL, text),
        lambda text: [(found.span(), found.groups()) for found in _matches_of_users(text)],
    ),
    "lines of base64": (
        ("a" * 16, "b" * 20, " ", "\t", "\n", "\r\n", "\\n", "c", "=", "!"),
        lambda text: _all(FORMER["lines of base64"], text),
        lambda text: _all(_BASE64_LINES, text),
    ),
    "element": (
        ("<a>", "<value>", "<x:string>", " ", "\n", "word", "<", "</a>", "<a b>"),
        lambda text: _all(FORMER["element"], text),
        lambda text: _all(_ELEMENT, text),
    ),
    "url": (
        ("https://", "git@", "a", ":", "/", "22", "\n", ".", "b"),
        lambda text: _whole(FORMER["url"], text),
        lambda text: _whole(_URL, text),
    ),
    "remote": (
        ("url", "=", " ", "\n", "\t", "a", "url = b"),
        FORMER["remote"].findall,
        _REMOTE_URL.findall,
    ),
    "float": (
        ("1", "_", ".", "e", "-", "23", "inf"),
        lambda text: FORMER["float"].fullmatch(text) is not None,
        lambda text: _FLOAT.fullmatch(text) is not None,
    ),
    "key": (("a", "bc", "{", ":", '"', " ", "/", "\n"), FORMER["key"].findall, _POSSIBLE_KEY.findall),
    "next lines": (
        (" ", "\x85", "a", "   "),
        lambda text: FORMER["next lines"].sub("|", text),
        lambda text: _NEXT_LINES.sub("|", text),
    ),
    "key and value": (
        ("- ", "-", " ", "a", ":", ": ", "#", "'", "["),
        lambda text: FORMER["key and value"].match(text) is not None,
        lambda text: _KEY_AND_VALUE.match(text) is not None,
    ),
    "active": (
        ("[", "]", ":", "(", " ", "\n", "a", "`"),
        lambda text: FORMER["active"].search(text) is not None,
        lambda text: _ACTIVE.search(text) is not None,
    ),
    "parameter": (
        ("{{", "}}", "}", "{", "a", "\n"),
        lambda text: FORMER["parameter"].sub("*", text),
        lambda text: _PARAMETER.sub(lambda found: "*" if found[1] else found[0], text),
    ),
    "names in tags": (
        ("{{", "}}", "}", "{", "a", "\n", "b-c"),
        lambda text: {
            name
            for tag in re.findall(r"(?s)\{\{(.*?)\}\}", text)
            for name in (tag.strip(), *re.findall(r"[^\W\d][\w-]*", tag))
            if name
        },
        lambda text: {*names_in_tags(text)},
    ),
    "duration": (
        ("1", "20", " ", "m", "\n", "!"),
        lambda text: FORMER["duration"].fullmatch(text) is not None,
        lambda text: _duration(text) != "",
    ),
}


@pytest.mark.parametrize("name", CASES)
@given(data=st.data())
def test_same_is_found(name: str, data: st.DataObject) -> None:
    parts, before, now = CASES[name]
    text = data.draw(_texts(*parts))
    assert now(text) == before(text)
