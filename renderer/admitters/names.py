"""Host name, subdomain and service account."""

from __future__ import annotations

from renderer.admitters.cause import Causes, invalid
from renderer.admitters.cluster import Cluster
from renderer.admitters.kubernetes_names import dns_label_errors, dns_subdomain_errors
from renderer.admitters.vmi_spec import VmiSpec, section, text


def check_hostname(vmi: VmiSpec, _: Cluster) -> Causes:
    name = text(vmi.content, "hostname")
    errors = dns_label_errors(name) if name else []
    if errors:
        yield invalid(vmi.at("hostname"), f"hostname {name!r} {' and '.join(errors)}")


def check_subdomain(vmi: VmiSpec, _: Cluster) -> Causes:
    name = text(vmi.content, "subdomain")
    errors = dns_subdomain_errors(name) if name else []
    if errors:
        yield invalid(vmi.at("subdomain"), f"subdomain {name!r} {' and '.join(errors)}")


def check_service_account_name(vmi: VmiSpec, _: Cluster) -> Causes:
    name = text(vmi.content, "serviceAccountName")
    if not name:
        return
    at = vmi.at("serviceAccountName")
    errors = dns_subdomain_errors(name)
    if errors:
        yield invalid(at, f"serviceAccountName {name!r} {' and '.join(errors)}")
    for volume in vmi.volumes:
        if volume.get("serviceAccount") is not None:
            other = text(section(volume, "serviceAccount"), "serviceAccountName")
            if other != name:
                yield invalid(
                    at,
                    f"serviceAccountName is {name}, but a volume is of the service account {other}",
                    "name the same service account in both",
                )
                return
