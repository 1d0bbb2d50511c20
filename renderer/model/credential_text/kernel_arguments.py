"""Arguments of a kernel with a password or a token."""

from __future__ import annotations

import re
from collections.abc import Iterator

from renderer.model.credential_text.form import is_written
from renderer.model.pattern import pattern

#: Of iSCSI, of an installer, of systemd; and data for cloud-init (``read_cc_from_cmdline`` in
#: ``cloudinit/util.py``).
_ARGUMENTS = (
    pattern(
        r"(?:passw(?:or)?d|rootpw|sshpw|token|secret|psk|credential)\w{0,40}=(?P<word>\"[^\"]*\"|\S+)",
        re.IGNORECASE,
    ),
    pattern(
        r"(?<!\S)cc:(?=\s{0,40}(?:[{%\\]|[\w-]{1,80}:)|[^\n]{0,1000}?end_cc)"
        r"(?P<word>\s{0,40}[^\s](?:(?!end_cc)[^\n])*)"
    ),
)


def kernel_credentials(arguments: str) -> Iterator[re.Match[str]]:
    """Yield the passwords and tokens in arguments for a kernel, as groups ``word``."""
    found = (each for argument in _ARGUMENTS for each in argument.finditer(arguments))
    return filter(is_written, found)
