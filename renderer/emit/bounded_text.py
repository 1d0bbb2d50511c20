"""Resources as text, within the limit ``outputSize``, and resources that YAML cannot hold."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator

from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.resource import Resource
from renderer.model.run.limits import limits, over_limit
from renderer.model.run.work import spend
from renderer.yamlio.encode import encode

#: Characters written per step of work (``model.run.work``).
_CHARACTERS_PER_STEP = 3


def text_of(resource: Resource) -> str:
    """Return the text of a resource as kustomize prints it."""
    return encode((resource.content,))


def bounded_texts(
    resources: Iterable[Resource], left: int, text: Callable[[Resource], str] = text_of
) -> Iterator[str]:
    """Yield the text of each. Raises ``DiagnosticError``: build-limit, if the texts exceed ``left``."""
    for resource in resources:
        written = _written(resource, text)
        left -= len(written)
        if left < 0:
            message = f"the overlay has more than {limits().output_size} characters of text"
            raise over_limit("output_size", message, resource=resource)
        spend(len(written) // _CHARACTERS_PER_STEP, "writing manifests")
        yield written


def check_size(resources: Iterable[Resource]) -> None:
    """Check the size of resources that are written together. Raises ``DiagnosticError``: build-limit."""
    deque(bounded_texts(resources, limits().output_size), maxlen=0)


def unwritable_texts(resources: Iterable[Resource]) -> Iterator[Diagnostic]:
    """Yield an error for each resource with a character or number that cannot be written.

    JSON is written in a hundredth of the time. Text that is plain in it is plain in YAML, too.
    """
    for resource in resources:
        if not _is_plain(resource):
            try:
                _written(resource, text_of)
            except DiagnosticError as error:
                yield from error.diagnostics


def _written(resource: Resource, text: Callable[[Resource], str]) -> str:
    """Return the text of a resource. Raises ``DiagnosticError`` about it."""
    try:
        return text(resource)
    except DiagnosticError as error:
        [found] = error.diagnostics
        about = found._replace(sites=resource.sites(), resource=resource.current_id)
        raise DiagnosticError(about) from None


def _is_plain(resource: Resource) -> bool:
    import json  # noqa: PLC0415 - most runs print what they build, and do not only check it

    try:
        text = json.dumps(resource.content, ensure_ascii=False, allow_nan=False)
    except ValueError:  # a number that is not finite
        return False
    return text.isascii() and "\x7f" not in text
