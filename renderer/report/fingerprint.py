"""Fingerprints that identify a finding across runs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from renderer.findings.located import Located
from renderer.model.digest import sha256

_LINE_NUMBERS = re.compile(r"\bline(s?) \d+(?: and \d+)?")
_LENGTH = 32


def fingerprints(findings: Iterable[Located]) -> Iterator[str]:
    """Yield a unique fingerprint for each finding: 32 hexadecimal digits, ``:`` and a counter of equal ones.

    It depends on the subject of the finding, not on its line: a finding keeps its fingerprint when lines
    above it are added or removed.
    """
    seen: Counter[str] = Counter()
    for finding in findings:
        digest = _digest(finding)
        seen[digest] += 1
        yield f"{digest}:{seen[digest]}"


def _digest(finding: Located) -> str:
    about = (
        finding.code,
        finding.location.path if finding.location else "",
        f"{finding.resource.gvk.kind} {finding.resource.name}" if finding.resource else "",
        str(finding.field or ""),
        _LINE_NUMBERS.sub(r"line\1", finding.message),
    )
    return sha256("\0".join(about))[:_LENGTH]
