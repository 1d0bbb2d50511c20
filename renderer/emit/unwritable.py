"""Find resources whose texts YAML cannot hold, without writing them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from renderer.emit.bounded_text import text_of
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.resource import Resource


def unwritable_texts(resources: Iterable[Resource]) -> Iterator[Diagnostic]:
    """Yield an error for each resource with a character or number that cannot be written.

    JSON is written in a hundredth of the time. Text that is plain in it is plain in YAML, too.
    """
    for resource in resources:
        if _is_plain(resource):
            continue
        try:
            text_of(resource)
        except DiagnosticError as error:
            for found in error.diagnostics:
                yield found._replace(sites=resource.sites(), resource=resource.current_id)


def _is_plain(resource: Resource) -> bool:
    try:
        text = json.dumps(resource.content, ensure_ascii=False, allow_nan=False)
    except ValueError:  # a number that is not finite
        return False
    return text.isascii() and "\x7f" not in text
