"""``hostname``, ``subdomain``, ``dnsPolicy`` and ``dnsConfig``, as in a Pod."""

from __future__ import annotations

from collections.abc import Sequence

from renderer.kubevirt.admission.causes import Causes, invalid, not_supported, required
from renderer.kubevirt.admission.vmi_spec import VmiSpec, elements, has, section, text, texts
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.kubernetes_names import dns_label_errors, dns_subdomain_errors
from renderer.model.kube.field_path import FieldPath

_POLICIES = ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")
_MOST_NAMESERVERS = 3
_MOST_SEARCHES = 6
_LONGEST_SEARCH_LIST = 256
_NAMESERVERS, _SEARCHES, _OPTIONS = map(FieldPath.of, ("nameservers", "searchDomains", "options"))


def check_hostname(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check that the hostname is a DNS label."""
    name = text(vmi.content, "hostname")
    errors = dns_label_errors(name) if name else []
    if errors:
        yield invalid(vmi.at("hostname"), f"hostname {name!r} {' and '.join(errors)}")


def check_subdomain(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check that the subdomain is a DNS subdomain."""
    name = text(vmi.content, "subdomain")
    errors = dns_subdomain_errors(name) if name else []
    if errors:
        yield invalid(vmi.at("subdomain"), f"subdomain {name!r} {' and '.join(errors)}")


def check_dns_policy(vmi: VmiSpec, _: Cluster) -> Causes:
    """Reject unknown DNS policies."""
    policy = text(vmi.content, "dnsPolicy")
    if policy and policy not in _POLICIES:
        yield not_supported(
            vmi.at("dnsPolicy"), f"{policy!r} is not a dnsPolicy", f"one of {', '.join(_POLICIES)}"
        )


def check_dns_config(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check ``dnsConfig`` as Kubernetes checks a pod's (``ValidateDNSConfig``)."""
    is_none = text(vmi.content, "dnsPolicy") == "None"
    at = vmi.at("dnsConfig")
    if not has(vmi.content, "dnsConfig"):
        if is_none:
            yield required(at, "dnsPolicy None needs dnsConfig")
        return
    config = section(vmi.content, "dnsConfig")
    nameservers = texts(config, "nameservers")
    if is_none and not nameservers:
        message = "dnsPolicy None needs a name server"
        yield required(at.child("nameservers"), message, reported=_NAMESERVERS)
        return
    yield from _check_nameservers(at.child("nameservers"), nameservers)
    yield from _check_searches(at.child("searches"), texts(config, "searches"))
    for index, option in enumerate(elements(config, "options")):
        if not text(option, "name"):
            yield invalid(at.child("options", index), "the option has no name", reported=_OPTIONS)


def _check_nameservers(at: FieldPath, nameservers: Sequence[str]) -> Causes:
    if len(nameservers) > _MOST_NAMESERVERS:
        message = f"there are {len(nameservers)} name servers; {_MOST_NAMESERVERS} are allowed"
        yield invalid(at, message, reported=_NAMESERVERS)
    for index, nameserver in enumerate(nameservers):
        if not _is_ip_address(nameserver):
            message = f"{nameserver!r} is not an IP address"
            yield invalid(at.child(index), message, reported=_NAMESERVERS)


def _check_searches(at: FieldPath, searches: Sequence[str]) -> Causes:
    if len(searches) > _MOST_SEARCHES:
        message = f"there are {len(searches)} search domains; {_MOST_SEARCHES} are allowed"
        yield invalid(at, message, reported=_SEARCHES)
    if len(" ".join(searches).encode(errors="replace")) > _LONGEST_SEARCH_LIST:
        message = f"the search domains have more than {_LONGEST_SEARCH_LIST} characters together"
        yield invalid(at, message, reported=_SEARCHES)
    for index, search in enumerate(searches):
        for error in dns_subdomain_errors(search):
            message = f"the search domain {search!r} {error}"
            yield invalid(at.child(index), message, reported=_SEARCHES)


def _is_ip_address(address: str) -> bool:
    from ipaddress import ip_address  # noqa: PLC0415 - only needed where someone sets name servers

    try:
        ip_address(address)
    except ValueError:
        return False
    return "%" not in address
