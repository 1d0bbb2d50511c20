"""Findings as SARIF 2.1.0, within the limits of GitHub's code scanning.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html and
https://docs.github.com/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from renderer import __version__
from renderer.findings.located import Located
from renderer.model.codes import Code
from renderer.model.diagnostic import Severity
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.location import Location
from renderer.model.pattern import pattern
from renderer.report.fingerprint import fingerprints
from renderer.report.json_document import fix_json
from renderer.report.paths import is_in_repository, uri_of
from renderer.report.plain_text import shortened
from renderer.report.report import Report

MOST_RESULTS = 25_000
MOST_RELATED = 1_000
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_LINK = pattern(r"\[([^\[\]]*)\](?=\()")
#: Text that Markdown or SARIF would read as a link, an image, the definition of one, or as code.
_ACTIVE = pattern(r"\]\(|^[^\S\n]*\[.*\]:|`", re.MULTILINE)
_SPECIAL = pattern(r"[\[\]\\`]")


def write(report: Report) -> str:
    """Return one run with a rule for each code that occurs; the long form of the code is the rule's help."""
    chosen = list(zip(report.findings, fingerprints(report.findings), strict=True))
    if len(chosen) > MOST_RESULTS:
        chosen = sorted(chosen, key=lambda pair: pair[0].severity is not Severity.ERROR)[:MOST_RESULTS]
    codes = sorted({finding.code for finding, _ in chosen})
    run: dict[str, Json] = {
        "tool": {"driver": _driver(codes, report)},
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(finding, digest, codes.index(finding.code), report) for finding, digest in chosen
        ],
    }
    others = len(report.findings) - len(chosen)
    if others:
        message = f"{others} more findings are left out: code scanning accepts {MOST_RESULTS} of a run"
        note: Json = {"level": "warning", "message": _message(message)}
        run["invocations"] = [{"executionSuccessful": True, "toolExecutionNotifications": [note]}]
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _driver(codes: Sequence[Code], report: Report) -> JsonObject:
    home = report.home()
    return {
        "name": "vmrender",
        "semanticVersion": __version__,
        **({"informationUri": home} if home else {}),
        "rules": [_rule(code, report) for code in codes],
    }


def _rule(code: Code, report: Report) -> JsonObject:
    explanation = report.explain(code)
    return {
        "id": code,
        "shortDescription": _own_text(explanation.summary),
        "help": {**_own_text(explanation.markdown), "markdown": explanation.markdown},
        "properties": {"tags": ["kubevirt"]},
    }


def _result(finding: Located, fingerprint: str, rule_index: int, report: Report) -> JsonObject:
    place = _physical_location(finding.location or report.nowhere)
    if finding.resource is not None:  # the object and its field, which are not on a line of a rendered tree
        name = f"{finding.resource} {finding.field or ''}".rstrip()
        place = {**place, "logicalLocations": [{"fullyQualifiedName": name, "kind": "object"}]}
    without_place = (related.message for related in finding.related if not related.location)
    hint = (f"hint: {finding.hint}",) if finding.hint else ()
    related = [(r.location, r.message) for r in finding.related if r.location][:MOST_RELATED]
    result: dict[str, Json] = {
        "ruleId": finding.code,
        "ruleIndex": rule_index,
        "level": _LEVELS[finding.severity],
        "message": _message("\n".join(map(shortened, (finding.message, *without_place, *hint)))),
        "locations": [place],
        "partialFingerprints": {"primaryLocationLineHash": fingerprint},
    }
    if finding.fix:
        result["properties"] = {"fix": fix_json(finding.fix)}
    if related:
        result["relatedLocations"] = [
            {"id": number, **_physical_location(location), "message": _message(shortened(message))}
            for number, (location, message) in enumerate(related, start=1)
        ]
    return result


def _message(text: str) -> JsonObject:
    """Return the plain text as a message: without placeholders (SARIF §3.11.5), links (§3.11.6) and code.

    A backslash escapes brackets. All of the text is escaped, or none of it: a backslash in the text itself
    must not undo one of ours. The many messages with the index of a list stay as they are.
    """
    text = _without_placeholders(text)
    return {"text": _SPECIAL.sub(r"\\\g<0>", text) if _ACTIVE.search(text) else text}


def _own_text(text: str) -> JsonObject:
    """Return a text of ours as a message: it has code, and links that lead nowhere from a report."""
    return {"text": _LINK.sub(r"\\[\1\\]", _without_placeholders(text))}


def _without_placeholders(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _physical_location(location: Location) -> JsonObject:
    artifact = {"uri": uri_of(location.path)}
    if is_in_repository(location.path):
        artifact["uriBaseId"] = "%SRCROOT%"
    region = {"startLine": location.line or 1}
    if location.column:
        region["startColumn"] = location.column
        if location.end_column:
            region["endColumn"] = location.end_column
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}}
