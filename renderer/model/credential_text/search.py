"""Find the credentials of any form in a text, or mask them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice

from renderer.model.credential_text.addresses import addresses_in
from renderer.model.credential_text.commands import COMMANDS, passwords_of_commands
from renderer.model.credential_text.form import is_written
from renderer.model.credential_text.kernel_arguments import kernel_credentials
from renderer.model.credential_text.keys_and_tokens import KEYS_AND_TOKENS
from renderer.model.credential_text.names import named_credentials
from renderer.model.credential_text.requests import IN_REQUESTS
from renderer.model.credential_text.settings import SETTINGS

#: All forms, except those in addresses.
FORMS = (*IN_REQUESTS, *KEYS_AND_TOKENS)


def may_be_credential(text: str) -> bool:
    """Return False if a text surely has no form of a credential, and no command with a password."""
    lowered = text.lower()
    return any(form.may_be_in(lowered) for form in (*FORMS, *COMMANDS, *SETTINGS))


def credential_forms(text: str) -> Iterator[re.Match[str]]:
    """Yield the first place of each form of a credential in a text.

    What is encrypted, or put in later, does not count.
    """
    lowered = text.lower()
    for address in addresses_in(text):
        yield from islice(filter(is_written, address.places(text)), 1)
    for form in FORMS:
        if form.may_be_in(lowered):
            yield from islice(filter(is_written, form.pattern.finditer(text)), 1)


def credentials_in(text: str, *, of_kernel: bool = False, of_command: bool = False) -> list[re.Match[str]]:
    """Return each place of a credential of an address or a request in a text, in no order.

    ``of_kernel``: the text has arguments for a kernel, whose passwords and tokens count as well.
    ``of_command``: it is a command, or an argument of one, and so do the values of its options.
    """
    lowered = text.lower()
    found = [match for address in addresses_in(text) for match in address.places(text)]
    for form in IN_REQUESTS:
        if form.may_be_in(lowered):
            found += form.pattern.finditer(text)
    if of_kernel:
        found += kernel_credentials(text)
    if of_command:
        found += (*named_credentials(text), *passwords_of_commands(text))
    return [*filter(is_written, found)]


def without_credentials(
    text: str, mask: Callable[[str], str], *, of_kernel: bool = False, of_command: bool = False
) -> str:
    """Return a text with a mask for each credential that ``credentials_in`` finds."""
    found = credentials_in(text, of_kernel=of_kernel, of_command=of_command)
    places: list[tuple[int, int]] = []
    for start, end in sorted(map(_place_of_credential, found)):
        if places and start < places[-1][1]:
            places[-1] = (places[-1][0], max(end, places[-1][1]))
        else:
            places.append((start, end))
    parts: list[str] = []
    done = 0
    for start, end in places:
        parts += (text[done:start], mask(text[start:end]))
        done = end
    return "".join((*parts, text[done:])) if parts else text


def _place_of_credential(found: re.Match[str]) -> tuple[int, int]:
    """Return the place of what is masked of a form: of a group, or of the form if it has none."""
    groups = found.groupdict()
    return next((found.span(name) for name in ("whole", "word") if groups.get(name)), found.span())
