"""The names that Kubernetes accepts (``k8s.io/apimachinery/pkg/util/validation``).

Each ``*_errors`` function returns one text for every error that Kubernetes counts.
"""

from __future__ import annotations

from collections.abc import Callable

from renderer.model.pattern import pattern

_PORT_NAME = pattern(r"(?!.*--)(?=.*[a-z])[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")

DIGITS = "0123456789"
_LOWER = "abcdefghijklmnopqrstuvwxyz"
ALPHANUMERIC = f"{DIGITS}{_LOWER}{_LOWER.upper()}"
HEXADECIMAL = f"{DIGITS}abcdefABCDEF"

#: The maximum lengths of a DNS label and of the value of a label, and of a DNS subdomain.
LABEL_LENGTH = 63
SUBDOMAIN_LENGTH = 253
_PORT_NAME_LENGTH = 15

_LABEL_RULE = "lower-case letters, digits and '-', with a letter or digit at both ends"
_SUBDOMAIN_RULE = "lower-case letters, digits, '-' and '.', with a letter or digit at both ends"
_NAME_RULE = "letters, digits, '-', '_' and '.', with a letter or digit at both ends"


def is_dns_label(text: str) -> bool:
    """Return True if ``text`` has only the characters of a DNS label; the length is not checked."""
    return consists_of(text, f"{_LOWER}{DIGITS}-") and "-" not in (text[:1] or "-", text[-1:])


def is_dns_subdomain(text: str) -> bool:
    """Return True if ``text`` has only the characters of a DNS subdomain; the length is not checked."""
    return all(map(is_dns_label, text.split(".")))


def is_qualified_name(text: str) -> bool:
    """Return True if ``text`` has only the characters of a label's value; the length is not checked."""
    ends = text[:1] + text[-1:]
    return bool(text) and consists_of(text, f"{ALPHANUMERIC}-_.") and consists_of(ends, ALPHANUMERIC)


def consists_of(text: str, characters: str) -> bool:
    """Return True if ``text`` has only these characters. A regular expression would have to be compiled."""
    return not text.strip(characters)


def dns_label_errors(name: str) -> list[str]:
    """Return the errors in a DNS label, one text per error."""
    return _errors(name, is_dns_label, LABEL_LENGTH, _LABEL_RULE)


def dns_subdomain_errors(name: str) -> list[str]:
    """Return the errors in a DNS subdomain, one text per error."""
    if len(name) <= LABEL_LENGTH and is_dns_label(name):  # as most names are
        return []
    return _errors(name, is_dns_subdomain, SUBDOMAIN_LENGTH, _SUBDOMAIN_RULE)


def label_value_errors(value: str) -> list[str]:
    """Return the errors in the value of a label, one text per error."""
    return _errors(value, is_qualified_name, LABEL_LENGTH, _NAME_RULE) if value else []


def label_key_errors(key: str) -> list[str]:
    """Return the errors in a qualified name, ``name`` or ``prefix/name``, one text per error."""
    prefix, slash, name = key.rpartition("/")
    if "/" in prefix:
        return ["has more than one '/'"]
    errors = []
    if slash:
        errors = (
            [f"its prefix {error}" for error in dns_subdomain_errors(prefix)]
            if prefix
            else ["its prefix is empty"]
        )
    if not name:
        errors.append("its name is empty")
    return [*errors, *_errors(name, is_qualified_name, LABEL_LENGTH, _NAME_RULE)]


def is_port_name(name: str) -> bool:
    """Return True if ``name`` is a valid port name."""
    return len(name) <= _PORT_NAME_LENGTH and _PORT_NAME.fullmatch(name) is not None


def _errors(name: str, is_valid: Callable[[str], bool], length: int, rule: str) -> list[str]:
    errors = []
    if len(name.encode(errors="replace")) > length:
        errors.append(f"is longer than {length} characters")
    if not is_valid(name):
        errors.append(f"must consist of {rule}")
    return errors
