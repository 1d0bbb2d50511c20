"""The names that Kubernetes accepts (``k8s.io/apimachinery/pkg/util/validation``).

Each function returns what is wrong, one text for every error that Kubernetes counts.
"""

from __future__ import annotations

import re

from renderer.model.pattern import pattern

_LABEL = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_DNS_LABEL = pattern(_LABEL)
_DNS_SUBDOMAIN = pattern(rf"{_LABEL}(?:\.{_LABEL})*")
_QUALIFIED_NAME = pattern(r"(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_PORT_NAME = pattern(r"(?!.*--)(?=.*[a-z])[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")

_LABEL_LENGTH = 63
_SUBDOMAIN_LENGTH = 253
_PORT_NAME_LENGTH = 15

_LABEL_RULE = "lower-case letters, digits and '-', with a letter or digit at both ends"
_SUBDOMAIN_RULE = "lower-case letters, digits, '-' and '.', with a letter or digit at both ends"
_NAME_RULE = "letters, digits, '-', '_' and '.', with a letter or digit at both ends"


def dns_label_errors(name: str) -> list[str]:
    """Return what is wrong with a DNS label, one text per error."""
    return _errors(name, _DNS_LABEL, _LABEL_LENGTH, _LABEL_RULE)


def dns_subdomain_errors(name: str) -> list[str]:
    """Return what is wrong with a DNS subdomain, one text per error."""
    return _errors(name, _DNS_SUBDOMAIN, _SUBDOMAIN_LENGTH, _SUBDOMAIN_RULE)


def label_value_errors(value: str) -> list[str]:
    """Return what is wrong with the value of a label, one text per error."""
    return _errors(value, _QUALIFIED_NAME, _LABEL_LENGTH, _NAME_RULE) if value else []


def label_key_errors(key: str) -> list[str]:
    """Return what is wrong with a qualified name, ``name`` or ``prefix/name``, one text per error."""
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
    return [*errors, *_errors(name, _QUALIFIED_NAME, _LABEL_LENGTH, _NAME_RULE)]


def is_port_name(name: str) -> bool:
    """Return true if it can name a port."""
    return len(name) <= _PORT_NAME_LENGTH and _PORT_NAME.fullmatch(name) is not None


def _errors(name: str, pattern: re.Pattern[str], length: int, rule: str) -> list[str]:
    errors = []
    if len(name.encode(errors="replace")) > length:
        errors.append(f"is longer than {length} characters")
    if pattern.fullmatch(name) is None:
        errors.append(f"must consist of {rule}")
    return errors
