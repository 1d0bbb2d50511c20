"""The stage's front door: requests in, what the webhooks refuse out, at the user's fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.admitters.cause import Cause
from renderer.admitters.cluster import Cluster
from renderer.admitters.vm import admit_vm
from renderer.kubevirt.admission_request import AdmissionRequest
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.json import object_at
from renderer.model.release import Release
from renderer.model.resource import ResourceSet


def admit(
    requests: Iterable[AdmissionRequest], release: Release, composed: ResourceSet
) -> tuple[Diagnostic, ...]:
    """Why ``release`` refuses any of the requests.

    ``composed`` are the resources before their expansion: what is not there comes from an instance type, a
    preference or a default, and the diagnostic says so.
    """
    refused = list(_refused(requests, release))
    if not refused:
        return ()
    from renderer.admitters.findings import findings  # noqa: PLC0415 - only when something is wrong

    return tuple(findings(refused, composed))


def _refused(
    requests: Iterable[AdmissionRequest], release: Release
) -> Iterator[tuple[AdmissionRequest, tuple[Cause, ...]]]:
    cluster = None
    for request in requests:
        if cluster is None or cluster.config is not request.config:
            cluster = Cluster(release, request.config)
        causes = _causes(request, cluster)
        if causes:
            yield request, causes


def _causes(request: AdmissionRequest, cluster: Cluster) -> tuple[Cause, ...]:
    try:
        if request.kind == "VirtualMachine":
            return admit_vm(object_at(request.content, "spec"), cluster, request.resource.namespace)
        if request.kind == "VirtualMachineInstance":
            from renderer.admitters.vmi import check_vmi  # noqa: PLC0415 - few repositories have any

            return tuple(check_vmi(request.content, cluster))
        from renderer.admitters.pool import check_pool  # noqa: PLC0415 - as above

        return tuple(check_pool(request.content, cluster))
    except DiagnosticError:  # a quantity that is none, of which the schema tells
        return ()
