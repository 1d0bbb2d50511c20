"""Review admission requests as the webhooks do: the entry point of the stage.

The twin of an accepted virtual machine is accepted, too (``twins``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.kubevirt.admission.causes import Cause, WebhookAnswer
from renderer.kubevirt.admission.deprecations import warnings_of
from renderer.kubevirt.admission.twins import twin_key
from renderer.kubevirt.admission.vm import check_vm
from renderer.kubevirt.facts.admission_request import AdmissionRequest
from renderer.kubevirt.facts.cluster import Cluster, ClusterConfig
from renderer.kubevirt.facts.kinds import HYPERCONVERGED, VM, VMI
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.kube.json import object_at
from renderer.model.kube.resource import ResourceSet
from renderer.model.kube.sharing import once_for_same
from renderer.model.release import Release

#: The number of keys of twins to keep: the machines of a fleet are of a few kinds, or all different.
_MOST_KEYS = 1_000


def review(
    requests: Iterable[AdmissionRequest], release: Release, composed: ResourceSet
) -> tuple[Diagnostic, ...]:
    """Return a diagnostic for each cause for which ``release`` rejects a request, and for each warning.

    ``composed`` are the resources before their expansion. A field that they do not have comes from an
    instance type, a preference or a default, and the diagnostic says so.
    """
    answers = list(_answers(requests, release))
    if not answers:
        return ()
    from renderer.kubevirt.admission.findings import findings  # noqa: PLC0415 - only when something is wrong

    return tuple(findings(answers, composed))


def _answers(requests: Iterable[AdmissionRequest], release: Release) -> Iterator[WebhookAnswer]:
    """Yield the answers that have causes.

    An object that cannot be defaulted has no answer: its expansion or its schema reports it.
    """
    for request in requests:
        cluster, accepted = _cluster_and_twins(release, request.config)
        key = twin_key(request)
        if key in accepted:
            continue
        try:
            request.content  # noqa: B018 - it is made when it is first asked for
        except DiagnosticError:
            continue
        causes = _causes(request, cluster)
        warnings = () if causes else tuple(warnings_of(request, cluster))
        if causes or warnings:
            yield WebhookAnswer(request, causes or warnings, Severity.ERROR if causes else Severity.WARNING)
        elif key:
            if len(accepted) >= _MOST_KEYS:
                accepted.clear()
            accepted.add(key)


@once_for_same
def _cluster_and_twins(release: Release, config: ClusterConfig) -> tuple[Cluster, set[bytes]]:
    """Return the cluster, and the keys of twins that it has accepted in any overlay."""
    return Cluster(release, config), set()


def _causes(request: AdmissionRequest, cluster: Cluster) -> tuple[Cause, ...]:
    spec = object_at(request.content, "spec")
    try:
        if request.kind == VM:
            return check_vm(spec, cluster, request.resource.namespace)
        if request.kind == VMI:
            from renderer.kubevirt.admission.vmi import check_vmi  # noqa: PLC0415 - few repositories have any

            return tuple(check_vmi(request.content, cluster))
        if request.kind == HYPERCONVERGED:
            from renderer.kubevirt.admission.hyperconverged_object import check_hyperconverged  # noqa: PLC0415 - as above

            return check_hyperconverged(request.content, cluster)
        from renderer.kubevirt.admission.kinds import CHECKS_OF_KINDS  # noqa: PLC0415 - as above

        if request.kind not in CHECKS_OF_KINDS:
            return ()
        return tuple(CHECKS_OF_KINDS[request.kind].causes(cluster.release, frozenset(spec), spec, cluster))
    except DiagnosticError:  # an invalid quantity; the schema stage reports it
        return ()
